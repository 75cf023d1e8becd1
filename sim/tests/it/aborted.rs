//! Callers that hang up, nodes that hang and nodes that exit.
use std::ops::Range;
use std::time::Duration;

use alloy::eips::BlockId;
use alloy::providers::Provider;
use reqwest::Client;
use serde_json::{Value, json};
use slipway_sim::Platform;
use slipway_test_support::database::Server;
use slipway_test_support::times;
use tokio::time::timeout;

use crate::orders::{assert_whole, mines_each};
use crate::platform::{
    PRIMARY, client, get, kill_second_node, launch, order, ordered, provider, shared, signal_nodes, start,
};

/// Aborted orders between two checks of the whole platform: seven kinds of orders in ten states of the nodes.
const PART: u64 = 70;
/// The order during which the database is killed, in every second part.
const CRASH: u64 = 30;

/// The `number`-th order: its path and its body.
fn numbered(number: u64, checkpoint: &Value, token: &Value) -> (String, Value) {
    match number % 7 {
        0 => (format!("/checkpoints/{checkpoint}/revert"), json!({})),
        1 => ("/clock/advance".to_owned(), json!({ "seconds": 1 + number % 5 })),
        2 => ("/trades".to_owned(), json!({ "token": token, "side": "buy", "amount": "0.001" })),
        3 => ("/checkpoints".to_owned(), json!({})),
        4 => {
            let name = format!("Qaborted {number}");
            (
                "/launches".to_owned(),
                json!({ "name": name, "ticker": "Q", "targetRaise": "1", "chainId": 4663 }),
            )
        }
        5 => ("/export".to_owned(), json!({})),
        _ => ("/trades".to_owned(), json!({ "token": token, "side": "sell", "amount": "1" })),
    }
}

/// Sends an order and hangs up after this many milliseconds.
async fn abort(client: &Client, platform: &Platform, (path, body): (String, Value), milliseconds: u64) {
    let url = format!("{}/_sim{path}", platform.ready().control_url.as_ref().unwrap());
    let sent = client.post(url).body(body.to_string()).send();
    drop(timeout(Duration::from_millis(milliseconds), sent).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn aborted_orders_leave_nothing_half_done() {
    let mut server = Server::start().await;
    let folder = tempfile::tempdir().unwrap();
    let over = slipway_sim::Config { export: Some(folder.path().join("whole")), ..shared(&server) };
    let config = || over.clone();
    let platform = Platform::start(config()).await.unwrap();
    let launch = json!({ "name": "Qbegun", "ticker": "Q", "targetRaise": "5", "prebuy": "0.1" });
    let token = ordered(&platform, "POST /_sim/launches", launch).await["token"].clone();
    let checkpoint = ordered(&platform, "POST /_sim/checkpoints", json!({})).await["id"].clone();
    let client = client();
    for part in 0..times(2, 10) {
        let orders = async |numbers: Range<u64>| {
            for number in numbers {
                // For three of ten orders the nodes are stopped.
                match number % 10 {
                    5 => signal_nodes(&platform, "-STOP"),
                    8 => signal_nodes(&platform, "-CONT"),
                    _ => {}
                }
                abort(&client, &platform, numbered(number, &checkpoint, &token), number * 13 % 21).await;
            }
        };
        let begun = part * PART;
        orders(begun..begun + CRASH).await;
        let rest = orders(begun + CRASH..begun + PART);
        if part % 2 == 1 {
            tokio::join!(server.crash(), rest);
        } else {
            rest.await;
        }
        signal_nodes(&platform, "-CONT");
        assert_whole(&platform, config()).await;
    }
    ordered(&platform, &format!("POST /_sim/checkpoints/{checkpoint}/revert"), json!({})).await;
    assert_eq!(get(&platform, "/api/tokens?search=Qaborted").await["totalCount"], 0);
    assert_eq!(get(&platform, "/api/tokens?search=Qbegun").await["totalCount"], 1);
    assert_whole(&platform, config()).await;
    platform.stop().await;
}

/// The timestamp of the latest block of the primary chain.
async fn latest_time(platform: &Platform) -> u64 {
    let block = provider(platform, PRIMARY).get_block(BlockId::latest()).await.unwrap();
    block.unwrap().header.timestamp
}

#[tokio::test(flavor = "multi_thread")]
async fn order_without_a_node_changes_nothing_and_readiness_reports_it() {
    let platform = start().await;
    let checkpoint = ordered(&platform, "POST /_sim/checkpoints", json!({})).await["id"].clone();
    ordered(&platform, "POST /_sim/clock/advance", json!({ "seconds": 60 })).await;
    let (before, now) = (get(&platform, "/api/tokens?sortBy=oldest").await, platform.engine().clock().now());
    let died = platform.died();
    kill_second_node(&platform);
    died.await;
    let revert = format!("/checkpoints/{checkpoint}/revert");
    let orders = [
        ("/clock/advance", json!({ "seconds": 5 })),
        ("/checkpoints", json!({})),
        (revert.as_str(), json!({})),
        ("/clock/set", json!({ "timestamp": now + 5 })),
    ];
    let client = client();
    for number in 0..84 {
        for (path, body) in &orders {
            abort(&client, &platform, ((*path).to_owned(), body.clone()), number % 21).await;
        }
    }
    for (path, body) in orders {
        let (status, refused) = order(&platform, &format!("POST /_sim{path}"), body).await;
        assert_eq!(status, 503, "{path}: {refused}");
        assert_eq!(platform.engine().clock().now(), now);
        assert!(mines_each(&platform, PRIMARY).await, "{path}");
    }
    let (status, reported) = order(&platform, "GET /_sim/ready", "").await;
    assert_eq!((status, &reported["error"]), (503, &json!("chain 4663 does not answer")));
    assert_eq!(get(&platform, "/api/tokens?sortBy=oldest").await, before);
    launch(&platform, PRIMARY, "Qalone").await;
    assert_eq!(latest_time(&platform).await, now);
    platform.stop().await;
}
