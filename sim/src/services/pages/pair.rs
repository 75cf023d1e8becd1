//! `/pair/<address>`: a pair of the exchange: its reserves, price, tokens, volume and latest swaps.
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use axum::extract::State;
use maud::{Markup, html};

use super::amount::Asset;
use super::layout::{Frame, LINKS, address, cell, heads, page, table, token_path, transaction};
use super::number::{ago, number};
use super::swap::asset;
use super::{Pages, Problem};
use crate::address as addresses;
use crate::api::refusal::Refusal;
use crate::event::{Event, EventKind};
use crate::services::http::PathParameter;
use slipway_math::exchange::PairView;

/// Number of swaps shown.
const SHOWN: usize = 40;

pub(super) fn path(pair: Address) -> String {
    format!("/pair/{}", pair.to_checksum(None))
}

pub(super) async fn get(
    State(pages): State<Arc<Pages>>,
    PathParameter(text): PathParameter,
) -> Result<Markup, Problem> {
    let unknown = || Refusal::not_found("page-pair", "the exchange has no pair at this address");
    let asked = addresses::parse(&text).ok_or_else(unknown)?;
    let exchange = pages.swap_api.exchange();
    let pair = exchange.pairs().find(|pair| pair.address == asked).ok_or_else(unknown)?;
    let (Some(first), Some(second)) = (asset(&exchange, pair.token0), asset(&exchange, pair.token1)) else {
        return Err(unknown().into());
    };
    let now = pages.now();
    let volume = exchange.volume_of_day(pair.address, now);
    let swaps = pages.api.swaps_in(pages.swap_api.chain_id(), pair.address, SHOWN);
    let title = format!("{} / {}", first.symbol, second.symbol);
    let content = html! {
        h1 { bdi { (first.symbol) } " / " bdi { (second.symbol) } }
        p { (address(pair.address)) " " a.button href=(swap_path(&pair)) { "Swap" } }
        section #pair data-live aria-label="Reserves" {
            dl {
                dt { "Reserves" }
                dd #reserves { (first.amount(U256::from(pair.reserves.reserve0))) " and " (second.amount(U256::from(pair.reserves.reserve1))) }
                dt { "Price" }
                dd #price { (price(&pair, [&first, &second])) }
                dt { "Volume, 24 h" }
                dd { (first.amount(U256::from(volume.amount0))) " and " (second.amount(U256::from(volume.amount1))) }
                @for (name, token, asset) in [("Token A", pair.token0, &first), ("Token B", pair.token1, &second)] {
                    dt { (name) } dd { (named(&pages, token, asset)) }
                }
            }
        }
        (latest(&swaps, [&first, &second], now))
    };
    let frame = Frame { title: &title, source: Some("/live".into()), scripts: &[], links: LINKS };
    Ok(page(&frame, &pages.standing(), &content))
}

fn swap_path(pair: &PairView) -> String {
    format!("/exchange?tokenIn={}&tokenOut={}", pair.token0.to_checksum(None), pair.token1.to_checksum(None))
}

/// The worth of a whole first token in the second one, before fees, rounded down.
fn price(pair: &PairView, [first, second]: [&Asset; 2]) -> Markup {
    let whole = U256::from(10).checked_pow(U256::from(first.decimals));
    let (held, other) = (U256::from(pair.reserves.reserve0), U256::from(pair.reserves.reserve1));
    let price = whole.and_then(|whole| other.checked_mul(whole)?.checked_div(held));
    html! {
        @match price {
            Some(price) => { "1 " bdi { (first.symbol) } " = " (number(price, second.decimals)) " " bdi { (second.symbol) } },
            None => "not known: the pair is empty",
        }
    }
}

/// A token, linked to its page if it was launched here.
fn named(pages: &Pages, token: Address, asset: &Asset) -> Markup {
    let chain_id = pages.swap_api.chain_id();
    let is_launched = pages.api.market(chain_id, token).is_some();
    html! {
        @if is_launched { a href=(token_path(token, chain_id)) { bdi { (asset.symbol) } } } @else { bdi { (asset.symbol) } }
        " " (address(token))
    }
}

fn latest(swaps: &[Event], [first, second]: [&Asset; 2], now: u64) -> Markup {
    let rows = html! {
        @for event in swaps {
            @if let EventKind::PairSwap { amount0_in, amount1_in, amount0_out, amount1_out } = event.kind {
                @let (paid, got) = if amount0_in > amount0_out {
                    (first.amount(amount0_in - amount0_out), second.amount(amount1_out.saturating_sub(amount1_in)))
                } else {
                    (second.amount(amount1_in.saturating_sub(amount1_out)), first.amount(amount0_out - amount0_in))
                };
                tr data-transaction=(event.transaction) {
                    (cell("Time", "", &ago(event.timestamp, now)))
                    (cell("Paid", "n", &paid))
                    (cell("Got", "n", &got))
                    (cell("Transaction", "", &transaction(event.transaction)))
                }
            }
        }
    };
    let columns = [("Time", ""), ("Paid", "n"), ("Got", "n"), ("Transaction", "")];
    html! {
        section #swaps data-live aria-labelledby="swaps-title" {
            h2 #swaps-title { "Latest swaps" }
            @if swaps.is_empty() { p.muted { "None yet." } } @else { (table("Latest swaps", &heads(&columns), &rows)) }
        }
    }
}
