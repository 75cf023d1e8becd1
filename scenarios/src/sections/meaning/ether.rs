//! Prices and market caps are in ether, whatever the formula; the unit of volumes is left open.
use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use super::shown::{Kind, Shown, every_token};
use super::tally::Tally;
use crate::model::bounds::Bounds;
use crate::prelude::*;
use crate::sections::swap::units::near_a_power_of_ten;
use crate::truth::ledger::{Launch, Ledger};

const FIGURES: [&str; 2] = ["price_eth", "market_cap"];
/// Whole tokens of every launch.
const SUPPLY: u64 = 1_000_000_000;
/// How figures in another unit differ.
const OFF: &str = "decimal places off those of the logs";
/// The largest factor by which another formula may change a figure.
const FORMULAS: u32 = 100;
/// How many times a price may be beyond those that were, as that of a large purchase is.
const FAR: u32 = 3;

/// A figure may follow from another formula, but must not be off by a power of ten, as another unit would be.
pub(super) async fn held(trial: &Trial<'_>, ledger: &Ledger) -> Verdict {
    let every = every_token(trial, ledger).await?;
    FIGURES.iter().try_for_each(|name| in_ether(trial, ledger, &every.shown, name))?;
    every.shown.iter().try_for_each(|one| among_its_prices(trial, ledger, one))
}

/// Whatever mark is current, a price is not far from all prices that the token had.
fn among_its_prices(trial: &Trial<'_>, ledger: &Ledger, one: &Shown) -> Verdict {
    let launch =
        ledger.token(one.address).filter(|launch| launch.asset.is_none() && knows_its_prices(launch));
    let Some((launch, figure)) = launch.zip(one.row().figure("price_eth")) else { return Ok(()) };
    let prices = || launch.marks.iter().map(|mark| &mark.price).chain([&launch.opening, &launch.price]);
    let Some((least, most)) = prices().min().zip(prices().max()) else { return Ok(()) };
    let far = BigInt::from(FAR);
    let fits = figure.value() * &far >= *least && *figure.value() <= most * &far;
    let expected = format!("price_eth of {} near a price that it had", one.address);
    trial.require_or(&*one.response, fits, &expected, || {
        let [least, most] = [least, most].map(|price| Bounds::exact(price.clone()));
        format!("{}, where the prices were from {least} to {most}", figure.text())
    })
}

/// Whether the prices after a graduation are known.
fn knows_its_prices(launch: &Launch) -> bool {
    let graduated = launch.graduated.as_ref().map(|at| at.block);
    graduated.is_none_or(|block| launch.marks.iter().any(|mark| mark.at.block >= block))
}

fn in_ether(trial: &Trial<'_>, ledger: &Ledger, shown: &[Shown], name: &str) -> Verdict {
    let mut tallies: BTreeMap<Kind, Tally<'_>> = BTreeMap::new();
    for one in shown {
        let launch = ledger.token(one.address).filter(|launch| launch.asset.is_none());
        let Some((launch, figure)) = launch.zip(one.row().figure(name)) else { continue };
        let exact = of_logs(launch, name);
        if exact.is_zero() || figure.value().is_zero() {
            continue;
        }
        let tally = tallies.entry(Kind::of(launch)).or_default();
        let quotient = figure.value() / exact;
        let most = BigRational::from_integer(FORMULAS.into());
        if quotient <= most && quotient >= most.recip() {
            tally.fitting += 1;
        } else if near_a_power_of_ten(quotient) {
            tally.off.push((one, figure));
        } else {
            tally.others += 1;
        }
    }
    tallies.values().try_for_each(|tally| tally.judged(trial, name, "ether", OFF))
}

/// Returns the figure by the simplest formula, in ether.
fn of_logs(launch: &Launch, name: &str) -> BigRational {
    match name {
        "price_eth" => launch.price.clone(),
        _ => &launch.price * BigInt::from(SUPPLY),
    }
}
