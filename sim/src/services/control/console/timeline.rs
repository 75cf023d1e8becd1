//! Recent activity, newest first: requests to the services, orders to the control plane, and whatever else the terminal prints. Pages and
//! the resources that they load are shown separately.
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;

use axum::http::Uri;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Console, PublicPages, opened};
use crate::api::activity::{Activity, Change, LinePart, Subject, Tone};
use crate::api::record::{Entry, Exchange};
use crate::api::refusal::Refusal;
use crate::services::input::{query, word};
use crate::services::pages::layout::{cell, heads, table, tabs, with};
use crate::services::pages::number::{ago, grouped};
use crate::services::pages::sent;

const SHOWN: usize = 60;
/// Number of journal entries searched for pages.
const SEARCHED: u64 = 600;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum TimelineKind {
    #[default]
    All,
    Requests,
    Transactions,
    Faults,
    Checkpoints,
    Clock,
    Orders,
    Pages,
}

const KINDS: [TimelineKind; 8] = [
    TimelineKind::All,
    TimelineKind::Requests,
    TimelineKind::Transactions,
    TimelineKind::Faults,
    TimelineKind::Checkpoints,
    TimelineKind::Clock,
    TimelineKind::Orders,
    TimelineKind::Pages,
];

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct TimelineParameters {
    /// what the timeline shows
    #[schemars(extend("x-cause" = "console-show"))]
    show: TimelineKind,
}

const STATUS: &str = "must be the first digits of a status";

#[derive(Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("x-rule" = STATUS))]
struct StatusStart(String);

impl TryFrom<String> for StatusStart {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digits = text.trim_end_matches(['x', 'X']);
        let is_status = (1..=3).contains(&text.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_status.then(|| Self(digits.to_owned())).ok_or(STATUS)
    }
}

/// A filter on exchanges.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub(super) struct Filter {
    /// a part of the path or query of the requests
    #[schemars(extend("x-cause" = "console-path"))]
    path: Option<String>,
    /// the status of the answers, or how it begins: 4 is all from 400 to 499
    #[schemars(extend("x-cause" = "console-status"))]
    status: Option<StatusStart>,
    /// a part of the id of the rule that refused
    #[schemars(extend("x-cause" = "console-cause"))]
    cause: Option<String>,
    /// a part of the name of the program that asked
    #[schemars(extend("x-cause" = "console-client"))]
    client: Option<String>,
}

impl Filter {
    pub(super) fn accepts(&self, exchange: &Exchange) -> bool {
        let entry = &exchange.entry;
        let has = |wanted: &Option<String>, text: &str| {
            wanted.as_ref().is_none_or(|wanted| text.to_lowercase().contains(&wanted.to_lowercase()))
        };
        let is_of = |status: &StatusStart| entry.status.to_string().starts_with(&status.0);
        has(&self.path, &entry.target)
            && self.status.as_ref().is_none_or(is_of)
            && has(&self.cause, entry.cause.unwrap_or_default())
            && has(&self.client, exchange.client())
    }
}

enum Happened {
    Exchanged(Arc<Exchange>),
    Page(Entry),
    Told(Activity),
}

impl Happened {
    fn at(&self) -> u64 {
        match self {
            Self::Exchanged(exchange) => exchange.entry.at,
            Self::Page(entry) => entry.at,
            Self::Told(what) => what.at(),
        }
    }

    fn kind(&self) -> TimelineKind {
        match self {
            Self::Told(Activity::Clock(_)) => TimelineKind::Clock,
            Self::Told(Activity::Checkpoint(_)) => TimelineKind::Checkpoints,
            Self::Told(Activity::Transaction(_)) => TimelineKind::Transactions,
            Self::Told(Activity::Request(_)) => TimelineKind::Requests,
            Self::Page(_) => TimelineKind::Pages,
            Self::Exchanged(exchange) if exchange.entry.service == "control" => [
                ("/_sim/faults", TimelineKind::Faults),
                ("/_sim/checkpoints", TimelineKind::Checkpoints),
                ("/_sim/clock", TimelineKind::Clock),
            ]
            .iter()
            .find(|(path, _)| exchange.entry.target.starts_with(path))
            .map_or(TimelineKind::Orders, |(_, kind)| *kind),
            Self::Exchanged(exchange) if exchange.entry.cause == Some("fault") => TimelineKind::Faults,
            Self::Exchanged(_) => TimelineKind::Requests,
        }
    }
}

