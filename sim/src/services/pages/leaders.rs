//! `/leaderboard`: the wallets with the most points.
use std::sync::Arc;

use alloy::primitives::U256;
use axum::extract::State;
use maud::{Markup, html};

use super::Pages;
use super::amount::DECIMALS;
use super::layout::{Frame, LINKS, address, cell, heads, page, table};
use super::number::{count, number};
use crate::api::figure::Figure;
use crate::api::leaderboard::MAXIMUM_LIMIT;

pub(super) async fn get(State(pages): State<Arc<Pages>>) -> Markup {
    let rows = pages.api.leaderboard(MAXIMUM_LIMIT);
    let body = html! {
        @for row in &rows {
            tr {
                (cell("Rank", "n", &count(row.rank)))
                (cell("Account", "", &address(row.address.0)))
                (cell("Points", "n", &figure(row.points)))
                (cell("Trading", "n", &figure(row.trading_points)))
                (cell("Creation", "n", &figure(row.creation_points)))
                (cell("Referral", "n", &figure(row.referral_points)))
                (cell("Volume, ETH", "n", &figure(row.volume_eth)))
            }
        }
    };
    let columns = [
        ("Rank", "n"),
        ("Account", ""),
        ("Points", "n"),
        ("Trading", "n"),
        ("Creation", "n"),
        ("Referral", "n"),
        ("Volume, ETH", "n"),
    ];
    let content = html! {
        h1 { "Leaderboard" }
        p { "The accounts with the most points, at most " (MAXIMUM_LIMIT) ". " a href="/referral" { "Referrers" } " have a list for themselves." }
        section #leaders data-live aria-label="Leaderboard" {
            @if rows.is_empty() { div.empty { p { "No account has points yet: launches and trades earn them." } a.button href="/create" { "Create a token" } } } @else { (table("Leaderboard", &heads(&columns), &body)) }
        }
    };
    let frame = Frame { title: "Leaderboard", source: Some("/live".into()), scripts: &[], links: LINKS };
    page(&frame, &pages.standing(), &content)
}

/// A figure of points or ether.
pub(super) fn figure(figure: Figure) -> Markup {
    number(U256::from(figure.units()), DECIMALS)
}
