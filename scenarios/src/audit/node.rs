//! What a node says agrees with itself: blocks with their hashes, logs with their filter, their block and their receipt.
use std::collections::{BTreeMap, BTreeSet};

use alloy::consensus::constants::EMPTY_ROOT_HASH;
use alloy::consensus::{Transaction, TxEnvelope, Typed2718};
use alloy::eips::Decodable2718;
use alloy::primitives::{Address, B256, Bloom, Bytes, Log as RawLog, keccak256};
use alloy::rpc::types::{Block, Log};
use serde_json::Value;

use super::shape::Misshapen;
use crate::clause::Binding;

/// Members of a block that this knows; one with others has a hash over more than is known here.
const OF_A_BLOCK: [&str; 27] = [
    "baseFeePerGas",
    "blobGasUsed",
    "difficulty",
    "excessBlobGas",
    "extraData",
    "gasLimit",
    "gasUsed",
    "hash",
    "logsBloom",
    "miner",
    "mixHash",
    "nonce",
    "number",
    "parentBeaconBlockRoot",
    "parentHash",
    "receiptsRoot",
    "requestsHash",
    "sha3Uncles",
    "size",
    "stateRoot",
    "timestamp",
    "totalDifficulty",
    "transactions",
    "transactionsRoot",
    "uncles",
    "withdrawals",
    "withdrawalsRoot",
];
/// Members that the logs of a receipt share with it.
const OF_A_RECEIPT: [&str; 4] = ["blockHash", "blockNumber", "transactionHash", "transactionIndex"];

/// Calls that are answered with a number.
const QUANTITIES: [&str; 7] = [
    "eth_blockNumber",
    "eth_chainId",
    "eth_estimateGas",
    "eth_gasPrice",
    "eth_getBalance",
    "eth_getTransactionCount",
    "eth_maxPriorityFeePerGas",
];

/// Calls that are answered with bytes.
const BYTES: [&str; 3] = ["eth_call", "eth_getCode", "eth_getStorageAt"];

/// Calls that are answered with null where there is nothing.
const LOOKUPS: [&str; 4] =
    ["eth_getBlockByHash", "eth_getBlockByNumber", "eth_getTransactionByHash", "eth_getTransactionReceipt"];

pub(super) type Judged = Result<(), Misshapen>;

/// Judges the answers to one call, or to a list of them.
pub(super) fn judge(request: &Value, answer: &Value) -> Judged {
    let (Value::Array(calls), Value::Array(answers)) = (request, answer) else {
        return judge_call(request, answer);
    };
    for call in calls {
        let answer = answers.iter().find(|answer| answer["id"] == call["id"]);
        judge_call(
            call,
            answer.ok_or_else(|| wrong("", format!("an answer to call {}", call["id"]), &Value::Null))?,
        )?;
    }
    Ok(())
}

fn judge_call(call: &Value, answer: &Value) -> Judged {
    let result = &answer["result"];
    let method = call["method"].as_str().unwrap_or_default();
    if result.is_null() {
        // Nothing may be found where something is looked up; that nothing at all is said may not.
        let told =
            answer.get("result").is_some() && (LOOKUPS.contains(&method) || !method.starts_with("eth_"));
        return if !told && answer["error"].is_null() {
            Err(wrong("", "a result or an error", answer))
        } else {
            error(&answer["error"])
        };
    }
    lower_case(result)?;
    match method {
        "eth_getBlockByNumber" | "eth_getBlockByHash" => block(&call["params"][0], result),
        "eth_getLogs" => logs(&call["params"][0], result),
        method if QUANTITIES.contains(&method) && number(result).is_none() && !is_long(result) => {
            Err(wrong("/result", "a quantity", result))
        }
        method if BYTES.contains(&method) && !is_bytes(result) => {
            Err(wrong("/result", "bytes in hexadecimal digits", result))
        }
        "eth_simulateV1" => simulated(result),
        "eth_sendRawTransaction" => sent(&call["params"][0], result, "/result"),
        "eth_sendRawTransactionSync" => receipt_of(&call["params"][0], result),
        "eth_getTransactionReceipt" => receipt(result),
        _ => Ok(()),
    }
}

