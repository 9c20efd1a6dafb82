//! Runs of a program, each with a time limit.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

const TIME_LIMIT: Duration = Duration::from_secs(60);

/// How terraform ends each question.
const PROMPT: &str = "Enter a value:";

/// What a run did. Without a code, a signal ended it.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    #[track_caller]
    pub(crate) fn expect_success(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Not the time limit: an exit with a code.
    #[track_caller]
    pub(crate) fn expect_failure(self) -> Self {
        assert!(self.code.is_some_and(|code| code != 0), "{self:?}");
        self
    }
}

/// Runs a program that reads `input`.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Run {
    let mut child = spawn(command);
    let _limit = limit_time(&child);
    let mut stdin = child.stdin.take().expect("stdin");
    let input = input.to_vec();
    // A program that does not read all of it closes the pipe: that is its right.
    thread::spawn(move || stdin.write_all(&input).is_ok());
    finish(child, Vec::new())
}

/// Runs a program that asks questions. Each answer waits for its prompt, since
/// terraform drops what it has read past the line that it wanted.
pub(crate) fn converse(command: &mut Command, answers: &[&str]) -> Run {
    let mut child = spawn(command);
    let _limit = limit_time(&child);
    let mut stdin = child.stdin.take().expect("stdin");
    let mut stdout = child.stdout.take().expect("stdout");
    let mut said = Vec::new();
    for (number, answer) in answers.iter().enumerate() {
        if !read_until_prompt(&mut stdout, &mut said, number + 1) {
            break;
        }
        // A program that has ended meanwhile shows why on stderr.
        writeln!(stdin, "{answer}").ok();
    }
    drop(stdin);
    stdout.read_to_end(&mut said).expect("stdout");
    finish(child, said)
}

/// Whether the program has asked `questions` times before it closed its output.
fn read_until_prompt(stdout: &mut impl Read, said: &mut Vec<u8>, questions: usize) -> bool {
    let mut piece = [0; 1024];
    while String::from_utf8_lossy(said).matches(PROMPT).count() < questions {
        let length = stdout.read(&mut piece).expect("stdout");
        if length == 0 {
            return false;
        }
        said.extend_from_slice(&piece[..length]);
    }
    true
}

fn spawn(command: &mut Command) -> Child {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap_or_else(|error| panic!("{}: {error}", command.get_program().display()))
}

/// Kills the program and its children at the limit, unless the result is dropped
/// before: a child that lives on would keep the pipes open.
fn limit_time(child: &Child) -> Sender<()> {
    let group = Pid::from_child(child);
    let (running, ended) = channel();
    thread::spawn(move || {
        if ended.recv_timeout(TIME_LIMIT) == Err(RecvTimeoutError::Timeout) {
            kill_process_group(group, Signal::KILL).ok();
        }
    });
    running
}

fn finish(child: Child, mut said: Vec<u8>) -> Run {
    let output = child.wait_with_output().expect("the program ends");
    said.extend_from_slice(&output.stdout);
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(said).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}
