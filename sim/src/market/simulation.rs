//! Simulates a planned market without a chain: curves, pairs and balances as in the contracts, and the reasons for which they would revert
//! a step. A market is simulated before any chain is started, since a start does not retry.
use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::U256;
use slipway_math::curve::{Curve, MINIMUM_BUY, MINIMUM_SELL, Position};
use slipway_math::exchange::amount_out_down;
use slipway_math::exponential;

use super::accounts::Account;
use super::check::of_launch;
use super::error::{At, PlanError};
use super::exchange::{PlannedExchange, Side};
use super::file::MarketFile;
use super::plan::{Action, Featured, Plan, PlannedLaunch, Portion, V1Trade};
use crate::state::token::DAY;

const ETHER: u128 = 1_000_000_000_000_000_000;
/// Raises that a hook accepts, wei.
const RAISES: std::ops::RangeInclusive<u128> = ETHER..=5 * ETHER;
/// Limit on an account's total spending: it has ten thousand ether, and ten times as much of each quote asset.
const SPENDABLE: u128 = 9_000 * ETHER;

/// The reason why a contract would revert a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Revert {
    #[error("its raise is out of range")]
    RaiseOutOfRange,
    #[error("the prebuy is more than the raise")]
    PrebuyExceedsRaise,
    #[error("a purchase is below the minimum of 0.00001")]
    BelowMinimumBuy,
    #[error("a sale is below the minimum of one token")]
    BelowMinimumSell,
    #[error("the launch does not exist by then")]
    UnknownLaunch,
    #[error("a trade is in the anti-snipe window, where it needs a captcha")]
    CaptchaRequired,
    #[error("a trade on the curve comes after the curve is full")]
    AlreadyFinalized,
    #[error("a trade in the pool comes before the curve is full")]
    NotFinalized,
    #[error("more tokens are sold than the curve has sold")]
    SellExceedsSold,
    #[error("an account spends or sells more than it has; each has 9000 of a coin to spend")]
    InsufficientBalance,
    #[error("a swap has no output")]
    InsufficientOutput,
    #[error("the bid is too low")]
    BidTooLow,
    #[error("the day is won already")]
    EpochTaken,
}

/// Simulates a file's plan, and reports the first step that would revert.
pub(super) fn play(file: &MarketFile, plan: &Plan, exchange: &PlannedExchange) -> Result<(), PlanError> {
    let played = Simulation::new(plan, exchange).run();
    played.map_err(|(step, revert)| {
        let of_row = |row: Option<usize>| match row {
            Some(row) => of_launch(row, &file.launch[row]),
            None => At::file().field("draw"),
        };
        let at = match plan.steps[step].action {
            Action::Launch { launch }
            | Action::Buy { launch, .. }
            | Action::Sell { launch, .. }
            | Action::PoolBuy { launch, .. }
            | Action::PoolSell { launch, .. } => of_row(plan.launches[launch].row),
            Action::V1 { token, .. } => of_row(Some(plan.v1[token].row)),
            Action::Swap { .. } => At::file().field("swaps"),
            Action::Bid { .. } => At::file().field("auction"),
        };
        at.wrong(revert.to_string())
    })
}

pub(super) struct Launched {
    curve: Curve,
    position: Position,
    pub(super) finalized: bool,
    /// The time of the launch: nobody knows its id within the same second.
    since: u64,
    /// The last second in which a trade needs a captcha.
    protected_until: u64,
}

#[derive(Default)]
pub(super) struct V1Token {
    position: Position,
    pub(super) finalized: bool,
}

/// The traded token: a launch or a V1 token, by index.
type Asset = (bool, usize);

pub(super) struct Simulation<'a> {
    plan: &'a Plan,
    exchange: &'a PlannedExchange,
    pub(super) launched: BTreeMap<usize, Launched>,
    pub(super) v1: BTreeMap<usize, V1Token>,
    held: BTreeMap<(Asset, Account), u128>,
    /// Bought at the current time, and not sold before the next.
    bought: Vec<((Asset, Account), u128)>,
    spent: BTreeMap<(Option<usize>, Account), u128>,
    reserves: Vec<[u128; 2]>,
    /// Epochs with a bid, and the maximum price of the next bid.
    bids: BTreeSet<u64>,
    highest_price: u128,
}

impl<'a> Simulation<'a> {
    pub(super) fn new(plan: &'a Plan, exchange: &'a PlannedExchange) -> Self {
        Self {
            plan,
            exchange,
            launched: BTreeMap::new(),
            v1: BTreeMap::new(),
            held: BTreeMap::new(),
            bought: Vec::new(),
            spent: BTreeMap::from([((None, Account::Maker), exchange.wrapped_total())]),
            reserves: exchange.pairs.iter().map(|pair| pair.reserves).collect(),
            bids: BTreeSet::new(),
            highest_price: ETHER / 100,
        }
    }

