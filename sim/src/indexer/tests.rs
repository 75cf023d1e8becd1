//! The index of a node that mines, forks and rolls back during requests, with notifications that arrive late, twice or out of order: a
//! reader never sees less than the node has.
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use alloy::primitives::{Address, B256, Log as RawLog, U64, U256, logs_bloom};
use alloy::providers::{Provider, RootProvider};
use alloy::rpc::client::RpcClient;
use alloy::rpc::json_rpc::{RequestPacket, Response, ResponsePacket, ResponsePayload, SerializedRequest};
use alloy::rpc::types::Log;
use alloy::sol_types::SolEvent;
use alloy::transports::{TransportError, TransportFut};
use parking_lot::Mutex;
use proptest::prelude::*;
use serde_json::{Value, json};
use slipway_contracts::bindings::ILaunchHook;

use super::{EventLog, Folds, IndexedBlock, Indexer, Watched};
use crate::chain::{Chain, Head};
use crate::store::{Backend, Store};

const CHAIN: u64 = 57_073;
const HOOK: Address = Address::repeat_byte(1);

/// A change of the node's chain.
#[derive(Clone, Copy, Debug)]
enum Change {
    Mine(u64),
    /// Replaces the last blocks by one more than there were.
    Fork(usize),
    GoBack(usize),
}

#[derive(Clone, Debug)]
enum Event {
    Changed(Change),
    /// A notification about any block that ever existed.
    Told(prop::sample::Index),
    /// The index calls the node, whose chain changes after this many responses.
    Looked(Option<(usize, Change)>),
}

#[derive(Debug, Default)]
struct Inner {
    blocks: Vec<Head>,
    /// Every block that ever existed.
    mined: Vec<Head>,
    requests: usize,
    surprise: Option<(usize, Change)>,
    /// Fewest blocks since this was last read.
    fewest: usize,
    /// The index at each request: its launches and its height.
    seen: Vec<(Vec<u64>, Option<u64>)>,
}

/// A node in memory: every block launches one token, whose number identifies the block.
#[derive(Clone, Debug, Default)]
struct FakeNode {
    inner: Arc<Mutex<Inner>>,
    indexer: Arc<OnceLock<Indexer>>,
}

impl Inner {
    fn mine(&mut self) {
        let number = self.blocks.len() as u64;
        let unique = self.mined.len() as u64 + 1;
        let head = Head {
            number,
            hash: U256::from(unique).into(),
            parent: self.blocks.last().map_or(B256::ZERO, |head| head.hash),
            timestamp: 1_000 + number,
            is_empty: false,
        };
        self.blocks.push(head);
        self.mined.push(head);
    }

    fn change(&mut self, change: Change) {
        match change {
            Change::Mine(count) => (0..count).for_each(|_| self.mine()),
            Change::Fork(depth) => {
                let depth = depth.min(self.blocks.len() - 1);
                let kept = self.blocks.len() - depth;
                self.blocks.truncate(kept);
                (0..=depth).for_each(|_| self.mine());
            }
            Change::GoBack(depth) => self.blocks.truncate(self.blocks.len().saturating_sub(depth).max(1)),
        }
        self.fewest = self.fewest.min(self.blocks.len());
    }

    fn block(&self, number: &Value) -> Value {
        let head = match number.as_str() {
            Some("latest") => self.blocks.last(),
            _ => self.blocks.get(number_of(number)),
        };
        head.map_or(Value::Null, |head| {
            json!({
                "number": U64::from(head.number),
                "hash": head.hash,
                "parentHash": head.parent,
                "timestamp": U64::from(head.timestamp),
                "gasUsed": "0x5208",
                "logsBloom": logs_bloom([&launch_log(head).inner]),
            })
        })
    }

    fn logs(&self, filter: &Value) -> Value {
        let (from, to) = (number_of(&filter["fromBlock"]), number_of(&filter["toBlock"]));
        let blocks = self.blocks.iter().skip(from).take((to + 1).saturating_sub(from));
        blocks.map(|head| serde_json::to_value(launch_log(head)).unwrap()).collect()
    }
}

fn number_of(value: &Value) -> usize {
    serde_json::from_value::<U64>(value.clone()).unwrap().to()
}

fn launch_log(head: &Head) -> Log {
    let unique = U256::from_be_bytes(head.hash.0);
    let created = ILaunchHook::LaunchCreated {
        launchId: unique,
        creator: HOOK,
        token: Address::from_word(head.hash),
        targetRaise: U256::from(1).to(),
    };
    Log {
        inner: RawLog { address: HOOK, data: created.encode_log_data() },
        block_hash: Some(head.hash),
        block_number: Some(head.number),
        block_timestamp: Some(head.timestamp),
        transaction_hash: Some(head.hash),
        transaction_index: Some(0),
        log_index: Some(0),
        removed: false,
    }
}

