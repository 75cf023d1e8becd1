//! Parameters that would end the node, which aborts on any of its own errors, or keep it busy for good; and forms that it does not read.
use alloy::hex;
use alloy::primitives::Address;
use serde_json::{Map, Value};

use super::call::{Call, INVALID_PARAMS, LIMIT_EXCEEDED, Refused};
use super::rules::{number, own_name};

/// Maximum number of blocks of a fee history, the same as go-ethereum's: more are cut.
const FEE_HISTORY: u64 = 1_024;
/// Digits of a storage key.
const KEY_DIGITS: usize = 64;
/// Maximum number of seconds between blocks that are mined at an interval: beyond it the node's clock overflows.
const LONGEST_INTERVAL: u64 = u32::MAX as u64;
/// The prefix of code that delegates to an address (EIP-7702), with its version, the last byte.
const DELEGATION: [u8; 3] = [0xef, 0x01, 0x00];
/// Methods that complete a transaction; the node then takes a price of blobs alone for a whole blob transaction.
const COMPLETING: [&str; 5] = [
    "eth_fillTransaction",
    "eth_sendTransaction",
    "eth_sendTransactionSync",
    "eth_sendUnsignedTransaction",
    "eth_signTransaction",
];
/// Methods that send a signed transaction begin so.
const SEND_SIGNED: &str = "eth_sendRawTransaction";
/// Members of a transaction that only those with blobs have.
const OF_BLOBS: [&str; 4] = ["maxFeePerBlobGas", "blobVersionedHashes", "sidecar", "blobs"];
/// The type of a transaction with blobs.
const BLOB_TYPE: u64 = 3;
const NO_BLOBS: &str = "the chain takes no blob transactions (EIP-4844)";
/// Tracers that the node has by name. It takes any other text for a program, and runs it without a limit.
const TRACERS: [&str; 7] = [
    "4byteTracer",
    "callTracer",
    "erc7562Tracer",
    "flatCallTracer",
    "muxTracer",
    "noopTracer",
    "prestateTracer",
];

/// Refuses parameters that the node cannot bear, and cuts those that have a usual limit.
pub(super) fn check(call: &mut Call) -> Result<(), Refused> {
    let method = call.method.as_str();
    match own_name(method) {
        Some("setIntervalMining") => at_most(call, LONGEST_INTERVAL),
        // The node reads any length and keeps 64 bits.
        Some("setNextBlockBaseFeePerGas") => at_most(call, u64::MAX - 1),
        Some("setCode") => code(&call.parameter(1)),
        Some(_) => Ok(()),
        None if method == "eth_feeHistory" => fee_history(call),
        None if method == "eth_getProof" => {
            complete_keys(call);
            Ok(())
        }
        None if COMPLETING.contains(&method) => without_blobs(&call.parameter(0)),
        None if method.starts_with(SEND_SIGNED) => signed_without_blobs(&call.parameter(0)),
        None if method.starts_with("debug_trace") => {
            tracer(&call.parameter(if method == "debug_traceCall" { 2 } else { 1 }))
        }
        None => Ok(()),
    }
}

fn at_most(call: &Call, most: u64) -> Result<(), Refused> {
    match number(&call.parameter(0)) {
        Some(given) if given > most => {
            Err(Refused::new(LIMIT_EXCEEDED, format!("{} takes numbers up to {most}", call.method)))
        }
        _ => Ok(()),
    }
}

/// Refuses code that begins like a delegation and is none.
fn code(given: &Value) -> Result<(), Refused> {
    let bytes = given.as_str().and_then(|text| hex::decode(text).ok()).unwrap_or_default();
    let is_delegation =
        bytes.starts_with(&DELEGATION) && bytes.len() == DELEGATION.len() + Address::len_bytes();
    if bytes.starts_with(&DELEGATION[..2]) && !is_delegation {
        let message = "the code begins with 0xef01: a delegation is 0xef0100 and an address (EIP-7702)";
        return Err(Refused::new(INVALID_PARAMS, message));
    }
    Ok(())
}

fn without_blobs(transaction: &Value) -> Result<(), Refused> {
    let has = |name: &&&str| transaction.get(**name).is_some_and(|value| !value.is_null());
    let member = OF_BLOBS.iter().find(has).copied();
    let is_typed = transaction.get("type").and_then(number) == Some(BLOB_TYPE);
    match member.or(is_typed.then_some("type")) {
        Some(member) => Err(Refused::new(INVALID_PARAMS, format!("{member}: {NO_BLOBS}"))),
        None => Ok(()),
    }
}

