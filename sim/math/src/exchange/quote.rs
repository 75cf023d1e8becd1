//! A quoted trade: its route with every amount, and the exact rates, impact and fee derived from them.
use alloy_primitives::{Address, U256, U512, Uint};

use super::pair::{FEE_DENOMINATOR, FEE_NUMERATOR, amount_in_up};
use super::route::MAX_HOPS;

/// Scale of the rates and of the price impact.
pub const RATE_SCALE: u64 = 1_000_000_000_000_000_000;
/// Scale of the fee as a fraction of the input: the fee of three pairs has nine decimal places.
pub const LP_FEE_SCALE: u32 = 1_000_000_000;

const BPS_DENOMINATOR: u128 = 10_000;

/// One route and the amounts along it. It owns no heap memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quote {
    hops: usize,
    path: [Address; MAX_HOPS + 1],
    amounts: [u128; MAX_HOPS + 1],
    /// The reserves of each pair before the trade: the input token first, then the output token.
    reserves: [(u128, u128); MAX_HOPS],
}

impl Quote {
    pub(super) const fn new(
        hops: usize,
        path: [Address; MAX_HOPS + 1],
        amounts: [u128; MAX_HOPS + 1],
        reserves: [(u128, u128); MAX_HOPS],
    ) -> Self {
        Self { hops, path, amounts, reserves }
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

    /// The router's charge for exactly this output along this route: sometimes a few units more than the least input.
    #[must_use]
    pub fn router_charge_up(&self) -> Option<u128> {
        let reserves = self.reserves[..self.hops].iter().rev();
        reserves.copied().try_fold(self.amount_out(), |amount, (reserve_in, reserve_out)| {
            amount_in_up(amount, reserve_in, reserve_out)
        })
    }

    /// Whole tokens out per whole token in, scaled by `RATE_SCALE`, rounded down.
    ///
    /// `None` if the decimals are too far apart for 512 bits, which 30 decimals never are.
    #[must_use]
    pub fn execution_rate_down(&self, decimals_in: u8, decimals_out: u8) -> Option<U512> {
        let (amount_in, amount_out) = (self.amount_in(), self.amount_out());
        let decimals = (decimals_in, decimals_out);
        let narrow = whole_rate_down(U256::from(amount_out), U256::from(amount_in), decimals);
        narrow
            .map(U512::from)
            .or_else(|| whole_rate_down(U512::from(amount_out), U512::from(amount_in), decimals))
    }

    /// The rate of a trade that is too small to move the price and pays no fees, scaled alike, rounded down.
    #[must_use]
    pub fn spot_rate_down(&self, decimals_in: u8, decimals_out: u8) -> Option<U512> {
        let decimals = (decimals_in, decimals_out);
        let narrow = (self.product_bits() <= 256)
            .then(|| self.reserve_products::<256, 4>())
            .and_then(|(ins, outs)| whole_rate_down(outs, ins, decimals));
        narrow.map(U512::from).or_else(|| {
            let (ins, outs) = self.reserve_products::<512, 8>();
            whole_rate_down(outs, ins, decimals)
        })
    }

    /// One minus execution rate over spot rate, scaled by `RATE_SCALE`, rounded down.
    #[must_use]
    pub fn price_impact_down(&self) -> u64 {
        let amounts = bits(self.amount_in()).max(bits(self.amount_out()));
        if self.product_bits() + amounts + bits(RATE_SCALE.into()) <= 256 {
            self.impact_down::<256, 4>()
        } else {
            self.impact_down::<512, 8>()
        }
    }

    /// The impact, computed in integers that can hold the product of a route's reserves, an amount and the scale.
    fn impact_down<const BITS: usize, const LIMBS: usize>(&self) -> u64 {
        let (ins, outs) = self.reserve_products::<BITS, LIMBS>();
        let spot = outs * Uint::from(self.amount_in());
        let lost = spot - ins * Uint::from(self.amount_out());
        u64::try_from(lost * Uint::from(RATE_SCALE) / spot).expect("a part of one")
    }

    /// The fraction of the input that liquidity providers keep, scaled by `LP_FEE_SCALE`, exact.
    #[must_use]
    pub fn lp_fee_part(&self) -> u32 {
        // A pair trades 997 of 1000 units; three pairs trade 997^3 of 1000^3.
        let kept: u32 = (0..MAX_HOPS).map(|hop| if hop < self.hops { 997 } else { 1_000 }).product();
        LP_FEE_SCALE - kept
    }

    /// The fees of the liquidity providers along the route, in units of the first token, rounded down.
    #[must_use]
    pub fn lp_fee_down(&self) -> u128 {
        let fee = U256::from(self.amount_in()) * U256::from(self.lp_fee_part()) / U256::from(LP_FEE_SCALE);
        u128::try_from(fee).expect("a part of the input")
    }

    /// The products of the input reserves and of the output reserves, in integers that must be wide enough.
    fn reserve_products<const BITS: usize, const LIMBS: usize>(
        &self,
    ) -> (Uint<BITS, LIMBS>, Uint<BITS, LIMBS>) {
        let start = (Uint::ONE, Uint::ONE);
        self.reserves[..self.hops].iter().fold(start, |(ins, outs), (reserve_in, reserve_out)| {
            (ins * Uint::from(*reserve_in), outs * Uint::from(*reserve_out))
        })
    }

    /// Bits needed for the larger of these products: at most 336.
    fn product_bits(&self) -> u32 {
        let held = self.reserves[..self.hops].iter();
        let (ins, outs) = held.fold((0, 0), |(ins, outs), (reserve_in, reserve_out)| {
            (ins + bits(*reserve_in), outs + bits(*reserve_out))
        });
        ins.max(outs)
    }
}

const _: () = assert!(FEE_NUMERATOR == 997 && FEE_DENOMINATOR == 1_000);

const fn bits(amount: u128) -> u32 {
    u128::BITS - amount.leading_zeros()
}

/// `amount_out` per `amount_in` in whole tokens, scaled by `RATE_SCALE`, rounded down; `None` if these integers are too narrow for it.
fn whole_rate_down<const BITS: usize, const LIMBS: usize>(
    amount_out: Uint<BITS, LIMBS>,
    amount_in: Uint<BITS, LIMBS>,
    (decimals_in, decimals_out): (u8, u8),
) -> Option<Uint<BITS, LIMBS>> {
    let ten = |power: u8| match 10_u128.checked_pow(u32::from(power)) {
        Some(small) => Some(Uint::from(small)),
        None => Uint::from(10).checked_pow(Uint::from(power)),
    };
    let (raise, lower) = (decimals_in.saturating_sub(decimals_out), decimals_out.saturating_sub(decimals_in));
    let numerator = amount_out.checked_mul(ten(raise)?)?.checked_mul(Uint::from(RATE_SCALE))?;
    numerator.checked_div(amount_in.checked_mul(ten(lower)?)?)
}

/// The least output of a trade with a slippage of `slippage_bps`, rounded down; at most 10 000 basis points.
#[must_use]
pub const fn minimum_out_down(amount_out: u128, slippage_bps: u16) -> u128 {
    let kept = BPS_DENOMINATOR.saturating_sub(slippage_bps as u128);
    (amount_out / BPS_DENOMINATOR) * kept + (amount_out % BPS_DENOMINATOR) * kept / BPS_DENOMINATOR
}

/// The highest input of a trade with a slippage of `slippage_bps`, rounded up; `None` above 128 bits.
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

