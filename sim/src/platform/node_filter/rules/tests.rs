//! Each rule at its edge.
use serde_json::{Value, json};

use super::super::call::{Asked, Call, INVALID_PARAMS, LIMIT_EXCEEDED, NO_METHOD, SERVER_ERROR, read};
use super::{ClockCall, Effect, Verdict, effect, is_public, judge};

fn call(method: &str, params: &Value) -> Call {
    let text = json!({ "jsonrpc": "2.0", "method": method, "params": params, "id": 1 }).to_string();
    let Ok(Asked::One(call)) = read(text.as_bytes(), 1) else { panic!("{text}") };
    call
}

/// The parameters that the node gets.
fn passed(method: &str, params: Value) -> Value {
    let mut call = call(method, &params);
    assert_eq!(judge(&mut call, true), Ok(Verdict::Pass), "{method} {params}");
    serde_json::from_str(call.params.unwrap().get()).unwrap()
}

fn clock(method: &str, params: Value) -> Result<ClockCall, i64> {
    match judge(&mut call(method, &params), true) {
        Ok(Verdict::Clock(clock)) => Ok(clock),
        Ok(other) => panic!("{method} {params}: {other:?}"),
        Err(refused) => Err(refused.code),
    }
}

#[test]
fn methods_of_a_public_node_read_and_take_signed_transactions() {
    for method in
        ["eth_call", "eth_sendRawTransaction", "eth_sendRawTransactionSync", "eth_subscribe", "net_version"]
    {
        assert!(is_public(method), "{method}");
    }
    for method in [
        "eth_sendTransaction",
        "eth_sendTransactionSync",
        "eth_sendUnsignedTransaction",
        "eth_sign",
        "eth_signTypedData_v4",
        "evm_revert",
        "anvil_reset",
        "hardhat_setCode",
        "debug_traceTransaction",
        "personal_sign",
        "Eth_call",
        "",
    ] {
        assert!(!is_public(method), "{method}");
        assert_eq!(judge(&mut call(method, &json!([])), false).unwrap_err().code, NO_METHOD, "{method}");
    }
}

#[test]
fn a_chain_is_replaced_by_the_platform_only() {
    for method in [
        "anvil_reset",
        "hardhat_reset",
        "anvil_loadState",
        "hardhat_loadState",
        "anvil_setChainId",
        "anvil_setRpcUrl",
    ] {
        let refused = judge(&mut call(method, &json!([])), true).unwrap_err();
        assert_eq!(refused.code, SERVER_ERROR);
        assert!(refused.message.contains("POST /_sim/checkpoints/{id}/revert"), "{}", refused.message);
    }
    for method in [
        "anvil_setBlockTimestampInterval",
        "evm_setBlockTimestampInterval",
        "anvil_removeBlockTimestampInterval",
    ] {
        let refused = judge(&mut call(method, &json!([5])), true).unwrap_err();
        assert!(refused.message.contains("POST /_sim/clock/advance"), "{}", refused.message);
    }
    for method in ["anvil_setBalance", "evm_snapshot", "anvil_dumpState", "evm_setAutomine"] {
        passed(method, json!([]));
    }
}

#[test]
fn gas_of_calls_is_bounded() {
    let huge = "0xffffffffffffffff";
    for (method, given, bounded) in [
        ("eth_call", json!([{ "gas": huge }, "latest"]), json!([{ "gas": "0x2faf080" }, "latest"])),
        ("eth_call", json!([{ "gas": "0x2faf080" }]), json!([{ "gas": "0x2faf080" }])),
        ("eth_call", json!([{ "gas": "0x2faf081" }]), json!([{ "gas": "0x2faf080" }])),
        ("eth_call", json!([{ "gas": 99_000_000 }]), json!([{ "gas": "0x2faf080" }])),
        ("eth_call", json!([{ "gas": "99000000" }]), json!([{ "gas": "0x2faf080" }])),
        ("eth_call", json!([{ "gas": null }]), json!([{ "gas": "0x1c9c380" }])),
        ("eth_call", json!([{ "to": "0x1" }]), json!([{ "to": "0x1", "gas": "0x1c9c380" }])),
        ("eth_createAccessList", json!([{}]), json!([{ "gas": "0x1c9c380" }])),
        ("debug_traceCall", json!([{}]), json!([{ "gas": "0x2dc6c0" }])),
        ("debug_traceCall", json!([{ "gas": huge }]), json!([{ "gas": "0x2dc6c0" }])),
        ("eth_estimateGas", json!([{}]), json!([{}])),
        ("eth_estimateGas", json!([{ "gas": huge }]), json!([{ "gas": "0x2faf080" }])),
        (
            "eth_estimateGas",
            json!([{}, "latest", {}, { "gasLimit": huge }]),
            json!([{ "gas": "0x1c9c380" }, "latest", {}, { "gasLimit": huge }]),
        ),
        ("eth_call", json!([{ "gas": "much" }]), json!([{ "gas": "much" }])),
        ("eth_call", json!(["much"]), json!(["much"])),
    ] {
        assert_eq!(passed(method, given.clone()), bounded, "{method} {given}");
    }
}

