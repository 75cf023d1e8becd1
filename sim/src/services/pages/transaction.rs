//! `/tx/<hash>`: a transaction of either chain with its events decoded.
use std::sync::Arc;

use alloy::consensus::Transaction as _;
use alloy::network::TransactionResponse as _;
use alloy::primitives::{Address, B256, U256};
use alloy::providers::Provider;
use alloy::rpc::types::{Log, Transaction, TransactionReceipt};
use alloy::sol_types::SolEvent;
use axum::extract::State;
use maud::{Markup, html};
use slipway_contracts::bindings::{
    IERC20, ILaunchHook, IPoolManager, ITokenFactory, IUniswapV2Router02, IUniversalRouter,
};

use super::amount::Asset;
use super::layout::{Frame, LINKS, page, table, token_path};
use super::{Pages, Problem};
use crate::api::refusal::Refusal;
use crate::event::{Event, EventKind};
use crate::services::http::PathParameter;

/// One field of an event: its name and its value.
type Field = (&'static str, String);

pub(super) async fn get(
    State(pages): State<Arc<Pages>>,
    PathParameter(text): PathParameter,
) -> Result<Markup, Problem> {
    let unknown = || Refusal::not_found("page-transaction", "no chain has a transaction of this hash");
    let hash: B256 = text.parse().map_err(|_| unknown())?;
    let mut found = None;
    for (chain, _) in pages.engine.chains() {
        let provider = chain.provider();
        let answer =
            tokio::try_join!(provider.get_transaction_by_hash(hash), provider.get_transaction_receipt(hash));
        let out_of_reach = |_| Refusal::chain_out_of_reach();
        if let (Some(transaction), Some(receipt)) = answer.map_err(out_of_reach)? {
            found = Some((chain.id(), transaction, receipt));
        }
    }
    let (chain_id, transaction, receipt) = found.ok_or_else(unknown)?;
    let block = receipt.block_number.unwrap_or_default();
    let events = pages.engine.events_of(chain_id, block, hash);
    let content = html! {
        h1 { "Transaction" }
        (summary(&pages, chain_id, &transaction, &receipt))
        (decoded(&events, receipt.logs()))
    };
    let frame = Frame { title: "Transaction", source: Some("/live".into()), scripts: &[], links: LINKS };
    Ok(page(&frame, &pages.standing(), &content))
}

fn summary(pages: &Pages, chain_id: u64, transaction: &Transaction, receipt: &TransactionReceipt) -> Markup {
    let ether = Asset::native();
    let cost = U256::from(receipt.gas_used) * U256::from(receipt.effective_gas_price);
    let launched: Vec<(Address, String)> = {
        let state = pages.api.read();
        let logs = receipt.logs().iter().filter_map(created);
        logs.filter_map(|token| {
            let known = state.token_on(chain_id, token)?;
            Some((token, known.launch.metadata.name.clone()))
        })
        .collect()
    };
    html! {
        section #transaction data-live aria-label="Summary" {
            dl {
                dt { "Hash" } dd { code { (transaction.tx_hash()) } }
                dt { "Result" } dd #result { @if receipt.status() { "succeeded" } @else { "reverted" } }
                dt { "Chain" } dd { (chain_id) }
                dt { "Block" } dd { (receipt.block_number.unwrap_or_default()) }
                dt { "From" } dd { code { (receipt.from.to_checksum(None)) } }
                @if let Some(to) = receipt.to { dt { "To" } dd { code { (to.to_checksum(None)) } } }
                @if let Some(method) = method(transaction) { dt { "Method" } dd { code { (method) } } }
                dt { "Value" } dd { (ether.amount(transaction.value())) }
                dt { "Gas" } dd { (receipt.gas_used) " for " (ether.amount(cost)) }
                @for (token, name) in &launched {
                    dt { "Launched" } dd { a href=(token_path(*token, chain_id)) { bdi { (name) } } }
                }
            }
        }
    }
}

/// The token that a log says was launched.
fn created(log: &Log) -> Option<Address> {
    ILaunchHook::LaunchCreated::decode_log(&log.inner).ok().map(|created| created.token)
}

/// Name of the function that was called, of the contracts that are known here.
fn method(transaction: &Transaction) -> Option<&'static str> {
    let selector = transaction.input().first_chunk::<4>().copied()?;
    ILaunchHook::ILaunchHookCalls::name_by_selector(selector)
        .or_else(|| ITokenFactory::ITokenFactoryCalls::name_by_selector(selector))
        .or_else(|| IUniversalRouter::IUniversalRouterCalls::name_by_selector(selector))
        .or_else(|| IUniswapV2Router02::IUniswapV2Router02Calls::name_by_selector(selector))
        .or_else(|| IERC20::IERC20Calls::name_by_selector(selector))
}

