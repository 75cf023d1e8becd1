//! `/trade/<token>`: the curve with the point where the launch stands, or its pool; price and volume over time, trades,
//! holders, chat, and the form that trades.
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use maud::{Markup, html};

use super::amount::{Asset, DECIMALS, exact};
use super::history::{samples, scaled};
use super::layout::{Frame, LINKS, address, moment, page, percent_down, table, transaction};
use super::{CHAIN, Pages, Problem, order, tokens, trades};
use crate::api::address as addresses;
use crate::api::chat::DEFAULT_LIMIT;
use crate::api::refusal::Refusal;
use crate::api::tokens::view::TokenView;
use crate::math::exponential;
use crate::services::http::PathParameter;
use crate::services::input::Query;
use crate::state::State as Fold;
use crate::state::figure::{Figure, saturated};
use crate::state::token::{Pool, Token, Version};
use crate::store::Message;

/// Holders that are shown.
const HOLDERS: usize = 20;
/// Samples of the plot.
const SAMPLES: u64 = 120;

/// Everything of one token that the fold knows, read at one moment.
struct View {
    token: TokenView,
    price: u128,
    market_cap: u128,
    contributions: u128,
    holders: Vec<(Address, u128)>,
    picture: Markup,
    samples: String,
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
    let chain_id = Query::decode(&uri)?.read(&CHAIN)?;
    let now = pages.now();
    let view = {
        let state = pages.api.read();
        let found = match chain_id {
            Some(chain_id) => state.token_on(chain_id, token),
            None => state.token(token),
        };
        View::at(&state, found.ok_or_else(unknown)?, now)
    };
    let token = &view.token;
    let birth = token.birth;
    let keep = |event: &_| trades::is_of(token, event);
    let events = pages.engine.latest_events(birth.chain_id, birth.block, trades::SHOWN, keep);
    let messages =
        pages.api.store.messages(token.launch.token, 0, DEFAULT_LIMIT).await.map_err(Refusal::from)?;
    let form = order::section(&pages, token, &uri, &headers).await?;
    let content = html! {
        (head(token))
        (figures(&view, now))
        div.columns {
            div {
                (curve(&view))
                section aria-labelledby="plot-title" {
                    h2 #plot-title { "Price and volume" }
                    div #plot role="img" aria-label="Price and volume over time; the figures are in the table of trades" {}
                    div #samples hidden data-live data-samples=(view.samples) {}
                }
            }
            (form)
        }
        (trades::section(token, &events, view.token_is_first))
        (holders(&view))
        (chat(&messages))
        (facts(token))
    };
    let title = format!("{} ({})", token.launch.metadata.name, token.launch.metadata.ticker);
    let frame = Frame {
        title: &title,
        source: Some(format!("/live?token={}", token.launch.token)),
        scripts: &["plot.js", "trade.js"],
        links: LINKS,
    };
    Ok(page(&frame, &pages.standing(), &content))
}

impl View {
    fn at(state: &Fold, token: &Token, now: u64) -> Self {
        Self {
            token: TokenView::at(state, token, now),
            price: token.price,
            market_cap: token.market_cap,
            contributions: token.contributions(),
            holders: state.largest_holders(token).take(HOLDERS).collect(),
            picture: picture(token),
            samples: plotted(token, now),
            token_is_first: token.launch.token < state.quote_token(token),
        }
    }
}

/// Times, prices and volumes as three lists of numbers.
fn plotted(token: &Token, now: u64) -> String {
    let samples = samples(token, now, SAMPLES);
    let list = |text: &dyn Fn(&super::history::Sample) -> String| {
        samples.iter().map(text).collect::<Vec<_>>().join(",")
    };
    let amount = |units: u128| exact(U256::from(units), DECIMALS);
    format!(
        "[[{}],[{}],[{}]]",
        list(&|sample| sample.at.to_string()),
        list(&|sample| amount(sample.price)),
        list(&|sample| amount(sample.volume)),
    )
}

fn head(token: &TokenView) -> Markup {
    let texts = &token.launch.metadata;
    html! {
        h1 { bdi { (texts.name) } " (" bdi { (texts.ticker) } ")" }
        div.about {
            @if let Some(image) = own_image(&texts.image_url) { img src=(image) alt="Logo" width="64" height="64"; }
            p { bdi { (texts.description) } }
        }
        ul.links {
            @for (kind, text) in
                [("Website", &texts.website), ("Microblog", &texts.microblog), ("Messenger", &texts.messenger)]
            {
                @if !text.is_empty() { li { (kind) ": " (link(text)) } }
            }
        }
    }
}

/// A link that somebody else wrote: it leads somewhere only when it is of the web.
fn link(text: &str) -> Markup {
    let is_web = url::Url::parse(text).is_ok_and(|url| ["http", "https"].contains(&url.scheme()));
    html! {
        @if is_web { a href=(text) rel="noopener noreferrer nofollow ugc" { bdi { (text) } } } @else { bdi { (text) } }
    }
}

/// The path of an image that was uploaded here; others would make the browser ask somebody else.
fn own_image(url: &str) -> Option<&str> {
    let path = &url[url.find("/cdn/")?..];
    path["/cdn/".len()..]
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte))
        .then_some(path)
}

