//! A quoted trade: its route with every amount, and the rates, impact and fee that follow from them exactly.
use alloy::primitives::{Address, U256, U512};

use super::pair::{FEE_DENOMINATOR, FEE_NUMERATOR, amount_in_up};
use super::route::MAX_HOPS;

/// Scale of the rates and of the price impact.
pub const RATE_SCALE: u64 = 1_000_000_000_000_000_000;
/// Scale of the fee's part of the input: a fee of three pairs has nine places.
pub const LP_FEE_SCALE: u32 = 1_000_000_000;

const BPS_DENOMINATOR: u128 = 10_000;

/// One route and what moves along it. It owns no memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quote {
    hops: usize,
    path: [Address; MAX_HOPS + 1],
    amounts: [u128; MAX_HOPS + 1],
    /// What each pair holds before the trade: the token that goes in, then the one that comes out.
    reserves: [(u128, u128); MAX_HOPS],
}

impl Quote {
    pub(super) const fn new(
        hops: usize,
        path: [Address; MAX_HOPS + 1],
        amounts: [u128; MAX_HOPS + 1],
        reserves: [(u128, u128); MAX_HOPS],
    ) -> Self {
        Self {
            hops,
            path,
            amounts,
            reserves,
        }
    }

    /// Tokens of the route, first to last.
    #[must_use]
    pub fn path(&self) -> &[Address] {
        &self.path[..=self.hops]
    }

    /// Amounts along the route: one more than its pairs.
    #[must_use]
    pub fn amounts(&self) -> &[u128] {
        &self.amounts[..=self.hops]
    }

    /// Units of the first token.
    #[must_use]
    pub const fn amount_in(&self) -> u128 {
        self.amounts[0]
    }

    /// Units of the last token.
    #[must_use]
    pub const fn amount_out(&self) -> u128 {
        self.amounts[self.hops]
    }

    /// What the router charges for exactly this output along this route: sometimes a few units more than the least input.
    #[must_use]
    pub fn router_charge_up(&self) -> Option<u128> {
        let reserves = self.reserves[..self.hops].iter().rev();
        reserves
            .copied()
            .try_fold(self.amount_out(), |amount, (reserve_in, reserve_out)| {
                amount_in_up(amount, reserve_in, reserve_out)
            })
    }

    /// Whole tokens out per whole token in, scaled by `RATE_SCALE`, rounded down.
    ///
    /// None when the decimals are too far apart for 512 bits, which 30 decimals never are.
    #[must_use]
    pub fn execution_rate_down(&self, decimals_in: u8, decimals_out: u8) -> Option<U512> {
        whole_rate_down(
            U512::from(self.amount_out()),
            U512::from(self.amount_in()),
            decimals_in,
            decimals_out,
        )
    }

    /// The same rate for a trade too small to move a price and free of fees, rounded down.
    #[must_use]
    pub fn spot_rate_down(&self, decimals_in: u8, decimals_out: u8) -> Option<U512> {
        let (ins, outs) = self.reserve_products();
        whole_rate_down(outs, ins, decimals_in, decimals_out)
    }

    /// One minus execution over spot, scaled by `RATE_SCALE`, rounded down.
    #[must_use]
    pub fn price_impact_down(&self) -> u64 {
        let (ins, outs) = self.reserve_products();
        let spot = outs * U512::from(self.amount_in());
        let lost = spot - ins * U512::from(self.amount_out());
        u64::try_from(lost * U512::from(RATE_SCALE) / spot).expect("a part of one")
    }

    /// The part of the input that liquidity providers keep, scaled by `LP_FEE_SCALE`, exactly.
    #[must_use]
    pub fn lp_fee_part(&self) -> u32 {
        // A pair passes 997 of 1000 on; three pairs pass 997^3 of 1000^3.
        let kept: u32 = (0..MAX_HOPS)
            .map(|hop| if hop < self.hops { 997 } else { 1_000 })
            .product();
        LP_FEE_SCALE - kept
    }

    /// What liquidity providers keep along the route, in units of the first token, rounded down.
    #[must_use]
    pub fn lp_fee_down(&self) -> u128 {
        let fee = U256::from(self.amount_in()) * U256::from(self.lp_fee_part()) / U256::from(LP_FEE_SCALE);
        u128::try_from(fee).expect("a part of the input")
    }

    /// The products of what the pairs hold on the way in and on the way out: at most 336 bits.
    fn reserve_products(&self) -> (U512, U512) {
        let start = (U512::ONE, U512::ONE);
        self.reserves[..self.hops]
            .iter()
            .fold(start, |(ins, outs), (reserve_in, reserve_out)| {
                (ins * U512::from(*reserve_in), outs * U512::from(*reserve_out))
            })
    }
}

