//! The plan of the seeded market, made before the first transaction; it is independent of chains and contracts.
use alloy::primitives::U256;

use super::accounts::Account;
use super::file::LaunchOutcome;
use super::rng::SeededRng;
use super::words;
use crate::event::Metadata;
use slipway_math::curve::MINIMUM_BUY;

/// Length of the market, seconds.
pub(crate) const DURATION: u64 = 2 * 24 * 60 * 60;
/// Number of accounts that launch; the first one launches most.
pub(crate) const CREATORS: usize = 12;
/// Number of accounts that trade.
pub(crate) const TRADERS: usize = 32;

/// Trades in the same slot share a block; in seconds.
pub(super) const SLOT: u64 = 420;
/// Length of a slot in the last hour, in seconds.
pub(super) const LATE_SLOT: u64 = 60;
pub(super) const LATE: u64 = 60 * 60;
/// Time from a launch to its first trade, in seconds: longer than the longest protection.
pub(super) const FIRST_TRADE_AFTER: u64 = 75;
const ETHER: u64 = 1_000_000_000_000_000_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedLaunch {
    pub(crate) creator: Account,
    /// The outcome for which its trades were drawn; `None` if they are written out.
    pub(crate) outcome: Option<LaunchOutcome>,
    pub(crate) metadata: Metadata,
    pub(crate) target_raise: U256,
    pub(crate) gain_bps: u32,
    pub(crate) creator_fee_split_bps: u16,
    pub(crate) anti_snipe_duration: u32,
    pub(crate) prebuy: U256,
    pub(crate) referrer: Option<Account>,
    /// Its quote asset, as an index into the chain's assets; `None` for the native coin.
    pub(crate) quote: Option<usize>,
    /// Whether the operator removes it from the usual lists.
    pub(crate) disabled: bool,
    /// Its row in the market file; `None` if it is drawn.
    pub(crate) row: Option<usize>,
}

/// A V1 token; its factory stores no links.
#[derive(Clone, Debug)]
pub(crate) struct PlannedV1 {
    pub(crate) creator: Account,
    pub(crate) name: String,
    pub(crate) symbol: String,
    pub(crate) description: String,
    pub(crate) image_url: String,
    /// The outcome for which its trades are drawn; `None` if they are written out.
    pub(crate) outcome: Option<LaunchOutcome>,
    pub(crate) disabled: bool,
    /// Its row in the market file.
    pub(crate) row: usize,
}

/// The part of a balance to sell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Portion {
    /// A share of the balance at that time, in hundredths of a percent.
    Share(u64),
    /// Token units.
    Units(u128),
}

/// A chat message about a token.
#[derive(Clone, Debug)]
pub(crate) struct PlannedMessage {
    pub(crate) token: Featured,
    pub(crate) sender: Account,
    pub(crate) text: String,
    pub(crate) at: u64,
}

/// One action of one account; launches are indices in the plan's list, amounts are in wei.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Launch {
        launch: usize,
    },
    Buy {
        launch: usize,
        trader: Account,
        quote: U256,
        referrer: Option<Account>,
    },
    Sell {
        launch: usize,
        trader: Account,
        portion: Portion,
    },
    /// Buys in the pool of a graduated launch.
    PoolBuy {
        launch: usize,
        trader: Account,
        quote: U256,
    },
    /// Sells in the pool.
    PoolSell {
        launch: usize,
        trader: Account,
        portion: Portion,
    },
    /// Swaps on the exchange: an index in the exchange's list of swaps.
    Swap {
        swap: usize,
    },
    /// An action on a V1 token, by its index.
    V1 {
        token: usize,
        trader: Account,
        trade: V1Trade,
    },
    /// Wins the next day of the auction for a token.
    Bid {
        token: Featured,
        trader: Account,
    },
}

/// A trade of a V1 token; amounts as in [`Action`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum V1Trade {
    Buy { quote: U256 },
    Sell { portion: Portion },
    PairBuy { quote: U256 },
    PairSell { portion: Portion },
}

/// A token, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Featured {
    Launch(usize),
    V1(usize),
}

/// An action and its time, Unix seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) at: u64,
    pub(crate) action: Action,
}

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) launches: Vec<PlannedLaunch>,
    /// V1 tokens, in creation order.
    pub(crate) v1: Vec<PlannedV1>,
    /// In time order.
    pub(crate) steps: Vec<Step>,
    pub(crate) messages: Vec<PlannedMessage>,
    pub(crate) end: u64,
    /// Whether drawn launches take place at the same times as trades.
    shares_blocks: bool,
}

