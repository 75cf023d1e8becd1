//! The defect of a node: its RPC names another chain.
use serde_json::{Value, json};

use super::exchange::{ProxiedResponse, RequestParts};
use super::mutation::Mutation::Anywhere;
use super::mutation::{Row, row};

pub(in crate::http) const ROWS: &[Row] = &[row!(
    Node,
    "node-other-chain-id",
    &["CH-ID"],
    "the nodes report chain ids that are one too high",
    Anywhere(other_chain_id),
)];

/// The chain id is one too high, in single calls and in batches.
fn other_chain_id(request: &RequestParts, response: &mut ProxiedResponse) {
    let asked: Vec<&Value> = calls(&request.body).filter(|call| call["method"] == "eth_chainId").collect();
    let answers = match &mut response.body {
        Value::Array(answers) => answers.as_mut_slice(),
        answer => std::slice::from_mut(answer),
    };
    for answer in answers {
        let id =
            answer["result"].as_str().and_then(|text| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok());
        if let Some(id) = id
            && asked.iter().any(|call| call["id"] == answer["id"])
        {
            answer["result"] = json!(format!("{:#x}", id + 1));
        }
    }
}

fn calls(body: &Value) -> impl Iterator<Item = &Value> {
    match body {
        Value::Array(calls) => calls.as_slice(),
        call => std::slice::from_ref(call),
    }
    .iter()
}
