//! Price changes are in percent, whatever price they are measured from.
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::shown::every_token;
use crate::prelude::*;
use crate::truth::ledger::{Launch, Ledger};

const CHANGES: [&str; 2] = ["price_change_24h", "price_change_1h"];
/// Changes that must be off before a unit is blamed, because one may be off by chance.
const ENOUGH: usize = 2;

/// The unit of a price change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Percent,
    /// A hundredth or a hundred times of a percentage, like a ratio or basis points.
    HundredTimesOff,
}

/// Shown changes are percentages since some price that the token had. A unit is blamed if no change is one, and most are once they are
/// multiplied or divided by a hundred.
pub(super) async fn held(trial: &Trial<'_>, ledger: &Ledger) -> Verdict {
    let (mut percent, mut off, mut others) = (0, Vec::new(), 0);
    let every = every_token(trial, ledger).await?;
    for one in &every.shown {
        let Some(launch) = ledger.token(one.address) else { continue };
        let row = one.row();
        for name in CHANGES {
            let figure = row.figure(name).filter(|figure| !figure.value().is_zero());
            let Some(figure) = figure else { continue };
            match unit(launch, figure.value()) {
                Some(Unit::Percent) => percent += 1,
                Some(Unit::HundredTimesOff) => off.push((one, name, figure)),
                None => others += 1,
            }
        }
    }
    let blamed = percent == 0 && off.len() >= ENOUGH && off.len() >= others;
    let Some((one, name, figure)) = off.first().filter(|_| blamed) else { return Ok(()) };
    let expected = format!("{name} of {} in percent", one.address);
    trial.require_or(&*one.response, false, &expected, || {
        let text = figure.text();
        format!("{text}, as {} changes that are a hundred times off those of the logged prices", off.len())
    })
}

/// Returns the unit in which the figure is a change since some price of the token; `None` if it fits neither, or the changes are too small
/// to tell.
fn unit(launch: &Launch, shown: &BigRational) -> Option<Unit> {
    let hundred = BigRational::from_integer(BigInt::from(100));
    let prices = launch.marks.iter().map(|mark| &mark.price).chain([&launch.opening]);
    let changes: Vec<BigRational> = prices
        .filter(|price| price.is_positive())
        .map(|price| (&launch.price / price - BigRational::one()) * &hundred)
        .filter(|change| change.abs() >= BigRational::one())
        .collect();
    // A figure may be rounded to three digits.
    let is_one = |value: &BigRational| {
        changes.iter().any(|change| (value - change).abs() * BigInt::from(200) <= change.abs())
    };
    if is_one(shown) {
        return Some(Unit::Percent);
    }
    let off = is_one(&(shown * &hundred)) || is_one(&(shown / &hundred));
    off.then_some(Unit::HundredTimesOff)
}

#[cfg(test)]
mod tests {
    use super::{Unit, unit};
    use crate::model::figure::rational;
    use crate::truth::ledger::Launch;
    use crate::truth::ledger::launch::{LogPosition, Mark};

    #[test]
    fn a_change_is_in_percent_from_whatever_price() {
        let price = |text: &str| rational(text).unwrap();
        let mark = |text: &str| Mark { at: LogPosition::default(), price: price(text) };
        let (opening, marks) = (price("1"), vec![mark("1.25"), mark("1.4")]);
        let launch = Launch { opening, marks, price: price("1.4"), ..Launch::default() };
        for (shown, expected) in [
            ("40", Some(Unit::Percent)),
            ("12", Some(Unit::Percent)),
            ("39.9", Some(Unit::Percent)),
            ("0.4", Some(Unit::HundredTimesOff)),
            ("0.12", Some(Unit::HundredTimesOff)),
            ("4000", Some(Unit::HundredTimesOff)),
            ("25", None),
            ("-40", None),
        ] {
            assert_eq!(unit(&launch, &price(shown)), expected, "{shown}");
        }
    }
}
