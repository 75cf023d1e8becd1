//! Canaries planted in every input, looked for in everything that leaves.
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use serde_json::json;

use super::client::{Client, Environment, KEY, launch, launch_with, public_names};
use super::host::Host;

const PATH_KEY: &str = "canary-rpc-key-0123456789";

/// How a secret can be written.
fn spellings(secret: &str) -> Vec<String> {
    let bytes = alloy::hex::decode(secret).unwrap_or_else(|_| secret.as_bytes().to_vec());
    let percent: String = secret.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let unicode: String = secret.bytes().map(|byte| format!("\\u00{byte:02X}")).collect();
    vec![
        secret.to_owned(),
        format!("0x{secret}"),
        secret.to_uppercase(),
        BASE64_STANDARD.encode(&bytes),
        BASE64_URL_SAFE_NO_PAD.encode(secret),
        alloy::hex::encode(secret),
        percent,
        unicode,
    ]
}

fn assert_silent(said: &str, secret: &str) {
    let lower = said.to_lowercase();
    assert!(
        !lower.contains(&secret[..20]),
        "a part of {secret} left in {said}"
    );
    for spelling in spellings(secret) {
        assert!(
            !lower.contains(&spelling.to_lowercase()),
            "{spelling} left in {said}"
        );
    }
}

/// A chain that repeats everything it could know, in every spelling, in every error.
async fn gossip() -> Host {
    let secrets: Vec<String> = [KEY, PATH_KEY]
        .iter()
        .flat_map(|secret| spellings(secret))
        .collect();
    Host::chain(move |method, params, _| match method {
        "eth_sendRawTransaction" => {
            let raw = params[0].as_str().unwrap().trim_start_matches("0x").to_owned();
            let bytes = alloy::hex::decode(&raw).unwrap();
            let cut = &raw[10..raw.len() - 10];
            let message = format!(
                "bad {raw} 0x{} {} {cut} {}",
                raw.to_uppercase(),
                BASE64_STANDARD.encode(bytes),
                &raw[..60]
            );
            Some(json!({ "error": { "code": -1, "message": message, "data": raw } }))
        }
        "eth_getBalance" => {
            let message = format!("at https://u:p@host/{PATH_KEY}: {}", secrets.join(" \n "));
            Some(json!({ "error": { "code": -1, "message": message, "data": secrets.join(",") } }))
        }
        _ => None,
    })
    .await
}

#[tokio::test]
async fn errors_of_the_chain_carry_no_secret() {
    let (host, names) = (gossip().await, public_names().await);
    let environment =
        Environment::of(&host, &names).with("SERVICE_MCP_RPC_URL", &format!("{}/{PATH_KEY}", host.rpc_url()));
    let mut client = Client::open(&environment).await;
    assert_eq!(client.refusal("wallet_info", json!({})).await, "rpc-failed");
    assert_eq!(client.refusal("launch_token", launch()).await, "rpc-failed");
    assert!(client.said.contains("[redacted]"));
    assert_silent(&client.said, KEY);
    assert_silent(&client.said, PATH_KEY);
    assert!(!client.said.contains("u:p@"));
}

#[tokio::test]
async fn signed_payloads_do_not_come_back() {
    let gossip = |method: &str, params: &serde_json::Value| {
        (method == "eth_sendRawTransaction").then(|| {
            let raw = params[0].as_str().unwrap().trim_start_matches("0x").to_owned();
            let bytes = alloy::hex::decode(&raw).unwrap();
            let message = format!(
                "bad {raw} 0x{} {}",
                raw.to_uppercase(),
                BASE64_STANDARD.encode(bytes)
            );
            json!({ "error": { "code": -1, "message": message } })
        })
    };
    let (host, names) = (
        Host::chain(move |method, params, _| gossip(method, params)).await,
        public_names().await,
    );
    let mut client = Client::open(&Environment::of(&host, &names)).await;
    assert_eq!(
        client.refusal("launch_token", launch()).await,
        "broadcast-refused"
    );
    let raw = alloy::hex::encode(&host.sent()[0]);
    assert_silent(&client.said, &raw);
    assert_silent(&client.said, &raw[raw.len() - 64..]);
}

#[tokio::test]
async fn a_launch_cannot_publish_a_secret() {
    let (host, names) = (Host::honest().await, public_names().await);
    let mut client = Client::open(&Environment::of(&host, &names)).await;
    for spelling in spellings(KEY) {
        for arguments in [
            launch_with("description", json!(format!("look: {spelling}"))),
            launch_with("website", json!(format!("https://images.public.dev/{spelling}"))),
        ] {
            let code = client.refusal("launch_token", arguments).await;
            assert!(
                ["argument-secret", "description-length", "url-length"].contains(&code.as_str()),
                "{code}"
            );
        }
    }
    assert_eq!(host.sent().len(), 0);
    assert_silent(&client.said, KEY);
}

#[tokio::test]
async fn the_service_cannot_make_the_tool_server_say_its_key() {
    let host = Host::service(|uri| {
        use axum::response::IntoResponse as _;
        (uri.path() == "/api/tokens/recent-v2").then(|| {
            let row =
                json!({ "address": super::host::TOKEN, "description": format!("x {KEY}"), "name": KEY });
            axum::Json(json!({ "chainId": 57073, "tokens": [row] })).into_response()
        })
    })
    .await;
    let names = public_names().await;
    let mut client = Client::open(&Environment::of(&host, &names)).await;
    let page = client.result("recent_launches", json!({})).await;
    assert!(
        page["tokens"][0]["description"]
            .as_str()
            .unwrap()
            .contains("[redacted]")
    );
    assert_silent(&client.said, KEY);
}

#[tokio::test]
async fn protocol_errors_carry_no_secret() {
    let (host, names) = (Host::honest().await, public_names().await);
    let mut client = Client::open(&Environment::of(&host, &names)).await;
    client.request(KEY, json!({ "key": KEY })).await;
    client
        .request("tools/call", json!({ "name": KEY, "arguments": {} }))
        .await;
    client.refusal("wallet_info", json!({ KEY: KEY })).await;
    client
        .refusal("preview_launch", launch_with("name", json!(KEY)))
        .await;
    client
        .send(&json!({ "jsonrpc": "2.0", "id": KEY, "method": 7 }))
        .await;
    client.line().await;
    assert_silent(&client.said, KEY);
}
