//! Cases with their exact answers for quoters in any language: the curve and its inverse, the V1 curve, one pair, whole routes, and the
//! pools of graduated launches.
//! Equal kind, seed and count yield equal cases; amounts are decimal text.
use alloy::primitives::U256;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};
use slipway_math::curve::{Curve, MAX_GAIN_BPS, MINIMUM_BUY, MINIMUM_SELL, Position};
use slipway_math::exchange::{MAX_RESERVE, amount_out_down};
use slipway_math::exponential;
use slipway_math::fees::least_gross_up;
use slipway_math::pool::Pool;

const ETHER: u128 = 1_000_000_000_000_000_000;
const LARGEST_RAISE: u128 = 5 * ETHER;
const WHOLE_BPS: u128 = 10_000;
/// Maximum number of pairs in a route.
pub const MOST_HOPS: usize = 4;

/// The kind of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseKind {
    /// Purchases and sales on the curve of a launch.
    Curve,
    /// The cost of an exact number of token units on the curve of a launch.
    Inverse,
    /// Purchases and sales on the V1 curve.
    V1,
    /// Swaps in one pair of the exchange.
    Swap,
    /// Swaps through several pairs in sequence.
    Route,
    /// Swaps in the pool of a graduated launch.
    Pool,
}

impl CaseKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [Self::Curve, Self::Inverse, Self::V1, Self::Swap, Self::Route, Self::Pool];

    /// The kind's name in a header.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Curve => "curve",
            Self::Inverse => "inverse",
            Self::V1 => "v1",
            Self::Swap => "swap",
            Self::Route => "route",
            Self::Pool => "pool",
        }
    }

    /// The kind with this name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The members that a quoter's answer has; a bare amount stands for the first one.
    #[must_use]
    pub fn answers(self) -> &'static [&'static str] {
        match self {
            Self::Curve | Self::V1 => &["amountOut", "cost", "refund"],
            Self::Inverse => &["cost"],
            Self::Swap | Self::Route | Self::Pool => &["amountOut"],
        }
    }
}

/// The requested trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trade {
    /// Buys with this many wei.
    Buy(u128),
    /// Sells this many token units.
    Sell(u128),
}

/// One question of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// A trade on the curve of a launch.
    Curve {
        /// The curve.
        curve: Curve,
        /// The creator's share of the variable fee, in basis points.
        split_bps: u16,
        /// State of the launch.
        position: Position,
        /// The trade.
        trade: Trade,
    },
    /// The cost of a purchase on the curve of a launch.
    Inverse {
        /// The curve.
        curve: Curve,
        /// State of the launch.
        position: Position,
        /// Token units to buy.
        tokens: u128,
    },
    /// A trade on the V1 curve.
    V1 {
        /// State of the token.
        position: Position,
        /// The trade.
        trade: Trade,
    },
    /// A swap in a pair.
    Swap {
        /// The pair's reserve of the input token.
        reserve_in: u128,
        /// The pair's reserve of the output token.
        reserve_out: u128,
        /// The input.
        amount_in: u128,
    },
    /// A swap through several pairs.
    Route {
        /// For each pair, the reserves of its input token and of its output token.
        hops: [(u128, u128); MOST_HOPS],
        /// The number of pairs.
        length: usize,
        /// The input.
        amount_in: u128,
    },
    /// A swap in the pool of a graduated launch.
    Pool {
        /// The pool before the swap.
        pool: Pool,
        /// Whether currency 0 is the input.
        zero_for_one: bool,
        /// The input.
        amount_in: u128,
    },
}

/// The answer to a question, in the smallest units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaseAnswer {
    /// Token units of a purchase, wei of a sale, units of a swap or route.
    pub amount_out: u128,
    /// Wei that a purchase costs, fees included; 0 for a sale, swap or route.
    pub cost: u128,
    /// Wei that a purchase refunds; 0 for a sale.
    pub refund: u128,
}

impl CaseAnswer {
    /// The amount with this member name.
    #[must_use]
    pub fn member(&self, name: &str) -> u128 {
        match name {
            "cost" => self.cost,
            "refund" => self.refund,
            _ => self.amount_out,
        }
    }
}

