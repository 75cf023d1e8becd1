//! Rate limits: a number of uses in a window, a refusal once they are used up, and the headers that report both.
use std::ops::RangeInclusive;

use crate::model::shown::readable;
use crate::model::verdict::Inconclusive;
use crate::prelude::*;
use crate::sections::chat::captchas;
use crate::sections::referral::limits;

clause! {
    SVC_LIMITS = "SVC-LIMITS" (choice S313, S316, S317, S318, S319):
        "Answers of a limited endpoint have X-RateLimit headers, a refusal reports when to retry, and windows slide.";
    check!("service-limits-of-chat" [Exclusive; Rest, Control] captchas::rate:
        "posts up to the limit of an address and looks at headers, Retry-After and the end of the window");
    check!("service-limits-of-referrals" [Exclusive; Rest, Control] limits::of_reads:
        "reads stats and leaderboard up to their limits and looks at headers, Retry-After and the end of the window");
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// The cause of its refusals on this project's platform.
    pub(crate) cause: &'static str,
    pub(crate) uses: u64,
    /// Length of the window in seconds.
    pub(crate) span: u64,
}

/// An answer reports the limit, the remaining uses, and when the oldest use (within `first`) becomes available again. Reporting them is a
/// choice; returns the time.
pub(crate) fn limit_headers(
    trial: &Trial<'_>,
    limit: &Limit,
    response: &Response,
    left: u64,
    first: &RangeInclusive<u64>,
) -> Verdict<u64> {
    let trial = trial.by(&SVC_LIMITS);
    let number = |name: &str| response.header_number(name);
    trial.require_equal(response, "X-RateLimit-Limit", &Some(limit.uses), &number("x-ratelimit-limit"))?;
    trial.require_equal(response, "X-RateLimit-Remaining", &Some(left), &number("x-ratelimit-remaining"))?;
    let (earliest, latest) = (first.start() + limit.span, first.end() + limit.span);
    let reset = number("x-ratelimit-reset");
    let within = reset.filter(|reset| (earliest..=latest).contains(reset));
    trial.require_or(
        response,
        within.is_some(),
        &format!("X-RateLimit-Reset from {earliest} to {latest}"),
        || readable(&reset),
    )?;
    Ok(within.unwrap_or(latest))
}

/// Returns when the next use is available according to an answer: not before the second oldest use is a window old, because windows slide.
pub(crate) fn next_free(trial: &Trial<'_>, response: &Response, earliest: u64) -> Verdict<u64> {
    let next = response.header_number("x-ratelimit-reset").filter(|next| *next >= earliest);
    trial.by(&SVC_LIMITS).require_or(
        response,
        next.is_some(),
        &format!("X-RateLimit-Reset of {earliest} or later"),
        || readable(&next),
    )?;
    Ok(next.unwrap_or(earliest))
}

/// Uses up a limit with numbered requests, with a pause of some seconds after the first; returns when the next use is available.
pub(crate) async fn used_up<F, E: From<Inconclusive>>(
    trial: &Trial<'_>,
    limit: &Limit,
    pause: u64,
    send: impl Fn(u64) -> F,
) -> Verdict<u64>
where
    F: Future<Output = Result<Response, E>>,
    Stop: From<E>,
{
    let control = trial.control()?;
    let (mut first, mut free) = (None, 0);
    for number in 0..limit.uses {
        if number == 1 {
            control.advance(pause).await?;
        }
        let (response, now) = control.timed(send(number)).await?;
        trial.succeeded(&response)?;
        let left = limit.uses - 1 - number;
        free = limit_headers(trial, limit, &response, left, first.get_or_insert(now))?;
    }
    Ok(free)
}

/// A request is refused by a limit until a time.
pub(crate) async fn refused_until(trial: &Trial<'_>, limit: &Limit, request: Request, free: u64) -> Verdict {
    let (response, now) = trial.control()?.timed(trial.http().send_once(request)).await?;
    rate_limited(trial, limit, &response, &(free..=free), &now).await
}

/// Requires a refusal, made within `now`, because a limit is used up. A use is available again within `free`; reporting the remaining
/// seconds is a choice.
pub(crate) async fn rate_limited(
    trial: &Trial<'_>,
    limit: &Limit,
    response: &Response,
    free: &RangeInclusive<u64>,
    now: &RangeInclusive<u64>,
) -> Verdict {
    let body = trial.refused(response, 429, &[limit.cause]).await?;
    let trial = trial.by(&SVC_LIMITS);
    let wait = response.header_number("retry-after");
    trial.require_equal(response, "Retry-After", &body["retryAfter"].as_u64(), &wait)?;
    let bounds = free.start().saturating_sub(*now.end()).max(1)..=free.end().saturating_sub(*now.start());
    let right = wait.is_some_and(|wait| bounds.contains(&wait));
    trial.require_or(response, right, &format!("retryAfter in {}", readable(&bounds)), || readable(&wait))?;
    trial.require_equal(
        response,
        "X-RateLimit-Remaining",
        &Some("0"),
        &response.header("x-ratelimit-remaining"),
    )
}

/// Sends a request one second before a use is available again, which a sliding window refuses, and another once it is, which succeeds;
/// returns the latter answer. On a running clock the first may already succeed. Two different requests, because a refusal may use up a
/// captcha.
pub(crate) async fn at_the_edge(
    trial: &Trial<'_>,
    limit: &Limit,
    free: u64,
    [early, later]: [Request; 2],
) -> Verdict<Response> {
    let control = trial.control()?;
    control.reach(free - 1).await?;
    let (response, now) = control.timed(trial.http().send_once(early)).await?;
    if response.code() != 429 {
        let slides = *now.end() >= free;
        trial.by(&SVC_LIMITS).require(&response, slides, "a refusal a second before a use is free again")?;
        return Ok(response);
    }
    rate_limited(trial, limit, &response, &(free..=free), &now).await?;
    control.reach(free).await?;
    let response = trial.http().send_once(later).await?;
    trial.require(&response, response.code() != 429, "a use that is free again")?;
    Ok(response)
}

/// How often a captcha's last second is tried while the clock runs.
const ATTEMPTS: usize = 4;

/// Sends a request with a captcha in its last second, and one with another captcha that has expired; returns both responses.
pub(crate) async fn around_expiry(
    trial: &Trial<'_>,
    mut with_captcha: impl FnMut(String) -> Verdict<Request>,
) -> Verdict<[Response; 2]> {
    let control = trial.control()?;
    for _ in 0..ATTEMPTS {
        let (in_time, ends) = control.captcha_for(30).await?;
        let (late, expires) = control.captcha_for(30).await?;
        control.reach(ends - 1).await?;
        let (taken, now) = control.timed(trial.http().send_once(with_captcha(in_time)?)).await?;
        control.reach(expires).await?;
        let refused = trial.http().send_once(with_captcha(late)?).await?;
        if *now.end() < ends {
            return Ok([taken, refused]);
        }
    }
    Err(no_material(format!("the clock passed the last second of a captcha in each of {ATTEMPTS} attempts")))
}
