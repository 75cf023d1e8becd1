//! `/exchange`: the pairs with their reserves, and a quote with its route.
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use axum::extract::State;
use axum::http::Uri;
use maud::{Markup, html};

use super::amount::{Asset, units};
use super::layout::{Frame, LINKS, address, cell, heads, page, slippage, table};
use super::number::count;
use super::{Pages, Problem, sent};
use crate::address as addresses;
use crate::api::SLIPPAGE_BPS;
use crate::api::quote::{NATIVE, QuoteAmount, QuoteAnswer, QuoteRequest, SwapApi};
use crate::api::refusal::Refusal;
use crate::state::exchange::ExchangeState;

/// Number of pairs shown; the swap service lists all of them.
const SHOWN: usize = 100;

pub(super) async fn get(State(pages): State<Arc<Pages>>, uri: Uri) -> Result<Markup, Problem> {
    let exchange = pages.swap_api.exchange();
    let content = html! {
        h1 { "Exchange" }
        (form(&exchange, &uri))
        (quote(&pages.swap_api, &exchange, &uri))
        (pairs(&pages.swap_api, &exchange))
    };
    let frame = Frame { title: "Exchange", source: Some("/live".into()), scripts: &[], links: LINKS };
    Ok(page(&frame, &pages.standing(), &content))
}

fn form(exchange: &ExchangeState, uri: &Uri) -> Markup {
    let tokens = |name: &str| {
        let chosen = addresses::parse(&sent(uri, name));
        html! {
            select name=(name) {
                option value=(NATIVE.to_checksum(None)) selected[chosen == Some(NATIVE)] { "ETH" }
                @for listed in exchange.tokens() {
                    option value=(listed.checksummed) selected[chosen == Some(listed.token.address)] {
                        (listed.token.symbol) " · " (listed.checksummed[..6]) "…" (listed.checksummed[38..])
                    }
                }
            }
        }
    };
    html! {
        form.filters method="get" action="/exchange" aria-label="Quote" data-asks {
            label { "Pay" (tokens("tokenIn")) }
            label { "Get" (tokens("tokenOut")) }
            label {
                "Amount to pay"
                input name="amount" inputmode="decimal" autocomplete="off" value=(sent(uri, "amount"));
            }
            button.plain { "Quote" }
        }
    }
}

/// The asset at an address; the zero address is the native coin.
fn asset(exchange: &ExchangeState, token: Address) -> Option<Asset> {
    if token == NATIVE {
        return Some(Asset::native());
    }
    let known = exchange.token(token)?;
    Some(Asset { symbol: known.token.symbol.clone(), decimals: known.token.decimals })
}

fn quote(swap_api: &SwapApi, exchange: &ExchangeState, uri: &Uri) -> Markup {
    html! {
        section #quote data-live aria-live="polite" aria-labelledby="quote-title" {
            h2 #quote-title { "Quote" }
            @if sent(uri, "amount").is_empty() { p { "Choose two tokens and type an amount." } } @else {
                @match asked(exchange, uri).and_then(|(request, paid, got)| Ok((swap_api.quote_now(&request)?.1, paid, got))) {
                    Ok((answer, paid, got)) => (terms(exchange, &answer, &paid, &got)),
                    Err(refusal) => {
                        p.warning { (refusal.message) }
                        @if let Some(details) = refusal.details { p { (details) } }
                    }
                }
            }
        }
    }
}

fn asked(exchange: &ExchangeState, uri: &Uri) -> Result<(QuoteRequest, Asset, Asset), Refusal> {
    let side = |name: &'static str| {
        let token = addresses::parse(&sent(uri, name));
        let found = token.and_then(|token| Some((token, asset(exchange, token)?)));
        found.ok_or_else(|| {
            Refusal::bad_input("page-exchange-token", format!("{name} must be a token of the exchange"))
        })
    };
    let ((token_in, paid), (token_out, got)) = (side("tokenIn")?, side("tokenOut")?);
    let amount = units(&sent(uri, "amount"), paid.decimals).ok_or_else(|| {
        let digits = paid.decimals;
        Refusal::bad_input(
            "page-amount",
            format!("amount must be a positive number with at most {digits} digits after the point"),
        )
    })?;
    let amount = QuoteAmount::In(amount);
    let request =
        QuoteRequest { token_in, token_out, amount, slippage_bps: Some(SLIPPAGE_BPS), build_for: None };
    Ok((request, paid, got))
}

fn terms(exchange: &ExchangeState, answer: &QuoteAnswer, paid: &Asset, got: &Asset) -> Markup {
    html! {
        dl.terms {
            dt { "Pays" } dd { (paid.amount(answer.amount_in.0)) }
            dt { "Gets" } dd #gets { (got.amount(answer.amount_out.0)) }
            @if let Some(minimum) = answer.minimum_amount_out {
                dt { "At least" } dd { (got.amount(minimum.0)) " (" (slippage()) ")" }
            }
            dt { "Liquidity providers keep" } dd { (paid.amount(answer.lp_fee.0)) }
        }
        h3 #route-title { "Route" }
        ol.route aria-labelledby="route-title" {
            @for step in &answer.path {
                li {
                    @let token = addresses::parse(&step.0);
                    @if let Some(known) = token.and_then(|token| asset(exchange, token)) { bdi { (known.symbol) } " " }
                    @if let Some(token) = token { (address(token)) }
                }
            }
        }
    }
}

fn pairs(swap_api: &SwapApi, exchange: &ExchangeState) -> Markup {
    let now = swap_api.now();
    let pairs = exchange.pairs();
    let all = pairs.len();
    let rows = html! {
        @for pair in pairs.take(SHOWN) {
            @if let (Some(first), Some(second)) = (asset(exchange, pair.token0), asset(exchange, pair.token1)) {
                @let volume = exchange.volume_of_day(pair.address, now);
                tr {
                    th scope="row" { bdi { (first.symbol) } " / " bdi { (second.symbol) } }
                    (cell("Reserve A", "n", &first.amount(U256::from(pair.reserves.reserve0))))
                    (cell("Reserve B", "n", &second.amount(U256::from(pair.reserves.reserve1))))
                    (cell("Volume A, 24 h", "n", &first.amount(U256::from(volume.amount0))))
                    (cell("Volume B, 24 h", "n", &second.amount(U256::from(volume.amount1))))
                    (cell("Address", "", &address(pair.address)))
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
        ("Address", ""),
    ];
    html! {
        section #pairs data-live aria-labelledby="pairs-title" {
            h2 #pairs-title { "Pairs" }
            p.muted { (count(all as u64)) " pairs" @if all > SHOWN { "; the first " (SHOWN) } }
            (table("Pairs", &heads(&columns), &rows))
        }
    }
}
