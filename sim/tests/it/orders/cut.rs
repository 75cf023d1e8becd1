//! Checkpoints during writes: if a checkpoint contains part of a write, it contains all writes that were acknowledged before that one started.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use alloy::network::TransactionBuilder;
use alloy::primitives::{Address, U256};
use alloy::providers::Provider;
use alloy::rpc::types::TransactionRequest;
use reqwest::Client;
use serde_json::{Value, json};
use slipway_sim::Platform;
use slipway_sim::engine::Engine;
use slipway_sim::fact::Fact;
use slipway_sim::store::RateLimit;
use slipway_test_support::times;
use tokio::task::JoinSet;

use super::{answers, read};
use crate::platform::{PRIMARY, SECOND, client, ordered, start};

const WRITERS: u8 = 8;
/// Number of writes that are acknowledged before a checkpoint is made.
const AHEAD: u64 = 12;
/// More uses than any writer makes.
const LIMIT: RateLimit = RateLimit { name: "test-cut", limit: 1_000_000, span: 1 << 40 };

/// Writes to one part after another and counts each.
struct Writer {
    number: u8,
    engine: Engine,
    client: Client,
    faults: String,
}

/// Number of writes of a writer to each part, in the order of its writes.
type Counts = [u64; 5];

impl Writer {
    fn all(platform: &Platform) -> Vec<Self> {
        let faults = format!("{}/_sim/faults", platform.ready().control_url.as_ref().unwrap());
        let writer = |number| Self {
            number,
            engine: platform.engine().clone(),
            client: client(),
            faults: faults.clone(),
        };
        (0..WRITERS).map(writer).collect()
    }

    fn account(&self) -> Address {
        Address::repeat_byte(0xb0 + self.number)
    }

    fn fact(&self) -> Fact {
        Fact::TokenDisabled { token: self.account(), disabled: true }
    }

    async fn send(&self, chain_id: u64) {
        let node = self.engine.chain(chain_id).unwrap().0.provider();
        let account = self.account();
        let transfer =
            TransactionRequest::default().with_from(account).with_to(account).with_gas_limit(21_000);
        let _: Value = node.raw_request("eth_sendTransactionSync".into(), (&transfer,)).await.unwrap();
    }

    /// One write to each part, each after the previous one was acknowledged.
    async fn write(&self, count: u64) {
        self.send(PRIMARY).await;
        self.send(SECOND).await;
        let (store, now) = (self.engine.store(), self.engine.clock().now());
        store.append(&self.fact(), now).await.unwrap();
        store.take(&LIMIT, &self.number.to_string(), now).await.unwrap().unwrap();
        let fault = json!({ "path": "/nowhere", "nth": count, "effect": { "status": 503 } });
        let url = format!("{}/{}", self.faults, self.number);
        let answer = self.client.put(url).body(fault.to_string()).send().await.unwrap();
        assert_eq!(answer.status(), 200);
    }

    async fn counts(&self) -> Counts {
        let mut counts = [0; 5];
        for (count, chain_id) in counts.iter_mut().zip([PRIMARY, SECOND]) {
            let node = self.engine.chain(chain_id).unwrap().0.provider();
            *count = node.get_transaction_count(self.account()).await.unwrap();
        }
        let facts = self.engine.store().facts_after(0).await.unwrap();
        counts[2] = facts.iter().filter(|(_, fact)| *fact == self.fact()).count() as u64;
        let mut use_of = self.engine.store().write(0).await.unwrap();
        let now = self.engine.clock().now();
        let status = use_of.take(&[(&LIMIT, &self.number.to_string())], now).await.unwrap().unwrap();
        // The use that this check counts is not committed.
        counts[3] = u64::from(LIMIT.limit - status.remaining) - 1;
        drop(use_of);
        let faults = read(&self.client, &self.faults).await;
        counts[4] = faults["faults"][self.number.to_string()]["nth"].as_u64().unwrap_or(0);
        counts
    }
}

async fn all_counts(platform: &Platform) -> Vec<Counts> {
    let mut all = Vec::new();
    for writer in Writer::all(platform) {
        all.push(writer.counts().await);
    }
    all
}

/// Makes a checkpoint while all writers run; they have stopped when this returns. Also returns the counts from before.
async fn checkpoint_amid_writers(platform: &Platform, pause: u64) -> (Value, Vec<Counts>) {
    let begun = all_counts(platform).await;
    let (over, written) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let mut writers = JoinSet::new();
    for (writer, begun) in Writer::all(platform).into_iter().zip(&begun) {
        let (over, written, mut count) = (Arc::clone(&over), Arc::clone(&written), begun[4]);
        writers.spawn(async move {
            while !over.load(Ordering::SeqCst) {
                count += 1;
                writer.write(count).await;
                written.fetch_add(1, Ordering::SeqCst);
            }
        });
    }
    while written.load(Ordering::SeqCst) < AHEAD + pause {
        tokio::task::yield_now().await;
    }
    let id = ordered(platform, "POST /_sim/checkpoints", json!({})).await["id"].clone();
    over.store(true, Ordering::SeqCst);
    while let Some(ended) = writers.join_next().await {
        ended.unwrap();
    }
    (id, begun)
}

#[tokio::test(flavor = "multi_thread")]
async fn checkpoints_amid_writers_are_of_one_moment() {
    let platform = start().await;
    for chain_id in [PRIMARY, SECOND] {
        let node = platform.engine().chain(chain_id).unwrap().0.provider();
        let _: Value = node.raw_request("anvil_autoImpersonateAccount".into(), (true,)).await.unwrap();
        for writer in Writer::all(&platform) {
            let balance = (writer.account(), U256::from(10).pow(U256::from(18)));
            let _: Value = node.raw_request("anvil_setBalance".into(), balance).await.unwrap();
        }
    }
    let (checkpoints, mut amid) = (times(25, 200), 0);
    for number in 0..checkpoints {
        let (id, begun) = checkpoint_amid_writers(&platform, number % 7).await;
        let latest = all_counts(&platform).await;
        let revert = format!("POST /_sim/checkpoints/{id}/revert");
        ordered(&platform, &revert, json!({})).await;
        let (counts, seen) = (all_counts(&platform).await, answers(&platform).await);
        for (counts, begun) in counts.iter().zip(&begun) {
            let written: Vec<u64> = counts.iter().zip(begun).map(|(now, before)| now - before).collect();
            let is_ordered = written.is_sorted_by(|earlier, later| earlier >= later);
            assert!(is_ordered && written[0] - written[4] <= 1, "{written:?}");
        }
        amid += u64::from(counts != latest);
        let heights: BTreeMap<u64, u64> = platform.engine().heights().borrow().clone();
        for (chain_id, height) in heights {
            let node = platform.engine().chain(chain_id).unwrap().0.provider();
            assert_eq!(node.get_block_number().await.unwrap(), height, "the index of chain {chain_id}");
        }
        ordered(&platform, &revert, json!({})).await;
        assert_eq!((all_counts(&platform).await, answers(&platform).await), (counts, seen));
    }
    assert!(amid > checkpoints / 2, "only {amid} checkpoints were made amid writes");
    platform.stop().await;
}
