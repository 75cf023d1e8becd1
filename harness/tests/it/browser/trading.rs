//! Opening what the tool server launched, trading it from its page to graduation and beyond, and what a page does when the
//! chain or the connection goes back.
use std::collections::BTreeMap;
use std::time::Duration;

use alloy::primitives::{Address, U256};
use alloy::providers::ProviderBuilder;
use serde_json::{Value, json};
use slipway_contracts::bindings::ILaunchHook;
use slipway_scenarios::client::stdio::Stdio;
use slipway_scenarios::target::ToolServerCommand;

use super::Site;
use super::driver::Browser;

/// How soon a trade must be seen.
const SOON: Duration = Duration::from_secs(2);

/// Launches by the tool server, as an agent does; answers the result.
async fn launched(site: &Site) -> Value {
    let key = site.ready["accounts"][1]["privateKey"].as_str().unwrap();
    let command = ToolServerCommand {
        program: env!("CARGO_BIN_EXE_slipway").to_owned(),
        arguments: vec!["mcp".to_owned()],
        variables: BTreeMap::new(),
    };
    let variables = [
        ("SERVICE_MCP_ENABLE_WRITES", "true"),
        ("SERVICE_MCP_PRIVATE_KEY", key),
        ("SERVICE_MCP_RPC_URL", site.primary_rpc()),
        ("SERVICE_BASE_URL", site.text("baseUrl")),
    ];
    let mut stdio = Stdio::spawn(&command, &variables).unwrap();
    let greeting = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "0" },
    });
    stdio.request("initialize", &greeting).await.unwrap();
    stdio.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await.unwrap();
    let arguments = json!({
        "name": "Opened", "ticker": "OPN", "description": "Opened in a browser.", "imageUrl": "https://1.1.1.1/a.png",
        "targetRaiseEth": 1, "prebuyEth": 0.05, "confirm": "YES",
    });
    let params = json!({ "name": "launch_token", "arguments": arguments });
    let answer = stdio.request("tools/call", &params).await.unwrap();
    answer["result"]["structuredContent"].clone()
}

/// Units that an element of the page shows, exactly.
async fn units(browser: &Browser, selector: &str) -> U256 {
    let value = browser.value(&format!("document.querySelector({}).value", json!(selector))).await;
    U256::from_str_radix(value.as_str().unwrap(), 10).unwrap()
}

/// The page shows what the chain and the REST service say, to the unit.
async fn agrees(browser: &Browser, site: &Site, token: Address) {
    let provider = ProviderBuilder::new().connect_http(site.primary_rpc().parse().unwrap());
    let hook: Address = site.ready["chains"][0]["hook"].as_str().unwrap().parse().unwrap();
    let hook = ILaunchHook::new(hook, provider);
    let launch = hook.launchIdOf(token).call().await.unwrap();
    let state = hook.getLaunchState(launch).call().await.unwrap();
    assert_eq!(units(browser, "#sold").await, U256::from(state.sold));
    assert_eq!(units(browser, "#raised data").await, U256::from(state.netContributions));
    let record = site.get(&format!("/api/token?address={token}")).await.json().unwrap();
    let shown: f64 = browser.text("#price data").await.parse().unwrap();
    let served = record["price_eth"].as_f64().unwrap();
    assert!((shown - served).abs() <= served * 1e-14, "{shown} {served}");
    assert_eq!(browser.text("#trade-count").await, record["txns_total"].to_string());
}

/// Trades from the page; the trade must be seen soon after it is mined.
async fn trade(browser: &Browser, amount: &str) {
    browser.value("document.getElementById('outcome').textContent = ''").await;
    let before = browser.text("#trade-count").await;
    browser.fill("#order input[name=amount]", amount).await;
    browser.until("document.getElementById('quote').dataset.calls !== undefined").await;
    browser.click("#order button[type=submit]").await;
    browser
        .until("/^(Traded|Not traded|Reverted|Nothing)/.test(document.getElementById('outcome').textContent)")
        .await;
    assert!(browser.text("#outcome").await.starts_with("Traded"), "{}", browser.text("#outcome").await);
    let seen =
        browser.until(&format!("document.getElementById('trade-count').textContent !== '{before}'")).await;
    assert!(seen < SOON, "{seen:?}");
}

