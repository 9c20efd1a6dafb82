//! Talking to a program over its three pipes at once, until a deadline: it may
//! read late, write early, never end, or leave children that hold the pipes.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use zeroize::Zeroizing;

use super::request::Request;

/// The longest header line, in bytes.
const MAXIMUM_HEADER_LENGTH: usize = 4 << 10;

/// How much is read at once, in bytes.
const PIECE: usize = 64 << 10;

/// How much of standard error is kept, in bytes.
const MAXIMUM_STDERR: usize = 64 << 10;

/// How often a program that says nothing is looked at.
const INTERVAL: Duration = Duration::from_millis(20);

/// Why a conversation did not come to its end.
pub(super) enum Interrupted {
    Deadline,
    TooLong,
    /// The header is wrong.
    Breach(&'static str),
    Pipe(io::Error),
}

impl From<io::Error> for Interrupted {
    fn from(error: io::Error) -> Self {
        Self::Pipe(error)
    }
}

/// What a program said.
pub(super) struct Heard<C> {
    output: Zeroizing<Vec<u8>>,
    errors: Vec<u8>,
    maximum: usize,
    /// What is wrong with a header line, if anything.
    check: C,
    /// Where the answer begins, once the header is there.
    body: Option<usize>,
}

impl<C: Fn(&[u8]) -> Option<&'static str>> Heard<C> {
    pub(super) fn new(maximum: usize, check: C) -> Self {
        Self {
            output: Zeroizing::default(),
            errors: Vec::new(),
            maximum,
            check,
            body: None,
        }
    }

    /// What came after the header line.
    pub(super) fn body(&self) -> Option<&[u8]> {
        self.output.get(self.body?..)
    }

    /// The beginning of standard error.
    pub(super) fn stderr(&self) -> &[u8] {
        &self.errors
    }

    fn output(&mut self, bytes: &[u8]) -> Result<(), Interrupted> {
        if self.output.len() + bytes.len() > self.maximum {
            return Err(Interrupted::TooLong);
        }
        append(&mut self.output, bytes);
        if self.body.is_none() {
            let start = &self.output[..self.output.len().min(MAXIMUM_HEADER_LENGTH)];
            match memchr::memchr(b'\n', start) {
                Some(end) => {
                    if let Some(breach) = (self.check)(&start[..end]) {
                        return Err(Interrupted::Breach(breach));
                    }
                    self.body = Some(end + 1);
                }
                None if start.len() == MAXIMUM_HEADER_LENGTH => {
                    return Err(Interrupted::Breach("its first line is too long"));
                }
                None => {}
            }
        }
        Ok(())
    }

    fn error(&mut self, bytes: &[u8]) {
        let space = MAXIMUM_STDERR - self.errors.len();
        self.errors
            .extend_from_slice(&bytes[..bytes.len().min(space)]);
    }
}

/// Appends, and wipes what is left behind when the buffer moves.
fn append(buffer: &mut Zeroizing<Vec<u8>>, bytes: &[u8]) {
    let length = buffer.len() + bytes.len();
    if length > buffer.capacity() {
        let mut larger = Zeroizing::new(Vec::with_capacity(length.max(2 * buffer.capacity())));
        larger.extend_from_slice(buffer);
        *buffer = larger;
    }
    buffer.extend_from_slice(bytes);
}

/// Sends the request and hears the answer, until the program closes its output,
/// or ends and leaves that to a child.
pub(super) fn hold<C: Fn(&[u8]) -> Option<&'static str>>(
    child: &mut Child,
    mut request: Request<'_>,
    heard: &mut Heard<C>,
    deadline: Instant,
) -> Result<(), Interrupted> {
    let mut input = child.stdin.take();
    let mut output = child.stdout.take();
    let mut errors = child.stderr.take();
    for pipe in [
        input.as_ref().map(AsFd::as_fd),
        output.as_ref().map(AsFd::as_fd),
        errors.as_ref().map(AsFd::as_fd),
    ]
    .into_iter()
    .flatten()
    {
        let flags = fcntl_getfl(pipe).map_err(io::Error::from)?;
        fcntl_setfl(pipe, flags | OFlags::NONBLOCK).map_err(io::Error::from)?;
    }
    let mut piece = Zeroizing::new(vec![0; PIECE]);
    let mut has_ended = false;
    while output.is_some() || errors.is_some() {
        let is_busy = wait(&input, &output, &errors, deadline)?;
        let mut has_answered = false;
        if is_busy {
            if let Some(pipe) = &mut input
                && !send(pipe, &mut request)?
            {
                input = None;
            }
            if let Some(pipe) = &mut errors {
                match read(pipe, &mut piece)? {
                    Some(0) => errors = None,
                    Some(length) => heard.error(&piece[..length]),
                    None => {}
                }
            }
            if let Some(pipe) = &mut output {
                match read(pipe, &mut piece)? {
                    Some(0) => output = None,
                    Some(length) => {
                        heard.output(&piece[..length])?;
                        has_answered = true;
                    }
                    None => {}
                }
            }
        }
        // What it wrote before its end is read by then, whatever a child that it
        // left behind goes on to write to standard error.
        if has_ended && !has_answered {
            break;
        }
        has_ended = child.try_wait()?.is_some();
    }
    Ok(())
}

/// Waits a while, and says whether there is something to do.
fn wait(
    input: &Option<impl AsFd>,
    output: &Option<impl AsFd>,
    errors: &Option<impl AsFd>,
    deadline: Instant,
) -> Result<bool, Interrupted> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left == Duration::ZERO {
        return Err(Interrupted::Deadline);
    }
    let mut pipes = Vec::new();
    pipes.extend(input.iter().map(|pipe| PollFd::new(pipe, PollFlags::OUT)));
    pipes.extend(output.iter().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
    pipes.extend(errors.iter().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
    let left = Timespec::try_from(left.min(INTERVAL)).ok();
    match poll(&mut pipes, left.as_ref()) {
        Ok(0) => Ok(false),
        // The pipes do not block: where there is nothing, nothing is read.
        Ok(_) | Err(Errno::INTR) => Ok(true),
        Err(error) => Err(io::Error::from(error).into()),
    }
}

/// Sends what the pipe takes, and says whether there is more. A program need not
/// read all of it.
fn send(pipe: &mut impl Write, request: &mut Request<'_>) -> io::Result<bool> {
    loop {
        let next = request.next();
        if next.is_empty() {
            return Ok(false);
        }
        match pipe.write(next) {
            Ok(length) => request.advance(length),
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock => return Ok(true),
                ErrorKind::Interrupted => {}
                ErrorKind::BrokenPipe => return Ok(false),
                _ => return Err(error),
            },
        }
    }
}

/// Reads what there is: nothing where there is nothing yet.
fn read(pipe: &mut impl Read, piece: &mut [u8]) -> io::Result<Option<usize>> {
    match pipe.read(piece) {
        Ok(length) => Ok(Some(length)),
        Err(error) => match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::Interrupted => Ok(None),
            _ => Err(error),
        },
    }
}