fn decoded(events: &[Event], logs: &[Log]) -> Markup {
    let rows = html! {
        @for log in logs {
            @let index = log.log_index.unwrap_or_default();
            @let known = events.iter().find(|event| event.log_index == index);
            @let (name, fields) = known.map_or_else(|| log_fields(log), |event| event_fields(&event.kind));
            tr {
                td { (index) }
                th scope="row" { (name) }
                td { code { (log.address().to_checksum(None)) } }
                td {
                    dl { @for (name, value) in &fields { dt { (name) } dd { bdi { (value) } } } }
                }
            }
        }
    };
    html! {
        section #events data-live aria-labelledby="events-title" {
            h2 #events-title { "Events" }
            @if logs.is_empty() { p { "It emitted none." } } @else {
                (table("Events", &["Index", "Event", "Contract", "Fields"], &rows))
            }
        }
    }
}

/// A log that the platform does not fold.
fn log_fields(log: &Log) -> (&'static str, Vec<Field>) {
    if let Ok(event) = IERC20::Transfer::decode_log(&log.inner) {
        return (
            "Transfer",
            vec![address("from", event.from), address("to", event.to), units("amount", event.amount)],
        );
    }
    if let Ok(event) = IERC20::Approval::decode_log(&log.inner) {
        return (
            "Approval",
            vec![
                address("owner", event.owner),
                address("spender", event.spender),
                units("amount", event.amount),
            ],
        );
    }
    if let Ok(event) = IPoolManager::Initialize::decode_log(&log.inner) {
        return (
            "Initialize",
            vec![("id", event.id.to_string()), units("sqrtPriceX96", U256::from(event.sqrtPriceX96))],
        );
    }
    if let Ok(event) = IPoolManager::ModifyLiquidity::decode_log(&log.inner) {
        return (
            "ModifyLiquidity",
            vec![("id", event.id.to_string()), ("liquidityDelta", event.liquidityDelta.to_string())],
        );
    }
    let topics = log.topics().iter().map(|topic| ("topic", topic.to_string()));
    ("not known here", topics.chain([("data", log.data().data.to_string())]).collect())
}

fn units(name: &'static str, amount: U256) -> Field {
    (name, amount.to_string())
}

fn address(name: &'static str, address: Address) -> Field {
    (name, address.to_checksum(None))
}

/// An event with its fields; amounts are in the smallest units.
fn event_fields(kind: &EventKind) -> (&'static str, Vec<Field>) {
    let number = |name, number: u64| units(name, U256::from(number));
    match kind {
        EventKind::LaunchCreated { launch_id, creator, token, target_raise } => (
            "LaunchCreated",
            vec![
                number("launchId", *launch_id),
                address("creator", *creator),
                address("token", *token),
                units("targetRaise", U256::from(*target_raise)),
            ],
        ),
        EventKind::LaunchMetadata { launch_id, metadata } => (
            "LaunchMetadata",
            vec![
                number("launchId", *launch_id),
                ("name", metadata.name.clone()),
                ("ticker", metadata.ticker.clone()),
                ("description", metadata.description.clone()),
                ("imageUrl", metadata.image_url.clone()),
                ("messenger", metadata.messenger.clone()),
                ("microblog", metadata.microblog.clone()),
                ("website", metadata.website.clone()),
            ],
        ),
        EventKind::LaunchConfigured {
            launch_id,
            quote_asset,
            sale_supply,
            liquidity_supply,
            gain_bps,
            creator_fee_split_bps,
            anti_snipe_duration,
            launch_time,
        } => (
            "LaunchConfigured",
            vec![
                number("launchId", *launch_id),
                address("quoteAsset", *quote_asset),
                units("saleSupply", U256::from(*sale_supply)),
                units("liquiditySupply", U256::from(*liquidity_supply)),
                number("gainBps", (*gain_bps).into()),
                number("creatorFeeSplitBps", (*creator_fee_split_bps).into()),
                number("antiSnipeDuration", (*anti_snipe_duration).into()),
                number("launchTime", *launch_time),
            ],
        ),
        EventKind::Trade { .. } | EventKind::BuybackExecuted { .. } | EventKind::PoolSwap { .. } => {
            trade(kind)
        }
        EventKind::LaunchFinalized { launch_id, pool_id, quote_seeded, tokens_seeded } => (
            "LaunchFinalized",
            vec![
                number("launchId", *launch_id),
                ("poolId", pool_id.to_string()),
                units("quoteSeeded", *quote_seeded),
                units("tokensSeeded", *tokens_seeded),
            ],
        ),
        EventKind::Transfer { from, to, amount } => {
            ("Transfer", vec![address("from", *from), address("to", *to), units("amount", *amount)])
        }
        EventKind::BidWon { epoch, token, bidder, amount, start_bid } => (
            "BidWon",
            vec![
                number("epoch", *epoch),
                address("token", *token),
                address("bidder", *bidder),
                units("amount", *amount),
                units("startBid", *start_bid),
            ],
        ),
        _ => smaller(kind),
    }
}

