//! `/`: the tokens, with the filters and orders of the list, a search, and a small line of each price.
use std::sync::Arc;

use alloy::primitives::U256;
use axum::extract::State;
use axum::http::Uri;
use maud::{Markup, html};

use super::amount::{Asset, DECIMALS, exact};
use super::layout::{Frame, LINKS, moment, page, percent_down, table, token_path};
use super::{Pages, Problem, history, sent};
use crate::api::tokens::list::{ListQuery, Page, list};
use crate::api::tokens::view::TokenView;
use crate::services::input::Query;
use crate::services::rest::list::read;
use crate::state::State as Fold;

const HEADS: &[&str] = &[
    "Token",
    "Price line",
    "Price",
    "Market cap",
    "Raised",
    "Volume 24 h",
    "Change 24 h",
    "Holders",
    "Created",
];

/// Fields of the filter that take text, with their names on the wire.
const BOUNDS: &[(&str, &str)] = &[
    ("fundingMin", "Least part raised (0 to 1)"),
    ("fundingMax", "Most part raised (0 to 1)"),
    ("marketCapMin", "Least market cap"),
    ("marketCapMax", "Most market cap"),
    ("txCountMin", "Least trades"),
    ("txCountMax", "Most trades"),
    ("createdFrom", "Created from"),
    ("createdTo", "Created to"),
];
type Choice = (&'static str, &'static str, &'static [(&'static str, &'static str)]);
/// Fields of the filter that take one of several values.
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
    let listed = {
        let state = pages.api.read();
        rows(&state, now, &list(&state, now, &query), &query, &uri)
    };
    let frame = Frame { title: "Tokens", source: Some("/live".into()), scripts: &[], links: LINKS };
    let content = html! {
        h1 { "Tokens" }
        (filters(&uri))
        (listed)
    };
    Ok(page(&frame, &pages.standing(), &content))
}

fn filters(uri: &Uri) -> Markup {
    html! {
        form.filters method="get" action="/" role="search" aria-label="Filter tokens" data-asks {
            label { "Search" input type="search" name="search" value=(sent(uri, "search")); }
            @for (name, label, values) in CHOICES {
                label { (label) (select(name, values, &sent(uri, name))) }
            }
            details {
                summary { "Bounds" }
                div.filters {
                    @for (name, label) in BOUNDS {
                        label { (label) input name=(name) value=(sent(uri, name)); }
                    }
                }
            }
            button { "Show" }
        }
    }
}

/// A choice between values.
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
            p { (shown.total) " tokens" }
            (table("Tokens", HEADS, &rows))
            nav.paging aria-label="Pages of the list" {
                @if query.page > 1 { a href=(at_page(uri, query.page - 1)) rel="prev" { "Previous" } }
                " page " (query.page) " of " (shown.total_pages.max(1)) " "
                @if query.page < shown.total_pages { a href=(at_page(uri, query.page + 1)) rel="next" { "Next" } }
            }
        }
    }
}

fn row(state: &Fold, now: u64, token: &TokenView) -> Markup {
    let ether = Asset::native();
    let folded = state.token_on(token.birth.chain_id, token.launch.token);
    html! {
        tr {
            th scope="row" {
                a href=(token_path(token.launch.token, token.birth.chain_id)) {
                    bdi { (token.launch.metadata.name) } " (" bdi { (token.launch.metadata.ticker) } ")"
                }
                @if token.is_graduated() { " " span.badge { "graduated" } }
            }
            td { @if let Some(folded) = folded { (history::line(folded, now)) } }
            td { (ether.amount(U256::from(token.price.units()))) }
            td { (ether.amount(U256::from(token.market_cap.units()))) }
            td { (raised(token)) }
            td { (ether.amount(U256::from(token.day.volume.units()))) }
            td { (change(token)) }
            td { (token.holders) }
            td { (moment(token.birth.created_at)) }
        }
    }
}

/// How far a launch has come, as a bar and in words.
pub(super) fn raised(token: &TokenView) -> Markup {
    let part = exact(U256::from(token.progress.units()), DECIMALS);
    html! { progress max="1" value=(part) aria-label="Part of the target raised" {} " " (percent_down(token.progress)) }
}

fn change(token: &TokenView) -> Markup {
    let text = serde_json::to_string(&token.day.price_change).unwrap_or_default();
    html! { span.fell[text.starts_with('-')] { (text) " %" } }
}

/// The same list at another page.
fn at_page(uri: &Uri, page: u64) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        if name != "page" {
            query.append_pair(&name, &value);
        }
    }
    query.append_pair("page", &page.to_string());
    format!("/?{}", query.finish())
}
