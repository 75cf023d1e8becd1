//! `/account/<address>`: the balances of an account or contract on both chains, its launches, and what it did last.
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

use alloy::primitives::{Address, B256, U256};
use axum::extract::State;
use futures::future::join_all;
use maud::{Markup, html};
use tokio::time::timeout;

use super::amount::{Asset, DECIMALS};
use super::layout::{
    Frame, LINKS, block_link, cell, heads, page, table, token_link_with, token_path, transaction, with,
};
use super::number::{ago, count, number};
use super::tokens::{marks, raised};
use super::{PATIENCE, Pages, Problem, pair};
use crate::address as addresses;
use crate::api::account::OnChain;
use crate::api::refusal::Refusal;
use crate::api::tokens::list::Page;
use crate::api::tokens::owner::{OwnerQuery, OwnerSort, by_owner};
use crate::api::tokens::view::TokenView;
use crate::event::{Event, EventKind, Side};
use crate::services::http::PathParameter;
use crate::state::State as Fold;
use crate::state::token::{Token, WHOLE};

/// Holdings on a page, and rows of the activity.
const SHOWN: usize = 20;
/// Launches on a page.
const LAUNCHES: u64 = 10;

/// A token that the account has.
struct Held {
    token: TokenView,
    units: U256,
    /// In wei, rounded down.
    worth: U256,
}

/// What the account did, or what happened to it, in one event.
struct Deed {
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
    let chains: Vec<u64> = pages.api.engine.chains().map(|(chain, _)| chain.id()).collect();
    let asked = chains.iter().map(|&chain_id| timeout(PATIENCE, pages.api.account_on(chain_id, account)));
    let answers: Vec<_> =
        chains.iter().copied().zip(join_all(asked).await.into_iter().map(|told| told.ok()?.ok())).collect();
    let now = pages.now();
    let events = latest(&pages, &chains, account);
    let (held, launched, rows, code) = {
        let state = pages.api.read();
        let code = state.referrals().code(account).map(|issued| issued.code.clone());
        let rows = html! { @for event in &events { (row(&pages, &state, event, account, now)) } };
        (held(&state, account, now), newest(&state, account, LAUNCHES, now), rows, code)
    };
    let content = html! {
        h1 { (if answers.iter().flat_map(|(_, told)| told).any(|told| told.is_contract) { "Contract" } else { "Account" }) }
        (who(&pages, account, &answers, code.as_deref()))
        (balances(&answers))
        (holdings(&held))
        (launches(&launched, account, now))
        (activity(&rows, events.is_empty()))
    };
    let title = format!("Account {}", addresses::short(account));
    let frame = Frame { title: &title, source: Some("/live".into()), scripts: &[], links: LINKS };
    Ok(page(&frame, &pages.standing(), &content))
}

