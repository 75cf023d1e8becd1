//! Prices, market caps and volumes are in ether, whatever the formula.
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use super::shown::{Shown, every_token};
use crate::model::figure::Figure;
use crate::prelude::*;
use crate::sections::swap::units::near_a_power_of_ten;
use crate::truth::ledger::{Launch, Ledger};

const FIGURES: [&str; 3] = ["price_eth", "market_cap", "volume_24h"];
const DAY: u64 = 86_400;
/// Whole tokens of every launch.
const SUPPLY: u64 = 1_000_000_000;
/// The largest factor by which another formula may change a figure.
const FORMULAS: u32 = 100;
/// Figures that must be off before a unit is blamed, because one may be off by chance.
const ENOUGH: usize = 2;

/// A figure may follow from another formula, but must not be off by a power of ten, as another unit would be.
pub(super) async fn held(trial: &Trial<'_>, ledger: &Ledger) -> Verdict {
    let every = every_token(trial, ledger).await?;
    FIGURES.iter().try_for_each(|name| in_ether(trial, ledger, &every.shown, name))
}

fn in_ether(trial: &Trial<'_>, ledger: &Ledger, shown: &[Shown], name: &str) -> Verdict {
    let (mut fitting, mut off, mut others): (usize, Vec<(&Shown, Figure)>, usize) = (0, Vec::new(), 0);
    for one in shown {
        let launch = ledger.token(one.address).filter(|launch| launch.asset.is_none());
        let Some((launch, figure)) = launch.zip(one.row().figure(name)) else { continue };
        let exact = of_logs(launch, name, one.window.1);
        if exact.is_zero() || figure.value().is_zero() {
            continue;
        }
        let quotient = figure.value() / exact;
        let most = BigRational::from_integer(FORMULAS.into());
        if quotient <= most && quotient >= most.recip() {
            fitting += 1;
        } else if near_a_power_of_ten(quotient) {
            off.push((one, figure));
        } else {
            others += 1;
        }
    }
    let blamed = fitting == 0 && off.len() >= ENOUGH && off.len() >= others;
    let Some((one, figure)) = off.first().filter(|_| blamed) else { return Ok(()) };
    let expected = format!("{name} of {} in ether", one.address);
    trial.require_or(&*one.response, false, &expected, || {
        let places = off.len();
        format!("{}, as {places} figures that are decimal places off those of the logs", figure.text())
    })
}

/// Returns the figure by the simplest formula, in ether.
fn of_logs(launch: &Launch, name: &str, second: u64) -> BigRational {
    match name {
        "price_eth" => launch.price.clone(),
        "market_cap" => &launch.price * BigInt::from(SUPPLY),
        _ => {
            let units: BigInt = launch.within(second, DAY).map(|trade| &trade.volume).sum();
            BigRational::new(units, BigInt::from(10).pow(18))
        }
    }
}
