//! Signals to this process. While it runs a user's command, it forwards them, and ends after the command.
use std::future::{pending, poll_fn};
use std::io;
use std::pin::Pin;
use std::process::ExitStatus;
use std::task::Poll;
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

/// The signals that ask a process to end.
const ENDING: [Signal; 4] = [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT];
/// The other signals from outside that end a process unless it has another use for them.
const OTHERS: [Signal; 8] = [
    Signal::USR1,
    Signal::USR2,
    Signal::ALARM,
    Signal::VTALARM,
    Signal::PROF,
    Signal::IO,
    Signal::POWER,
    Signal::XCPU,
];

/// The signals to this process that are for the command.
#[derive(Debug)]
pub(crate) struct Signals {
    listeners: Vec<(Signal, unix::Signal)>,
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
    /// Listens from now on. Signals that were ignored at the start, for example by `nohup`, stay ignored.
    pub(crate) fn listen() -> io::Result<Self> {
        Self::of(ENDING.into_iter().chain(OTHERS), ignored().unwrap_or_default())
    }

    fn of(signals: impl Iterator<Item = Signal>, ignored: u64) -> io::Result<Self> {
        let is_kept =
            |signal: &Signal| [Signal::INT, Signal::TERM].contains(signal) || ignored & bit(*signal) == 0;
        let listeners =
            signals.filter(is_kept).map(|heard| Ok((heard, signal(SignalKind::from_raw(heard.as_raw()))?)));
        Ok(Self { listeners: listeners.collect::<io::Result<_>>()? })
    }

    /// The next signal.
    async fn next(&mut self) -> Signal {
        poll_fn(|context| {
            for (signal, listener) in &mut self.listeners {
                if listener.poll_recv(context) == Poll::Ready(Some(())) {
                    return Poll::Ready(*signal);
                }
            }
            Poll::Pending
        })
        .await
    }

    /// Resolves at the next signal that asks this process to end.
    pub(crate) async fn asked_to_end(&mut self) {
        while !ENDING.contains(&self.next().await) {}
    }

    /// Waits until a command has ended, and forwards every signal to it; kills it on the second one that asks it to end, or if it does not
    /// end in time after the first. Also returns whether there was such a signal.
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
                    _ if !ENDING.contains(&signal) => recipient.send(signal),
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
        matches!(self, Self::Process(_)) && [Signal::INT, Signal::QUIT].contains(&signal)
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

/// From now on, a write beyond the limit of a file's size (`ulimit -f`) fails like one to a full disk; by default its signal ends the process.
/// Programs that this process starts have the default.
pub(crate) fn outlive_file_limit() -> io::Result<()> {
    Signals::of([Signal::XFSZ].into_iter(), ignored().unwrap_or_default()).map(drop)
}

/// The signals that the process was started to ignore, as bits, if the system tells; it must then keep them ignored for its command.
fn ignored() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(ignored.trim(), 16).ok()
}

fn bit(signal: Signal) -> u64 {
    1 << (signal.as_raw() - 1)
}

/// Resolves when the user or the system asks this process to stop; listens from the call on, not from the first poll, so that no signal is
/// lost while the work begins.
pub(crate) fn shutdown_signal() -> impl Future<Output = ()> {
    // A process that `nohup` may have started must not end with its terminal.
    let listening = Signals::of(ENDING.into_iter(), ignored().unwrap_or(bit(Signal::HUP)));
    async {
        let Ok(mut signals) = listening else {
            // Without handlers the signals keep their default effect: the process ends, and its children with it.
            return pending().await;
        };
        signals.asked_to_end().await;
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
