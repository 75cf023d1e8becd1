//! `/auction`: the token of the day, the auction of the next one, and the token that leads its curve.
use std::sync::Arc;

use alloy::primitives::{Address, U256};
use axum::extract::State;
use maud::{Markup, html};

use super::amount::Asset;
use super::layout::{Frame, LINKS, address, moment, page, token_path};
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
            (day(emperor(&state, now).as_ref()))
            (auction(&state, now))
            (leader(king(&state, now).as_ref()))
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

fn day(token: Option<&TokenView>) -> Markup {
    html! {
        section #emperor data-live aria-labelledby="emperor-title" {
            h2 #emperor-title { "Emperor of the day" }
            @match token {
                Some(token) => (card(token)),
                None => { p { "No bid won this day." } },
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
                dt { "Ends" } dd { (moment((now / DAY + 1) * DAY)) }
                dt { "Next day" } dd { (named(state, next)) }
                dt { "Day before" } dd { (named(state, previous)) }
                @if let Some(win) = last {
                    dt { "Last bid" }
                    dd { (ether.amount(win.amount)) " by " (address(win.bidder)) ", " (moment(win.at)) }
                }
            }
        }
    }
}

fn leader(token: Option<&TokenView>) -> Markup {
    html! {
        section #king data-live aria-labelledby="king-title" {
            h2 #king-title { "King" }
            @match token {
                Some(token) => (card(token)),
                None => { p { "No token is on its curve." } },
            }
        }
    }
}

fn card(token: &TokenView) -> Markup {
    html! {
        p {
            a href=(token_path(token.launch.token, token.birth.chain_id)) {
                bdi { (token.launch.metadata.name) } " (" bdi { (token.launch.metadata.ticker) } ")"
            }
            " at a market cap of " (Asset::native().amount(U256::from(token.market_cap.units())))
        }
        p { (tokens::raised(token)) }
    }
}

fn named(state: &Fold, token: Option<Address>) -> Markup {
    html! {
        @match token.map(|token| (token, state.token(token))) {
            None => "nobody",
            Some((token, None)) => (address(token)),
            Some((token, Some(known))) => {
                a href=(token_path(token, known.birth.chain_id)) { bdi { (known.launch.metadata.name) } }
            }
        }
    }
}
