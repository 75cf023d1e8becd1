//! Signals to this process. While it runs a command of the user, they go to the command, and this process ends after it.
use std::future::pending;
use std::io;
use std::pin::Pin;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, getpgrp, kill_process, kill_process_group};
use rustix::termios::tcgetpgrp;
use tokio::process::{Child, Command};
use tokio::signal::unix::{self, SignalKind, signal};
use tokio::time::{Instant, sleep_until};

/// How long a command may take to end after a signal; then it is killed.
const GRACE: Duration = Duration::from_secs(10);
/// A signal so soon after the first is the same one, which came by two ways: from the terminal, and from a program that passes it on.
const REPEATED: Duration = Duration::from_millis(500);

/// The signals that ask this process to end.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: unix::Signal,
    terminate: unix::Signal,
    /// Absent where the process was started to outlive its terminal, as by `nohup`.
    hangup: Option<unix::Signal>,
}

/// Where the signals for a command go.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Recipient {
    /// To its process alone: it shares this process's group, which the terminal reads from.
    Process(Pid),
    /// To its group, as a terminal would send them.
    Group(Pid),
}

impl Signals {
    /// Listens from now on.
    pub(crate) fn listen() -> io::Result<Self> {
        let hangup = if is_hangup_ignored() { None } else { Some(signal(SignalKind::hangup())?) };
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup,
        })
    }

    /// The next signal.
    pub(crate) async fn next(&mut self) -> Signal {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => Signal::INT,
            _ = self.terminate.recv() => Signal::TERM,
            _ = hangup => Signal::HUP,
        }
    }

    /// Waits until a command has ended, and passes every signal on to it; kills it at the second one, or when it does not end in time
    /// after the first. Also says whether there was one.
    pub(crate) async fn ended(
        &mut self,
        child: &mut Child,
        recipient: Recipient,
    ) -> io::Result<(ExitStatus, bool)> {
        let mut first: Option<Instant> = None;
        let mut is_killed = false;
        loop {
            let last = first.map(|first| first + GRACE).filter(|_| !is_killed);
            let late = async {
                match last {
                    Some(last) => sleep_until(last).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                status = child.wait() => return status.map(|status| (status, first.is_some())),
                signal = self.next() => match first {
                    _ if recipient.has_already(signal) => {}
                    None => {
                        first = Some(Instant::now());
                        recipient.send(signal);
                    }
                    Some(first) if first.elapsed() < REPEATED => {}
                    Some(_) => {
                        is_killed = true;
                        recipient.send(Signal::KILL);
                    }
                },
                () = late => {
                    is_killed = true;
                    recipient.send(Signal::KILL);
                }
            }
        }
    }
}

impl Recipient {
    /// Of a command that is about to be started. In the foreground of a terminal it stays in this process's group, so that it can read
    /// from the terminal and be stopped there; elsewhere it gets its own.
    pub(crate) fn prepare(command: &mut Command) -> impl FnOnce(&Child) -> Option<Self> + use<> {
        let is_in_foreground = tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp());
        if !is_in_foreground {
            command.process_group(0);
        }
        move |child| {
            let pid = Pid::from_raw(child.id()?.try_into().ok()?)?;
            Some(if is_in_foreground { Self::Process(pid) } else { Self::Group(pid) })
        }
    }

    /// Whether the terminal has sent a signal to the command too.
    fn has_already(self, signal: Signal) -> bool {
        matches!(self, Self::Process(_)) && signal == Signal::INT
    }

    /// Sends a signal; a command that has ended gets none.
    pub(crate) fn send(self, signal: Signal) {
        let _ = match self {
            Self::Process(pid) => kill_process(pid, signal),
            Self::Group(pid) => kill_process_group(pid, signal),
        };
    }

    /// Asks a command to end because it has lost its platform, and kills it when it does not.
    pub(crate) async fn end(self, child: &mut Child) {
        self.send(Signal::TERM);
        if tokio::time::timeout(GRACE, child.wait()).await.is_err() {
            self.send(Signal::KILL);
        }
    }
}

/// Whether the process was started with hang-ups ignored, which it then must not undo for its command.
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    mask >> (SignalKind::hangup().as_raw_value() - 1) & 1 == 1
}

/// Resolves when the user or the system asks this process to stop; listens from the call on, not from the first poll, so that
/// no request is lost while the work begins.
pub(crate) fn shutdown_signal() -> impl Future<Output = ()> {
    let listeners = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    async {
        let (Ok(mut interrupt), Ok(mut terminate)) = listeners else {
            // Without handlers the signals keep their default effect: the process ends, and its children with it.
            return pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }
}

/// What the work comes to; none where this process is asked to stop first.
pub(crate) async fn unless_stopped<T>(
    stop: Pin<&mut impl Future<Output = ()>>,
    work: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        ended = work => Some(ended),
        () = stop => None,
    }
}
