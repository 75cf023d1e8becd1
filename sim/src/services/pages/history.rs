//! The price of a token since its creation as a small line for lists.
use std::cmp::Ordering;

use maud::{Markup, html};

use crate::api::tokens::view::PriceLine;

/// Number of prices on a line.
pub(super) const COUNT: u64 = 24;

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

/// A price line in steps, each as wide as one interval.
fn steps(prices: &[u128], range: &Range, width: usize, height: u128) -> String {
    let mut path = format!("M0 {}", range.y(prices.first().copied().unwrap_or(0), height));
    for (x, price) in (1..).zip(prices) {
        path.push_str(&format!("V{}H{}", range.y(*price, height), x * width));
    }
    path
}

/// A small line of a token's price.
pub(super) fn line(PriceLine { opening, prices }: &PriceLine) -> Markup {
    const HEIGHT: u128 = 24;
    let path = steps(prices, &Range::of(prices.iter().copied()), 4, HEIGHT);
    let last = prices.last().copied().unwrap_or(0);
    let class = match last.cmp(opening) {
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

/// `value / most` of `height`, rounded down; the only rounding in the drawing.
pub(super) fn scaled(value: u128, most: u128, height: u128) -> u128 {
    // Both are shifted so that the product cannot overflow.
    let cut = 100_u32.saturating_sub(most.leading_zeros() + 20);
    (value >> cut) * height / (most >> cut).max(1)
}

#[cfg(test)]
mod tests {
    use super::{Range, scaled, steps};

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
        let range = Range::of([3, 5, 4].into_iter());
        assert_eq!(steps(&[3, 5, 4], &range, 4, 20), "M0 20V20H4V0H8V10H12");
        let flat = Range { least: 7, most: 7 };
        assert_eq!(flat.y(7, 20), 10);
    }
}