/// Refuses a signed transaction with blobs: the node takes it, and then drops it without a word.
fn signed_without_blobs(transaction: &Value) -> Result<(), Refused> {
    let text = transaction.as_str().unwrap_or_default();
    let first = text.strip_prefix("0x").unwrap_or(text).get(..2);
    // EIP-2718: the first byte is the type.
    if first.is_some_and(|first| u64::from_str_radix(first, 16) == Ok(BLOB_TYPE)) {
        return Err(Refused::new(INVALID_PARAMS, NO_BLOBS));
    }
    Ok(())
}

/// Refuses a tracer that is a program, also one within another.
fn tracer(options: &Value) -> Result<(), Refused> {
    let Some(name) = options.get("tracer").and_then(Value::as_str) else { return Ok(()) };
    let within = options.get("tracerConfig").and_then(Value::as_object).filter(|_| name == "muxTracer");
    let names = within.into_iter().flat_map(Map::keys).map(String::as_str);
    if [name].into_iter().chain(names).all(|name| TRACERS.contains(&name)) {
        return Ok(());
    }
    let known = TRACERS.join(", ");
    Err(Refused::new(
        INVALID_PARAMS,
        format!("tracer: one of {known}; tracers that are programs are not run"),
    ))
}

/// Cuts the number of blocks, and reads null, which go-ethereum's client sends for no percentiles, as an empty list.
fn fee_history(call: &mut Call) -> Result<(), Refused> {
    let exceeds = number(&call.parameter(0)).is_some_and(|count| count > FEE_HISTORY);
    let Some(mut values) = call.list() else {
        let message = "the parameters of eth_feeHistory are a list";
        return if exceeds { Err(Refused::new(INVALID_PARAMS, message)) } else { Ok(()) };
    };
    let lacks = values.get(2).is_some_and(Value::is_null);
    if exceeds {
        values[0] = Value::String(format!("{FEE_HISTORY:#x}"));
    }
    if lacks {
        values[2] = Value::Array(Vec::new());
    }
    if exceeds || lacks {
        call.set_params(&values);
    }
    Ok(())
}

