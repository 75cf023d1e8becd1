//! Changes of prices and shares of the supply are in percent, whatever they are measured from.
use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::range::{DAY, HOUR, WindowLength};
use super::shown::{Kind, every_token};
use super::tally::Tally;
use crate::prelude::*;
use crate::truth::ledger::{Launch, Ledger};

const FIGURES: [&str; 4] =
    ["price_change_24h", "price_change_1h", "top_10_percentage", "dev_holding_percentage"];
const CHANGES: [(&str, WindowLength); 2] = [("price_change_24h", DAY), ("price_change_1h", HOUR)];
/// How changes of another window, or of none, differ.
const BEYOND: &str = "beyond those of the window";
/// How figures in another unit differ.
const OFF: &str = "a hundred times off those of the chain";

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Percent,
    /// A hundredth or a hundred times of a percentage, like a ratio or basis points.
    HundredTimesOff,
}

/// Shown changes are percentages since some price that the token had, and shares are those of its balances. A unit is blamed if no figure of
/// its name, of tokens of a kind, is in percent, and most are once they are multiplied or divided by a hundred.
pub(super) async fn held(trial: &Trial<'_>, ledger: &Ledger) -> Verdict {
    let mut tallies: BTreeMap<(&str, Kind), Tally<'_>> = BTreeMap::new();
    let every = every_token(trial, ledger).await?;
    for one in &every.shown {
        let Some(launch) = ledger.token(one.address) else { continue };
        let row = one.row();
        for name in FIGURES {
            let figure = row.figure(name).filter(|figure| !figure.value().is_zero());
            let Some(figure) = figure else { continue };
            let tally = tallies.entry((name, Kind::of(launch))).or_default();
            match unit(&percentages(launch, name), figure.value()) {
                Some(Unit::Percent) => tally.fitting += 1,
                Some(Unit::HundredTimesOff) => tally.off.push((one, figure)),
                None => tally.others += 1,
            }
        }
    }
    tallies.iter().try_for_each(|((name, _), tally)| tally.judged(trial, name, "percent", OFF))?;
    CHANGES.into_iter().try_for_each(|(name, window)| {
        let mut tallies: BTreeMap<Kind, Tally<'_>> = BTreeMap::new();
        for one in &every.shown {
            let launch = ledger.token(one.address);
            let Some((launch, figure)) = launch.zip(one.row().figure(name)) else { continue };
            let (first, last) = one.window;
            let Some(ranges) = changes(launch, first, window).zip(changes(launch, last, window)) else {
                continue;
            };
            let tally = tallies.entry(Kind::of(launch)).or_default();
            let fits = |(least, most): &Range| (least..=most).contains(&figure.value());
            if fits(&ranges.0) || fits(&ranges.1) {
                tally.fitting += 1;
            } else {
                tally.off.push((one, figure));
            }
        }
        tallies.values().try_for_each(|tally| tally.judged(trial, name, "percent of its window", BEYOND))
    })
}

/// The least and the most that a figure may be.
type Range = (BigRational, BigRational);

/// Returns the least and the most that a price may have changed in a window, from whatever price near its beginning, with room for another
/// mark; `None` if it may have stayed as it was.
fn changes(launch: &Launch, now: u64, (window, edge): WindowLength) -> Option<Range> {
    let start = now.saturating_sub(window);
    let (first, last) = (start.saturating_sub(edge), start + edge);
    let before = launch.marks.iter().rfind(|mark| mark.at.time < first).map(|mark| &mark.price);
    let near =
        launch.marks.iter().filter(|mark| (first..=last).contains(&mark.at.time)).map(|mark| &mark.price);
    let after = launch.marks.iter().find(|mark| mark.at.time > last).map(|mark| &mark.price);
    let prices = [before.or(Some(&launch.opening)), after].into_iter().flatten().chain(near);
    let prices: Vec<&BigRational> = prices.filter(|price| price.is_positive()).collect();
    let (least, most) = prices.iter().min().zip(prices.iter().max())?;
    let room = |numerator: i64| BigRational::new(numerator.into(), 10.into());
    let percent =
        |price: BigRational, base: &BigRational| (price / base - BigRational::one()) * BigInt::from(100);
    let range = (percent(&launch.price * room(9), most), percent(&launch.price * room(11), least));
    (range.0.is_positive() || range.1.is_negative()).then_some(range)
}

/// Returns what the figure may be by some reading, without those that are too small to tell a unit.
fn percentages(launch: &Launch, name: &str) -> Vec<BigRational> {
    let hundred = BigRational::from_integer(BigInt::from(100));
    let all: Vec<BigRational> = match name {
        "top_10_percentage" => vec![launch.top_percentage(), launch.top_percentage_of_all()],
        "dev_holding_percentage" => vec![launch.creator_percentage()],
        _ => {
            let prices = launch.marks.iter().map(|mark| &mark.price).chain([&launch.opening]);
            let prices = prices.filter(|price| price.is_positive());
            prices.map(|price| (&launch.price / price - BigRational::one()) * &hundred).collect()
        }
    };
    all.into_iter().filter(|one| one.abs() >= BigRational::one()).collect()
}

/// Returns the unit in which the figure is one of these percentages; `None` if it fits neither.
fn unit(percentages: &[BigRational], shown: &BigRational) -> Option<Unit> {
    let hundred = BigRational::from_integer(BigInt::from(100));
    // A figure may be rounded to three digits.
    let is_one = |value: &BigRational| {
        percentages.iter().any(|percent| (value - percent).abs() * BigInt::from(200) <= percent.abs())
    };
    if is_one(shown) {
        return Some(Unit::Percent);
    }
    let off = is_one(&(shown * &hundred)) || is_one(&(shown / &hundred));
    off.then_some(Unit::HundredTimesOff)
}

#[cfg(test)]
mod tests {
    use super::{Unit, percentages, unit};
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
            assert_eq!(unit(&percentages(&launch, "price_change_24h"), &price(shown)), expected, "{shown}");
        }
    }
}
