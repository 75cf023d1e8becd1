//! `/account/<address>`: the balances of an account or contract on both chains, its launches, and its latest activity.
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use axum::extract::State;
use futures::future::join_all;
use maud::{Markup, html};
use tokio::time::timeout;

use super::amount::{Asset, DECIMALS};
use super::layout::{
    Frame, LINKS, block_link, cell, heads, page, table, token_link_with, token_path, transaction, with,
};
use super::number::{ago, balance, count, number};
use super::tokens::{marks, raised};
use super::{PATIENCE, Pages, Problem, pair};
use crate::address as addresses;
use crate::api::account::{Deed, HeldToken, OnChain};
use crate::api::refusal::Refusal;
use crate::api::tokens::list::Page;
use crate::api::tokens::owner::{OwnerQuery, OwnerSort};
use crate::event::{EventKind, Side};
use crate::services::http::PathParameter;

/// Number of holdings shown, and of rows of the activity.
const SHOWN: usize = 20;
/// Number of launches shown.
const LAUNCHES: u64 = 10;

/// An event in the page's words.
struct Told {
    what: &'static str,
    token: Option<(String, String)>,
    amount: Option<Markup>,
}

pub(super) async fn get(
    State(pages): State<Arc<Pages>>,
    PathParameter(text): PathParameter,
) -> Result<Markup, Problem> {
    let account = addresses::parse(&text)
        .ok_or_else(|| Refusal::bad_input("page-account", format!("the account {}", addresses::RULE)))?;
    let chains = pages.api.chain_ids();
    let asked = chains.iter().map(|&chain_id| timeout(PATIENCE, pages.api.account_on(chain_id, account)));
    let answers: Vec<_> =
        chains.iter().copied().zip(join_all(asked).await.into_iter().map(|told| told.ok()?.ok())).collect();
    let now = pages.now();
    let deeds = pages.api.deeds(account, SHOWN);
    let code = pages.api.referral_code(account);
    let content = html! {
        h1 { (if answers.iter().flat_map(|(_, told)| told).any(|told| told.is_contract) { "Contract" } else { "Account" }) }
        (who(&pages, account, &answers, code.as_deref()))
        (balances(&answers))
        (holdings(&pages.api.holdings(account, SHOWN)))
        (launches(&pages.api.by_owner(&newest(account, LAUNCHES)), account, now))
        (activity(&deeds, account, now))
    };
    let title = format!("Account {}", addresses::short(account));
    let frame = Frame { title: &title, source: Some("/live".into()), scripts: &[], links: LINKS };
    Ok(page(&frame, &pages.standing(), &content))
}

/// The address, its names, and its other pages.
fn who(pages: &Pages, account: Address, answers: &[(u64, Option<OnChain>)], code: Option<&str>) -> Markup {
    let text = account.to_checksum(None);
    let funded = pages.api.funded_accounts().position(|known| known == account);
    let tokens = answers.iter().filter_map(|(chain_id, _)| pages.api.market(*chain_id, account));
    let is_pair = pages.swap_api.exchange().pairs().any(|known| known.address == account);
    html! {
        section #account data-live aria-label="Summary" {
            dl {
                dt { "Address" } dd { button.copy type="button" title=(text) { code { (text) } } }
                @for (chain_id, told) in answers {
                    @if let Some(name) = told.as_ref().and_then(|told| told.name.as_ref()) {
                        dt { "Name on chain " (chain_id) } dd { bdi { (name) } }
                    }
                }
                @for token in tokens {
                    dt { "Token of chain " (token.chain_id) }
                    dd { a href=(token_path(account, token.chain_id)) { bdi { (token.launch.metadata.name) } } }
                }
                @if is_pair { dt { "Exchange" } dd { a href=(pair::path(account)) { "Reserves and swaps of the pair" } } }
                @if let Some(place) = funded { dt { "Funded account" } dd #funded { "number " (place) " of this platform" } }
                dt { "Referrals" }
                dd #referral {
                    @if let Some(code) = code { button.copy type="button" title=(code) { code { (code) } } ", " }
                    a href={ "/referral?address=" (text) } { "stats and activity" }
                }
            }
        }
    }
}

fn balances(answers: &[(u64, Option<OnChain>)]) -> Markup {
    let ether = Asset::native();
    let rows = html! {
        @for (chain_id, told) in answers {
            tr data-chain=(chain_id) {
                th scope="row" { "Chain " (chain_id) }
                @match told {
                    Some(told) => {
                        (cell("ETH", "n", &balance(told.balance, ether.decimals)))
                        (cell("Other assets", "", &html! { (assets(&told.assets)) }))
                        (cell("Nonce", "n", &count(told.nonce)))
                    }
                    None => { td.muted colspan="3" { "The node has not answered." } },
                }
            }
        }
    };
    let columns = [("Chain", ""), ("ETH", "n"), ("Other assets", ""), ("Nonce", "n")];
    html! {
        section #coins data-live aria-labelledby="coins-title" {
            h2 #coins-title { "Balances" }
            (table("Balances", &heads(&columns), &rows))
        }
    }
}

/// The account's balances of the wrapped coin and the quote assets that are not zero.
fn assets(assets: &[(String, u8, U256)]) -> Markup {
    let some = assets.iter().filter(|(.., units)| !units.is_zero());
    html! {
        @for (place, (symbol, decimals, units)) in some.enumerate() {
            @if place > 0 { ", " }
            (balance(*units, *decimals)) " " bdi { (symbol) }
        }
    }
}

