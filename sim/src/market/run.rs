//! Executes a planned market on its chain: many signed transactions per block, with exact timestamps.
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use alloy::primitives::{Address, B256, U256};
use alloy::rpc::types::Log;
use alloy::sol_types::SolEvent;
use slipway_contracts::bindings::{ILaunchHook, ILaunchToken, ITokenFactory};

use super::accounts::{Account, Accounts, PlannedCall};
use super::calls::{self, LaunchVenue, Venue};
use super::file::LaunchOutcome;
use super::opening::{ExchangeMarket, TokenCodes};
use super::plan::{Action, DURATION, Featured, Plan, PlannedLaunch, Portion, Step, V1Trade};
use super::{PROGRESS, STEP, Schedule, stocks, v1};
use crate::account::referral_code;
use crate::chain::{BLOCK_GAS, Chain, ChainError};
use crate::fact::Fact;
use slipway_math::curve::MINIMUM_SELL;

/// Balance of each account of the market, in ether.
const WEALTH: u64 = 10_000;
/// Time from the opening of the exchange to the beginning of the two days, seconds.
const OPENING_BEFORE: u64 = 600;

/// The off-chain records of the market.
#[derive(Debug)]
pub(crate) struct Records {
    pub(crate) facts: Vec<Fact>,
    pub(crate) messages: Vec<SeededMessage>,
}

/// A chat message of the seeded market.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct SeededMessage {
    pub(crate) token: Address,
    pub(crate) sender: Address,
    pub(crate) text: String,
    /// Time of the message, Unix seconds.
    pub(crate) at: u64,
}

/// The referrals of the market, by account.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlannedReferrals {
    /// Accounts with a code in use, from the market's beginning.
    pub(super) codes: Vec<Account>,
    /// Account, referrer and time of each registration, Unix seconds.
    pub(super) registered: Vec<(Account, Account, u64)>,
}

/// The market could not be created.
#[derive(Debug, thiserror::Error)]
pub enum MarketError {
    /// The node failed.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// A transaction of the market reverted.
    #[error(
        "transaction {transaction} of the seeded market was reverted on chain {chain_id} in block {block}"
    )]
    Reverted {
        /// The chain.
        chain_id: u64,
        /// The block.
        block: u64,
        /// The transaction.
        transaction: B256,
    },
    /// A block does not contain the transactions that were sent for it.
    #[error("block {block} of chain {chain_id} holds {mined} of {sent} transactions of the seeded market")]
    Missing {
        /// The chain.
        chain_id: u64,
        /// The block.
        block: u64,
        /// Number of transactions sent.
        sent: usize,
        /// Number of transactions in it.
        mined: usize,
    },
}

#[derive(Clone, Copy, Debug)]
struct Launched {
    id: u64,
    token: Address,
}

/// The market of one chain while it is being created.
#[derive(Debug)]
pub(crate) struct Market<'a> {
    chain: &'a Chain,
    venue: Venue,
    plan: Plan,
    accounts: Accounts,
    exchange_market: Option<ExchangeMarket>,
    referrals: PlannedReferrals,
    gas_a_block: u64,
    block: u64,
    /// Launches of the current block, in order.
    launching: VecDeque<usize>,
    launched: BTreeMap<usize, Launched>,
    /// V1 tokens, in creation order.
    v1: Vec<Address>,
    /// Users who receive tokenised stocks.
    users: Vec<Address>,
    tokens: BTreeSet<Address>,
    held: BTreeMap<(Address, Address), U256>,
    /// Amounts sold in the current block.
    sold: BTreeMap<(Address, Address), U256>,
    allowed: BTreeSet<(Account, Address, Address)>,
}

/// Logs progress after each quarter of the market's steps.
struct Quarters {
    chain_id: u64,
    all: usize,
    done: usize,
}

impl Quarters {
    fn new(chain_id: u64, all: usize) -> Self {
        Self { chain_id, all, done: 0 }
    }

