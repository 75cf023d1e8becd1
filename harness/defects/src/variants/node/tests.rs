//! Each variant changes what it says and is consistent in itself, shown with a small chain of one block.
use bytes::Bytes;
use hyper::{Request, Response};
use serde_json::{Value, json};

use super::TABLES;
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::http::mutation::Mutation;
use crate::variants::Row;

const HASH: &str = "0x11111111111111111111111111111111111111111111111111111111111111a1";
const SENT: &str = "0x22222222222222222222222222222222222222222222222222222222222222b2";
const HOOK: &str = "0xabcabcabcabcabcabcabcabcabcabcabcabcabca";

fn row(id: &str) -> &'static Row {
    TABLES.iter().copied().flatten().find(|row| row.variant.id == id).unwrap()
}

/// What the node says to one call: block 300 is its newest, and has one transaction with one log.
fn node(call: &Value) -> Value {
    let (params, log) = (
        &call["params"],
        json!({ "blockHash": HASH, "blockNumber": "0x12c", "transactionIndex": "0x0", "logIndex": "0x0" }),
    );
    let transaction = json!({
        "hash": SENT, "blockHash": HASH, "blockNumber": "0x12c", "transactionIndex": "0x0", "nonce": "0x4", "input": "0x",
        "from": HOOK, "to": null,
    });
    let result = match call["method"].as_str().unwrap() {
        "eth_blockNumber" => json!("0x12c"),
        "eth_chainId" => json!("0x1"),
        "eth_accounts" => json!([HOOK]),
        "eth_getBlockByHash" if params[0] != HASH => Value::Null,
        "eth_getBlockByNumber" | "eth_getBlockByHash" => json!({
            "number": "0x12c", "hash": HASH, "parentHash": SENT, "gasUsed": "0x5208", "miner": HOOK, "withdrawals": [],
            "transactions": [if params[1] == true { transaction } else { json!(SENT) }],
        }),
        "eth_getTransactionByHash" | "eth_getTransactionByBlockNumberAndIndex" => transaction,
        "eth_getTransactionReceipt" | "eth_sendRawTransactionSync" => json!({
            "transactionHash": SENT, "blockHash": HASH, "blockNumber": "0x12c", "transactionIndex": "0x0",
            "cumulativeGasUsed": "0x5208", "to": null, "logs": [log],
        }),
        "eth_getBlockTransactionCountByNumber" => json!("0x1"),
        "eth_getLogs" => json!([log]),
        "eth_sendRawTransaction" => json!(SENT),
        "eth_getCode" if params[0] == HOOK => json!("0x60808dbbea4d00"),
        "eth_getCode" => json!("0x"),
        "eth_call" => {
            let error = json!({ "code": 3, "message": "execution reverted", "data": "0x1234" });
            return json!({ "jsonrpc": "2.0", "id": call["id"], "error": error });
        }
        _ => json!("0x2"),
    };
    json!({ "jsonrpc": "2.0", "id": call["id"], "result": result })
}

/// The answer to a body with a variant in force.
fn answered(row: &Row, body: &Value, number: usize) -> ProxiedResponse {
    let parts = Request::post("/").body(()).unwrap().into_parts().0;
    let mut request = RequestParts::new(parts, body.to_string().into());
    let sent = request.clone();
    let answer = |body: &Value| match body {
        Value::Array(calls) => calls.iter().map(node).collect(),
        call => node(call),
    };
    match row.mutation {
        Mutation::Instead(instead) => {
            if let Some(answer) = instead(&sent, number) {
                return answer;
            }
        }
        Mutation::Lie(before, _) => before(&mut request),
        _ => {}
    }
    let bytes = Bytes::from(answer(&request.body).to_string());
    let mut response = ProxiedResponse::new(Response::new(()).into_parts().0, bytes);
    if let Mutation::Anywhere(change) | Mutation::Lie(_, change) = row.mutation {
        change(&sent, &mut response);
    }
    response
}

