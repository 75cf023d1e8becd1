//! Launches before an honest chain and before a lying one.
use alloy::consensus::Transaction as _;
use alloy::sol_types::SolCall as _;
use serde_json::{Value, json};
use slipway_contracts::bindings::ILaunchHook;

use super::client::{Client, Environment, WALLET, launch, launch_with, public_names};
use super::host::{HOOK, Host, TOKEN, capabilities, signer};
use super::names::Names;

async fn open(host: &Host) -> (Client, Names) {
    let names = public_names().await;
    (Client::open(&Environment::of(host, &names)).await, names)
}

/// The code of a launch that must fail, and that it sent nothing.
async fn refused_unsent(host: &Host, arguments: Value) -> String {
    let (mut client, _names) = open(host).await;
    let code = client.refusal("launch_token", arguments).await;
    assert_eq!(host.count("eth_sendRawTransaction"), 0, "{code}");
    code
}

#[tokio::test]
async fn a_launch_is_one_transaction_with_the_resolved_parameters() {
    let host = Host::honest().await;
    let (mut client, _names) = open(&host).await;
    let result = client.result("launch_token", launch_with("prebuyEth", json!(0.05))).await;
    let transaction = host.only_transaction();
    assert_eq!(transaction.chain_id(), Some(57073));
    assert_eq!(transaction.nonce(), 9, "pending transactions count");
    assert_eq!(transaction.to(), Some(HOOK));
    assert_eq!(transaction.value().to_string(), "50000000000000000");
    assert_eq!(transaction.max_fee_per_gas(), 2_100_000_000);
    assert_eq!(transaction.max_priority_fee_per_gas(), Some(100_000_000));
    assert_eq!(transaction.gas_limit(), 3_750_000);
    assert_eq!(signer(&transaction).to_string(), WALLET);
    let params = ILaunchHook::createLaunchCall::abi_decode(transaction.input()).unwrap().params;
    assert_eq!((params.name.as_str(), params.ticker.as_str()), ("Slip", "SLIP"));
    assert_eq!((params.gainBps, params.creatorFeeSplitBps), (50_000, 5_000));
    assert_eq!((params.antiSnipeDuration, params.startTime), (0, 0));
    let hash = transaction.hash().to_string();
    assert_eq!(result["transactionHash"], hash);
    assert_eq!(result["tokenAddress"], TOKEN.to_string());
    assert_eq!(result["tradeUrl"], format!("{}/trade/{TOKEN}", host.base_url()));
    assert!(result["explorerUrl"].as_str().unwrap().ends_with(&hash));
    assert_eq!(result["launchId"], "42");
    assert_eq!(host.count("eth_getTransactionCount"), 1, "the nonce is fixed once");
}

#[tokio::test]
async fn a_referral_code_chooses_the_other_function() {
    let host = Host::honest().await;
    let (mut client, _names) = open(&host).await;
    client.result("launch_token", launch_with("referralCode", json!("REF-abc_1"))).await;
    let input = host.only_transaction().input().clone();
    let call = ILaunchHook::createLaunchWithReferralCall::abi_decode(&input).unwrap();
    assert_eq!(call.referralCode, "REF-abc_1");
    let preview = client.result("preview_launch", launch_with("referralCode", json!("REF-abc_1"))).await;
    assert_eq!(preview["function"], "createLaunchWithReferral");
    assert_eq!(preview["calldata"], input.to_string(), "a preview is what a launch sends");
}

#[tokio::test]
async fn only_the_literal_yes_confirms() {
    let host = Host::honest().await;
    let (mut client, _names) = open(&host).await;
    for confirm in
        [json!("yes"), json!("YES "), json!("Y"), json!(true), json!(null), json!(["YES"]), json!("")]
    {
        assert_eq!(client.refusal("launch_token", launch_with("confirm", confirm)).await, "not-confirmed");
    }
    let mut arguments = launch();
    arguments.as_object_mut().unwrap().remove("confirm");
    assert_eq!(client.refusal("launch_token", arguments).await, "not-confirmed");
    assert_eq!(host.asked().len(), 0);
}

#[tokio::test]
async fn only_three_words_enable_writes_and_reading_needs_none() {
    let (host, names) = (Host::honest().await, public_names().await);
    for word in ["true", "1", "yes"] {
        let environment = Environment::of(&host, &names).with("SERVICE_MCP_ENABLE_WRITES", word);
        Client::open(&environment).await.result("launch_token", launch()).await;
    }
    let sent = host.sent().len();
    for word in ["", "TRUE", "True", "YES", "on", "2", "0", "false", "true ", "enabled"] {
        let environment = Environment::of(&host, &names).with("SERVICE_MCP_ENABLE_WRITES", word);
        let mut client = Client::open(&environment).await;
        assert_eq!(client.refusal("launch_token", launch()).await, "writes-disabled", "{word:?}");
        let preview = client.result("preview_launch", launch()).await;
        assert!(preview["notes"][0].as_str().unwrap().contains("disabled"));
        client.result("wallet_info", json!({})).await;
        client.result("recent_launches", json!({})).await;
        client.result("launch_status", json!({ "launchId": 1 })).await;
    }
    assert_eq!(host.sent().len(), sent);
}