/// What is traded and bought back.
fn trade(kind: &EventKind) -> (&'static str, Vec<Field>) {
    let id = |launch_id: u64| units("launchId", U256::from(launch_id));
    match kind {
        EventKind::Trade {
            launch_id,
            trader,
            side,
            price_after,
            market_cap,
            quote_amount,
            token_amount,
            fee,
            refund,
        } => (
            "Trade",
            vec![
                id(*launch_id),
                address("trader", *trader),
                ("side", format!("{side:?}").to_lowercase()),
                units("quoteAmount", *quote_amount),
                units("tokenAmount", *token_amount),
                units("fee", *fee),
                units("refund", *refund),
                units("priceAfter", *price_after),
                units("marketCap", *market_cap),
            ],
        ),
        EventKind::BuybackExecuted { launch_id, quote_amount, tokens_burned, from_pool } => (
            "BuybackExecuted",
            vec![
                id(*launch_id),
                units("quoteAmount", *quote_amount),
                units("tokensBurned", *tokens_burned),
                ("fromPool", from_pool.to_string()),
            ],
        ),
        EventKind::PoolSwap { pool_id, sender, amount0, amount1, sqrt_price_x96 } => (
            "Swap in a pool",
            vec![
                ("poolId", pool_id.to_string()),
                address("sender", *sender),
                ("amount0", amount0.to_string()),
                ("amount1", amount1.to_string()),
                units("sqrtPriceX96", *sqrt_price_x96),
            ],
        ),
        _ => smaller(kind),
    }
}

/// Events of fees, of the exchange and of the first version.
fn smaller(kind: &EventKind) -> (&'static str, Vec<Field>) {
    let id = |launch_id: u64| units("launchId", U256::from(launch_id));
    match kind {
        EventKind::Referral { launch_id, trader, referral_code } => (
            "Referral",
            vec![id(*launch_id), address("trader", *trader), ("referralCode", referral_code.clone())],
        ),
        EventKind::CreatorFeeSplitUpdated { launch_id, new_bps } => {
            ("CreatorFeeSplitUpdated", vec![id(*launch_id), ("newBps", new_bps.to_string())])
        }
        EventKind::FeesAccrued { launch_id, account, amount } => {
            ("FeesAccrued", vec![id(*launch_id), address("account", *account), units("amount", *amount)])
        }
        EventKind::FeesWithdrawn { account, amount } => {
            ("FeesWithdrawn", vec![address("account", *account), units("amount", *amount)])
        }
        EventKind::BuybackAccrued { launch_id, amount } => {
            ("BuybackAccrued", vec![id(*launch_id), units("amount", *amount)])
        }
        EventKind::TokenCreated { creator, token, pair, metadata, .. } => (
            "TokenCreated",
            vec![
                address("token", *token),
                address("creator", *creator),
                address("pair", *pair),
                ("name", metadata.name.clone()),
                ("ticker", metadata.ticker.clone()),
            ],
        ),
        EventKind::TokenGraduated { pair, quote_seeded, tokens_seeded, .. } => (
            "TokenGraduated",
            vec![
                address("pair", *pair),
                units("quoteSeeded", *quote_seeded),
                units("tokensSeeded", *tokens_seeded),
            ],
        ),
        EventKind::CreationPaused { paused } => ("CreationPaused", vec![("paused", paused.to_string())]),
        EventKind::PairCreated { pair, token0, token1 } => (
            "PairCreated",
            vec![
                address("pair", *pair),
                ("token0", token0.symbol.clone()),
                ("token1", token1.symbol.clone()),
            ],
        ),
        EventKind::Sync { reserve0, reserve1 } => {
            ("Sync", vec![units("reserve0", U256::from(*reserve0)), units("reserve1", U256::from(*reserve1))])
        }
        EventKind::PairSwap { amount0_in, amount1_in, amount0_out, amount1_out } => (
            "Swap in a pair",
            vec![
                units("amount0In", *amount0_in),
                units("amount1In", *amount1_in),
                units("amount0Out", *amount0_out),
                units("amount1Out", *amount1_out),
            ],
        ),
        _ => ("event", Vec::new()),
    }
}
