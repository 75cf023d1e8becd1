//! Prices and market caps are in ether, whatever the formula; the unit of volumes is left open.
use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use super::shown::{Kind, Shown, every_token};
use super::tally::Tally;
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
/// A figure may follow from another formula, but must not be off by a power of ten, as another unit would be.
pub(super) async fn held(trial: &Trial<'_>, ledger: &Ledger) -> Verdict {
    let every = every_token(trial, ledger).await?;
    FIGURES.iter().try_for_each(|name| in_ether(trial, ledger, &every.shown, name))
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
