//! Recent activity: requests to the services, orders to the control plane, and events of the chains, newest first.
use alloy::primitives::{Address, B256};
use axum::http::Uri;
use maud::{Markup, html};

use super::Console;
use crate::event::{Event, EventKind, Side};
use crate::journal::{Entry, Journal};
use crate::services::input::{DefaultTo, Input, OneOf};
use crate::services::pages::layout::{address, cell, heads, table, tabs, with};
use crate::services::pages::number::{ago, grouped};

const SHOWN: usize = 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimelineKind {
    All,
    Request,
    Transaction,
    Fault,
    Checkpoint,
    Clock,
    Order,
}

const KINDS: &[(&str, TimelineKind)] = &[
    ("all", TimelineKind::All),
    ("requests", TimelineKind::Request),
    ("transactions", TimelineKind::Transaction),
    ("faults", TimelineKind::Fault),
    ("checkpoints", TimelineKind::Checkpoint),
    ("clock", TimelineKind::Clock),
    ("orders", TimelineKind::Order),
];

pub(super) const SHOW: Input<OneOf<TimelineKind>, DefaultTo<TimelineKind>> = Input {
    name: "show",
    cause: "console-show",
    meaning: "what the timeline shows",
    kind: OneOf(KINDS),
    presence: DefaultTo(TimelineKind::All),
};

enum Happened {
    Answered(Entry),
    Ordered(Entry),
    OnChain(Event),
}

impl Happened {
    fn at(&self) -> u64 {
        match self {
            Self::Answered(entry) | Self::Ordered(entry) => entry.at,
            Self::OnChain(event) => event.timestamp,
        }
    }

    fn kind(&self) -> TimelineKind {
        match self {
            Self::Answered(entry) if entry.cause == Some("fault") => TimelineKind::Fault,
            Self::Answered(_) => TimelineKind::Request,
            Self::OnChain(_) => TimelineKind::Transaction,
            Self::Ordered(entry) => [
                ("/_sim/faults", TimelineKind::Fault),
                ("/_sim/checkpoints", TimelineKind::Checkpoint),
                ("/_sim/clock", TimelineKind::Clock),
            ]
            .iter()
            .find(|(path, _)| entry.target.starts_with(path))
            .map_or(TimelineKind::Order, |(_, kind)| *kind),
        }
    }
}

pub(super) fn section(console: &Console, show: TimelineKind, now: u64, uri: &Uri) -> Markup {
    let links: Vec<_> =
        KINDS.iter().map(|(name, kind)| (with(uri, "show", name), *name, *kind == show)).collect();
    let rows = html! { @for entry in latest(console, show) { (row(&entry, now)) } };
    let columns =
        [("Time", ""), ("Where", ""), ("What", ""), ("Result", "n"), ("Cause", ""), ("Duration", "n")];
    html! {
        section #journal data-live aria-labelledby="journal-title" {
            h2 #journal-title { "Timeline" }
            (tabs("What the timeline shows", &links))
            p.muted { (grouped(&console.api.journal.last().to_string())) " requests answered." }
            (table("Timeline", &heads(&columns), &rows))
        }
    }
}

fn latest(console: &Console, show: TimelineKind) -> Vec<Happened> {
    let last = |journal: &Journal| {
        let (entries, _) = journal.after(journal.last().saturating_sub(10 * SHOWN as u64));
        entries
    };
    let mut all: Vec<_> = last(&console.api.journal).into_iter().map(Happened::Answered).collect();
    all.extend(last(&console.orders).into_iter().map(Happened::Ordered));
    for (chain, _) in console.api.engine.chains() {
        let events =
            console.api.engine.latest_events(chain.id(), 0, SHOWN, |event| described(event).is_some());
        all.extend(events.into_iter().rev().map(Happened::OnChain));
    }
    all.retain(|entry| show == TimelineKind::All || entry.kind() == show);
    // The sort is stable: entries with equal times keep the order of their source.
    all.sort_by_key(Happened::at);
    all.into_iter().rev().take(SHOWN).collect()
}

fn row(entry: &Happened, now: u64) -> Markup {
    html! {
        tr {
            (cell("Time", "", &ago(entry.at(), now)))
            @match entry {
                Happened::Answered(entry) | Happened::Ordered(entry) => {
                    (cell("Where", "", &html! { (entry.service) }))
                    (cell("What", "", &html! { (entry.method) " " bdi { (entry.target) } }))
                    (cell("Result", "n", &html! { span.(if entry.status >= 400 { "fell" } else { "rose" }) { (entry.status) } }))
                    (cell("Cause", "cause", &html! { (entry.cause.unwrap_or("")) }))
                    (cell("Duration", "n", &html! { (grouped(&entry.microseconds.to_string())) " µs" }))
                },
                Happened::OnChain(event) => {
                    (cell("Where", "", &html! { "chain " (event.chain_id) }))
                    (cell("What", "", &html! {
                        @if let Some((what, who)) = described(event) {
                            (what) @if let Some(who) = who { " by " (address(who)) }
                        }
                        " in " (hash(event.transaction))
                    }))
                    (cell("Result", "n", &html! { "block " (grouped(&event.block.to_string())) }))
                    td {}
                    td {}
                },
            }
        }
    }
}

/// A transaction's hash, shortened; a click copies the whole one.
fn hash(hash: B256) -> Markup {
    let text = hash.to_string();
    html! {
        button.copy type="button" title=(text) { code { (text[..6]) "…" (text[62..]) } }
    }
}

/// An event of the launch contracts in a word, and its account; none for events that accompany another one.
fn described(event: &Event) -> Option<(&'static str, Option<Address>)> {
    Some(match &event.kind {
        EventKind::LaunchCreated { creator, .. } | EventKind::TokenCreated { creator, .. } => {
            ("launch", Some(*creator))
        }
        EventKind::Trade { side: Side::Buy, trader, .. } => ("purchase", Some(*trader)),
        EventKind::Trade { side: Side::Sell, trader, .. } => ("sale", Some(*trader)),
        EventKind::LaunchFinalized { .. } | EventKind::TokenGraduated { .. } => ("graduation", None),
        EventKind::BuybackExecuted { .. } => ("buyback", None),
        EventKind::FeesWithdrawn { account, .. } => ("withdrawal of fees", Some(*account)),
        EventKind::BidWon { bidder, .. } => ("won bid", Some(*bidder)),
        EventKind::CreationPaused { paused: true } => ("pause of creation", None),
        EventKind::CreationPaused { paused: false } => ("resumption of creation", None),
        EventKind::PoolSwap { sender, .. } => ("swap in a pool", Some(*sender)),
        EventKind::PairSwap { .. } => ("swap in a pair", None),
        _ => return None,
    })
}
