//! `/referral`: an account's referral code, the earnings from its referrals, and the top referrers.
use std::sync::Arc;

use alloy::primitives::Address;
use axum::extract::State;
use axum::http::Uri;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

use super::layout::{Frame, LINKS, address, cell, heads, page, table, tabs, with};
use super::leaders::figure;
use super::number::count;
use super::{Pages, Problem, sent};
use crate::address as addresses;
use crate::api::referral::stats::{MAXIMUM_LIMIT, Period, Referrer, Stats};
use crate::api::refusal::Refusal;
use crate::services::input::{query, word};

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct ReferralParameters {
    /// what counts by its age
    #[schemars(extend("x-cause" = "page-period"))]
    period: Period,
}

/// An account with the link to its referrals.
fn account_link(account: Address) -> Markup {
    html! {
        (address(account)) " "
        a.muted href={ "/referral?address=" (account.to_checksum(None)) } aria-label={ "Referrals of " (account) } { "referrals" }
    }
}

pub(super) async fn get(State(pages): State<Arc<Pages>>, uri: Uri) -> Result<Markup, Problem> {
    let ReferralParameters { period } = query(&uri)?;
    let typed = sent(&uri, "address").trim().to_owned();
    let account = addresses::parse(&typed);
    if account.is_none() && !typed.is_empty() {
        return Err(
            Refusal::bad_input("page-referral-address", format!("address {}", addresses::RULE)).into()
        );
    }
    let own = account.map(|account| (account, pages.api.referral_stats(account, period)));
    let (leaders, _) = pages.api.referrers(period, MAXIMUM_LIMIT);
    let periods =
        [(Period::Day, "24 h"), (Period::Week, "7 d"), (Period::Month, "30 d"), (Period::All, "All time")];
    let links = periods.map(|(one, text)| (with(&uri, "period", &word(one)), text, one == period));
    let content = html! {
        h1 { "Referral" }
        form.filters method="get" action="/referral" role="search" aria-label="Account" {
            label.search { "Account" input type="search" name="address" value=(typed) list="accounts" placeholder="0x…" autocomplete="off"; }
            datalist #accounts {
                @for account in pages.api.funded_accounts() { option value=(account.to_checksum(None)) {} }
            }
            button.plain { "Show" }
        }
        div #periods data-live { (tabs("Period", &links)) }
        @if let Some((account, own)) = &own { (standing(*account, own)) (activity(own)) (members(own)) }
        (referrers(&leaders))
    };
    let frame = Frame { title: "Referral", source: Some("/live".into()), scripts: &[], links: LINKS };
    Ok(page(&frame, &pages.standing(), &content))
}

fn standing(account: Address, own: &Stats) -> Markup {
    let sums = &own.stats;
    let figures = [
        ("Referrals", count(sums.total_referrals)),
        ("Active", count(sums.active_referrals)),
        ("Points", figure(sums.total_points_earned)),
        ("From trades", figure(sums.points_from_trading)),
        ("From creations", figure(sums.points_from_token_creation)),
        ("From milestones", figure(sums.points_from_milestones)),
    ];
    html! {
        section #stats data-live aria-label="Stats" {
            dl {
                dt { "Account" } dd { (account_link(account)) }
                dt { "Code" } dd #code { button.copy type="button" title=(own.referral_code) { code { (own.referral_code) } } }
            }
            dl.figures { @for (name, value) in &figures { div { dt { (name) } dd { (value) } } } }
        }
    }
}

fn activity(own: &Stats) -> Markup {
    let rows = html! {
        @for one in &own.recent_activity {
            tr {
                (cell("Time", "", &html! { time datetime=(one.timestamp.0) { (one.timestamp.0) } }))
                (cell("Kind", "", &html! { (one.r#type.replace('_', " ")) }))
                (cell("Referral", "", &account_link(one.referral_address.0)))
                (cell("Points", "n", &figure(one.points_earned)))
            }
        }
    };
    let columns = [("Time", ""), ("Kind", ""), ("Referral", ""), ("Points", "n")];
    html! {
        section #activity data-live aria-labelledby="activity-title" {
            h2 #activity-title { "Latest activity" }
            @if own.recent_activity.is_empty() { p.muted { "Nothing in this period." } } @else { (table("Latest activity", &heads(&columns), &rows)) }
        }
    }
}

fn members(own: &Stats) -> Markup {
    let rows = html! {
        @for one in &own.top_referrals {
            tr {
                (cell("Account", "", &account_link(one.address.0)))
                (cell("Points", "n", &figure(one.points_generated)))
                (cell("Joined", "", &html! { time datetime=(one.joined_at.0) { (one.joined_at.0) } }))
            }
        }
    };
    html! {
        section #members data-live aria-labelledby="members-title" {
            h2 #members-title { "Top referrals" }
            @if own.top_referrals.is_empty() { p.muted { "The account has no referrals." } } @else {
                (table("Top referrals", &heads(&[("Account", ""), ("Points", "n"), ("Joined", "")]), &rows))
            }
        }
    }
}

fn referrers(leaders: &[Referrer]) -> Markup {
    let rows = html! {
        @for row in leaders {
            tr {
                (cell("Rank", "n", &count(row.rank)))
                (cell("Account", "", &account_link(row.address.0)))
                (cell("Code", "", &html! { code { (row.referral_code) } }))
                (cell("Referrals", "n", &count(row.total_referrals)))
                (cell("Points", "n", &figure(row.points_earned)))
            }
        }
    };
    let columns = [("Rank", "n"), ("Account", ""), ("Code", ""), ("Referrals", "n"), ("Points", "n")];
    html! {
        section #referrers data-live aria-labelledby="referrers-title" {
            h2 #referrers-title { "Top referrers" }
            @if leaders.is_empty() { p.muted { "No referral has earned points in this period." } } @else {
                (table("Top referrers", &heads(&columns), &rows))
            }
        }
    }
}
