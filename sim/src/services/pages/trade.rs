//! `/trade/<token>`: the curve with the launch's current point, or its pool; price and volume over time, trades,
//! holders, chat, and the form that trades.
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use maud::{Markup, html};

use super::amount::{Asset, exact};
use super::curve::Curve;
use super::history::{Sample, chart, samples};
use super::layout::{Frame, LINKS, address, cell, heads, page, table, tabs, transaction, with};
use super::number::{ago, change, count, moment, percent_down, short};
use super::order::{self, Order};
use super::{CHAIN, Pages, Problem, icon, tokens, trades};
use crate::address as addresses;
use crate::api::Message;
use crate::api::chat::DEFAULT_LIMIT;
use crate::api::refusal::Refusal;
use crate::api::schema::instant;
use crate::api::tokens::view::TokenView;
use crate::services::http::PathParameter;
use crate::services::input::{DefaultTo, Input, OneOf, Query};
use crate::state::State as Fold;
use crate::state::figure::Figure;
use crate::state::token::{Pool, Token};

const HOLDERS: usize = 20;
const SAMPLES: u64 = 120;
/// Time spans of the chart, with their names; the first is everything since the creation.
const SPANS: [(&str, &str, Option<u64>); 5] = [
    ("all", "All", None),
    ("7d", "7 d", Some(604_800)),
    ("24h", "24 h", Some(86_400)),
    ("1h", "1 h", Some(3_600)),
    ("5m", "5 min", Some(300)),
];
const SPAN: Input<OneOf<usize>, DefaultTo<usize>> = Input {
    name: "range",
    cause: "page-range",
    meaning: "stretch of time that the chart shows",
    kind: OneOf(&[("all", 0), ("7d", 1), ("24h", 2), ("1h", 3), ("5m", 4)]),
    presence: DefaultTo(0),
};

/// Everything about one token in the fold, read at one moment.
struct View {
    token: TokenView,
    price: u128,
    market_cap: u128,
    contributions: u128,
    holders: Vec<(Address, u128)>,
    curve: Curve,
    samples: Vec<Sample>,
    token_is_first: bool,
}

pub(super) async fn get(
    State(pages): State<Arc<Pages>>,
    PathParameter(text): PathParameter,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Markup, Problem> {
    let unknown = || Refusal::not_found("page-token", "no token has this address");
    let token = addresses::parse(&text).ok_or_else(unknown)?;
    let query = Query::decode(&uri)?;
    let (chain_id, span) = (query.read(&CHAIN)?, query.read(&SPAN)?);
    let now = pages.now();
    let view = {
        let state = pages.api.read();
        let token = state.token_on(chain_id, token).ok_or_else(unknown)?;
        View::at(&state, token, now, SPANS[span].2)
    };
    let token = &view.token;
    let birth = token.birth;
    let keep = |event: &_| trades::is_of(token, event);
    let events = pages.api.engine.latest_events(birth.chain_id, birth.block, trades::SHOWN, keep);
    let messages =
        pages.api.store.messages(token.launch.token, 0, DEFAULT_LIMIT).await.map_err(Refusal::from)?;
    let order = Order::asked(&pages, token, &uri, &headers).await?;
    let content = html! {
        (head(token))
        (figures(&view, now))
        div.columns {
            div {
                (plot(&view, span, &uri))
                (curve(&view, &order))
            }
            div {
                (order.section(&pages, token, view.price, &uri))
                (chat(&messages, now))
            }
        }
        (trades::section(token, &events, view.token_is_first, now))
        (holders(&view))
        (facts(token, now))
    };
    let title = format!("{} ({})", token.launch.metadata.name, token.launch.metadata.ticker);
    let frame = Frame {
        title: &title,
        source: Some(format!("/live?token={}", token.launch.token)),
        scripts: &["number.js", "chart.js", "node.js", "trade.js", "wallet.js"],
        links: LINKS,
    };
    Ok(page(&frame, &pages.standing(), &content))
}

impl View {
    fn at(state: &Fold, token: &Token, now: u64, span: Option<u64>) -> Self {
        Self {
            token: TokenView::at(state, token, now),
            price: token.price,
            market_cap: token.market_cap,
            contributions: token.contributions(),
            holders: state.largest_holders(token).take(HOLDERS).collect(),
            curve: Curve::of(token),
            samples: samples(token, now, span, SAMPLES),
            token_is_first: token.launch.token < state.quote_token(token),
        }
    }
}

/// Price and volume over time: the chart with its scales, the choice of its span, and the samples for the pointer.
fn plot(view: &View, span: usize, uri: &Uri) -> Markup {
    let samples = &view.samples;
    let links: Vec<_> = (0..)
        .zip(SPANS)
        .map(|(place, (value, text, _))| (with(uri, "range", value), text, place == span))
        .collect();
    let quote = Asset::quote(&view.token);
    let prices = || samples.iter().map(|sample| sample.price);
    let (least, most) = (prices().min().unwrap_or(0), prices().max().unwrap_or(0));
    let scale =
        [most, least + (most - least) / 2, least].map(|price| short(U256::from(price), quote.decimals));
    let ends = [samples.first(), samples.get(samples.len() / 2), samples.last()]
        .map(|sample| sample.map(|one| one.at));
    let is_long = ends[2].unwrap_or(0).saturating_sub(ends[0].unwrap_or(0)) > 86_400;
    html! {
        section aria-labelledby="plot-title" {
            h2 #plot-title { "Price and volume" span.muted { " in " bdi { (quote.symbol) } } }
            div #ranges data-live { (tabs("Range of the chart", &links)) }
            div #plot {
                div #drawing data-live { (chart(samples)) }
                div #scale.scale data-live aria-hidden="true" {
                    @for price in &scale[..if least == most { 1 } else { 3 }] { span { (price) } }
                }
                div #times.times data-live aria-hidden="true" {
                    @for at in ends.into_iter().flatten() { span { (clock(at, is_long)) } }
                }
                output #hover hidden {}
            }
            div #samples hidden data-live data-samples=(plotted(samples)) data-decimals=(quote.decimals) data-symbol=(quote.symbol) {}
        }
    }
}

