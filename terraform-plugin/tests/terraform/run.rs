//! Runs of terraform, each with a time limit.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

const TIME_LIMIT: Duration = Duration::from_secs(60);

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

    /// What terraform says, without its frames and line breaks.
    pub(crate) fn said(&self) -> String {
        let all = format!("{}{}", self.stdout, self.stderr);
        all.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// A program that runs, in a process group of its own, as at a terminal.
pub(crate) struct Running {
    child: Child,
    _limit: Sender<()>,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", command.get_program().display()));
        let _limit = limit_time(&child);
        Self { child, _limit }
    }

    /// Ctrl-C: to the whole group.
    pub(crate) fn interrupt(&self) {
        kill_process_group(Pid::from_child(&self.child), Signal::INT).expect("a group");
    }

    /// The program alone, without a chance to clean up.
    pub(crate) fn kill(&self) {
        kill_process(Pid::from_child(&self.child), Signal::KILL).expect("a process");
    }

    /// Closes the terminal: to the whole group.
    pub(crate) fn hang_up(&self) {
        kill_process_group(Pid::from_child(&self.child), Signal::HUP).expect("a group");
    }

    pub(crate) fn finish(self) -> Run {
        let output = self.child.wait_with_output().expect("the program ends");
        Run {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
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