impl Question {
    /// The question's kind.
    #[must_use]
    pub fn kind(&self) -> CaseKind {
        match self {
            Self::Curve { .. } => CaseKind::Curve,
            Self::Inverse { .. } => CaseKind::Inverse,
            Self::V1 { .. } => CaseKind::V1,
            Self::Swap { .. } => CaseKind::Swap,
            Self::Route { .. } => CaseKind::Route,
            Self::Pool { .. } => CaseKind::Pool,
        }
    }

    /// The exact answer.
    #[must_use]
    #[inline]
    pub fn answer(&self) -> CaseAnswer {
        match *self {
            Self::Curve { curve, split_bps, position, trade } => match trade {
                Trade::Buy(gross) => {
                    let buy = curve.buy(position, gross, split_bps);
                    CaseAnswer { amount_out: buy.tokens_out, cost: buy.cost, refund: buy.refund }
                }
                Trade::Sell(tokens) => {
                    let payout = curve.sell(position, tokens, split_bps).map_or(0, |sell| sell.payout);
                    CaseAnswer { amount_out: payout, ..CaseAnswer::default() }
                }
            },
            Self::V1 { position, trade } => match trade {
                Trade::Buy(gross) => {
                    let buy = exponential::buy(position, gross);
                    CaseAnswer { amount_out: buy.tokens_out, cost: buy.cost, refund: buy.refund }
                }
                Trade::Sell(tokens) => {
                    let payout = exponential::sell(position, tokens).map_or(0, |sell| sell.payout);
                    CaseAnswer { amount_out: payout, ..CaseAnswer::default() }
                }
            },
            Self::Swap { reserve_in, reserve_out, amount_in } => {
                let amount_out = amount_out_down(amount_in, reserve_in, reserve_out).unwrap_or(0);
                CaseAnswer { amount_out, ..CaseAnswer::default() }
            }
            Self::Inverse { curve, position, tokens } => {
                CaseAnswer { cost: curve.cost_of_up(position, tokens), ..CaseAnswer::default() }
            }
            Self::Route { hops, length, amount_in } => {
                let through = |amount, (reserve_in, reserve_out): &(u128, u128)| {
                    amount_out_down(amount, *reserve_in, *reserve_out).unwrap_or(0)
                };
                let amount_out = hops.iter().take(length).fold(amount_in, through);
                CaseAnswer { amount_out, ..CaseAnswer::default() }
            }
            Self::Pool { pool, zero_for_one, amount_in } => {
                let amount_out = pool.amount_out_down(zero_for_one, amount_in).unwrap_or(0);
                CaseAnswer { amount_out, ..CaseAnswer::default() }
            }
        }
    }

    /// Formats the question without its answer, as input of a quoter.
    #[must_use]
    pub fn asked(&self) -> Value {
        let text = |amount: u128| amount.to_string();
        let traded = |position: Position, trade| {
            let (operation, amount_in) = match trade {
                Trade::Buy(gross) => ("buy", gross),
                Trade::Sell(tokens) => ("sell", tokens),
            };
            json!({
                "sold": text(position.sold),
                "netContributions": text(position.contributions),
                "operation": operation,
                "amountIn": text(amount_in),
            })
        };
        match *self {
            Self::Curve { curve, split_bps, position, trade } => {
                let mut asked = json!({
                    "targetRaise": text(curve.target_raise()),
                    "gainBps": curve.gain_bps(),
                    "creatorFeeSplitBps": split_bps,
                });
                let members = asked.as_object_mut().expect("it was made as an object");
                members.extend(traded(position, trade).as_object().cloned().unwrap_or_default());
                asked
            }
            Self::V1 { position, trade } => traded(position, trade),
            Self::Swap { reserve_in, reserve_out, amount_in } => json!({
                "reserveIn": text(reserve_in),
                "reserveOut": text(reserve_out),
                "amountIn": text(amount_in),
            }),
            Self::Inverse { curve, position, tokens } => json!({
                "targetRaise": text(curve.target_raise()),
                "gainBps": curve.gain_bps(),
                "sold": text(position.sold),
                "netContributions": text(position.contributions),
                "amountOut": text(tokens),
            }),
            Self::Route { hops, length, amount_in } => {
                let hop = |(paid, other): &(u128, u128)| json!({ "reserveIn": text(*paid), "reserveOut": text(*other) });
                let hops: Vec<Value> = hops.iter().take(length).map(hop).collect();
                json!({ "hops": hops, "amountIn": text(amount_in) })
            }
            Self::Pool { pool, zero_for_one, amount_in } => json!({
                "sqrtPriceX96": pool.sqrt_price_x96.to_string(),
                "liquidity": text(pool.liquidity),
                "zeroForOne": zero_for_one,
                "amountIn": text(amount_in),
            }),
        }
    }

