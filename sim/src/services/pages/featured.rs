//! `/auction`: the token of the day, the auction of the next one, and the token that leads on its curve.
use std::sync::Arc;

use alloy::primitives::Address;
use axum::extract::State;
use maud::{Markup, html};

use super::amount::Asset;
use super::layout::{Frame, LINKS, address, page, token_path};
use super::number::{ago, moment};
use super::{Pages, tokens};
use crate::api::emperor::{emperor, king};
use crate::api::tokens::view::TokenView;
use crate::state::State as Fold;
use crate::state::auction::Standing;
use crate::state::token::DAY;

pub(super) async fn get(State(pages): State<Arc<Pages>>) -> Markup {
    let now = pages.now();
    let content = {
        let state = pages.api.read();
        html! {
            h1 { "Auction and King" }
            div.tiles {
                (leader("king", "King", king(&state, now).as_ref(), "No token is on its curve.", &state, now))
                (leader("emperor", "Emperor of the day", emperor(&state, now).as_ref(), "No bid won this day.", &state, now))
            }
            (auction(&state, now))
        }
    };
    let frame = Frame {
        title: "Auction and King",
        source: Some("/live?clock=true".into()),
        scripts: &[],
        links: LINKS,
    };
    page(&frame, &pages.standing(), &content)
}

fn leader(id: &str, title: &str, token: Option<&TokenView>, without: &str, state: &Fold, now: u64) -> Markup {
    html! {
        section.tile id=(id) data-live aria-label=(title) {
            h2 { (title) }
            @match token {
                Some(token) => (tokens::card(state, token, now)),
                None => p.muted { (without) },
            }
        }
    }
}

fn auction(state: &Fold, now: u64) -> Markup {
    let Standing { current_bid, start_bid, last, next, current: _, previous, is_taken } =
        state.auction().at(now);
    let ether = Asset::native();
    html! {
        section #auction data-live aria-labelledby="auction-title" {
            h2 #auction-title { "Auction of the next day" }
            dl {
                @if is_taken { dt { "Won for" } } @else { dt { "Price now" } }
                dd #bid { (ether.amount(current_bid)) }
                dt { "Began at" } dd { (ether.amount(start_bid)) }
                dt { "Ends" } dd { (ago((now / DAY + 1) * DAY, now)) ", " (moment((now / DAY + 1) * DAY)) }
                dt { "Next day" } dd { (named(state, next)) }
                dt { "Day before" } dd { (named(state, previous)) }
                @if let Some(win) = last {
                    dt { "Last bid" }
                    dd { (ether.amount(win.amount)) " by " (address(win.bidder)) ", " (ago(win.at, now)) }
                }
            }
        }
    }
}

fn named(state: &Fold, token: Option<Address>) -> Markup {
    html! {
        @match token.map(|token| (token, state.token(token))) {
            None => "not sold",
            Some((token, None)) => (address(token)),
            Some((token, Some(known))) => {
                a href=(token_path(token, known.birth.chain_id)) { bdi { (known.launch.metadata.name) } }
            }
        }
    }
}