#[tokio::test]
async fn caps_hold_at_the_wei() {
    let (host, names) = (Host::honest().await, public_names().await);
    let environment = Environment::of(&host, &names)
        .with("SERVICE_MCP_MAX_RAISE_ETH", "2.5")
        .with("SERVICE_MCP_MAX_PREBUY_ETH", "3");
    let mut client = Client::open(&environment).await;
    for (raise, prebuy, code) in [
        ("2.5", "2.5", None),
        ("2.500000000000001", "0", Some("raise-over-cap")),
        ("2", "2.000000000000001", Some("prebuy-over-raise")),
        ("2.5", "3.1", Some("prebuy-over-raise")),
    ] {
        let mut arguments = launch_with("targetRaiseEth", serde_json::from_str(raise).unwrap());
        arguments["prebuyEth"] = serde_json::from_str(prebuy).unwrap();
        match code {
            None => drop(client.result("launch_token", arguments).await),
            Some(code) => assert_eq!(client.refusal("launch_token", arguments).await, code),
        }
    }
}

#[tokio::test]
async fn the_gas_price_never_exceeds_its_cap() {
    let inflated = |base: &'static str, tip: &'static str| {
        Host::chain(move |method, _, _| match method {
            "eth_getBlockByNumber" => {
                Some(json!({ "result": { "timestamp": "0x1", "baseFeePerGas": base } }))
            }
            "eth_maxPriorityFeePerGas" => Some(json!({ "result": tip })),
            "eth_getBalance" => Some(json!({ "result": "0xffffffffffffffffffff" })),
            _ => None,
        })
    };
    let cap = 100_000_000_000_u128;
    for (base, tip) in [
        ("0x174876e800", "0x1"),
        ("0x1", "0xffffffffffffffffffffffffffffffff"),
        ("0x12a05f2000", "0xde0b6b3a7640000"),
    ] {
        let host = inflated(base, tip).await;
        let (mut client, _names) = open(&host).await;
        client.result("launch_token", launch()).await;
        let transaction = host.only_transaction();
        assert!(transaction.max_fee_per_gas() <= cap);
        assert!(transaction.max_priority_fee_per_gas().unwrap() <= transaction.max_fee_per_gas());
    }
    let host = inflated("0x174876e801", "0x0").await;
    assert_eq!(refused_unsent(&host, launch()).await, "base-fee-over-cap");
}

#[tokio::test]
async fn no_other_chain_is_signed_for() {
    let host =
        Host::chain(|method, _, _| (method == "eth_chainId").then(|| json!({ "result": "0x1" }))).await;
    assert_eq!(refused_unsent(&host, launch()).await, "wrong-chain");
}

#[tokio::test]
async fn the_chain_is_asked_again_right_before_the_signature_on_the_same_connection() {
    let host = Host::chain(|method, _, before| {
        let again = before.iter().any(|asked| asked.method == "eth_chainId");
        (method == "eth_chainId" && again).then(|| json!({ "result": "0x1" }))
    })
    .await;
    assert_eq!(refused_unsent(&host, launch()).await, "chain-changed");
    let host = Host::honest().await;
    let (mut client, _names) = open(&host).await;
    client.result("launch_token", launch()).await;
    let asked = host.asked();
    let sent = asked.iter().position(|asked| asked.method == "eth_sendRawTransaction").unwrap();
    assert_eq!(asked[sent - 1].method, "eth_chainId");
    assert_eq!(asked[sent - 1].peer, asked[sent].peer);
}

#[tokio::test]
async fn a_receipt_that_never_comes_ends_the_wait_and_nothing_is_sent_again() {
    let host = Host::chain(|method, _, _| {
        (method == "eth_getTransactionReceipt").then(|| json!({ "result": null }))
    })
    .await;
    let names = public_names().await;
    let environment = Environment::of(&host, &names).with("SLIPWAY_RECEIPT_WAIT_SECONDS", "1");
    let mut client = Client::open(&environment).await;
    let result = client.call("launch_token", launch()).await;
    assert_eq!(result["_meta"]["slipway/error"]["code"], "receipt-timeout");
    let hash = host.only_transaction().hash().to_string();
    assert!(result["content"][0]["text"].as_str().unwrap().contains(&hash), "{result}");
}

