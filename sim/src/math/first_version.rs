//! What the curve of the first version fixes for every token; its prices after a trade are told by the trade.
//!
//! p(x) = a·e^(b·x) over 8e26 units raises 3 ether and ends at the price of 3 ether against 2e26 units; that fixes u = b·S and,
//! with it, the price at x = 0: u·R / (S·(e^u − 1)).

/// What the curve raises, in wei.
pub const TARGET: u128 = 3_000_000_000_000_000_000;
/// Price of a whole token before the first trade, in wei, rounded down.
pub const OPENING_PRICE: u128 = 297_411_019;
/// Price of the whole supply before the first trade, in wei, rounded down.
pub const OPENING_MARKET_CAP: u128 = 297_411_019_226_676_211;

#[cfg(test)]
mod tests {
    use alloy::primitives::U512;

    use super::{OPENING_MARKET_CAP, OPENING_PRICE, TARGET};

    /// u and e^u with 96 fractional bits.
    const U: u128 = 310_629_095_773_104_257_463_905_116_714;
    const EXP_U: u128 = 3_995_892_421_215_877_370_415_635_626_208;
    const SALE_SUPPLY: u128 = 800_000_000_000_000_000_000_000_000;

    fn opening_down(tokens: u128) -> U512 {
        let one = U512::from(1_u128 << 96);
        let numerator = U512::from(U) * U512::from(TARGET) * U512::from(tokens);
        numerator / U512::from(SALE_SUPPLY) / (U512::from(EXP_U) - one)
    }

    #[test]
    fn the_opening_is_that_of_the_formula() {
        assert_eq!(opening_down(1_000_000_000_000_000_000), U512::from(OPENING_PRICE));
        assert_eq!(
            opening_down(1_000_000_000_000_000_000_000_000_000),
            U512::from(OPENING_MARKET_CAP)
        );
    }

    #[test]
    fn u_solves_the_equation_that_fixes_it() {
        // 1 − e^−u = u/4 means e^u·(4 − u) = 4; both sides with 96 fractional bits, but for the last bits of e^u.
        let one = U512::from(1_u128 << 96);
        let product = U512::from(EXP_U) * (U512::from(4) * one - U512::from(U)) / one;
        assert!(product.abs_diff(U512::from(4) * one) < U512::from(64));
    }
}
