//! Price and volume over time as a few samples, for plots and small price lines. Leaves out how they are drawn.
use maud::{Markup, html};

use crate::state::token::Token;

/// One sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    /// End of the stretch of time, Unix seconds.
    pub(super) at: u64,
    /// Price at that end, in quote units.
    pub(super) price: u128,
    /// Quote units traded in the stretch.
    pub(super) volume: u128,
}

/// Price and volume from a token's creation until `now` in `count` equal stretches of time.
pub(super) fn samples(token: &Token, now: u64, count: u64) -> Vec<Sample> {
    let begin = token.birth.created_at;
    let span = now.saturating_sub(begin).max(count);
    let mut before = 0;
    let sample = |step| {
        let at = begin + span * step / count;
        let (price, volume) = token.trades.at(at).unwrap_or((token.opening_price(), 0));
        let traded = volume - before;
        before = volume;
        Sample { at, price, volume: traded }
    };
    (1..=count).map(sample).collect()
}

/// A small line of a token's price.
pub(super) fn line(token: &Token, now: u64) -> Markup {
    const WIDTH: u64 = 24;
    const HEIGHT: u128 = 20;
    let samples = samples(token, now, WIDTH);
    let highest = samples.iter().map(|sample| sample.price).max().unwrap_or(0).max(1);
    let points: Vec<String> = (0..)
        .zip(&samples)
        .map(|(x, sample)| format!("{},{}", 3 * x, HEIGHT - scaled(sample.price, highest, HEIGHT)))
        .collect();
    html! {
        svg.line viewBox="-1 -1 72 22" width="72" height="22" role="img" aria-label="Price since its creation" {
            polyline points=(points.join(" ")) fill="none" stroke="currentColor" stroke-width="1.5" {}
        }
    }
}

/// `value / most` of `height`, rounded down; the drawing's only rounding.
pub(super) fn scaled(value: u128, most: u128, height: u128) -> u128 {
    // Both are cut to bits that leave room for the product.
    let cut = 100_u32.saturating_sub(most.leading_zeros() + 20);
    (value >> cut) * height / (most >> cut).max(1)
}

#[cfg(test)]
mod tests {
    use super::scaled;

    #[test]
    fn scaled_values_stay_within_the_height() {
        assert_eq!(scaled(5, 10, 20), 10);
        assert_eq!(scaled(0, 1, 20), 0);
        for most in [1, 7, 1 << 60, 1 << 100, u128::MAX] {
            assert_eq!(scaled(most, most, 20), 20, "{most}");
            assert!(scaled(most / 2, most, 200) <= 100);
        }
    }
}
