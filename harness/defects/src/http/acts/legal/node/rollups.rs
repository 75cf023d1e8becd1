//! Chains of the OP Stack and of Arbitrum: system transactions open each block, headers and receipts have additional members, and clients
//! that do not know the headers cannot compute block hashes.
use alloy::primitives::{B256, keccak256};
use serde_json::{Value, json};

use crate::http::act::{Act, Context, act};
use crate::http::calls::{
    NOTIFICATION, add, each_answer, each_call, each_result, method, mirrored, number, quantity, refuse,
};
use crate::http::exchange::{ProxiedResponse, RequestParts, remove};
use crate::json::{each_object, list};

pub(in crate::http::acts) const ACTS: &[Act] = &[
    act!(Before op_stack_calls),
    act!(After op_stack_answers),
    act!(Before arbitrum_calls),
    act!(After arbitrum_answers),
    act!(Before other_hash_calls),
    act!(After other_hash_answers),
];

/// The differences between a rollup and a plain chain.
struct Rollup {
    /// The first four bytes of the hashes of its system transactions, with `0x`.
    mark: &'static str,
    /// Its system transactions at the start of a block, without the members that all transactions have.
    transactions: &'static [fn(u64) -> Value],
    /// The gas that they use in total.
    gas: u64,
    header: fn(&mut Value),
    /// Additional members of each receipt.
    receipt: fn() -> Value,
    /// Additional members of the receipts of its system transactions.
    own_receipt: fn(u64) -> Value,
}

const OP: Rollup = Rollup {
    mark: "0x7e7e7e7e",
    transactions: &[deposit],
    gas: 46_913,
    header: isthmus_header,
    receipt: || {
        json!({
            "l1BaseFeeScalar": "0x8dd", "l1BlobBaseFee": "0x1", "l1BlobBaseFeeScalar": "0x101c12", "l1Fee": "0x0",
            "l1GasPrice": "0x2ecb4bd1", "l1GasUsed": "0x640", "operatorFeeConstant": "0x0", "operatorFeeScalar": "0x0",
        })
    },
    own_receipt: |block| json!({ "depositNonce": quantity(block - 1), "depositReceiptVersion": "0x1" }),
};

const ARBITRUM: Rollup = Rollup {
    mark: "0x6a6a6a6a",
    transactions: &[start_of_block, from_parent_chain],
    gas: 0,
    header: nitro_header,
    receipt: || json!({ "gasUsedForL1": "0x0", "l1BlockNumber": "0x15c7d3f", "timeboosted": false }),
    own_receipt: |_| json!({}),
};

/// The L1 attributes, set by the system.
fn deposit(block: u64) -> Value {
    json!({
        "type": "0x7e", "from": "0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001",
        "to": "0x4200000000000000000000000000000000000015", "sourceHash": keccak256(block.to_le_bytes()),
        "mint": "0x0", "isSystemTx": false, "depositReceiptVersion": "0x1", "nonce": quantity(block - 1),
        "gas": "0xf4240", "gasPrice": "0x0", "input": format!("0x440a5e20{}", "0".repeat(320)),
    })
}

