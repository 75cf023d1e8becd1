//! `/trade/<token>`: the curve with the launch's current point, or its pool; price and volume over time, trades,
//! holders, chat, and the form that trades.
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use maud::{Markup, html};

use super::amount::{Asset, DECIMALS, exact};
use super::candles::Chart;
use super::curve::Curve;
use super::layout::{Frame, LINKS, address, block_link, cell, heads, page, table, transaction};
use super::number::{ago, balance, change, count, moment, percent_down, short};
use super::order::{self, Order};
use super::pool::Reserves;
use super::{Pages, Problem, candles, chosen_chain, icon, pool, tokens, trades};
use crate::address as addresses;
use crate::api::chat::DEFAULT_LIMIT;
use crate::api::figure::Figure;
use crate::api::refusal::Refusal;
use crate::api::tokens::SUPPLY;
use crate::api::tokens::view::{TokenDetail, TokenView};
use crate::services::http::PathParameter;
use crate::services::input::query;

const HOLDERS: usize = 20;

/// Everything that the fold knows about one token, read at one moment.
struct View {
    token: TokenView,
    price: u128,
    market_cap: u128,
    contributions: u128,
    holders: Vec<(Address, u128)>,
    curve: Curve,
    chart: Chart,
    token_is_first: bool,
    in_pair: (u128, u128),
}

