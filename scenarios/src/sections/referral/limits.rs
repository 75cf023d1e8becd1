//! The rate limit of each endpoint, which callers it counts, and when the next minute begins.
use super::{BOARD, CODE, Programme, STATS, registration};
use crate::prelude::*;
use crate::sections::service::limits::{Limit, SVC_LIMITS, at_the_edge, refused_until, used_up};

const fn limit(cause: &'static str, uses: u64) -> Limit {
    Limit { cause, uses, span: 60 }
}

clause! {
    REF_CODE_RATE = "REF-CODE-RATE" (S316): "The code can be requested ten times a minute.";
    check!("referral-code-limit" [Exclusive; Rest, Control] of_codes:
        "walks ten requests of a wallet to their edge and past the minute");
}
pub(super) async fn of_codes(trial: &Trial<'_>) -> Verdict {
    of_a_wallet(&Programme::open(trial).await?, CODE, &limit("referral-code-rate", 10)).await.map(drop)
}

/// Uses up a wallet's limit of reads while another wallet is not limited; returns the credential of the first.
async fn of_a_wallet(programme: &Programme<'_>, path: &str, limit: &Limit) -> Verdict<String> {
    let [one, two] = ["rate-one", "rate-two"].map(|label| programme.stranger(label).address());
    let header = programme.bearer(one).await?;
    let request = get(programme.trial.rest()?, path, &[]).header("authorization", &header);
    reaches(programme, &|_| request.clone(), limit, async || {
        let other = programme.bearer(two).await?;
        programme.read_as(path, Some(&other)).await
    })
    .await?;
    Ok(header)
}

clause! {
    REF_READ_RATE = "REF-READ-RATE" (S317): "Stats and leaderboard can be read thirty times a minute.";
    check!("referral-read-limit" [Exclusive; Rest, Control] of_reads:
        "walks thirty reads of stats and of the leaderboard");
}
pub(in crate::sections) async fn of_reads(trial: &Trial<'_>) -> Verdict {
    let programme = Programme::open(trial).await?;
    let header = of_a_wallet(&programme, STATS, &limit("referral-stats-rate", 30)).await?;
    programme.next_minute().await?;
    let board = get(trial.rest()?, BOARD, &[]);
    reaches(&programme, &|_| board.clone(), &limit("referral-leaderboard-rate", 30), async || {
        programme.read_as(STATS, Some(&header)).await
    })
    .await
}

clause! {
    REF_REG_RATE = "REF-REG-RATE" (S318): "An IP address may register five times a minute.";
    check!("referral-register-limit" [Exclusive; Rest, Control] of_registrations: "walks five registrations");
}
pub(super) async fn of_registrations(trial: &Trial<'_>) -> Verdict {
    let programme = Programme::open(trial).await?;
    let code = programme.code_text(programme.stranger("rate-owner").address()).await?;
    let origin = trial.rest()?;
    // Each wallet registers once, by an existing code, because it is left open whether a refusal counts.
    let request = |number: u64| {
        let wallet = programme.stranger(&format!("rate-{number}"));
        Request::post_json(origin, super::REGISTER, &registration(&code, wallet.address()))
    };
    let header = programme.bearer(programme.stranger("rate-one").address()).await?;
    reaches(&programme, &request, &limit("referral-register-rate", 5), async || {
        programme.read_as(CODE, Some(&header)).await
    })
    .await
}

/// Sends requests up to the limit, one more, one of another caller, and one on each side of the end of the minute.
async fn reaches(
    programme: &Programme<'_>,
    request: &(dyn Fn(u64) -> Request + Sync),
    limit: &Limit,
    other: impl AsyncFnOnce() -> Verdict<Response>,
) -> Verdict {
    // Afterwards every earlier request, even a refused one, is a minute old.
    programme.next_minute().await?;
    let free =
        used_up(&programme.trial, limit, 0, |number| programme.trial.http().send_once(request(number)))
            .await?;
    refused_until(&programme.trial, limit, request(limit.uses), free).await?;
    let response = other().await?;
    // Whether such a limit counts per wallet, per caller or for all is left open.
    programme.trial.by(&SVC_LIMITS).require(&response, response.code() != 429, "another is not held up")?;
    let again = [request(limit.uses), request(limit.uses)];
    programme.trial.succeeded(&at_the_edge(&programme.trial, limit, free, again).await?)
}
