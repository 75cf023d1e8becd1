//! `recent_launches`: rows of an untrusted service, reduced to known fields, truncated, cleaned, with links checked again.
use std::collections::BTreeSet;
use std::time::Duration;

use alloy::primitives::Address;
use futures::StreamExt as _;
use serde_json::Value;

use crate::config::ToolServerConfig;
use crate::link::LinkRules;
use crate::output::{RecentOutput, RecentToken};
use crate::redaction::is_unsafe_character;
use crate::refusal::Refusal;
use crate::service::{self, CHAIN_ID, whole};

/// Links checked at the same time.
const PARALLEL_LINKS: usize = 8;
/// Timeout for the links of one page; a link that is not checked in time is left out.
const LINKS_TIMEOUT: Duration = Duration::from_secs(8);

/// The response of the service, safe to show.
///
/// Clause: MCP-RECENT, MCP-RECENT-ARGS
pub(crate) async fn sanitize(
    answer: &Value,
    limit: u64,
    rules: &LinkRules,
    config: &ToolServerConfig,
) -> Result<RecentOutput, Refusal> {
    let chain = answer.get("chainId").and_then(whole);
    let rows = answer.get("tokens").and_then(Value::as_array);
    let (Some(CHAIN_ID), Some(rows)) = (chain, rows) else {
        return Err(service::failed("the response is no page of launches of this chain"));
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let rows = &rows[..rows.len().min(limit)];
    let safe_links = safe_links(rows, rules).await;
    Ok(RecentOutput {
        chain_id: CHAIN_ID,
        tokens: rows.iter().filter_map(|row| token(row, &safe_links, config)).collect(),
        next_offset: answer.get("nextOffset").and_then(whole),
    })
}

/// The links of the page that pass the rules, each checked once.
async fn safe_links(rows: &[Value], rules: &LinkRules) -> BTreeSet<String> {
    let links: BTreeSet<String> =
        rows.iter().filter_map(|row| Some(row.get("image_url")?.as_str()?.to_owned())).collect();
    let mut safe = BTreeSet::new();
    let checks = futures::stream::iter(links)
        .map(|link| async move { rules.check("image_url", &link).await.is_ok().then_some(link) })
        .buffer_unordered(PARALLEL_LINKS)
        .for_each(|link| {
            safe.extend(link);
            std::future::ready(())
        });
    // A link that is not checked in time does not pass.
    let _ = tokio::time::timeout(LINKS_TIMEOUT, checks).await;
    safe
}

/// Reads one row; `None` if it has no address.
fn token(row: &Value, safe_links: &BTreeSet<String>, config: &ToolServerConfig) -> Option<RecentToken> {
    let text = |name: &str, longest: usize| {
        // A secret is redacted before the text is truncated: part of a secret would not be recognised.
        let text = config.redactor.redact(row.get(name)?.as_str()?);
        Some(clip(&text, longest))
    };
    let number = |name: &str| row.get(name).and_then(Value::as_f64).filter(|number| number.is_finite());
    let count = |name: &str| row.get(name).and_then(whole);
    let link = row.get("image_url").and_then(Value::as_str).filter(|link| safe_links.contains(*link));
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

/// Text without control characters, truncated to the maximum length.
fn clip(text: &str, longest: usize) -> String {
    text.chars().filter(|character| !is_unsafe_character(*character)).take(longest).collect()
}

/// An address in its EIP-55 form.
fn address(row: &Value, name: &str) -> Option<String> {
    let text = row.get(name)?.as_str()?;
    let prefixed = text.len() == 42 && text.starts_with("0x");
    let address = prefixed.then(|| text.parse::<Address>().ok()).flatten()?;
    Some(address.to_checksum(None))
}

/// A timestamp, parsed and formatted again.
fn time(text: &str) -> Option<String> {
    text.parse::<jiff::Timestamp>().ok().map(|time| time.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const KEY: &str = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
    const ADDRESS: &str = "0x00000000000000000000000000000000000000Aa";

    fn config() -> ToolServerConfig {
        let key = |variable: &str| (variable == "SERVICE_MCP_PRIVATE_KEY").then(|| KEY.into());
        ToolServerConfig::from_variables(&key).unwrap()
    }

    async fn page(rows: Value) -> RecentOutput {
        // Literal addresses are checked without a name server.
        let rules = LinkRules::new(Some(([127, 0, 0, 1], 9).into()));
        let answer = json!({ "chainId": 57073, "tokens": rows, "nextOffset": 3 });
        sanitize(&answer, 50, &rules, &config()).await.unwrap()
    }

    #[tokio::test]
    async fn rows_are_reduced_and_cleaned() {
        let row = json!({
            "address": ADDRESS, "name": format!("a\u{202e}b\n{}", "x".repeat(60)), "ticker": "T".repeat(20),
            "description": "d".repeat(900), "image_url": "https://1.1.1.1/a.png", "owner": "0x12", "secret": "s",
            "created_at": "2026-01-02T03:04:05Z", "market_cap": "12", "price_eth": 0.5, "total_holders": -4,
            "launch_id": 7, "is_graduated": false, "funding_progress": 1.5,
        });
        let page = page(json!([row, { "name": "no address" }, 7])).await;
        assert_eq!(page.tokens.len(), 1);
        let token = serde_json::to_value(&page.tokens[0]).unwrap();
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
    async fn secrets_are_redacted_before_clipping() {
        let page =
            page(json!([{ "address": ADDRESS, "name": KEY, "ticker": KEY, "description": KEY }])).await;
        assert_eq!(page.tokens[0].name.as_deref(), Some("[redacted]"));
        assert!(!serde_json::to_string(&page).unwrap().contains(&KEY[..8]));
    }

    #[tokio::test]
    async fn page_of_another_chain_is_refused() {
        let rules = LinkRules::new(None);
        for answer in [json!({ "chainId": 4663, "tokens": [] }), json!([]), json!({ "chainId": 57073 })] {
            assert!(sanitize(&answer, 50, &rules, &config()).await.is_err());
        }
    }

    proptest! {
        #[test]
        fn clipped_text_is_short_and_clean(text in "\\PC*|[\\u{0}-\\u{2fff}]*", longest in 0_usize..60) {
            let clipped = clip(&text, longest);
            prop_assert!(clipped.chars().count() <= longest);
            prop_assert!(!clipped.chars().any(is_unsafe_character));
        }
    }
}