/// A time of day, or the date on a chart of several days.
fn clock(at: u64, is_long: bool) -> String {
    let text = instant(at).0.to_string();
    text.get(if is_long { 5..10 } else { 11..16 }).unwrap_or(&text).to_owned()
}

/// Three lists: times, and prices and volumes in units as text.
fn plotted(samples: &[Sample]) -> String {
    let times: Vec<u64> = samples.iter().map(|sample| sample.at).collect();
    let [prices, volumes] = [|sample: &Sample| sample.price, |sample: &Sample| sample.volume]
        .map(|of| samples.iter().map(|sample| of(sample).to_string()).collect::<Vec<_>>());
    serde_json::json!([times, prices, volumes]).to_string()
}

fn head(token: &TokenView) -> Markup {
    let texts = &token.launch.metadata;
    html! {
        div.title {
            (icon::token(token))
            div {
                h1 { bdi { (texts.name) } " (" bdi { (texts.ticker) } ")" }
                p.muted { "Chain " (token.birth.chain_id) " · " (address(token.launch.token)) }
            }
        }
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

/// A link of an untrusted author: it is only active with a web scheme.
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
                div { dt { "Price" } dd #price { (amount(view.price)) } dd.more { (change(token.day.price_change)) " in 24 h" } }
                div { dt { "Market cap" } dd #market-cap { (amount(view.market_cap)) } }
                div {
                    dt { "Raised" }
                    dd #raised { (amount(view.contributions)) }
                    dd.more { "of " (amount(token.launch.target_raise)) " " (tokens::raised(token)) }
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
fn curve(view: &View, order: &Order) -> Markup {
    html! {
        section #curve data-live aria-labelledby="curve-title" {
            @match view.token.pool {
                None => {
                    h2 #curve-title { "Curve" }
                    (view.curve.picture(&Asset::quote(&view.token), order.terms()))
                }
                Some(pool) => {
                    h2 #curve-title { "Pool" }
                    p { "The curve is full: the token trades in " (pool_name(pool)) "." }
                }
            }
        }
    }
}

fn pool_name(pool: Pool) -> Markup {
    html! {
        @match pool {
            Pool::Managed(id) => { "the pool " code { (id) } },
            Pool::Pair(pair) => { "the pair " code { (pair.to_checksum(None)) } " of the " a href="/exchange" { "exchange" } },
        }
    }
}

fn holders(view: &View) -> Markup {
    let launched = Asset::launched(&view.token);
    let most = view.holders.iter().map(|(_, units)| *units).max().unwrap_or(1).max(1);
    let rows = html! {
        @for (account, units) in &view.holders {
            @let part = Figure::of_ratio(*units, crate::state::token::SUPPLY);
            tr {
                (cell("Account", "", &address(*account)))
                (cell("Units", "n", &launched.number(U256::from(*units))))
                (cell("Of the supply", "n", &html! { (percent_down(part)) }))
                td.bar { progress max="1000" value=(*units / (most / 1000).max(1)) aria-hidden="true" {} }
            }
        }
    };
    let columns = [("Account", ""), ("Units", "n"), ("Of the supply", "n"), ("Share", "bar")];
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

fn chat(messages: &[Message], now: u64) -> Markup {
    html! {
        section #chat data-live aria-labelledby="chat-title" {
            h2 #chat-title { "Chat" }
            @if messages.is_empty() { p.muted { "No messages yet." } }
            ol {
                @for message in messages {
                    li { (address(message.sender)) " " span.muted { (ago(message.at, now)) } p { bdi { (message.text) } } }
                }
            }
        }
    }
}

fn facts(token: &TokenView, now: u64) -> Markup {
    let launch = &token.launch;
    html! {
        section #facts data-live aria-labelledby="facts-title" {
            h2 #facts-title { "Launch" }
            dl {
                dt { "Creator" } dd { (address(launch.creator)) }
                dt { "Created" }
                dd {
                    (ago(token.birth.created_at, now)) ", " (moment(token.birth.created_at)) ", in "
                    (transaction(launch.transaction)) ", block " (count(token.birth.block))
                }
                dt { "Hook" } dd { (address(launch.hook)) " launch " (launch.launch_id) }
                dt { "Price grows" }
                dd { (exact(U256::from(10_000 + u64::from(launch.gain_bps)), 4)) "× over the curve" }
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
