//! `/block/<number or hash>`: a block of a chain and its transactions; for a number that exists on both chains, a choice.
use std::sync::Arc;

use alloy::eips::BlockId;
use alloy::primitives::{B256, U256};
use axum::extract::State;
use axum::http::Uri;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

use super::layout::{Frame, LINKS, address, block_path, cell, heads, page, paging, table, transaction, with};
use super::number::{ago, count, grouped, moment, separated, short};
use super::transaction::party;
use super::{Pages, Problem, chosen_chain};
use crate::api::block::{Block, Included};
use crate::api::refusal::Refusal;
use crate::services::http::PathParameter;
use crate::services::input::kinds::Whole;
use crate::services::input::query;

/// Transactions on a page.
const SHOWN: usize = 50;
const GWEI: u8 = 9;
/// Gas limit of a block without a limit, as in the seeded market.
const MOST_GAS: u64 = u64::MAX;

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct BlockPage {
    /// page of the transactions
    #[schemars(extend("x-cause" = "page-block-page"))]
    page: Whole<1>,
}

/// Parses the name of a block: its number in decimal digits, or its hash.
pub(super) fn named(text: &str) -> Option<BlockId> {
    if text.starts_with("0x") {
        return text.parse::<B256>().ok().map(BlockId::hash);
    }
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number).map(BlockId::number)
}

pub(super) async fn get(
    State(pages): State<Arc<Pages>>,
    PathParameter(text): PathParameter,
    uri: Uri,
) -> Result<Markup, Problem> {
    let named = named(&text).ok_or_else(|| {
        Refusal::bad_input(
            "page-block",
            "a block has a number below 2⁶⁴ or a hash: 0x and 64 hexadecimal digits",
        )
    })?;
    let (chosen, Whole(shown)) = (chosen_chain(&uri)?, query::<BlockPage>(&uri)?.page);
    let chains = match chosen {
        Some(chain_id) => vec![chain_id],
        None => pages.api.chain_ids(),
    };
    let first = usize::try_from(shown - 1).unwrap_or(usize::MAX).saturating_mul(SHOWN);
    let mut blocks = Vec::new();
    for chain_id in chains {
        blocks.extend(pages.api.block(chain_id, named, first..first.saturating_add(SHOWN)).await?);
    }
    let content = match &blocks[..] {
        [] => return Err(Refusal::not_found("page-block", unknown(chosen)).into()),
        [block] => one(&pages, block, shown, &uri),
        all => choice(all, pages.now()),
    };
    let title = format!("Block {}", grouped(&blocks[0].number.to_string()));
    let frame = Frame { title: &title, source: Some("/live".into()), scripts: &[], links: LINKS };
    Ok(page(&frame, &pages.standing(), &html! { h1 { (title) } (content) }))
}

fn unknown(chosen: Option<u64>) -> String {
    match chosen {
        Some(chain_id) => format!("chain {chain_id} has no such block"),
        None => "no chain has such a block".to_owned(),
    }
}

/// A choice between the blocks with this number, one per chain.
fn choice(blocks: &[Block], now: u64) -> Markup {
    let rows = html! {
        @for block in blocks {
            tr {
                th scope="row" { a href=(block_path(block.number, block.chain_id)) { "Chain " (block.chain_id) } }
                (cell("Time", "", &ago(block.timestamp, now)))
                (cell("Transactions", "n", &count(block.count as u64)))
                (cell("Hash", "", &html! { code { (block.hash) } }))
            }
        }
    };
    let columns = [("Block", ""), ("Time", ""), ("Transactions", "n"), ("Hash", "")];
    html! {
        p { "Each chain has a block of this number." }
        section #blocks data-live aria-label="Blocks" { (table("Blocks", &heads(&columns), &rows)) }
    }
}

