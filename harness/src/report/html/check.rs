//! One check: its verdict, how it failed, its proof and the exchanges that show it.
use maud::{Markup, html};

use super::super::difference::{self, Piece};
use super::super::escape::visible;
use super::super::events::{Broken, Exchange, ExchangeKind, Message, ProofInfo, Verdict, Word};
use super::super::{Report, millis};
use super::highlight::{highlighted, laid_out, marked};

pub(super) fn render(report: &Report, verdict: &Verdict) -> Markup {
    let (word, id) = (verdict.verdict.as_str(), visible(&verdict.check));
    let info = report.check(&verdict.check).map(|(_, info)| info);
    html! {
        section.check id=(id) data-verdict=(word) {
            h4 {
                a href={ "#" (id) } { (id) } " " span.(word) { (word) } " "
                small { (millis(verdict.took)) " ms, " (verdict.exchanges) " exchanges" }
            }
            @if let Some(info) = info {
                p {
                    (visible(&info.summary))
                    @if verdict.verdict != Word::Passed { " " small { (visible(&info.location)) } }
                }
            }
            @if let Some(reason) = &verdict.reason { p { (visible(reason)) } }
            @if !verdict.lacking.is_empty() { p { "It judged less without " (visible(&verdict.lacking.join(", "))) "." } }
            @if let Some(known) = &verdict.known {
                p.known {
                    (visible(&known.reason))
                    @if let Some(since) = &known.since { ", since " (visible(since)) }
                    @if let Some(until) = &known.until { ", forgiven until " (visible(until)) }
                }
            }
            @if let Some(failure) = &verdict.failure { (broken(failure)) }
            @for difference in verdict.differences.iter().filter(|one| verdict.failure.as_ref() != Some(*one)) {
                (broken(difference))
            }
            @for exchange in report.exchanges(&verdict.check) { (self::exchange(exchange, verdict)) }
            @if let Some(proof) = info.and_then(|info| info.proof.as_ref()) { (self::proof(proof)) }
        }
    }
}

/// The requirement of the clause above what the target did, and how to reproduce it.
fn broken(broken: &Broken) -> Markup {
    let (expected, actual) = difference::pieces(&broken.expected, &broken.actual);
    html! {
        dl.failure {
            div { dt { "clause" } dd { a href={ "#" (visible(&broken.clause)) } { (visible(&broken.clause)) } } }
            div.expected { dt { "expected" } dd { code { (highlighted(&expected)) } } }
            div.actual { dt { "actual" } dd { code { (highlighted(&actual)) } } }
            div { dt { "reproduce" } dd { code { (visible(&broken.reproduce)) } } }
            div { dt { "replay" } dd { code { (visible(&broken.replay)) } } }
        }
    }
}

/// The defect that kills a check, and how the check fails.
fn proof(proof: &ProofInfo) -> Markup {
    let (expected, actual) = difference::pieces(&proof.expected, &proof.actual);
    html! {
        details {
            summary { "Proven by " code { (visible(&proof.defect)) } }
            p { small { "expected" } " " code { (marked(&expected)) } }
            p { small { "with the defect" } " " code { (marked(&actual)) } }
        }
    }
}

fn exchange(exchange: &Exchange, verdict: &Verdict) -> Markup {
    let kind = match exchange.kind {
        ExchangeKind::Http => "HTTP",
        ExchangeKind::Rpc => "RPC",
        ExchangeKind::Tool => "tool call",
    };
    let failure = verdict.failure.as_ref().filter(|failure| failure.exchange == Some(exchange.number));
    let unmarked = |body: String| vec![Piece { text: body, differs: false }];
    let answer = exchange.response.as_ref().map(|response| {
        let body = laid_out(&response.body);
        let body = match failure {
            Some(failure) => difference::marks(&failure.expected, &failure.actual, &body),
            None => unmarked(body),
        };
        message(response, &body)
    });
    html! {
        details.exchange open[failure.is_some()] {
            summary {
                (kind) " exchange " (exchange.number) " · " (millis(exchange.took)) " ms"
                @if failure.is_some() { " · the evidence" }
                " · " code { (visible(&exchange.request.head)) }
            }
            pre tabindex="0" { (message(&exchange.request, &unmarked(laid_out(&exchange.request.body)))) }
            pre tabindex="0" {
                @if let Some(answer) = answer { (answer) }
                @if let Some(error) = &exchange.error { (visible(error)) }
            }
        }
    }
}

fn message(message: &Message, body: &[Piece]) -> Markup {
    html! {
        @if !message.head.is_empty() { b { (visible(&message.head)) } "\n" }
        @for (name, value) in &message.headers { (visible(name)) ": " (visible(value)) "\n" }
        "\n" (highlighted(body))
    }
}
