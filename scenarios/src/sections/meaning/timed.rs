//! Reads with the time at which their answers were made: figures that the clock moves are judged for every second in between.
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::model::moment;
use crate::prelude::*;

/// How often an answer is read again because the clock moved far in the meantime.
const TIMED_ATTEMPTS: usize = 16;
/// Most seconds that the clock may move during one answer: the window of a limit, plus some time.
const LONGEST_MOVE: u64 = 180;

/// The first and the last second in which an answer can have been made.
pub(in crate::sections) type Window = (u64, u64);

/// Reads with the time of their answers. A limit that holds a request back may move the clock, so each answer has a separate window.
/// Without a control plane a platform may measure by its newest block or by a clock: a window goes from the one to the other.
pub(super) struct TimedReads<'a> {
    pub(super) trial: Trial<'a>,
    /// The last known second of the clock.
    since: AtomicU64,
    /// The times of the newest block and of the clock at the beginning, if there is no control plane.
    clocks: Option<Window>,
    begun: Instant,
}

impl<'a> TimedReads<'a> {
    pub(super) async fn begin(trial: &Trial<'a>) -> Verdict<Self> {
        let begun = Instant::now();
        let (since, clocks) = if trial.has(Need::Control) {
            (trial.now().await?, None)
        } else {
            let (block, told) = trial.clocks().await?;
            (told.unwrap_or_default().max(block), Some((block, told.unwrap_or_else(here).max(block))))
        };
        Ok(Self { trial: *trial, since: since.into(), clocks, begun })
    }

    /// Returns the last known second of the clock.
    pub(super) fn since(&self) -> u64 {
        self.since.load(Ordering::Relaxed)
    }

    /// Returns an answer with its window; sends the request again if the clock moved far.
    pub(super) async fn answer(&self, request: Request) -> Verdict<(Response, Window)> {
        if let Some((block, clock)) = self.clocks {
            // Nothing moves this clock, and reading it would take another request.
            let response = self.trial.request(request).await?;
            return Ok((response, (block, clock + self.begun.elapsed().as_secs() + 1)));
        }
        for _ in 0..TIMED_ATTEMPTS {
            let response = self.trial.request(request.clone()).await?;
            let after = self.trial.now().await?;
            let before = self.since.swap(after, Ordering::Relaxed);
            if after.saturating_sub(before) <= LONGEST_MOVE {
                return Ok((response, (before, after)));
            }
        }
        let reason =
            format!("the clock moved by more than {LONGEST_MOVE} s during {TIMED_ATTEMPTS} readings");
        Err(no_material(reason))
    }

    /// Sends a GET to the REST service.
    pub(super) async fn read(&self, path: &str, query: &Params) -> Verdict<(Response, Window)> {
        self.answer(get(self.trial.rest()?, path, query)).await
    }
}

/// Returns the time of this machine in Unix seconds.
fn here() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}

/// Returns every second of a window, of a long one those near its ends: between the newest block and a clock lies no other time.
pub(super) fn seconds((before, after): Window) -> impl Iterator<Item = u64> {
    let after = after.max(before);
    let first = before..=after.min(before.saturating_add(LONGEST_MOVE));
    let last = (first.end() + 1).max(after.saturating_sub(LONGEST_MOVE))..=after;
    first.chain(last)
}

/// A shown time is within a window, to the second.
pub(in crate::sections) fn is_timed(
    trial: &Trial<'_>,
    response: &Response,
    shown: &Value,
    name: &str,
    (before, after): Window,
) -> Verdict {
    let at = shown.as_str().and_then(moment::seconds);
    let within = seconds((before, after)).any(|second| at == Some(i128::from(second)));
    trial.require_or(response, within, &format!("{name} from {before} to {after}"), || {
        format!("{name} = {shown}")
    })
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_MOVE, seconds};

    #[test]
    fn a_long_window_has_the_seconds_near_its_ends() {
        assert!(seconds((7, 9)).eq([7, 8, 9]));
        assert!(seconds((9, 7)).eq([9]));
        let whole = 100..=101 + 2 * LONGEST_MOVE;
        assert!(seconds((*whole.start(), *whole.end())).eq(whole));
        let (block, clock) = (1_000, 90_000);
        let all: Vec<u64> = seconds((block, clock)).collect();
        assert_eq!(all.len() as u64, 2 * (LONGEST_MOVE + 1));
        assert!(all.contains(&block) && all.contains(&clock) && !all.contains(&45_000));
    }
}
