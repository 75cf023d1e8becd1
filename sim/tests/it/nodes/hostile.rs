//! Contracts that anybody can list at the exchange: none stops the platform, and each keeps as much of its description as is valid.
use std::time::Duration;

use alloy::primitives::Address;
use serde_json::{Value, json};
use slipway_contracts::bindings::IUniswapV2Factory;
use tokio::time::timeout;

use super::Nodes;
use crate::platform::{PRIMARY, act, config, ordered};

/// Time limit of this test's answers on a busy machine.
const BOUNDED: Duration = Duration::from_secs(30);

/// Runtime codes that answer every call in their own way.
const HOSTILE: [(&str, &str); 7] = [
    ("loops", "0x5b600056"),
    // Reverts with 512 KiB, and returns them.
    ("reverts with much", "0x6208000060fd5b600080fd"),
    ("returns much", "0x620800006000f3"),
    // The largest number for decimals and balances, and for the offset of a text.
    (
        "returns the largest number",
        "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff60005260206000f3",
    ),
    // A text of 2^64 bytes.
    ("returns an endless text", "0x602060005267ffffffffffffffff60205260406000f3"),
    ("destroys itself", "0x6000ff"),
    ("spends all gas", "0xfe"),
];

#[tokio::test(flavor = "multi_thread")]
async fn hostile_tokens_are_listed_and_stop_nothing() {
    let nodes = Nodes::behind(config()).await;
    let platform = &nodes.platform;
    let (chain, account) = (&platform.ready().chains[0], platform.ready().accounts[0].address);
    let (factory, wrapped) = (chain.contracts["UniswapV2Factory"], chain.contracts["WETH9"]);
    for (place, (what, code)) in (0_u8..).zip(HOSTILE) {
        let token = Address::repeat_byte(0xa0 + place);
        nodes.result("anvil_setCode", json!([token, code])).await;
        let create = IUniswapV2Factory::createPairCall { tokenA: token, tokenB: wrapped };
        let listed = timeout(BOUNDED, act(platform, PRIMARY, account, factory, 0, &create)).await;
        assert!(listed.expect(what), "{what}");
    }
    let read = async |path: &str| {
        let url = format!("{}{path}", platform.ready().swap_base_url);
        let answer = timeout(BOUNDED, nodes.client.get(url).send()).await.unwrap().unwrap();
        let status = answer.status().as_u16();
        (status, answer.json::<Value>().await.unwrap())
    };
    let (status, tokens) = read("/api/tokens").await;
    assert_eq!(status, 200, "{tokens}");
    let shown = tokens.to_string().to_lowercase();
    let (_, pairs) = read("/api/pairs").await;
    for (place, (what, _)) in (0_u8..).zip(HOSTILE) {
        let token = Address::repeat_byte(0xa0 + place);
        assert!(shown.contains(&format!("{token:#x}")), "{what}: {tokens}");
        assert!(pairs.to_string().to_lowercase().contains(&format!("{token:#x}")), "{what}");
        let quote = format!("/api/quote?tokenIn={wrapped}&tokenOut={token}&amount=1000000000000000000");
        let (status, quote) = read(&quote).await;
        // A pair without reserves has no route.
        assert!((400..=500).contains(&status), "{what}: {quote}");
    }
    let list = nodes.client.get(format!("{}/api/tokens", platform.ready().base_url)).send();
    assert_eq!(timeout(BOUNDED, list).await.unwrap().unwrap().status(), 200);
    let orders = async {
        ordered(platform, "POST /_sim/clock/advance", json!({ "seconds": 1 })).await;
        ordered(platform, "GET /_sim/ready", "").await;
    };
    timeout(BOUNDED, orders).await.unwrap();
    let described = |place: u8| {
        let address = Address::repeat_byte(0xa0 + place);
        platform.engine().exchange().load().token(address).cloned().unwrap().token
    };
    for (place, (what, _)) in (0_u8..).zip(HOSTILE) {
        let token = described(place);
        // A number that is a `uint8` counts as the decimals, even if it is not meant so.
        let decimals = match what {
            "returns much" => 0,
            "returns an endless text" => 32,
            _ => 18,
        };
        assert_eq!(
            (token.name.as_str(), token.symbol.as_str(), token.decimals),
            ("", "", decimals),
            "{what}"
        );
    }
    nodes.platform.stop().await;
}
