//! What an answer must tell of a limit: headers while it lasts, and a refusal with the time to wait when it is used up.
use std::ops::RangeInclusive;

use crate::check::Verdict;
use crate::client::http::Answer;
use crate::expect::{equal, holds};
use crate::world::World;

/// A limit under test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// Whose clause it is.
    pub(crate) clause: &'static str,
    /// Cause id of its refusals on our own platform.
    pub(crate) cause: &'static str,
    /// Uses in a window.
    pub(crate) uses: u64,
    /// Length of the window, seconds.
    pub(crate) span: u64,
}

/// An answer tells the limit, how many uses are left, and when the oldest use, counted within `first`, is free again;
/// that time is returned.
pub(crate) fn told(limit: &Limit, answer: &Answer, left: u64, first: RangeInclusive<u64>) -> Verdict<u64> {
    let number = |name: &str| answer.header(name).and_then(|text| text.parse::<u64>().ok());
    let clause = limit.clause;
    equal(clause, answer, "X-RateLimit-Limit", &Some(limit.uses), &number("x-ratelimit-limit"))?;
    equal(clause, answer, "X-RateLimit-Remaining", &Some(left), &number("x-ratelimit-remaining"))?;
    let reset = number("x-ratelimit-reset");
    let (earliest, latest) = (first.start() + limit.span, first.end() + limit.span);
    holds(
        clause,
        answer,
        reset.is_some_and(|reset| (earliest..=latest).contains(&reset)),
        &format!("X-RateLimit-Reset from {earliest} to {latest}"),
        || format!("{reset:?}"),
    )?;
    Ok(reset.unwrap_or_default())
}

/// A refusal because the limit is used up; a use is free again in `wait` seconds, or in one less where time runs.
pub(crate) async fn used_up(world: &World, limit: &Limit, answer: &Answer, wait: u64) -> Verdict {
    let clause = limit.clause;
    let body = world.refused(clause, answer, 429, &[limit.cause]).await?;
    let header = answer.header("retry-after").and_then(|text| text.parse::<u64>().ok());
    equal(clause, answer, "Retry-After", &body["retryAfter"].as_u64(), &header)?;
    holds(
        clause,
        answer,
        header.is_some_and(|header| header == wait || (wait > 1 && header + 1 == wait)),
        &format!("retryAfter = {wait}"),
        || format!("{header:?}"),
    )?;
    equal(clause, answer, "X-RateLimit-Remaining", &Some("0"), &answer.header("x-ratelimit-remaining"))
}