pub(super) async fn get(
    State(pages): State<Arc<Pages>>,
    PathParameter(text): PathParameter,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Markup, Problem> {
    let unknown = || Refusal::not_found("page-token", "no token has this address");
    let token = addresses::parse(&text).ok_or_else(unknown)?;
    let (chain_id, charted): (_, candles::Asked) = (chosen_chain(&uri)?, query(&uri)?);
    let now = pages.now();
    let view = View::of(pages.api.token_detail(chain_id, token, HOLDERS).ok_or_else(unknown)?, now, charted);
    let token = &view.token;
    let events = pages.api.trades_of(token, trades::SHOWN);
    let messages = pages.api.messages(token.launch.token, 0, DEFAULT_LIMIT).await?;
    let order = Order::asked(&pages, token, &uri, &headers).await?;
    let reserves = pages.reserves(token, view.in_pair, view.token_is_first).await;
    let content = html! {
        (head(token))
        (figures(&view, now))
        div.market {
            (order.section(&pages, token, view.price, &uri))
            (view.chart.section(&Asset::quote(token), &uri))
            (curve(&view, &order, reserves))
            (pages.chat(token.launch.token, &messages, &headers))
        }
        (trades::section(token, &events, view.token_is_first, now))
        (holders(&view))
        (facts(token, now))
        (bar(token))
    };
    let title = format!("{} ({})", token.launch.metadata.name, token.launch.metadata.ticker);
    let frame = Frame {
        title: &title,
        source: Some(format!("/live?token={}", token.launch.token)),
        scripts: &["number.js", "chart.js", "node.js", "trade.js", "wallet.js", "chat.js"],
        links: LINKS,
    };
    Ok(page(&frame, &pages.standing(), &content))
}

impl View {
    fn of(detail: TokenDetail, now: u64, charted: candles::Asked) -> Self {
        let TokenDetail { view, folded, holders, quote_token } = detail;
        Self {
            token: view,
            price: folded.price,
            market_cap: folded.market_cap,
            contributions: folded.contributions(),
            holders,
            curve: Curve::of(&folded),
            chart: Chart::of(&folded, now, charted),
            token_is_first: folded.launch.token < quote_token,
            in_pair: folded.in_pair(),
        }
    }
}

fn head(token: &TokenView) -> Markup {
    let texts = &token.launch.metadata;
    html! {
        div.title {
            (icon::token(token))
            div {
                h1 { bdi { (texts.name) } " (" bdi { (texts.ticker) } ")" }
                p.muted { (tokens::marks(token)) " · " (address(token.launch.token)) }
            }
        }
    }
}

fn links(token: &TokenView) -> Markup {
    let texts = &token.launch.metadata;
    html! {
        @if !texts.description.is_empty() { p.about { bdi { (texts.description) } } }
        ul.links {
            @for (kind, text) in
                [("Website", &texts.website), ("Microblog", &texts.microblog), ("Messenger", &texts.messenger)]
            {
                @if !text.is_empty() { li { span.muted { (kind) } " " (link(text)) } }
            }
        }
    }
}

/// On a phone, leads back to the form from anywhere on the page.
fn bar(token: &TokenView) -> Markup {
    html! {
        nav.deal aria-label="Trade" {
            a.buy href="#order" data-side="buy" { "Buy" }
            a.sell href="#order" data-side="sell" { "Sell" }
            span.unseen { bdi { (token.launch.metadata.ticker) } }
        }
    }
}

/// A link by an untrusted author: it is active only with a web scheme.
fn link(text: &str) -> Markup {
    let is_web = url::Url::parse(text).is_ok_and(|url| ["http", "https"].contains(&url.scheme()));
    html! {
        @if is_web { a href=(text) rel="noopener noreferrer nofollow ugc" { bdi { (text) } } } @else { bdi { (text) } }
    }
}

fn figures(view: &View, now: u64) -> Markup {
    let token = &view.token;
    let quote = Asset::quote(token);
    let amount = |units: u128| quote.amount(U256::from(units));
    html! {
        section #figures data-live aria-label="Figures" {
            dl.figures {
                div.first { dt { "Price" } dd #price { (amount(view.price)) } dd.more { (change(token.day.price_change)) " in 24 h" } }
                div { dt { "Market cap" } dd #market-cap { (amount(view.market_cap)) } }
                div {
                    dt { "Raised of " (short(U256::from(token.launch.target_raise), quote.decimals)) }
                    dd #raised { (amount(view.contributions)) } dd.more { (tokens::raised(token)) }
                }
                div { dt { "Volume 24 h" } dd #volume { (amount(token.day.volume_in_asset.units())) } }
                div { dt { "Trades" } dd #trade-count { (count(token.trade_count)) } }
                div { dt { "Holders" } dd #holder-count { (count(token.holders)) } }
            }
            @if token.is_graduated() { p #graduated { "It graduated: it trades in its pool now." } }
            @if let Some(warning) = order::protection(token, now) { (warning) }
        }
    }
}

/// The curve, or after graduation the pool that replaced it.
fn curve(view: &View, order: &Order, reserves: Option<Reserves>) -> Markup {
    html! {
        section #curve data-live aria-labelledby="curve-title" {
            @match view.token.pool {
                None => {
                    h2 #curve-title { "Curve" }
                    (view.curve.picture(&Asset::quote(&view.token), view.contributions, order.terms()))
                }
                Some(pool) => (pool::section(&view.token, pool, reserves, view.price)),
            }
        }
    }
}

fn holders(view: &View) -> Markup {
    let launched = Asset::launched(&view.token);
    let rows = html! {
        @for (account, units) in &view.holders {
            @let part = Figure::of_ratio(*units, SUPPLY);
            tr {
                (cell("Account", "", &address(*account)))
                (cell("Tokens", "n", &balance(U256::from(*units), launched.decimals)))
                (cell("Of the supply", "n", &html! { (percent_down(part)) }))
                td.bar { progress max="1" value=(exact(U256::from(part.units()), DECIMALS)) aria-hidden="true" {} }
            }
        }
    };
    let columns = [("Account", ""), ("Tokens", "n"), ("Of the supply", "n"), ("Share", "bar")];
    html! {
        section #holders data-live aria-labelledby="holders-title" {
            h2 #holders-title { "Holders" }
            p.muted {
                (count(view.token.holders)) " accounts"
                @if view.token.holders > HOLDERS as u64 { "; the largest " (HOLDERS) }
            }
            (table("Holders", &heads(&columns), &rows))
        }
    }
}

fn facts(token: &TokenView, now: u64) -> Markup {
    let launch = &token.launch;
    html! {
        section #facts data-live aria-labelledby="facts-title" {
            h2 #facts-title { "Launch" }
            (links(token))
            dl {
                dt { "Creator" } dd { (address(launch.creator)) }
                dt { "Created" }
                dd {
                    (ago(token.birth.created_at, now)) ", " (moment(token.birth.created_at)) ", in "
                    (transaction(launch.transaction)) ", block " (block_link(token.birth.chain_id, token.birth.block))
                }
                dt { "Hook" } dd { (address(launch.hook)) " · launch " (launch.launch_id) }
                dt { "Gain" }
                dd {
                    @if launch.gain_bps == 0 { "none: the curve is flat" } @else {
                        "the last price is " (exact(U256::from(10_000 + u64::from(launch.gain_bps)), 4)) "× the first"
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::link;

    #[test]
    fn links_of_other_schemes_lead_nowhere() {
        for text in ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "//host/x", "a b", ""]
        {
            assert!(!link(text).into_string().contains("href"), "{text}");
        }
        let web = link("https://host/?a=1&b=\"x\"").into_string();
        assert!(web.contains("href=\"https://host/?a=1&amp;b=&quot;x&quot;\""), "{web}");
    }
}