fn figures(view: &View, now: u64) -> Markup {
    let token = &view.token;
    let quote = Asset::quote(token);
    html! {
        section #figures data-live aria-label="Figures" {
            dl.figures {
                dt { "Price" } dd #price { (quote.amount(U256::from(view.price))) }
                dt { "Market cap" } dd #market-cap { (quote.amount(U256::from(view.market_cap))) }
                dt { "Raised" } dd #raised {
                    (quote.amount(U256::from(view.contributions))) " of "
                    (quote.amount(U256::from(token.launch.target_raise))) " "
                    (tokens::raised(token))
                }
                dt { "Volume 24 h" } dd { (quote.amount(U256::from(token.day.volume_in_asset.units()))) }
                dt { "Trades" } dd #trade-count { (token.trade_count) }
                dt { "Holders" } dd { (token.holders) }
            }
            @if token.is_graduated() { p #graduated { span.badge { "graduated" } " It trades in its pool now." } }
            @if let Some(warning) = order::protection(token, now) { (warning) }
        }
    }
}

/// The curve, or after graduation the pool that took its place.
fn curve(view: &View) -> Markup {
    html! {
        section #curve data-live aria-labelledby="curve-title" {
            @match view.token.pool {
                None => {
                    h2 #curve-title { "Curve" }
                    (view.picture)
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

/// Price along the curve with the point where the launch stands.
fn picture(token: &Token) -> Markup {
    const STEPS: u128 = 60;
    const WIDTH: u128 = 6_000;
    const HEIGHT: u128 = 2_000;
    let (supply, price): (u128, Box<dyn Fn(u128) -> u128>) = match (token.curve(), token.launch.version) {
        (Some(curve), _) => (curve.sale_supply(), Box::new(|sold| saturated(curve.price_down(sold)))),
        (None, Version::First) => {
            (exponential::SALE_SUPPLY, Box::new(|sold| saturated(exponential::price_down(sold))))
        }
        (None, Version::Second) => return html! { p { "The curve is not known yet." } },
    };
    let most = price(supply).max(1);
    let place = |sold: u128| (scaled(sold, supply, WIDTH), HEIGHT - scaled(price(sold), most, HEIGHT));
    let points: Vec<String> =
        (0..=STEPS).map(|step| place(supply / STEPS * step)).map(|(x, y)| format!("{x},{y}")).collect();
    let sold = token.sold().min(supply);
    let (x, y) = place(sold);
    html! {
        svg.curve viewBox="-80 -80 6160 2160" role="img" aria-label="Price along the curve, with the point where the launch stands" {
            polyline points=(points.join(" ")) fill="none" stroke="currentColor" stroke-width="20" {}
            circle cx=(x) cy=(y) r="60" {}
        }
        p {
            "Sold " data #sold value=(sold) { (exact(U256::from(sold), DECIMALS)) } " of "
            data value=(supply) { (exact(U256::from(supply), DECIMALS)) } " tokens; "
            (percent_down(token.progress())) " of the way."
        }
    }
}

fn holders(view: &View) -> Markup {
    let launched = Asset::launched(&view.token);
    let rows = html! {
        @for (account, units) in &view.holders {
            tr {
                td { (address(*account)) }
                td { (launched.amount(U256::from(*units))) }
                td { (percent_down(Figure::of_ratio(*units, crate::state::token::SUPPLY))) }
            }
        }
    };
    html! {
        section #holders data-live aria-labelledby="holders-title" {
            h2 #holders-title { "Holders" }
            p { (view.token.holders) " accounts; the largest " (HOLDERS) " at most." }
            (table("Holders", &["Account", "Units", "Of the supply"], &rows))
        }
    }
}

fn chat(messages: &[Message]) -> Markup {
    html! {
        section #chat data-live aria-labelledby="chat-title" {
            h2 #chat-title { "Chat" }
            @if messages.is_empty() { p { "Nobody has said anything yet." } }
            ol {
                @for message in messages {
                    li { (moment(message.at)) " " (address(message.sender)) ": " bdi { (message.text) } }
                }
            }
        }
    }
}

fn facts(token: &TokenView) -> Markup {
    let launch = &token.launch;
    html! {
        section aria-labelledby="facts-title" {
            h2 #facts-title { "Launch" }
            dl {
                dt { "Token" } dd { code { (launch.token.to_checksum(None)) } }
                dt { "Chain" } dd { (token.birth.chain_id) ", block " (token.birth.block) }
                dt { "Creator" } dd { code { (launch.creator.to_checksum(None)) } }
                dt { "Created" } dd { (moment(token.birth.created_at)) " in " (transaction(launch.transaction)) }
                dt { "Hook" } dd { code { (launch.hook.to_checksum(None)) } ", launch " (launch.launch_id) }
                dt { "Price rises by" } dd { (launch.gain_bps) " basis points over the curve" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{link, own_image};

    #[test]
    fn links_of_other_schemes_lead_nowhere() {
        for text in ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "//host/x", "a b", ""]
        {
            assert!(!link(text).into_string().contains("href"), "{text}");
        }
        let web = link("https://host/?a=1&b=\"x\"").into_string();
        assert!(web.contains("href=\"https://host/?a=1&amp;b=&quot;x&quot;\""), "{web}");
    }

    #[test]
    fn only_images_uploaded_here_are_shown() {
        assert_eq!(own_image("http://127.0.0.1:4700/cdn/ab12.png"), Some("/cdn/ab12.png"));
        for url in ["https://host/logo.png", "http://host/cdn/../x", "http://host/cdn/a?b", "", "/cdn/é"] {
            assert_eq!(own_image(url), None, "{url}");
        }
    }
}
