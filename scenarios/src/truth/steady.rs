//! Judges while nothing moves: a check gets a reading of the target, and a failure counts if a second reading is equal, or if the failure
//! persists while blocks arrive.
use std::future::Future;
use std::time::{Duration, Instant};

use crate::model::target::Need;
use crate::model::verdict::{Answered, Differences, Failure, Inconclusive, Stop, Verdict, no_material};
use crate::trial::Trial;
use crate::trial::check::Run;

pub(crate) use crate::truth::ledger::Ledger;
pub(crate) use crate::truth::ledger::exchange::ExchangeLedger;
pub(crate) use crate::truth::market::{Listing, Market};

/// Attempts of a check on a target that moves.
const ATTEMPTS: usize = 4;
/// How long it is tried at least if the service does not report its height, because it may then lag.
const LAG: Duration = Duration::from_secs(10);
const PACE: Duration = Duration::from_millis(500);

/// A reading of the target that can tell whether the target moved.
pub(crate) trait Snapshot: Sized + Send + Sync {
    /// Whether it reads chains, which keep producing blocks and which the service may lag behind.
    const READS_CHAINS: bool = false;

    fn read(trial: &Trial<'_>) -> impl Future<Output = Verdict<Self>> + Send;

    /// Whether a later reading is equal.
    fn is_unchanged(&self, after: &Self) -> bool;

    /// Requires that everything was read; a check that finds nothing wrong ends with this.
    fn require_complete(&self) -> Verdict {
        Ok(())
    }
}

impl Snapshot for Ledger {
    const READS_CHAINS: bool = true;

    fn read(trial: &Trial<'_>) -> impl Future<Output = Verdict<Self>> + Send {
        Self::read(trial)
    }

    fn is_unchanged(&self, after: &Self) -> bool {
        self.heads == after.heads
    }

    fn require_complete(&self) -> Verdict {
        self.require_complete()
    }
}

/// Judges by a reading; a failure counts only if the target did not move in the meantime, else the judgement is repeated.
pub(crate) async fn on_steady<S: Snapshot, F>(trial: &Trial<'_>, judge: F) -> Verdict
where
    F: for<'a> Fn(&'a Trial<'a>, &'a S) -> Run<'a> + Send + Sync,
{
    let lags = S::READS_CHAINS && !trial.offers(Need::Control);
    let begun = Instant::now();
    let mut pace = tokio::time::interval(PACE);
    let mut before = S::read(trial).await?;
    let (mut streak, mut attempt) = (Streak::default(), 0);
    loop {
        attempt += 1;
        let differences = Differences::default();
        let verdict = judge(&trial.collecting(&differences), &before).await;
        let found = differences.into_inner();
        if !matches!(verdict, Err(Stop::Failed(_))) && found.is_empty() {
            verdict?;
            return before.require_complete();
        }
        let times = streak.add(match &verdict {
            Err(Stop::Failed(failure)) => Some(failure),
            _ => found.first(),
        });
        let after = S::read(trial).await?;
        let is_last = attempt >= ATTEMPTS && (!lags || begun.elapsed() >= LAG);
        // A failure that persists through new blocks is not caused by them.
        let outlasts_blocks = S::READS_CHAINS && is_last && times >= attempt / 2;
        if (before.is_unchanged(&after) && (is_last || !lags)) || outlasts_blocks {
            found.into_iter().try_for_each(|one| trial.part::<()>(Err(one.into())).map(drop))?;
            return verdict;
        }
        if is_last {
            return Err(no_material(format!("the target moved during each of {attempt} attempts")));
        }
        before = after;
        pace.tick().await;
    }
}

/// Counts consecutive attempts that ended with the same failure.
#[derive(Debug, Default)]
struct Streak {
    last: Option<Failure>,
    times: usize,
}

impl Streak {
    /// Adds the failure of an attempt; returns how many times in a row it has now occurred.
    fn add(&mut self, failure: Option<&Failure>) -> usize {
        let is_same = self.last.as_ref().zip(failure).is_some_and(|(one, other)| {
            (one.clause, &one.expected, &one.actual) == (other.clause, &other.expected, &other.actual)
        });
        self.times = if is_same { self.times + 1 } else { 1 };
        self.last = failure.cloned();
        self.times
    }
}

/// Reads a prerequisite of a check: a failure to read it is no verdict.
pub(crate) async fn prerequisite<S, F>(read: impl Fn() -> F) -> Verdict<S>
where
    F: Future<Output = Verdict<S>>,
{
    let mut last = read().await;
    for _ in 1..ATTEMPTS {
        if !matches!(last, Err(Stop::Failed(_))) {
            return last;
        }
        last = read().await;
    }
    last.map_err(no_verdict_on)
}

/// Turns the failure of a prerequisite into no verdict: other checks judge it.
pub(crate) fn no_verdict_on(stop: Stop) -> Stop {
    match stop {
        Stop::Failed(failure) => Inconclusive::Prerequisite { reason: lack(&failure) }.into(),
        other => other,
    }
}

/// What a prerequisite lacks, without the body of the answer.
fn lack(failure: &Failure) -> String {
    match &failure.answered {
        Some(Answered { request, status }) if *status >= 400 => format!("{request} answers {status}"),
        Some(Answered { request, .. }) => {
            format!("a prerequisite failed: {request} should answer with {}", failure.expected)
        }
        None => {
            let Failure { expected, actual, reproduce, .. } = failure;
            format!("a prerequisite failed: expected {expected}; actual {actual}; {reproduce}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Streak, lack};
    use crate::model::verdict::{Answered, Binding, Failure};

    fn failure(expected: &str, exchange: u64) -> Failure {
        Failure {
            clause: "FIG-PRICE",
            binding: Binding::Choice,
            expected: expected.to_owned(),
            actual: "3".to_owned(),
            reproduce: "curl -sS http://h/b".to_owned(),
            exchange: Some(exchange),
            answered: None,
        }
    }

    #[test]
    fn a_prerequisite_is_told_by_its_endpoint_and_without_a_body() {
        let told = |status: Option<u16>| {
            let answered = status.map(|status| Answered { request: "POST /b".to_owned(), status });
            lack(&Failure { answered, ..failure("tokens", 1) })
        };
        assert_eq!(told(Some(501)), "POST /b answers 501");
        assert_eq!(told(Some(200)), "a prerequisite failed: POST /b should answer with tokens");
        assert_eq!(told(None), "a prerequisite failed: expected tokens; actual 3; curl -sS http://h/b");
    }

    #[test]
    fn same_failures_in_a_row_are_counted() {
        let mut streak = Streak::default();
        assert_eq!(streak.add(Some(&failure("1", 1))), 1);
        assert_eq!(streak.add(Some(&failure("1", 2))), 2);
        assert_eq!(streak.add(Some(&failure("2", 3))), 1);
        assert_eq!(streak.add(Some(&failure("1", 4))), 1);
        assert_eq!(streak.add(Some(&failure("1", 5))), 2);
        assert_eq!(streak.add(None), 1);
    }
}
