//! Live actions: the market's accounts act while the platform runs, each in the way in which a user would write.
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroU16;
use std::time::Duration;

use alloy::primitives::{Address, U256};
use alloy::signers::SignerSync as _;
use alloy::signers::local::PrivateKeySigner;
use alloy::sol_types::SolCall as _;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::header::{CONTENT_TYPE, HOST};
use axum::http::{Request, StatusCode};
use serde_json::{Value, json};
use slipway_contracts::ChainId;
use slipway_contracts::bindings::IEmperorAuction;
use tokio::sync::MutexGuard;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tower::ServiceExt as _;

use crate::api::chat::{OPERATOR_HEADER, signed_text};
use crate::chain::ChainError;
use crate::engine::{Engine, EngineError, TradeCall, TradeMarket};
use crate::event::Side;
use crate::market::living::{self, Action, Drawing, Listed, Opening};
use crate::market::{Account, Accounts, PlannedLaunch, launch_params};
use crate::state::State;
use crate::state::exchange::ExchangeState;
use crate::state::token::Token;
use crate::store::StoreError;

/// Validity of a captcha token, seconds.
const CAPTCHA_LIFE: u64 = 300;

/// The accounts of the market with their actions.
#[derive(Debug)]
pub(super) struct Live {
    engine: Engine,
    operator_key: String,
    /// The REST service as callers reach it, with its limits, faults and journal.
    rest: Router,
    accounts: Accounts,
    drawing: Drawing,
    /// The tokens by their number among the drawn ones; `None` for a launch that failed.
    tokens: Vec<Option<(u64, Address)>>,
    /// The pairs by their number, each with its token other than the native coin.
    pairs: Vec<(Address, Address)>,
}

