//! `/`: the tokens, with the filters and orders of the list, a search, and a small price line for each.
use std::sync::Arc;

use alloy::primitives::U256;
use axum::extract::State;
use axum::http::Uri;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::amount::{Asset, DECIMALS, exact};
use super::layout::{Frame, LINKS, cell, page, paging, table, token_link, token_link_with, with};
use super::number::{ago, change, count, grouped, percent_down};
use super::{Pages, Problem, history, sent};
use crate::api::tokens::Version;
use crate::api::tokens::list::{Column, ListQuery, Page, Sort};
use crate::api::tokens::view::TokenView;
use crate::services::input::query;
use crate::services::rest::list::ListParameters;

/// Filter fields that accept text, by their parameter names.
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
/// The list's orders by their words in the query, with their names in the form.
const ORDERS: [(&str, Sort, &str); 20] = [
    ("trending", Sort::Trending, "trending"),
    ("newest", Sort::Newest, "newest"),
    ("oldest", Sort::Oldest, "oldest"),
    ("mcap-high", Sort::MarketCapHigh, "highest market cap"),
    ("mcap-low", Sort::MarketCapLow, "lowest market cap"),
    ("gain-high", Sort::High(Column::Gain), "risen most since creation"),
    ("gain-low", Sort::Low(Column::Gain), "fallen most since creation"),
    ("change-high", Sort::High(Column::Change), "risen most in 24 h"),
    ("change-low", Sort::Low(Column::Change), "fallen most in 24 h"),
    ("volume-high", Sort::High(Column::Volume), "highest volume"),
    ("volume-low", Sort::Low(Column::Volume), "lowest volume"),
    ("raised-high", Sort::High(Column::Raised), "raised most"),
    ("raised-low", Sort::Low(Column::Raised), "raised least"),
    ("price-high", Sort::High(Column::Price), "highest price"),
    ("price-low", Sort::Low(Column::Price), "lowest price"),
    ("trades-low", Sort::Low(Column::Trades), "fewest trades"),
    ("holders-high", Sort::High(Column::Holders), "most holders"),
    ("holders-low", Sort::Low(Column::Holders), "fewest holders"),
    ("name-low", Sort::Low(Column::Name), "name, A to Z"),
    ("name-high", Sort::High(Column::Name), "name, Z to A"),
];

/// The list endpoint has the newest first by default, and cannot order by the other columns.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("enum" = ORDERS.map(|(word, ..)| word), "x-cause" = "page-sort"))]
struct PageSort(Sort);

impl TryFrom<String> for PageSort {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let order = ORDERS.iter().find(|(word, ..)| *word == text);
        order.map(|(_, sort, _)| Self(*sort)).ok_or("no order of the list")
    }
}

impl Default for PageSort {
    fn default() -> Self {
        Self(Sort::Trending)
    }
}

/// Columns of the list: name, class, and its orders; a click selects the next one.
const COLUMNS: [(&str, &str, [Sort; 2]); 10] = [
    ("Token", "", [Sort::Low(Column::Name), Sort::High(Column::Name)]),
    ("Since creation", "", [Sort::High(Column::Gain), Sort::Low(Column::Gain)]),
    ("Price, ETH", "n", [Sort::High(Column::Price), Sort::Low(Column::Price)]),
    ("24 h", "n", [Sort::High(Column::Change), Sort::Low(Column::Change)]),
    ("Market cap, ETH", "n", [Sort::MarketCapHigh, Sort::MarketCapLow]),
    ("Raised", "", [Sort::High(Column::Raised), Sort::Low(Column::Raised)]),
    ("Volume 24\u{a0}h, ETH", "n", [Sort::High(Column::Volume), Sort::Low(Column::Volume)]),
    ("Trades 24\u{a0}h", "n", [Sort::Trending, Sort::Low(Column::Trades)]),
    ("Holders", "n", [Sort::High(Column::Holders), Sort::Low(Column::Holders)]),
    ("Created", "n", [Sort::Newest, Sort::Oldest]),
];
type Choice = (&'static str, &'static str, &'static [(&'static str, &'static str)]);
const STATUS: Choice =
    ("status", "Status", &[("", "all"), ("funding", "on the curve"), ("live", "graduated")]);
/// Filter fields that accept one of several values, in the folded part.
const CHOICES: &[Choice] = &[
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
    let asked: ListParameters<PageSort> = query(&uri)?;
    let PageSort(sort) = asked.sort_by;
    let query = asked.ordered(sort)?;
    let frame = Frame { title: "Tokens", source: Some("/live".into()), scripts: &[], links: LINKS };
    let content = html! {
        h1.unseen { "Tokens" }
        (crowned(&pages))
        (filters(&uri, query.sort))
        (rows(&pages, &pages.api.list(&query), &query, &uri))
    };
    Ok(page(&frame, &pages.standing(), &content))
}

fn crowned(pages: &Pages) -> Markup {
    html! {
        div #crowned.crowned data-live {
            @for (title, token, without) in [
                ("King", pages.api.king(), "No token is on its curve."),
                ("Emperor of the day", pages.api.emperor().0, "No bid won this day."),
            ] {
                section.tile aria-label=(title) {
                    h2 { (title) }
                    @match &token {
                        Some(token) => {
                            (token_link(token))
                            span.cap { span.muted { "Cap " } (Asset::native().amount(U256::from(token.market_cap.units()))) }
                            (raised(token))
                        }
                        None => p.muted { (without) },
                    }
                }
            }
        }
    }
}

