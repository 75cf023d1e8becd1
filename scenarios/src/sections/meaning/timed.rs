//! Reads with the time at which their answers were made: figures that the clock moves are judged for every second in between.
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::model::moment;
use crate::prelude::*;

/// How often an answer is read again because the clock moved far in the meantime.
const TIMED_ATTEMPTS: usize = 16;
/// Most seconds that the clock may move during one answer: the window of a limit, plus some time.
const LONGEST_MOVE: u64 = 180;

/// The first and the last second in which an answer can have been made.
pub(in crate::sections) type Window = (u64, u64);

/// Reads with the time of their answers. A limit that holds a request back may move the clock, so each answer has a separate window.
pub(super) struct TimedReads<'a> {
    pub(super) trial: Trial<'a>,
    /// The last known second of the clock.
    since: AtomicU64,
    begun: Instant,
}

impl<'a> TimedReads<'a> {
    pub(super) async fn begin(trial: &Trial<'a>) -> Verdict<Self> {
        let begun = Instant::now();
        Ok(Self { trial: *trial, since: trial.now().await?.into(), begun })
    }

    /// Returns the last known second of the clock.
    pub(super) fn since(&self) -> u64 {
        self.since.load(Ordering::Relaxed)
    }

    /// Returns an answer with its window; sends the request again if the clock moved far.
    pub(super) async fn answer(&self, request: Request) -> Verdict<(Response, Window)> {
        if !self.trial.has(Need::Control) {
            // Nothing moves this clock, and reading it would take another request.
            let response = self.trial.request(request).await?;
            let since = self.since();
            return Ok((response, (since, since + self.begun.elapsed().as_secs() + 1)));
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

/// Returns every second of a window.
pub(super) fn seconds((before, after): Window) -> RangeInclusive<u64> {
    before..=after.max(before)
}

/// A shown time is within a window, to the second.
pub(in crate::sections) fn is_timed(
    trial: &Trial<'_>,
    response: &Response,
    shown: &Value,
    name: &str,
    (before, after): Window,
) -> Verdict {
    let at = shown.as_str().and_then(moment::nanoseconds).map(|nanoseconds| nanoseconds / 1_000_000_000);
    let within = seconds((before, after)).any(|second| at == Some(i128::from(second)));
    trial.require_or(response, within, &format!("{name} from {before} to {after}"), || {
        format!("{name} = {shown}")
    })
}