pub(super) fn wrong(pointer: &str, expected: impl Into<String>, value: &Value) -> Misshapen {
    Misshapen {
        pointer: pointer.to_owned(),
        expected: expected.into(),
        actual: crate::expect::fields::excerpt(value),
        binding: Binding::Interface,
    }
}

/// Numbers and bytes are written in lower case; addresses may have a checksum (EIP-55).
fn lower_case(value: &Value) -> Judged {
    match value {
        Value::String(text) => {
            let digits = text.strip_prefix("0x").unwrap_or_default();
            let upper = digits.bytes().any(|digit| digit.is_ascii_uppercase());
            let checked = digits.len() == 40 && Address::parse_checksummed(text, None).is_ok();
            if upper && !checked {
                Err(wrong("", "hexadecimal digits in lower case, or the checksum of an address", value))
            } else {
                Ok(())
            }
        }
        Value::Array(items) => items.iter().try_for_each(lower_case),
        Value::Object(members) => members.values().try_for_each(lower_case),
        _ => Ok(()),
    }
}

/// A block is the one that was asked for, and its hash is that of its header.
fn block(asked: &Value, reported: &Value) -> Judged {
    for name in ["number", "hash"] {
        let by_it = asked
            .as_str()
            .is_some_and(|asked| asked.starts_with("0x") && (asked.len() == 66) == (name == "hash"));
        if by_it && *asked != reported[name] {
            return Err(wrong(
                &format!("/result/{name}"),
                format!("{asked}, as it was asked for"),
                &reported[name],
            ));
        }
    }
    let transactions = reported["transactions"].as_array();
    let distinct: BTreeSet<String> = transactions.into_iter().flatten().map(Value::to_string).collect();
    if transactions.is_none_or(|all| all.len() != distinct.len()) {
        return Err(wrong("/result/transactions", "transactions, each once", &reported["transactions"]));
    }
    if !reported["uncles"].is_array() {
        return Err(wrong("/result/uncles", "a list", &reported["uncles"]));
    }
    for (name, root) in [("transactions", "transactionsRoot"), ("withdrawals", "withdrawalsRoot")] {
        let items = reported[name].as_array();
        let is_empty = reported[root].as_str().map(|root| root == EMPTY_ROOT_HASH.to_string());
        if is_empty.is_some_and(|is_empty| items.is_none_or(|items| items.is_empty() != is_empty)) {
            return Err(wrong(&format!("/result/{name}"), format!("those of {root}"), &reported[name]));
        }
    }
    header(reported, &[]).map_err(|bad| bad.below("result"))
}

/// The hash of a block is that of its header; `beside` are members that are none of the block.
fn header(reported: &Value, beside: &[&str]) -> Judged {
    let mut members = reported.as_object().cloned().unwrap_or_default();
    members.retain(|name, _| !beside.contains(&name.as_str()));
    let whole = members.keys().all(|name| OF_A_BLOCK.contains(&name.as_str()));
    // What is no block to this is for those who read it.
    let Some(block) = serde_json::from_value::<Block>(members.into()).ok().filter(|_| whole) else {
        return Ok(());
    };
    let hash = block.header.inner.hash_slow();
    if hash != block.header.hash {
        return Err(wrong("/hash", format!("{hash}, the hash of its header"), &reported["hash"]));
    }
    Ok(())
}