fn one(pages: &Pages, block: &Block, shown: u64, uri: &Uri) -> Markup {
    let Block { chain_id, number, gas_used, gas_limit, .. } = *block;
    let height = pages.api.height(chain_id).unwrap_or(number);
    html! {
        section #block data-live aria-label="Summary" {
            nav.paging aria-label="Neighbours" {
                @if number > 0 { a href=(block_path(number - 1, chain_id)) rel="prev" { "← " (grouped(&(number - 1).to_string())) } }
                span { "chain " (chain_id) }
                @if number < height { a href=(block_path(number + 1, chain_id)) rel="next" { (grouped(&(number + 1).to_string())) " →" } }
            }
            dl {
                dt { "Hash" } dd #hash { button.copy type="button" title=(block.hash) { code { (block.hash) } } }
                dt { "Parent" }
                dd {
                    @if number > 0 { a href=(block_path(block.parent, chain_id)) { code { (block.parent) } } } @else { code { (block.parent) } }
                }
                dt { "Time" } dd { (ago(block.timestamp, pages.now())) ", " (moment(block.timestamp)) }
                dt { "Gas" } dd { (count(gas_used)) @if gas_limit < MOST_GAS { " of " (count(gas_limit)) } @else { ", no limit" } }
                @if let Some(fee) = block.base_fee {
                    dt { "Base fee" } dd { data value=(fee) { (short(U256::from(fee), GWEI)) } " gwei" }
                }
                dt { "Transactions" } dd #count { (count(block.count as u64)) }
            }
        }
        (transactions(block, shown, uri))
    }
}

fn transactions(block: &Block, shown: u64, uri: &Uri) -> Markup {
    let last = (block.count.div_ceil(SHOWN) as u64).max(1);
    let columns = [
        ("Transaction", ""),
        ("From", ""),
        ("To", ""),
        ("Method", ""),
        ("Value", "n"),
        ("Gas", "n"),
        ("Result", ""),
    ];
    let rows = html! { @for included in &block.transactions { (row(included)) } };
    let at = |page: u64| with(uri, "page", &page.to_string());
    html! {
        section #transactions data-live aria-labelledby="transactions-title" {
            h2 #transactions-title { "Transactions" }
            @if block.count == 0 { p.muted { "None: the block is empty." } } @else {
                @if block.transactions.is_empty() { p.muted { "The block ends before this page." } } @else {
                    (table("Transactions", &heads(&columns), &rows))
                }
                @if last > 1 { (paging("Pages of the transactions", shown, last, at)) }
            }
        }
    }
}

fn row(Included { hash, from, call, succeeded }: &Included) -> Markup {
    html! {
        tr data-transaction=(hash) {
            (cell("Transaction", "", &transaction(*hash)))
            (cell("From", "", &address(*from)))
            (cell("To", "", &party(&call.contract)))
            (cell("Method", "", &html! { code { (call.name()) } }))
            (cell("Value", "n", &html! { bdi { (separated(call.value.as_deref().unwrap_or("0 ETH"))) } }))
            (cell("Gas", "n", &count(call.gas_used)))
            (cell("Result", "", &html! { @if *succeeded { span.rose { "succeeded" } } @else { span.fell { "reverted" } } }))
        }
    }
}

#[cfg(test)]
mod tests {
    use alloy::eips::BlockId;
    use alloy::primitives::B256;

    use super::named;

    #[test]
    fn blocks_are_named_by_number_or_hash() {
        assert_eq!(named("0"), Some(BlockId::number(0)));
        assert_eq!(named("18446744073709551615"), Some(BlockId::number(u64::MAX)));
        let hash = B256::repeat_byte(0xab);
        assert_eq!(named(&hash.to_string()), Some(BlockId::hash(hash)));
        let digits = "ab".repeat(32);
        for text in
            ["", "0x", "0x1", "-1", "+1", "1.0", "1e3", "latest", "18446744073709551616", &digits, "٣"]
        {
            assert_eq!(named(text), None, "{text}");
        }
    }
}