/// The reason why an action was skipped; the next one follows at its time.
#[derive(Debug, thiserror::Error)]
enum Skipped {
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Chain(#[from] ChainError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("its token or pair is not there")]
    Gone,
    #[error("the day is won")]
    Won,
    #[error("the node of chain {0} does not mine each transaction at once")]
    NotMining(u64),
    #[error("{path} answers {status}")]
    Refused { path: &'static str, status: StatusCode },
}

impl Live {
    pub(super) fn new(seed: u64, engine: Engine, operator_key: String, rest: Router) -> Self {
        let accounts = living::accounts(seed);
        let exchange = engine.exchange().load_full();
        let wrapped = wrapped(&engine);
        let folded = engine.state();
        let state = folded.read();
        let mut tokens: Vec<&Token> = state.tokens().collect();
        tokens.sort_by_key(|token| token.birth);
        let pairs = swapped(&state, &exchange, wrapped);
        let people: Vec<(Account, Address)> =
            living::people().map(|person| (person, accounts.address(person))).collect();
        let holdings = tokens.iter().enumerate().flat_map(|(number, token)| {
            let holders = people.iter().filter(|(_, address)| state.balance(token, *address) > 0);
            holders.map(move |(person, _)| (*person, number))
        });
        let unregistered =
            people.iter().filter(|(_, address)| state.referrals().registration(*address).is_none());
        let opening = Opening {
            tokens: tokens.iter().map(|token| listed(token)).collect(),
            holdings: holdings.collect(),
            pairs: pairs.len(),
            unregistered: unregistered.map(|(person, _)| *person).collect(),
        };
        let tokens = tokens.iter().map(|token| Some((token.birth.chain_id, token.launch.token))).collect();
        drop(state);
        let drawing = Drawing::new(seed, opening);
        Self { engine, operator_key, rest, accounts, drawing, tokens, pairs }
    }

    /// Acts `rate` times a minute, by the host's time: a stopped clock stops nothing.
    pub(super) async fn run(mut self, rate: NonZeroU16) {
        let period = Duration::from_secs(60) / u32::from(rate.get());
        let mut turns = interval_at(Instant::now() + period, period);
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            turns.tick().await;
            let action = self.drawing.next();
            if let Err(error) = self.act(&action).await {
                tracing::debug!(?action, %error, "a live action is skipped");
            }
        }
    }

    async fn act(&mut self, action: &Action) -> Result<(), Skipped> {
        match *action {
            Action::Launch { chain, ref launch } => {
                let ChainId(chain_id) = chain;
                let launched = self.launch(chain_id, launch).await;
                // The sequence counts the launch in any case.
                self.tokens.push(launched.as_ref().ok().map(|token| (chain_id, *token)));
                launched.map(drop)
            }
            Action::Trade { trader, token, side, bps } => self.trade(trader, token, side, bps).await,
            Action::Swap { trader, pair, side, bps } => self.swap(trader, pair, side, bps).await,
            Action::Chat { sender, token, text } => self.chat(sender, token, text).await,
            Action::Bid { bidder, token } => self.bid(bidder, token).await,
            Action::Register { wallet, referrer } => {
                let [registered, code] = [wallet, referrer].map(|one| self.accounts.address(one).to_string());
                let body = json!({ "wallet_address": registered, "referral_code": code });
                self.post("/api/referral/register", wallet, &body).await
            }
        }
    }

    async fn launch(&self, chain_id: u64, launch: &PlannedLaunch) -> Result<Address, Skipped> {
        let _mining = self.mines(chain_id).await?;
        let creator = self.accounts.keyed(launch.creator);
        let params = launch_params(launch);
        let (token, _) = self.engine.launch(chain_id, &creator, params, launch.prebuy).await?;
        Ok(token)
    }

    async fn trade(&self, trader: Account, token: usize, side: Side, bps: u64) -> Result<(), Skipped> {
        let trader = self.accounts.keyed(trader);
        let (market, units) = self.with_token(token, |state, token| {
            let whole = match side {
                Side::Buy => token.launch.target_raise,
                Side::Sell => state.balance(token, trader.address),
            };
            (TradeMarket::of(token), share_down(whole, bps))
        })?;
        let _mining = self.mines(market.chain_id).await?;
        self.engine.trade(market, &trader, side, units).await?;
        Ok(())
    }

    async fn swap(&self, trader: Account, pair: usize, side: Side, bps: u64) -> Result<(), Skipped> {
        let &(pair, token) = self.pairs.get(pair).ok_or(Skipped::Gone)?;
        let wrapped = wrapped(&self.engine);
        let view = self.engine.exchange().load().graph().pair_of(wrapped, token);
        let reserves = view.filter(|view| view.address == pair).ok_or(Skipped::Gone)?.reserves;
        let (coins, tokens) = match wrapped < token {
            true => (reserves.reserve0, reserves.reserve1),
            false => (reserves.reserve1, reserves.reserve0),
        };
        let units = share_down(if side == Side::Buy { coins } else { tokens }, bps);
        let market = TradeMarket::pair(ChainId::PRIMARY.0, token, pair);
        let _mining = self.mines(market.chain_id).await?;
        self.engine.trade(market, &self.accounts.keyed(trader), side, units).await?;
        Ok(())
    }

    async fn bid(&self, bidder: Account, token: usize) -> Result<(), Skipped> {
        let now = self.engine.clock().now();
        let (chain_id, token, standing) = self.with_token(token, |state, token| {
            (token.birth.chain_id, token.launch.token, state.auction().at(now))
        })?;
        if standing.is_taken {
            return Err(Skipped::Won);
        }
        let (_, deployment) = self.engine.chain(chain_id)?;
        let to = deployment.auction().ok_or(Skipped::Gone)?;
        let _mining = self.mines(chain_id).await?;
        // The price falls until the bid is mined; the excess is refunded.
        let data = IEmperorAuction::bidCall { token }.abi_encode().into();
        let call = TradeCall { to, data, value: standing.current_bid };
        self.engine.call(chain_id, &self.accounts.keyed(bidder), call).await?;
        Ok(())
    }

    async fn chat(&self, sender: Account, token: usize, text: &str) -> Result<(), Skipped> {
        let token = self.with_token(token, |_, token| token.launch.token)?;
        let (store, now) = (self.engine.store(), self.engine.clock().now());
        let captcha = store.mint_captcha(&self.operator_key, now + CAPTCHA_LIFE, now).await?;
        let signer = PrivateKeySigner::from_bytes(&self.accounts.keyed(sender).private_key)
            .expect("the key of an account is a valid key");
        let signed = signed_text(&format!("{token:#x}"), &captcha, text);
        let signature = signer.sign_message_sync(signed.as_bytes()).expect("a local key signs any text");
        let body = json!({
            "token": captcha,
            "tokenAddress": token,
            "message": text,
            "signature": signature.to_string(),
        });
        self.post("/api/chat", sender, &body).await
    }

    /// Sends a request as a caller would. Each account has its own address, so that it does not use up the user's limits.
    async fn post(&self, path: &'static str, account: Account, body: &Value) -> Result<(), Skipped> {
        let place = u8::try_from(1 + Accounts::index(account)).unwrap_or(u8::MAX);
        // Addresses for documentation (RFC 5737), which no caller has.
        let address = SocketAddr::from((Ipv4Addr::new(192, 0, 2, place), 0));
        let request = Request::post(path)
            .header(HOST, "localhost")
            .header(CONTENT_TYPE, "application/json")
            .header(OPERATOR_HEADER, &self.operator_key)
            .extension(ConnectInfo(address))
            .body(Body::from(body.to_string()))
            .expect("the headers are visible ASCII");
        let Ok(answer) = self.rest.clone().oneshot(request).await;
        let status = answer.status();
        if status.is_success() { Ok(()) } else { Err(Skipped::Refused { path, status }) }
    }

    /// Reads the token with a number, unless a revert has undone its launch.
    fn with_token<T>(&self, number: usize, read: impl FnOnce(&State, &Token) -> T) -> Result<T, Skipped> {
        let (chain_id, address) = self.tokens.get(number).copied().flatten().ok_or(Skipped::Gone)?;
        let state = self.engine.state();
        let state = state.read();
        let token = state.token_on(chain_id, address).ok_or(Skipped::Gone)?;
        Ok(read(&state, token))
    }

    /// Locks how the node mines until the guard is dropped, and fails unless it mines each transaction itself: otherwise the accounts would
    /// wait for a block, and orders for the accounts.
    async fn mines(&self, chain_id: u64) -> Result<MutexGuard<'_, ()>, Skipped> {
        let (chain, _) = self.engine.chain(chain_id)?;
        let mining = chain.keep_mining().await;
        // While an order has stopped mining, the action waits for its turn.
        if chain.holds_mining() || chain.mines_each().await? {
            return Ok(mining);
        }
        Err(Skipped::NotMining(chain_id))
    }
}