/// Logs are of the contracts, topics and blocks that were asked for, in order, and those of one block or transaction agree.
fn logs(filter: &Value, reported: &Value) -> Judged {
    let mut blocks: BTreeMap<String, [&Value; 2]> = BTreeMap::new();
    let mut transactions: BTreeMap<String, [&Value; 3]> = BTreeMap::new();
    let mut last = (0, None);
    for (at, log) in reported.as_array().into_iter().flatten().enumerate() {
        let place = |name: &str| format!("/result/{at}/{name}");
        if serde_json::from_value::<Log>(log.clone()).is_err() {
            return Err(wrong(&format!("/result/{at}"), "a log", log));
        }
        if log["removed"].as_bool() == Some(true) {
            return Err(wrong(&place("removed"), "false for a log of the chain", &log["removed"]));
        }
        for (name, asked, value) in [
            ("address", &filter["address"], &log["address"]),
            ("topics", &filter["topics"][0], &log["topics"][0]),
        ] {
            if !asked_for(asked, value) {
                return Err(wrong(&place(name), format!("one of {asked}"), value));
            }
        }
        let (block, index) = (number(&log["blockNumber"]), number(&log["logIndex"]));
        let within = |name: &str, fits: fn(u64, u64) -> bool| {
            number(&filter[name]).zip(block).is_none_or(|(bound, block)| fits(block, bound))
        };
        if !within("fromBlock", |block, from| block >= from) || !within("toBlock", |block, to| block <= to) {
            return Err(wrong(&place("blockNumber"), "a block that was asked for", &log["blockNumber"]));
        }
        if (block.unwrap_or_default(), index) <= last && at > 0 {
            return Err(wrong(&place("logIndex"), "a place after the log before", &log["logIndex"]));
        }
        last = (block.unwrap_or_default(), index);
        let of_block = [&log["blockHash"], &log["blockTimestamp"]];
        if *blocks.entry(log["blockNumber"].to_string()).or_insert(of_block) != of_block {
            return Err(wrong(&place("blockHash"), "what other logs of its block have", of_block[0]));
        }
        let of_transaction = [&log["blockHash"], &log["blockNumber"], &log["transactionIndex"]];
        if *transactions.entry(log["transactionHash"].to_string()).or_insert(of_transaction) != of_transaction
        {
            return Err(wrong(
                &place("transactionIndex"),
                "what other logs of its transaction have",
                of_transaction[2],
            ));
        }
    }
    Ok(())
}

/// Whether a value is one that a filter asks for: one, some, or any.
fn asked_for(asked: &Value, value: &Value) -> bool {
    let same = |one: &Value| match (one.as_str(), value.as_str()) {
        (Some(one), Some(value)) => one.eq_ignore_ascii_case(value),
        _ => false,
    };
    match asked {
        Value::Null => true,
        Value::Array(some) => some.is_empty() || some.iter().any(same),
        one => same(one),
    }
}

/// The hash of a transaction that was sent is that of its bytes.
fn sent(raw: &Value, reported: &Value, pointer: &str) -> Judged {
    let Some(bytes) = raw.as_str().and_then(|text| text.parse::<Bytes>().ok()) else { return Ok(()) };
    let hash = keccak256(bytes).to_string();
    if reported.as_str() == Some(&hash) { Ok(()) } else { Err(wrong(pointer, hash, reported)) }
}

/// The receipt of a transaction that was sent is of its type (EIP-2718), and uses no more than its gas.
fn receipt_of(raw: &Value, reported: &Value) -> Judged {
    sent(raw, &reported["transactionHash"], "/result/transactionHash")?;
    let bytes = raw.as_str().and_then(|text| text.parse::<Bytes>().ok()).unwrap_or_default();
    let Ok(transaction) = TxEnvelope::decode_2718(&mut bytes.as_ref()) else { return receipt(reported) };
    if number(&reported["type"]) != Some(u64::from(transaction.ty())) {
        return Err(wrong(
            "/result/type",
            format!("{:#x}, as it was sent", transaction.ty()),
            &reported["type"],
        ));
    }
    if number(&reported["gasUsed"]).is_some_and(|used| used > transaction.gas_limit()) {
        return Err(wrong(
            "/result/gasUsed",
            format!("at most {}", transaction.gas_limit()),
            &reported["gasUsed"],
        ));
    }
    receipt(reported)
}