pub(super) fn tab(console: &Console, pages: &PublicPages, now: u64, uri: &Uri) -> Result<Markup, Refusal> {
    let (TimelineParameters { show }, filter): (_, Filter) = (query(uri)?, query(uri)?);
    console.api.tell_chains();
    let links = KINDS.map(|kind| (with(uri, "show", &word(kind)), word(kind), kind == show));
    let open = sent(uri, "open");
    let happened = latest(console, show, &filter);
    let rows = html! { @for one in &happened { (row(console, pages, one, &open, now, uri)) } };
    let columns = [
        ("Time", ""),
        ("Where", ""),
        ("What", ""),
        ("Result", "n"),
        ("Cause", ""),
        ("Client", ""),
        ("Duration", "n"),
    ];
    Ok(html! {
        (fields(uri))
        section #journal data-live aria-labelledby="journal-title" {
            h2 #journal-title { "Timeline" }
            (tabs("What the timeline shows", &links))
            p.muted {
                (grouped(&console.api.recorded().requests.to_string())) " requests answered. "
                a href={ "/timeline.har?" (uri.query().unwrap_or_default()) } download="timeline.har" { "Download as HAR" }
            }
            (choices(console))
            @if happened.is_empty() {
                p.muted {
                    @if show == TimelineKind::All && filter == Filter::default() { "Nothing has happened since the start." } @else {
                        "Nothing of this kind has happened yet. " a href="/?tab=requests" { "Show everything" }
                    }
                }
            } @else { (table("Timeline", &heads(&columns), &rows)) }
        }
    })
}

/// The form of the filter; its suggestions are reloaded with the timeline.
fn fields(uri: &Uri) -> Markup {
    html! {
        form.filters method="get" action="/" role="search" aria-label="Filter requests" data-asks {
            label { "Path contains" input name="path" value=(sent(uri, "path")) autocomplete="off" placeholder="/api/tokens"; }
            label { "Status" input name="status" value=(sent(uri, "status")) autocomplete="off" placeholder="429, or 4xx"; }
            label { "Cause contains" input name="cause" value=(sent(uri, "cause")) list="causes" autocomplete="off"; }
            label { "Client contains" input name="client" value=(sent(uri, "client")) list="clients" autocomplete="off"; }
        }
    }
}

fn choices(console: &Console) -> Markup {
    let all = console.api.latest_requests();
    let causes: BTreeSet<&str> = all.iter().filter_map(|exchange| exchange.entry.cause).collect();
    let clients: BTreeSet<&str> = all.iter().map(|exchange| exchange.client()).collect();
    html! {
        div hidden {
            datalist #causes { @for cause in causes { option value=(cause) {} } }
            datalist #clients { @for client in clients { option value=(client) {} } }
        }
    }
}

