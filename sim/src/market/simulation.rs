//! Simulates a planned market without a chain: curves, pairs and balances as in the contracts, and the reason for
//! which they would revert a step. Every seed's market must succeed, since a start does not retry.
use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::U256;
use slipway_contracts::ChainId;

use super::accounts::Account;
use super::exchange::{PAIRS, PlannedSwap, Side, decimals, units};
use super::plan::{
    Action, DURATION, Featured, LATE, LATE_SLOT, LaunchOutcome, LaunchOutcomes, Plan, PlannedLaunch, SLOT,
    V1Trade, slot_after,
};
use super::size::{MOST_LAUNCHES, MarketSize, PRIMARY, SECOND};
use super::{Scope, schedule, v1};
use crate::state::token::DAY;
use slipway_math::curve::{Curve, MINIMUM_BUY, MINIMUM_SELL, Position};
use slipway_math::exchange::amount_out_down;
use slipway_math::exponential;

/// Noon, the default end of the market, and midnight, for a platform that follows the host's clock.
const ENDS: [u64; 2] = [1_772_625_600, 1_772_582_400];
const ETHER: u128 = 1_000_000_000_000_000_000;
/// Raises that a hook accepts, wei.
const RAISES: std::ops::RangeInclusive<u128> = ETHER..=5 * ETHER;
/// The most that an account may spend in total: it has ten thousand ether, and ten times as much of each quote asset.
const SPENDABLE: u128 = 9_000 * ETHER;

/// Why a contract would revert a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Revert {
    RaiseOutOfRange,
    PrebuyExceedsRaise,
    BelowMinimumBuy,
    UnknownLaunch,
    CaptchaRequired,
    AlreadyFinalized,
    NotFinalized,
    SellExceedsSold,
    InsufficientBalance,
    InsufficientOutput,
    BidTooLow,
    EpochTaken,
}

struct Launched {
    curve: Curve,
    position: Position,
    finalized: bool,
    /// The last second in which a trade needs a captcha.
    protected_until: u64,
}

#[derive(Default)]
struct V1Token {
    position: Position,
    finalized: bool,
}

/// The traded token: a launch or a V1 token, by index.
type Asset = (bool, usize);

struct Simulation<'a> {
    plan: &'a Plan,
    swaps: &'a [PlannedSwap],
    launched: BTreeMap<usize, Launched>,
    v1: BTreeMap<usize, V1Token>,
    held: BTreeMap<(Asset, Account), u128>,
    /// Bought at the current time: it is not sold before the next.
    bought: Vec<((Asset, Account), u128)>,
    spent: BTreeMap<(Option<usize>, Account), u128>,
    reserves: Vec<[u128; 2]>,
    /// Epochs with a bid, and the maximum price of the next bid.
    bids: BTreeSet<u64>,
    highest_price: u128,
}

impl<'a> Simulation<'a> {
    fn new(plan: &'a Plan, swaps: &'a [PlannedSwap]) -> Self {
        let filled = |pair: &super::exchange::Pair| {
            [0, 1].map(|side| units(pair.whole[side], decimals(pair.sides[side])).to::<u128>())
        };
        Self {
            plan,
            swaps,
            launched: BTreeMap::new(),
            v1: BTreeMap::new(),
            held: BTreeMap::new(),
            bought: Vec::new(),
            spent: BTreeMap::new(),
            reserves: PAIRS.iter().map(filled).collect(),
            bids: BTreeSet::new(),
            highest_price: ETHER / 100,
        }
    }

    /// Simulates every step; stops at the first that would revert.
    fn run(&mut self) -> Result<(), (usize, Revert)> {
        let plan = self.plan;
        let mut number = 0;
        for group in plan.steps.chunk_by(|one, next| one.at == next.at) {
            for step in group {
                self.step(step.at, &step.action).map_err(|revert| (number, revert))?;
                number += 1;
            }
            for (holder, units) in std::mem::take(&mut self.bought) {
                *self.held.entry(holder).or_default() += units;
            }
        }
        Ok(())
    }

