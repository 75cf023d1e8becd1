//! The fee of a curve trade and its recipients; also the inverse, from a net amount to its least gross.

/// Protocol fee, in basis points of the gross.
pub const PROTOCOL_FEE_BPS: u128 = 100;
/// Variable fee, in basis points of the gross, shared between creator and buyback.
pub const VARIABLE_FEE_BPS: u128 = 100;
/// Basis points in the whole.
pub const BPS_DENOMINATOR: u128 = 10_000;

/// Gross wei per wei of one of the two equal fees: `floor(gross * 100 / 10000)` is `floor(gross / 100)` and cannot overflow.
const GROSS_PER_FEE: u128 = BPS_DENOMINATOR / PROTOCOL_FEE_BPS;
/// The net of `GROSS_PER_FEE` wei after both fees.
const NET_PER_STEP: u128 = GROSS_PER_FEE - 2;
const _: () =
    assert!(PROTOCOL_FEE_BPS == VARIABLE_FEE_BPS && BPS_DENOMINATOR.is_multiple_of(PROTOCOL_FEE_BPS));

/// The parts of one trade's fee, in wei.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fees {
    /// For the protocol.
    pub protocol: u128,
    /// The creator's share of the variable fee.
    pub creator: u128,
    /// The rest of the variable fee: it buys tokens back and burns them.
    pub buyback: u128,
}

impl Fees {
    /// The fee on `gross` wei; the creator gets `split_bps` of the variable part (above 10 000 counts as 10 000).
    #[must_use]
    #[inline]
    pub const fn of_gross_down(gross: u128, split_bps: u16) -> Self {
        let each = fee_of_gross(gross);
        let split = if split_bps as u128 > BPS_DENOMINATOR { BPS_DENOMINATOR } else { split_bps as u128 };
        // Below 10^34 wei the product cannot overflow; above, quotient and remainder are multiplied separately.
        if each <= u64::MAX as u128 {
            let creator = each * split / BPS_DENOMINATOR;
            return Self { protocol: each, creator, buyback: each - creator };
        }
        let creator = (each / BPS_DENOMINATOR) * split + (each % BPS_DENOMINATOR) * split / BPS_DENOMINATOR;
        Self { protocol: each, creator, buyback: each - creator }
    }

    /// Creator and buyback together, in wei.
    #[must_use]
    #[inline]
    pub const fn variable(&self) -> u128 {
        self.creator + self.buyback
    }

    /// The whole fee of the trade, in wei.
    #[must_use]
    #[inline]
    pub const fn total(&self) -> u128 {
        self.protocol + self.variable()
    }
}

/// The net of `gross` wei after both fees; each fee is rounded down separately.
#[must_use]
#[inline]
pub const fn net_of_gross(gross: u128) -> u128 {
    gross - 2 * fee_of_gross(gross)
}

/// One of the two equal fees of `gross` wei. Values that fit a machine word use a word division.
#[inline]
const fn fee_of_gross(gross: u128) -> u128 {
    const WORD: u64 = 100;
    const { assert!(WORD as u128 == GROSS_PER_FEE) };
    if gross <= u64::MAX as u128 {
        #[expect(clippy::cast_possible_truncation, reason = "compared with the largest word before")]
        let word = gross as u64;
        (word / WORD) as u128
    } else {
        gross / GROSS_PER_FEE
    }
}

/// The least gross, in wei, whose net is at least `net`; `None` if it exceeds 128 bits. Its net is exactly `net`.
///
/// The net is not monotonic: 99 wei leave 99, 100 wei leave 98. So the least gross is in the first step of a hundred whose largest net,
/// `98 * step + 99`, suffices.
#[must_use]
#[inline]
pub const fn least_gross_up(net: u128) -> Option<u128> {
    let step = net.saturating_sub(GROSS_PER_FEE - 1).div_ceil(NET_PER_STEP);
    match step.checked_mul(GROSS_PER_FEE) {
        Some(start) => start.checked_add(net - step * NET_PER_STEP),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn least_gross_by_brute_force() {
        for net in 0..5_000 {
            let least = (0..).find(|gross| net_of_gross(*gross) >= net);
            assert_eq!(least_gross_up(net), least, "net {net}");
        }
    }

    #[test]
    fn the_whole_range_is_safe() {
        assert_eq!(least_gross_up(u128::MAX), None);
        for split in [0, 1, 5_000, 10_000, u16::MAX] {
            let fees = Fees::of_gross_down(u128::MAX, split);
            assert_eq!(fees.total(), u128::MAX - net_of_gross(u128::MAX));
        }
    }

    proptest! {
        #[test]
        fn least_gross_leaves_exactly_the_net(net in 0..u128::MAX / 2) {
            let gross = least_gross_up(net).expect("half the range has room for two percent");
            prop_assert_eq!(net_of_gross(gross), net);
            // The net falls by one at each hundred, so every slightly smaller gross must be checked.
            for below in 1..=200_u128.min(gross) {
                prop_assert!(net_of_gross(gross - below) < net);
            }
        }

        #[test]
        fn fee_parts_are_floors(gross in 0..u128::MAX / 10_000, split in 0..=10_000_u16) {
            let fees = Fees::of_gross_down(gross, split);
            let variable = gross * VARIABLE_FEE_BPS / BPS_DENOMINATOR;
            prop_assert_eq!(fees.protocol, gross * PROTOCOL_FEE_BPS / BPS_DENOMINATOR);
            prop_assert_eq!(fees.creator, variable * u128::from(split) / BPS_DENOMINATOR);
            prop_assert_eq!(fees.variable(), variable);
            prop_assert_eq!(fees.total() + net_of_gross(gross), gross);
        }
    }
}