    /// Formats the question with its answer.
    #[must_use]
    pub fn answered(&self) -> Value {
        let answer = self.answer();
        let mut case = self.asked();
        for member in self.kind().answers() {
            case[*member] = answer.member(member).to_string().into();
        }
        case
    }
}

/// An endless sequence of questions of one kind, including edge cases.
#[derive(Clone, Debug)]
pub struct Questions {
    kind: CaseKind,
    random: ChaCha8Rng,
}

impl Questions {
    /// Starts the sequence of a seed.
    #[must_use]
    pub fn new(kind: CaseKind, seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(match kind {
            CaseKind::Curve => 1,
            CaseKind::V1 => 2,
            CaseKind::Swap => 3,
            CaseKind::Inverse => 4,
            CaseKind::Route => 5,
            CaseKind::Pool => 6,
        });
        Self { kind, random }
    }

    fn word(&mut self) -> u128 {
        (u128::from(self.random.next_u64()) << 64) | u128::from(self.random.next_u64())
    }

    /// A number from `low` to `high`, inclusive.
    fn between(&mut self, low: u128, high: u128) -> u128 {
        let width = high.max(low) - low;
        low + if width == u128::MAX { self.word() } else { self.word() % (width + 1) }
    }

    /// A number up to `high` whose bit length is uniformly distributed: small numbers are as likely as large ones.
    fn any_size(&mut self, high: u128) -> u128 {
        let bits = self.between(0, 127);
        let kept = u32::try_from(bits).expect("it is below 128");
        (self.word() >> kept).min(high)
    }

    fn curve(&mut self) -> Curve {
        let raise = match self.between(0, 7) {
            0 => ETHER,
            1 => LARGEST_RAISE,
            _ => self.between(ETHER, LARGEST_RAISE),
        };
        let gain = match self.between(0, 7) {
            0 => 0,
            1 => MAX_GAIN_BPS,
            2 => 1,
            _ => u32::try_from(self.between(0, MAX_GAIN_BPS.into())).unwrap_or(MAX_GAIN_BPS),
        };
        Curve::new(raise, gain).expect("inside the limits of a launch")
    }

    /// Any position up to `last`, including the first and the last unit.
    fn sold(&mut self, last: u128) -> u128 {
        match self.between(0, 15) {
            0 => 0,
            1 => 1,
            2 => last,
            3 => last - self.any_size(last),
            4 => self.any_size(last),
            _ => self.between(0, last),
        }
    }

    /// A trade at this position that the contracts accept; `least` wei, fees included, reach the target.
    fn trade(&mut self, sold: u128, least: u128) -> Trade {
        if sold >= MINIMUM_SELL && self.between(0, 1) == 0 {
            let tokens = match self.between(0, 7) {
                0 => sold,
                1 => MINIMUM_SELL,
                2 => self.any_size(sold),
                _ => self.between(MINIMUM_SELL, sold),
            };
            return Trade::Sell(tokens.max(MINIMUM_SELL));
        }
        let gross = match self.between(0, 7) {
            0 => MINIMUM_BUY,
            1 => least.saturating_sub(1),
            2 => least,
            3 => least + 1,
            4 => least + self.any_size(100 * ETHER),
            5 => self.any_size(7 * ETHER),
            _ => self.between(MINIMUM_BUY, least),
        };
        Trade::Buy(gross.max(MINIMUM_BUY))
    }

