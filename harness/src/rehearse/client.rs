//! The client under rehearsal: a process with everything that it starts, run until it ends or times out.
use std::fs::File;
use std::io::{self, PipeWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use slipway_scenarios::client::group::ProcessGroup;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe::Receiver;
use tokio::process::Command;
use tokio::time::timeout;

use super::RehearseError;
use crate::target::variables::SpawnError;
use crate::terminal::signals::{Recipient, Signals};

/// Most that is kept of the client's output in a run, in bytes.
const LARGEST_LOG: usize = 16 << 20;
/// The last line of a log that was longer.
const DROPPED: &str = "\nslipway: the client printed more than 16 MiB; the rest was dropped\n";
/// How long the output that a client has left may take to be read.
const REST_OF_LOG: Duration = Duration::from_secs(2);

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

/// The beginning of the client's output in a run; the rest is read and dropped.
struct Log {
    output: Receiver,
    file: File,
}

impl Log {
    /// Opens the file of a run; also returns the ends for the client's standard output and standard error.
    fn open(path: &Path) -> io::Result<(PipeWriter, PipeWriter, Self)> {
        let (output, writer) = io::pipe()?;
        let log = Self { output: Receiver::from_owned_fd(output.into())?, file: File::create(path)? };
        Ok((writer.try_clone()?, writer, log))
    }

    /// Reads to the end of the output.
    async fn keep(mut self) -> io::Result<()> {
        let (mut part, mut left) = (vec![0; 1 << 16], LARGEST_LOG);
        loop {
            let count = self.output.read(&mut part).await?;
            let kept = count.min(left);
            self.file.write_all(&part[..kept])?;
            if left > 0 && kept == left {
                self.file.write_all(DROPPED.as_bytes())?;
            }
            left -= kept;
            if count == 0 {
                return Ok(());
            }
        }
    }
}

/// The last bytes of a log.
pub(super) fn end_of_log(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    let mut end = Vec::new();
    file.take(most).read_to_end(&mut end)?;
    Ok(end)
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
        let log = self.logs.map(|folder| Log::open(&folder.join(log_name(name)))).transpose();
        let (output, errors, log): (Stdio, Stdio, _) =
            match log.map_err(|source| RehearseError::Log { source })? {
                Some((output, errors, log)) => (output.into(), errors.into(), Some(log)),
                None => (io::stderr().into(), Stdio::inherit(), None),
            };
        let mut command = Command::new(program);
        command
            .args(rest)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .process_group(0)
            .kill_on_drop(true);
        let mut child = command.spawn().map_err(failed)?;
        // The command has this process's ends of the log, without which the log ends with the client.
        drop(command);
        let group = ProcessGroup::of_child(&child).expect("a client that nobody has waited for has an id");
        let kept = log.map(|log| tokio::spawn(log.keep()));
        let ended = timeout(self.patience, signals.ended(&mut child, Recipient::Group(group.number()))).await;
        drop(group);
        if let Some(mut kept) = kept {
            match timeout(REST_OF_LOG, &mut kept).await {
                Ok(Ok(Err(source))) => return Err(RehearseError::Log { source }),
                Ok(_) => {}
                // A process that has left the group still has the log.
                Err(_) => kept.abort(),
            }
        }
        let Ok(ended) = ended else { return Ok(Some(Outcome::TimedOut(self.patience))) };
        let (status, is_interrupted) = ended.map_err(failed)?;
        let outcome = status.code().map(Outcome::Code);
        let outcome = outcome.unwrap_or_else(|| Outcome::Signal(status.signal().unwrap_or_default()));
        Ok((!is_interrupted).then_some(outcome))
    }
}
