//! How often each endpoint may be asked, by whom, and when the next minute begins.
use super::{BOARD, CODE, Programme, STATS, registration, stranger};
use crate::check::Verdict;
use crate::client::http::{Answer, Ask};
use crate::expect::{equal, holds};
use crate::reads::get;
use crate::world::World;

pub(super) async fn of_codes(world: &World) -> Verdict {
    let programme = Programme::open(world, "REF-CODE-RATE")?;
    let (one, two) = (stranger(world, "rate-one"), stranger(world, "rate-two"));
    let header = programme.bearer(one.address()).await?;
    let ask = get(world.rest()?, CODE, &[]).header("authorization", &header);
    walk(&programme, &ask, 10, 200, "referral-code-rate", async || {
        let other = programme.bearer(two.address()).await?;
        programme.read_as(CODE, Some(&other)).await
    })
    .await
}

pub(super) async fn of_reads(world: &World) -> Verdict {
    let programme = Programme::open(world, "REF-READ-RATE")?;
    let (one, two) = (stranger(world, "rate-one"), stranger(world, "rate-two"));
    let header = programme.bearer(one.address()).await?;
    let ask = get(world.rest()?, STATS, &[]).header("authorization", &header);
    walk(&programme, &ask, 30, 200, "referral-stats-rate", async || {
        let other = programme.bearer(two.address()).await?;
        programme.read_as(STATS, Some(&other)).await
    })
    .await?;
    programme.next_minute().await?;
    let board = get(world.rest()?, BOARD, &[]);
    walk(&programme, &board, 30, 200, "referral-leaderboard-rate", async || {
        programme.read_as(STATS, Some(&header)).await
    })
    .await
}

pub(super) async fn of_registrations(world: &World) -> Verdict {
    let programme = Programme::open(world, "REF-REG-RATE")?;
    let wallet = stranger(world, "rate-one");
    let body = registration("REF-NOBODYXX", wallet.address());
    let ask = Ask::post_json(world.rest()?, super::REGISTER, &body);
    let header = programme.bearer(wallet.address()).await?;
    walk(&programme, &ask, 5, 404, "referral-register-rate", async || {
        programme.read_as(CODE, Some(&header)).await
    })
    .await
}

/// Asks up to the limit, once more, as another who is not held up, and at both sides of the end of the minute.
async fn walk(
    programme: &Programme<'_>,
    ask: &Ask,
    limit: u64,
    served: u16,
    cause: &str,
    other: impl AsyncFnOnce() -> Verdict<Answer>,
) -> Verdict {
    let clause = programme.clause;
    let http = programme.world.http();
    let begun = programme.control.now().await?;
    for left in (0..limit).rev() {
        let answer = http.send(ask.clone()).await?;
        equal(clause, &answer, "status", &served, &answer.status.as_u16())?;
        for (header, expected) in
            [("x-ratelimit-limit", limit), ("x-ratelimit-remaining", left), ("x-ratelimit-reset", begun + 60)]
        {
            let told = answer.header(header).and_then(|text| text.parse::<u64>().ok());
            equal(clause, &answer, header, &Some(expected), &told)?;
        }
    }
    over(programme, &http.send(ask.clone()).await?, cause, 60).await?;
    let free = other().await?;
    holds(clause, &free, free.status.as_u16() != 429, "another is not held up", || free.excerpt())?;
    programme.control.advance(59).await?;
    over(programme, &http.send(ask.clone()).await?, cause, 1).await?;
    programme.control.advance(1).await?;
    let again = http.send(ask.clone()).await?;
    equal(clause, &again, "status after a minute", &served, &again.status.as_u16())
}

/// The limit refuses and says for how long.
async fn over(programme: &Programme<'_>, answer: &Answer, cause: &str, seconds: u64) -> Verdict {
    let clause = programme.clause;
    programme.refused(answer, 429, cause).await?;
    let header = answer.header("retry-after").and_then(|text| text.parse::<u64>().ok());
    equal(clause, answer, "Retry-After", &Some(seconds), &header)?;
    let body = answer.json().unwrap_or_default();
    equal(clause, answer, "retryAfter", &Some(seconds), &body["retryAfter"].as_u64())
}
