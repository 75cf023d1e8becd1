//! Actions of funded accounts for the operator: launch, trade, graduate, send coins; and the balances of the accounts.
use std::collections::BTreeMap;

use alloy::primitives::{Address, U256};
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};
use slipway_contracts::ChainId;
use slipway_contracts::bindings::CreateLaunchParams;

use super::{ControlState, order};
use crate::address;
use crate::api::actions::Done;
use crate::api::market::TradeMarket;
use crate::api::refusal::Refusal;
use crate::event::Side;
use crate::services::http::{PathParameter, json as answer};
use crate::services::input::{
    ACCOUNT_ADDRESS, AccountAddress, Custom, Field, Input, KnownChain, OneOf, Optional, Required,
    WholeNumber, text,
};
use crate::services::pages::amount::{DECIMALS, units};

/// Curve and fees of a launch from the console: the defaults.
const GAIN_BPS: u32 = 50_000;
const CREATOR_FEE_SPLIT_BPS: u16 = 5_000;

const AMOUNT: Custom<U256> = Custom {
    parse: |text| units(text, DECIMALS),
    rule: "must be a positive decimal number of whole units, as text, with at most 18 digits after the point",
    schema: || json!({ "type": "string", "pattern": "^[0-9]*(\\.[0-9]{1,18})?$" }),
};
const WORDS: Custom<String> = text("must be text", || json!({ "type": "string" }));

const CHAIN: Input<KnownChain, Optional> = Input {
    name: "chainId",
    cause: "control-chain",
    meaning: "chain; the primary one when absent",
    kind: KnownChain,
    presence: Optional,
};
const ACCOUNT: Input<AccountAddress, Optional> = Input {
    name: "account",
    cause: "control-account",
    meaning: "the funded account that acts; the first one when absent",
    kind: ACCOUNT_ADDRESS,
    presence: Optional,
};
const NAME: Input<Custom<String>, Required> = Input {
    name: "name",
    cause: "launch-name",
    meaning: "name of the token",
    kind: WORDS,
    presence: Required,
};
const TICKER: Input<Custom<String>, Required> =
    Input { name: "ticker", cause: "launch-ticker", meaning: "its ticker", kind: WORDS, presence: Required };
const DESCRIPTION: Input<Custom<String>, Optional> = Input {
    name: "description",
    cause: "launch-description",
    meaning: "its description",
    kind: WORDS,
    presence: Optional,
};
const TARGET: Input<Custom<U256>, Required> = Input {
    name: "targetRaise",
    cause: "launch-target",
    meaning: "what the launch is to raise, in whole native coins",
    kind: AMOUNT,
    presence: Required,
};
const PREBUY: Input<Custom<U256>, Optional> = Input {
    name: "prebuy",
    cause: "launch-prebuy",
    meaning: "what the account buys for at once, in whole native coins",
    kind: AMOUNT,
    presence: Optional,
};
const PROTECTION: Input<WholeNumber, Optional> = Input {
    name: "antiSnipeDuration",
    cause: "launch-protection",
    meaning: "seconds during which trades need a captcha authorisation; none when absent",
    kind: WholeNumber { min: 0, max: u32::MAX as u64 },
    presence: Optional,
};
const TOKEN: Input<AccountAddress, Required> = Input {
    name: "token",
    cause: "trade-token",
    meaning: "the token",
    kind: ACCOUNT_ADDRESS,
    presence: Required,
};
const SIDE: Input<OneOf<Side>, Required> = Input {
    name: "side",
    cause: "trade-side",
    meaning: "whether to buy or to sell",
    kind: OneOf(&[("buy", Side::Buy), ("sell", Side::Sell)]),
    presence: Required,
};
const PAID: Input<Custom<U256>, Required> = Input {
    name: "amount",
    cause: "trade-amount",
    meaning: "what is paid: of the quote asset for a purchase, of the token for a sale, in whole units",
    kind: AMOUNT,
    presence: Required,
};

const RECEIVER: Input<AccountAddress, Required> = Input {
    name: "address",
    cause: "control-address",
    meaning: "who gets it",
    kind: ACCOUNT_ADDRESS,
    presence: Required,
};
const SENT: Input<Custom<U256>, Required> = Input {
    name: "amount",
    cause: "faucet-amount",
    meaning: "what is sent, in whole native coins",
    kind: AMOUNT,
    presence: Required,
};

pub(super) const LAUNCH: [&(dyn Field + Sync); 8] =
    [&CHAIN, &ACCOUNT, &NAME, &TICKER, &DESCRIPTION, &TARGET, &PREBUY, &PROTECTION];