    fn done(&mut self, more: usize) {
        let quarter = |done: usize| 4 * done / self.all.max(1);
        let (before, after) = (quarter(self.done), quarter(self.done + more));
        self.done += more;
        if before < after {
            tracing::info!(target: PROGRESS, step = STEP, "chain {}: {} %", self.chain_id, 25 * after);
        }
    }
}

impl<'a> Market<'a> {
    /// The scheduled market of a chain.
    pub(crate) fn new(chain: &'a Chain, venue: Venue, seed: u64, schedule: Schedule) -> Self {
        let Schedule { plan, exchange, roster, referrals, gas_a_block } = schedule;
        let accounts = Accounts::new(seed, chain.id(), &roster);
        let exchange_market = venue.exchange.filter(|_| !exchange.is_empty()).map(|venues| {
            let tokens = (0..)
                .take(exchange.assets.len())
                .map(|after| accounts.next_contract(Account::Maker, after))
                .collect();
            ExchangeMarket { venue: venues, wrapped: venue.wrapped, planned: exchange, tokens }
        });
        Self {
            chain,
            venue,
            plan,
            accounts,
            exchange_market,
            referrals,
            gas_a_block,
            block: 0,
            launching: VecDeque::new(),
            launched: BTreeMap::new(),
            v1: Vec::new(),
            users: Vec::new(),
            tokens: BTreeSet::new(),
            held: BTreeMap::new(),
            sold: BTreeMap::new(),
            allowed: BTreeSet::new(),
        }
    }

    /// Gives tokenised stocks to these accounts, as to the market's own accounts.
    pub(crate) fn endowing(self, users: Vec<Address>) -> Self {
        Self { users, ..self }
    }

    /// Executes the market; afterwards the chain's head is a block at the market's end. Returns the off-chain records.
    pub(crate) async fn run(mut self, token_codes: &TokenCodes) -> Result<Records, MarketError> {
        self.chain.mine_each(false).await?;
        self.chain.fund(&self.accounts.addresses(), super::ether(WEALTH)).await?;
        self.block = self.chain.head().await?.number;
        let mut opening = match &self.exchange_market {
            Some(exchange_market) => {
                exchange_market.opening(self.accounts.address(Account::Maker), token_codes)
            }
            None => Vec::new(),
        };
        opening.extend(
            self.venue.token_factory.into_iter().flat_map(|factory| v1::creation(factory, &self.plan.v1)),
        );
        opening.extend(stocks::endow(&self.venue.quote_assets, &self.stockholders()));
        self.settle(self.plan.end - DURATION - OPENING_BEFORE, opening).await?;
        let steps = std::mem::take(&mut self.plan.steps);
        let mut progress = Quarters::new(self.chain.id(), steps.len());
        for group in steps.chunk_by(|one, next| one.at == next.at) {
            progress.done(group.len());
            let calls = group.iter().flat_map(|step| self.calls(step)).collect();
            self.settle(group[0].at, calls).await?;
        }
        self.chain.limit_gas(BLOCK_GAS).await?;
        self.mine(self.plan.end, &[]).await?;
        self.chain.mine_each(true).await?;
        let mut facts = self.referrals();
        facts.extend(self.disabled().map(|token| Fact::TokenDisabled { token, disabled: true }));
        Ok(Records { facts, messages: self.messages() })
    }

    /// The codes in use with their accounts, and the registrations.
    fn referrals(&self) -> Vec<Fact> {
        let start = self.plan.end - DURATION;
        let codes = self.referrals.codes.iter().map(|&account| Fact::ReferralCode {
            wallet: self.accounts.address(account),
            code: self.code(account),
            at: start,
        });
        let registered = self.referrals.registered.iter().map(|&(account, referrer, at)| Fact::Referred {
            wallet: self.accounts.address(account),
            referrer: self.accounts.address(referrer),
            at,
        });
        codes.chain(registered).collect()
    }