fn holdings((held, total): &(Vec<HeldToken>, usize)) -> Markup {
    let ether = Asset::native();
    let rows = html! {
        @for HeldToken { token, units, worth } in held {
            tr {
                th scope="row" { (token_link_with(token, &marks(token))) }
                (cell("Tokens", "n", &balance(*units, DECIMALS)))
                (cell("Worth, ETH", "n", &ether.number(*worth)))
            }
        }
    };
    html! {
        section #holdings data-live aria-labelledby="holdings-title" {
            h2 #holdings-title { "Tokens held" }
            @if held.is_empty() { p.muted { "No launch token." } } @else {
                p.muted { (count(*total as u64)) @if *total > held.len() { "; the " (held.len()) " most valuable" } }
                (table("Tokens held", &heads(&[("Token", ""), ("Tokens", "n"), ("Worth, ETH", "n")]), &rows))
            }
        }
    }
}

/// The newest launches of an account, inactive ones too.
pub(super) fn newest(owner: Address, limit: u64) -> OwnerQuery {
    OwnerQuery { owner, page: 1, limit, sort: OwnerSort::CreatedDescending, include_inactive: true }
}

fn launches(launched: &Page, account: Address, now: u64) -> Markup {
    let ether = |units: u128| Asset::native().number(U256::from(units));
    let rows = html! {
        @for token in &launched.tokens {
            tr {
                th scope="row" { (token_link_with(token, &marks(token))) }
                (cell("Market cap, ETH", "n", &ether(token.market_cap.units())))
                (cell("Raised", "", &raised(token)))
                (cell("Created", "n", &ago(token.birth.created_at, now)))
            }
        }
    };
    let columns = [("Token", ""), ("Market cap, ETH", "n"), ("Raised", ""), ("Created", "n")];
    html! {
        section #launched data-live aria-labelledby="launched-title" {
            h2 #launched-title { "Tokens launched" }
            @if launched.tokens.is_empty() { p.muted { "None." } } @else {
                p.muted {
                    (count(launched.total))
                    @if launched.total > launched.tokens.len() as u64 {
                        "; the newest " (launched.tokens.len()) ", "
                        a href=(with(&axum::http::Uri::from_static("/"), "search", &account.to_checksum(None))) { "all of them" }
                    }
                }
                (table("Tokens launched", &heads(&columns), &rows))
            }
        }
    }
}

fn told(deed: &Deed, account: Address) -> Option<Told> {
    let token = deed
        .token
        .as_ref()
        .map(|token| (token_path(token.launch.token, token.chain_id), token.launch.metadata.ticker.clone()));
    let paid = |units| Asset::of(deed.asset.as_ref()).amount(units);
    Some(match deed.event.kind {
        EventKind::LaunchCreated { .. } | EventKind::TokenCreated { .. } => {
            Told { what: "launch", token, amount: None }
        }
        EventKind::Trade { side, quote_amount, token_amount, fee, .. } => {
            let what = if side == Side::Buy { "buy" } else { "sell" };
            let amount =
                html! { (number(token_amount, DECIMALS)) " for " (paid(side.settled(quote_amount, fee))) };
            Told { what, token: Some(token?), amount: Some(amount) }
        }
        EventKind::BidWon { amount, .. } => Told { what: "bid", token, amount: Some(paid(amount)) },
        EventKind::FeesWithdrawn { amount, .. } => {
            Told { what: "withdrawal of fees", token, amount: Some(paid(amount)) }
        }
        EventKind::Transfer { from, amount, .. } => {
            let what = if from == account { "sent" } else { "received" };
            Told { what, token, amount: Some(number(amount, DECIMALS)) }
        }
        _ => return None,
    })
}

fn row(deed: &Deed, account: Address, now: u64) -> Markup {
    let event = &deed.event;
    html! {
        @if let Some(Told { what, token, amount }) = told(deed, account) {
            tr data-transaction=(event.transaction) {
                (cell("Time", "", &ago(event.timestamp, now)))
                (cell("Kind", "", &html! { (what) }))
                (cell("Token", "", &html! { @if let Some((path, name)) = &token { a href=(path) { bdi { (name) } } } }))
                (cell("Amount", "n", &amount.unwrap_or_default()))
                (cell("Chain", "n", &html! { (event.chain_id) }))
                (cell("Block", "n", &block_link(event.chain_id, event.block)))
                (cell("Transaction", "", &transaction(event.transaction)))
            }
        }
    }
}

fn activity(deeds: &[Deed], account: Address, now: u64) -> Markup {
    let rows = html! { @for deed in deeds { (row(deed, account, now)) } };
    let columns = [
        ("Time", ""),
        ("Kind", ""),
        ("Token", ""),
        ("Amount", "n"),
        ("Chain", "n"),
        ("Block", "n"),
        ("Transaction", ""),
    ];
    html! {
        section #latest data-live aria-labelledby="latest-title" {
            h2 #latest-title { "Latest activity" }
            p.muted { "Launches, trades, bids, withdrawals of fees, and transfers of launch tokens." }
            @if deeds.is_empty() { p.muted { "None yet." } } @else { (table("Latest activity", &heads(&columns), &rows)) }
        }
    }
}
