//! `/auction`: the token of the day, the auction for the next one with a form that bids, past Emperors, and the leading token on its curve.
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use maud::{Markup, html};

use super::amount::Asset;
use super::bid::Bid;
use super::history::scaled;
use super::layout::{Frame, LINKS, address, cell, heads, page, table, token_path};
use super::number::{ago, day, moment};
use super::sender::SCRIPTS;
use super::{Pages, Problem, tokens};
use crate::api::emperor::{FLOOR, Standing, Win};
use crate::api::figure::saturated;
use crate::api::tokens::DAY;
use crate::api::tokens::view::TokenView;

/// Number of past Emperors shown.
const SHOWN: usize = 30;
/// Measures of the drawing of the price.
const WIDTH: u128 = 6_000;
const HEIGHT: u128 = 1_500;

pub(super) async fn get(
    State(pages): State<Arc<Pages>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Markup, Problem> {
    let now = pages.now();
    let bid = Bid::asked(&pages, &uri, &headers).await?;
    let standing = pages.api.auction_standing();
    let winner = standing.is_taken.then(|| named(&pages, standing.next));
    let content = html! {
        h1 { "Auction and King" }
        div.tiles {
            (leader("king", "King", pages.api.king().as_ref(), "No token is on its curve.", &pages))
            (leader("emperor", "Emperor of the day", pages.api.emperor().0.as_ref(), "No bid won this day.", &pages))
        }
        div.columns {
            (auction(&pages, &standing, now))
            div { (bid.section(&pages, standing.current_bid, winner.as_ref())) }
        }
        (emperors(&pages, now))
    };
    let frame =
        Frame { title: "Auction", source: Some("/live?clock=true".into()), scripts: SCRIPTS, links: LINKS };
    Ok(page(&frame, &pages.standing(), &content))
}

fn leader(id: &str, title: &str, token: Option<&TokenView>, without: &str, pages: &Pages) -> Markup {
    html! {
        section.tile id=(id) data-live aria-label=(title) {
            h2 { (title) }
            @match token {
                Some(token) => (tokens::card(pages, token)),
                None => p.muted { (without) },
            }
        }
    }
}

fn auction(pages: &Pages, standing: &Standing, now: u64) -> Markup {
    let Standing { current_bid, start_bid, last, next, current: _, previous, is_taken } = *standing;
    let ether = Asset::native();
    html! {
        section #auction data-live aria-labelledby="auction-title" {
            h2 #auction-title { "Auction of the next day" }
            (falling(start_bid, last.filter(|_| is_taken), now))
            dl {
                @if is_taken { dt { "Won for" } } @else { dt { "Price now" } }
                dd #bid { (ether.amount(current_bid)) }
                dt { "Began at" } dd { (ether.amount(start_bid)) }
                dt { "Ends" } dd { (ago((now / DAY + 1) * DAY, now)) ", " (moment((now / DAY + 1) * DAY)) }
                dt { "Next day" } dd { (named(pages, next)) }
                dt { "Day before" } dd { (named(pages, previous)) }
                @if let Some(win) = last {
                    dt { "Last bid" }
                    dd { (ether.amount(win.amount)) " by " (address(win.bidder)) ", " (ago(win.at, now)) }
                }
            }
        }
    }
}

/// The price over the day, marked at the winning bid or now.
fn falling(start_bid: U256, win: Option<Win>, now: u64) -> Markup {
    let ether = Asset::native();
    let highest = saturated(start_bid).max(1);
    let height = |price: u128| HEIGHT - scaled(price, highest, HEIGHT);
    let end = height(saturated(FLOOR));
    let passed = u128::from(win.map_or(now, |win| win.at) % DAY);
    let x = scaled(passed, u128::from(DAY), WIDTH);
    let y = scaled(passed, u128::from(DAY), end);
    html! {
        div.falling {
            svg.curve viewBox="-80 -80 6160 1660" role="img"
                aria-label={ "The price falls in a straight line over the day" @if win.is_some() { "; the mark is the winning bid" } @else { "; the mark is now" } } {
                path.area d={ "M0 0L" (WIDTH) " " (end) "V1500H0z" } {}
                path d={ "M0 0L" (WIDTH) " " (end) } {}
                circle.here cx=(x) cy=(y) r="50" {}
            }
            p.times { span { "00:00 UTC · " (ether.amount(start_bid)) } span { "24:00 UTC · " (ether.amount(FLOOR)) } }
        }
    }
}

/// The past days with their winners, latest first.
fn emperors(pages: &Pages, now: u64) -> Markup {
    let ether = Asset::native();
    let wins = pages.api.auction_wins(SHOWN);
    let rows = html! {
        @for (epoch, win) in &wins {
            tr {
                (cell("Day", "", &day((epoch + 1) * DAY)))
                (cell("Token", "", &named(pages, Some(win.token))))
                (cell("Bid", "n", &ether.amount(win.amount)))
                (cell("Began at", "n", &ether.amount(win.start_bid)))
                (cell("Bidder", "", &address(win.bidder)))
                (cell("Won", "", &ago(win.at, now)))
            }
        }
    };
    let columns = [("Day", ""), ("Token", ""), ("Bid", "n"), ("Began at", "n"), ("Bidder", ""), ("Won", "")];
    html! {
        section #emperors data-live aria-labelledby="emperors-title" {
            h2 #emperors-title { "Emperors" }
            @if wins.is_empty() { p.muted { "No bid has won a day yet." } } @else { (table("Emperors", &heads(&columns), &rows)) }
        }
    }
}

fn named(pages: &Pages, token: Option<Address>) -> Markup {
    html! {
        @match token.map(|token| (token, pages.api.market(None, token))) {
            None => "not sold",
            Some((token, None)) => (address(token)),
            Some((token, Some(known))) => {
                a href=(token_path(token, known.chain_id)) { bdi { (known.launch.metadata.name) } }
            }
        }
    }
}