/// Plans the drawn launches for the native coin of a chain that ends at `end`.
pub(crate) fn plan(
    seed: u64,
    chain_id: u64,
    outcomes: Vec<LaunchOutcome>,
    end: u64,
    shares_blocks: bool,
) -> Plan {
    let mut rng = SeededRng::new(seed, chain_id);
    let (launches, v1, steps, messages) = Default::default();
    let mut plan = Plan { launches, v1, steps, messages, end, shares_blocks };
    for outcome in rng.shuffled(outcomes) {
        plan.add(&mut rng, outcome, &chain_id.to_string(), |_| {});
    }
    plan.steps.sort_by_key(|step| step.at);
    plan
}

impl Plan {
    /// Adds a launch with its trades; `settle` changes it before its trades are planned. The caller sorts the steps.
    pub(crate) fn add(
        &mut self,
        rng: &mut SeededRng,
        outcome: LaunchOutcome,
        label: &str,
        settle: impl FnOnce(&mut PlannedLaunch),
    ) {
        let index = self.launches.len();
        let mut launch = planned_launch(rng, index, outcome, label);
        settle(&mut launch);
        let mut created = created_at(rng, outcome, index, self.end - DURATION, self.end);
        if self.shares_blocks {
            created = slot_after(created, self.end);
        }
        self.steps.push(Step { at: created, action: Action::Launch { launch: index } });
        self.trades(rng, index, &launch, outcome, created);
        self.launches.push(launch);
    }

    /// Plans the trades of a launch: buys that together reach its outcome's part of the raise, with sales among them.
    fn trades(
        &mut self,
        rng: &mut SeededRng,
        index: usize,
        launch: &PlannedLaunch,
        outcome: LaunchOutcome,
        created: u64,
    ) {
        let end = self.end;
        let (least, most, low, high) = match outcome {
            LaunchOutcome::New => (0, 2, 20, 300),
            LaunchOutcome::Early => (3, 9, 300, 3_000),
            LaunchOutcome::Half => (8, 20, 3_500, 6_500),
            LaunchOutcome::Nearly => (12, 28, 9_500, 9_850),
            LaunchOutcome::Graduated => (12, 26, 8_000, 9_500),
        };
        let count = rng.between(least, most);
        let lively = rng.happens(35);
        let curve_end =
            if outcome == LaunchOutcome::Graduated { created + (end - created) * 2 / 3 } else { end };
        let mut times: Vec<u64> =
            (0..count).map(|_| trade_time(rng, created, curve_end, lively && curve_end == end)).collect();
        if self.shares_blocks {
            // The slots of a graduating launch end with its curve; here they are replaced by the common slots.
            times.iter_mut().for_each(|at| *at = slot_after(*at, end));
        }
        times.sort_unstable();
        // The creator's purchase at the launch counts towards the outcome too.
        let bought: u64 = (launch.prebuy * U256::from(10_000) / launch.target_raise).to();
        let progress = rng.between(low, high).saturating_sub(bought);
        let weights: Vec<u64> = times.iter().map(|_| rng.between(1, 10)).collect();
        let total: u64 = weights.iter().sum();
        // Fees are two hundredths of a buy, so its net is slightly below its weight. If the creator's purchase alone reaches the planned
        // progress, the others buy the minimum.
        let quote = |weight: u64| {
            let part = launch.target_raise * U256::from(progress * weight) / U256::from(10_000 * total);
            part.max(U256::from(MINIMUM_BUY))
        };
        let mut holders: Vec<Account> = Vec::new();
        for (&at, &weight) in times.iter().zip(&weights) {
            let trader = any_trader(rng);
            let referrer = rng.happens(15).then(|| any_creator(rng));
            self.steps.push(Step {
                at,
                action: Action::Buy { launch: index, trader, quote: quote(weight), referrer },
            });
            if !holders.is_empty() && rng.happens(if outcome == LaunchOutcome::Nearly { 5 } else { 30 }) {
                let (trader, portion) = (*rng.one_of(&holders), Portion::Share(rng.between(200, 6_000)));
                self.steps.push(Step { at, action: Action::Sell { launch: index, trader, portion } });
            }
            holders.push(trader);
        }
        if outcome == LaunchOutcome::Graduated {
            let full = slot_after(times.last().copied().unwrap_or(created) + FIRST_TRADE_AFTER, end);
            graduate(rng, &mut self.steps, index, launch, full, end, &holders);
        }
    }
}

pub(super) fn any_trader(rng: &mut SeededRng) -> Account {
    Account::Trader(rng.index(TRADERS))
}

pub(super) fn any_creator(rng: &mut SeededRng) -> Account {
    Account::Creator(rng.index(CREATORS))
}

