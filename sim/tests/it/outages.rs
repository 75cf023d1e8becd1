//! The database stands still, ends or runs out of memory amid writes: nothing acknowledged is lost, and callers are told at once that the
//! store is out of reach, until it is there again.
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures::future::try_join_all;
use serde_json::{Value, json};
use slipway_sim::store::{Backend, Store};
use slipway_sim::{Config, Platform};
use slipway_test_support::database::Contained;
use slipway_test_support::{Tool, skip};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinSet;

use crate::platform::config;
use crate::store::fact;

const WRITERS: usize = 6;
/// Writes that are acknowledged before anything happens to the database.
const ACKNOWLEDGED: usize = 100;
/// Bytes of memory of a server that is to run out of it.
const LITTLE: i64 = 160 << 20;
const PATIENCE: Duration = Duration::from_secs(120);
const NO_ENGINE: &str = "no container engine answers";

/// A platform and writers beside it, over one database.
struct Shared {
    platform: Platform,
    url: String,
    writers: JoinSet<()>,
    over: Arc<AtomicBool>,
    reported: UnboundedReceiver<i64>,
    acknowledged: BTreeSet<i64>,
}

impl Shared {
    async fn over(server: &Contained) -> Self {
        let url = server.url();
        let platform = Platform::start(Config { database_url: Some(url.clone()), ..config() }).await.unwrap();
        let stores = try_join_all((0..2).map(|_| Store::open(Backend::Server(&url)))).await.unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let (tell, reported) = unbounded_channel();
        let mut writers = JoinSet::new();
        for writer in 0..WRITERS {
            let (store, tell, over) = (stores[writer % 2].clone(), tell.clone(), Arc::clone(&over));
            writers.spawn(async move {
                for count in 0.. {
                    if over.load(Ordering::SeqCst) {
                        return;
                    }
                    // Nothing is promised of a write that failed.
                    if let Ok(number) = store.append(&fact(writer * 1_000_000 + count), 1).await {
                        tell.send(number).unwrap();
                    }
                    tokio::task::yield_now().await;
                }
            });
        }
        let mut shared = Self { platform, url, writers, over, reported, acknowledged: BTreeSet::new() };
        for _ in 0..ACKNOWLEDGED {
            shared.acknowledged.insert(shared.reported.recv().await.unwrap());
        }
        shared
    }

    /// Status of a read and of a write. A refusal for the store says so, and nothing else is said than what a platform says at any time.
    async fn asked(&self) -> [u16; 2] {
        let client = reqwest::Client::new();
        let origin = &self.platform.ready().base_url;
        let (code, wallet) = (format!("0x{:040x}", 1), format!("0x{:040x}", 2));
        let registration = json!({ "referral_code": code, "wallet_address": wallet });
        let asked = [
            client.get(format!("{origin}/api/tokens")),
            client.post(format!("{origin}/api/referral/register")).json(&registration),
        ];
        let mut statuses = [0; 2];
        for (status, request) in statuses.iter_mut().zip(asked) {
            let answer = request.send().await.unwrap();
            *status = answer.status().as_u16();
            let body = answer.text().await.unwrap();
            if *status == 503 {
                let body: Value = serde_json::from_str(&body).unwrap();
                assert_eq!(body["error"], "the store is out of reach");
            } else {
                assert!(*status < 500, "{status} {body}");
            }
        }
        statuses
    }

    /// Waits until a read and a write are both refused, or both are not.
    async fn refuses(&self, refuses: bool) {
        let begun = Instant::now();
        while self.asked().await.map(|status| status == 503) != [refuses; 2] {
            assert!(begun.elapsed() < PATIENCE, "refuses: {refuses}");
        }
    }

    /// The writers end, and all that was acknowledged is there.
    async fn keeps_everything(mut self) {
        self.over.store(true, Ordering::SeqCst);
        while let Some(ended) = self.writers.join_next().await {
            ended.unwrap();
        }
        while let Ok(number) = self.reported.try_recv() {
            self.acknowledged.insert(number);
        }
        let after = Store::open(Backend::Server(&self.url)).await.unwrap();
        let kept: BTreeSet<i64> =
            after.facts_after(0).await.unwrap().iter().map(|(number, _)| *number).collect();
        assert!(kept.is_superset(&self.acknowledged), "{:?}", self.acknowledged.difference(&kept));
        self.platform.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn paused_database_is_refused_and_loses_nothing() {
    let Some(server) = Contained::start(None).await else { return skip(Tool::Engine, NO_ENGINE) };
    let shared = Shared::over(&server).await;
    server.pause().await;
    shared.refuses(true).await;
    server.resume().await;
    shared.refuses(false).await;
    shared.keeps_everything().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_database_is_refused_and_loses_nothing() {
    let Some(mut server) = Contained::start(None).await else { return skip(Tool::Engine, NO_ENGINE) };
    let shared = Shared::over(&server).await;
    server.kill().await;
    shared.refuses(true).await;
    server.restart().await;
    shared.refuses(false).await;
    shared.keeps_everything().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn database_without_memory_loses_nothing() {
    let Some(mut server) = Contained::start(Some(LITTLE)).await else { return skip(Tool::Engine, NO_ENGINE) };
    let shared = Shared::over(&server).await;
    let ended = AtomicBool::new(false);
    let callers = async {
        while !ended.load(Ordering::SeqCst) {
            shared.asked().await;
        }
    };
    let server = async {
        server.run_out_of_memory().await;
        ended.store(true, Ordering::SeqCst);
        server
    };
    let ((), _server) = tokio::join!(callers, server);
    shared.refuses(false).await;
    shared.keeps_everything().await;
}
