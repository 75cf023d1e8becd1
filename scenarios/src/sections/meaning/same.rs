//! Every endpoint returns the same values of a token, including King and Emperor, in the same spelling.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::shown::{Shown, every_token, of_each, rows};
use super::timed::TimedReads;
use crate::answers::reads::{CAPABILITIES, EOTI, LEADERBOARD, LIST, PAIRS, QUOTE_ASSETS, RECENT};
use crate::model::figure::{Figure, says_the_same};
use crate::model::target::CHAINS;
use crate::prelude::*;
use crate::truth::ledger::Ledger;

/// Whether the clock changes a figure: it is only compared within one second.
fn is_moved_by_the_clock(name: &str) -> bool {
    ["_1h", "_24h"].into_iter().any(|window| name.contains(window))
}

/// Orders in which the list is read again.
const ORDERS: [&str; 5] = ["newest", "oldest", "trending", "mcap-high", "mcap-low"];
/// How often each list is read.
const ROUNDS: usize = 5;

/// Every endpoint returns the same values of a token.
pub(super) async fn everywhere(trial: &Trial<'_>, ledger: &Ledger) -> Verdict {
    let every = every_token(trial, ledger).await?;
    same_fields(trial, &every.shown, every.moved, says_the_same)
}

/// Every list returns the same values of a token, however often it is read while nothing moves.
pub(super) async fn again(trial: &Trial<'_>, _: &Ledger) -> Verdict {
    let reads = TimedReads::begin(trial).await?;
    let before = reads.since();
    let mut shown = Vec::new();
    for _ in 0..ROUNDS {
        for order in ORDERS {
            shown.extend(rows(&reads, LIST, &[param("sortBy", order)]).await?.shown);
        }
        for chain in CHAINS {
            shown.extend(rows(&reads, RECENT, &[param("chainId", chain.to_string())]).await?.shown);
        }
    }
    same_fields(trial, &shown, reads.since() != before, says_the_same)
}

/// Every endpoint spells an address the same way, and a figure with the same digits.
pub(super) async fn alike(trial: &Trial<'_>, ledger: &Ledger) -> Verdict {
    let every = every_token(trial, ledger).await?;
    same_fields(trial, &every.shown, every.moved, |one, other| {
        one == other || Figure::parse(one).zip(Figure::parse(other)).is_some_and(|(one, other)| one == other)
    })?;
    let mut spellings = Spellings::default();
    for of_answer in every.shown.chunk_by(|one, next| Arc::ptr_eq(&one.response, &next.response)) {
        spellings.add_answer(trial, &of_answer[0].response)?;
    }
    for response in others(trial).await? {
        spellings.add_answer(trial, &Arc::new(response))?;
    }
    Ok(())
}

fn same_fields(trial: &Trial<'_>, shown: &[Shown], moved: bool, same: fn(&str, &str) -> bool) -> Verdict {
    of_each(shown).iter().try_for_each(|of_token| same_rows(trial, of_token, moved, same))
}

/// The rows of one token agree in each field.
fn same_rows(trial: &Trial<'_>, shown: &[&Shown], moved: bool, same: fn(&str, &str) -> bool) -> Verdict {
    let rows: Vec<_> = shown.iter().map(|one| (*one, one.row())).collect();
    let mut first: BTreeMap<&str, (&str, &Shown)> = BTreeMap::new();
    for (one, row) in &rows {
        for (name, now) in row.members() {
            if moved && is_moved_by_the_clock(name) {
                continue;
            }
            let (before, earlier) = *first.entry(name).or_insert((now, one));
            if !same(before, now) {
                let expected =
                    format!("{name} of {} = {before}, as {} has it", one.address, earlier.endpoint);
                trial.require_or(&*one.response, false, &expected, || format!("{name} = {now}"))?;
            }
        }
    }
    Ok(())
}

/// Returns answers with addresses other than those of tokens.
async fn others(trial: &Trial<'_>) -> Verdict<Vec<Response>> {
    let mut responses = Vec::new();
    for chain in CHAINS {
        for path in [CAPABILITIES, QUOTE_ASSETS] {
            responses.push(trial.read(path, &[param("chainId", chain.to_string())]).await?);
        }
    }
    responses.push(trial.read(LEADERBOARD, &[param("limit", "100")]).await?);
    responses.push(trial.read(EOTI, &[param("includeBidData", "true")]).await?);
    if let Ok(swap) = trial.swap() {
        for path in [PAIRS, LIST] {
            responses.push(trial.request(Request::get(swap, path, &[])).await?);
        }
    }
    Ok(responses)
}

/// The first spelling of each address, with its answer.
#[derive(Default)]
struct Spellings {
    seen: BTreeMap<Address, (String, Arc<Response>)>,
    bodies: BTreeSet<String>,
}

impl Spellings {
    fn add_answer(&mut self, trial: &Trial<'_>, response: &Arc<Response>) -> Verdict {
        if !self.bodies.insert(response.request.reproduce()) || response.code() != 200 {
            return Ok(());
        }
        let body = trial.ok_json(response)?;
        self.add(trial, response, &body)
    }

    fn add(&mut self, trial: &Trial<'_>, response: &Arc<Response>, value: &Value) -> Verdict {
        match value {
            Value::String(text) if text.len() == 42 && text.starts_with("0x") => {
                let Ok(address) = text.parse::<Address>() else {
                    return Ok(());
                };
                let (spelled, earlier) =
                    self.seen.entry(address).or_insert_with(|| (text.clone(), Arc::clone(response)));
                if spelled == text {
                    return Ok(());
                }
                let expected = format!("{spelled}, as `{}` spells it", earlier.request.reproduce());
                trial.require_or(&**response, false, &expected, || text.clone())
            }
            Value::Array(items) => items.iter().try_for_each(|item| self.add(trial, response, item)),
            Value::Object(members) => members.values().try_for_each(|item| self.add(trial, response, item)),
            _ => Ok(()),
        }
    }
}
