//! The server's process: started, tied to this one, and signalled with it.
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;

use super::environment::Environment;
use super::{WrapperError, WrapperOptions};

/// Kills the server's process group when this process ends without a word. Its first input line is the group.
const WATCHER: &str = r#"read -r group && { read -r _ || kill -9 -"$group"; } 2>/dev/null"#;

/// A running server.
pub(super) struct Server {
    child: Child,
    watcher: Option<Child>,
}

/// Replaces this process with the server, which inherits everything this process has.
pub(super) fn become_server(options: &WrapperOptions) -> WrapperError {
    let source = std::process::Command::new(&options.program).args(&options.arguments).exec();
    WrapperError::Start { program: options.program.clone(), source }
}

impl Server {
    /// Starts the server in this environment, with its input and output in pipes.
    pub(super) async fn start(
        options: &WrapperOptions,
        environment: &Environment,
    ) -> Result<Self, WrapperError> {
        let failed = |source| WrapperError::Start { program: options.program.clone(), source };
        let mut command = Command::new(&options.program);
        command
            .args(&options.arguments)
            .env_clear()
            .envs(&environment.values)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        command.process_group(0);
        let mut watcher = watcher();
        let child = command.spawn().map_err(failed)?;
        if let (Some(leash), Some(group)) =
            (watcher.as_mut().and_then(|watcher| watcher.stdin.as_mut()), child.id())
        {
            leash.write_all(format!("{group}\n").as_bytes()).await.map_err(failed)?;
        }
        Ok(Self { child, watcher })
    }

    /// Its input and output; may be taken once.
    pub(super) fn streams(&mut self) -> (ChildStdin, ChildStdout) {
        let input = self.child.stdin.take().expect("the input is piped");
        let output = self.child.stdout.take().expect("the output is piped");
        (input, output)
    }

    /// Waits until it ends, and forwards signals until then.
    pub(super) async fn ended(mut self) -> Result<i32, std::io::Error> {
        let signals = hand_on_signals(self.child.id());
        let status = self.child.wait().await;
        drop(signals);
        if let Some(mut leash) = self.watcher.as_mut().and_then(|watcher| watcher.stdin.take()) {
            // A watcher that has ended needs no message.
            drop(leash.write_all(b"ended\n").await);
        }
        status.map(exit_code)
    }
}

/// Starts the watcher, if there is a shell to run it.
fn watcher() -> Option<Child> {
    let mut command = Command::new("sh");
    command.args(["-c", WATCHER]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command.process_group(0);
    command.spawn().ok()
}

fn exit_code(status: ExitStatus) -> i32 {
    status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(1)
}

/// Forwards termination signals until the result is dropped.
fn hand_on_signals(server: Option<u32>) -> JoinSet<()> {
    let mut handing = JoinSet::new();
    let Some(server) = server.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw) else {
        return handing;
    };
    for (kind, sent) in [
        (SignalKind::terminate(), Signal::TERM),
        (SignalKind::interrupt(), Signal::INT),
        (SignalKind::hangup(), Signal::HUP),
        (SignalKind::quit(), Signal::QUIT),
    ] {
        let Ok(mut received) = signal(kind) else { continue };
        handing.spawn(async move {
            while received.recv().await.is_some() {
                // A server that has just ended needs no signal.
                let _ = kill_process(server, sent);
            }
        });
    }
    handing
}
