//! The frame of every page, and small parts that many pages share.
use alloy::primitives::{Address, B256};
use axum::http::Uri;
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

use super::icon;
use super::number::{count, moment};
use crate::address::short;
use crate::api::refusal::Refusal;
use crate::api::status::{PlatformStatus, Rewind};
use crate::api::tokens::view::TokenView;
use crate::services::refusal::status;

const LOGO: &str = include_str!("assets/icon.svg");

/// The parts of a frame that differ between pages.
pub(in crate::services) struct Frame<'a> {
    pub(in crate::services) title: &'a str,
    /// The URL of the events that reload the page; `None` for a static page.
    pub(in crate::services) source: Option<String>,
    /// Scripts of the page in addition to the one that reloads it.
    pub(in crate::services) scripts: &'a [&'a str],
    pub(in crate::services) links: &'a [(&'a str, &'a str)],
}

/// The public pages.
pub(in crate::services) const LINKS: &[(&str, &str)] = &[
    ("/", "Tokens"),
    ("/create", "Create"),
    ("/exchange", "Exchange"),
    ("/auction", "Auction"),
    ("/leaderboard", "Leaderboard"),
    ("/referral", "Referral"),
    ("/docs/api", "API"),
    ("/console", "Console"),
];

pub(in crate::services) fn page(frame: &Frame<'_>, standing: &Markup, content: &Markup) -> Markup {
    document(frame, standing, &html! {}, content)
}

/// Without control characters, which HTML forbids in texts and names of tokens may have.
fn without_controls(markup: Markup) -> Markup {
    let is_control = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t' | '\r');
    let PreEscaped(text) = markup;
    PreEscaped(if text.contains(is_control) { text.replace(is_control, "\u{fffd}") } else { text })
}

/// A page with an error; a page that reloads itself shows the error in the same place.
fn document(frame: &Frame<'_>, standing: &Markup, problem: &Markup, content: &Markup) -> Markup {
    without_controls(html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (frame.title) " · slipway" }
                link rel="icon" href="/assets/icon.svg";
                link rel="stylesheet" href="/assets/style.css";
                script src="/assets/live.js" defer {}
                @for script in frame.scripts {
                    script src={ "/assets/" (script) } defer {}
                }
            }
            body data-source=[frame.source.as_deref()] {
                a.skip href="#content" { "Skip to the content" }
                header {
                    (pages(frame))
                    @if frame.links == LINKS { (search()) }
                    div.state {
                        (standing)
                        @if frame.source.is_some() {
                            p #connection role="status" { "connecting" }
                        }
                    }
                }
                main #content tabindex="-1" {
                    div #problem role="alert" data-live { (problem) }
                    (content)
                }
                p #copied role="status" {}
            }
        }
    })
}

fn pages(frame: &Frame<'_>) -> Markup {
    html! {
        nav aria-label="Pages" {
            a.brand href="/" { (PreEscaped(LOGO)) "slipway" }
            @for (path, name) in frame.links {
                a href=(path) aria-current=[(*name == frame.title).then_some("page")] { (name) }
            }
        }
    }
}

/// The search of the public pages.
fn search() -> Markup {
    html! {
        form.find method="get" action="/search" role="search" aria-label="Find" {
            input type="search" name="q" aria-label="Find a token, account, transaction or block" placeholder="Token, address, hash, block" maxlength="200" required;
        }
    }
}

/// The platform's state on every page: time and clock mode, heads, and the last rollback; `block` renders the number of a chain's block.
pub(in crate::services) fn standing(status: &PlatformStatus, block: impl Fn(u64, u64) -> Markup) -> Markup {
    html! {
        p #standing role="status" data-live {
            span { (moment(status.now)) " · " (status.clock) }
            @for (chain_id, height) in &status.heights {
                " " span { "chain " (chain_id) " · block " (block(*chain_id, *height)) }
            }
            @if let Some(last) = &status.rewind {
                " " strong.rewind { (rewind(last)) }
            }
        }
    }
}

/// A page that explains why a request was refused; the first link is the way out.
pub(super) fn problem(refusal: &Refusal, links: &[(&str, &str)]) -> Markup {
    let title = format!("Error {}", status(refusal.reason));
    let frame = Frame { title: &title, source: None, scripts: &[], links };
    let problem = html! {
        p { (refusal.message) }
        @if let Some(details) = &refusal.details { p { (details) } }
    };
    let content =
        html! { @if let Some((path, name)) = links.first() { p { a.button href=(path) { (name) } } } };
    document(&frame, &html! {}, &html! { h1 { (title) } (problem) }, &content)
}

/// A table that becomes cards on a phone, or scrolls separately if its content is wider than the screen.
pub(in crate::services) fn table(name: &str, heads: &Markup, rows: &Markup) -> Markup {
    html! {
        div.scroll role="group" aria-label=(name) tabindex="0" {
            table { thead { tr { (heads) } } tbody { (rows) } }
        }
    }
}

/// The heads of a table, each with its text and its class, which is `n` for numeric columns.
pub(in crate::services) fn heads(heads: &[(&str, &str)]) -> Markup {
    html! { @for (text, class) in heads { th class=[named(class)] scope="col" { (text) } } }
}