    fn step(&mut self, at: u64, action: &Action) -> Result<(), Revert> {
        match *action {
            Action::Launch { launch } => self.launch(at, launch),
            Action::Buy { launch, trader, quote, .. } => self.buy(at, launch, Account::Trader(trader), quote),
            Action::Sell { launch, trader, share_bps } => self.sell(at, launch, trader, share_bps),
            Action::PoolBuy { launch, trader, quote } => {
                self.graduated(launch)?;
                let quote_asset = self.plan.launches[launch].quote;
                self.spend(quote_asset, Account::Trader(trader), quote)
            }
            Action::PoolSell { launch, trader, share_bps } => {
                self.graduated(launch)?;
                self.share((false, launch), Account::Trader(trader), share_bps);
                Ok(())
            }
            Action::Swap { swap } => self.swap(swap),
            Action::V1 { token, trader, trade } => self.v1(token, Account::Trader(trader), trade),
            Action::Bid { token, trader } => self.bid(at, token, trader),
        }
    }

    fn launch(&mut self, at: u64, index: usize) -> Result<(), Revert> {
        let planned: &PlannedLaunch = &self.plan.launches[index];
        let target = planned.target_raise.to::<u128>();
        if !RAISES.contains(&target) {
            return Err(Revert::RaiseOutOfRange);
        }
        let curve = Curve::new(target, planned.gain_bps).map_err(|_| Revert::RaiseOutOfRange)?;
        let launched =
            Launched { curve, position: Position::default(), finalized: false, protected_until: 0 };
        self.launched.insert(index, launched);
        if !planned.prebuy.is_zero() {
            if planned.prebuy > planned.target_raise {
                return Err(Revert::PrebuyExceedsRaise);
            }
            self.buy(at, index, Account::Creator(planned.creator), planned.prebuy)?;
        }
        if planned.anti_snipe_duration > 0 {
            let last = at + u64::from(planned.anti_snipe_duration);
            self.launched.entry(index).and_modify(|launched| launched.protected_until = last);
        }
        Ok(())
    }

    fn open(&mut self, at: u64, index: usize) -> Result<&mut Launched, Revert> {
        let launched = self.launched.get_mut(&index).ok_or(Revert::UnknownLaunch)?;
        if launched.finalized {
            return Err(Revert::AlreadyFinalized);
        }
        if at <= launched.protected_until {
            return Err(Revert::CaptchaRequired);
        }
        Ok(launched)
    }

    fn buy(&mut self, at: u64, index: usize, buyer: Account, quote: U256) -> Result<(), Revert> {
        let planned = &self.plan.launches[index];
        self.spend(planned.quote, buyer, quote)?;
        let launched = self.open(at, index)?;
        let gross = quote.to::<u128>();
        if gross < MINIMUM_BUY {
            return Err(Revert::BelowMinimumBuy);
        }
        let bought = launched.curve.buy(launched.position, gross, planned.creator_fee_split_bps);
        launched.position = bought.position_after;
        launched.finalized = bought.finalizes;
        self.bought.push((((false, index), buyer), bought.tokens_out));
        Ok(())
    }

    fn sell(&mut self, at: u64, index: usize, trader: usize, share_bps: u64) -> Result<(), Revert> {
        let split = self.plan.launches[index].creator_fee_split_bps;
        let units = self.share((false, index), Account::Trader(trader), share_bps);
        let launched = self.open(at, index)?;
        if let Some(units) = units {
            let sold = launched.curve.sell(launched.position, units, split);
            launched.position = sold.map_err(|_| Revert::SellExceedsSold)?.position_after;
        }
        Ok(())
    }

    fn graduated(&self, index: usize) -> Result<(), Revert> {
        let launched = self.launched.get(&index).ok_or(Revert::UnknownLaunch)?;
        if launched.finalized { Ok(()) } else { Err(Revert::NotFinalized) }
    }