#[tokio::test]
async fn a_hanging_receipt_ends_the_wait_too() {
    let host =
        Host::chain(|method, _, _| (method == "eth_getTransactionReceipt").then(|| json!("hang"))).await;
    let names = public_names().await;
    let environment = Environment::of(&host, &names).with("SLIPWAY_RECEIPT_WAIT_SECONDS", "1");
    let mut client = Client::open(&environment).await;
    assert_eq!(client.refusal("launch_token", launch()).await, "receipt-timeout");
    host.only_transaction();
}

#[tokio::test]
async fn a_refused_broadcast_is_not_repeated() {
    for (answer, code) in [
        (json!({ "error": { "code": -32000, "message": "nonce too low" } }), "broadcast-refused"),
        (json!({ "raw": "garbage" }), "broadcast-unknown"),
        (json!({}), "broadcast-unknown"),
    ] {
        let host =
            Host::chain(move |method, _, _| (method == "eth_sendRawTransaction").then(|| answer.clone()))
                .await;
        let (mut client, _names) = open(&host).await;
        assert_eq!(client.refusal("launch_token", launch()).await, code);
        host.only_transaction();
    }
}

#[tokio::test]
async fn receipts_are_believed_only_about_this_launch() {
    for (receipt, code) in [
        (json!({ "status": "0x0", "logs": [] }), "reverted"),
        (json!({ "status": "0x1", "logs": [] }), "event-missing"),
    ] {
        let host = Host::chain(move |method, params, _| {
            (method == "eth_getTransactionReceipt").then(|| {
                let mut receipt = receipt.clone();
                receipt["transactionHash"] = params[0].clone();
                json!({ "result": receipt })
            })
        })
        .await;
        let (mut client, _names) = open(&host).await;
        assert_eq!(client.refusal("launch_token", launch()).await, code);
    }
}

#[tokio::test]
async fn capabilities_are_checked_in_order() {
    let changed = |pointer: &'static str, value: Value| async move {
        let mut answer = capabilities();
        *answer.pointer_mut(pointer).unwrap() = value;
        let body = answer.to_string();
        Host::service(move |uri| {
            use axum::response::IntoResponse as _;
            (uri.path() == "/api/capabilities").then(|| body.clone().into_response())
        })
        .await
    };
    for (pointer, value, code) in [
        ("/chainId", json!(4663), "capabilities-chain"),
        ("/flags/create", json!(false), "creation-off"),
        ("/activeCreationDeployment/status", json!("retired"), "deployment-inactive"),
        ("/activeCreationDeployment/hook", json!("0x12"), "service-failed"),
    ] {
        let host = changed(pointer, value).await;
        assert_eq!(refused_unsent(&host, launch()).await, code);
    }
    let host = Host::chain(|method, _, _| (method == "eth_getCode").then(|| json!({ "result": "0x" }))).await;
    assert_eq!(refused_unsent(&host, launch()).await, "hook-without-code");
}

#[tokio::test]
async fn a_launch_that_would_revert_or_cannot_be_paid_is_not_sent() {
    let reverting = json!({ "error": { "code": 3, "message": "execution reverted", "data": "0x8fb2e6d5" } });
    let host =
        Host::chain(move |method, _, _| (method == "eth_estimateGas").then(|| reverting.clone())).await;
    assert_eq!(refused_unsent(&host, launch()).await, "would-revert");
    let host =
        Host::chain(|method, _, _| (method == "eth_getBalance").then(|| json!({ "result": "0x1" }))).await;
    assert_eq!(refused_unsent(&host, launch()).await, "balance-short");
    let host =
        Host::chain(|method, _, _| (method == "eth_estimateGas").then(|| json!({ "result": "0xfffffff" })))
            .await;
    assert_eq!(refused_unsent(&host, launch()).await, "gas-limit");
}

#[tokio::test]
async fn two_launches_at_once_take_turns() {
    let host = Host::chain(|method, _, before| {
        (method == "eth_getTransactionCount").then(|| {
            let sent = before.iter().filter(|asked| asked.method == "eth_sendRawTransaction").count();
            json!({ "result": format!("{:#x}", 9 + sent) })
        })
    })
    .await;
    let (mut client, _names) = open(&host).await;
    for _ in 0..2 {
        client.post("tools/call", json!({ "name": "launch_token", "arguments": launch() })).await;
    }
    let answers = [client.line().await.unwrap(), client.line().await.unwrap()];
    assert!(answers.iter().any(|answer| answer["result"]["isError"] == false), "{answers:?}");
    assert_eq!(host.sent().len(), 2);
    assert_ne!(host.sent()[0], host.sent()[1]);
}
