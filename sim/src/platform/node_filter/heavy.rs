//! Calls for the traces of large transactions. A node holds its chain while it lists the calls of a transaction, for a time that grows with
//! the square of their number: half a minute for a full block of the cheapest calls. So the archive node does that, which holds nothing.

use super::archive::{About, numbered};
use super::call::{Call, LIMIT_EXCEEDED, Refused};
use crate::chain::{Chain, ChainError, TRACED_GAS};

/// Methods that list the calls of the transaction that is their first parameter.
const OF_TRANSACTION: [&str; 4] =
    ["debug_traceTransaction", "trace_transaction", "trace_replayTransaction", "ots_traceTransaction"];
/// Methods that list the calls of all transactions of the block that is their first parameter.
const OF_BLOCK: [&str; 4] =
    ["debug_traceBlockByHash", "debug_traceBlockByNumber", "trace_block", "trace_replayBlockTransactions"];
/// Methods that look through the calls of all blocks.
const OF_ALL: [&str; 3] =
    ["ots_getContractCreator", "ots_searchTransactionsAfter", "ots_searchTransactionsBefore"];

/// The blocks whose traces a call reads.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Traced {
    One(About),
    /// One of the latest blocks.
    Latest,
    /// From the first to the last one; without an end, to the latest one.
    Range(u64, Option<u64>),
}

/// The last of the blocks whose traces a call reads, if one of them is too large for the node of `chain`; blocks up to `market` never are, for
/// the archive has them anyway.
pub(super) async fn last_block(call: &Call, market: u64, chain: &Chain) -> Result<Option<u64>, ChainError> {
    let Some(traced) = traced(call) else { return Ok(None) };
    let head = chain.head().await?.number;
    let (first, last) = match traced {
        Traced::One(about) => {
            // The node says that it lacks a block.
            let block = about.number(chain).await?.filter(|block| *block <= head);
            let Some(block) = block else { return Ok(None) };
            (block, block)
        }
        Traced::Latest => (head, head),
        Traced::Range(first, last) => (first, last.unwrap_or(head).min(head)),
    };
    let is_heavy = chain.has_heavy_block(first.max(market + 1), last, TRACED_GAS).await?;
    Ok(is_heavy.then_some(last))
}

/// The refusal of a call whose traces the archive cannot make.
pub(super) fn too_much() -> Refused {
    let message =
        format!("a transaction of more than {TRACED_GAS} gas has no trace here: its calls may be too many");
    Refused::new(LIMIT_EXCEEDED, message)
}

/// Whether a call looks through the calls of all blocks.
pub(super) fn reads_all_blocks(call: &Call) -> bool {
    OF_ALL.contains(&call.method.as_str())
}

fn traced(call: &Call) -> Option<Traced> {
    let (method, first) = (call.method.as_str(), || call.parameter(0));
    if OF_TRANSACTION.contains(&method) {
        return Some(Traced::One(About::Transaction(serde_json::from_value(first()).ok()?)));
    }
    if OF_BLOCK.contains(&method) {
        let about = match serde_json::from_value(first()) {
            Ok(hash) => Some(About::Block(hash)),
            Err(_) => numbered(&first()).map(About::Number),
        };
        return Some(about.map_or(Traced::Latest, Traced::One));
    }
    if method == "trace_filter" {
        let edge = |name| first().get(name).filter(|edge| !edge.is_null()).map(numbered);
        return Some(Traced::Range(edge("fromBlock").flatten().unwrap_or(0), edge("toBlock").flatten()));
    }
    reads_all_blocks(call).then_some(Traced::Range(0, None))
}

#[cfg(test)]
mod tests {
    use alloy::primitives::B256;
    use serde_json::{Value, json};

    use super::super::call::{Asked, read};
    use super::{About, Traced, traced};

    fn of(method: &str, params: Value) -> Option<Traced> {
        let text = json!({ "method": method, "params": params, "id": 1 }).to_string();
        let Ok(Asked::One(call)) = read(text.as_bytes(), 1) else { panic!("{text}") };
        traced(&call)
    }

    #[test]
    fn blocks_of_traces_are_found_in_every_form() {
        let hash = B256::repeat_byte(7);
        let number = Traced::One(About::Number(16));
        for (method, params, expected) in [
            ("debug_traceTransaction", json!([hash, {}]), Some(Traced::One(About::Transaction(hash)))),
            ("ots_traceTransaction", json!([hash]), Some(Traced::One(About::Transaction(hash)))),
            ("trace_block", json!(["0x10"]), Some(number.clone())),
            ("trace_replayBlockTransactions", json!([16, ["trace"]]), Some(number)),
            ("debug_traceBlockByNumber", json!(["latest"]), Some(Traced::Latest)),
            ("debug_traceBlockByHash", json!([hash]), Some(Traced::One(About::Block(hash)))),
            (
                "trace_filter",
                json!([{ "fromBlock": "0x2", "toBlock": "0x10" }]),
                Some(Traced::Range(2, Some(16))),
            ),
            (
                "trace_filter",
                json!([{ "fromBlock": "0x2", "toBlock": "latest" }]),
                Some(Traced::Range(2, None)),
            ),
            ("trace_filter", json!([{}]), Some(Traced::Range(0, None))),
            ("ots_searchTransactionsBefore", json!([hash, 0, 25]), Some(Traced::Range(0, None))),
            ("ots_getInternalOperations", json!([hash]), None),
            ("eth_getBlockByNumber", json!(["0x10", true]), None),
        ] {
            assert_eq!(of(method, params.clone()), expected, "{method} {params}");
        }
    }
}
