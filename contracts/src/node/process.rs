//! The process behind a node, its watchdog and its output. Leaves out JSON-RPC.

use std::collections::VecDeque;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anstream::adapter::strip_str;
use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio::time::timeout;

use super::{NodeError, NodeExit};
use crate::ChainId;

/// The watchdog: it starts anvil, and waits for the end of its own input. It closes its output first, so that the output ends when
/// anvil exits. The process that becomes anvil prints its own process id, alone on the first line.
const WATCHDOG: &str = r#"
anvil=$1
shift
/bin/sh -c 'echo "pid $$"; exec "$0" "$@"' "$anvil" "$@" </dev/null 2>&1 &
child=$!
exec >/dev/null
read -r _
kill -9 "$child" 2>/dev/null
wait "$child" 2>/dev/null
"#;

/// How long a node may take to start listening; a busy machine needs far longer than the usual thirtieth of a second.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// How many lines of output are kept for error messages.
const KEPT_LINES: usize = 40;
/// Anvil prints this before the address it listens on.
const LISTENING: &str = "Listening on ";

/// The pipe that ends the node when it closes: when the last owner drops it, or any owner releases it.
#[derive(Clone, Debug)]
pub(super) struct WatchdogPipe(Arc<Mutex<Option<ChildStdin>>>);

impl WatchdogPipe {
    /// Ends the node.
    pub(super) fn release(&self) {
        self.0.lock().take();
    }
}

/// How the allocator of the published anvil, jemalloc, returns memory: reading a state leaves a fifth of what it took unused, and an idle
/// node would keep that. Returning it at once, not after 100 ms, costs a fifth of the node's processor time.
const ALLOCATOR: (&str, &str) = (
    "_RJEM_MALLOC_CONF",
    "narenas:1,dirty_decay_ms:100,muzzy_decay_ms:0,background_thread:true,max_background_threads:1",
);

/// A process that is listening.
pub(super) struct StartedProcess {
    pub(super) pid: u32,
    pub(super) address: String,
    pub(super) exit: watch::Receiver<Option<NodeExit>>,
    pub(super) watchdog: WatchdogPipe,
}

impl Drop for super::Node {
    fn drop(&mut self) {
        self.watchdog.release();
    }
}

/// Starts anvil behind a watchdog and waits until it listens.
pub(super) async fn start(
    chain: ChainId,
    anvil: &Path,
    arguments: &[String],
) -> Result<StartedProcess, NodeError> {
    let not_started = |source| NodeError::NotStarted { chain, source };
    // As system(3) finds it, whatever PATH is.
    let mut command = Command::new("/bin/sh");
    if std::env::current_dir().is_err() {
        // The folder was removed, of which a shell would warn on the line that has the process id.
        command.current_dir("/");
    }
    command
        .args(["-c", WATCHDOG, "slipway-node"])
        .arg(anvil)
        .args(arguments)
        .env(ALLOCATOR.0, ALLOCATOR.1)
        // The last output then has the reason of an abort, not the end of its backtrace.
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    // A separate process group: an interrupt from the terminal goes to the platform, which then stops its nodes in order.
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn().map_err(not_started)?;
    let watchdog = WatchdogPipe(Arc::new(Mutex::new(child.stdin.take())));
    let output = child.stdout.take().expect("the output is piped");
    let mut lines = OutputLines { lines: BufReader::new(output).lines(), last: VecDeque::new() };
    let announced = timeout(START_TIMEOUT, lines.announcement()).await;
    let (sender, exit) = watch::channel(None);
    let (pid, address) = match announced {
        Ok(Some(announced)) => announced,
        Ok(None) => {
            watchdog.release();
            return Err(exit_report(chain, child, lines).await.into());
        }
        Err(_) => {
            return Err(NodeError::StartTimeout {
                chain,
                seconds: START_TIMEOUT.as_secs(),
                last_output: lines.last.into(),
            });
        }
    };
    let own_watchdog = watchdog.clone();
    tokio::spawn(async move {
        let mut child = child;
        tokio::select! {
            () = lines.drain() => {}
            // The watchdog never exits before anvil unless it is killed; then anvil must not be left running.
            _ = child.wait() => kill(pid),
        }
        own_watchdog.release();
        let exit = exit_report(chain, child, lines).await;
        tracing::debug!(%chain, status = exit.status, "node ended");
        sender.send_replace(Some(exit));
    });
    Ok(StartedProcess { pid, address, exit, watchdog })
}

/// Waits until the node has exited.
pub(super) async fn exit(mut exit: watch::Receiver<Option<NodeExit>>, chain: ChainId) -> NodeExit {
    match exit.wait_for(Option::is_some).await {
        Ok(exit) => exit.clone().expect("the condition was that it is some"),
        // The runtime that watched the process has ended, and has killed the process.
        Err(_) => NodeExit { chain, status: "its watchdog is gone".to_owned(), last_output: Vec::new() },
    }
}

async fn exit_report(chain: ChainId, mut child: Child, mut lines: OutputLines) -> NodeExit {
    lines.drain().await;
    let status = match child.wait().await {
        Ok(status) => describe(status),
        Err(source) => source.to_string(),
    };
    NodeExit { chain, status, last_output: lines.last.into() }
}

/// The watchdog exits with anvil's code, or with 128 plus the number of the signal that killed it.
fn describe(status: ExitStatus) -> String {
    match status.code() {
        Some(code) if code > 128 => format!("signal {}", code - 128),
        Some(code) => format!("exit code {code}"),
        None => "its watchdog was killed".to_owned(),
    }
}

fn kill(pid: u32) {
    let process = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(process) = process {
        // The process may already have exited.
        let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
    }
}

/// The output of anvil.
struct OutputLines {
    lines: Lines<BufReader<ChildStdout>>,
    last: VecDeque<String>,
}

impl OutputLines {
    /// The process id and the address; `None` if the output ends before both are known.
    async fn announcement(&mut self) -> Option<(u32, String)> {
        let first = self.next().await?;
        let pid = first.strip_prefix("pid ")?.parse().ok()?;
        self.last.clear();
        while let Some(line) = self.next().await {
            if let Some(address) = line.strip_prefix(LISTENING) {
                // The output so far is a banner with the development keys.
                self.last.clear();
                return Some((pid, address.trim().to_owned()));
            }
        }
        None
    }

    async fn drain(&mut self) {
        while self.next().await.is_some() {}
    }

    async fn next(&mut self) -> Option<String> {
        let line = self.lines.next_line().await.ok().flatten()?;
        let line = strip_str(&line).to_string();
        if self.last.len() == KEPT_LINES {
            self.last.pop_front();
        }
        self.last.push_back(line.clone());
        Some(line)
    }
}
