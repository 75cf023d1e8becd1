//! `/`: the tokens, with the filters and orders of the list, a search, and a small price line for each.
use std::sync::Arc;

use alloy::primitives::U256;
use axum::extract::State;
use axum::http::Uri;
use maud::{Markup, html};

use super::amount::{Asset, DECIMALS, exact};
use super::layout::{Frame, LINKS, cell, page, table, token_link, with};
use super::number::{ago, change, count, grouped, percent_down};
use super::{Pages, Problem, history, sent};
use crate::api::emperor::{emperor, king};
use crate::api::tokens::list::{ListQuery, Page, Sort, list};
use crate::api::tokens::view::TokenView;
use crate::services::input::Query;
use crate::services::rest::list::read;
use crate::state::State as Fold;

/// Fields of the filter that accept text, by their parameter names.
const BOUNDS: &[(&str, &str)] = &[
    ("fundingMin", "Raised from (0 to 1)"),
    ("fundingMax", "Raised to (0 to 1)"),
    ("marketCapMin", "Market cap from"),
    ("marketCapMax", "Market cap to"),
    ("txCountMin", "Trades from"),
    ("txCountMax", "Trades to"),
    ("createdFrom", "Created from"),
    ("createdTo", "Created to"),
];
type Choice = (&'static str, &'static str, &'static [(&'static str, &'static str)]);
/// Fields of the filter that accept one of several values.
const CHOICES: &[Choice] = &[
    ("status", "Status", &[("", "all"), ("funding", "on the curve"), ("live", "graduated")]),
    (
        "sortBy",
        "Order",
        &[
            ("newest", "newest"),
            ("oldest", "oldest"),
            ("trending", "trending"),
            ("mcap-high", "highest market cap"),
            ("mcap-low", "lowest market cap"),
        ],
    ),
    (
        "timeframe",
        "Trending in",
        &[("24h", "24 hours"), ("6h", "6 hours"), ("1h", "1 hour"), ("5m", "5 minutes")],
    ),
    (
        "socials",
        "With a link",
        &[
            ("", "any or none"),
            ("messenger", "messenger"),
            ("microblog", "microblog"),
            ("website", "website"),
            ("messenger,microblog,website", "any"),
        ],
    ),
];

pub(super) async fn get(State(pages): State<Arc<Pages>>, uri: Uri) -> Result<Markup, Problem> {
    let query = read(&Query::decode(&uri)?)?;
    let now = pages.now();
    let (crowned, listed) = {
        let state = pages.api.read();
        (crowned(&state, now), rows(&state, now, &list(&state, now, &query), &query, &uri))
    };
    let frame = Frame { title: "Tokens", source: Some("/live".into()), scripts: &[], links: LINKS };
    let content = html! {
        h1 { "Tokens" }
        (crowned)
        (filters(&uri))
        (listed)
    };
    Ok(page(&frame, &pages.standing(), &content))
}

fn crowned(state: &Fold, now: u64) -> Markup {
    html! {
        div #crowned.tiles data-live {
            @for (title, token, without) in [
                ("King", king(state, now), "No token is on its curve."),
                ("Emperor of the day", emperor(state, now), "No bid won this day."),
            ] {
                section.tile aria-label=(title) {
                    h2 { (title) }
                    @match &token {
                        Some(token) => (card(state, token, now)),
                        None => p.muted { (without) },
                    }
                }
            }
        }
    }
}

/// A token in a tile: its picture, price line, market cap and progress.
pub(super) fn card(state: &Fold, token: &TokenView, now: u64) -> Markup {
    let folded = state.token_on(token.birth.chain_id, token.launch.token);
    html! {
        div.card {
            (token_link(token))
            @if let Some(folded) = folded { (history::line(folded, now)) }
            p { span.muted { "Market cap " } (Asset::native().amount(U256::from(token.market_cap.units()))) }
            p { (raised(token)) }
        }
    }
}

fn filters(uri: &Uri) -> Markup {
    let is_bounded = BOUNDS.iter().any(|(name, _)| !sent(uri, name).is_empty());
    html! {
        form.filters method="get" action="/" role="search" aria-label="Filter tokens" data-asks {
            label.search { "Search" input type="search" name="search" value=(sent(uri, "search")) placeholder="name, ticker, address"; }
            @for (name, label, values) in CHOICES {
                label { (label) (select(name, values, &sent(uri, name))) }
            }
            button.plain { "Show" }
            details open[is_bounded] {
                summary { "More filters" }
                div.filters {
                    @for (name, label) in BOUNDS {
                        label { (label) input name=(name) value=(sent(uri, name)) autocomplete="off"; }
                    }
                }
            }
        }
    }
}