fn listed(token: &Token) -> Listed {
    Listed { chain: ChainId(token.birth.chain_id), is_native: token.launch.quote_asset.is_zero() }
}

/// The wrapped native coin of the exchange.
fn wrapped(engine: &Engine) -> Address {
    let deployment = engine.chain(ChainId::PRIMARY.0).map(|(_, deployment)| deployment);
    deployment.ok().and_then(|deployment| deployment.contract("WETH9")).unwrap_or_default()
}

/// The pairs of the native coin and a token that no launch has, in creation order; each with the token.
fn swapped(state: &State, exchange: &ExchangeState, wrapped: Address) -> Vec<(Address, Address)> {
    let filled = exchange.graph().pairs().filter(|pair| pair.reserves.reserve0 > 0);
    let with_token = filled.filter_map(|pair| match wrapped {
        one if one == pair.token0 => Some((pair.address, pair.token1)),
        one if one == pair.token1 => Some((pair.address, pair.token0)),
        _ => None,
    });
    with_token.filter(|(_, token)| state.token(*token).is_none()).collect()
}

/// A fraction of an amount in hundredths of a percent, rounded down.
fn share_down(whole: u128, bps: u64) -> U256 {
    U256::from(whole) * U256::from(bps) / U256::from(10_000)
}

#[cfg(test)]
mod tests {
    use alloy::primitives::U256;

    use super::share_down;

    #[test]
    fn shares_are_rounded_down_and_never_overflow() {
        assert_eq!(share_down(9_999, 1), U256::ZERO);
        assert_eq!(share_down(10_000, 1), U256::from(1));
        assert_eq!(share_down(19_999, 1), U256::from(1));
        assert_eq!(share_down(u128::MAX, 10_000), U256::from(u128::MAX));
    }
}
