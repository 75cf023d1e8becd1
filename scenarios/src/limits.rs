//! What an answer must tell of a limit: headers while it lasts, and a refusal with the time to wait when it is used up.
use std::ops::RangeInclusive;

use crate::check::Verdict;
use crate::client::http::{Answer, Ask};
use crate::trial::Trial;

/// A limit under test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// Cause id of its refusals on our own platform.
    pub(crate) cause: &'static str,
    /// Uses in a window.
    pub(crate) uses: u64,
    /// Length of the window, seconds.
    pub(crate) span: u64,
}

/// An answer tells the limit, how many uses are left, and when the oldest use, counted within `first`, is free again;
/// that time is returned.
pub(crate) fn told(
    trial: &Trial<'_>,
    limit: &Limit,
    answer: &Answer,
    left: u64,
    first: &RangeInclusive<u64>,
) -> Verdict<u64> {
    trial.equal(
        answer,
        "X-RateLimit-Limit",
        &Some(limit.uses),
        &answer.header_number("x-ratelimit-limit"),
    )?;
    trial.equal(
        answer,
        "X-RateLimit-Remaining",
        &Some(left),
        &answer.header_number("x-ratelimit-remaining"),
    )?;
    let reset = answer.header_number("x-ratelimit-reset");
    let (earliest, latest) = (first.start() + limit.span, first.end() + limit.span);
    let within = reset.is_some_and(|reset| (earliest..=latest).contains(&reset));
    trial.holds(answer, within, &format!("X-RateLimit-Reset from {earliest} to {latest}"), || {
        format!("{reset:?}")
    })?;
    Ok(reset.unwrap_or_default())
}

/// A refusal within `now` because the limit is used up; a use is free again at `free`, and the answer says in how many
/// seconds.
pub(crate) async fn used_up(
    trial: &Trial<'_>,
    limit: &Limit,
    answer: &Answer,
    free: u64,
    now: &RangeInclusive<u64>,
) -> Verdict {
    let body = trial.refused(answer, 429, &[limit.cause]).await?;
    let header = answer.header_number("retry-after");
    trial.equal(answer, "Retry-After", &body["retryAfter"].as_u64(), &header)?;
    let (shortest, longest) = (free.saturating_sub(*now.end()).max(1), free.saturating_sub(*now.start()));
    let right = header.is_some_and(|wait| (shortest..=longest).contains(&wait));
    trial.holds(answer, right, &format!("retryAfter from {shortest} to {longest}"), || {
        format!("{header:?}")
    })?;
    trial.equal(answer, "X-RateLimit-Remaining", &Some("0"), &answer.header("x-ratelimit-remaining"))
}

/// Sends a second before a use is free again, which is refused, and when it is, which passes; answers the latter. Where
/// time runs, the first may pass already.
pub(crate) async fn at_the_edge(trial: &Trial<'_>, limit: &Limit, free: u64, ask: &Ask) -> Verdict<Answer> {
    let (control, send) = (trial.control()?, || trial.http().send(ask.clone()));
    control.set_clock(free - 1).await?;
    let (answer, now) = control.timed(send()).await?;
    if answer.status.as_u16() != 429 && *now.end() >= free {
        return Ok(answer);
    }
    used_up(trial, limit, &answer, free, &now).await?;
    control.advance(1).await?;
    let answer = send().await?;
    trial.shows(&answer, answer.status.as_u16() != 429, "a use that is free again")?;
    Ok(answer)
}