    fn on_curve(&mut self) -> Question {
        let curve = self.curve();
        let sold = self.sold(curve.sold_down(curve.target_raise() - 1));
        let position = Position { sold, contributions: curve.cost_up(sold) };
        let least = least_gross_up(curve.target_raise() - position.contributions).unwrap_or(u128::MAX >> 1);
        let split = self.between(0, 3);
        let split_bps = match split {
            0 => 0,
            1 => WHOLE_BPS,
            _ => self.between(0, WHOLE_BPS),
        };
        let split_bps = u16::try_from(split_bps).expect("it is at most ten thousand");
        Question::Curve { curve, split_bps, position, trade: self.trade(sold, least) }
    }

    fn on_first_curve(&mut self) -> Question {
        let sold = self.sold(exponential::sold_down(0, exponential::TARGET - 1));
        let position = Position { sold, contributions: exponential::cost_up(sold) };
        let missing = exponential::TARGET - position.contributions;
        Question::V1 { position, trade: self.trade(sold, missing + missing.div_ceil(19)) }
    }

    fn inverse(&mut self) -> Question {
        let curve = self.curve();
        let sold = self.sold(curve.sold_down(curve.target_raise() - 1));
        let position = Position { sold, contributions: curve.cost_up(sold) };
        let left = curve.sale_supply() - sold;
        let tokens = match self.between(0, 7) {
            0 => 1,
            1 => left,
            2 => self.any_size(left),
            _ => self.between(1, left),
        };
        Question::Inverse { curve, position, tokens: tokens.clamp(1, left.max(1)) }
    }

    /// A number below 2^n, for a random `n` from `least` to `most`.
    fn in_bits(&mut self, least: u128, most: u128) -> u128 {
        let bits = self.between(least, most);
        self.between(1, if bits == 112 { MAX_RESERVE } else { (1 << bits) - 1 })
    }

    fn in_pair(&mut self) -> Question {
        let mut any = || self.in_bits(1, 112);
        Question::Swap { reserve_in: any(), reserve_out: any(), amount_in: any() }
    }

    /// Pairs of similar sizes: others would yield little output.
    fn route(&mut self) -> Question {
        let length = usize::try_from(self.between(1, MOST_HOPS as u128)).expect("it is small");
        let mut hops = [(0, 0); MOST_HOPS];
        for hop in &mut hops[..length] {
            *hop = (self.in_bits(80, 112), self.in_bits(80, 112));
        }
        Question::Route { hops, length, amount_in: self.in_bits(1, 100) }
    }

    /// The pool of a launch, at up to eight times the square root of its opening price and down to an eighth of it.
    fn in_pool(&mut self) -> Question {
        let curve = self.curve();
        let opening = curve.pool_sqrt_price_x96_down(self.between(0, 1) == 0);
        let held = U256::from(curve.liquidity_supply()) * U256::from(curve.target_raise());
        let liquidity = u128::try_from(held.root(2)).expect("both amounts are below 2^96");
        let moved = match self.between(0, 3) {
            0 => 1 << 32,
            _ => {
                let bits = self.between(29, 35);
                self.between(1 << 29, 1 << bits)
            }
        };
        let pool = Pool { sqrt_price_x96: (opening * U256::from(moved)) >> 32, liquidity };
        Question::Pool { pool, zero_for_one: self.between(0, 1) == 0, amount_in: self.in_bits(1, 100) }
    }
}

impl Iterator for Questions {
    type Item = Question;

    fn next(&mut self) -> Option<Question> {
        Some(match self.kind {
            CaseKind::Curve => self.on_curve(),
            CaseKind::V1 => self.on_first_curve(),
            CaseKind::Swap => self.in_pair(),
            CaseKind::Inverse => self.inverse(),
            CaseKind::Route => self.route(),
            CaseKind::Pool => self.in_pool(),
        })
    }
}

#[cfg(test)]
#[path = "vectors_tests.rs"]
mod tests;
