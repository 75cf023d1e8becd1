//! The funded accounts are unlocked at both nodes: they send and sign without a key in the client.
use alloy::consensus::TxEnvelope;
use alloy::dyn_abi::TypedData;
use alloy::eips::eip2718::Decodable2718 as _;
use alloy::primitives::{Address, Bytes, Signature, eip191_hash_message};
use futures::future::join_all;
use serde_json::{Value, json};

use super::{Nodes, call};
use crate::platform::{config, ordered};

/// The example of EIP-712, "Mail".
fn mail() -> Value {
    let fields = |fields: &[(&str, &str)]| {
        Value::from_iter(fields.iter().map(|(name, kind)| json!({ "name": name, "type": kind })))
    };
    let wallet = "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC";
    json!({
        "types": {
            "EIP712Domain": fields(&[("name", "string"), ("version", "string"), ("chainId", "uint256"), ("verifyingContract", "address")]),
            "Person": fields(&[("name", "string"), ("wallet", "address")]),
            "Mail": fields(&[("from", "Person"), ("to", "Person"), ("contents", "string")]),
        },
        "primaryType": "Mail",
        "domain": { "name": "Ether Mail", "version": "1", "chainId": 1, "verifyingContract": wallet },
        "message": { "from": { "name": "Cow", "wallet": wallet }, "to": { "name": "Bob", "wallet": wallet }, "contents": "Hello, Bob!" },
    })
}

/// The account whose key has signed a transaction.
fn sender(mut raw: &[u8]) -> Address {
    let envelope = TxEnvelope::decode_2718(&mut raw).unwrap();
    let signed = envelope.as_eip1559().unwrap();
    signed.signature().recover_address_from_prehash(&signed.signature_hash()).unwrap()
}

