//! Judging against the ledger while nothing moves: a failure counts only when the chains stood still, and what the clock moves is
//! judged for every second that passed meanwhile.
use std::ops::RangeInclusive;
use std::time::Duration;

use crate::check::{Inconclusive, Need, Run, Stop, Verdict};
use crate::ledger::Ledger;
use crate::trial::Trial;

/// How often a check is tried on chains that move.
const ATTEMPTS: usize = 4;
/// How often where the service cannot tell what it has seen, so that it may lag behind.
const LAGGING_ATTEMPTS: usize = 20;
const PACE: Duration = Duration::from_millis(500);
/// Seconds that one reading may take.
const LONGEST: u64 = 180;

/// Judges against the chains at their newest blocks. What could not be read of them keeps the check from being green.
pub(super) async fn on_ledger<F>(trial: &Trial<'_>, judge: F) -> Verdict
where
    F: for<'a> Fn(&'a Trial<'a>, &'a Ledger) -> Run<'a> + Send + Sync,
{
    let attempts = if trial.has(Need::Control) { ATTEMPTS } else { LAGGING_ATTEMPTS };
    let mut pace = tokio::time::interval(PACE);
    let mut ledger = Ledger::read(trial).await?;
    for attempt in 1..=attempts {
        let verdict = judge(trial, &ledger).await;
        if !matches!(verdict, Err(Stop::Failed(_))) {
            verdict?;
            return if ledger.unread.is_empty() {
                Ok(())
            } else {
                Err(Stop::Skipped(format!("not all could be read: {}", ledger.unread.join("; "))))
            };
        }
        let after = Ledger::read(trial).await?;
        let stood_still = after.heads == ledger.heads;
        if stood_still && (trial.has(Need::Control) || attempt == attempts) {
            return verdict;
        }
        ledger = after;
        pace.tick().await;
    }
    let reason = format!("the chains moved during each of {attempts} attempts");
    Err(Inconclusive::NoMaterial { reason }.into())
}

/// The seconds from one moment to another, both included.
pub(super) fn seconds(before: u64, after: u64) -> Verdict<RangeInclusive<u64>> {
    if after.saturating_sub(before) <= LONGEST {
        return Ok(before..=after.max(before));
    }
    let reason = format!("the clock moved by {} seconds during one reading", after - before);
    Err(Inconclusive::NoMaterial { reason }.into())
}
