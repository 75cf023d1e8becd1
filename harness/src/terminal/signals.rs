//! Signals to this process. While it runs a user's command, it forwards them, and ends after the command.
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

/// How long a command may take to end after a signal before it is killed.
const GRACE: Duration = Duration::from_secs(10);
/// A signal this soon after the first is the same one, received twice: from the terminal, and from a program that forwards it.
const REPEATED: Duration = Duration::from_millis(500);

/// The signals that ask this process to end.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: unix::Signal,
    terminate: unix::Signal,
    /// `None` if the process was started to outlive its terminal, for example by `nohup`.
    hangup: Option<unix::Signal>,
}

/// The recipient of signals for a command.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Recipient {
    /// Its process alone: it shares this process's group, which the terminal reads from.
    Process(Pid),
    /// Its group, like signals of a terminal.
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

    /// Waits until a command has ended, and forwards every signal to it; kills it on the second one, or if it does not end in time after
    /// the first. Also returns whether there was a signal.
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
    /// Prepares a command and returns its recipient once it is started. In the foreground of a terminal the command stays in this process's
    /// group, so that it can read from the terminal and be stopped there; otherwise it gets its own group.
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

    /// Whether the terminal has already sent the signal to the command.
    fn has_already(self, signal: Signal) -> bool {
        matches!(self, Self::Process(_)) && signal == Signal::INT
    }

    /// Sends a signal; does nothing if the command has ended.
    pub(crate) fn send(self, signal: Signal) {
        let _ = match self {
            Self::Process(pid) => kill_process(pid, signal),
            Self::Group(pid) => kill_process_group(pid, signal),
        };
    }

    /// Asks a command that has lost its platform to end, and kills it if it does not.
    pub(crate) async fn end(self, child: &mut Child) {
        self.send(Signal::TERM);
        if tokio::time::timeout(GRACE, child.wait()).await.is_err() {
            self.send(Signal::KILL);
        }
    }
}

/// Whether the process was started with hang-ups ignored; it must then keep them ignored for its command.
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    mask >> (SignalKind::hangup().as_raw_value() - 1) & 1 == 1
}

/// Resolves when the user or the system asks this process to stop; listens from the call on, not from the first poll, so that no signal is
/// lost while the work begins.
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

/// The result of the work; `None` if this process is asked to stop first.
pub(crate) async fn unless_stopped<T>(
    stop: Pin<&mut impl Future<Output = ()>>,
    work: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        ended = work => Some(ended),
        () = stop => None,
    }
}