fn signature(result: &Value) -> Signature {
    result.as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn accounts_are_unlocked_at_both_nodes() {
    let mut nodes = Nodes::behind(config()).await;
    let known: Vec<Address> = nodes.platform.ready().accounts.iter().map(|account| account.address).collect();
    let account = known[3];
    for chain in [1, 0] {
        nodes.url.clone_from(&nodes.platform.ready().chains[chain].rpc_url);
        for method in ["eth_accounts", "eth_requestAccounts"] {
            assert_eq!(nodes.result(method, json!([])).await, json!(known), "{method}");
        }
        let payment = json!([{ "from": account, "to": known[4], "value": "0x1" }]);
        let hash = nodes.result("eth_sendTransaction", payment.clone()).await;
        let receipt = nodes.result("eth_getTransactionReceipt", json!([hash])).await;
        assert_eq!(
            (&receipt["status"], &receipt["from"]),
            (&json!("0x1"), &json!(account.to_string().to_lowercase()))
        );
        // It is signed by the account's key, as any other client can see.
        let raw: Bytes =
            serde_json::from_value(nodes.result("eth_getRawTransactionByHash", json!([hash])).await).unwrap();
        assert_eq!(sender(&raw), account);
        let synced = nodes.result("eth_sendTransactionSync", payment.clone()).await;
        assert_eq!(synced["status"], "0x1", "{synced}");
        let raw: Bytes = serde_json::from_value(nodes.result("eth_signTransaction", payment).await).unwrap();
        assert_eq!(sender(&raw), account);
        let sent = nodes.result("eth_sendRawTransaction", json!([raw])).await;
        assert!(sent.is_string(), "{sent}");
    }
    // As with anvil, a call without `from` comes from the first account.
    let hash = nodes.result("eth_sendTransaction", json!([{ "to": account, "value": "0x1" }])).await;
    let receipt = nodes.result("eth_getTransactionReceipt", json!([hash])).await;
    assert_eq!(receipt["from"], json!(known[0].to_string().to_lowercase()));

    let hashed = eip191_hash_message(b"hello");
    for (method, params) in
        [("personal_sign", json!(["0x68656c6c6f", account])), ("eth_sign", json!([account, "0x68656c6c6f"]))]
    {
        let signed = signature(&nodes.result(method, params).await);
        assert_eq!(signed.recover_address_from_prehash(&hashed).unwrap(), account, "{method}");
    }
    let typed: TypedData = serde_json::from_value(mail()).unwrap();
    for (method, data) in [
        ("eth_signTypedData_v4", mail()),
        ("eth_signTypedData_v4", json!(mail().to_string())),
        ("eth_signTypedData", mail()),
    ] {
        let signed = signature(&nodes.result(method, json!([account, data])).await);
        assert_eq!(
            signed.recover_address_from_prehash(&typed.eip712_signing_hash().unwrap()).unwrap(),
            account
        );
    }
    nodes.platform.stop().await;
}

#[tokio::test]
async fn what_no_account_can_send_or_sign_is_an_error() {
    let nodes = Nodes::behind(config()).await;
    let account = nodes.platform.ready().accounts[0].address;
    let hook = nodes.platform.ready().chains[0].hook;
    let stranger = Address::repeat_byte(7);
    let mut nested = mail();
    nested["types"]["Mail"][2]["type"] = json!(format!("string{}", "[]".repeat(100_000)));
    for (method, params, said) in [
        ("eth_sendTransaction", json!([{ "from": stranger, "to": account }]), "No Signer available"),
        ("personal_sign", json!(["0x00", stranger]), "No Signer available"),
        (
            "eth_sendTransaction",
            json!([{ "from": account, "to": "0x1" }]),
            "parameter 1 of eth_sendTransaction",
        ),
        ("eth_sendTransaction", json!([]), "parameter 1 of eth_sendTransaction"),
        ("personal_sign", json!(["hello", account]), "parameter 1 of personal_sign"),
        ("eth_signTypedData_v4", json!([account, {}]), "parameter 2 of eth_signTypedData_v4"),
        ("eth_signTypedData", json!([account, nested]), "types may nest 32 deep: Mail nests deeper"),
        ("eth_signTypedData_v3", json!([account, nested]), "types may nest 32 deep: Mail nests deeper"),
        (
            "eth_signTypedData_v4",
            json!([account, nested.to_string()]),
            "types may nest 32 deep: Mail nests deeper",
        ),
        // A call that would revert is refused before it is signed, with the contract's error.
        (
            "eth_sendTransaction",
            json!([{ "from": account, "to": hook, "data": "0x12345678" }]),
            "execution reverted",
        ),
        (
            "eth_sendTransaction",
            json!([{ "from": account, "to": stranger, "value": "0xffffffffffffffffffffffff" }]),
            "nsufficient funds",
        ),
    ] {
        let answer = nodes.ask(method, params.clone()).await;
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(said), "{method} {params}: {answer}");
        assert_eq!(answer["id"], 7);
    }
    // An impersonated account can send too, as with any anvil.
    nodes.result("anvil_setBalance", json!([stranger, "0xde0b6b3a7640000"])).await;
    nodes.result("anvil_impersonateAccount", json!([stranger])).await;
    assert!(
        nodes.result("eth_sendTransaction", json!([{ "from": stranger, "to": account }])).await.is_string()
    );
    nodes.platform.stop().await;
}

#[tokio::test]
async fn calls_of_one_account_at_once_get_one_nonce_each() {
    let nodes = Nodes::behind(config()).await;
    let account = nodes.platform.ready().accounts[1].address;
    let payment = call("eth_sendTransaction", json!([{ "from": account, "to": account }]));
    let sent = join_all((0..8).map(|_| nodes.post(&[], &payment))).await;
    assert!(sent.iter().all(|(_, _, answer)| answer["result"].is_string()), "{sent:?}");
    assert_eq!(nodes.result("eth_getTransactionCount", json!([account, "latest"])).await, "0x8");
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_and_callers_send_from_one_account_at_a_time() {
    let nodes = Nodes::behind(config()).await;
    let account = nodes.platform.ready().accounts[0].address;
    let faucet = json!({ "address": "0x00000000000000000000000000000000000000a1", "amount": "0.001" });
    let paid =
        json!([{ "from": account, "to": "0x00000000000000000000000000000000000000a2", "value": "0x1" }]);
    let order = async || {
        for _ in 0..12 {
            ordered(&nodes.platform, "POST /_sim/faucet", &faucet).await;
        }
    };
    let send = async || {
        for _ in 0..12 {
            nodes.result("eth_sendTransaction", paid.clone()).await;
        }
    };
    let before = nodes.result("eth_getTransactionCount", json!([account, "latest"])).await;
    tokio::join!(order(), send(), order(), send());
    let after = nodes.result("eth_getTransactionCount", json!([account, "latest"])).await;
    let number = |count: &Value| u64::from_str_radix(&count.as_str().unwrap()[2..], 16).unwrap();
    assert_eq!(number(&after) - number(&before), 48);
    nodes.platform.stop().await;
}
