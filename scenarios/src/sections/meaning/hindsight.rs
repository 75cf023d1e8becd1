//! Tokens, wallets and events in answers that other checks received: each figure equals the ledger's, at that time or when it is read
//! again. While nothing moves, some are read again and judged at once, so that a lie in only some answers has no second chance.
use std::collections::BTreeSet;
use std::sync::Arc;

use reqwest::Method;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::shown::of_text;
use super::timed::{TimedReads, Window};
use super::tokens::{agrees_in_all, as_far_as_read, of_ledger};
use super::{FIG_LEAD, FIG_REF, leaders, referral};
use crate::answers::reads::{
    BATCH, EOTI, KOTI, LEADERBOARD, LIST, OWNER, RECENT, REFERRAL_STATS, TOKEN, has_no_token,
};
use crate::client::kept::{Seen, Service};
use crate::prelude::*;
use crate::truth::ledger::Ledger;
use crate::truth::steady::on_steady;

/// Answers that are read again and judged while nothing moves.
const READ_AT_REST: usize = 40;

#[derive(Deserialize)]
struct Rows<'a> {
    #[serde(borrow)]
    tokens: Vec<&'a RawValue>,
}

/// Every token, wallet and event in these answers matches the chain.
pub(crate) async fn judge_tokens(trial: &Trial<'_>, seen: &[Seen]) -> Verdict {
    let answers: Arc<[Seen]> = seen.iter().filter(|one| is_of_ledger(one)).cloned().collect();
    if answers.is_empty() || !trial.has(Need::PrimaryChain) {
        return Ok(());
    }
    let verdict = on_steady::<Ledger, _>(trial, move |trial, ledger| {
        let answers = Arc::clone(&answers);
        Box::pin(async move { tokens_hold(trial, ledger, &answers).await })
    });
    as_far_as_read(verdict.await)
}

async fn tokens_hold(trial: &Trial<'_>, ledger: &Ledger, answers: &[Seen]) -> Verdict {
    let reads = TimedReads::begin(trial).await?;
    let now = reads.since();
    let mut agreed = BTreeSet::new();
    for seen in answers {
        let tried = trial.tried(|trial| agrees(trial, ledger, seen, (now, now), &agreed));
        let rows = if tried.holds() {
            trial.keep(tried)?
        } else {
            // A figure that was right at the time may have changed since.
            read_again(trial, ledger, &reads, seen, &agreed).await?
        };
        agreed.extend(rows);
    }
    // Some of these answers, picked by the seed, are read again: each must be right at once.
    let mut choices = trial.choices("meaning-at-rest");
    let reads = TimedReads::begin(trial).await?;
    for _ in 0..READ_AT_REST {
        let seen = &answers[choices.index(answers.len())];
        agreed.extend(read_again(trial, ledger, &reads, seen, &agreed).await?);
    }
    Ok(())
}

/// Repeats the request, which must be answered correctly now; returns the newly judged rows.
async fn read_again(
    trial: &Trial<'_>,
    ledger: &Ledger,
    reads: &TimedReads<'_>,
    seen: &Seen,
    agreed: &BTreeSet<String>,
) -> Verdict<Vec<String>> {
    let (response, window) = reads.answer(seen.response.request.clone()).await?;
    if response.code() != 200 {
        return Ok(Vec::new());
    }
    let current = Seen { response: Arc::new(response), ..seen.clone() };
    agrees(trial, ledger, &current, window, agreed)
}

/// Whether an answer can be compared with the chains.
fn is_of_ledger(seen: &Seen) -> bool {
    let is_read = seen.service == Service::Rest && seen.response.code() == 200;
    seen.lists_tokens() || (is_read && [LEADERBOARD, REFERRAL_STATS].contains(&seen.path.as_str()))
}

/// The answer's figures are those of the chains; returns the newly judged rows.
fn agrees(
    trial: &Trial<'_>,
    ledger: &Ledger,
    seen: &Seen,
    window: Window,
    agreed: &BTreeSet<String>,
) -> Verdict<Vec<String>> {
    match seen.path.as_str() {
        LEADERBOARD => {
            let trial = trial.by(&FIG_LEAD);
            trial.part(leaders::rows_hold(&trial, &seen.response, ledger))?;
        }
        REFERRAL_STATS if ledger.is_whole() => {
            let trial = trial.by(&FIG_REF);
            trial.part(referral::activity_holds(&trial, &seen.response, ledger))?;
        }
        REFERRAL_STATS => {}
        _ => return rows_agree(trial, ledger, seen, window, agreed),
    }
    Ok(Vec::new())
}

/// Each row of an answer matches; rows that already matched are not judged again.
fn rows_agree(
    trial: &Trial<'_>,
    ledger: &Ledger,
    seen: &Seen,
    window: Window,
    agreed: &BTreeSet<String>,
) -> Verdict<Vec<String>> {
    let mut judged = Vec::new();
    for text in rows(trial, seen)? {
        if agreed.contains(text.get()) {
            continue;
        }
        let shown = of_text(trial, endpoint(seen), (&seen.response, window), text.get().as_bytes())?;
        let Some(one) = shown else { continue };
        if let Some(launch) = of_ledger(trial, ledger, &one)? {
            agrees_in_all(trial, &one, launch)?;
            judged.push(text.get().to_owned());
        }
    }
    Ok(judged)
}

fn rows<'s>(trial: &Trial<'_>, seen: &'s Seen) -> Verdict<Vec<&'s RawValue>> {
    let response: &'s Response = &seen.response;
    if [KOTI, EOTI].contains(&seen.path.as_str()) && has_no_token(response) {
        return Ok(Vec::new());
    }
    if [TOKEN, KOTI, EOTI].contains(&seen.path.as_str()) {
        return Ok(vec![trial.decoded(response, "a token object")?]);
    }
    match trial.decoded::<Rows<'s>>(response, "token objects") {
        Ok(page) => Ok(page.tokens),
        // The form and shape of a batch by GET are left open.
        Err(_) if seen.path == BATCH && response.request.method == Method::GET => Ok(Vec::new()),
        Err(malformed) => Err(malformed),
    }
}

fn endpoint(seen: &Seen) -> &'static str {
    let known = [LIST, OWNER, BATCH, RECENT, TOKEN, KOTI, EOTI];
    known.into_iter().find(|path| *path == seen.path).unwrap_or("the service")
}
