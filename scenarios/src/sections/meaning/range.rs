//! Limits of a token's figures that follow from the interface's words alone, without a formula.
use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::shown::{Shown, every_token};
use crate::model::figure::Figure;
use crate::prelude::*;
use crate::truth::ledger::{Launch, Ledger};

const POSITIVE: [&str; 2] = ["price_eth", "market_cap"];
const NOT_NEGATIVE: [&str; 2] = ["volume_24h", "volume_1h"];
const COUNTS: [&str; 5] =
    ["txns_24h_buys", "txns_24h_sells", "txns_1h_buys", "txns_1h_sells", "total_holders"];
const PERCENTAGES: [&str; 2] = ["top_10_percentage", "dev_holding_percentage"];
/// A price cannot fall by more than 100%.
const CHANGES: [&str; 2] = ["price_change_24h", "price_change_1h"];
/// The seconds of a window, and by how many its far edge, which is left open, may lie elsewhere.
pub(super) type WindowLength = (u64, u64);
pub(super) const HOUR: WindowLength = (3_600, 600);
pub(super) const DAY: WindowLength = (86_400, 3_600);
pub(super) const VOLUMES: [(&str, WindowLength); 2] = [("volume_1h", HOUR), ("volume_24h", DAY)];
/// Traders that hold a token, of whom at least one counts as a holder.
const FEW: usize = 3;
/// Figures of an hour with the same figures of a day.
const WINDOWS: [(&str, &str); 3] =
    [("volume_1h", "volume_24h"), ("txns_1h_buys", "txns_24h_buys"), ("txns_1h_sells", "txns_24h_sells")];

/// Every figure on every endpoint that shows it is possible.
pub(super) async fn held(trial: &Trial<'_>, ledger: &Ledger) -> Verdict {
    every_token(trial, ledger).await?.shown.iter().try_for_each(|shown| {
        possible(trial, shown)?;
        ledger.token(shown.address).map_or(Ok(()), |launch| of_its_chain(trial, shown, launch))
    })
}

/// A window without a trade has no volume, and half of a target is some progress. No more hold a token than have a balance of it, contracts
/// included, but somebody does if several traders do.
fn of_its_chain(trial: &Trial<'_>, shown: &Shown, launch: &Launch) -> Verdict {
    let row = shown.row();
    let is = |name: &str, expected: &str, fits: &dyn Fn(&Figure) -> bool| {
        let figure = row.figure(name);
        let expected = format!("{name} of {} is {expected}", shown.address);
        let text = || figure.as_ref().map(|figure| figure.text().to_owned()).unwrap_or_default();
        trial.require_or(&*shown.response, figure.as_ref().is_none_or(fits), &expected, text)
    };
    for (name, (window, edge)) in VOLUMES {
        if launch.within(shown.window.0, window + edge).next().is_none() {
            is(name, "0, because nothing was traded", &|one| one.value().is_zero())?;
        }
    }
    if launch.progress() * BigInt::from(2) >= BigRational::one() {
        is("funding_progress", "above 0, as half of the target was raised", &|one| !one.value().is_zero())?;
    }
    let holds = |account: &Address| launch.balances.get(account).is_some_and(|held| !held.is_zero());
    let most = launch.balances.keys().filter(|account| holds(account)).count() as u64;
    is("total_holders", &format!("at most {most}"), &|one| *one <= Figure::whole(most))?;
    // Contracts need not count, but hardly every trader is one.
    let traders: BTreeSet<&Address> =
        launch.trades.iter().filter(|trade| trade.on_curve).map(|trade| &trade.trader).collect();
    if traders.into_iter().filter(|trader| holds(trader)).count() < FEW {
        return Ok(());
    }
    is("total_holders", "at least 1", &|one| !one.value().is_zero())
}

fn possible(trial: &Trial<'_>, shown: &Shown) -> Verdict {
    let row = shown.row();
    let figure = |name: &str| row.figure(name);
    let is = |fits: bool, name: &str, expected: &str| {
        let expected = format!("{name} of {} is {expected}", shown.address);
        trial.require_or(&*shown.response, fits, &expected, || {
            row.raw(name).map_or_else(|| "none".to_owned(), |raw| raw.get().to_owned())
        })
    };
    let every = |names: &[&str], expected: &str, fits: fn(&Figure) -> bool| {
        names.iter().try_for_each(|name| is(figure(name).is_none_or(|one| fits(&one)), name, expected))
    };
    every(&POSITIVE, "positive", |one| one.value().is_positive())?;
    every(&NOT_NEGATIVE, "not negative", |one| !one.value().is_negative())?;
    every(&COUNTS, "a whole number", |one| one.value().is_integer() && !one.value().is_negative())?;
    every(&PERCENTAGES, "from 0 to 100", |one| {
        !one.value().is_negative() && *one.value() <= *Figure::whole(100).value()
    })?;
    for (hour, day) in WINDOWS {
        let fits = figure(hour).zip(figure(day)).is_none_or(|(hour, day)| hour <= day);
        is(fits, hour, &format!("at most {day}"))?;
    }
    every(&CHANGES, "at least -100", |one| *one.value() >= -Figure::whole(100).value().clone())?;
    let Some(progress) = figure("funding_progress") else { return Ok(()) };
    let (progress, full) = (progress.value(), progress.value().is_one());
    let within = !progress.is_negative() && *progress <= *Figure::whole(1).value();
    is(within, "funding_progress", "from 0 to 1")?;
    let graduated = row.raw("is_graduated").map(|raw| raw.get() == "true");
    is(graduated.is_none_or(|graduated| graduated == full), "funding_progress", "1 exactly when it graduated")
}