impl FakeNode {
    fn answer(&self, request: &SerializedRequest) -> Response {
        let params: Value =
            request.params().map_or(Value::Null, |raw| serde_json::from_str(raw.get()).unwrap());
        let shown = self.indexer.get().map(shown);
        let mut inner = self.inner.lock();
        inner.seen.extend(shown);
        let result = match request.method() {
            "eth_getBlockByNumber" => inner.block(&params[0]),
            "eth_getLogs" => inner.logs(&params[0]),
            method => panic!("the index does not need {method}"),
        };
        inner.requests += 1;
        let requests = inner.requests;
        if let Some((_, change)) = inner.surprise.take_if(|(after, _)| *after == requests) {
            inner.change(change);
        }
        let payload = serde_json::value::to_raw_value(&result).unwrap();
        Response { id: request.id().clone(), payload: ResponsePayload::Success(payload) }
    }
}

impl tower::Service<RequestPacket> for FakeNode {
    type Response = ResponsePacket;
    type Error = TransportError;
    type Future = TransportFut<'static>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, packet: RequestPacket) -> Self::Future {
        let node = self.clone();
        Box::pin(async move {
            tokio::task::yield_now().await;
            Ok(match packet {
                RequestPacket::Single(request) => ResponsePacket::Single(node.answer(&request)),
                RequestPacket::Batch(requests) => {
                    ResponsePacket::Batch(requests.iter().map(|request| node.answer(request)).collect())
                }
            })
        })
    }
}

/// The state's launches in order, and the height.
fn shown(indexer: &Indexer) -> (Vec<u64>, Option<u64>) {
    let state = indexer.state();
    let state = state.read();
    let launches = state.tokens().map(|token| token.launch.launch_id).collect();
    (launches, indexer.heights().borrow().get(&CHAIN).copied())
}

struct Scene {
    node: FakeNode,
    indexer: Indexer,
}

impl Scene {
    async fn new() -> Self {
        let node = FakeNode::default();
        node.inner.lock().change(Change::Mine(2));
        let provider = RootProvider::new(RpcClient::new(node.clone(), true)).erased();
        let chain = Chain::over(CHAIN, "", provider, None);
        let watched = Watched { hooks: [HOOK].into(), ..Watched::default() };
        let store = Store::open(Backend::Memory).await.unwrap();
        let indexer = Indexer::new(vec![(chain, watched)], store, 0, Folds::default(), EventLog::default());
        indexer.catch_up(CHAIN, None).await.unwrap();
        node.indexer.set(indexer.clone()).unwrap();
        Self { node, indexer }
    }

    /// Runs the index once; every launch seen meanwhile and at the end follows its parent, and there are
    /// never fewer than before or than the node had at the time.
    async fn catch_up(&self, reported: Option<Head>) {
        let (before, _) = shown(&self.indexer);
        {
            let mut inner = self.node.inner.lock();
            inner.requests = 0;
            inner.seen.clear();
            inner.fewest = inner.blocks.len().min(inner.fewest);
        }
        // Only a block that disappears at the very end of the call is an error, and the next poll corrects it.
        drop(self.indexer.catch_up(CHAIN, reported).await);
        let after = shown(&self.indexer);
        let mut inner = self.node.inner.lock();
        let parents: HashMap<u64, u64> =
            inner.mined.iter().map(|head| (unique(head.hash), unique(head.parent))).collect();
        let fewest = before.len().min(inner.fewest);
        for (launches, height) in inner.seen.iter().chain([&after]) {
            let mut parent = 0;
            for launch in launches {
                assert_eq!(parents[launch], parent, "launch {launch} of {launches:?}");
                parent = *launch;
            }
            assert!(launches.len() >= fewest, "{launches:?} after {before:?}");
            assert_eq!(*height, (launches.len() as u64).checked_sub(1), "{launches:?}");
        }
        inner.fewest = inner.blocks.len();
    }

    /// The index matches the node's chain.
    async fn settles(&self) {
        self.catch_up(None).await;
        let chain: Vec<u64> = self.node.inner.lock().blocks.iter().map(|head| unique(head.hash)).collect();
        assert_eq!(shown(&self.indexer).0, chain);
    }

    async fn happens(&self, event: &Event) {
        match event {
            Event::Changed(change) => self.node.inner.lock().change(*change),
            Event::Told(which) => {
                let head = *which.get(&self.node.inner.lock().mined);
                self.catch_up(Some(head)).await;
            }
            Event::Looked(surprise) => {
                self.node.inner.lock().surprise = *surprise;
                self.catch_up(None).await;
                self.node.inner.lock().surprise = None;
            }
        }
    }
}