/// The address, what it is known as, and where else it has a page.
fn who(pages: &Pages, account: Address, answers: &[(u64, Option<OnChain>)], code: Option<&str>) -> Markup {
    let text = account.to_checksum(None);
    let funded = pages.api.engine.accounts().iter().position(|known| known.address == account);
    let state = pages.api.read();
    let tokens =
        answers.iter().filter_map(|(chain_id, _)| Some((*chain_id, state.token_on(*chain_id, account)?)));
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
                @for (chain_id, token) in tokens {
                    dt { "Token of chain " (chain_id) }
                    dd { a href=(token_path(account, chain_id)) { bdi { (token.launch.metadata.name) } } }
                }
                @if is_pair { dt { "Exchange" } dd { a href=(pair::path(account)) { "Reserves and swaps of the pair" } } }
                @if let Some(place) = funded { dt { "Funded account" } dd #funded { "number " (place + 1) " of this platform" } }
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
                        (cell("ETH", "n", &ether.number(told.balance)))
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

/// What the account has of the wrapped coin and the quote assets, without those that it has none of.
fn assets(assets: &[(String, u8, U256)]) -> Markup {
    let some = assets.iter().filter(|(.., units)| !units.is_zero());
    html! {
        @for (place, (symbol, decimals, units)) in some.enumerate() {
            @if place > 0 { ", " }
            (number(*units, *decimals)) " " bdi { (symbol) }
        }
    }
}

/// The tokens that an account has, the most valuable first, and their number.
fn held(state: &Fold, account: Address, now: u64) -> (Vec<Held>, usize) {
    let worth = |token: &Token, units: u128| {
        U256::from(token.in_ether(token.price).units()) * U256::from(units) / U256::from(WHOLE)
    };
    let all = state.tokens().map(|token| (token, state.balance(token, account)));
    let mut held: Vec<_> = all
        .filter(|(_, units)| *units > 0)
        .map(|(token, units)| (worth(token, units), units, token))
        .collect();
    held.sort_by_key(|(worth, _, token)| (Reverse(*worth), token.birth));
    let count = held.len();
    let shown = held.into_iter().take(SHOWN);
    let shown = shown.map(|(worth, units, token)| Held {
        token: TokenView::at(state, token, now),
        units: U256::from(units),
        worth,
    });
    (shown.collect(), count)
}

fn holdings((held, total): &(Vec<Held>, usize)) -> Markup {
    let ether = Asset::native();
    let rows = html! {
        @for Held { token, units, worth } in held {
            tr {
                th scope="row" { (token_link_with(token, &marks(token))) }
                (cell("Units", "n", &number(*units, DECIMALS)))
                (cell("Worth, ETH", "n", &ether.number(*worth)))
            }
        }
    };
    html! {
        section #holdings data-live aria-labelledby="holdings-title" {
            h2 #holdings-title { "Tokens held" }
            @if held.is_empty() { p.muted { "No launch token." } } @else {
                p.muted { (count(*total as u64)) @if *total > held.len() { "; the " (held.len()) " most valuable" } }
                (table("Tokens held", &heads(&[("Token", ""), ("Units", "n"), ("Worth, ETH", "n")]), &rows))
            }
        }
    }
}

/// The newest launches of an account, inactive ones too.
pub(super) fn newest(state: &Fold, owner: Address, limit: u64, now: u64) -> Page {
    let sort = OwnerSort::CreatedDescending;
    by_owner(state, now, &OwnerQuery { owner, page: 1, limit, sort, include_inactive: true })
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

/// The latest events of an account on all chains, newest first. A transfer is told only where nothing else says what it was for.
fn latest(pages: &Pages, chains: &[u64], account: Address) -> Vec<Event> {
    let concerns = |event: &Event| concerns(event, account);
    let mut events: Vec<Event> = chains
        .iter()
        .flat_map(|&chain_id| pages.api.engine.latest_events(chain_id, 0, 2 * SHOWN, concerns))
        .collect();
    let is_transfer = |event: &Event| matches!(event.kind, EventKind::Transfer { .. });
    let explained: HashSet<B256> =
        events.iter().filter(|event| !is_transfer(event)).map(|event| event.transaction).collect();
    events.retain(|event| !is_transfer(event) || !explained.contains(&event.transaction));
    events.sort_by_key(|event| Reverse(event.timestamp));
    events.truncate(SHOWN);
    events
}

fn concerns(event: &Event, account: Address) -> bool {
    match event.kind {
        EventKind::LaunchCreated { creator, .. } | EventKind::TokenCreated { creator, .. } => {
            creator == account
        }
        EventKind::Trade { trader, .. } => trader == account,
        EventKind::BidWon { bidder, .. } => bidder == account,
        EventKind::FeesWithdrawn { account: owner, .. } => owner == account,
        EventKind::Transfer { from, to, .. } => from == account || to == account,
        _ => false,
    }
}

fn deed(pages: &Pages, state: &Fold, event: &Event, account: Address) -> Option<Deed> {
    let chain_id = event.chain_id;
    let named =
        |token: &Token| (token_path(token.launch.token, chain_id), token.launch.metadata.ticker.clone());
    let at = |token: Address| state.token_on(chain_id, token).map(named);
    Some(match event.kind {
        EventKind::LaunchCreated { token, .. } | EventKind::TokenCreated { token, .. } => {
            Deed { what: "launch", token: at(token), amount: None }
        }
        EventKind::Trade { launch_id, side, quote_amount, token_amount, .. } => {
            let token = state.token_of_launch(chain_id, event.emitter, launch_id)?;
            let what = if side == Side::Buy { "buy" } else { "sell" };
            let quote = Asset::of(state.quote_asset(token));
            let amount = html! { (number(token_amount, DECIMALS)) " for " (quote.amount(quote_amount)) };
            Deed { what, token: Some(named(token)), amount: Some(amount) }
        }
        EventKind::BidWon { token, amount, .. } => {
            Deed { what: "bid", token: at(token), amount: Some(Asset::native().amount(amount)) }
        }
        EventKind::FeesWithdrawn { amount, .. } => {
            let (_, deployment) = pages.api.engine.chain(chain_id).ok()?;
            let asset = deployment.quote_assets.iter().find(|asset| asset.hook == event.emitter);
            Deed { what: "withdrawal of fees", token: None, amount: Some(Asset::of(asset).amount(amount)) }
        }
        EventKind::Transfer { from, amount, .. } => {
            let what = if from == account { "sent" } else { "received" };
            Deed { what, token: at(event.emitter), amount: Some(number(amount, DECIMALS)) }
        }
        _ => return None,
    })
}

fn row(pages: &Pages, state: &Fold, event: &Event, account: Address, now: u64) -> Markup {
    html! {
        @if let Some(Deed { what, token, amount }) = deed(pages, state, event, account) {
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

fn activity(rows: &Markup, is_empty: bool) -> Markup {
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
            @if is_empty { p.muted { "None yet." } } @else { (table("Latest activity", &heads(&columns), rows)) }
        }
    }
}
