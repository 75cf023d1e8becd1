//! `/tx/<hash>`: a transaction of either chain: why it reverted, its calls and its events, with names and units.
use std::sync::Arc;

use alloy::primitives::B256;
use axum::extract::State;
use maud::{Markup, html};

use super::layout::{Frame, LINKS, address, block_link, cell, heads, page, table, token_path};
use super::number::{count, separated};
use super::{Pages, Problem};
use crate::address as addresses;
use crate::api::explain::{Call, Explained, Party, Told};
use crate::api::refusal::Refusal;
use crate::services::http::PathParameter;

pub(super) async fn get(
    State(pages): State<Arc<Pages>>,
    PathParameter(text): PathParameter,
) -> Result<Markup, Problem> {
    let unknown = || Refusal::not_found("page-transaction", "no chain has a transaction of this hash");
    let hash: B256 = text.parse().map_err(|_| unknown())?;
    let transaction = pages.api.explain(hash).await?.ok_or_else(unknown)?;
    let content = html! {
        h1 { "Transaction" }
        (summary(&pages, &transaction))
        (calls(&transaction))
        (events(&transaction))
    };
    let frame = Frame { title: "Transaction", source: Some("/live".into()), scripts: &[], links: LINKS };
    Ok(page(&frame, &pages.standing(), &content))
}

fn summary(pages: &Pages, transaction: &Explained) -> Markup {
    let Explained { hash, chain_id, .. } = *transaction;
    let first = transaction.calls.first();
    let launched = launched(pages, transaction);
    html! {
        section #transaction data-live aria-label="Summary" {
            dl {
                dt { "Hash" } dd { button.copy type="button" title=(hash) { code { (hash) } } }
                dt { "Result" } dd #result { @if transaction.succeeded { span.rose { "succeeded" } } @else { span.fell { "reverted" } } }
                @if let Some(error) = &transaction.error { dt { "Error" } dd #error.fell { bdi { (error.text) } } }
                dt { "Chain" } dd { (chain_id) }
                dt { "Block" } dd #block { (block_link(chain_id, transaction.block)) }
                dt { "From" } dd { (address(transaction.from)) }
                @if let Some(call) = first {
                    dt { "To" } dd { (party(&call.contract)) }
                    dt { "Method" } dd { code { (call.name()) } }
                }
                dt { "Value" } dd { (separated(&transaction.value)) }
                dt { "Gas" } dd { (count(transaction.gas_used)) " for " (transaction.fee) }
                @for (path, name) in &launched { dt { "Launched" } dd { a href=(path) { bdi { (name) } } } }
            }
        }
    }
}

/// Paths and names of the tokens that a transaction launched.
fn launched(pages: &Pages, transaction: &Explained) -> Vec<(String, String)> {
    let created = transaction.events.iter().filter(|event| event.name.as_deref() == Some("LaunchCreated"));
    let tokens = created.filter_map(|event| event.arguments.iter().find(|argument| argument.name == "token"));
    let known = tokens.filter_map(|argument| {
        let token = addresses::parse(&argument.value)?;
        let market = pages.api.market(transaction.chain_id, token)?;
        Some((token_path(token, transaction.chain_id), market.launch.metadata.name.clone()))
    });
    known.collect()
}

/// The calls as a tree: each item has the depth of its call.
fn calls(transaction: &Explained) -> Markup {
    html! {
        section #calls data-live aria-labelledby="calls-title" {
            h2 #calls-title { "Calls" }
            ol.calls {
                @for call in &transaction.calls { li data-depth=(call.depth.min(8)) { (one_call(call)) } }
            }
            @if transaction.truncated { p.muted { "It makes more calls than are shown." } }
        }
    }
}

fn one_call(call: &Call) -> Markup {
    html! {
        details open[call.error.is_some()] {
            summary {
                @if call.kind != "CALL" { span.muted { (call.kind) " " } }
                bdi { (call.contract.name.as_deref().unwrap_or("contract")) } "."
                code { (call.name()) }
                @if let Some(value) = &call.value { " " (separated(value)) }
                span.muted { " " (count(call.gas_used)) " gas" }
                @if let Some(error) = &call.error { " " span.fell { bdi { (error) } } }
            }
            dl {
                dt { "contract" } dd { (party(&call.contract)) }
                (arguments(&call.arguments))
            }
        }
    }
}

fn events(transaction: &Explained) -> Markup {
    let rows = html! {
        @for event in &transaction.events {
            tr {
                th scope="row" { (event.name.as_deref().unwrap_or("not known here")) }
                (cell("Contract", "", &party(&event.contract)))
                td { dl { (arguments(&event.arguments)) } }
            }
        }
    };
    html! {
        section #events data-live aria-labelledby="events-title" {
            h2 #events-title { "Events" }
            @if transaction.events.is_empty() { p { "No events." } } @else {
                (table("Events", &heads(&[("Event", ""), ("Contract", ""), ("Fields", "")]), &rows))
            }
            @if transaction.event_count > transaction.events.len() {
                p.muted { "It has " (separated(&transaction.event_count.to_string())) " events, more than are shown." }
            }
        }
    }
}

fn arguments(arguments: &[Told]) -> Markup {
    html! { @for argument in arguments { dt { (parted(&argument.name)) } dd { (value(argument)) } } }
}

/// The name of a member, `amounts.fee`, which may go on in another line after its points.
fn parted(name: &str) -> Markup {
    html! { @for part in name.split_inclusive('.') { (part) @if part.ends_with('.') { wbr; } } }
}

/// The start of bytes that are longer than a word of the chain.
fn shortened(value: &str) -> Option<&str> {
    let digits = value.strip_prefix("0x")?;
    let is_long = digits.len() > 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_long.then(|| &value[..34])
}

/// A value: an address with its pattern, an amount in whole units with the smallest units in its title, the start of long bytes, anything
/// else as text.
fn value(Told { value, amount, .. }: &Told) -> Markup {
    html! {
        @match (addresses::parse(value), amount) {
            (Some(account), _) => (address(account)),
            (None, Some(amount)) => data value=(value) title=(value) { bdi { (separated(amount)) } },
            (None, None) => @match shortened(value) {
                Some(start) => button.copy type="button" title=(value) { code { (start) "…" } },
                None => bdi { (value) },
            },
        }
    }
}

pub(super) fn party(Party { address: account, name }: &Party) -> Markup {
    html! { @if let Some(name) = name { bdi { (name) } " " } (address(*account)) }
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn only_long_bytes_are_shortened() {
        let word = format!("0x{}", "ab".repeat(32));
        let bytes = format!("{word}cd");
        assert_eq!(shortened(&bytes), Some(&*format!("0x{}", "ab".repeat(16))));
        for text in [&*word, "0x", "", "7", &format!("0x{}", "né".repeat(40)), &"a description ".repeat(9)] {
            assert_eq!(shortened(text), None, "{text}");
        }
    }
}