/// Fills storage keys up to 32 bytes: in the Ethereum execution API a key is `bytesMax32`, of up to 64 digits.
fn complete_keys(call: &mut Call) {
    let Some(mut values) = call.list() else { return };
    let Some(Value::Array(keys)) = values.get_mut(1) else { return };
    for key in keys {
        let digits = key.as_str().and_then(|text| text.strip_prefix("0x"));
        if let Some(digits) = digits.filter(|digits| digits.len() < KEY_DIGITS) {
            *key = Value::String(format!("0x{digits:0>KEY_DIGITS$}"));
        }
    }
    call.set_params(&values);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::call::{Asked, INVALID_PARAMS, LIMIT_EXCEEDED, read};
    use super::check;

    /// The parameters that the node gets, or the code of the refusal.
    fn checked(method: &str, params: Value) -> Result<Value, i64> {
        let text = json!({ "method": method, "params": params, "id": 1 }).to_string();
        let Ok(Asked::One(mut call)) = read(text.as_bytes(), 1) else { panic!("{text}") };
        check(&mut call).map_err(|refused| refused.code)?;
        Ok(call.params.map(|params| serde_json::from_str(params.get()).unwrap()).unwrap_or_default())
    }

    fn passes(method: &str, params: Value) {
        assert_eq!(checked(method, params.clone()), Ok(params), "{method}");
    }

    #[test]
    fn numbers_that_the_node_cannot_hold_do_not_reach_it() {
        passes("eth_feeHistory", json!(["0x400", "latest", []]));
        for count in [json!(1025), json!("0x10000000000000000"), json!("18446744073709551616")] {
            let cut = checked("eth_feeHistory", json!([count, "latest", [50]]));
            assert_eq!(cut, Ok(json!(["0x400", "latest", [50]])));
        }
        for space in ["evm", "anvil", "hardhat"] {
            let (interval, fee) =
                (format!("{space}_setIntervalMining"), format!("{space}_setNextBlockBaseFeePerGas"));
            passes(&interval, json!([u32::MAX]));
            passes(&fee, json!(["0xfffffffffffffffe"]));
            for (method, given) in [
                (&interval, json!(1_u64 << 32)),
                (&interval, json!(u64::MAX)),
                (&fee, json!("0x10000000000000000")),
            ] {
                assert_eq!(checked(method, json!([given])), Err(LIMIT_EXCEEDED), "{method} {given}");
            }
        }
    }

    /// execution-apis: `rewardPercentiles` is a list, `storageKeys` a list of `bytesMax32` (`^0x[0-9a-f]{0,64}$`).
    #[test]
    fn forms_that_the_node_does_not_read_are_completed() {
        let read = checked("eth_feeHistory", json!(["0x2", "latest", null]));
        assert_eq!(read, Ok(json!(["0x2", "latest", []])));
        let read = checked("eth_feeHistory", json!([2_000, "latest", null]));
        assert_eq!(read, Ok(json!(["0x400", "latest", []])));
        passes("eth_feeHistory", json!(["0x2", "latest"]));
        passes("eth_feeHistory", json!({ "blockCount": "0x2" }));
        let whole = |digits: &str| format!("0x{digits:0>64}");
        let keys = json!(["0x", "0x0", "0x01", "0x1aB", whole("f"), "0xg", 7]);
        let read = checked("eth_getProof", json!(["0x11", keys, "latest"]));
        let keys = json!([whole(""), whole(""), whole("01"), whole("1aB"), whole("f"), whole("g"), 7]);
        assert_eq!(read, Ok(json!(["0x11", keys, "latest"])));
        passes("eth_getProof", json!(["0x11", null, "latest"]));
        passes("eth_getProof", json!({ "address": "0x11" }));
    }

    #[test]
    fn code_like_a_broken_delegation_does_not_reach_the_node() {
        let address = "11".repeat(20);
        for code in ["0x", "0xef", "0xef00", "0x60016001", &format!("0xef0100{address}")] {
            passes("anvil_setCode", json!(["0x11", code]));
        }
        for code in
            ["0xef01", "EF01", "0xef0100", &format!("0xef0101{address}"), &format!("0xef0100{address}11")]
        {
            assert_eq!(checked("hardhat_setCode", json!(["0x11", code])), Err(INVALID_PARAMS), "{code}");
        }
    }

    #[test]
    fn transactions_with_blobs_do_not_reach_the_node() {
        for method in
            ["eth_fillTransaction", "eth_sendTransaction", "eth_sendTransactionSync", "eth_signTransaction"]
        {
            passes(method, json!([{ "from": "0x11", "type": "0x2", "maxFeePerBlobGas": null }]));
            for part in [
                json!({ "maxFeePerBlobGas": "0x1" }),
                json!({ "blobVersionedHashes": [] }),
                json!({ "type": "0x3" }),
                json!({ "type": 3 }),
            ] {
                assert_eq!(checked(method, json!([part])), Err(INVALID_PARAMS), "{method} {part}");
            }
        }
        passes("eth_call", json!([{ "maxFeePerBlobGas": "0x1" }, "latest"]));
        for method in ["eth_sendRawTransaction", "eth_sendRawTransactionSync"] {
            for other in ["0x02f86c", "0xf86c", "0x", "03", "0x0"] {
                let expected = if other == "03" { Err(INVALID_PARAMS) } else { Ok(json!([other])) };
                assert_eq!(checked(method, json!([other])), expected, "{method} {other}");
            }
            assert_eq!(checked(method, json!(["0x03f9ab"])), Err(INVALID_PARAMS), "{method}");
        }
    }

    #[test]
    fn tracers_are_named_and_never_programs() {
        passes("debug_traceTransaction", json!(["0x11"]));
        passes("debug_traceTransaction", json!(["0x11", { "tracer": "callTracer" }]));
        passes(
            "debug_traceCall",
            json!([{}, "latest", { "tracer": "muxTracer", "tracerConfig": { "callTracer": {} } }]),
        );
        let program = "{result:function(){for(;;){}},fault:function(){}}";
        for (method, params) in [
            ("debug_traceTransaction", json!(["0x11", { "tracer": program }])),
            ("debug_traceBlockByNumber", json!(["0x1", { "tracer": program }])),
            ("debug_traceBlockByHash", json!(["0x1", { "tracer": program }])),
            ("debug_traceCall", json!([{}, "latest", { "tracer": program }])),
            (
                "debug_traceCall",
                json!([{}, "latest", { "tracer": "muxTracer", "tracerConfig": { program: {} } }]),
            ),
        ] {
            assert_eq!(checked(method, params.clone()), Err(INVALID_PARAMS), "{method} {params}");
        }
    }
}