/// The latest activities. They are ordered by the platform's time, and within a second by the host's clock; activities after a revert to a
/// checkpoint come after all earlier ones, although the platform's time went back.
fn latest(console: &Console, show: TimelineKind, filter: &Filter) -> Vec<Happened> {
    let told = console.api.latest_activities();
    let is_return =
        |what: &Activity| matches!(what, Activity::Checkpoint(change) if change.change == Change::Reverted);
    let returns: Vec<SystemTime> =
        told.iter().filter(|(_, what)| is_return(what)).map(|(moment, _)| *moment).collect();
    let mut all: Vec<(SystemTime, Happened)> = Vec::new();
    for exchanges in [console.api.latest_requests(), console.api.latest_orders()] {
        let wanted = exchanges.into_iter().filter(|exchange| filter.accepts(exchange));
        all.extend(wanted.map(|exchange| (exchange.ended(), Happened::Exchanged(exchange))));
    }
    if show == TimelineKind::Pages {
        let last = console.api.recorded().requests;
        let (entries, _) = console.api.requests_after(last.saturating_sub(SEARCHED), None);
        let pages = entries.into_iter().filter(|entry| entry.is_page);
        all.extend(pages.map(|entry| (SystemTime::UNIX_EPOCH, Happened::Page(entry))));
    }
    if *filter == Filter::default() {
        all.extend(told.into_iter().map(|(moment, what)| (moment, Happened::Told(what))));
    }
    all.retain(|(_, one)| show == TimelineKind::All || one.kind() == show);
    // The sort is stable: pages with equal times keep their order.
    all.sort_by_key(|(moment, one)| (returns.partition_point(|back| back <= moment), one.at(), *moment));
    all.into_iter().rev().take(SHOWN).map(|(_, one)| one).collect()
}

fn row(
    console: &Console,
    pages: &PublicPages,
    happened: &Happened,
    open: &str,
    now: u64,
    uri: &Uri,
) -> Markup {
    let time = cell("Time", "", &ago(happened.at(), now));
    match happened {
        Happened::Exchanged(exchange) => {
            let key = exchange.key();
            let is_open = key == open;
            let link = with(uri, "open", if is_open { "" } else { &key });
            let entry = &exchange.entry;
            let what = html! {
                a href=(link) data-stays aria-expanded=(is_open) { (entry.method) " " bdi { (entry.target) } }
            };
            html! {
                tr { (time) (cells(entry, &what, exchange.client())) }
                @if is_open { tr.opened { td colspan="7" { (opened::render(console, pages, exchange)) } } }
            }
        }
        Happened::Page(entry) => {
            html! { tr { (time) (cells(entry, &html! { (entry.method) " " bdi { (entry.target) } }, "")) } }
        }
        Happened::Told(what) => {
            let place = if matches!(what, Activity::Transaction(_)) { "chain" } else { "platform" };
            html! {
                tr {
                    (time)
                    (cell("Where", "", &html! { (place) }))
                    td colspan="5" data-label="What" {
                        (line(what, pages))
                        @if let Activity::Transaction(mined) = what { " in " (pages.transaction(mined.hash)) }
                    }
                }
            }
        }
    }
}

/// An activity as the terminal prints it.
fn line(what: &Activity, pages: &PublicPages) -> Markup {
    html! {
        @for (place, part) in what.line().iter().enumerate() {
            @if place > 0 { " " }
            @let text = linked(part, pages);
            @match part.tone {
                Tone::Strong => b { (text) },
                Tone::Faint => span.muted { (text) },
                Tone::Good => span.rose { (text) },
                Tone::Bad => span.fell { (text) },
                Tone::Plain | Tone::Doubtful => (text),
            }
        }
    }
}

/// A part of a line, linked to the page of its subject.
fn linked(part: &LinePart, pages: &PublicPages) -> Markup {
    let text = &part.text;
    match part.about {
        Some(Subject::Block { chain_id, number }) => pages.block(chain_id, number, text),
        Some(Subject::Account(account)) => pages.named(account, text),
        Some(Subject::Token { chain_id, token }) => pages.token(token, chain_id, text),
        None => html! { bdi { (text) } },
    }
}

fn cells(entry: &Entry, what: &Markup, client: &str) -> Markup {
    html! {
        (cell("Where", "", &html! { (entry.service) }))
        (cell("What", "", what))
        (cell("Result", "n", &html! { span.(if entry.status >= 400 { "fell" } else { "rose" }) { (entry.status) } }))
        (cell("Cause", "cause", &html! { (entry.cause.unwrap_or("")) }))
        (cell("Client", "", &html! { bdi { (client) } }))
        (cell("Duration", "n", &html! { (grouped(&entry.microseconds.to_string())) " µs" }))
    }
}