fn unique(hash: B256) -> u64 {
    U256::from_be_bytes(hash.0).to()
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        5 => (1..5_u64).prop_map(Change::Mine),
        2 => (1..6_usize).prop_map(Change::Fork),
        1 => (1..4_usize).prop_map(Change::GoBack),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        3 => change().prop_map(Event::Changed),
        4 => any::<prop::sample::Index>().prop_map(Event::Told),
        2 => prop::option::of((1..6_usize, change())).prop_map(Event::Looked),
    ]
}

fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Clause: HIST-READ
    #[test]
    fn heights_fall_only_with_the_chain(events in prop::collection::vec(event(), 1..40)) {
        block_on(async {
            let scene = Scene::new().await;
            for event in &events {
                scene.happens(event).await;
            }
            scene.settles().await;
        });
    }
}

#[tokio::test]
async fn indexed_head_needs_no_request() {
    let scene = Scene::new().await;
    scene.node.inner.lock().change(Change::Mine(6));
    scene.settles().await;
    let mined = scene.node.inner.lock().mined.clone();
    for head in mined.iter().rev().chain(&mined) {
        scene.catch_up(Some(*head)).await;
        assert_eq!(scene.node.inner.lock().requests, 0, "block {}", head.number);
    }
    assert_eq!(shown(&scene.indexer), ((1..=8).collect(), Some(7)));
}

#[tokio::test]
async fn stale_head_is_ignored() {
    let scene = Scene::new().await;
    scene.node.inner.lock().change(Change::Mine(6));
    let dead = scene.node.inner.lock().mined.clone();
    scene.node.inner.lock().change(Change::Fork(4));
    scene.settles().await;
    let (launches, height) = shown(&scene.indexer);
    for head in dead {
        scene.catch_up(Some(head)).await;
        assert!(scene.node.inner.lock().seen.iter().all(|seen| *seen == (launches.clone(), height)));
    }
    assert_eq!(shown(&scene.indexer), (launches, height));
}

#[tokio::test]
async fn reorganisation_is_seen_in_one_step() {
    let scene = Scene::new().await;
    scene.node.inner.lock().change(Change::Mine(400));
    scene.settles().await;
    let before = shown(&scene.indexer);
    scene.node.inner.lock().change(Change::Fork(300));
    scene.settles().await;
    let after = shown(&scene.indexer);
    assert_eq!(after.1, Some(402));
    let inner = scene.node.inner.lock();
    assert!(inner.seen.len() > 300, "the branch was read");
    assert!(inner.seen.iter().all(|seen| *seen == before), "no reader saw a part of it");
}

#[tokio::test]
async fn catch_up_recovers_from_a_log_of_another_chain() {
    let scene = Scene::new().await;
    scene.node.inner.lock().blocks.clear();
    scene.node.inner.lock().change(Change::Mine(3));
    scene.settles().await;
    assert_eq!(shown(&scene.indexer), (vec![3, 4, 5], Some(2)));
}

#[tokio::test]
async fn latest_events_are_of_one_chain_and_leave_the_log_free() {
    let scene = Scene::new().await;
    scene.node.inner.lock().change(Change::Mine(700));
    scene.settles().await;
    let indexer = &scene.indexer;
    let is_free = || indexer.inner.log.try_lock().is_some();
    for (oldest, limit) in [(0, 5), (0, 256), (0, 600), (0, 1_000), (130, 1_000), (690, 1_000), (800, 1)] {
        let found = indexer.latest_events(CHAIN, oldest, limit, |_| is_free());
        let found: Vec<u64> = found.iter().map(|event| event.block).collect();
        assert_eq!(found, (oldest..=701).rev().take(limit).collect::<Vec<_>>(), "{oldest} {limit}");
    }
    // The upper blocks are replaced by fewer ones while those below are searched.
    let replaces = Cell::new(true);
    let found = indexer.latest_events(CHAIN, 0, 1_000, |event| {
        if event.block == 440 && replaces.take() {
            let mut log = indexer.inner.log.lock();
            let blocks = log.blocks(CHAIN);
            let branch = blocks.iter().skip(300).take(100).map(|block| {
                let hash = B256::left_padding_from(&block.number.to_be_bytes());
                Arc::new(IndexedBlock { hash: !hash, ..IndexedBlock::clone(block) })
            });
            let branch = branch.collect();
            log.replace_after(CHAIN, Some(299), branch);
        }
        true
    });
    let found: Vec<u64> = found.iter().map(|event| event.block).collect();
    assert_eq!(found, (0..400).rev().collect::<Vec<_>>());
}
