//! The client under rehearsal: a process with everything that it starts, run until it ends or times out.
use std::fs::File;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Command;
use tokio::time::timeout;

use super::RehearseError;
use crate::target::variables::SpawnError;
use crate::terminal::signals::{Recipient, Signals};

/// How a run of the client ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Code(i32),
    Signal(i32),
    /// It was killed after this time.
    TimedOut(Duration),
}

pub(super) struct Client<'a> {
    pub(super) words: &'a [String],
    pub(super) variables: Vec<(String, String)>,
    pub(super) patience: Duration,
    /// Folder of the client's output, one file per run; `None` if it goes to standard error.
    pub(super) logs: Option<&'a Path>,
}

/// The name of the file with the client's output of a run.
pub(super) fn log_name(run: &str) -> String {
    format!("{run}.log")
}

/// A group of processes, killed when dropped.
struct Group(Pid);

impl Drop for Group {
    fn drop(&mut self) {
        // Usually the group has already ended.
        _ = kill_process_group(self.0, Signal::KILL);
    }
}

impl Client<'_> {
    /// Runs it once; `None` if a signal to this process, which is forwarded, ended it. The output goes to the run's file or to standard
    /// error, since standard output is for the report.
    pub(super) async fn run(
        &self,
        name: &str,
        signals: &mut Signals,
    ) -> Result<Option<Outcome>, RehearseError> {
        let (program, rest) = self.words.split_first().expect("the command line demands at least one word");
        let failed = |source| SpawnError { program: program.clone(), source };
        let (output, errors): (Stdio, Stdio) = match self.logs {
            Some(folder) => {
                let log = |source| RehearseError::Log { source };
                let file = File::create(folder.join(log_name(name))).map_err(log)?;
                (file.try_clone().map_err(log)?.into(), file.into())
            }
            None => (std::io::stderr().into(), Stdio::inherit()),
        };
        let mut child = Command::new(program)
            .args(rest)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        let id = id.and_then(Pid::from_raw).expect("a client that nobody has waited for has an id");
        let _group = Group(id);
        let Ok(ended) = timeout(self.patience, signals.ended(&mut child, Recipient::Group(id))).await else {
            return Ok(Some(Outcome::TimedOut(self.patience)));
        };
        let (status, is_interrupted) = ended.map_err(failed)?;
        let outcome = status.code().map(Outcome::Code);
        let outcome = outcome.unwrap_or_else(|| Outcome::Signal(status.signal().unwrap_or_default()));
        Ok((!is_interrupted).then_some(outcome))
    }
}
