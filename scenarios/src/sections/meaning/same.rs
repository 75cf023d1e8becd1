//! Every endpoint says the same of a token, King and Emperor included, and spells an address in one way.
use std::collections::BTreeMap;
use std::sync::Arc;

use alloy::primitives::Address;
use num_rational::BigRational;
use serde_json::Value;

use super::shown::{Shown, every_token};
use super::steady::on_ledger;
use crate::check::Verdict;
use crate::client::http::{Request, Response};
use crate::expect::bounds::Bounds;
use crate::expect::figure::Figure;
use crate::ledger::Ledger;
use crate::reads::{CAPABILITIES, CHAINS, EOTI, KOTI, QUOTE_ASSETS, param};
use crate::trial::Trial;

/// Figures that the clock moves: two endpoints are compared within one second only.
const MOVED_BY_THE_CLOCK: [&str; 8] = [
    "volume_24h",
    "volume_1h",
    "price_change_24h",
    "price_change_1h",
    "txns_24h_buys",
    "txns_24h_sells",
    "txns_1h_buys",
    "txns_1h_sells",
];

/// Every endpoint tells the same of one token, the King is the one that leads, and addresses are spelled alike.
pub(super) async fn everywhere(trial: &Trial<'_>) -> Verdict {
    on_ledger(trial, move |trial, ledger| Box::pin(everywhere_of(trial, ledger))).await
}

async fn everywhere_of(trial: &Trial<'_>, ledger: &Ledger) -> Verdict {
    let before = trial.now().await?;
    let shown = every_token(trial, ledger).await?;
    let moved = trial.now().await? != before;
    same_fields(trial, &shown, moved)?;
    king(trial, ledger).await?;
    let mut spellings = Spellings::default();
    for one in &shown {
        spellings.add_answer(trial, &one.response)?;
    }
    for response in others(trial).await? {
        spellings.add_answer(trial, &Arc::new(response))?;
    }
    Ok(())
}

fn same_fields(trial: &Trial<'_>, shown: &[Shown], moved: bool) -> Verdict {
    let mut first: BTreeMap<(Address, &str), &Shown> = BTreeMap::new();
    for one in shown {
        for name in one.row.names() {
            if moved && MOVED_BY_THE_CLOCK.contains(&name) {
                continue;
            }
            let earlier = *first.entry((one.address, name)).or_insert(one);
            let raw = |shown: &Shown| shown.raw(name).map(|raw| raw.get().to_owned());
            let figure = |shown: &Shown| raw(shown).and_then(|text| Figure::parse(&text));
            let same = raw(earlier) == raw(one)
                || figure(earlier).zip(figure(one)).is_some_and(|(earlier, one)| earlier == one);
            if !same {
                let text = |shown: &Shown| raw(shown).unwrap_or_default();
                let expected =
                    format!("{name} of {} = {}, as {} has it", one.address, text(earlier), earlier.endpoint);
                return Err(trial.failure(&*one.response, expected, format!("{name} = {}", text(one))));
            }
        }
    }
    Ok(())
}

/// The King is the funding token with the highest progress; ties go to the earlier one, then to the lower address.
async fn king(trial: &Trial<'_>, ledger: &Ledger) -> Verdict {
    if !ledger.unread.is_empty() {
        return Ok(());
    }
    let response = trial.read(KOTI, &[]).await?;
    let reported =
        response.json().unwrap_or_default()["address"].as_str().and_then(|text| text.parse::<Address>().ok());
    let leader = ledger.launches.values().filter(|launch| !launch.is_graduated()).max_by(|one, other| {
        let key = |launch: &crate::ledger::Launch| -> BigRational { launch.progress() };
        key(one)
            .cmp(&key(other))
            .then(other.created.time.cmp(&one.created.time))
            .then(other.token.cmp(&one.token))
    });
    let Some(leader) = leader else {
        return Ok(());
    };
    // Two tokens may show the same progress though they differ behind its last digit; and a disabled token does not reign.
    let progress =
        reported.and_then(|address| ledger.token(address)).map(crate::ledger::launch::Launch::progress);
    let close = progress
        .is_some_and(|progress| Bounds::exact(leader.progress()).shown_by(&Figure::of_rational(progress)));
    if close { Ok(()) } else { trial.equal(&response, "the King", &Some(leader.token), &reported) }
}

/// Answers that tell addresses and no tokens.
async fn others(trial: &Trial<'_>) -> Verdict<Vec<Response>> {
    let mut responses = Vec::new();
    for chain in CHAINS {
        for path in [CAPABILITIES, QUOTE_ASSETS] {
            responses.push(trial.read(path, &[param("chainId", chain.to_string())]).await?);
        }
    }
    responses.push(trial.read("/api/leaderboard", &[param("limit", "100")]).await?);
    responses.push(trial.read(EOTI, &[param("includeBidData", "true")]).await?);
    if let Ok(swap) = trial.swap() {
        for path in ["/api/pairs", "/api/tokens"] {
            responses.push(trial.request(Request::get(swap, path, &[])).await?);
        }
    }
    Ok(responses)
}

/// How each address was spelled first, and where.
#[derive(Default)]
struct Spellings {
    seen: BTreeMap<Address, (String, Arc<Response>)>,
    bodies: BTreeMap<String, ()>,
}

impl Spellings {
    fn add_answer(&mut self, trial: &Trial<'_>, response: &Arc<Response>) -> Verdict {
        let shown = response.request.reproduce();
        if self.bodies.insert(shown, ()).is_some() || response.status.as_u16() != 200 {
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
                Err(trial.failure(&**response, expected, text.clone()))
            }
            Value::Array(items) => items.iter().try_for_each(|item| self.add(trial, response, item)),
            Value::Object(members) => members.values().try_for_each(|item| self.add(trial, response, item)),
            _ => Ok(()),
        }
    }
}