    /// The tokens that the operator disables: the first drawn launch that stays early, and those named in a file.
    fn disabled(&self) -> impl Iterator<Item = Address> {
        let launches = &self.plan.launches;
        let early = launches.iter().position(|launch| launch.outcome == Some(LaunchOutcome::Early));
        let named = (0..launches.len()).filter(|&launch| launches[launch].disabled);
        let of_v1 = (0..self.plan.v1.len()).filter(|&token| self.plan.v1[token].disabled);
        let all = early.into_iter().chain(named).map(Featured::Launch).chain(of_v1.map(Featured::V1));
        all.map(|token| self.token(token))
    }

    fn messages(&self) -> Vec<SeededMessage> {
        let seeded = self.plan.messages.iter().map(|message| SeededMessage {
            token: self.token(message.token),
            sender: self.accounts.address(message.sender),
            text: message.text.clone(),
            at: message.at,
        });
        seeded.collect()
    }

    fn token(&self, token: Featured) -> Address {
        match token {
            Featured::Launch(launch) => self.launched[&launch].token,
            Featured::V1(index) => self.v1[index],
        }
    }

    /// Mines the calls in as few blocks as their gas allows, all with the same timestamp.
    async fn settle(&mut self, at: u64, calls: Vec<PlannedCall>) -> Result<(), MarketError> {
        let (mut block, mut gas) = (Vec::new(), 0);
        for call in calls {
            if gas + call.gas > self.gas_a_block {
                self.mine(at, &std::mem::take(&mut block)).await?;
                gas = 0;
            }
            gas += call.gas;
            block.push(call);
        }
        if block.is_empty() { Ok(()) } else { self.mine(at, &block).await }
    }

    async fn mine(&mut self, at: u64, calls: &[PlannedCall]) -> Result<(), MarketError> {
        let signed = self.accounts.sign(calls);
        self.chain.send_all(&signed).await?;
        self.chain.mine_at(at).await?;
        self.block += 1;
        if calls.is_empty() {
            return Ok(());
        }
        let (chain_id, block) = (self.chain.id(), self.block);
        let ((_, mined), logs) =
            tokio::try_join!(self.chain.transactions(block), self.chain.logs(block, block))?;
        if mined.len() != calls.len() {
            return Err(MarketError::Missing { chain_id, block, sent: calls.len(), mined: mined.len() });
        }
        // The node copies the whole block for each receipt, so receipts are only requested for transactions without a log.
        let logged: BTreeSet<_> = logs.iter().filter_map(|log| log.transaction_hash).collect();
        for &transaction in mined.iter().filter(|transaction| !logged.contains(*transaction)) {
            if self.chain.is_reverted(transaction).await? {
                return Err(MarketError::Reverted { chain_id, block, transaction });
            }
        }
        self.learn(&logs);
        Ok(())
    }

    /// Records new launches and balances from the logs of a block.
    fn learn(&mut self, logs: &[Log]) {
        self.sold.clear();
        for created in logs.iter().filter_map(|log| ILaunchHook::LaunchCreated::decode_log(&log.inner).ok()) {
            let launch = self.launching.pop_front().expect("a launch is created by a call that was queued");
            self.launched.insert(launch, Launched { id: created.launchId.to(), token: created.token });
            self.tokens.insert(created.token);
        }
        for created in logs.iter().filter_map(|log| ITokenFactory::TokenCreated::decode_log(&log.inner).ok())
        {
            self.v1.push(created.token);
            self.tokens.insert(created.token);
        }
        for log in logs {
            self.learn_transfer(log);
        }
    }

    fn learn_transfer(&mut self, log: &Log) {
        let token = log.address();
        if !self.tokens.contains(&token) {
            return;
        }
        if let Ok(moved) = ILaunchToken::Transfer::decode_log(&log.inner) {
            let from = self.held.entry((token, moved.from)).or_default();
            *from = from.saturating_sub(moved.amount);
            *self.held.entry((token, moved.to)).or_default() += moved.amount;
        }
    }

