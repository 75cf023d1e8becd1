//! Links of the console to the public pages, which have another origin.
use alloy::primitives::{Address, B256};
use axum::http::HeaderMap;
use maud::{Markup, html};

use crate::address::short;
use crate::services::pages::layout::{
    account_path, address_at, block_path, short_hash, token_path, transaction_path,
};
use crate::services::pages::number::grouped;
use crate::services::pages::seen_by;

/// Characters of an address and of a hash, as text.
const ADDRESS: usize = 42;
const HASH: usize = 66;
/// Endings of member names for hashes of transactions or blocks: under any other name a hash may be a key.
const NAMES_OF_HASHES: [&str; 2] = ["hash", "Hash"];
/// Member names for block numbers.
const NAMES_OF_BLOCKS: [&str; 3] = ["block", "block_number", "blockNumber"];

/// The address at which browsers reach the public pages.
#[derive(Clone, Debug)]
pub(crate) struct PublicPages {
    pub(crate) origin: String,
    /// Whether the pages are reached by the host name with which a browser reaches the console.
    pub(crate) follows_host: bool,
}

impl PublicPages {
    /// The address for the browser that made a request.
    pub(super) fn seen_by(&self, headers: &HeaderMap) -> Self {
        Self { origin: seen_by(&self.origin, self.follows_host, headers), ..*self }
    }

    pub(super) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.origin.trim_end_matches('/'))
    }

    /// An account or contract, as shown on the pages.
    pub(super) fn account(&self, account: Address) -> Markup {
        address_at(&self.at(&account_path(account)), account)
    }

    /// An account or contract with a link text, for a sentence.
    pub(super) fn named(&self, account: Address, text: &str) -> Markup {
        html! { a href=(self.at(&account_path(account))) title=(account.to_checksum(None)) { (text) } }
    }

    pub(super) fn contract(&self, contract: Address) -> Markup {
        self.named(contract, &short(contract))
    }

    pub(super) fn token(&self, token: Address, chain_id: u64, text: &str) -> Markup {
        html! { a href=(self.at(&token_path(token, chain_id))) { bdi { (text) } } }
    }

    pub(super) fn block(&self, chain_id: u64, number: u64, text: &str) -> Markup {
        html! { a href=(self.at(&block_path(number, chain_id))) { (text) } }
    }

    /// A block's number.
    pub(super) fn height(&self, chain_id: u64, number: u64) -> Markup {
        self.block(chain_id, number, &grouped(&number.to_string()))
    }

    pub(super) fn transaction(&self, hash: B256) -> Markup {
        html! { a href=(self.at(&transaction_path(hash))) title=(hash) { (short_hash(hash)) } }
    }

    /// A text in which addresses, hashes and blocks link to the search, which redirects to their pages.
    pub(super) fn within(&self, text: &str) -> Markup {
        let mut rest = text;
        let mut parts = Vec::new();
        while let Some((before, found)) = next(rest) {
            parts.push((before, found));
            rest = &rest[before.len() + found.len()..];
        }
        html! {
            @for (before, found) in parts { (before) a href=(self.at(&format!("/search?q={found}"))) { (found) } }
            (rest)
        }
    }
}

/// The first part of a text that has a page, and the text before it.
fn next(text: &str) -> Option<(&str, &str)> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut from = 0;
    while let Some(place) = text[from..].find(|letter: char| letter.is_ascii_digit()) {
        let start = from + place;
        let end = text[start..].find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let word = &text[start..end.map_or(text.len(), |length| start + length)];
        let is_whole = start == 0 || !is_word(text.as_bytes()[start - 1]);
        if is_whole && leads(&text[..start], word) {
            return Some((&text[..start], word));
        }
        from = start + word.len();
    }
    None
}

/// Whether a word has a page: an address, or a hash or block number after a member name for one.
fn leads(before: &str, word: &str) -> bool {
    let hex =
        word.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
    if hex && word.len() == ADDRESS {
        return true;
    }
    let before = before.trim_end();
    // A member name, or part of a path.
    let name = before.strip_suffix('"').map_or(before, str::trim_end).strip_suffix(':').and_then(|name| {
        let name = name.trim_end().strip_suffix('"')?;
        Some(&name[name.rfind('"')? + 1..])
    });
    if hex && word.len() == HASH {
        return before.ends_with("/tx/")
            || name.is_some_and(|name| NAMES_OF_HASHES.iter().any(|end| name.ends_with(end)));
    }
    !hex && word.bytes().all(|digit| digit.is_ascii_digit())
        && name.is_some_and(|name| NAMES_OF_BLOCKS.contains(&name))
}

#[cfg(test)]
mod tests {
    use axum::http::header::{HOST, HeaderMap, HeaderValue};

    use super::PublicPages;

    fn linked(text: &str) -> Vec<String> {
        let pages = PublicPages { origin: "http://pages/".into(), follows_host: false };
        let markup = pages.within(text).into_string();
        let links = markup.split("<a href=\"http://pages/search?q=").skip(1);
        links.map(|link| link.split('"').next().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn what_has_a_page_leads_there() {
        let (address, hash) = (format!("0x{}", "aB".repeat(20)), format!("0x{}", "c1".repeat(32)));
        for (text, found) in [
            (format!("\"token\": \"{address}\","), vec![address.clone()]),
            (format!("GET /api/token?address={address}&chainId=1"), vec![address.clone()]),
            (format!("{address} {address}"), vec![address.clone(), address.clone()]),
            (
                format!("\"transactionHash\": \"{hash}\",\n  \"block\": 512"),
                vec![hash.clone(), "512".to_owned()],
            ),
            (format!("{{\"hash\":\"{hash}\",\"block_number\":7}}"), vec![hash.clone(), "7".to_owned()]),
            (format!("GET /tx/{hash}"), vec![hash.clone()]),
        ] {
            assert_eq!(linked(&text), found, "{text}");
        }
    }

    #[test]
    fn keys_and_other_words_lead_nowhere() {
        let word = format!("0x{}", "c1".repeat(32));
        for text in [
            format!("\"privateKey\": \"{word}\""),
            format!("\"signature\": \"{word}{word}\""),
            word.clone(),
            format!("a{}", &word[..42]),
            "\"status\": 512, \"blocks\": 3, 0x12, é0x".to_owned(),
            String::new(),
        ] {
            assert_eq!(linked(&text), Vec::<String>::new(), "{text}");
        }
        let pages = PublicPages { origin: "http://pages".into(), follows_host: false };
        assert_eq!(pages.within("<b>&").into_string(), "&lt;b&gt;&amp;");
    }

    #[test]
    fn pages_on_every_address_are_reached_as_the_console_was() {
        let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static("192.168.1.5:4702"))]);
        let path = |origin: &str, follows_host| {
            PublicPages { origin: origin.to_owned(), follows_host }.seen_by(&headers).at("/tx/1")
        };
        assert_eq!(path("http://0.0.0.0:4700", true), "http://192.168.1.5:4700/tx/1");
        assert_eq!(path("https://launch.example", false), "https://launch.example/tx/1");
    }
}
