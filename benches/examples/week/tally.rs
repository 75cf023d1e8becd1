//! What the logs of the launch hooks say, added up without the platform: raises, supplies, holders, fees, and the trades of a day.
use std::collections::{HashMap, VecDeque};

use alloy::primitives::{Address, Log, U256};
use alloy::sol_types::SolEvent;
use slipway_contracts::bindings::{IERC20, ILaunchHook};

use crate::market::Failure;

const DAY: u64 = 86_400;

/// A launch as its logs tell of it.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) token: Address,
    pub(crate) contributions: U256,
    pub(crate) sold: U256,
    pub(crate) buyback: U256,
    pub(crate) trades: u64,
    pub(crate) market_cap: Option<U256>,
    pub(crate) is_graduated: bool,
    /// What of the raise went into its pool.
    pub(crate) seeded: U256,
    /// Whether a buyback moved the price after the last trade.
    pub(crate) is_repriced: bool,
    /// The trades of the last day.
    pub(crate) day: Day,
}

/// Purchases, sales and what changed hands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Day {
    pub(crate) buys: u64,
    pub(crate) sells: u64,
    pub(crate) volume: U256,
}

/// Everything that the logs of one chain's hook say.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) launches: HashMap<u64, Launch>,
    pub(crate) balances: HashMap<Address, HashMap<Address, U256>>,
    pub(crate) withdrawable: HashMap<Address, U256>,
    pub(crate) trades: usize,
    pub(crate) fees: Fees,
    recent: VecDeque<(u64, u64, bool, U256)>,
}

/// Fees in quote units.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fees {
    /// Paid by traders.
    pub(crate) paid: U256,
    /// Credited to accounts, ever.
    pub(crate) accrued: U256,
    /// Set aside for buybacks, ever.
    pub(crate) aside: U256,
    pub(crate) claimed: U256,
    pub(crate) spent: U256,
}

impl Tally {
    /// What an account holds of a token.
    pub(crate) fn balance(&self, token: Address, account: Address) -> U256 {
        self.balances.get(&token).and_then(|held| held.get(&account)).copied().unwrap_or_default()
    }

    /// Takes in a log; those of contracts other than the hook and its tokens change nothing.
    pub(crate) fn take(&mut self, hook: Address, log: &Log, now: u64) -> Result<(), Failure> {
        if log.address != hook {
            if log.topics().first() == Some(&IERC20::Transfer::SIGNATURE_HASH) {
                self.transfer(log)?;
            }
            return Ok(());
        }
        match log.topics().first().copied().unwrap_or_default() {
            ILaunchHook::LaunchCreated::SIGNATURE_HASH => {
                let created = ILaunchHook::LaunchCreated::decode_log(log)?;
                self.launches.insert(created.launchId.to(), launched(created.token));
            }
            ILaunchHook::Trade::SIGNATURE_HASH => {
                let trade = ILaunchHook::Trade::decode_log(log)?.data;
                self.trade(&trade, now)?;
            }
            ILaunchHook::LaunchFinalized::SIGNATURE_HASH => {
                let finalized = ILaunchHook::LaunchFinalized::decode_log(log)?;
                let launch = self.launch(finalized.launchId)?;
                (launch.is_graduated, launch.seeded) = (true, finalized.ethSeeded);
            }
            ILaunchHook::FeesAccrued::SIGNATURE_HASH => {
                let accrued = ILaunchHook::FeesAccrued::decode_log(log)?;
                *self.withdrawable.entry(accrued.account).or_default() += accrued.amount;
                self.fees.accrued += accrued.amount;
            }
            ILaunchHook::FeesWithdrawn::SIGNATURE_HASH => {
                let withdrawn = ILaunchHook::FeesWithdrawn::decode_log(log)?;
                let held = self.withdrawable.entry(withdrawn.account).or_default();
                *held = held.checked_sub(withdrawn.amount).ok_or("more is withdrawn than was accrued")?;
                self.fees.claimed += withdrawn.amount;
            }
            ILaunchHook::BuybackAccrued::SIGNATURE_HASH => {
                let accrued = ILaunchHook::BuybackAccrued::decode_log(log)?;
                self.launch(accrued.launchId)?.buyback += accrued.amount;
                self.fees.aside += accrued.amount;
            }
            ILaunchHook::BuybackExecuted::SIGNATURE_HASH => {
                let done = ILaunchHook::BuybackExecuted::decode_log(log)?;
                self.fees.spent += done.quoteAmount;
                let launch = self.launch(done.launchId)?;
                launch.buyback =
                    launch.buyback.checked_sub(done.quoteAmount).ok_or("a buyback spends too much")?;
                launch.contributions += done.quoteAmount;
                launch.sold += done.tokensBurned;
                launch.is_repriced = true;
            }
            _ => {}
        }
        Ok(())
    }

    /// Lets the trades go that are a day old.
    pub(crate) fn forget(&mut self, now: u64) {
        while let Some((_, id, is_purchase, volume)) = self.recent.pop_front_if(|(at, ..)| *at + DAY <= now) {
            if let Some(launch) = self.launches.get_mut(&id) {
                launch.day.buys -= u64::from(is_purchase);
                launch.day.sells -= u64::from(!is_purchase);
                launch.day.volume -= volume;
            }
        }
    }

    fn launch(&mut self, id: U256) -> Result<&mut Launch, Failure> {
        self.launches.get_mut(&id.to()).ok_or_else(|| format!("a log is about launch {id}").into())
    }

    fn trade(&mut self, trade: &ILaunchHook::Trade, now: u64) -> Result<(), Failure> {
        let (gross, is_purchase) = (trade.amounts.ethAmount, trade.tradeType == 0);
        let launch = self.launch(trade.launchId)?;
        if is_purchase {
            launch.contributions += gross - trade.amounts.fee;
            launch.sold += trade.amounts.tokenAmount;
        } else {
            launch.contributions = launch.contributions.checked_sub(gross).ok_or("a sale takes too much")?;
            launch.sold =
                launch.sold.checked_sub(trade.amounts.tokenAmount).ok_or("a sale of more than was sold")?;
        }
        launch.trades += 1;
        launch.market_cap = Some(trade.price.marketCap);
        launch.is_repriced = false;
        launch.day.buys += u64::from(is_purchase);
        launch.day.sells += u64::from(!is_purchase);
        launch.day.volume += gross;
        self.recent.push_back((now, trade.launchId.to(), is_purchase, gross));
        self.trades += 1;
        self.fees.paid += trade.amounts.fee;
        Ok(())
    }

    fn transfer(&mut self, log: &Log) -> Result<(), Failure> {
        let Ok(moved) = IERC20::Transfer::decode_log(log) else {
            return Ok(());
        };
        let balances = self.balances.entry(log.address).or_default();
        if !moved.from.is_zero() {
            // Of other tokens not every unit came by a transfer; of ours a wrapped balance is found by its comparison.
            let held = balances.entry(moved.from).or_default();
            *held = held.wrapping_sub(moved.amount);
        }
        if !moved.to.is_zero() {
            let held = balances.entry(moved.to).or_default();
            *held = held.wrapping_add(moved.amount);
        }
        Ok(())
    }
}

fn launched(token: Address) -> Launch {
    Launch {
        token,
        contributions: U256::ZERO,
        sold: U256::ZERO,
        buyback: U256::ZERO,
        trades: 0,
        market_cap: None,
        is_graduated: false,
        seeded: U256::ZERO,
        is_repriced: false,
        day: Day::default(),
    }
}