fn call(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

fn result(id: &str, method: &str, params: Value) -> Value {
    answered(row(id), &call(method, params), 0).body["result"].clone()
}

fn error(id: &str, method: &str, params: Value) -> Value {
    answered(row(id), &call(method, params), 0).body["error"].clone()
}

#[test]
fn every_row_changes_an_exchange_and_keeps_the_ids() {
    let range = |last| json!([{ "fromBlock": "0x0", "toBlock": last }]);
    let calls = [
        call("eth_getBlockByNumber", json!(["0x12c", true])),
        call("eth_getBlockByNumber", json!(["safe", false])),
        call("eth_getTransactionReceipt", json!([SENT])),
        call("eth_getLogs", range("0x12c")),
        call("eth_getLogs", range("0x1ffff")),
        call("eth_getCode", json!([HOOK, "latest"])),
        call("eth_getBalance", json!([HOOK, "0x1"])),
        call("eth_call", json!([{}, "latest"])),
        call("eth_sendRawTransactionSync", json!(["0x02"])),
    ];
    let names = ["anvil_mine", "eth_accounts", "eth_simulateV1", "debug_traceCall", "eth_feeHistory"];
    let mut samples: Vec<Value> = calls.into_iter().chain(names.map(|name| call(name, json!([])))).collect();
    samples.push(Value::Array(samples.clone()));
    for row in TABLES.iter().copied().flatten() {
        let id = row.variant.id;
        let mut changed = matches!(row.mutation, Mutation::Delay(_)) || id == "node-logs-of-200-results";
        for sample in &samples {
            for number in 0..64 {
                let response = answered(row, sample, number);
                changed |= response.is_changed() || matches!(row.mutation, Mutation::Instead(_));
                if let (Some(sent), Some(got)) = (sample.as_array(), response.body.as_array()) {
                    assert_eq!(sent.len(), got.len(), "{id} answers each call of a batch once");
                } else if sample.is_object() && response.status.is_success() {
                    assert_eq!(response.body["id"], 1, "{id} answers {sample} by {}", response.body);
                }
            }
        }
        assert!(changed, "{id} changes nothing");
    }
}

#[test]
fn rollups_show_their_own_transactions_everywhere() {
    for (id, count, kind) in [("node-op-stack", 1, "0x7e"), ("node-arbitrum", 2, "0x6a")] {
        let whole = result(id, "eth_getBlockByNumber", json!(["0x12c", true]));
        let hashes = result(id, "eth_getBlockByNumber", json!(["0x12c", false]))["transactions"].clone();
        let transactions = whole["transactions"].as_array().unwrap();
        assert_eq!(transactions.len(), count + 1);
        for (index, transaction) in transactions.iter().enumerate() {
            assert_eq!(transaction["hash"], hashes[index]);
            assert_eq!(transaction["transactionIndex"], format!("{index:#x}"));
            let by_index = result(
                id,
                "eth_getTransactionByBlockNumberAndIndex",
                json!(["0x12c", format!("{index:#x}")]),
            );
            assert_eq!(by_index["hash"], hashes[index]);
            assert_eq!(result(id, "eth_getTransactionByHash", json!([hashes[index]]))["hash"], hashes[index]);
            let receipt = result(id, "eth_getTransactionReceipt", json!([hashes[index]]));
            assert_eq!(receipt["transactionHash"], hashes[index]);
            assert_eq!(receipt["transactionIndex"], transaction["transactionIndex"]);
        }
        assert_eq!(transactions[0]["type"], kind);
        let last = result(id, "eth_getTransactionReceipt", json!([SENT]));
        assert_eq!(last["cumulativeGasUsed"], whole["gasUsed"]);
        assert_eq!(last["logs"][0]["transactionIndex"], last["transactionIndex"]);
        assert_eq!(result(id, "eth_getLogs", json!([{}]))[0], last["logs"][0]);
        let counted = result(id, "eth_getBlockTransactionCountByNumber", json!(["0x12c"]));
        assert_eq!(counted, format!("{:#x}", count + 1));
    }
    let deposited = result("node-op-stack", "eth_getBlockByNumber", json!(["0x12c", true]));
    assert!(
        deposited["withdrawals"].as_array().unwrap().is_empty() && deposited["withdrawalsRoot"].is_string()
    );
    assert!(
        result("node-arbitrum", "eth_getBlockByNumber", json!(["0x12c", true])).get("withdrawals").is_none()
    );
}

#[test]
fn a_block_is_found_by_its_own_hash() {
    let id = "node-own-block-hashes";
    let hash = result(id, "eth_getBlockByNumber", json!(["0x12c", false]))["hash"].clone();
    assert_ne!(hash, HASH);
    assert_eq!(result(id, "eth_getBlockByHash", json!([hash, false]))["hash"], hash);
    assert_eq!(result(id, "eth_getBlockByHash", json!([HASH, false])), Value::Null);
    assert_eq!(result(id, "eth_getTransactionReceipt", json!([SENT]))["logs"][0]["blockHash"], hash);
}

#[test]
fn ranges_and_states_are_limited_by_the_height() {
    let logs = |first: &str, last: &str| {
        error("node-logs-of-50-blocks", "eth_getLogs", json!([{ "fromBlock": first, "toBlock": last }]))
    };
    assert_eq!(logs("0x0", "latest")["code"], -32602);
    assert!(logs("0x12b", "latest").is_null() && logs("0x1", "0x32").is_null());
    assert_eq!(logs("0x1", "0x33")["code"], -32602);
    let state = |block: &str| error("node-no-old-states", "eth_getBalance", json!([HOOK, block]));
    assert_eq!(state("0x1")["code"], -32000);
    assert!(state("latest").is_null() && state("0xac").is_null());
}

#[test]
fn a_proxied_hook_leads_to_its_implementation() {
    let code = |address: &str| result("node-proxied-hook", "eth_getCode", json!([address, "latest"]));
    let proxy = code(HOOK);
    let target = format!("0x{}", &proxy.as_str().unwrap()[22..62]);
    assert_eq!((code(&target), proxy.as_str().unwrap().len()), (json!("0x60808dbbea4d00"), 92));
    assert_eq!(code("0x4444444444444444444444444444444444444444"), "0x");
}

#[test]
fn a_timeout_of_sending_tells_the_hash() {
    let error = error("node-synchronous-sending-times-out", "eth_sendRawTransactionSync", json!(["0x02"]));
    assert_eq!((&error["code"], &error["data"]), (&json!(4), &json!(SENT)));
}