/// A receipt is of a transaction alone or after others, of a call or a new contract; its logs are its own, and its bloom is theirs.
fn receipt(reported: &Value) -> Judged {
    let mut bloom = Bloom::ZERO;
    for name in ["blockHash", "transactionHash"] {
        if reported[name].as_str().is_none_or(|text| text.parse::<B256>().is_err()) {
            return Err(wrong(&format!("/result/{name}"), "32 bytes", &reported[name]));
        }
    }
    for name in ["blockNumber", "transactionIndex", "status", "effectiveGasPrice"] {
        if number(&reported[name]).is_none() {
            return Err(wrong(&format!("/result/{name}"), "a quantity", &reported[name]));
        }
    }
    let is_address = |name: &str| reported[name].as_str().is_some_and(|text| text.parse::<Address>().is_ok());
    if !is_address("from") {
        return Err(wrong("/result/from", "an address", &reported["from"]));
    }
    // A transaction goes to an address, or makes a contract at one.
    for (name, other) in [("to", "contractAddress"), ("contractAddress", "to")] {
        let fits = if reported[other].is_null() { is_address(name) } else { reported[name].is_null() };
        if !fits || reported.get(name).is_none() {
            return Err(wrong(
                &format!("/result/{name}"),
                format!("an address or null, where {other} is {}", reported[other]),
                &reported[name],
            ));
        }
    }
    // Some nodes write this number in digits.
    let seconds = |value: &Value| value.as_u64().or_else(|| number(value));
    let time = reported.get("blockTimestamp").map(seconds);
    if time == Some(None) {
        return Err(wrong("/result/blockTimestamp", "a quantity", &reported["blockTimestamp"]));
    }
    let first = number(&reported["transactionIndex"]) == Some(0);
    let mut next = first.then_some(0);
    for (at, log) in reported["logs"].as_array().into_iter().flatten().enumerate() {
        let index = number(&log["logIndex"]);
        if index.is_none() || next.is_some_and(|next| index != Some(next)) {
            return Err(wrong(&format!("/result/logs/{at}/logIndex"), "one after another", &log["logIndex"]));
        }
        next = index.map(|index| index + 1);
        for name in OF_A_RECEIPT {
            if log[name] != reported[name] {
                return Err(wrong(
                    &format!("/result/logs/{at}/{name}"),
                    format!("{}, as its receipt", reported[name]),
                    &log[name],
                ));
            }
        }
        let of_log = log.get("blockTimestamp").map(seconds);
        if time.is_some() && of_log.is_some_and(|of_log| Some(of_log) != time) {
            let place = format!("/result/logs/{at}/blockTimestamp");
            return Err(wrong(&place, "the time of its receipt", &log["blockTimestamp"]));
        }
        let Ok(parsed) = serde_json::from_value::<Log>(log.clone()) else {
            return Err(wrong(&format!("/result/logs/{at}"), "a log", log));
        };
        let raw: RawLog = parsed.inner;
        bloom.accrue_log(&raw);
    }
    let own: Option<Bloom> = reported["logsBloom"].as_str().and_then(|text| text.parse().ok());
    if own != Some(bloom) {
        return Err(wrong("/result/logsBloom", "the bloom of its logs", &reported["logsBloom"]));
    }
    let (used, cumulative) = (number(&reported["gasUsed"]), number(&reported["cumulativeGasUsed"]));
    if used.is_none() || used > cumulative || (first && used != cumulative) {
        return Err(wrong(
            "/result/cumulativeGasUsed",
            "gasUsed of this transaction and of those before it",
            &reported["cumulativeGasUsed"],
        ));
    }
    Ok(())
}

/// An error has a number and words; what a contract reverted with is bytes.
fn error(reported: &Value) -> Judged {
    if reported.is_null() {
        return Ok(());
    }
    if !reported["code"].is_i64() || !reported["message"].is_string() {
        return Err(wrong("/error", "a code and a message", reported));
    }
    lower_case(&reported["data"]).map_err(|bad| bad.below("data").below("error"))?;
    let reverted = reported["code"] == 3 && reported.get("data").is_some();
    if reverted && reported["data"].as_str().is_none_or(|text| text.parse::<Bytes>().is_err()) {
        return Err(wrong("/error/data", "bytes", &reported["data"]));
    }
    Ok(())
}

/// What calls of simulated blocks came to: whether they passed, and logs of their block.
fn simulated(reported: &Value) -> Judged {
    for (at, block) in reported.as_array().into_iter().flatten().enumerate() {
        let within = |bad: Misshapen| bad.below(&at.to_string()).below("result");
        header(block, &["calls"]).map_err(within)?;
        let used =
            block["calls"].as_array().into_iter().flatten().filter_map(|call| number(&call["gasUsed"]));
        if number(&block["gasUsed"]) != Some(used.sum()) {
            return Err(within(wrong("/gasUsed", "the gas of its calls", &block["gasUsed"])));
        }
        for (place, call) in block["calls"].as_array().into_iter().flatten().enumerate() {
            let pointer = |name: &str| format!("/result/{at}/calls/{place}/{name}");
            let fits = match call["status"].as_str() {
                Some("0x1") => call["error"].is_null(),
                Some("0x0") => !call["error"].is_null(),
                _ => false,
            };
            if !fits || error(&call["error"]).is_err() {
                return Err(wrong(&pointer("status"), "0x1, or 0x0 and an error", call));
            }
            if number(&call["gasUsed"]).is_none() {
                return Err(wrong(&pointer("gasUsed"), "a quantity", &call["gasUsed"]));
            }
            let mut last = None;
            for log in call["logs"].as_array().into_iter().flatten() {
                let of_block =
                    [("number", "blockNumber"), ("hash", "blockHash"), ("timestamp", "blockTimestamp")];
                // Not every node tells all of them.
                let same = |(own, name): (&str, &str)| log[name].is_null() || block[own] == log[name];
                let index = number(&log["logIndex"]);
                let parsed = serde_json::from_value::<Log>(log.clone()).is_ok();
                if !parsed || !of_block.into_iter().all(same) || index.is_none() || index <= last {
                    return Err(wrong(&pointer("logs"), "logs of their block, in order", log));
                }
                last = index;
            }
        }
    }
    Ok(())
}

