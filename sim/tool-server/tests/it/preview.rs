//! What a preview warns of, against a chain and a service that answer from a script.
use alloy::primitives::{Address, hex};
use alloy::sol_types::SolError as _;
use serde_json::{Value, json};
use slipway_contracts::bindings::ILaunchHook;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::peer::{Environment, Peer, code, launch_with};

const HOOK: Address = Address::repeat_byte(0xc4);

/// A response of the RPC, `result` or `error`, by method.
type Script = fn(&str) -> Option<Value>;

/// Serves chain and service at one address until the test ends.
async fn serve(script: Script) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            tokio::spawn(respond(connection, script));
        }
    });
    format!("http://{address}")
}

/// Answers the requests of one connection.
async fn respond(mut connection: TcpStream, script: Script) -> Option<()> {
    let mut received = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&received).into_owned();
        let request = text.split_once("\r\n\r\n").and_then(|(head, body)| {
            let length =
                head.to_lowercase().split_once("content-length: ").map_or("0", |(_, rest)| rest).to_owned();
            let length: usize = length.split("\r\n").next()?.parse().ok()?;
            (body.len() >= length).then(|| (head.to_owned(), body.to_owned()))
        });
        let Some((head, body)) = request else {
            if connection.read_buf(&mut received).await.ok()? == 0 {
                return None;
            }
            continue;
        };
        received.clear();
        let response =
            if head.starts_with("GET") { capabilities() } else { chain(&body, script) }.to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            response.len()
        );
        connection.write_all(format!("{head}{response}").as_bytes()).await.ok()?;
    }
}

fn capabilities() -> Value {
    json!({
        "chainId": 57073, "flags": { "create": true },
        "activeCreationDeployment": { "hook": HOOK.to_checksum(None).to_lowercase(), "status": "active" },
    })
}

fn chain(body: &str, script: Script) -> Value {
    let request: Value = serde_json::from_str(body).unwrap();
    let method = request["method"].as_str().unwrap();
    let sound = || match method {
        "eth_chainId" => json!({ "result": "0xdef1" }),
        "eth_getBalance" => json!({ "result": "0x8ac7230489e80000" }),
        "eth_getCode" => json!({ "result": "0x6001" }),
        "eth_getBlockByNumber" => {
            json!({ "result": { "timestamp": "0x6b49d200", "baseFeePerGas": "0x3b9aca00" } })
        }
        "eth_estimateGas" => json!({ "result": "0x2dc6c0" }),
        "eth_getTransactionCount" | "eth_maxPriorityFeePerGas" | "eth_call" => json!({ "result": "0x1" }),
        other => panic!("a preview does not request {other}"),
    };
    let mut response = script(method).unwrap_or_else(sound);
    response["jsonrpc"] = json!("2.0");
    response["id"] = request["id"].clone();
    response
}

/// The preview of a sound launch against such a chain.
async fn preview(script: Script, variables: &[(&str, &str)]) -> Value {
    let address = serve(script).await;
    let mut environment =
        Environment::offline().with("SERVICE_MCP_RPC_URL", &address).with("SERVICE_BASE_URL", &address);
    for (variable, value) in variables {
        environment = environment.with(variable, value);
    }
    let mut peer = Peer::connect_with(&environment);
    peer.initialize("2025-11-25").await;
    peer.preview(launch_with("prebuyEth", json!(0.05))).await
}

/// Codes of the warnings.
fn warnings(preview: &Value) -> Vec<&str> {
    let listed = preview["structuredContent"]["warnings"].as_array().unwrap();
    listed.iter().map(|warning| warning["code"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn sound_launch_has_no_warnings() {
    let preview = preview(|_| None, &[]).await;
    assert_eq!(warnings(&preview), [""; 0], "{preview}");
    assert_eq!(
        preview["structuredContent"]["hook"],
        HOOK.to_checksum(None),
        "addresses have their EIP-55 form"
    );
}

#[tokio::test]
async fn every_refusal_of_a_launch_is_a_warning() {
    let cases: [(Script, &[&str]); 9] = [
        (|method| (method == "eth_chainId").then(|| json!({ "result": "0x1" })), &["wrong-chain"]),
        (|method| (method == "eth_getCode").then(|| json!({ "result": "0x" })), &["hook-without-code"]),
        (|method| (method == "eth_getBalance").then(|| json!({ "result": "0x1" })), &["balance-short"]),
        // Enough for the prebuy, not for the gas.
        (
            |method| (method == "eth_getBalance").then(|| json!({ "result": "0xb1a2bc2ec50001" })),
            &["balance-short"],
        ),
        (
            |method| {
                let data = hex::encode_prefixed(ILaunchHook::BelowMinimumBuy::SELECTOR);
                let error = json!({ "code": 3, "message": "execution reverted", "data": data });
                (method == "eth_call").then(|| json!({ "error": error }))
            },
            &["would-revert"],
        ),
        (|method| (method == "eth_estimateGas").then(|| json!({ "result": "0xfffffff" })), &["gas-limit"]),
        (
            |method| (method == "eth_maxPriorityFeePerGas").then(|| json!({ "result": 7 })),
            &["response-malformed"],
        ),
        (
            |method| {
                let head = json!({ "timestamp": "0x6b49d200", "baseFeePerGas": "0x174876e801" });
                (method == "eth_getBlockByNumber").then(|| json!({ "result": head }))
            },
            &["base-fee-over-cap"],
        ),
        (
            |method| match method {
                "eth_getTransactionCount" => Some(json!({ "error": { "code": -1, "message": "no" } })),
                "eth_getCode" => Some(json!({ "result": "0x" })),
                _ => None,
            },
            &["rpc-failed", "hook-without-code"],
        ),
    ];
    for (script, expected) in cases {
        let preview = preview(script, &[]).await;
        assert_eq!(warnings(&preview), expected, "{preview}");
    }
}

#[tokio::test]
async fn settings_and_unreachable_services_are_warnings() {
    let preview = preview(|_| None, &[("SERVICE_MCP_ENABLE_WRITES", "")]).await;
    assert_eq!(warnings(&preview), ["writes-disabled"]);
    let offline = Peer::initialized().await.preview(launch_with("prebuyEth", json!(0))).await;
    assert_eq!(warnings(&offline), ["rpc-failed", "service-failed"]);
    assert_eq!(offline["structuredContent"]["hook"], Value::Null);
}

#[tokio::test]
async fn passed_start_is_refused() {
    let address = serve(|_| None).await;
    let environment =
        Environment::offline().with("SERVICE_MCP_RPC_URL", &address).with("SERVICE_BASE_URL", &address);
    let mut peer = Peer::connect_with(&environment);
    peer.initialize("2025-11-25").await;
    for (start, refused) in [(0x6b49_d1ff_u64, true), (0x6b49_d200, false), (0, false)] {
        let preview = peer.preview(launch_with("startTimestamp", json!(start))).await;
        assert_eq!(code(&preview) == "start-past", refused, "{start}");
    }
}