    /// A trade over pairs with equal reserves of both tokens.
    fn quote(hops: usize, amount_in: u128, amount_out: u128) -> Quote {
        let mut amounts = [amount_in; MAX_HOPS + 1];
        amounts[hops] = amount_out;
        Quote::new(hops, [Address::ZERO; MAX_HOPS + 1], amounts, [(1_000_000, 1_000_000); MAX_HOPS])
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
        assert_eq!(quote.execution_rate_down(18, 18), Some(scale * U512::from(9) / U512::from(10)));
        assert_eq!(quote.spot_rate_down(18, 18), Some(scale));
        assert_eq!(quote.spot_rate_down(18, 6), Some(scale * U512::from(10).pow(U512::from(12))));
        assert_eq!(quote.spot_rate_down(6, 18), Some(U512::from(1_000_000)));
        assert_eq!(quote.spot_rate_down(255, 0), None);
        assert_eq!(quote.price_impact_down(), RATE_SCALE / 10);
    }

    #[test]
    fn narrow_and_wide_arithmetic_agree() {
        let sizes = [1_u128, 997, 1 << 40, (1 << 64) + 3, (1 << 86) - 1, (1 << 112) - 1];
        for (place, near) in sizes.into_iter().enumerate() {
            let far = sizes[(place + 2) % sizes.len()];
            for (hops, amount) in [(1, near), (2, near / 3 + 1), (3, 1)] {
                let mut quote = quote(hops, amount, 1);
                quote.reserves = [(near, far), (far, near), (near, far)];
                let (ins, outs) = quote.reserve_products::<512, 8>();
                let bits = u32::try_from(ins.bit_len().max(outs.bit_len())).expect("few");
                assert!(quote.product_bits() >= bits, "{near} {far}");
                for decimals in [(18, 18), (6, 18), (18, 0), (30, 0), (0, 30)] {
                    let long = whole_rate_down(outs, ins, decimals);
                    assert_eq!(quote.spot_rate_down(decimals.0, decimals.1), long, "{near} {far}");
                    let long = whole_rate_down(U512::ONE, U512::from(amount), decimals);
                    assert_eq!(quote.execution_rate_down(decimals.0, decimals.1), long, "{amount}");
                }
                if outs * U512::from(amount) >= ins {
                    let long = quote.impact_down::<512, 8>();
                    assert_eq!(quote.price_impact_down(), long, "{near} {far} {amount}");
                }
            }
        }
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