#[tokio::test]
async fn a_launch_is_opened_traded_and_graduated_in_a_browser() {
    let site = Site::start(&[]);
    let browser = Browser::start().await;
    let result = launched(&site).await;
    let token: Address = result["tokenAddress"].as_str().unwrap().parse().unwrap();
    browser.open_live(result["tradeUrl"].as_str().unwrap()).await;
    assert_eq!(browser.text("h1").await, "Opened (OPN)");
    agrees(&browser, &site, token).await;
    // What the preview quotes is what comes out.
    browser.fill("#order input[name=amount]", "0.1").await;
    browser.until("document.getElementById('gets') !== null").await;
    let quoted = units(&browser, "#gets data").await;
    trade(&browser, "0.1").await;
    agrees(&browser, &site, token).await;
    assert_eq!(units(&browser, "#trades tbody tr td:nth-child(4) data").await, quoted);
    browser.click("#order input[value=sell]").await;
    trade(&browser, "1000").await;
    agrees(&browser, &site, token).await;
    browser.click("#order input[value=buy]").await;
    trade(&browser, "2").await;
    browser.until("document.getElementById('graduated') !== null").await;
    let record = site.get(&format!("/api/token?address={token}")).await.json().unwrap();
    assert_eq!(record["is_graduated"], true);
    assert!(browser.text("#curve").await.contains(record["pool"].as_str().unwrap()));
    // In the pool both ways too.
    trade(&browser, "0.01").await;
    browser.click("#order input[value=sell]").await;
    trade(&browser, "500").await;
    browser.open_live(result["explorerUrl"].as_str().unwrap()).await;
    assert_eq!(browser.text("#result").await, "succeeded");
    let events = browser.text("#events").await;
    assert!(events.contains("LaunchCreated") && events.contains("Opened in a browser."), "{events}");
    browser.end().await;
    site.end();
}

#[tokio::test]
async fn a_page_follows_a_reorganisation_and_a_lost_connection() {
    let site = Site::start(&[]);
    let browser = Browser::start().await;
    let token = site.launch("Followed", "1", "0.05").await;
    browser.open_live(&site.page(&format!("/trade/{token}"))).await;
    let rows = "document.querySelectorAll('#trades tbody tr').length";
    assert_eq!(browser.value(rows).await, 1);
    let buy = json!({ "token": token, "side": "buy", "amount": "0.02" });
    site.order("/_sim/trades", &buy).await;
    browser.until(&format!("{rows} === 2")).await;
    site.rpc("anvil_reorg", json!([1, []])).await;
    browser.until("document.getElementById('standing').textContent.includes('was reorganised')").await;
    browser.until(&format!("{rows} === 1")).await;
    // A connection that broke is found again, and what happened meanwhile is there once.
    let network = |offline: bool| json!({ "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
    browser.devtools("Network.enable", json!({})).await;
    browser.devtools("Network.emulateNetworkConditions", network(true)).await;
    site.order("/_sim/trades", &buy).await;
    site.order("/_sim/trades", &buy).await;
    browser.until("document.getElementById('connection').textContent.startsWith('connection lost')").await;
    browser.devtools("Network.emulateNetworkConditions", network(false)).await;
    browser.until("document.getElementById('connection').textContent === 'live'").await;
    browser.until(&format!("{rows} === 3")).await;
    let once = "new Set([...document.querySelectorAll('#trades tbody tr')].map((row) => row.dataset.transaction)).size";
    assert_eq!(browser.value(once).await, 3);
    browser.forget_errors().await;
    browser.end().await;
    site.end();
}
