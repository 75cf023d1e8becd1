//! Actions of funded accounts on behalf of the operator: launch, trade, graduate, send coins; and the accounts' balances.
use std::collections::BTreeMap;

use alloy::primitives::{Address, U256};
use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use slipway_contracts::ChainId;
use slipway_contracts::bindings::CreateLaunchParams;

use super::{ControlState, Order};
use crate::address;
use crate::api::actions::Done;
use crate::api::actions::no_token;
use crate::api::market::TradeMarket;
use crate::api::refusal::Refusal;
use crate::event::Side;
use crate::services::http::{PathParameter, Served, json as answer};
use crate::services::input::kinds::{AccountAddress, KnownChain, Whole};
use crate::services::pages::amount::{DECIMALS, units};

/// Curve and fees of a launch from the console: the defaults.
const GAIN_BPS: u32 = 50_000;
const CREATOR_FEE_SPLIT_BPS: u16 = 5_000;

const AMOUNT: &str =
    "must be a positive decimal number of whole units, as text, with at most 18 digits after the point";

#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("pattern" = "^[0-9]*(\\.[0-9]{1,18})?$", "x-rule" = AMOUNT))]
struct WholeUnits(U256);

impl TryFrom<String> for WholeUnits {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        units(&text, DECIMALS).map(Self).ok_or(AMOUNT)
    }
}

/// chain; the primary one when absent
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-cause" = "control-chain"))]
struct ActingChain(KnownChain);

/// the funded account that acts; the first one when absent
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("x-cause" = "control-account"))]
struct Actor(AccountAddress);

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct LaunchOrder {
    chain_id: Option<ActingChain>,
    account: Option<Actor>,
    /// name of the token
    #[schemars(extend("x-cause" = "launch-name"))]
    name: String,
    /// its ticker
    #[schemars(extend("x-cause" = "launch-ticker"))]
    ticker: String,
    /// its description
    #[schemars(extend("x-cause" = "launch-description"))]
    description: Option<String>,
    /// target raise, in whole native coins
    #[schemars(extend("x-cause" = "launch-target"))]
    target_raise: WholeUnits,
    /// amount of the creator's first purchase, in whole native coins
    #[schemars(extend("x-cause" = "launch-prebuy"))]
    prebuy: Option<WholeUnits>,
    /// seconds during which trades need a captcha authorisation; none when absent
    #[schemars(extend("x-cause" = "launch-protection"))]
    anti_snipe_duration: Option<Whole<0, { u32::MAX as u64 }>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(remote = "Side", rename_all = "lowercase")]
enum SideOfTrade {
    Buy,
    Sell,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenOrder {
    /// the token
    #[schemars(extend("x-cause" = "trade-token"))]
    token: AccountAddress,
    chain_id: Option<ActingChain>,
    /// whether to buy or to sell
    #[serde(with = "SideOfTrade")]
    #[schemars(extend("x-cause" = "trade-side"))]
    side: Side,
    /// amount to pay: of the quote asset for a purchase, of the token for a sale, in whole units
    #[schemars(extend("x-cause" = "trade-amount"))]
    amount: WholeUnits,
    account: Option<Actor>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct GraduationOrder {
    chain_id: Option<ActingChain>,
    account: Option<Actor>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CoinsOrder {
    /// recipient
    #[schemars(extend("x-cause" = "control-address"))]
    address: AccountAddress,
    /// amount to send, in whole native coins
    #[schemars(extend("x-cause" = "faucet-amount"))]
    amount: WholeUnits,
    chain_id: Option<ActingChain>,
    account: Option<Actor>,
}

fn chain_of(chain_id: Option<ActingChain>) -> Option<u64> {
    chain_id.map(|ActingChain(chain)| chain.0)
}

fn account_of(account: Option<Actor>) -> Option<Address> {
    account.map(|Actor(account)| account.0)
}

pub(super) async fn accounts(State(control): State<ControlState>) -> Served {
    let rows = control.api.balances().await?.into_iter().map(|(account, chains)| {
        let chains: BTreeMap<u64, String> =
            chains.into_iter().map(|(chain_id, wei)| (chain_id, wei.to_string())).collect();
        json!({ "address": account.to_checksum(None), "balances": chains })
    });
    Ok(answer(&json!({ "accounts": rows.collect::<Vec<_>>() })))
}

pub(super) async fn launch(State(control): State<ControlState>, Order(order): Order<LaunchOrder>) -> Served {
    let chain_id = chain_of(order.chain_id).unwrap_or(ChainId::PRIMARY.0);
    let WholeUnits(target) = order.target_raise;
    if target.bit_len() > 96 {
        return Err(Refusal::bad_input("launch-target", "targetRaise is more than a launch can raise"));
    }
    let params = CreateLaunchParams {
        description: order.description.unwrap_or_else(|| order.name.clone()),
        name: order.name,
        ticker: order.ticker,
        creatorFeeSplitBps: CREATOR_FEE_SPLIT_BPS,
        gainBps: GAIN_BPS,
        targetRaise: target.to(),
        antiSnipeDuration: order.anti_snipe_duration.map_or(0, |seconds| {
            seconds.0.try_into().expect("the input's bound is that of the contract's type")
        }),
        ..CreateLaunchParams::default()
    };
    let prebuy = order.prebuy.map_or(U256::ZERO, |prebuy| prebuy.0);
    let (token, done) = control.api.launch(chain_id, account_of(order.account), params, prebuy).await?;
    Ok(answer(&outcome(token, done)))
}

pub(super) async fn trade(State(control): State<ControlState>, Order(order): Order<TokenOrder>) -> Served {
    let AccountAddress(token) = order.token;
    let market = market(&control, token, chain_of(order.chain_id))?;
    let done = control.api.trade(market, account_of(order.account), order.side, order.amount.0).await?;
    Ok(answer(&outcome(token, done)))
}

/// Buys everything left on the curve; the excess is refunded.
pub(super) async fn graduate(
    State(control): State<ControlState>,
    PathParameter(text): PathParameter,
    Order(order): Order<GraduationOrder>,
) -> Served {
    let token = address::parse(&text).ok_or_else(no_token)?;
    let market = market(&control, token, chain_of(order.chain_id))?;
    if market.pool.is_some() {
        return Err(Refusal::conflict("graduate-again", "the token has graduated already"));
    }
    // The fees on top of the target are far less than a tenth of it.
    let enough = U256::from(market.launch.target_raise) * U256::from(11) / U256::from(10);
    let done = control.api.trade(market, account_of(order.account), Side::Buy, enough).await?;
    Ok(answer(&outcome(token, done)))
}

/// Sends native coins from a funded account, in a transaction like any other.
pub(super) async fn faucet(State(control): State<ControlState>, Order(order): Order<CoinsOrder>) -> Served {
    let (to, value) = (order.address.0, order.amount.0);
    let chain_id = chain_of(order.chain_id).unwrap_or(ChainId::PRIMARY.0);
    let done = control.api.send_coins(chain_id, account_of(order.account), to, value).await?;
    Ok(answer(&json!({ "transactionHash": done.transaction.to_string(), "block": done.block })))
}

fn market(control: &ControlState, token: Address, chain_id: Option<u64>) -> Result<TradeMarket, Refusal> {
    control.api.market(chain_id, token).ok_or_else(no_token)
}

fn outcome(token: Address, done: Done) -> Value {
    json!({
        "token": token.to_checksum(None),
        "transactionHash": done.transaction.to_string(),
        "block": done.block,
    })
}
