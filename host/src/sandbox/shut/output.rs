//! What a guest prints: kept until its call ends, and capped.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tokio::io::{AsyncWrite, empty};
use wasmtime_wasi::async_trait;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamError, StreamResult};

use crate::limits::LimitExceeded;
use crate::log::Level;

/// The most that a guest hands over at once, in bytes.
const CHUNK: usize = 4096;

/// What both streams of a call were given.
#[derive(Clone)]
pub(super) struct Output {
    /// Every piece, and how much its stream matters.
    pieces: Arc<Mutex<Pieces>>,
    /// What to say when they are too much; its maximum counts.
    full: LimitExceeded,
}

/// What each piece costs the host beside its bytes.
const PIECE: u64 = 32;

#[derive(Default)]
struct Pieces {
    /// What is kept, in bytes.
    size: u64,
    /// In the order of printing; neighbours of one stream are one piece.
    written: Vec<(Level, Vec<u8>)>,
}

impl Output {
    pub(super) fn new(full: LimitExceeded) -> Self {
        Self {
            pieces: Arc::default(),
            full,
        }
    }

    /// A standard stream.
    pub(super) fn stream(&self, level: Level) -> Stream {
        Stream {
            output: self.clone(),
            level,
        }
    }

    fn add(&self, level: Level, bytes: &[u8]) -> Result<(), LimitExceeded> {
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        let last = pieces.written.last().map(|(last, _)| *last);
        let piece = if last == Some(level) { 0 } else { PIECE };
        let size = pieces.size + piece + bytes.len() as u64;
        if size > self.full.maximum {
            return Err(self.full.clone());
        }
        pieces.size = size;
        match pieces.written.last_mut() {
            Some((last, piece)) if *last == level => piece.extend_from_slice(bytes),
            _ => pieces.written.push((level, bytes.to_vec())),
        }
        Ok(())
    }

    /// The lines, without those that are empty.
    pub(super) fn lines(&self) -> Vec<(Level, String)> {
        let pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines = Vec::new();
        for (level, piece) in &pieces.written {
            let text = String::from_utf8_lossy(piece);
            let texts = text.lines().filter(|line| !line.trim().is_empty());
            lines.extend(texts.map(|line| (*level, line.to_owned())));
        }
        lines
    }
}

/// Standard output, or standard error.
#[derive(Clone)]
pub(super) struct Stream {
    output: Output,
    level: Level,
}

impl IsTerminal for Stream {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Stream {
    // Only WASI 0.3 asks for it, which no guest is given.
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(empty())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[async_trait]
impl OutputStream for Stream {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.output
            .add(self.level, &bytes)
            .map_err(|full| StreamError::Trap(full.into()))
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(CHUNK)
    }
}

#[async_trait]
impl Pollable for Stream {
    async fn ready(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::{Level, LimitExceeded, Output, PIECE};
    use crate::limits::Limit;

    fn output(maximum: u64) -> Output {
        Output::new(LimitExceeded {
            limit: Limit::Log,
            maximum,
            wanted: None,
        })
    }

    #[test]
    fn pieces_become_lines() {
        let output = output(1000);
        for (level, bytes) in [
            (Level::Debug, b"one\ntw".as_slice()),
            (Level::Debug, b"o\n\n"),
            (Level::Info, b"thr\xffee"),
        ] {
            output.add(level, bytes).expect("room");
        }
        let expected = [
            (Level::Debug, "one"),
            (Level::Debug, "two"),
            (Level::Info, "thr\u{fffd}ee"),
        ];
        assert_eq!(
            output.lines(),
            expected.map(|(level, text)| (level, text.to_owned()))
        );
    }

    #[test]
    fn both_streams_count_together() {
        let output = output(2 * PIECE + 10);
        output.add(Level::Debug, &[b'x'; 6]).expect("room");
        assert!(output.add(Level::Info, &[b'x'; 5]).is_err());
        output.add(Level::Info, &[b'x'; 4]).expect("room");
    }

    #[test]
    fn nothing_in_turn_is_not_for_ever() {
        let output = output(100 * PIECE);
        let streams = [Level::Debug, Level::Info].into_iter().cycle();
        let taken = streams.take_while(|level| output.add(*level, &[]).is_ok());
        assert_eq!(taken.take(1000).count(), 100);
    }
}