/// A token in a tile: its picture, price line, market cap and progress.
pub(super) fn card(pages: &Pages, token: &TokenView) -> Markup {
    html! {
        div.card {
            (token_link(token))
            @if let Some(line) = pages.api.price_line(token, history::COUNT) { (history::line(&line)) }
            p { span.muted { "Market cap " } (Asset::native().amount(U256::from(token.market_cap.units()))) }
            p { (raised(token)) }
        }
    }
}

/// The filter applies as soon as it changes; without scripts its button applies it.
fn filters(uri: &Uri, sort: Sort) -> Markup {
    let is_set = |name: &str| !sent(uri, name).is_empty();
    let is_open =
        CHOICES.iter().any(|(name, ..)| is_set(name)) || BOUNDS.iter().any(|(name, _)| is_set(name));
    let (status, label, states) = STATUS;
    html! {
        form.filters method="get" action="/" role="search" aria-label="Filter tokens" data-asks {
            label.search { "Search" input type="search" name="search" value=(sent(uri, "search")) placeholder="name, ticker, address"; }
            label { (label) (select(status, states, &sent(uri, status))) }
            label {
                "Order"
                select name="sortBy" {
                    @for (word, order, text) in ORDERS { option value=(word) selected[order == sort] { (text) } }
                }
            }
            noscript { button.plain { "Show" } }
            details open[is_open] {
                summary { "More filters" }
                div.filters {
                    @for (name, label, values) in CHOICES {
                        label { (label) (select(name, values, &sent(uri, name))) }
                    }
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

fn rows(pages: &Pages, shown: &Page, query: &ListQuery, uri: &Uri) -> Markup {
    let rows = html! { @for token in &shown.tokens { (row(pages, token)) } };
    let is_filtered = is_filtered(uri);
    html! {
        section #tokens data-live {
            div.count {
                p.muted { (grouped(&shown.total.to_string())) " tokens" }
                @if is_filtered && shown.total > 0 { a href="/" { "Clear the filters" } }
            }
            @if shown.tokens.is_empty() { (empty(shown, is_filtered, uri)) } @else {
                div.cards { (table("Tokens", &heads(query.sort, uri), &rows)) }
                (paging("Pages of the list", query.page, shown.total_pages, |page| at_page(uri, page)))
            }
        }
    }
}

/// Whether a filter leaves tokens out of the list.
fn is_filtered(uri: &Uri) -> bool {
    let bounds = BOUNDS.iter().map(|(name, _)| *name);
    bounds.chain(["search", "status", "socials"]).any(|name| !sent(uri, name).is_empty())
}

/// The reason why there are no rows, and the way out.
fn empty(shown: &Page, is_filtered: bool, uri: &Uri) -> Markup {
    let (what, path, way) = match (shown.total, is_filtered) {
        (0, true) => ("No token matches all of this.", "/".to_owned(), "Clear the filters"),
        (0, false) => ("No token has been launched yet.", "/create".to_owned(), "Create one"),
        _ => ("The list ends before this page.", with(uri, "page", ""), "First page"),
    };
    html! { div.empty { p { (what) } p { a.button href=(path) { (way) } } } }
}

/// The heads of the list; a click orders by the column, a second one reverses the order.
fn heads(sort: Sort, uri: &Uri) -> Markup {
    let first_page = without_page(uri);
    html! {
        @for (text, class, orders) in COLUMNS {
            @let is_present = orders.contains(&sort);
            @let next = if orders[0] == sort { orders[1] } else { orders[0] };
            @let word = ORDERS.iter().find(|(_, order, _)| *order == next).map_or("", |(word, ..)| word);
            @let direction = if sort.is_descending() { "descending" } else { "ascending" };
            th.(class) scope="col" aria-sort=[is_present.then_some(direction)] {
                a href=(with(&first_page, "sortBy", word)) { (text) }
            }
        }
    }
}

fn row(pages: &Pages, token: &TokenView) -> Markup {
    let line = pages.api.price_line(token, history::COUNT);
    let ether = |units: u128| Asset::native().number(U256::from(units));
    html! {
        tr {
            th scope="row" { (token_link_with(token, &marks(token))) }
            td.sparkline { @if let Some(line) = &line { (history::line(line)) } }
            (cell("Price", "n price", &ether(token.price.units())))
            (cell("24 h", "n change", &change(token.day.price_change)))
            (cell("Market cap", "n", &ether(token.market_cap.units())))
            (cell("Raised", "", &raised(token)))
            (cell("Volume 24 h", "n", &ether(token.day.volume.units())))
            (cell("Trades 24 h", "n", &count(token.day.buys + token.day.sells)))
            (cell("Holders", "n", &count(token.holders)))
            (cell("Created", "n", &ago(token.birth.created_at, pages.now())))
        }
    }
}

/// The badges of a token: its chain, the version of its contracts, and its quote asset.
pub(super) fn marks(token: &TokenView) -> Markup {
    let version = match token.launch.version {
        Version::V1 => "V1",
        Version::V2 => "V2",
    };
    html! {
        span.marks {
            span.unseen { "chain " } (token.birth.chain_id) " · "
            span.unseen { "contracts " } (version) " · "
            span.unseen { "for " } span.(if token.quote_asset.is_some() { "stock" } else { "coin" }) { bdi { (Asset::quote(token).symbol) } }
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

/// The address of another page of this list.
fn at_page(uri: &Uri, page: u64) -> String {
    with(uri, "page", &page.to_string())
}

/// The address of this list's first page.
fn without_page(uri: &Uri) -> Uri {
    with(uri, "page", "").parse().unwrap_or_else(|_| uri.clone())
}
