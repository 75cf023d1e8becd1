//! The frame of every page, and the small parts that many of them share.
use alloy::primitives::{Address, B256, U256};
use maud::{DOCTYPE, Markup, html};

use super::amount::exact;
use crate::api::refusal::Refusal;
use crate::engine::{Engine, SLIPPAGE_BPS};
use crate::indexer::Rewind;
use crate::services::rest::row::instant;
use crate::state::figure::{Figure, ONE};

/// What differs between the frames of pages.
pub(in crate::services) struct Frame<'a> {
    /// Title of the page.
    pub(in crate::services) title: &'a str,
    /// Where events come from that make the page read itself again; none for a page that stands still.
    pub(in crate::services) source: Option<String>,
    /// Scripts of the page beside the one that keeps it live.
    pub(in crate::services) scripts: &'a [&'a str],
    /// Links to the other pages.
    pub(in crate::services) links: &'a [(&'a str, &'a str)],
}

/// The public pages.
pub(super) const LINKS: &[(&str, &str)] =
    &[("/", "Tokens"), ("/auction", "Auction and King"), ("/exchange", "Exchange")];

/// A whole page.
pub(in crate::services) fn page(frame: &Frame<'_>, standing: &Markup, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (frame.title) " · slipway" }
                link rel="icon" href="/assets/icon.svg";
                link rel="stylesheet" href="/assets/style.css";
                @if frame.scripts.contains(&"plot.js") {
                    link rel="stylesheet" href="/assets/uplot.css";
                    script src="/assets/uplot.js" defer {}
                }
                script src="/assets/live.js" defer {}
                @for script in frame.scripts {
                    script src={ "/assets/" (script) } defer {}
                }
            }
            body data-source=[frame.source.as_deref()] {
                a.skip href="#content" { "Skip to the content" }
                header {
                    nav aria-label="Pages" {
                        a.brand href="/" { "slipway" }
                        @for (path, name) in frame.links { a href=(path) { (name) } }
                    }
                    (standing)
                    @if frame.source.is_some() {
                        p #connection role="status" { "connecting" }
                    }
                }
                main #content tabindex="-1" {
                    div #problem role="alert" data-live {}
                    (content)
                }
            }
        }
    }
}

/// What every page says of the platform: heads, time, and what was taken back last.
pub(in crate::services) fn standing(engine: &Engine, now: u64) -> Markup {
    let heights = engine.heights().borrow().clone();
    html! {
        p #standing role="status" data-live {
            @for (chain_id, height) in &heights {
                span { "Chain " (chain_id) ": block " (height) } " "
            }
            span { "Clock: " (moment(now)) }
            @if let Some(last) = engine.rewinds().last() {
                " " strong.rewind { (rewind(last)) }
            }
        }
    }
}

/// A refusal as a page.
pub(super) fn problem(refusal: &Refusal) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Error " (refusal.status) " · slipway" }
                link rel="icon" href="/assets/icon.svg";
                link rel="stylesheet" href="/assets/style.css";
            }
            body {
                header { nav aria-label="Pages" { a.brand href="/" { "slipway" } } }
                main #content {
                    h1 { "Error " (refusal.status) }
                    div #problem role="alert" data-live {
                        p { (refusal.message) }
                        @if let Some(details) = &refusal.details { p { (details) } }
                    }
                }
            }
        }
    }
}

/// A table that scrolls by itself where the screen is narrower.
pub(in crate::services) fn table(name: &str, heads: &[&str], rows: &Markup) -> Markup {
    html! {
        div.scroll role="group" aria-label=(name) tabindex="0" {
            table {
                thead { tr { @for head in heads { th scope="col" { (head) } } } }
                tbody { (rows) }
            }
        }
    }
}

/// A moment of the platform's clock.
pub(in crate::services) fn moment(seconds: u64) -> Markup {
    let text = instant(seconds);
    html! { time datetime=(text) { (text) } }
}

/// An address, shortened for the eye; the whole one is in its title.
pub(in crate::services) fn address(address: Address) -> Markup {
    let text = address.to_checksum(None);
    html! { code title=(text) { (text[..8]) "…" (text[38..]) } }
}

/// A link to the page of a transaction.
pub(super) fn transaction(hash: B256) -> Markup {
    let text = hash.to_string();
    html! { a href={ "/tx/" (text) } title=(text) { code { (text[..10]) "…" } } }
}

/// A link to the page of a token.
pub(super) fn token_path(token: Address, chain_id: u64) -> String {
    format!("/trade/{}?chainId={chain_id}", token.to_checksum(None))
}

/// A part of one in percent with two digits, rounded down.
pub(super) fn percent_down(part: Figure) -> String {
    let hundredths = part.units() / (ONE / 10_000);
    format!("{}.{:02} %", hundredths / 100, hundredths % 100)
}

/// What a trade may fall below its quote, in words.
pub(super) fn slippage() -> String {
    format!("{} % slippage", exact(U256::from(SLIPPAGE_BPS), 2))
}

/// What was taken back, in words.
fn rewind(rewind: &Rewind) -> Markup {
    let first = rewind.kept.map_or(0, |kept| kept + 1);
    let last = rewind.from.unwrap_or(first);
    html! {
        @if rewind.is_checkpoint {
            "The platform returned to a checkpoint: chain " (rewind.chain_id)
            @if last >= first { " lost the blocks " (first) " to " (last) "." } @else { " changed." }
        } @else {
            "Chain " (rewind.chain_id) " was reorganised: the blocks " (first) " to " (last) " were taken back"
            @match rewind.to {
                Some(to) if to >= first => { " and replaced by " (first) " to " (to) "." }
                _ => { "." }
            }
        }
        " Everything here is what the chain says now."
    }
}

#[cfg(test)]
mod tests {
    use super::{percent_down, rewind, table};
    use crate::indexer::Rewind;
    use crate::state::figure::Figure;
    use maud::html;

    #[test]
    fn percent_is_rounded_down() {
        assert_eq!(percent_down(Figure::of_ratio(1, 3)), "33.33 %");
        assert_eq!(percent_down(Figure::of_ratio(99_999_999, 100_000_000)), "99.99 %");
        assert_eq!(percent_down(Figure::of_ratio(5, 5)), "100.00 %");
    }

    #[test]
    fn values_are_escaped() {
        let hostile = "\"><script>alert(1)</script>";
        let text = table(hostile, &[hostile], &html! { tr { td { (hostile) } } }).into_string();
        assert!(!text.contains("<script>"), "{text}");
    }

    #[test]
    fn a_reorganisation_is_told_as_what_it_is() {
        let reorganised = Rewind {
            number: 1,
            chain_id: 7,
            kept: Some(4),
            from: Some(6),
            to: Some(8),
            at: 0,
            is_checkpoint: false,
        };
        let text = rewind(&reorganised).into_string();
        assert!(text.starts_with(
            "Chain 7 was reorganised: the blocks 5 to 6 were taken back and replaced by 5 to 8."
        ));
        let text = rewind(&Rewind { is_checkpoint: true, to: Some(4), ..reorganised }).into_string();
        assert!(text.starts_with("The platform returned to a checkpoint: chain 7 lost the blocks 5 to 6."));
    }
}