    /// Simulates every step; stops at the first that would revert.
    pub(super) fn run(&mut self) -> Result<(), (usize, Revert)> {
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
            Action::Buy { launch, trader, quote, .. } => self.buy(at, launch, trader, quote),
            Action::Sell { launch, trader, portion } => self.sell(at, launch, trader, portion),
            Action::PoolBuy { launch, trader, quote } => {
                self.graduated(launch)?;
                let quote_asset = self.plan.launches[launch].quote;
                self.spend(quote_asset, trader, quote)
            }
            Action::PoolSell { launch, trader, portion } => {
                self.graduated(launch)?;
                self.share((false, launch), trader, portion).map(drop)
            }
            Action::Swap { swap } => self.swap(swap),
            Action::V1 { token, trader, trade } => self.v1(token, trader, trade),
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
        let launched = Launched {
            curve,
            position: Position::default(),
            finalized: false,
            since: at,
            protected_until: 0,
        };
        self.launched.insert(index, launched);
        if !planned.prebuy.is_zero() {
            if planned.prebuy > planned.target_raise {
                return Err(Revert::PrebuyExceedsRaise);
            }
            self.buy(at, index, planned.creator, planned.prebuy)?;
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

    fn sell(&mut self, at: u64, index: usize, trader: Account, portion: Portion) -> Result<(), Revert> {
        let split = self.plan.launches[index].creator_fee_split_bps;
        let units = self.share((false, index), trader, portion)?;
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
            V1Trade::Sell { portion } => {
                let position = token.position;
                if let Some(units) = self.share((true, index), trader, portion)? {
                    let sold = exponential::sell(position, units).map_err(|_| Revert::SellExceedsSold)?;
                    self.v1.entry(index).or_default().position = sold.position_after;
                }
                Ok(())
            }
            V1Trade::PairSell { portion } => self.share((true, index), trader, portion).map(drop),
        }
    }

    fn swap(&mut self, swap: usize) -> Result<(), Revert> {
        let planned = &self.exchange.swaps[swap];
        let (paid, got) = if planned.reverse { (1, 0) } else { (0, 1) };
        if self.exchange.pairs[planned.pair].sides[paid] == Side::Wrapped {
            self.spend(None, planned.trader, planned.amount)?;
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
    fn bid(&mut self, at: u64, token: Featured, trader: Account) -> Result<(), Revert> {
        let is_known = match token {
            Featured::Launch(index) => self.launched.get(&index).is_some_and(|launched| launched.since < at),
            Featured::V1(index) => index < self.plan.v1.len(),
        };
        if !is_known {
            return Err(Revert::UnknownLaunch);
        }
        if !self.bids.insert(at / DAY) {
            return Err(Revert::EpochTaken);
        }
        if self.highest_price > ETHER {
            return Err(Revert::BidTooLow);
        }
        self.highest_price *= 2;
        self.spend(None, trader, U256::from(ETHER))
    }

    fn spend(&mut self, asset: Option<usize>, account: Account, amount: U256) -> Result<(), Revert> {
        let spent = self.spent.entry((asset, account)).or_default();
        *spent += amount.to::<u128>();
        if *spent > SPENDABLE { Err(Revert::InsufficientBalance) } else { Ok(()) }
    }

    /// Withdraws a portion of an account's balance; `None` if a share is below the minimum sale.
    fn share(&mut self, asset: Asset, account: Account, portion: Portion) -> Result<Option<u128>, Revert> {
        let units = match portion {
            Portion::Share(share_bps) => {
                let Some(held) = self.held.get_mut(&(asset, account)) else { return Ok(None) };
                let units = *held / 10_000 * u128::from(share_bps);
                *held -= units;
                return Ok((units >= MINIMUM_SELL).then_some(units));
            }
            Portion::Units(units) => units,
        };
        // Purchases of the same time come first.
        let mut left = units;
        let just_bought = self.bought.iter_mut().filter(|(holder, _)| *holder == (asset, account));
        for have in just_bought.map(|(_, have)| have).chain(self.held.get_mut(&(asset, account))) {
            let taken = left.min(*have);
            *have -= taken;
            left -= taken;
        }
        match (left, units) {
            (0, MINIMUM_SELL..) => Ok(Some(units)),
            (0, _) => Err(Revert::BelowMinimumSell),
            _ => Err(Revert::InsufficientBalance),
        }
    }
}
