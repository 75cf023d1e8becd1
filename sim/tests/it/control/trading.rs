//! Actions of funded accounts on behalf of the operator, and the list of checkpoints.
use serde_json::{Value, json};
use slipway_sim::Platform;

use crate::platform::{PRIMARY, SECOND, get, order, ordered, start};

async fn launched(platform: &Platform, body: Value) -> String {
    let done = ordered(platform, "POST /_sim/launches", body).await;
    done["token"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_launch_trade_and_graduate() {
    let platform = start().await;
    let accounts = ordered(&platform, "GET /_sim/accounts", "").await;
    let accounts = accounts["accounts"].as_array().unwrap();
    assert_eq!(accounts.len(), platform.ready().accounts.len());
    let second = accounts[1]["address"].as_str().unwrap();
    for chain_id in [PRIMARY, SECOND] {
        let balance = accounts[1]["balances"][chain_id.to_string()].as_str().unwrap();
        assert!(balance.parse::<u128>().unwrap() > 10_u128.pow(18), "{balance}");
        let token = launched(
            &platform,
            json!({
                "chainId": chain_id, "account": second, "name": "Ordered", "ticker": "ORD",
                "targetRaise": "1", "prebuy": "0.1", "antiSnipeDuration": 60,
            }),
        )
        .await;
        let record = format!("/api/token?address={token}&chainId={chain_id}");
        let first = get(&platform, &record).await;
        assert_eq!(first["owner"].as_str().unwrap().to_lowercase(), second.to_lowercase());
        // The launch is protected, so each of these trades has its own captcha authorisation.
        for (side, amount) in [("buy", "0.05"), ("sell", "1000")] {
            let body = json!({ "token": token, "chainId": chain_id, "side": side, "amount": amount, "account": second });
            let done = ordered(&platform, "POST /_sim/trades", body).await;
            let indexed = format!("/_sim/indexed?chainId={chain_id}&block={}", done["block"]);
            ordered(&platform, &format!("GET {indexed}"), "").await;
        }
        let traded = get(&platform, &record).await;
        assert_eq!(
            (&traded["txns_total"], &traded["is_graduated"]),
            (&json!(first["txns_total"].as_u64().unwrap() + 2), &json!(false))
        );
        let graduate = format!("/_sim/tokens/{token}/graduate");
        let body = || json!({ "chainId": chain_id });
        ordered(&platform, &format!("POST {graduate}"), body()).await;
        assert_eq!(get(&platform, &record).await["is_graduated"], true);
        let (status, reported) = order(&platform, &format!("POST {graduate}"), body()).await;
        assert_eq!(status, 409, "{reported}");
        // The same trades in the pool.
        for (side, amount) in [("buy", "0.01"), ("sell", "10")] {
            let body = json!({ "token": token, "chainId": chain_id, "side": side, "amount": amount });
            ordered(&platform, "POST /_sim/trades", body).await;
        }
    }
    // The contract's own error is reported.
    let body = json!({ "name": "", "ticker": "T", "targetRaise": "1" });
    let (status, reported) = order(&platform, "POST /_sim/launches", body).await;
    assert_eq!(status, 409, "{reported}");
    assert_eq!(reported["revert"], json!({ "name": "NameLengthOutOfRange", "arguments": [] }));
    platform.stop().await;
}

/// A revert lets transactions in progress be mined first: none fails, and none waits for the node's time limit.
#[tokio::test(flavor = "multi_thread")]
async fn trades_amid_reverts_succeed() {
    let platform = start().await;
    let token = launched(&platform, json!({ "name": "Amid", "ticker": "AMID", "targetRaise": "5" })).await;
    let checkpoint = ordered(&platform, "POST /_sim/checkpoints", json!({})).await["id"].clone();
    let revert = format!("POST /_sim/checkpoints/{checkpoint}/revert");
    for _ in 0..10 {
        let trade = json!({ "token": token, "side": "buy", "amount": "0.001" });
        tokio::join!(ordered(&platform, "POST /_sim/trades", trade), ordered(&platform, &revert, json!({})));
    }
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checkpoints_are_listed_by_name_until_they_end() {
    let platform = start().await;
    let take = |body: Value| ordered(&platform, "POST /_sim/checkpoints", body);
    let named = take(json!({ "name": "before <b>" })).await["id"].clone();
    ordered(&platform, "POST /_sim/clock/advance", json!({ "seconds": 60 })).await;
    take(json!({})).await;
    let list = async || ordered(&platform, "GET /_sim/checkpoints", "").await["checkpoints"].clone();
    let kept = list().await;
    assert_eq!((&kept[0]["name"], &kept[1]["name"]), (&json!("before <b>"), &Value::Null));
    assert_eq!(kept[1]["at"].as_u64().unwrap(), kept[0]["at"].as_u64().unwrap() + 60);
    ordered(&platform, &format!("POST /_sim/checkpoints/{named}/revert"), "").await;
    assert_eq!(list().await, json!([kept[0]]));
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checkpoints_are_discarded_on_request_and_beyond_the_last_64_without_a_name() {
    let platform = start().await;
    let take =
        async |body: Value| ordered(&platform, "POST /_sim/checkpoints", body).await["id"].as_u64().unwrap();
    let named = take(json!({ "name": "kept" })).await;
    let first = take(json!({})).await;
    for _ in 0..64 {
        take(json!({})).await;
    }
    let list = async || {
        let list = ordered(&platform, "GET /_sim/checkpoints", "").await["checkpoints"].clone();
        list.as_array().unwrap().iter().map(|kept| kept["id"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(list().await, [named].into_iter().chain(first + 1..=first + 64).collect::<Vec<_>>());
    let gone = async |line: String| {
        let (status, refused) = order(&platform, &line, "").await;
        assert_eq!(status, 404, "{line}: {refused}");
        let error = refused["error"].as_str().unwrap().to_owned();
        assert!(error.contains("was discarded"), "{line}: {error}");
    };
    gone(format!("POST /_sim/checkpoints/{first}/revert")).await;
    gone(format!("DELETE /_sim/checkpoints/{first}")).await;
    let discarded = ordered(&platform, &format!("DELETE /_sim/checkpoints/{named}"), "").await;
    assert_eq!(discarded, json!({ "id": named }));
    gone(format!("POST /_sim/checkpoints/{named}/revert")).await;
    ordered(&platform, &format!("POST /_sim/checkpoints/{}/revert", first + 1), "").await;
    assert_eq!(list().await, [first + 1]);
    gone(format!("DELETE /_sim/checkpoints/{}", first + 2)).await;
    platform.stop().await;
}
