//! Recent launches, told by a service that is not trusted: known fields only, clipped, cleaned, links judged anew.
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use alloy::primitives::Address;
use futures::StreamExt as _;
use serde_json::Value;

use super::config::McpConfig;
use super::refusal::Refusal;
use super::service::{self, CHAIN_ID};
use super::spelling::is_unsafe_character;
use super::urls::UrlRules;
use super::wire::{RecentOutput, RecentToken};

/// Links judged at the same time.
const PARALLEL_LINKS: usize = 8;
/// Longest wait for the links of one page; what is not judged by then is left out.
const LINKS_WAIT: Duration = Duration::from_secs(8);

/// Whether each link passes.
type Verdicts = BTreeMap<String, bool>;

/// The service's answer, fit to be shown.
pub(crate) async fn sanitise(
    answer: &Value,
    limit: u64,
    rules: &UrlRules,
    config: &McpConfig,
) -> Result<RecentOutput, Refusal> {
    let chain = answer.get("chainId").and_then(Value::as_u64);
    let rows = answer.get("tokens").and_then(Value::as_array);
    let (Some(CHAIN_ID), Some(rows)) = (chain, rows) else {
        return Err(service::failed("it is not a page of launches of this chain"));
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let rows = &rows[..rows.len().min(limit)];
    let verdicts = judge(rows, rules).await;
    let clean = |row: &Value| {
        if config.faults.passes_rows() {
            return Some(row.clone());
        }
        let token = token(row, &verdicts, config)?;
        Some(serde_json::to_value(token).expect("a row of plain fields is JSON"))
    };
    Ok(RecentOutput {
        chain_id: CHAIN_ID,
        tokens: rows.iter().filter_map(clean).collect(),
        next_offset: answer.get("nextOffset").and_then(Value::as_u64),
    })
}

/// Every distinct link of the page, judged once.
async fn judge(rows: &[Value], rules: &UrlRules) -> Verdicts {
    let links: BTreeSet<String> =
        rows.iter().filter_map(|row| Some(row.get("image_url")?.as_str()?.to_owned())).collect();
    let mut verdicts = Verdicts::new();
    let judging = futures::stream::iter(links)
        .map(|link| async move {
            let passes = rules.check("image_url", &link).await.is_ok();
            (link, passes)
        })
        .buffer_unordered(PARALLEL_LINKS)
        .for_each(|(link, passes)| {
            verdicts.insert(link, passes);
            std::future::ready(())
        });
    // What the wait cuts off has no verdict, and no verdict is no pass.
    drop(tokio::time::timeout(LINKS_WAIT, judging).await);
    verdicts
}

/// The row without an address is no launch.
fn token(row: &Value, verdicts: &Verdicts, config: &McpConfig) -> Option<RecentToken> {
    let faults = &config.faults;
    let text = |name: &str, longest: usize| {
        let text = config.redactor.scrub(row.get(name)?.as_str()?);
        Some(clip(&text, faults.longest(longest), faults.passes_marks()))
    };
    let number = |name: &str| row.get(name).and_then(Value::as_f64).filter(|number| number.is_finite());
    let count = |name: &str| row.get(name).and_then(Value::as_u64);
    let link = row
        .get("image_url")
        .and_then(Value::as_str)
        .filter(|link| verdicts.get(*link) == Some(&true) || faults.trusts_links());
    Some(RecentToken {
        address: address(row, "address")?,
        name: text("name", 48),
        ticker: text("ticker", 12),
        description: text("description", 200),
        image_url: link.map(str::to_owned),
        created_at: row.get("created_at").and_then(Value::as_str).and_then(time),
        owner: address(row, "owner"),
        launch_id: count("launch_id"),
        funding_progress: number("funding_progress").filter(|progress| (0.0..=1.0).contains(progress)),
        market_cap: number("market_cap"),
        price_eth: number("price_eth"),
        volume_24h: number("volume_24h"),
        price_change_24h: number("price_change_24h"),
        total_holders: count("total_holders"),
        is_graduated: row.get("is_graduated").and_then(Value::as_bool),
    })
}

/// Text, already without secrets, without characters that steer a reader, no longer than allowed.
fn clip(text: &str, longest: usize, with_marks: bool) -> String {
    text.chars().filter(|character| with_marks || !is_unsafe_character(*character)).take(longest).collect()
}

fn address(row: &Value, name: &str) -> Option<String> {
    let text = row.get(name)?.as_str()?;
    let prefixed = text.len() == 42 && text.starts_with("0x");
    prefixed.then(|| text.parse::<Address>().ok()).flatten()?;
    Some(text.to_owned())
}

/// A moment, written again by us.
fn time(text: &str) -> Option<String> {
    text.parse::<jiff::Timestamp>().ok().map(|moment| moment.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::faults::Faults;
    use super::super::guards::Guards;
    use super::*;
    use crate::defect::Defects;
    use proptest::prelude::*;
    use serde_json::json;

    const KEY: &str = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
    const ADDRESS: &str = "0x00000000000000000000000000000000000000Aa";

    fn config() -> McpConfig {
        let key = |variable: &str| (variable == "SERVICE_MCP_PRIVATE_KEY").then(|| KEY.into());
        McpConfig::from_variables(&key, &Defects::default()).unwrap()
    }

    async fn page(rows: Value) -> RecentOutput {
        // Literal addresses are judged without a name server.
        let rules = UrlRules::new(Guards::default(), Faults::default(), Some(([127, 0, 0, 1], 9).into()));
        let answer = json!({ "chainId": 57073, "tokens": rows, "nextOffset": 3 });
        sanitise(&answer, 50, &rules, &config()).await.unwrap()
    }

    #[tokio::test]
    async fn only_known_fields_pass_and_text_is_cleaned() {
        let row = json!({
            "address": ADDRESS, "name": format!("a\u{202e}b\n{}", "x".repeat(60)), "ticker": "T".repeat(20),
            "description": "d".repeat(900), "image_url": "https://1.1.1.1/a.png", "owner": "0x12", "secret": "s",
            "created_at": "2026-01-02T03:04:05Z", "market_cap": "12", "price_eth": 0.5, "total_holders": -4,
            "launch_id": 7, "is_graduated": false, "funding_progress": 1.5,
        });
        let page = page(json!([row, { "name": "no address" }, 7])).await;
        assert_eq!(page.tokens.len(), 1);
        let token = &page.tokens[0];
        assert_eq!(token["name"], format!("ab{}", "x".repeat(46)));
        assert_eq!(token["ticker"], "T".repeat(12));
        assert_eq!(token["description"], "d".repeat(200));
        assert_eq!(token["image_url"], "https://1.1.1.1/a.png");
        assert_eq!(token["created_at"], "2026-01-02T03:04:05Z");
        assert_eq!(token["price_eth"], 0.5);
        assert_eq!(token["launch_id"], 7);
        for absent in ["owner", "market_cap", "total_holders", "funding_progress"] {
            assert_eq!(token[absent], Value::Null, "{absent}");
        }
        assert_eq!(token.get("secret"), None);
    }

    #[tokio::test]
    async fn a_secret_is_cut_out_before_the_text_is_cut_off() {
        let page =
            page(json!([{ "address": ADDRESS, "name": KEY, "ticker": KEY, "description": KEY }])).await;
        assert_eq!(page.tokens[0]["name"], "[redacted]");
        assert!(!page.tokens[0].to_string().contains(&KEY[..8]));
    }

    #[tokio::test]
    async fn bad_links_are_dropped() {
        for link in [
            "http://1.1.1.1/",
            "https://u:p@1.1.1.1/",
            "https://127.0.0.1/",
            "https://x.test/",
            "javascript:alert(1)",
            "https://nowhere.dev/",
        ] {
            let page = page(json!([{ "address": ADDRESS, "image_url": link }])).await;
            assert_eq!(page.tokens[0]["image_url"], Value::Null, "{link}");
        }
    }

    #[tokio::test]
    async fn another_chains_page_is_refused() {
        let rules = UrlRules::new(Guards::default(), Faults::default(), None);
        for answer in [json!({ "chainId": 4663, "tokens": [] }), json!([]), json!({ "chainId": 57073 })] {
            assert!(sanitise(&answer, 50, &rules, &config()).await.is_err());
        }
    }

    proptest! {
        #[test]
        fn clipped_text_is_short_and_harmless(text in "\\PC*|[\\u{0}-\\u{2fff}]*", longest in 0_usize..60) {
            let clipped = clip(&text, longest, false);
            prop_assert!(clipped.chars().count() <= longest);
            prop_assert!(!clipped.chars().any(is_unsafe_character));
        }
    }
}
