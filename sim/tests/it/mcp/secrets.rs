//! Canaries planted in every input, looked for in everything that leaves.
use axum::response::IntoResponse as _;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use proptest::prelude::*;
use serde_json::{Value, json};

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
    assert!(!lower.contains(&secret[..20]), "a part of {secret} left in {said}");
    for spelling in spellings(secret) {
        assert!(!lower.contains(&spelling.to_lowercase()), "{spelling} left in {said}");
    }
}

/// A chain that repeats everything it could know, in every spelling, in every error.
async fn gossip() -> Host {
    let secrets: Vec<String> = [KEY, PATH_KEY].iter().flat_map(|secret| spellings(secret)).collect();
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
    let gossip = |method: &str, params: &Value| {
        (method == "eth_sendRawTransaction").then(|| {
            let raw = params[0].as_str().unwrap().trim_start_matches("0x").to_owned();
            let bytes = alloy::hex::decode(&raw).unwrap();
            let message = format!("bad {raw} 0x{} {}", raw.to_uppercase(), BASE64_STANDARD.encode(bytes));
            json!({ "error": { "code": -1, "message": message } })
        })
    };
    let (host, names) =
        (Host::chain(move |method, params, _| gossip(method, params)).await, public_names().await);
    let mut client = Client::open(&Environment::of(&host, &names)).await;
    assert_eq!(client.refusal("launch_token", launch()).await, "broadcast-refused");
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
    assert!(page["tokens"][0]["description"].as_str().unwrap().contains("[redacted]"));
    assert_silent(&client.said, KEY);
}

#[tokio::test]
async fn protocol_errors_carry_no_secret() {
    let (host, names) = (Host::honest().await, public_names().await);
    let mut client = Client::open(&Environment::of(&host, &names)).await;
    client.request(KEY, json!({ "key": KEY })).await;
    client.request("tools/call", json!({ "name": KEY, "arguments": {} })).await;
    client.refusal("wallet_info", json!({ KEY: KEY })).await;
    client.refusal("preview_launch", launch_with("name", json!(KEY))).await;
    client.send(&json!({ "jsonrpc": "2.0", "id": KEY, "method": 7 })).await;
    client.line().await;
    assert_silent(&client.said, KEY);
}

/// An input into which a text that spells a secret can be put.
#[derive(Clone, Copy, Debug)]
enum Place {
    Method,
    Tool,
    ArgumentName,
    Argument(&'static str),
    LaunchId,
    ChainMessage(&'static str),
    ChainData(&'static str),
    ChainResult(&'static str),
    ServiceStatus(u16),
    ServiceRow(&'static str),
    Capabilities,
    Garbage,
}

const METHODS: [&str; 7] = [
    "eth_chainId",
    "eth_getBalance",
    "eth_getBlockByNumber",
    "eth_getTransactionCount",
    "eth_estimateGas",
    "eth_call",
    "eth_sendRawTransaction",
];
const ARGUMENTS: [&str; 15] = [
    "name",
    "ticker",
    "description",
    "imageUrl",
    "targetRaiseEth",
    "messenger",
    "microblog",
    "website",
    "curveGainMultiplier",
    "creatorFeeSplitBps",
    "antiSnipeSeconds",
    "startTimestamp",
    "prebuyEth",
    "referralCode",
    "confirm",
];
const FIELDS: [&str; 7] = ["name", "ticker", "description", "image_url", "created_at", "owner", "anything"];

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![
        Just(Place::Method),
        Just(Place::Tool),
        Just(Place::ArgumentName),
        prop::sample::select(&ARGUMENTS[..]).prop_map(Place::Argument),
        Just(Place::LaunchId),
        prop::sample::select(&METHODS[..]).prop_map(Place::ChainMessage),
        prop::sample::select(&METHODS[..]).prop_map(Place::ChainData),
        prop::sample::select(&METHODS[..]).prop_map(Place::ChainResult),
        prop::sample::select(&[200_u16, 404, 500][..]).prop_map(Place::ServiceStatus),
        prop::sample::select(&FIELDS[..]).prop_map(Place::ServiceRow),
        Just(Place::Capabilities),
        Just(Place::Garbage),
    ]
}

/// A chain and a service that say the text where the place says so.
async fn telling(place: Place, text: &str) -> Host {
    let (chain, service) = (text.to_owned(), text.to_owned());
    Host::scripted(
        Box::new(move |method, _, _| match place {
            Place::ChainMessage(at) if at == method => {
                Some(json!({ "error": { "code": -1, "message": format!("no: {chain}!") } }))
            }
            Place::ChainData(at) if at == method => {
                Some(json!({ "error": { "code": 3, "message": "no", "data": chain } }))
            }
            Place::ChainResult(at) if at == method => Some(json!({ "result": chain })),
            _ => None,
        }),
        Box::new(move |uri| match (place, uri.path()) {
            (Place::ServiceStatus(status), "/api/tokens/recent-v2") => {
                let status = axum::http::StatusCode::from_u16(status).unwrap();
                Some((status, axum::Json(json!({ "error": service }))).into_response())
            }
            (Place::ServiceRow(field), "/api/tokens/recent-v2") => {
                let mut row = json!({ "address": super::host::TOKEN });
                row[field] = json!(service);
                Some(axum::Json(json!({ "chainId": 57073, "tokens": [row] })).into_response())
            }
            (Place::Capabilities, "/api/capabilities") => {
                let deployment = json!({ "hook": service, "status": "active" });
                let flags = json!({ "create": true });
                let answer =
                    json!({ "chainId": 57073, "flags": flags, "activeCreationDeployment": deployment });
                Some(axum::Json(answer).into_response())
            }
            _ => None,
        }),
    )
    .await
}

/// Everything a tool server says when the text stands in the place and every tool is called.
async fn said(key: &str, path_key: &str, place: Place, text: &str) -> String {
    let (host, names) = (telling(place, text).await, public_names().await);
    let environment = Environment::of(&host, &names)
        .with("SERVICE_MCP_PRIVATE_KEY", key)
        .with("SERVICE_MCP_RPC_URL", &format!("{}/{path_key}", host.rpc_url()));
    let mut client = Client::open(&environment).await;
    let mut arguments = launch();
    match place {
        Place::Argument(name) => arguments[name] = json!(text),
        Place::ArgumentName => arguments[text] = json!(text),
        Place::Method => drop(client.request(text, json!({ "x": text })).await),
        Place::Tool => drop(client.request("tools/call", json!({ "name": text })).await),
        Place::LaunchId => drop(client.call("launch_status", json!({ "launchId": text })).await),
        Place::Garbage => client.send(&Value::String(text.to_owned())).await,
        _ => {}
    }
    for (tool, arguments) in [
        ("wallet_info", json!({})),
        ("preview_launch", arguments.clone()),
        ("recent_launches", json!({})),
        ("launch_status", json!({ "launchId": 1 })),
        ("launch_token", arguments),
    ] {
        client.call(tool, arguments).await;
    }
    client.said
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_input_makes_the_tool_server_tell_a_secret(
        key in prop::array::uniform32(1_u8..0xff), path_key in "[a-z0-9]{24,40}", place in place(), of_path in any::<bool>(),
        spelling in any::<prop::sample::Index>(),
    ) {
        let key = alloy::hex::encode(key);
        let forms = spellings(if of_path { &path_key } else { &key });
        let text = spelling.get(&forms);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let said = runtime.block_on(said(&key, &path_key, place, text));
        prop_assert!(said.len() > 1_000, "too little was said to look through: {}", said);
        assert_silent(&said, &key);
        assert_silent(&said, &path_key);
    }
}
