//! The King: the funding token that has come furthest, the older and then the lower address where two have come as far.
use serde_json::Value;

use crate::check::{Inconclusive, Need, Verdict};
use crate::client::http::Answer;
use crate::expect::fields;
use crate::expect::{equal, failure, holds, ok_json, status};
use crate::market::{Market, Snapshot, Token};
use crate::reads::{KOTI, Row};
use crate::world::World;

const CLAUSE: &str = "KOTI-TOP";

/// The funding tokens, the King first.
fn line(market: &Market) -> Vec<&Token> {
    let mut line: Vec<_> = market.tokens().filter(|token| !token.graduated).collect();
    line.sort_by(|one, other| {
        let further = other.funding_progress.cmp(&one.funding_progress);
        further.then(one.created.cmp(&other.created)).then(one.address.cmp(&other.address))
    });
    line
}

/// KOTI-TOP: the King is the first in line, and shows the progress that the list shows.
pub(super) async fn leads(world: &World, market: &Market) -> Verdict {
    let line = line(market);
    let answer = world.read(KOTI, &[]).await?;
    let Some(first) = line.first() else {
        return status(CLAUSE, &answer, 404);
    };
    let row = row(&answer)?;
    let told = row.figure("funding_progress");
    equal(CLAUSE, &answer, "funding_progress", &Some(&first.funding_progress), &told.as_ref())?;
    // Who leads among equals is a choice; elsewhere any of them will do.
    let equals = line.iter().take_while(|token| token.funding_progress == first.funding_progress);
    let address = row.address("address");
    let among = equals.clone().any(|token| Some(token.address) == address);
    holds(CLAUSE, &answer, among, "the funding token that has come furthest", || {
        format!("{address:?}, the first in line being {}", first.address)
    })?;
    if world.has(Need::Control) {
        equal(CLAUSE, &answer, "address", &Some(first.address), &address)?;
    }
    Ok(())
}

/// KOTI-TOP: as each King is taken away the next in line follows, down to the ties at the end, and then there is none.
pub(super) async fn succession(world: &World) -> Verdict {
    let control = world.control()?;
    let checkpoint = control.checkpoint().await?;
    let verdict = one_after_the_other(world).await;
    control.revert(&checkpoint).await?;
    verdict
}

async fn one_after_the_other(world: &World) -> Verdict {
    let control = world.control()?;
    let market = Market::read(world).await?;
    let line = line(&market);
    if line.len() < 2 {
        let reason = format!("{} tokens are on their curve where two are needed", line.len());
        return Err(Inconclusive::NoMaterial { reason }.into());
    }
    for token in line {
        let answer = world.read(KOTI, &[]).await?;
        let address = row(&answer)?.address("address");
        equal(CLAUSE, &answer, "the next in line", &Some(token.address), &address)?;
        control.disable_token(token.address, true).await?;
    }
    let none = world.read(KOTI, &[]).await?;
    status(CLAUSE, &none, 404)?;
    let caused = world.refused_for_a_cause(&none).await?;
    holds(CLAUSE, &none, caused, "a cause in the journal", || "none".to_owned())
}

/// The King's record with its numbers as they were written.
fn row(answer: &Answer) -> Verdict<Row> {
    let body: Value = ok_json(CLAUSE, answer)?;
    fields::object(CLAUSE, answer, &body, &[fields::LIST])?;
    serde_json::from_slice(&answer.body)
        .map_err(|error| failure(CLAUSE, answer, "a token object", error.to_string()))
}
