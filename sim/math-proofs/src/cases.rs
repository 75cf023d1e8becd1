//! Seeded positions on seeded curves, including edges, each with a trade and the native answer.
use alloy::primitives::{B256, U256, keccak256};
use alloy::sol_types::SolValue;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use slipway_math::curve::{Curve, MAX_GAIN_BPS, MINIMUM_BUY, MINIMUM_SELL, Position};
use slipway_math::fees::least_gross_up;

/// Wei of one ether: the smallest target raise.
pub const ETHER: u128 = 1_000_000_000_000_000_000;
/// The largest target raise, in wei.
pub const LARGEST_RAISE: u128 = 5 * ETHER;
/// Slot of the hook's mapping from ids to launches in its storage layout.
const LAUNCHES_SLOT: u64 = 6;

/// A launch somewhere on its curve, and the trades to quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its curve.
    pub curve: Curve,
    /// The creator's share of the variable fee, in basis points.
    pub split_bps: u16,
    /// Its position on the curve.
    pub position: Position,
    /// Wei of a purchase, fees included.
    pub gross: u128,
    /// Token units of a sale; at most the units sold.
    pub tokens: u128,
}

/// The answers of the hook's previews for a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answers {
    /// Token units, cost, refund, and token units left on the curve.
    pub buy: [u128; 4],
    /// Payout, protocol fee, creator fee and buyback fee, in wei.
    pub sell: [u128; 4],
}

impl Case {
    /// The native answer.
    #[must_use]
    #[inline]
    pub fn answers(&self) -> Answers {
        let buy = self.curve.buy(self.position, self.gross, self.split_bps);
        let sell = self
            .curve
            .sell(self.position, self.tokens, self.split_bps)
            .expect("a case sells at most what is sold");
        Answers {
            buy: [buy.tokens_out, buy.cost, buy.refund, self.curve.sale_supply() - buy.position_after.sold],
            sell: [sell.payout, sell.fees.protocol, sell.fees.creator, sell.fees.buyback],
        }
    }

    /// The storage words that give launch 1 of a hook the state of this case: slot and content, in the hook's storage layout.
    #[must_use]
    pub fn storage(&self) -> [(U256, U256); 4] {
        let first = launch_slot(1);
        let token = U256::ONE;
        let words = [
            U256::ONE | (U256::from(self.curve.target_raise()) << 160),
            token | (U256::from(self.curve.gain_bps()) << 224),
            U256::from(self.position.sold) | (U256::from(self.position.contributions) << 128),
            U256::from(self.curve.sale_supply()) | (U256::from(self.split_bps) << 160),
        ];
        [0_u64, 1, 2, 3].map(|at| (first + U256::from(at), words[usize::try_from(at).expect("below four")]))
    }
}

/// The first slot of a launch.
#[must_use]
pub fn launch_slot(launch: u64) -> U256 {
    let key: B256 = keccak256((U256::from(launch), U256::from(LAUNCHES_SLOT)).abi_encode());
    key.into()
}

/// An endless sequence of cases: equal seeds yield equal cases.
#[derive(Debug)]
pub struct Cases {
    random: ChaCha8Rng,
}

impl Cases {
    /// The sequence of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { random: ChaCha8Rng::seed_from_u64(seed) }
    }

    pub(crate) fn random(&mut self) -> &mut ChaCha8Rng {
        &mut self.random
    }

    /// A number below `end` whose bit length is uniformly distributed: small numbers are as likely as large ones.
    pub(crate) fn any_size(&mut self, end: u128) -> u128 {
        let shift = self.random.random_range(0..128_u32);
        (self.random.random::<u128>() >> shift) % end
    }

    fn curve(&mut self) -> Curve {
        let raise = match self.random.random_range(0..8) {
            0 => ETHER,
            1 => LARGEST_RAISE,
            _ => self.random.random_range(ETHER..=LARGEST_RAISE),
        };
        let gain = match self.random.random_range(0..8) {
            0 => 0,
            1 => MAX_GAIN_BPS,
            2 => 1,
            _ => self.random.random_range(0..=MAX_GAIN_BPS),
        };
        Curve::new(raise, gain).expect("inside the limits of a launch")
    }

    /// Any position of a launch, including the first and the last unit.
    fn position(&mut self, curve: &Curve) -> Position {
        let supply = curve.sale_supply();
        let sold = match self.random.random_range(0..16) {
            0 => 0,
            1 => 1,
            2 => supply - 1,
            3 => supply - 1 - self.any_size(supply),
            4 => self.any_size(supply),
            5 => curve.sold_down(curve.target_raise() - 1),
            _ => self.random.random_range(0..supply),
        };
        // Close to its end, a curve whose tokens cost the whole target no longer belongs to an open launch.
        let sold = if curve.cost_up(sold) == curve.target_raise() {
            curve.sold_down(curve.target_raise() - 1)
        } else {
            sold
        };
        Position { sold, contributions: curve.cost_up(sold) }
    }

    fn gross(&mut self, curve: &Curve, position: Position) -> u128 {
        let missing = curve.target_raise() - position.contributions;
        let least = least_gross_up(missing).expect("far below the limit");
        match self.random.random_range(0..8) {
            0 => MINIMUM_BUY,
            1 => least.saturating_sub(1),
            2 => least,
            3 => least + 1,
            4 => least + self.any_size(100 * ETHER),
            5 => self.any_size(7 * ETHER),
            _ => self.random.random_range(MINIMUM_BUY..least.max(MINIMUM_BUY + 1)),
        }
    }

    pub(crate) fn tokens(&mut self, sold: u128) -> u128 {
        match self.random.random_range(0..8) {
            0 => sold,
            1 => MINIMUM_SELL.min(sold),
            2 => 1.min(sold),
            3 => self.any_size(sold + 1),
            _ => self.random.random_range(0..=sold),
        }
    }
}

impl Iterator for Cases {
    type Item = Case;

    fn next(&mut self) -> Option<Case> {
        let curve = self.curve();
        let position = self.position(&curve);
        let split_bps = match self.random.random_range(0..4) {
            0 => 0,
            1 => 10_000,
            _ => self.random.random_range(0..=10_000),
        };
        Some(Case {
            gross: self.gross(&curve, position),
            tokens: self.tokens(position.sold),
            curve,
            split_bps,
            position,
        })
    }
}