    fn v1(&mut self, index: usize, trader: Account, trade: V1Trade) -> Result<(), Revert> {
        let is_pair_trade = matches!(trade, V1Trade::PairBuy { .. } | V1Trade::PairSell { .. });
        let token = self.v1.entry(index).or_default();
        match (token.finalized, is_pair_trade) {
            (true, false) => return Err(Revert::AlreadyFinalized),
            (false, true) => return Err(Revert::NotFinalized),
            _ => {}
        }
        match trade {
            V1Trade::Buy { quote } => {
                let gross = quote.to::<u128>();
                if gross < MINIMUM_BUY {
                    return Err(Revert::BelowMinimumBuy);
                }
                let bought = exponential::buy(token.position, gross);
                token.position = bought.position_after;
                token.finalized = token.position.sold == exponential::SALE_SUPPLY;
                self.bought.push((((true, index), trader), bought.tokens_out));
                self.spend(None, trader, quote)
            }
            V1Trade::PairBuy { quote } => self.spend(None, trader, quote),
            V1Trade::Sell { share_bps } => {
                let position = token.position;
                if let Some(units) = self.share((true, index), trader, share_bps) {
                    let sold = exponential::sell(position, units).map_err(|_| Revert::SellExceedsSold)?;
                    self.v1.entry(index).or_default().position = sold.position_after;
                }
                Ok(())
            }
            V1Trade::PairSell { share_bps } => {
                self.share((true, index), trader, share_bps);
                Ok(())
            }
        }
    }

    fn swap(&mut self, swap: usize) -> Result<(), Revert> {
        let planned = &self.swaps[swap];
        let (paid, got) = if planned.reverse { (1, 0) } else { (0, 1) };
        if PAIRS[planned.pair].sides[paid] == Side::Wrapped {
            self.spend(None, Account::Trader(planned.trader), planned.amount)?;
        }
        let reserves = &mut self.reserves[planned.pair];
        let amount = planned.amount.to::<u128>();
        let out = amount_out_down(amount, reserves[paid], reserves[got]).unwrap_or_default();
        if out == 0 || out >= reserves[got] {
            return Err(Revert::InsufficientOutput);
        }
        reserves[paid] += amount;
        reserves[got] -= out;
        Ok(())
    }

    /// Bids one ether; an epoch starts at twice the price of the last bid, and the first at a hundredth of an ether.
    fn bid(&mut self, at: u64, token: Featured, trader: usize) -> Result<(), Revert> {
        if let Featured::Launch(index) = token
            && !self.launched.contains_key(&index)
        {
            return Err(Revert::UnknownLaunch);
        }
        if !self.bids.insert(at / DAY) {
            return Err(Revert::EpochTaken);
        }
        if self.highest_price > ETHER {
            return Err(Revert::BidTooLow);
        }
        self.highest_price *= 2;
        self.spend(None, Account::Trader(trader), U256::from(ETHER))
    }

    fn spend(&mut self, asset: Option<usize>, account: Account, amount: U256) -> Result<(), Revert> {
        let spent = self.spent.entry((asset, account)).or_default();
        *spent += amount.to::<u128>();
        if *spent > SPENDABLE { Err(Revert::InsufficientBalance) } else { Ok(()) }
    }

    /// A share of an account's balance, withdrawn; `None` when it is below the minimum sale.
    fn share(&mut self, asset: Asset, account: Account, share_bps: u64) -> Option<u128> {
        let held = self.held.get_mut(&(asset, account))?;
        let units = *held / 10_000 * u128::from(share_bps);
        *held -= units;
        (units >= MINIMUM_SELL).then_some(units)
    }
}