/// A cell with the class and the label of its column; a card shows the label.
pub(in crate::services) fn cell(label: &str, class: &str, content: &Markup) -> Markup {
    html! { td class=[named(class)] data-label=(label) { (content) } }
}

/// No attribute without a class, which makes a long table smaller.
fn named(class: &str) -> Option<&str> {
    (!class.is_empty()).then_some(class)
}

/// An account or contract: its pattern and its shortened address, which link to its page; a click on the sign after them copies the whole
/// address.
pub(super) fn address(address: Address) -> Markup {
    address_at(&account_path(address), address)
}

/// An account or contract with another path for its page.
pub(in crate::services) fn address_at(path: &str, address: Address) -> Markup {
    html! {
        span.address {
            a href=(path) { (icon::account(address)) code { (short(address)) } }
            button.copy type="button" title=(address.to_checksum(None)) {}
        }
    }
}

pub(super) fn transaction(hash: B256) -> Markup {
    html! { a href=(transaction_path(hash)) { (short_hash(hash)) } }
}

pub(in crate::services) fn short_hash(hash: B256) -> Markup {
    let text = hash.to_string();
    html! { code { (text[..6]) "…" (text[62..]) } }
}

pub(in crate::services) fn transaction_path(hash: B256) -> String {
    format!("/tx/{hash}")
}

pub(super) fn token_link(token: &TokenView) -> Markup {
    token_link_with(token, &html! {})
}

/// A token with something below its name.
pub(super) fn token_link_with(token: &TokenView, below: &Markup) -> Markup {
    let texts = &token.launch.metadata;
    html! {
        a.token href=(token_path(token.launch.token, token.birth.chain_id)) {
            (icon::token(token))
            span.names { bdi { (texts.name) } " " span.ticker { bdi { (texts.ticker) } } (below) }
        }
    }
}

pub(in crate::services) fn token_path(token: Address, chain_id: u64) -> String {
    format!("/trade/{}?chainId={chain_id}", token.to_checksum(None))
}

pub(in crate::services) fn account_path(account: Address) -> String {
    format!("/account/{}", account.to_checksum(None))
}

/// The path of a block's page, by its number or hash.
pub(in crate::services) fn block_path(named: impl std::fmt::Display, chain_id: u64) -> String {
    format!("/block/{named}?chainId={chain_id}")
}

/// A block's number with the link to its page.
pub(super) fn block_link(chain_id: u64, number: u64) -> Markup {
    html! { a href=(block_path(number, chain_id)) { (count(number)) } }
}

/// Links to the pages of a list, with `shown` as the current one; `at` returns the path of a page.
pub(super) fn paging(label: &str, shown: u64, last: u64, at: impl Fn(u64) -> String) -> Markup {
    html! {
        nav.paging aria-label=(label) {
            @if shown > 1 { a href=(at((shown - 1).min(last))) rel="prev" { "← Previous" } }
            span { "page " (shown) " of " (last) }
            @if shown < last { a href=(at(shown + 1)) rel="next" { "Next →" } }
        }
    }
}

/// The URL of a page with one parameter of its query replaced; an empty value removes it.
pub(in crate::services) fn with(uri: &Uri, name: &str, value: &str) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (known, sent) in url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        if known != name {
            query.append_pair(&known, &sent);
        }
    }
    if !value.is_empty() {
        query.append_pair(name, value);
    }
    format!("{}?{}", uri.path(), query.finish())
}

/// Tabs as links, one of them current; the page reloads in place.
pub(in crate::services) fn tabs(name: &str, links: &[(String, impl Render, bool)]) -> Markup {
    html! {
        nav.tabs aria-label=(name) {
            @for (path, text, is_present) in links {
                a href=(path) data-stays aria-current=[is_present.then_some("true")] { (text) }
            }
        }
    }
}

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
    use super::{Frame, heads, rewind, table, with};
    use crate::api::status::Rewind;
    use maud::html;

    #[test]
    fn values_are_escaped() {
        let hostile = "\"><script>alert(1)</script>";
        let text =
            table(hostile, &heads(&[(hostile, hostile)]), &html! { tr { td { (hostile) } } }).into_string();
        assert!(!text.contains("<script>"), "{text}");
    }

    #[test]
    fn control_characters_are_replaced_on_the_whole_page() {
        let text = "a\0b\u{1b}[31m\u{85}c\n\td";
        let frame = Frame { title: text, source: None, scripts: &[], links: &[] };
        let page = super::page(&frame, &html! { (text) }, &html! { p title=(text) { (text) } }).into_string();
        assert_eq!(page.matches("a\u{fffd}b\u{fffd}[31m\u{fffd}c\n\td").count(), 4);
        assert!(!page.contains(['\0', '\u{1b}', '\u{85}']));
    }

    #[test]
    fn one_parameter_is_replaced() {
        let uri = "/?a=1&sortBy=old&b=%3C".parse().unwrap();
        assert_eq!(with(&uri, "sortBy", "new"), "/?a=1&b=%3C&sortBy=new");
        assert_eq!(with(&uri, "sortBy", ""), "/?a=1&b=%3C");
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
