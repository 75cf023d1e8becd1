//! The King: the funding token with the most progress; ties go to the older token, then to the lower address.

use crate::answers::fields::Place;
use crate::answers::members::members_within;
use crate::answers::reads::{KOTI, RawRow};
use crate::model::shown::readable;
use crate::prelude::*;
use crate::truth::market::{Market, Token};
use crate::truth::steady::Snapshot;

/// Returns the funding tokens in the order of succession, the King first.
fn line(market: &Market) -> Vec<&Token> {
    let mut line: Vec<_> = market.tokens().filter(|token| !token.graduated).collect();
    line.sort_by(|one, other| {
        let further = other.funding_progress.cmp(&one.funding_progress);
        further.then(one.created.cmp(&other.created)).then(one.address.cmp(&other.address))
    });
    line
}

clause! {
    KOTI_TOP = "KOTI-TOP" (choice S6, S172): "The King is the token still funding that has come furthest.";
    check!("koti-top" [Read; Rest] leads on Market:
        "looks for a funding token that has come further than the King, or as far and is older");
    check!("koti-succession" [Exclusive; Rest, Control] succession:
        "disables one King after the other until there is none, and expects the next each time");
}
pub(super) async fn leads(trial: &Trial<'_>, market: &Market) -> Verdict {
    let line = line(market);
    let response = trial.read(KOTI, &[]).await?;
    let Some(first) = line.first() else {
        return trial.refused(&response, 404, &[]).await.map(drop);
    };
    // A wrapped or incomplete record is a difference that does not end the check.
    let record = trial.part(row(trial, &response))?;
    let record = record.or_else(|| inner_record(&response));
    let record =
        record.ok_or_else(|| trial.failure(&response, "the address of the King", response.excerpt()))?;
    let reported = record.figure("funding_progress");
    if !market.is_whole() {
        let further = reported.is_some_and(|reported| reported >= first.funding_progress);
        return trial.require(&response, further, "no less progress than any token of the sample");
    }
    trial.require_equal(&response, "funding_progress", &Some(&first.funding_progress), &reported.as_ref())?;
    // The order among equals is not judged: any of them is accepted.
    let equals = line.iter().take_while(|token| token.funding_progress == first.funding_progress);
    let address = record.address("address");
    let among = equals.clone().any(|token| Some(token.address) == address);
    trial.require_or(&response, among, "the funding token that has come furthest", || {
        format!("{}, the first in line being {}", readable(&address), first.address)
    })?;
    if trial.has(Need::Control) {
        trial.require_equal(&response, "address", &Some(first.address), &address)?;
    }
    Ok(())
}

pub(super) async fn succession(trial: &Trial<'_>) -> Verdict {
    let control = trial.control()?;
    let checkpoint = control.checkpoint().await?;
    let verdict = one_after_the_other(trial).await;
    trial.reverted(&control, &checkpoint).await?;
    verdict
}

async fn one_after_the_other(trial: &Trial<'_>) -> Verdict {
    let control = trial.control()?;
    let market = Market::read(trial).await?;
    let line = line(&market);
    need_material(line.len() >= 2, format!("only {} tokens are on their curve; two are needed", line.len()))?;
    for token in line {
        let response = trial.read(KOTI, &[]).await?;
        let record = trial.part(row(trial, &response))?.or_else(|| inner_record(&response));
        let address = record.and_then(|record| record.address("address"));
        trial.require_equal(&response, "the next in line", &Some(token.address), &address)?;
        control.disable_token(token.address, true).await?;
    }
    trial.refuses(KOTI, &[], 404, &[]).await
}

clause! {
    KOTI_CURVE = "KOTI-CURVE" (S172): "The King is a token on its curve: one that has not graduated.";
    check!("koti-curve" [Read; Rest] is_on_its_curve on Market:
        "looks whether a token that the record names, whatever its shape, is still funding");
}
pub(super) async fn is_on_its_curve(trial: &Trial<'_>, market: &Market) -> Verdict {
    let response = trial.read(KOTI, &[]).await?;
    // Without a King there is nothing to judge, and the answer in that case is left open.
    need_material(response.status.is_success(), "there is no King")?;
    let body = trial.ok_json(&response)?;
    let mut named: Vec<Address> =
        members_within(&body).into_iter().filter_map(|(_, member)| parsed(member)).collect();
    named.sort_unstable();
    named.dedup();
    let market = market.with(trial, &named).await?;
    let known: Vec<&Token> = named.iter().filter_map(|address| market.get(address)).collect();
    need_material(!known.is_empty(), "the record of the King names no listed token")?;
    let funding = known.iter().any(|token| !token.graduated);
    trial.require_or(&response, funding, "a token that has not graduated", || {
        known.iter().map(|token| format!("{} has graduated", token.address)).collect::<Vec<_>>().join(", ")
    })
}

/// Finds a record with an address in an answer, at the top level or in a member.
fn inner_record(response: &Response) -> Option<RawRow> {
    let whole: RawRow = serde_json::from_slice(&response.body).ok()?;
    if whole.address("address").is_some() {
        return Some(whole);
    }
    whole.inner_token().and_then(|(_, text)| serde_json::from_str(text).ok())
}

/// Returns the King's record with its numbers as they were written.
fn row(trial: &Trial<'_>, response: &Response) -> Verdict<RawRow> {
    let body: Value = trial.ok_json(response)?;
    trial.object(response, &body, &[Place::List])?;
    trial.decoded(response, "a token object")
}