fn primary(seed: u64, size: MarketSize) -> (Plan, Vec<PlannedSwap>) {
    let scope =
        Scope { quote_assets: 0, has_v1: true, has_exchange: true, shares_blocks: size.shares_blocks() };
    schedule(seed, 57_073, &size.outcomes(ChainId::PRIMARY), ENDS[0], scope)
}

/// Simulates the markets of both chains for a seed that end at `end`.
fn played(seed: u64, end: u64) {
    let markets: [(u64, &LaunchOutcomes, Scope); 2] = [
        (57_073, &PRIMARY, Scope { quote_assets: 0, has_v1: true, has_exchange: true, shares_blocks: false }),
        (4_663, &SECOND, Scope { quote_assets: 3, has_v1: false, has_exchange: false, shares_blocks: false }),
    ];
    for (chain_id, outcomes, scope) in markets {
        let (plan, swaps) = schedule(seed, chain_id, outcomes, end, scope);
        let mut simulation = Simulation::new(&plan, &swaps);
        if let Err((number, revert)) = simulation.run() {
            panic!("seed {seed}, chain {chain_id}, end {end}: {:?} reverts: {revert:?}", plan.steps[number]);
        }
        for (index, planned) in plan.launches.iter().enumerate() {
            let launched = &simulation.launched[&index];
            let graduates = planned.outcome == LaunchOutcome::Graduated;
            assert_eq!(launched.finalized, graduates, "seed {seed}, chain {chain_id}, launch {index}");
        }
        for (index, token) in &simulation.v1 {
            let graduates = v1::TOKENS[*index].outcome == LaunchOutcome::Graduated;
            assert_eq!(token.finalized, graduates, "seed {seed}, V1 token {index}");
        }
    }
}

#[test]
fn market_of_every_seed_reverts_nothing() {
    for seed in 0..300 {
        for end in ENDS {
            played(seed, end);
        }
    }
}

#[test]
fn market_of_extreme_seeds_reverts_nothing() {
    for seed in [u64::MAX, u64::MAX - 1, 1 << 63, 1 << 32, u64::from(u32::MAX)] {
        played(seed, ENDS[0]);
    }
}

#[test]
fn largest_market_reverts_nothing() {
    let (plan, swaps) = primary(1, MarketSize::Launches(MOST_LAUNCHES));
    assert_eq!(Simulation::new(&plan, &swaps).run(), Ok(()));
}

/// For every block the node hashes the whole state. The default market, whose launches have different times, shows what
/// would happen to ten thousand of them otherwise.
#[test]
fn launches_of_a_large_market_share_blocks() {
    // The times of launch steps; the number of other swaps and bids is the same in every market.
    let times = |size: MarketSize| -> BTreeSet<u64> {
        let (plan, _) = primary(3, size);
        let of_launches = plan.steps.iter().filter(|step| {
            !matches!(step.action, Action::Swap { .. } | Action::V1 { .. } | Action::Bid { .. })
        });
        of_launches.map(|step| step.at).collect()
    };
    let slots = usize::try_from((DURATION - LATE) / SLOT + LATE / LATE_SLOT).unwrap() + 2;
    let is_slot = |&at: &u64| slot_after(at, ENDS[0]) == at;
    let largest = times(MarketSize::Launches(MOST_LAUNCHES));
    assert!(largest.iter().all(is_slot) && largest.len() <= slots, "{} times of {slots}", largest.len());
    assert!(!times(MarketSize::Usual).iter().all(is_slot));
}

/// The simulation rejects what the contracts reject.
#[test]
fn simulation_finds_a_purchase_below_the_minimum() {
    let (mut plan, swaps) = primary(1, MarketSize::Usual);
    let number = plan.steps.iter().position(|step| matches!(step.action, Action::Buy { .. })).unwrap();
    if let Action::Buy { quote, .. } = &mut plan.steps[number].action {
        *quote = U256::from(MINIMUM_BUY - 1);
    }
    assert_eq!(Simulation::new(&plan, &swaps).run(), Err((number, Revert::BelowMinimumBuy)));
}
