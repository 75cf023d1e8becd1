//! A time jump and a revert as every reader sees them: whole and at once.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::join_all;
use reqwest::Client;
use serde_json::{Value, json};
use slipway_sim::Platform;

use crate::platform::{client, latest_times, ordered, start};

const READS: [&str; 5] = [
    "/api/eoti?includeBidData=true",
    "/api/tokens?sortBy=trending",
    "/api/leaderboard",
    "/api/koti",
    "/api/tokens?sortBy=oldest&page=2",
];
/// Past the next midnight, and longer than every window.
const JUMP: u64 = 90_000;
const ROUNDS: usize = 3;

async fn read(client: &Client, origin: &str, path: &str) -> String {
    let answer = client.get(format!("{origin}{path}")).send().await.unwrap();
    format!("{} {}", answer.status(), answer.text().await.unwrap())
}

async fn read_all(client: &Client, origin: &str) -> Vec<String> {
    join_all(READS.map(|path| read(client, origin, path))).await
}

#[tokio::test(flavor = "multi_thread")]
async fn clock_jump_is_atomic() {
    let platform = start().await;
    let (client, origin) = (client(), platform.ready().base_url.clone());
    let checkpoint = ordered(&platform, "POST /_sim/checkpoints", "").await["id"].clone();
    let revert = format!("/_sim/checkpoints/{checkpoint}/revert");
    let before = read_all(&client, &origin).await;
    let jump = || ordered(&platform, "POST /_sim/clock/advance", json!({ "seconds": JUMP }));
    let now = jump().await["now"].as_u64().unwrap();
    let after = read_all(&client, &origin).await;
    let changed: Vec<usize> = (0..READS.len()).filter(|at| before[*at] != after[*at]).collect();
    assert_eq!(changed, [0, 1, 2, 3, 4]);
    for _ in 0..ROUNDS {
        ordered(&platform, &format!("POST {revert}"), "").await;
        // Set by the first reader that has seen a later state; readers after it must not see an earlier one.
        let (seen, over) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let readers = (0..6).map(|reader| {
            let (client, origin) = (client.clone(), origin.clone());
            let (seen, over) = (Arc::clone(&seen), Arc::clone(&over));
            let (changed, before, after) = (changed.clone(), before.clone(), after.clone());
            tokio::spawn(async move {
                let mut reads = 0;
                while !over.load(Ordering::SeqCst) {
                    let at = changed[(reader + reads) % changed.len()];
                    let late = seen.load(Ordering::SeqCst);
                    let answer = read(&client, &origin, READS[at]).await;
                    if answer == after[at] {
                        seen.store(true, Ordering::SeqCst);
                    } else {
                        assert_eq!(answer, before[at], "{}", READS[at]);
                        assert!(!late, "{} is behind what others have seen", READS[at]);
                    }
                    reads += 1;
                }
                reads
            })
        });
        let readers: Vec<_> = readers.collect();
        // By the time the clock has the new time, both chains have reached it.
        let watch = async {
            while ordered(&platform, "GET /_sim/clock", "").await["now"] != now {}
            latest_times(&platform).await
        };
        let (_, times) = tokio::join!(jump(), watch);
        assert_eq!(times, [now; 2]);
        over.store(true, Ordering::SeqCst);
        for reader in readers {
            assert!(reader.await.unwrap() > 0);
        }
        assert_eq!(read_all(&client, &origin).await, after);
    }
    platform.stop().await;
}

async fn status_of(platform: &Platform, path: &str) -> u16 {
    reqwest::get(format!("{}{path}", platform.ready().base_url)).await.unwrap().status().as_u16()
}

async fn register(platform: &Platform, wallet: u8) -> u16 {
    let url = format!("{}/api/referral/register", platform.ready().base_url);
    let wallet = format!("0x{}", alloy::hex::encode([wallet; 20]));
    let body = json!({ "referral_code": "REF-NOBODYXX", "wallet_address": wallet });
    client().post(url).json(&body).send().await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn checkpoint_covers_limits_captchas_faults_and_uploads() {
    let platform = start().await;
    let mint = async |seconds: u64| -> String {
        let minted = ordered(&platform, "POST /_sim/captchas", json!({ "ttlSeconds": seconds })).await;
        minted["token"].as_str().unwrap().to_owned()
    };
    let (short, long, spare) = (mint(30).await, mint(86_400).await, mint(86_400).await);
    for number in 0..5 {
        assert_eq!(register(&platform, number).await, 404);
    }
    assert_eq!(register(&platform, 5).await, 429);
    let fault = json!({ "path": "/api/koti", "nth": 2, "times": 1, "effect": { "status": 500 } });
    ordered(&platform, "PUT /_sim/faults/second", fault).await;
    assert_eq!(status_of(&platform, "/api/koti").await, 200);
    let kept = ordered(&platform, "GET /_sim/faults", "").await;
    assert_eq!((&kept["unused"], &kept["faults"]["second"]["matched"]), (&json!(["second"]), &json!(1)));
    let journal = ordered(&platform, "GET /_sim/journal", "").await["last"].as_u64().unwrap();
    let id = ordered(&platform, "POST /_sim/checkpoints", "").await["id"].clone();
    for _ in 0..2 {
        assert_eq!(register(&platform, 6).await, 429);
        ordered(&platform, "POST /_sim/clock/advance", json!({ "seconds": 60 })).await;
        assert_eq!(register(&platform, 7).await, 404);
        assert_eq!(crate::replicas::upload(&platform, &short, 1).await, 403);
        assert_eq!(crate::replicas::upload(&platform, &long, 1).await, 200);
        assert_eq!(crate::replicas::upload(&platform, &long, 1).await, 403);
        assert_eq!(status_of(&platform, "/api/koti").await, 500);
        let used = ordered(&platform, "GET /_sim/faults", "").await;
        assert_eq!(used["unused"], json!([]));
        let other = json!({ "path": "/api/eoti", "effect": { "cut": true } });
        ordered(&platform, "PUT /_sim/faults/other", other).await;
        ordered(&platform, &format!("POST /_sim/checkpoints/{id}/revert"), "").await;
        assert_eq!(ordered(&platform, "GET /_sim/faults", "").await, kept);
    }
    // All answers stay in the journal, in one order.
    let entries = ordered(&platform, &format!("GET /_sim/journal?after={journal}"), "").await;
    let numbers: Vec<u64> = entries["entries"].as_array().unwrap().iter().map(number).collect();
    // Six requests to the REST service in each of two rounds.
    assert_eq!(numbers.len(), 12, "{entries:#}");
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
    assert_eq!(crate::replicas::upload(&platform, &spare, 1).await, 200);
    assert_eq!(crate::replicas::upload(&platform, &short, 1).await, 200);
    platform.stop().await;
}

fn number(entry: &Value) -> u64 {
    entry["number"].as_u64().unwrap()
}