/// Whether it is a number of more than 64 bits.
fn is_long(value: &Value) -> bool {
    let digits = value.as_str().and_then(|text| text.strip_prefix("0x")).unwrap_or_default();
    (17..=64).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

fn is_bytes(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with("0x") && text.parse::<Bytes>().is_ok())
}

pub(super) fn number(value: &Value) -> Option<u64> {
    u64::from_str_radix(value.as_str()?.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    pub(in super::super) fn log(block: &str, index: &str) -> Value {
        let word = |digit: &str| format!("0x{}", digit.repeat(64));
        json!({
            "address": format!("0x{}", "1".repeat(40)), "topics": [word("2")], "data": "0x", "removed": false,
            "blockHash": word("3"), "blockNumber": block, "transactionHash": word("4"), "transactionIndex": "0x0",
            "logIndex": index,
        })
    }

    fn asked(filter: Value, reported: Value) -> Judged {
        judge(
            &json!({"id": 1, "method": "eth_getLogs", "params": [filter]}),
            &json!({"id": 1, "result": reported}),
        )
    }

    #[test]
    fn logs_agree_with_their_filter_and_each_other() {
        let filter =
            json!({"address": [format!("0x{}", "1".repeat(40))], "fromBlock": "0x1", "toBlock": "0x9"});
        let sound = [log("0x2", "0x0"), log("0x2", "0x1")];
        assert_eq!(asked(filter.clone(), json!(sound)), Ok(()));
        for (name, value) in [
            ("address", json!(format!("0x{}", "9".repeat(40)))),
            ("blockNumber", json!("0xa")),
            ("blockHash", json!(format!("0x{}", "a".repeat(64)))),
            ("transactionIndex", json!("0x1")),
            ("logIndex", json!("0x0")),
            ("removed", json!(true)),
            ("topics", Value::Null),
        ] {
            let mut broken = sound.clone();
            broken[1][name] = value;
            assert!(asked(filter.clone(), json!(broken)).is_err(), "{name}");
        }
        assert!(asked(json!({}), json!([log("0x2", "0x0"), log("0x2", "0xA")])).is_err());
    }

    #[test]
    fn a_list_of_calls_is_judged_by_number() {
        let calls = json!([{"id": 1, "method": "eth_chainId"}, {"id": 2, "method": "eth_getBlockByNumber", "params": ["0x5", false]}]);
        assert_eq!(judge(&calls, &json!([{"id": 2, "result": null}, {"id": 1, "result": "0xdef1"}])), Ok(()));
        assert!(judge(&calls, &json!([{"id": 1, "result": "0xDEF1"}])).is_err());
        assert!(judge(&calls, &json!([{"id": 2, "result": {"number": "0x6"}}])).is_err());
    }

    #[test]
    fn a_transaction_has_the_hash_of_its_bytes() {
        let call = json!({"id": 1, "method": "eth_sendRawTransaction", "params": ["0x616263"]});
        let hash = "0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45";
        assert_eq!(judge(&call, &json!({"id": 1, "result": hash})), Ok(()));
        assert!(judge(&call, &json!({"id": 1, "result": hash.replace("4e03", "4e04")})).is_err());
        let refused = json!({"id": 1, "error": {"code": -32000, "message": "nonce too low"}});
        assert_eq!(judge(&call, &refused), Ok(()));
    }
}
