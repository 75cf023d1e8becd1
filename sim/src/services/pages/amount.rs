//! Amounts as exact text and back, with their assets.
use alloy::primitives::U256;
use maud::{Markup, html};
use slipway_contracts::deploy::QuoteAsset;

use super::number::{balance, number};
use crate::api::tokens::view::TokenView;

/// Decimals of the native coin and of every launch token.
pub(in crate::services) const DECIMALS: u8 = 18;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asset {
    pub(super) symbol: String,
    pub(super) decimals: u8,
}

impl Asset {
    pub(super) fn native() -> Self {
        Self { symbol: "ETH".to_owned(), decimals: DECIMALS }
    }

    /// The asset of a launch; `None` is the native coin.
    pub(super) fn of(asset: Option<&QuoteAsset>) -> Self {
        asset.map_or_else(Self::native, |asset| Self {
            symbol: asset.symbol.clone(),
            decimals: asset.decimals,
        })
    }

    pub(super) fn quote(token: &TokenView) -> Self {
        Self::of(token.quote_asset.as_ref())
    }

    pub(super) fn launched(token: &TokenView) -> Self {
        Self { symbol: token.launch.metadata.ticker.clone(), decimals: DECIMALS }
    }

    pub(super) fn amount(&self, units: U256) -> Markup {
        html! { (self.number(units)) " " bdi { (self.symbol) } }
    }

    /// What an account has of the asset.
    pub(super) fn balance(&self, units: U256) -> Markup {
        html! { (balance(units, self.decimals)) " " bdi { (self.symbol) } }
    }

    /// An amount without its symbol, for columns whose head contains it.
    pub(super) fn number(&self, units: U256) -> Markup {
        number(units, self.decimals)
    }
}

/// Units as a decimal number with all significant digits.
pub(in crate::services) fn exact(units: U256, decimals: u8) -> String {
    let digits = units.to_string();
    let decimals = usize::from(decimals);
    if decimals == 0 {
        return digits;
    }
    let padded = format!("{digits:0>width$}", width = decimals + 1);
    let (whole, part) = padded.split_at(padded.len() - decimals);
    let part = part.trim_end_matches('0');
    if part.is_empty() { whole.to_owned() } else { format!("{whole}.{part}") }
}

/// Parses a positive decimal number as units; `None` if it is not a number or has too many digits for the asset.
pub(in crate::services) fn units(text: &str, decimals: u8) -> Option<U256> {
    let text = text.trim();
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let decimals = usize::from(decimals);
    let only_digits = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if part.len() > decimals || whole.len() + part.len() == 0 || !only_digits(whole) || !only_digits(part) {
        return None;
    }
    let units = U256::from_str_radix(&format!("{whole}{part:0<decimals$}"), 10).ok()?;
    (!units.is_zero()).then_some(units)
}

#[cfg(test)]
mod tests {
    use super::{exact, units};
    use alloy::primitives::U256;

    #[test]
    fn amounts_are_exact_in_both_directions() {
        let cases = [
            (1_u128, 18, "0.000000000000000001"),
            (1_500_000_000_000_000_000, 18, "1.5"),
            (20_000_000_000_000_000_000, 18, "20"),
            (123_456, 6, "0.123456"),
            (7, 0, "7"),
        ];
        for (amount, decimals, text) in cases {
            assert_eq!(exact(U256::from(amount), decimals), text);
            assert_eq!(units(text, decimals), Some(U256::from(amount)));
        }
        assert_eq!(exact(U256::ZERO, 18), "0");
        assert_eq!(units(" .5 ", 1), Some(U256::from(5)));
    }

    #[test]
    fn other_text_is_no_amount() {
        for text in ["", ".", "0", "0.0", "-1", "+1", "1e3", "0x1", "1,5", "1.2.3", "1.25", "٣"] {
            assert_eq!(units(text, 1), None, "{text}");
        }
        assert_eq!(units(&"9".repeat(79), 0), None);
    }
}
