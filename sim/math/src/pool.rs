//! A swap in the v4 pool that a launch graduates into, exact to the last unit. Its liquidity is one position over the full range.
use std::sync::LazyLock;

use alloy_primitives::{U256, U512};

/// The input that remains after the fee of 0.1 %, in millionths.
const KEPT: u64 = 999_000;
const WHOLE: u64 = 1_000_000;
/// Ticks covered by one word of the pool's tick bitmap at a spacing of 60. A swap is rounded at each end of a word that it crosses.
const WORD: i32 = 256 * SPACING;
const SPACING: i32 = 60;
/// Words on either side of price one that are within the range of ticks.
const WORDS: i32 = 57;

/// 2^128 / 1.0001^(2^n / 2), rounded like the manager's tick mathematics.
const FACTORS: [u128; 20] = [
    0xfffc_b933_bd6f_ad37_aa2d_162d_1a59_4001,
    0xfff9_7272_373d_4132_59a4_6990_580e_213a,
    0xfff2_e50f_5f65_6932_ef12_357c_f3c7_fdcc,
    0xffe5_caca_7e10_e4e6_1c36_24ea_a094_1cd0,
    0xffcb_9843_d60f_6159_c9db_5883_5c92_6644,
    0xff97_3b41_fa98_c081_472e_6896_dfb2_54c0,
    0xff2e_a164_66c9_6a38_43ec_78b3_26b5_2861,
    0xfe5d_ee04_6a99_a2a8_11c4_61f1_969c_3053,
    0xfcbe_86c7_900a_88ae_dcff_c83b_479a_a3a4,
    0xf987_a725_3ac4_1317_6f2b_074c_f781_5e54,
    0xf339_2b08_22b7_0005_940c_7a39_8e4b_70f3,
    0xe715_9475_a2c2_9b74_43b2_9c7f_a6e8_89d9,
    0xd097_f3bd_fd20_22b8_845a_d8f7_92aa_5825,
    0xa9f7_4646_2d87_0fdf_8a65_dc1f_90e0_61e5,
    0x70d8_69a1_56d2_a1b8_90bb_3df6_2baf_32f7,
    0x31be_135f_97d0_8fd9_8123_1505_542f_cfa6,
    0x09aa_508b_5b7a_84e1_c677_de54_f3e9_9bc9,
    0x005d_6af8_dedb_8119_6699_c329_225e_e604,
    0x0000_2216_e584_f5fa_1ea9_2604_1bed_fe98,
    0x0000_0000_048a_1703_91f7_dc42_444e_8fa2,
];

/// Square root prices at the first tick of each word, in order: where a falling price is rounded.
static FIRST: LazyLock<Vec<U256>> =
    LazyLock::new(|| (-WORDS..=WORDS).map(|word| sqrt_price_at(word * WORD)).collect());
/// Square root prices at the last tick of each word, in order: where a rising price is rounded.
static LAST: LazyLock<Vec<U256>> =
    LazyLock::new(|| (-WORDS..=WORDS).map(|word| sqrt_price_at(word * WORD - SPACING)).collect());

/// The square root price at a tick, with 96 binary places.
#[must_use]
pub fn sqrt_price_at(tick: i32) -> U256 {
    let distance = tick.unsigned_abs();
    let chosen = FACTORS.iter().enumerate().filter(|(bit, _)| (distance >> bit) & 1 == 1);
    let falling = chosen.fold(U256::ONE << 128, |price, (_, factor)| (price * U256::from(*factor)) >> 128);
    let price = if tick > 0 { U256::MAX / falling } else { falling };
    (price + U256::from(u32::MAX)) >> 32
}

/// The state of a pool at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pool {
    /// The square root of currency 1 per currency 0, with 96 binary places; positive and below 2^127.
    pub sqrt_price_x96: U256,
    /// The liquidity; positive.
    pub liquidity: u128,
}

impl Pool {
    /// The output for `amount_in`: in currency 1 if `zero_for_one`, else in currency 0. `None` if the price leaves the range of whole
    /// words, or the amount exceeds 128 bits.
    #[must_use]
    pub fn amount_out_down(self, zero_for_one: bool, amount_in: u128) -> Option<u128> {
        let mut price = self.sqrt_price_x96;
        let (mut left, mut out) = (U256::from(amount_in), U512::ZERO);
        let first = FIRST.partition_point(|first| *first <= price);
        let last = LAST.partition_point(|last| *last <= price);
        let ends: Box<dyn Iterator<Item = &U256>> =
            if zero_for_one { Box::new(FIRST[..first].iter().rev()) } else { Box::new(LAST[last..].iter()) };
        for end in ends {
            let trading = left * U256::from(KEPT) / U256::from(WHOLE);
            let needed = self.paid_up(price, *end);
            let reaches = U512::from(trading) >= needed;
            let next = if reaches { *end } else { self.moved(price, zero_for_one, trading) };
            out += self.received_down(price, next);
            if !reaches {
                return u128::try_from(out).ok();
            }
            let needed = U256::from(needed);
            left -= needed + (needed * U256::from(WHOLE - KEPT)).div_ceil(U256::from(KEPT));
            price = next;
        }
        None
    }

    fn scaled(self) -> U512 {
        U512::from(self.liquidity) << 96
    }

    /// Units of currency 0 between two prices.
    fn currency0(self, low: U256, high: U256, up: bool) -> U512 {
        let product = self.scaled() * U512::from(high - low);
        let (low, high) = (U512::from(low), U512::from(high));
        if up { product.div_ceil(high).div_ceil(low) } else { product / high / low }
    }

    /// Units of currency 1 between two prices.
    fn currency1(self, low: U256, high: U256, up: bool) -> U512 {
        let product = U512::from(self.liquidity) * U512::from(high - low);
        if up { product.div_ceil(U512::ONE << 96) } else { product >> 96 }
    }

    /// The input that moves the price to `end`, without the fee.
    fn paid_up(self, price: U256, end: U256) -> U512 {
        if end < price { self.currency0(end, price, true) } else { self.currency1(price, end, true) }
    }

    fn received_down(self, price: U256, next: U256) -> U512 {
        if next < price { self.currency1(next, price, false) } else { self.currency0(price, next, false) }
    }

    /// The price after an input of `trading` units.
    fn moved(self, price: U256, zero_for_one: bool, trading: U256) -> U256 {
        if zero_for_one {
            let whole = self.scaled() + U512::from(trading) * U512::from(price);
            return U256::from((self.scaled() * U512::from(price)).div_ceil(whole));
        }
        price + (trading << 96) / U256::from(self.liquidity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_at_the_ends_are_those_of_the_seed() {
        assert_eq!(sqrt_price_at(0), U256::ONE << 96);
        assert_eq!(sqrt_price_at(-887_220), U256::from(4_306_310_044_u64));
        let highest = "1457652066949847389969617340386294118487833376468".parse::<U256>();
        assert_eq!(Ok(sqrt_price_at(887_220)), highest);
    }

    #[test]
    fn each_amount_pays_the_fee() {
        let pool = Pool { sqrt_price_x96: U256::ONE << 96, liquidity: 1_000_000_000_000 };
        for paid in [0, 1, 1_000, 1_000_000_000, 1_000_000_000_000_000] {
            for zero_for_one in [true, false] {
                let out = pool.amount_out_down(zero_for_one, paid).unwrap();
                assert!(out * 1_000_000 <= paid * 999_000 && out < pool.liquidity, "{paid} fetches {out}");
            }
        }
    }
}