#[test]
fn gas_of_a_simulation_is_bounded_in_all() {
    let payload = |calls: Vec<Value>| json!([{ "blockStateCalls": [{ "calls": calls }] }, "latest"]);
    let gas = |count: usize| {
        let passed = passed("eth_simulateV1", payload(vec![json!({}); count]));
        passed[0]["blockStateCalls"][0]["calls"][count - 1]["gas"].clone()
    };
    assert_eq!(gas(1), "0x1c9c380");
    assert_eq!(gas(10), "0x1c9c380");
    assert_eq!(gas(300), "0xf4240");
    let stated = |count| payload(vec![json!({ "gas": "0x2faf080" }); count]);
    passed("eth_simulateV1", stated(6));
    let refused = judge(&mut call("eth_simulateV1", &stated(7)), true).unwrap_err();
    assert_eq!(refused.code, LIMIT_EXCEEDED);
    let blocks = json!([{ "blockStateCalls": vec![json!({}); 257] }]);
    assert_eq!(judge(&mut call("eth_simulateV1", &blocks), true).unwrap_err().code, LIMIT_EXCEEDED);
}

#[test]
fn time_is_moved_by_the_clock() {
    let led = |timestamp, interval, blocks| Ok(ClockCall::Led { timestamp, interval, blocks });
    for (method, params, expected) in [
        ("evm_increaseTime", json!([60]), Ok(ClockCall::Skip(60))),
        ("anvil_increaseTime", json!(["0x3c"]), Ok(ClockCall::Skip(60))),
        ("evm_increaseTime", json!([-1]), Err(INVALID_PARAMS)),
        ("evm_increaseTime", json!([]), Err(INVALID_PARAMS)),
        ("evm_setTime", json!([5]), Ok(ClockCall::Set(5))),
        ("anvil_setTime", json!([1_700_000_000_000_u64]), Ok(ClockCall::Set(1_700_000_000))),
        ("evm_setNextBlockTimestamp", json!(["7"]), Ok(ClockCall::Next(7))),
        ("anvil_setNextBlockTimestamp", json!([7]), Ok(ClockCall::Next(7))),
        ("evm_mine", json!([9]), led(Some(9), None, 1)),
        ("evm_mine", json!([{ "timestamp": "0x9", "blocks": 3 }]), led(Some(9), None, 3)),
        ("evm_mine_detailed", json!({ "params": { "timestamp": 9 } }), led(Some(9), None, 1)),
        ("anvil_mine", json!([4, 60]), led(None, Some(60), 4)),
        ("hardhat_mine", json!(["0x4", "0x3c"]), led(None, Some(60), 4)),
        ("evm_mine", json!([{ "blocks": 10_001 }]), Err(LIMIT_EXCEEDED)),
        ("anvil_mine", json!([10_001]), Err(LIMIT_EXCEEDED)),
        ("evm_revert", json!(["0x1"]), led(None, None, 0)),
        ("anvil_rollback", json!([1]), led(None, None, 0)),
        ("anvil_reorg", json!([1, []]), led(None, None, 0)),
        ("evm_setBlockGasLimit", json!([300_000_001]), Err(LIMIT_EXCEEDED)),
        ("evm_setBlockGasLimit", json!(["0x0"]), Err(INVALID_PARAMS)),
        ("anvil_setBlockGasLimit", json!([4_999]), Err(INVALID_PARAMS)),
    ] {
        assert_eq!(clock(method, params.clone()), expected, "{method} {params}");
    }
    for (method, params) in [
        ("evm_mine", json!([])),
        ("evm_mine", json!([null])),
        ("evm_mine", json!([{ "blocks": 10_000 }])),
        ("anvil_mine", json!([])),
        ("hardhat_mine", json!([10_000])),
        ("evm_setBlockGasLimit", json!([300_000_000])),
        ("evm_setBlockGasLimit", json!([5_000])),
    ] {
        passed(method, params);
    }
}

#[test]
fn calls_that_change_a_node_without_a_block_are_known() {
    for (method, expected) in [
        ("anvil_setBalance", Some(Effect::State)),
        ("hardhat_setStorageAt", Some(Effect::State)),
        ("tenderly_addBalance", Some(Effect::State)),
        ("anvil_setNextBlockBaseFeePerGas", Some(Effect::State)),
        // A method of a later anvil may change anything.
        ("anvil_somethingNew", Some(Effect::State)),
        ("evm_setAutomine", Some(Effect::Setting)),
        ("hardhat_impersonateAccount", Some(Effect::Setting)),
        ("anvil_dropTransaction", Some(Effect::Waiting)),
        ("evm_mine", None),
        ("evm_mine_detailed", None),
        ("hardhat_mine", None),
        ("evm_snapshot", None),
        ("anvil_getAutomine", None),
        ("anvil_nodeInfo", None),
        ("eth_sendRawTransaction", None),
        ("eth_call", None),
    ] {
        assert_eq!(effect(method), expected, "{method}");
    }
}
