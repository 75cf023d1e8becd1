//! What a node says agrees with itself: blocks with their hashes, logs with their filter, their block and their receipt.
use std::collections::BTreeMap;

use alloy::primitives::{Bloom, Log as RawLog};
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

type Judged = Result<(), Misshapen>;

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
    if result.is_null() {
        // Nothing may be found; that nothing at all is said may not.
        return if answer.get("result").is_some()
            || answer.get("error").is_some_and(|reported| !reported.is_null())
        {
            error(&answer["error"])
        } else {
            Err(wrong("", "a result or an error", answer))
        };
    }
    lower_case(result)?;
    match call["method"].as_str().unwrap_or_default() {
        "eth_getBlockByNumber" | "eth_getBlockByHash" => block(&call["params"][0], result),
        "eth_getLogs" => logs(&call["params"][0], result),
        method if QUANTITIES.contains(&method) && number(result).is_none() && !is_long(result) => {
            Err(wrong("/result", "a quantity", result))
        }
        "eth_simulateV1" => simulated(result),
        "eth_getTransactionReceipt" | "eth_sendRawTransactionSync" => receipt(result),
        _ => Ok(()),
    }
}

fn wrong(pointer: &str, expected: impl Into<String>, value: &Value) -> Misshapen {
    Misshapen {
        pointer: pointer.to_owned(),
        expected: expected.into(),
        actual: crate::expect::fields::excerpt(value),
        binding: Binding::Interface,
    }
}

/// Numbers and bytes are written in lower case; addresses may have a checksum.
fn lower_case(value: &Value) -> Judged {
    match value {
        Value::String(text) => {
            let written = text.strip_prefix("0x").filter(|digits| digits.len() != 40);
            let upper = written.is_some_and(|digits| digits.bytes().any(|digit| digit.is_ascii_uppercase()));
            if upper { Err(wrong("", "hexadecimal digits in lower case", value)) } else { Ok(()) }
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
    let known = |name: &String| OF_A_BLOCK.contains(&name.as_str());
    let whole = reported.as_object().is_some_and(|members| members.keys().all(known));
    // What is no block to this is for those who read it.
    let Some(block) = serde_json::from_value::<Block>(reported.clone()).ok().filter(|_| whole) else {
        return Ok(());
    };
    let hash = block.header.inner.hash_slow();
    if hash != block.header.hash {
        return Err(wrong("/result/hash", format!("{hash}, the hash of its header"), &reported["hash"]));
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

/// The logs of a receipt are its own, and its bloom is theirs.
fn receipt(reported: &Value) -> Judged {
    let mut bloom = Bloom::ZERO;
    for (at, log) in reported["logs"].as_array().into_iter().flatten().enumerate() {
        for name in OF_A_RECEIPT {
            if log[name] != reported[name] {
                return Err(wrong(
                    &format!("/result/logs/{at}/{name}"),
                    format!("{}, as its receipt", reported[name]),
                    &log[name],
                ));
            }
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
    if used.is_none() || used > cumulative {
        return Err(wrong(
            "/result/cumulativeGasUsed",
            "no less than gasUsed",
            &reported["cumulativeGasUsed"],
        ));
    }
    Ok(())
}

/// An error has a number and words.
fn error(reported: &Value) -> Judged {
    if reported.is_null() || (reported["code"].is_i64() && reported["message"].is_string()) {
        return Ok(());
    }
    Err(wrong("/error", "a code and a message", reported))
}

/// What calls of simulated blocks came to: whether they passed, and logs of their block.
fn simulated(reported: &Value) -> Judged {
    for (at, block) in reported.as_array().into_iter().flatten().enumerate() {
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
                if !of_block.into_iter().all(same) || index.is_none() || index <= last {
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

fn number(value: &Value) -> Option<u64> {
    u64::from_str_radix(value.as_str()?.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn log(block: &str, index: &str) -> Value {
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
}
