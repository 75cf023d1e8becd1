//! Runs the program under test; its children end with it.
use std::fmt::Display;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_slipway"));
    command.args(arguments).stdin(Stdio::null());
    command
}

pub(crate) fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// Runs to the end and checks the exit code; shows the output if it differs.
pub(crate) fn expect_code(arguments: &[&str], code: i32) -> Output {
    let output = run(arguments);
    assert_eq!(
        output.status.code(),
        Some(code),
        "slipway {arguments:?}\n--- stdout\n{}\n--- stderr\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Runs any program to success; shows its output otherwise.
pub(crate) fn succeeds(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n--- stdout\n{}\n--- stderr\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

pub(crate) fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The rows of `slipway explain --list` for this kind.
pub(crate) fn list(kind: &str) -> Vec<Value> {
    json(&expect_code(&["explain", "--list", kind, "--json"], 0)).as_array().unwrap().clone()
}

/// Whether a process still runs and is not a zombie.
pub(crate) fn lives(pid: impl Display) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with('Z'))
}

/// Waits for the end of a process that was killed: on a busy machine it comes a while after the signal.
pub(crate) fn ends(pid: impl Display) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while lives(&pid) {
        assert!(Instant::now() < deadline, "process {pid} is still running");
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub(crate) fn signal(child: &Child, which: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, which).unwrap();
}

/// A running program that has printed its first line; killed when dropped.
pub(crate) struct Running {
    child: Child,
    reader: BufReader<std::process::ChildStdout>,
    pub(crate) first_line: String,
}

impl Running {
    pub(crate) fn start(arguments: &[&str], stdin: Stdio) -> Self {
        Self::spawn(command(arguments), stdin)
    }

    pub(crate) fn spawn(mut command: Command, stdin: Stdio) -> Self {
        let mut child = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        let mut first_line = String::new();
        reader.read_line(&mut first_line).unwrap();
        Self { child, reader, first_line }
    }

    /// A platform on free ports, with further options.
    pub(crate) fn up(options: &[&str]) -> Self {
        Self::start(&[&["up", "--json", "--port", "0"], options].concat(), Stdio::null())
    }

    /// A platform on free ports that runs until its standard input is closed.
    pub(crate) fn up_until_eof(options: &[&str]) -> Self {
        Self::start(&[&["up", "--json", "--port", "0", "--until-eof"], options].concat(), Stdio::piped())
    }

    pub(crate) fn ready(&self) -> Value {
        serde_json::from_str(&self.first_line)
            .unwrap_or_else(|error| panic!("{error}: {:?}", self.first_line))
    }

    /// The next line of its output.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        line
    }

    pub(crate) fn signal(&self, which: Signal) {
        signal(&self.child, which);
    }

    /// Limits the size of the files that it writes, in bytes (`ulimit -f`).
    #[cfg(target_os = "linux")]
    pub(crate) fn limit_files(&self, most: Option<u64>) {
        use rustix::process::{Resource, Rlimit, getrlimit, prlimit};
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap());
        let maximum = getrlimit(Resource::Fsize).maximum;
        prlimit(pid, Resource::Fsize, Rlimit { current: most, maximum }).unwrap();
    }

    pub(crate) fn close_stdin(&mut self) {
        drop(self.child.stdin.take());
    }

    /// The rest of its output, and its exit status.
    pub(crate) fn end(mut self) -> (String, ExitStatus) {
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.reader, &mut rest).unwrap();
        (rest, self.child.wait().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself, which is no error here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