    fn calls(&mut self, step: &Step) -> Vec<PlannedCall> {
        match step.action {
            Action::Launch { launch } => self.launch(launch),
            Action::Buy { launch, trader, quote, referrer } => self.buy(launch, trader, quote, referrer),
            Action::Sell { launch, trader, portion } => self.sell(launch, trader, portion),
            Action::PoolBuy { launch, trader, quote } => self.pool_buy(launch, trader, quote),
            Action::PoolSell { launch, trader, portion } => self.pool_sell(launch, trader, portion),
            Action::Swap { swap } => self.swap(swap).into_iter().collect(),
            Action::V1 { token, trader, trade } => self.v1_trade(self.v1[token], trader, trade),
            Action::Bid { token, trader } => self.bid(token, trader).into_iter().collect(),
        }
    }

    fn launch_venue(&self, launch: usize) -> LaunchVenue {
        self.venue.launch_venue(self.plan.launches[launch].quote)
    }

    fn launch(&mut self, launch: usize) -> Vec<PlannedCall> {
        self.launching.push_back(launch);
        let launch_venue = self.launch_venue(launch);
        let mut calls = self.allow_quote(self.plan.launches[launch].creator, launch_venue);
        let planned: &PlannedLaunch = &self.plan.launches[launch];
        let code = planned.referrer.map(|referrer| self.code(referrer));
        calls.push(calls::launch(launch_venue, planned, code));
        calls
    }

    fn buy(
        &mut self,
        launch: usize,
        trader: Account,
        quote: U256,
        referrer: Option<Account>,
    ) -> Vec<PlannedCall> {
        let last = quote > self.plan.launches[launch].target_raise;
        let code = referrer.map(|referrer| self.code(referrer));
        let (actor, launch_venue, id) = (trader, self.launch_venue(launch), self.launched[&launch].id);
        let mut calls = self.allow_quote(actor, launch_venue);
        calls.push(calls::buy(launch_venue, actor, id, quote, last, code));
        calls
    }

    fn sell(&mut self, launch: usize, trader: Account, portion: Portion) -> Vec<PlannedCall> {
        let (actor, Launched { id, token }) = (trader, self.launched[&launch]);
        let Some(amount) = self.share(actor, token, portion) else {
            return Vec::new();
        };
        let launch_venue = self.launch_venue(launch);
        let mut calls = self.allow(actor, token, launch_venue.hook);
        calls.push(calls::sell(launch_venue, actor, id, amount));
        calls
    }

    fn pool_buy(&mut self, launch: usize, trader: Account, quote: U256) -> Vec<PlannedCall> {
        let (actor, token, launch_venue) = (trader, self.launched[&launch].token, self.launch_venue(launch));
        let mut calls =
            if launch_venue.asset.is_zero() { Vec::new() } else { self.permit(actor, launch_venue.asset) };
        calls.push(calls::pool_buy(&self.venue, launch_venue, actor, token, quote));
        calls
    }

    fn pool_sell(&mut self, launch: usize, trader: Account, portion: Portion) -> Vec<PlannedCall> {
        let (actor, token) = (trader, self.launched[&launch].token);
        let Some(amount) = self.share(actor, token, portion) else {
            return Vec::new();
        };
        let (launch_venue, amount) = (self.launch_venue(launch), U256::from(amount));
        let mut calls = self.permit(actor, token);
        calls.push(calls::pool_sell(&self.venue, launch_venue, actor, token, amount));
        calls
    }

