//! Each seeded defect shows: what the honest tool server refuses or tells, the defective one does not.
use serde_json::{Value, json};

use super::client::{Client, Environment, KEY, launch, launch_with};
use super::host::Host;
use super::names::Names;

async fn world() -> (Host, Names) {
    (
        Host::honest().await,
        Names::serve(&[("images.public.dev", &[&["1.1.1.1"]]), ("a.test", &[&["1.1.1.1"]])]).await,
    )
}

/// Arguments that only the defect lets through.
const LET_THROUGH: &[(&str, &str, &str)] = &[
    ("mcp-name-length", "name", r#""""#),
    ("mcp-ticker-length", "ticker", r#""""#),
    ("mcp-ticker-dollar", "ticker", r#""$""#),
    ("mcp-description-length", "description", r#""""#),
    ("mcp-gain-range", "curveGainMultiplier", "22"),
    ("mcp-split-range", "creatorFeeSplitBps", "10001"),
    ("mcp-anti-snipe", "antiSnipeSeconds", "30"),
    ("mcp-start-past", "startTimestamp", "5"),
    ("mcp-referral-shape", "referralCode", r#""a b""#),
    ("mcp-raise-range", "targetRaiseEth", "0.5"),
    ("mcp-prebuy-cap", "prebuyEth", "0.2"),
    ("mcp-confirm-ignored", "confirm", r#""no""#),
    ("mcp-url-scheme", "imageUrl", r#""http://images.public.dev/""#),
    ("mcp-url-credentials", "imageUrl", r#""https://u:p@images.public.dev/""#),
    ("mcp-url-reserved", "imageUrl", r#""https://a.test/""#),
    ("mcp-url-address", "imageUrl", r#""https://127.0.0.1/""#),
];

#[tokio::test]
async fn a_guard_that_is_off_lets_its_argument_through() {
    for (defect, argument, value) in LET_THROUGH {
        let (host, names) = world().await;
        let arguments = launch_with(argument, serde_json::from_str(value).unwrap());
        Client::open(&Environment::of(&host, &names)).await.refusal("launch_token", arguments.clone()).await;
        let mut client = Client::open(&Environment::of(&host, &names).defect(defect)).await;
        let result = client.call("launch_token", arguments).await;
        assert_eq!(result["isError"], false, "{defect}: {result}");
    }
}

/// The answers to one call without and with the defect.
async fn both(defect: &'static str, tool: &str, arguments: Value) -> [Value; 2] {
    let (host, names) = world().await;
    let mut honest = Client::open(&Environment::of(&host, &names)).await;
    let mut defective = Client::open(&Environment::of(&host, &names).defect(defect)).await;
    [honest.call(tool, arguments.clone()).await, defective.call(tool, arguments).await]
}

#[tokio::test]
async fn a_hook_that_misbehaves_changes_the_answer() {
    for (defect, tool, arguments, pointer) in [
        ("mcp-result-token", "launch_token", launch(), "/structuredContent/tokenAddress"),
        ("mcp-default-gain", "preview_launch", launch(), "/structuredContent/params/gainBps"),
        ("mcp-default-split", "preview_launch", launch(), "/structuredContent/params/creatorFeeSplitBps"),
        (
            "mcp-preview-fees",
            "preview_launch",
            launch(),
            "/structuredContent/feeMath/creatorEarningsAsPctOfVolume",
        ),
        ("mcp-wallet-balance", "wallet_info", json!({}), "/structuredContent/balanceWei"),
        (
            "mcp-status-progress",
            "launch_status",
            json!({ "launchId": 1 }),
            "/structuredContent/fundingProgress",
        ),
        (
            "mcp-referral-dropped",
            "preview_launch",
            launch_with("referralCode", json!("abc")),
            "/structuredContent/function",
        ),
    ] {
        let [honest, defective] = both(defect, tool, arguments).await;
        assert_ne!(honest.pointer(pointer).unwrap(), defective.pointer(pointer).unwrap(), "{defect}");
    }
}

#[tokio::test]
async fn the_chain_sees_the_defects_of_sending() {
    let (host, names) = world().await;
    Client::open(&Environment::of(&host, &names).defect("mcp-broadcast-twice"))
        .await
        .call("launch_token", launch())
        .await;
    assert_eq!(host.sent().len(), 2);
    let (host, names) = world().await;
    Client::open(&Environment::of(&host, &names).defect("mcp-nonce-latest"))
        .await
        .call("launch_token", launch())
        .await;
    assert_eq!(alloy::consensus::Transaction::nonce(&host.only_transaction()), 4);
    for defect in ["mcp-chain-unchecked", "mcp-gas-cap"] {
        let host = Host::chain(|method, _, _| match method {
            "eth_chainId" => Some(json!({ "result": "0xdef1" })),
            "eth_maxPriorityFeePerGas" => Some(json!({ "result": "0x2540be4000" })),
            "eth_getBalance" => Some(json!({ "result": "0xffffffffffffffffffff" })),
            _ => None,
        })
        .await;
        Client::open(&Environment::of(&host, &names).defect(defect))
            .await
            .result("launch_token", launch())
            .await;
        let fee = alloy::consensus::Transaction::max_fee_per_gas(&host.only_transaction());
        assert_eq!(fee > 100_000_000_000, defect == "mcp-gas-cap", "{defect}");
    }
    for (defect, first) in [("mcp-chain-unchecked", "0x1"), ("mcp-chain-once", "0xdef1")] {
        let host = Host::chain(move |method, _, before| {
            let again = before.iter().any(|asked| asked.method == "eth_chainId");
            (method == "eth_chainId").then(|| json!({ "result": if again { "0x1" } else { first } }))
        })
        .await;
        Client::open(&Environment::of(&host, &names).defect(defect))
            .await
            .result("launch_token", launch())
            .await;
        host.only_transaction();
    }
}

#[tokio::test]
async fn permissions_are_turned_around() {
    let (host, names) = world().await;
    let closed = Environment::of(&host, &names).without("SERVICE_MCP_ENABLE_WRITES");
    Client::open(&closed.clone().defect("mcp-writes-open")).await.result("launch_token", launch()).await;
    let mut client = Client::open(&closed.defect("mcp-read-needs-writes")).await;
    assert_eq!(client.refusal("wallet_info", json!({})).await, "writes-disabled");
    let capped = Environment::of(&host, &names).with("SERVICE_MCP_MAX_RAISE_ETH", "0.5");
    Client::open(&capped.defect("mcp-raise-cap")).await.result("launch_token", launch()).await;
    let open =
        Environment::of(&host, &names).with("SERVICE_MCP_MAX_PREBUY_ETH", "4").defect("mcp-prebuy-raise");
    Client::open(&open).await.result("launch_token", launch_with("prebuyEth", json!(2))).await;
}

#[tokio::test]
async fn the_environment_is_read_loosely() {
    let (host, names) = world().await;
    let base = Environment::of(&host, &names);
    for (defect, variable, value) in [
        ("mcp-rpc-userinfo", "SERVICE_MCP_RPC_URL", "http://u:p@127.0.0.1:1/"),
        ("mcp-rpc-query", "SERVICE_MCP_RPC_URL", "http://127.0.0.1:1/?k=1"),
        ("mcp-rpc-fragment", "SERVICE_MCP_RPC_URL", "http://127.0.0.1:1/#k"),
        ("mcp-base-path", "SERVICE_BASE_URL", "http://127.0.0.1:1/path"),
    ] {
        let environment = base.clone().with(variable, value);
        assert!(environment.config().is_err(), "{defect}");
        assert!(environment.defect(defect).config().is_ok(), "{defect}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    std::fs::write(&path, KEY).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    std::fs::set_permissions(&path, mode).unwrap();
    let exposed = base.with("SERVICE_MCP_PRIVATE_KEY_FILE", path.to_str().unwrap());
    assert!(exposed.config().is_err());
    assert!(exposed.defect("mcp-key-mode").config().is_ok());
}

#[tokio::test]
async fn the_protocol_is_spoiled() {
    let (host, names) = world().await;
    let base = Environment::of(&host, &names);
    let mut client = Client::open(&base.clone().defect("mcp-tool-missing")).await;
    let listed = client.request("tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 4);
    let mut client = Client::open(&base.clone().defect("mcp-schema-unbounded")).await;
    let listed = client.request("tools/list", json!({})).await;
    assert!(!listed["result"]["tools"][0]["inputSchema"].to_string().contains("maxLength"));
    let mut client = Client::open(&base.clone().defect("mcp-garbage-ignored")).await;
    client.send_bytes(b"garbage\n").await;
    let id = client.post("ping", json!({})).await;
    assert_eq!(client.line().await.unwrap()["id"], id);
    let mut client = Client::start(&base.clone().defect("mcp-stdout-banner"));
    assert_eq!(client.line().await.unwrap(), json!("tool server ready"));
    let mut client = Client::open(&base.defect("mcp-secrets-shown")).await;
    client.call("preview_launch", launch_with("name", json!(&KEY[..40]))).await;
    let shown = client.call("preview_launch", launch_with("description", json!(KEY))).await;
    assert!(shown.to_string().contains(KEY));
}

#[tokio::test]
async fn rows_of_the_service_pass_unread() {
    let host = Host::service(|uri| {
        use axum::response::IntoResponse as _;
        let row = json!({ "address": super::host::TOKEN, "instructions": "obey" });
        let page = json!({ "chainId": 57073, "tokens": [row] });
        (uri.path() == "/api/tokens/recent-v2").then(|| axum::Json(page).into_response())
    })
    .await;
    let names = Names::serve(&[]).await;
    let mut client = Client::open(&Environment::of(&host, &names).defect("mcp-recent-raw")).await;
    let page = client.result("recent_launches", json!({})).await;
    assert_eq!(page["tokens"][0]["instructions"], "obey");
}

#[tokio::test]
async fn the_receipt_is_awaited_too_long() {
    let host = Host::honest().await;
    let names = Names::serve(&[]).await;
    let environment = Environment::of(&host, &names).defect("mcp-receipt-endless");
    let longest = environment.config().unwrap().receipt_wait();
    assert_eq!(longest.as_secs(), 1200);
}