const _: () = assert!(FEE_NUMERATOR == 997 && FEE_DENOMINATOR == 1_000);

/// `amount_out` per `amount_in` in whole tokens, scaled by `RATE_SCALE`, rounded down.
fn whole_rate_down(amount_out: U512, amount_in: U512, decimals_in: u8, decimals_out: u8) -> Option<U512> {
    let ten = |power: u8| match 10_u128.checked_pow(u32::from(power)) {
        Some(small) => Some(U512::from(small)),
        None => U512::from(10).checked_pow(U512::from(power)),
    };
    let (raise, lower) = (
        decimals_in.saturating_sub(decimals_out),
        decimals_out.saturating_sub(decimals_in),
    );
    let numerator = amount_out
        .checked_mul(ten(raise)?)?
        .checked_mul(U512::from(RATE_SCALE))?;
    let denominator = amount_in.checked_mul(ten(lower)?)?;
    quotient_down(numerator, denominator)
}

/// A quotient, by the shortest integers that hold both; none by zero.
fn quotient_down(numerator: U512, denominator: U512) -> Option<U512> {
    let bits = numerator.bit_len().max(denominator.bit_len());
    if bits <= 128 {
        let quotient = numerator.to::<u128>().checked_div(denominator.to())?;
        Some(U512::from(quotient))
    } else {
        numerator.checked_div(denominator)
    }
}

/// The least a trade may yield when `slippage_bps` may be lost, rounded down; at most 10 000 basis points.
#[must_use]
pub const fn minimum_out_down(amount_out: u128, slippage_bps: u16) -> u128 {
    let kept = BPS_DENOMINATOR.saturating_sub(slippage_bps as u128);
    (amount_out / BPS_DENOMINATOR) * kept + (amount_out % BPS_DENOMINATOR) * kept / BPS_DENOMINATOR
}

/// The most a trade may cost when `slippage_bps` may be added, rounded up; none above 128 bits.
#[must_use]
pub const fn maximum_in_up(amount_in: u128, slippage_bps: u16) -> Option<u128> {
    let scale = BPS_DENOMINATOR + slippage_bps as u128;
    match (amount_in / BPS_DENOMINATOR).checked_mul(scale) {
        Some(whole) => whole.checked_add(((amount_in % BPS_DENOMINATOR) * scale).div_ceil(BPS_DENOMINATOR)),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A trade over pairs that hold the same of both tokens.
    fn quote(hops: usize, amount_in: u128, amount_out: u128) -> Quote {
        let mut amounts = [amount_in; MAX_HOPS + 1];
        amounts[hops] = amount_out;
        Quote::new(
            hops,
            [Address::ZERO; MAX_HOPS + 1],
            amounts,
            [(1_000_000, 1_000_000); MAX_HOPS],
        )
    }

    #[test]
    fn fees_compound() {
        let parts: Vec<u32> = (1..=3).map(|hops| quote(hops, 1, 1).lp_fee_part()).collect();
        assert_eq!(parts, [3_000_000, 5_991_000, 8_973_027]);
        assert_eq!(quote(2, 1_000_000, 1).lp_fee_down(), 5_991);
        assert_eq!(quote(1, 333, 1).lp_fee_down(), 0);
        assert_eq!(quote(1, 334, 1).lp_fee_down(), 1);
    }

    #[test]
    fn rates_are_per_whole_token() {
        let quote = quote(1, 1_000, 900);
        let scale = U512::from(RATE_SCALE);
        assert_eq!(
            quote.execution_rate_down(18, 18),
            Some(scale * U512::from(9) / U512::from(10))
        );
        assert_eq!(quote.spot_rate_down(18, 18), Some(scale));
        assert_eq!(
            quote.spot_rate_down(18, 6),
            Some(scale * U512::from(10).pow(U512::from(12)))
        );
        assert_eq!(quote.spot_rate_down(6, 18), Some(U512::from(1_000_000)));
        assert_eq!(quote.spot_rate_down(255, 0), None);
        assert_eq!(quote.price_impact_down(), RATE_SCALE / 10);
    }

    #[test]
    fn bounds_are_rounded_against_the_promise() {
        assert_eq!(minimum_out_down(10_001, 1), 9_999);
        assert_eq!(minimum_out_down(u128::MAX, 0), u128::MAX);
        assert_eq!(minimum_out_down(5, 10_000), 0);
        assert_eq!(maximum_in_up(10_001, 1), Some(10_003));
        assert_eq!(maximum_in_up(1, 1), Some(2));
        assert_eq!(maximum_in_up(7, 0), Some(7));
        assert_eq!(maximum_in_up(u128::MAX, 1), None);
    }
}
