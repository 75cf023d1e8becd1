//! Processes that are measured from outside: this program in its other roles, ended with their handles.
use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;
use slipway_sim::{Config, Platform};
use tokio::runtime;

/// Why a measurement could not be made.
pub type Failure = Box<dyn Error + Send + Sync>;

/// Runs a task on a separate runtime.
pub fn run(
    builder: &mut runtime::Builder,
    task: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    builder.enable_all().build()?.block_on(task)
}

/// Prints a line to the standard output.
pub fn print_line(line: &str) {
    // The reader has closed the pipe.
    drop(writeln!(std::io::stdout(), "{line}"));
}

/// Serves a platform as the command does, until the input ends; prints its addresses and the process ids of its nodes.
pub async fn serve_platform(config: Config) -> Result<(), Failure> {
    let platform = Platform::start(config).await?;
    print_line(&json!({ "ready": platform.ready(), "nodes": platform.node_pids() }).to_string());
    until_eof().await?;
    platform.stop().await;
    Ok(())
}

/// Waits until the standard input ends.
pub async fn until_eof() -> Result<(), Failure> {
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}

/// A process of this program in another role, killed when dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    /// The first line that it printed.
    pub said: String,
}

impl Server {
    /// Starts this program in a role, and waits for its first line.
    pub fn start(role: &str) -> Result<Self, Failure> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(role)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or("a child without output")?;
        let mut said = String::new();
        BufReader::new(output).read_line(&mut said)?;
        Ok(Self { child, said: said.trim().to_owned() })
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().ok();
    }
}

/// The median of some figures.
#[must_use]
pub fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The processor time of each thread of a process, by thread id.
#[derive(Clone, Debug)]
pub struct ProcessorTime(BTreeMap<u32, Duration>);

impl ProcessorTime {
    /// The processor time that the threads of a process have used so far.
    pub fn of(pid: u32) -> Result<Self, Failure> {
        let mut threads = BTreeMap::new();
        for task in std::fs::read_dir(format!("/proc/{pid}/task"))? {
            let task = task?;
            // A thread may end meanwhile.
            let Ok(text) = std::fs::read_to_string(task.path().join("schedstat")) else { continue };
            let nanoseconds = text.split(' ').next().unwrap_or_default().parse()?;
            threads.insert(task.file_name().to_string_lossy().parse()?, Duration::from_nanos(nanoseconds));
        }
        Ok(Self(threads))
    }

    /// The time used since an earlier reading, without threads that have ended since.
    #[must_use]
    pub fn since(&self, before: &Self) -> Duration {
        let spent = |(thread, time): (&u32, &Duration)| {
            time.saturating_sub(before.0.get(thread).copied().unwrap_or_default())
        };
        self.0.iter().map(spent).sum()
    }
}

/// Resident memory of a process, each shared page divided among its users, in KiB.
pub fn memory(pid: u32) -> Result<u64, Failure> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:")?.split_whitespace().next());
    Ok(line.ok_or("a process without memory")?.parse()?)
}