pub(super) const TRADE: [&(dyn Field + Sync); 5] = [&TOKEN, &CHAIN, &SIDE, &PAID, &ACCOUNT];
pub(super) const GRADUATE: [&(dyn Field + Sync); 2] = [&CHAIN, &ACCOUNT];
pub(super) const FAUCET: [&(dyn Field + Sync); 4] = [&RECEIVER, &SENT, &CHAIN, &ACCOUNT];

pub(super) async fn accounts(State(control): State<ControlState>) -> Result<Response, Refusal> {
    let rows = control.api.balances().await?.into_iter().map(|(account, chains)| {
        let chains: BTreeMap<u64, String> =
            chains.into_iter().map(|(chain_id, wei)| (chain_id, wei.to_string())).collect();
        json!({ "address": account.to_checksum(None), "balances": chains })
    });
    Ok(answer(&json!({ "accounts": rows.collect::<Vec<_>>() })))
}

pub(super) async fn launch(State(control): State<ControlState>, body: Body) -> Result<Response, Refusal> {
    let order = order(body, &LAUNCH).await?;
    let chain_id = order.read(&CHAIN)?.unwrap_or(ChainId::PRIMARY.0);
    let (name, target) = (order.read(&NAME)?, order.read(&TARGET)?);
    if target.bit_len() > 96 {
        return Err(Refusal::bad_input(TARGET.cause, "targetRaise is more than a launch can raise"));
    }
    let params = CreateLaunchParams {
        description: order.read(&DESCRIPTION)?.unwrap_or_else(|| name.clone()),
        name,
        ticker: order.read(&TICKER)?,
        creatorFeeSplitBps: CREATOR_FEE_SPLIT_BPS,
        gainBps: GAIN_BPS,
        targetRaise: target.to(),
        antiSnipeDuration: order.read(&PROTECTION)?.map_or(0, |seconds| {
            seconds.try_into().expect("the input's bound is that of the contract's type")
        }),
        ..CreateLaunchParams::default()
    };
    let prebuy = order.read(&PREBUY)?.unwrap_or_default();
    let (token, done) = control.api.launch(chain_id, order.read(&ACCOUNT)?, params, prebuy).await?;
    Ok(answer(&outcome(token, done)))
}

pub(super) async fn trade(State(control): State<ControlState>, body: Body) -> Result<Response, Refusal> {
    let order = order(body, &TRADE).await?;
    let (token, side, amount) = (order.read(&TOKEN)?, order.read(&SIDE)?, order.read(&PAID)?);
    let market = market(&control, token, order.read(&CHAIN)?)?;
    let done = control.api.trade(market, order.read(&ACCOUNT)?, side, amount).await?;
    Ok(answer(&outcome(token, done)))
}

/// Buys everything that is left on the curve; the excess is refunded.
pub(super) async fn graduate(
    State(control): State<ControlState>,
    PathParameter(text): PathParameter,
    body: Body,
) -> Result<Response, Refusal> {
    let order = order(body, &GRADUATE).await?;
    let token = address::parse(&text).ok_or_else(unknown)?;
    let market = market(&control, token, order.read(&CHAIN)?)?;
    if market.pool.is_some() {
        return Err(Refusal::conflict("graduate-again", "the token has graduated already"));
    }
    // The fees on top of the target are far less than a tenth of it.
    let enough = U256::from(market.launch.target_raise) * U256::from(11) / U256::from(10);
    let done = control.api.trade(market, order.read(&ACCOUNT)?, Side::Buy, enough).await?;
    Ok(answer(&outcome(token, done)))
}

/// Sends native coins from a funded account, in a transaction like any other.
pub(super) async fn faucet(State(control): State<ControlState>, body: Body) -> Result<Response, Refusal> {
    let order = order(body, &FAUCET).await?;
    let (to, value) = (order.read(&RECEIVER)?, order.read(&SENT)?);
    let chain_id = order.read(&CHAIN)?.unwrap_or(ChainId::PRIMARY.0);
    let done = control.api.send_coins(chain_id, order.read(&ACCOUNT)?, to, value).await?;
    Ok(answer(&json!({ "transactionHash": done.transaction.to_string(), "block": done.block })))
}

fn unknown() -> Refusal {
    Refusal::not_found("control-token", "no token has this address")
}

fn market(control: &ControlState, token: Address, chain_id: Option<u64>) -> Result<TradeMarket, Refusal> {
    control.api.market(chain_id, token).ok_or_else(unknown)
}

fn outcome(token: Address, done: Done) -> Value {
    json!({
        "token": token.to_checksum(None),
        "transactionHash": done.transaction.to_string(),
        "block": done.block,
    })
}