pub(super) fn select(name: &str, values: &[(&str, &str)], chosen: &str) -> Markup {
    html! {
        select name=(name) {
            @for (value, text) in values { option value=(value) selected[*value == chosen] { (text) } }
        }
    }
}

fn rows(state: &Fold, now: u64, shown: &Page, query: &ListQuery, uri: &Uri) -> Markup {
    let rows = html! { @for token in &shown.tokens { (row(state, now, token)) } };
    html! {
        section #tokens data-live {
            p.muted { (grouped(&shown.total.to_string())) " tokens" }
            div.cards { (table("Tokens", &heads(query.sort, uri), &rows)) }
            nav.paging aria-label="Pages of the list" {
                @if query.page > 1 { a href=(at_page(uri, query.page - 1)) rel="prev" { "← Previous" } }
                span { "page " (query.page) " of " (shown.total_pages.max(1)) }
                @if query.page < shown.total_pages { a href=(at_page(uri, query.page + 1)) rel="next" { "Next →" } }
            }
        }
    }
}

/// The heads of the list; sortable columns have links.
fn heads(sort: Sort, uri: &Uri) -> Markup {
    let by = |text: &str, orders: &[(Sort, &str, &str)]| {
        let present = orders.iter().position(|(order, ..)| *order == sort);
        // A second click reverses the order, where possible.
        let (_, next, _) = orders[present.map_or(0, |place| (place + 1) % orders.len())];
        let direction = present.map(|place| orders[place].2);
        html! {
            th.n scope="col" aria-sort=[direction] {
                a href=(with(&without_page(uri), "sortBy", next)) { (text) }
            }
        }
    };
    html! {
        th scope="col" { "Token" }
        th scope="col" { "Since creation" }
        th.n scope="col" { "Price, ETH" }
        th.n scope="col" { "24 h" }
        (by("Market cap, ETH", &[
            (Sort::MarketCapHigh, "mcap-high", "descending"),
            (Sort::MarketCapLow, "mcap-low", "ascending"),
        ]))
        th scope="col" { "Raised" }
        th.n scope="col" { "Volume 24 h, ETH" }
        (by("Trades 24 h", &[(Sort::Trending, "trending", "descending")]))
        th.n scope="col" { "Holders" }
        (by("Created", &[(Sort::Newest, "newest", "descending"), (Sort::Oldest, "oldest", "ascending")]))
    }
}

fn row(state: &Fold, now: u64, token: &TokenView) -> Markup {
    let folded = state.token_on(token.birth.chain_id, token.launch.token);
    let ether = |units: u128| Asset::native().number(U256::from(units));
    html! {
        tr {
            th scope="row" { (token_link(token)) }
            td.sparkline { @if let Some(folded) = folded { (history::line(folded, now)) } }
            (cell("Price", "n", &ether(token.price.units())))
            (cell("24 h", "n", &change(token.day.price_change)))
            (cell("Market cap", "n", &ether(token.market_cap.units())))
            (cell("Raised", "", &raised(token)))
            (cell("Volume 24 h", "n", &ether(token.day.volume.units())))
            (cell("Trades 24 h", "n", &count(token.day.buys + token.day.sells)))
            (cell("Holders", "n", &count(token.holders)))
            (cell("Created", "n", &ago(token.birth.created_at, now)))
        }
    }
}

/// The progress of a launch, as a bar and in words.
pub(super) fn raised(token: &TokenView) -> Markup {
    let part = exact(U256::from(token.progress.units()), DECIMALS);
    html! {
        span.raised {
            progress max="1" value=(part) aria-label="Part of the target raised" {} " "
            @if token.is_graduated() { span.badge { "graduated" } } @else { span { (percent_down(token.progress)) } }
        }
    }
}

/// The same list on another page.
fn at_page(uri: &Uri, page: u64) -> String {
    with(uri, "page", &page.to_string())
}

/// The same list from its first page.
fn without_page(uri: &Uri) -> Uri {
    with(uri, "page", "").parse().unwrap_or_else(|_| uri.clone())
}
