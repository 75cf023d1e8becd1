//! Price and volume over time as a few samples, and their drawings: a small line for lists, a chart for a token's page.
use std::cmp::Ordering;

use maud::{Markup, html};

use crate::state::token::Token;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    /// End of the interval, Unix seconds.
    pub(super) at: u64,
    /// Price at the end of the interval, in quote units.
    pub(super) price: u128,
    /// Quote units traded in the interval.
    pub(super) volume: u128,
}

/// Price and volume in the last `span` seconds, at most since the token's creation, in `count` equal intervals.
pub(super) fn samples(token: &Token, now: u64, span: Option<u64>, count: u64) -> Vec<Sample> {
    let created = token.birth.created_at;
    let begin = span.map_or(created, |span| now.saturating_sub(span).max(created));
    let span = now.saturating_sub(begin).max(count);
    let at = |time| token.trades.at(time).unwrap_or((token.opening_price(), 0));
    let (_, mut before) = if begin == created { (0, 0) } else { at(begin) };
    let sample = |step| {
        let time = begin + span * step / count;
        let (price, volume) = at(time);
        let traded = volume - before;
        before = volume;
        Sample { at: time, price, volume: traded }
    };
    (1..=count).map(sample).collect()
}

/// The range of values, from the smallest to the largest.
struct Range {
    least: u128,
    most: u128,
}

impl Range {
    fn of(values: impl Iterator<Item = u128> + Clone) -> Self {
        Self { least: values.clone().min().unwrap_or(0), most: values.max().unwrap_or(0) }
    }

    /// Distance from the top of a drawing with this height; a range of one value is drawn in the middle.
    fn y(&self, value: u128, height: u128) -> u128 {
        if self.least == self.most {
            return height / 2;
        }
        height - scaled(value - self.least, self.most - self.least, height)
    }
}

/// A price in steps, each as wide as one sample.
fn steps(samples: &[Sample], range: &Range, width: usize, height: u128) -> String {
    let mut path = format!("M0 {}", range.y(samples.first().map_or(0, |sample| sample.price), height));
    for (x, sample) in (1..).zip(samples) {
        path.push_str(&format!("V{}H{}", range.y(sample.price, height), x * width));
    }
    path
}

/// A small line of a token's price.
pub(super) fn line(token: &Token, now: u64) -> Markup {
    const COUNT: u64 = 24;
    const HEIGHT: u128 = 24;
    let samples = samples(token, now, None, COUNT);
    let range = Range::of(samples.iter().map(|sample| sample.price));
    let path = steps(&samples, &range, 4, HEIGHT);
    let last = samples.last().map_or(0, |sample| sample.price);
    let class = match last.cmp(&token.opening_price()) {
        Ordering::Less => "line fell",
        Ordering::Equal => "line still",
        Ordering::Greater => "line rose",
    };
    html! {
        svg class=(class) viewBox="0 -1 96 26" width="96" height="26" role="img" aria-label="Price since its creation" {
            path.area d={ (path) "V24H0z" } {}
            path d=(path) {}
        }
    }
}

/// A chart of the price above the volume. Its width is stretched to fit.
pub(super) fn chart(samples: &[Sample]) -> Markup {
    const HEIGHT: u128 = 200;
    const VOLUME: u128 = 60;
    const WIDTH: usize = 10;
    let prices = Range::of(samples.iter().map(|sample| sample.price));
    let volumes = Range { least: 0, most: samples.iter().map(|sample| sample.volume).max().unwrap_or(0) };
    let path = steps(samples, &prices, WIDTH, HEIGHT);
    let bars: String = (0..)
        .zip(samples)
        .filter(|(_, sample)| sample.volume > 0)
        .map(|(x, sample)| {
            let top = HEIGHT + 20 + volumes.y(sample.volume, VOLUME);
            format!("M{} {}V{top}h8V{}z", x * WIDTH + 1, HEIGHT + 20 + VOLUME, HEIGHT + 20 + VOLUME)
        })
        .collect();
    let width = samples.len() * WIDTH;
    html! {
        svg.chart viewBox={ "0 -2 " (width) " 284" } preserveAspectRatio="none" role="img"
            aria-label="Price and volume over time; the figures are in the table of trades" {
            path.grid d={ "M0 0H" (width) "M0 100H" (width) "M0 200H" (width) } {}
            path.area d={ (path) "V200H0z" } {}
            path.price d=(path) {}
            path.volume d=(bars) {}
        }
    }
}

/// `value / most` of `height`, rounded down; the only rounding in the drawing.
pub(super) fn scaled(value: u128, most: u128, height: u128) -> u128 {
    // Both are shifted so that the product cannot overflow.
    let cut = 100_u32.saturating_sub(most.leading_zeros() + 20);
    (value >> cut) * height / (most >> cut).max(1)
}

#[cfg(test)]
mod tests {
    use super::{Range, Sample, scaled, steps};

    #[test]
    fn scaled_values_stay_within_the_height() {
        assert_eq!(scaled(5, 10, 20), 10);
        assert_eq!(scaled(0, 1, 20), 0);
        for most in [1, 7, 1 << 60, 1 << 100, u128::MAX] {
            assert_eq!(scaled(most, most, 20), 20, "{most}");
            assert!(scaled(most / 2, most, 200) <= 100);
        }
    }

    #[test]
    fn lines_fill_the_height_between_least_and_most() {
        let samples = [3, 5, 4].map(|price| Sample { at: 0, price, volume: 0 });
        let range = Range::of(samples.iter().map(|sample| sample.price));
        assert_eq!(steps(&samples, &range, 4, 20), "M0 20V20H4V0H8V10H12");
        let flat = Range { least: 7, most: 7 };
        assert_eq!(flat.y(7, 20), 10);
    }
}