fn isthmus_header(block: &mut Value) {
    block["withdrawals"] = json!([]);
    // The storage root of the message passer, by the rules of Isthmus.
    block["withdrawalsRoot"] = json!(keccak256(block["number"].as_str().unwrap_or_default()));
    block["requestsHash"] = json!("0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    block["extraData"] = json!("0x00000000fa00000006");
    block["miner"] = json!("0x4200000000000000000000000000000000000011");
    block["blobGasUsed"] = json!("0x0");
    block["excessBlobGas"] = json!("0x0");
}

fn start_of_block(block: u64) -> Value {
    let system = "0x00000000000000000000000000000000000a4b05";
    json!({
        "type": "0x6a", "from": system, "to": system, "nonce": "0x0", "gas": "0x0", "gasPrice": "0x0",
        "chainId": "0xa4b1", "input": format!("0x6bf6a42d{block:064x}"),
    })
}

/// A deposit, an unsigned call, a call of a contract, a retry or a ticket, in turn.
fn from_parent_chain(block: u64) -> Value {
    let request = B256::from(keccak256(block.to_be_bytes()));
    let (from, to) =
        ("0x1111000000000000000000000000000000001111", "0x2222000000000000000000000000000000002222");
    let kinds = [
        json!({ "type": "0x64", "requestId": request }),
        json!({ "type": "0x65", "maxFeePerGas": "0x5f5e100" }),
        json!({ "type": "0x66", "requestId": request, "maxFeePerGas": "0x5f5e100" }),
        json!({
            "type": "0x68", "ticketId": request, "maxRefund": "0x0", "submissionFeeRefund": "0x0", "refundTo": from,
        }),
        json!({
            "type": "0x69", "requestId": request, "l1BaseFee": "0x1", "depositValue": "0x0", "retryTo": to,
            "retryValue": "0x0", "retryData": "0x", "beneficiary": from, "maxSubmissionFee": "0x0", "refundTo": from,
        }),
    ];
    let kind = kinds[usize::try_from(block % 5).unwrap_or_default()].clone();
    let mut transaction = json!({
        "from": from, "to": to, "nonce": "0x0", "gas": "0x0", "gasPrice": "0x0", "chainId": "0xa4b1", "input": "0x",
    });
    extend(&mut transaction, kind);
    transaction
}

fn nitro_header(block: &mut Value) {
    let root = keccak256(block["number"].as_str().unwrap_or_default());
    extend(
        block,
        json!({ "l1BlockNumber": "0x15c7d3f", "sendCount": "0x1", "sendRoot": root, "extraData": root }),
    );
    let absent = [
        "withdrawals",
        "withdrawalsRoot",
        "blobGasUsed",
        "excessBlobGas",
        "parentBeaconBlockRoot",
        "requestsHash",
    ];
    absent.iter().for_each(|member| remove(block, member));
}

fn op_stack_calls(_: &Context<'_>, request: &mut RequestParts) {
    OP.change_calls(request);
}

fn op_stack_answers(context: &Context<'_>, response: &mut ProxiedResponse) {
    OP.change_answers(context.sent, response);
}

fn arbitrum_calls(_: &Context<'_>, request: &mut RequestParts) {
    ARBITRUM.change_calls(request);
}

fn arbitrum_answers(context: &Context<'_>, response: &mut ProxiedResponse) {
    ARBITRUM.change_answers(context.sent, response);
    // The base fee is the whole price.
    each_result(context.sent, response, |call, result| match (method(call), result.get_mut("reward")) {
        ("eth_maxPriorityFeePerGas", _) => *result = json!("0x0"),
        ("eth_feeHistory", Some(rewards)) => {
            let blocks = rewards.as_array_mut().into_iter().flatten();
            blocks
                .flat_map(|block| block.as_array_mut().into_iter().flatten())
                .for_each(|one| *one = json!("0x0"));
        }
        _ => {}
    });
}

fn extend(object: &mut Value, members: Value) {
    if let (Value::Object(object), Value::Object(members)) = (object, members) {
        object.extend(members);
    }
}

impl Rollup {
    fn count(&self) -> u64 {
        self.transactions.len() as u64
    }

    /// The hash of a system transaction, derived from block and index.
    fn hash(&self, block: u64, index: usize) -> String {
        let filling = &format!("{:x}", keccak256(block.to_be_bytes()))[..32];
        format!("{}{index:08x}{filling}{block:016x}", self.mark)
    }

    /// The block and the index of a system transaction.
    fn place(&self, hash: &Value) -> Option<(u64, usize)> {
        let digits = hash.as_str()?.strip_prefix(self.mark)?;
        let index = usize::from_str_radix(digits.get(..8)?, 16).ok()?;
        let block = u64::from_str_radix(digits.get(40..)?, 16).ok()?;
        (index < self.transactions.len()).then_some((block, index))
    }

    /// The system transaction that a call asks for: the method and block to ask the node for, and the index.
    fn wanted(&self, call: &Value) -> Option<(&'static str, Value, usize)> {
        let params = &call["params"];
        let by_index = |method| {
            let index = usize::try_from(number(&params[1])?).ok()?;
            (index < self.transactions.len()).then(|| (method, params[0].clone(), index))
        };
        match method(call) {
            "eth_getTransactionByHash" | "eth_getTransactionReceipt" => {
                let (block, index) = self.place(&params[0])?;
                Some(("eth_getBlockByNumber", quantity(block), index))
            }
            "eth_getTransactionByBlockNumberAndIndex" => by_index("eth_getBlockByNumber"),
            "eth_getTransactionByBlockHashAndIndex" => by_index("eth_getBlockByHash"),
            _ => None,
        }
    }

    /// The node does not know the system transactions: calls for them become calls for their blocks, with the node's own indexes.
    fn change_calls(&self, request: &mut RequestParts) {
        each_call(request, |call| {
            if let Some((method, block, _)) = self.wanted(call) {
                call["method"] = json!(method);
                call["params"] = json!([block, false]);
            } else if method(call).starts_with("eth_getTransactionByBlock")
                && let Some(index) = number(&call["params"][1])
            {
                call["params"][1] = quantity(index - self.count());
            }
        });
    }

    fn change_answers(&self, request: &RequestParts, response: &mut ProxiedResponse) {
        each_answer(request, response, |call, answer| {
            if method(call) == "eth_getBlockReceipts" {
                return refuse(answer, -32601, "the method eth_getBlockReceipts does not exist");
            }
            let Some(result) = answer.get_mut("result").filter(|result| !result.is_null()) else {
                return;
            };
            match (method(call), self.wanted(call)) {
                (method, Some((.., index))) => {
                    let (transaction, receipt) = self.own(result, index);
                    *result = if method == "eth_getTransactionReceipt" { receipt } else { transaction };
                }
                ("eth_getBlockTransactionCountByNumber" | "eth_getBlockTransactionCountByHash", _) => {
                    add(result, self.count());
                }
                ("eth_getBlockByNumber" | "eth_getBlockByHash" | NOTIFICATION, _)
                    if result.get("parentHash").is_some() =>
                {
                    self.change_block(result, call["params"][1] == true);
                }
                _ => self.shift(result),
            }
        });
    }

    /// Puts the system transactions before the others of a block.
    fn change_block(&self, block: &mut Value, whole: bool) {
        let own: Vec<Value> = if number(&block["number"]) == Some(0) {
            Vec::new()
        } else {
            add(&mut block["gasUsed"], self.gas);
            (0..self.transactions.len()).map(|index| self.own(block, index).0).collect()
        };
        if let Some(transactions) = list(block, "transactions") {
            transactions.iter_mut().for_each(|one| self.shift(one));
            let shown = own.into_iter().map(|mut one| if whole { one } else { one["hash"].take() });
            transactions.splice(..0, shown);
        }
        (self.header)(block);
    }

    /// A system transaction of a block, and its receipt.
    fn own(&self, block: &Value, index: usize) -> (Value, Value) {
        let height = number(&block["number"]).unwrap_or(1);
        let hash = self.hash(height, index);
        let place = json!({
            "blockHash": block["hash"], "blockNumber": block["number"], "transactionIndex": quantity(index as u64),
        });
        let mut transaction = json!({ "hash": hash, "value": "0x0", "v": "0x0", "r": "0x0", "s": "0x0" });
        extend(&mut transaction, self.transactions[index](height));
        extend(&mut transaction, place.clone());
        let mut receipt = json!({
            "transactionHash": hash, "type": transaction["type"], "from": transaction["from"], "to": transaction["to"],
            "contractAddress": null, "cumulativeGasUsed": quantity(self.gas), "gasUsed": quantity(self.gas),
            "effectiveGasPrice": "0x0", "logs": [], "logsBloom": format!("0x{}", "0".repeat(512)), "status": "0x1",
        });
        extend(&mut receipt, place);
        extend(&mut receipt, (self.receipt)());
        extend(&mut receipt, (self.own_receipt)(height));
        (transaction, receipt)
    }

    /// Moves a transaction, a receipt, a log, or each item of a list behind the system transactions.
    fn shift(&self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.shift(item)),
            Value::Object(_) => {
                if value.get("transactionIndex").is_some() {
                    add(&mut value["transactionIndex"], self.count());
                }
                if value.get("cumulativeGasUsed").is_some() {
                    add(&mut value["cumulativeGasUsed"], self.gas);
                    extend(value, (self.receipt)());
                    value.get_mut("logs").into_iter().for_each(|logs| self.shift(logs));
                }
            }
            _ => {}
        }
    }
}

