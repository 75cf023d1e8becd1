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
use slipway_contracts::bindings::{IERC20, ILaunchHook, ITokenFactory, IUniswapV2Router02, IUniversalRouter};

use super::amount::Asset;
use super::event_text::decoded;
use super::layout::{Frame, LINKS, address, cell, heads, page, table, token_path};
use super::number::count;
use super::{Pages, Problem};
use crate::address as addresses;
use crate::api::refusal::Refusal;
use crate::services::http::PathParameter;

pub(super) async fn get(
    State(pages): State<Arc<Pages>>,
    PathParameter(text): PathParameter,
) -> Result<Markup, Problem> {
    let unknown = || Refusal::not_found("page-transaction", "no chain has a transaction of this hash");
    let hash: B256 = text.parse().map_err(|_| unknown())?;
    let mut found = None;
    for (chain, _) in pages.api.engine.chains() {
        let provider = chain.provider();
        let answer =
            tokio::try_join!(provider.get_transaction_by_hash(hash), provider.get_transaction_receipt(hash));
        let out_of_reach = |_| Refusal::chain_out_of_reach(chain.id());
        if let (Some(transaction), Some(receipt)) = answer.map_err(out_of_reach)? {
            found = Some((chain.id(), transaction, receipt));
        }
    }
    let (chain_id, transaction, receipt) = found.ok_or_else(unknown)?;
    let content = html! {
        h1 { "Transaction" }
        (summary(&pages, chain_id, &transaction, &receipt))
        (events(receipt.logs()))
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
                dt { "Hash" } dd { button.copy type="button" title=(transaction.tx_hash()) { code { (transaction.tx_hash()) } } }
                dt { "Result" } dd #result { @if receipt.status() { span.rose { "succeeded" } } @else { span.fell { "reverted" } } }
                dt { "Chain" } dd { (chain_id) }
                dt { "Block" } dd { (count(receipt.block_number.unwrap_or_default())) }
                dt { "From" } dd { (address(receipt.from)) }
                @if let Some(to) = receipt.to { dt { "To" } dd { (address(to)) } }
                @if let Some(method) = method(transaction) { dt { "Method" } dd { code { (method) } } }
                dt { "Value" } dd { (ether.amount(transaction.value())) }
                dt { "Gas" } dd { (count(receipt.gas_used)) " for " (ether.amount(cost)) }
                @for (token, name) in &launched {
                    dt { "Launched" } dd { a href=(token_path(*token, chain_id)) { bdi { (name) } } }
                }
            }
        }
    }
}

/// The launched token that a log reports.
fn created(log: &Log) -> Option<Address> {
    ILaunchHook::LaunchCreated::decode_log(&log.inner).ok().map(|created| created.token)
}

/// Name of the called function, if the contract is known here.
fn method(transaction: &Transaction) -> Option<&'static str> {
    let selector = transaction.input().first_chunk::<4>().copied()?;
    ILaunchHook::ILaunchHookCalls::name_by_selector(selector)
        .or_else(|| ITokenFactory::ITokenFactoryCalls::name_by_selector(selector))
        .or_else(|| IUniversalRouter::IUniversalRouterCalls::name_by_selector(selector))
        .or_else(|| IUniswapV2Router02::IUniswapV2Router02Calls::name_by_selector(selector))
        .or_else(|| IERC20::IERC20Calls::name_by_selector(selector))
}

fn events(logs: &[Log]) -> Markup {
    let rows = html! {
        @for log in logs {
            tr {
                @match decoded(log.data()) {
                    Some((name, fields)) => {
                        th scope="row" { (name) }
                        (cell("Contract", "", &address(log.address())))
                        td { dl { @for (name, value) in &fields { dt { (name) } dd { (field(value)) } } } }
                    },
                    None => {
                        th scope="row" { "not known here" }
                        (cell("Contract", "", &address(log.address())))
                        td {
                            dl {
                                @for topic in log.topics() { dt { "topic" } dd { (topic) } }
                                dt { "data" } dd { (log.data().data) }
                            }
                        }
                    },
                }
            }
        }
    };
    html! {
        section #events data-live aria-labelledby="events-title" {
            h2 #events-title { "Events" }
            @if logs.is_empty() { p { "It emitted none." } } @else {
                (table("Events", &heads(&[("Event", ""), ("Contract", ""), ("Fields", "")]), &rows))
            }
        }
    }
}

/// A value of an event: an address with its pattern, anything else as text.
fn field(value: &str) -> Markup {
    html! {
        @match addresses::parse(value) {
            Some(account) => (address(account)),
            None => bdi { (value) },
        }
    }
}
