//! Judging against the ledger while nothing moves: a failure counts when the chains stood still, or when it stays the same while they
//! move. What the clock moves is judged for every second that passed meanwhile.
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use crate::check::{Differences, Failure, Run};
use crate::expect::moment;
use crate::ledger::Ledger;
use crate::prelude::*;

/// How often a check is tried on chains that move.
const ATTEMPTS: usize = 4;
/// How often where the service cannot tell what it has seen, so that it may lag behind.
const LAGGING_ATTEMPTS: usize = 20;
const PACE: Duration = Duration::from_millis(500);
/// How often an answer is read during which the clock moves far.
const TIMED_ATTEMPTS: usize = 16;
/// Seconds by which the clock may move during one answer: a window of a limit, and what comes meanwhile.
const LONGEST_MOVE: u64 = 180;

/// Judges against the chains at their newest blocks. What could not be read of them keeps the check from being green.
pub(super) async fn on_ledger<F>(trial: &Trial<'_>, judge: F) -> Verdict
where
    F: for<'a> Fn(&'a Trial<'a>, &'a Ledger) -> Run<'a> + Send + Sync,
{
    let attempts = if trial.has(Need::Control) { ATTEMPTS } else { LAGGING_ATTEMPTS };
    let mut pace = tokio::time::interval(PACE);
    let mut ledger = Ledger::read(trial).await?;
    let mut repeated = Repeated::default();
    for attempt in 1..=attempts {
        let differences = Differences::default();
        let verdict = judge(&trial.collecting(&differences), &ledger).await;
        let found = differences.into_inner();
        if !matches!(verdict, Err(Stop::Failed(_))) && found.is_empty() {
            verdict?;
            return ledger.whole();
        }
        let times = repeated.add(match &verdict {
            Err(Stop::Failed(failure)) => Some(failure),
            _ => found.first(),
        });
        let after = Ledger::read(trial).await?;
        let stood_still = after.heads == ledger.heads;
        let is_last = attempt == attempts;
        // Blocks come without end on most chains: what they do not change is no effect of theirs.
        if (stood_still && (is_last || trial.has(Need::Control))) || (is_last && times >= attempts / 2) {
            trial.adopt(found)?;
            return verdict;
        }
        ledger = after;
        pace.tick().await;
    }
    let reason = format!("the chains moved during each of {attempts} attempts");
    Err(no_material(reason))
}

/// How many attempts in a row ended with the same failure.
#[derive(Debug, Default)]
struct Repeated {
    last: Option<Failure>,
    times: usize,
}

impl Repeated {
    /// Adds what an attempt ended with; how many times it has been the same since.
    fn add(&mut self, failure: Option<&Failure>) -> usize {
        let is_same = self.last.as_ref().zip(failure).is_some_and(|(one, other)| {
            (one.clause, &one.expected, &one.actual) == (other.clause, &other.expected, &other.actual)
        });
        self.times = if is_same { self.times + 1 } else { 1 };
        self.last = failure.cloned();
        self.times
    }
}

/// The first and the last second in which an answer can have been made.
pub(super) type Window = (u64, u64);

/// Reads that know when their answers were made. A limit that holds a request back may move the clock meanwhile, so each answer has
/// a window of its own.
pub(super) struct TimedReads<'t, 'w> {
    trial: &'t Trial<'w>,
    since: u64,
    begun: Instant,
}

impl<'t, 'w> TimedReads<'t, 'w> {
    pub(super) async fn begin(trial: &'t Trial<'w>) -> Verdict<Self> {
        let begun = Instant::now();
        Ok(Self { trial, since: trial.now().await?, begun })
    }

    /// The second of the last look at the clock.
    pub(super) fn since(&self) -> u64 {
        self.since
    }

    /// An answer with its window. Where the clock moved far, the request is sent again.
    pub(super) async fn answer(&mut self, request: Request) -> Verdict<(Response, Window)> {
        if !self.trial.has(Need::Control) {
            // Nobody moves this clock, and asking it takes a request of its own.
            let response = self.trial.request(request).await?;
            return Ok((response, (self.since, self.since + self.begun.elapsed().as_secs() + 1)));
        }
        for _ in 0..TIMED_ATTEMPTS {
            let response = self.trial.request(request.clone()).await?;
            let after = self.trial.now().await?;
            let before = std::mem::replace(&mut self.since, after);
            if after.saturating_sub(before) <= LONGEST_MOVE {
                return Ok((response, (before, after)));
            }
        }
        let reason =
            format!("the clock moved by more than {LONGEST_MOVE} s during {TIMED_ATTEMPTS} readings");
        Err(no_material(reason))
    }

    /// A GET of the REST service.
    pub(super) async fn read(
        &mut self,
        path: &str,
        query: &[(&'static str, String)],
    ) -> Verdict<(Response, Window)> {
        self.answer(get(self.trial.rest()?, path, query)).await
    }
}

/// Every second of a window.
pub(super) fn seconds((before, after): Window) -> RangeInclusive<u64> {
    before..=after.max(before)
}

/// A time that is shown lies in a window, by its second.
pub(super) fn is_timed(
    trial: &Trial<'_>,
    response: &Response,
    shown: &Value,
    name: &str,
    (before, after): Window,
) -> Verdict {
    let at = shown.as_str().and_then(moment::nanoseconds).map(|nanoseconds| nanoseconds / 1_000_000_000);
    let within = seconds((before, after)).any(|second| at == Some(i128::from(second)));
    trial.holds(response, within, &format!("{name} from {before} to {after}"), || format!("{name} = {shown}"))
}

#[cfg(test)]
mod tests {
    use super::Repeated;
    use crate::check::Failure;
    use crate::clause::Binding;

    fn failure(expected: &str, exchange: u64) -> Failure {
        Failure {
            clause: "FIG-PRICE",
            binding: Binding::Choice,
            expected: expected.to_owned(),
            actual: "3".to_owned(),
            reproduce: String::new(),
            exchange: Some(exchange),
        }
    }

    #[test]
    fn same_failures_in_a_row_are_counted() {
        let mut repeated = Repeated::default();
        assert_eq!(repeated.add(Some(&failure("1", 1))), 1);
        assert_eq!(repeated.add(Some(&failure("1", 2))), 2);
        assert_eq!(repeated.add(Some(&failure("2", 3))), 1);
        assert_eq!(repeated.add(Some(&failure("1", 4))), 1);
        assert_eq!(repeated.add(Some(&failure("1", 5))), 2);
        assert_eq!(repeated.add(None), 1);
    }
}