pub(super) fn planned_launch(
    rng: &mut SeededRng,
    index: usize,
    outcome: LaunchOutcome,
    label: &str,
) -> PlannedLaunch {
    let tenths = *rng.one_of(&[10, 10, 15, 20, 25, 30, 35, 42, 50]);
    let target_raise = U256::from(ETHER) * U256::from(tenths) / U256::from(10);
    let prebuys = outcome != LaunchOutcome::New && rng.happens(40);
    let prebuy =
        if prebuys { target_raise * U256::from(rng.between(5, 40)) / U256::from(1_000) } else { U256::ZERO };
    PlannedLaunch {
        // Every third launch belongs to the first account, so that its list has more than one page.
        creator: if index.is_multiple_of(3) { Account::Creator(0) } else { any_creator(rng) },
        outcome: Some(outcome),
        metadata: words::metadata(rng, index, label),
        target_raise,
        gain_bps: *rng.one_of(&[0, 10_000, 25_000, 50_000, 50_000, 90_000, 123_456, 200_000]),
        creator_fee_split_bps: *rng.one_of(&[0, 2_500, 3_333, 5_000, 5_000, 7_500, 10_000]),
        anti_snipe_duration: *rng.one_of(&[0, 0, 0, 20, 40, 60]),
        prebuy,
        referrer: rng.happens(20).then(|| any_creator(rng)),
        quote: None,
        disabled: false,
        row: None,
    }
}

fn created_at(rng: &mut SeededRng, outcome: LaunchOutcome, index: usize, start: u64, end: u64) -> u64 {
    let hour = 60 * 60;
    let at = match outcome {
        LaunchOutcome::New => end - rng.between(5 * 60, 5 * hour),
        LaunchOutcome::Early => rng.between(start + hour, end - 3 * hour),
        LaunchOutcome::Half | LaunchOutcome::Nearly => rng.between(start, end - 6 * hour),
        LaunchOutcome::Graduated => rng.between(start, end - 16 * hour),
    };
    // A few launches share their block, to produce ties in the creation time.
    if index % 9 < 2 && outcome != LaunchOutcome::New {
        start + (at - start) / (12 * hour) * 12 * hour + 11
    } else {
        at
    }
}

fn graduate(
    rng: &mut SeededRng,
    steps: &mut Vec<Step>,
    index: usize,
    launch: &PlannedLaunch,
    full: u64,
    end: u64,
    holders: &[Account],
) {
    let trader = any_trader(rng);
    let quote = launch.target_raise * U256::from(3);
    steps.push(Step { at: full, action: Action::Buy { launch: index, trader, quote, referrer: None } });
    let mut times: Vec<u64> = (0..rng.between(4, 12)).map(|_| trade_time(rng, full, end, true)).collect();
    times.sort_unstable();
    for at in times {
        let action = if rng.happens(60) {
            let quote = launch.target_raise * U256::from(rng.between(2, 60)) / U256::from(1_000);
            Action::PoolBuy { launch: index, trader: any_trader(rng), quote }
        } else {
            let trader = if rng.happens(50) { trader } else { *rng.one_of(holders) };
            Action::PoolSell { launch: index, trader, portion: Portion::Share(rng.between(200, 3_000)) }
        };
        steps.push(Step { at, action });
    }
}

/// A time for a trade after a launch; a lively launch has a third of its trades in the last hour.
pub(super) fn trade_time(rng: &mut SeededRng, after: u64, end: u64, lively: bool) -> u64 {
    let first = after + FIRST_TRADE_AFTER;
    let late = end.saturating_sub(LATE).max(first);
    let at =
        if lively && rng.happens(33) { rng.between(late, end) } else { rng.between(first, end.max(first)) };
    slot_after(at, end)
}

/// The end of the slot that contains a time, so that no step happens before its cause.
pub(super) fn slot_after(at: u64, end: u64) -> u64 {
    let left = end.saturating_sub(at);
    let slot = if left <= LATE { LATE_SLOT } else { SLOT };
    end - left / slot * slot
}

#[cfg(test)]
mod tests {
    use super::super::file::MarketFile;
    use super::super::outcomes;
    use super::{DURATION, plan};
    use slipway_contracts::ChainId;

    const END: u64 = 1_772_625_600;

    #[test]
    fn steps_are_ordered_within_two_days() {
        for seed in 0..50 {
            let drawn = outcomes(&MarketFile::usual(), ChainId::PRIMARY.0);
            let steps = plan(seed, ChainId::PRIMARY.0, drawn, END, false).steps;
            assert!(steps.is_sorted_by_key(|step| step.at), "seed {seed}");
            assert!(steps.iter().all(|step| (END - DURATION..=END).contains(&step.at)), "seed {seed}");
        }
    }
}