/// Calls whose first parameter is the hash of a block.
const BY_HASH: [&str; 4] = [
    "eth_getBlockByHash",
    "eth_getBlockReceipts",
    "eth_getBlockTransactionCountByHash",
    "eth_getTransactionByBlockHashAndIndex",
];

fn other_hash_calls(_: &Context<'_>, request: &mut RequestParts) {
    each_call(request, |call| {
        if BY_HASH.contains(&method(call)) {
            mirror(&mut call["params"][0]);
        }
        mirror_hashes(&mut call["params"]);
    });
}

fn other_hash_answers(context: &Context<'_>, response: &mut ProxiedResponse) {
    each_answer(context.sent, response, |call, answer| match method(call) {
        // It returns bare hashes.
        "eth_newBlockFilter" => refuse(answer, -32601, "the method eth_newBlockFilter does not exist"),
        _ => answer.get_mut("result").into_iter().for_each(mirror_hashes),
    });
}

/// Mirrors a block hash; a number or a tag stays as it is.
fn mirror(hash: &mut Value) {
    if let Some(text) = hash.as_str().filter(|text| text.len() == 66) {
        *hash = json!(mirrored(text));
    }
}

/// Changes every hash of a block within a value.
fn mirror_hashes(value: &mut Value) {
    each_object(value, &mut |members| {
        let is_block = members.contains_key("parentHash");
        for (name, member) in members {
            if matches!(name.as_str(), "blockHash" | "parentHash") || (is_block && name == "hash") {
                mirror(member);
            }
        }
    });
}
