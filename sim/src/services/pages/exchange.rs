//! `/exchange`: the form that swaps, and the pairs with their reserves.
use std::sync::Arc;

use alloy::primitives::U256;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use maud::{Markup, html};

use super::layout::{Frame, LINKS, cell, heads, page, table};
use super::number::count;
use super::sender::{SCRIPTS, refused};
use super::swap::{Swap, asset};
use super::{Pages, Problem, pair};
use crate::api::quote::{ExchangeState, SwapApi};

/// Number of pairs shown; the swap service lists all of them.
const SHOWN: usize = 100;

pub(super) async fn get(
    State(pages): State<Arc<Pages>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Markup, Problem> {
    let exchange = pages.swap_api.exchange();
    let is_empty = exchange.pairs().len() == 0;
    let content = html! {
        h1 { "Exchange" }
        @if is_empty {
            div.empty #pairs data-live { p { "The exchange has no pair yet: a token of the factory gets one when it graduates." } }
        } @else {
            @match Swap::asked(&pages, &uri, &headers).await {
                Ok(swap) => (swap.section(&pages, &exchange, &uri)),
                Err(refusal) => { (refused(&refusal)) p { a.button href="/exchange" { "A new swap" } } },
            }
            (pairs(&pages.swap_api, &exchange))
        }
    };
    let scripts = if is_empty { &[] } else { SCRIPTS };
    let frame = Frame { title: "Exchange", source: Some("/live".into()), scripts, links: LINKS };
    Ok(page(&frame, &pages.standing(), &content))
}

fn pairs(swap_api: &SwapApi, exchange: &ExchangeState) -> Markup {
    let now = swap_api.now();
    let pairs = exchange.pairs();
    let all = pairs.len();
    let rows = html! {
        @for shown in pairs.take(SHOWN) {
            @if let (Some(first), Some(second)) = (asset(exchange, shown.token0), asset(exchange, shown.token1)) {
                @let volume = exchange.volume_of_day(shown.address, now);
                tr {
                    th scope="row" {
                        a href=(pair::path(shown.address)) { bdi { (first.symbol) } " / " bdi { (second.symbol) } }
                    }
                    (cell("Reserve A", "n", &first.amount(U256::from(shown.reserves.reserve0))))
                    (cell("Reserve B", "n", &second.amount(U256::from(shown.reserves.reserve1))))
                    (cell("Volume A, 24 h", "n", &first.amount(U256::from(volume.amount0))))
                    (cell("Volume B, 24 h", "n", &second.amount(U256::from(volume.amount1))))
                }
            }
        }
    };
    let columns = [
        ("Pair", ""),
        ("Reserve A", "n"),
        ("Reserve B", "n"),
        ("Volume A, 24 h", "n"),
        ("Volume B, 24 h", "n"),
    ];
    html! {
        section #pairs data-live aria-labelledby="pairs-title" {
            h2 #pairs-title { "Pairs" }
            p.muted { (count(all as u64)) " pairs" @if all > SHOWN { "; the first " (SHOWN) } }
            (table("Pairs", &heads(&columns), &rows))
        }
    }
}