    fn v1_trade(&mut self, token: Address, trader: Account, trade: V1Trade) -> Vec<PlannedCall> {
        let (Some(factory), Some(exchange)) = (self.venue.token_factory, self.venue.exchange) else {
            return Vec::new();
        };
        let (actor, router, wrapped) = (trader, exchange.router, self.venue.wrapped);
        let to = self.accounts.address(actor);
        match trade {
            V1Trade::Buy { quote } => vec![v1::buy(factory, actor, token, quote)],
            V1Trade::PairBuy { quote } => {
                let path = vec![wrapped, token];
                vec![v1::pair_trade(router, actor, to, path, quote, true)]
            }
            V1Trade::Sell { portion } => self
                .sell_share(actor, token, portion, factory, |amount| v1::sell(factory, actor, token, amount)),
            V1Trade::PairSell { portion } => {
                let path = vec![token, wrapped];
                self.sell_share(actor, token, portion, router, |amount| {
                    v1::pair_trade(router, actor, to, path, U256::from(amount), false)
                })
            }
        }
    }

    /// Sells a share of the actor's balance, with the approval that this needs; returns no calls if the balance is too small.
    fn sell_share(
        &mut self,
        actor: Account,
        token: Address,
        portion: Portion,
        spender: Address,
        sale: impl FnOnce(u128) -> PlannedCall,
    ) -> Vec<PlannedCall> {
        let Some(amount) = self.share(actor, token, portion) else {
            return Vec::new();
        };
        let mut calls = self.allow(actor, token, spender);
        calls.push(sale(amount));
        calls
    }

    fn bid(&self, token: Featured, trader: Account) -> Option<PlannedCall> {
        Some(calls::bid(self.venue.auction?, trader, self.token(token), super::ether(1)))
    }

    /// The accounts that hold tokenised stocks.
    fn stockholders(&self) -> Vec<Address> {
        let creators = (0..stocks::CREATORS).map(Account::Creator);
        let traders = (0..stocks::TRADERS).map(Account::Trader);
        let market = creators.chain(traders).map(|actor| self.accounts.address(actor));
        let named = (0..self.accounts.named()).map(|place| self.accounts.address(Account::Named(place)));
        let others = named.filter(|address| !self.users.contains(address));
        market.chain(self.users.iter().copied()).chain(others).collect()
    }

    fn swap(&self, swap: usize) -> Option<PlannedCall> {
        let exchange_market = self.exchange_market.as_ref()?;
        let planned = &exchange_market.planned.swaps[swap];
        let trader = self.accounts.address(planned.trader);
        Some(exchange_market.swap(planned, trader, self.accounts.address(Account::Maker)))
    }

    /// An unlimited approval, given once.
    fn allow(&mut self, actor: Account, token: Address, spender: Address) -> Vec<PlannedCall> {
        let new = self.allowed.insert((actor, token, spender));
        new.then(|| calls::approve(actor, token, spender)).into_iter().collect()
    }

    /// The hook's approval for a quote asset; the native coin needs none.
    fn allow_quote(&mut self, actor: Account, launch_venue: LaunchVenue) -> Vec<PlannedCall> {
        if launch_venue.asset.is_zero() {
            return Vec::new();
        }
        self.allow(actor, launch_venue.asset, launch_venue.hook)
    }

    /// The universal router's approval for a token, given once.
    fn permit(&mut self, actor: Account, token: Address) -> Vec<PlannedCall> {
        let mut calls = self.allow(actor, token, self.venue.permit2);
        if !calls.is_empty() {
            calls.push(calls::permit(&self.venue, actor, token));
        }
        calls
    }

    /// A portion of the part of the actor's balance that is not being sold yet; `None` if it is below the minimum sale.
    fn share(&mut self, actor: Account, token: Address, portion: Portion) -> Option<u128> {
        let share_bps = match portion {
            Portion::Units(units) => return Some(units),
            Portion::Share(share_bps) => share_bps,
        };
        let holding = (token, self.accounts.address(actor));
        let held = *self.held.get(&holding)?;
        let sold = self.sold.entry(holding).or_default();
        let amount = held.saturating_sub(*sold) * U256::from(share_bps) / U256::from(10_000);
        *sold += amount;
        u128::try_from(amount).ok().filter(|amount| *amount >= MINIMUM_SELL)
    }

    fn code(&self, referrer: Account) -> String {
        referral_code(self.accounts.address(referrer))
    }
}
