//! The database hangs, exits or runs out of memory during writes: no acknowledged write is lost, and callers are refused at once, because
//! the store is out of reach, until it is back.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use slipway_sim::{Config, Platform};
use slipway_test_support::database::Server;

use crate::platform::config;
use crate::store::Writers;

const PATIENCE: Duration = Duration::from_secs(120);

/// A platform and other writers, over one database.
struct Shared {
    platform: Platform,
    url: String,
    writers: Writers,
}

impl Shared {
    async fn over(server: &Server) -> Self {
        let url = server.url();
        let platform = Platform::start(Config { database_url: Some(url.clone()), ..config() }).await.unwrap();
        let writers = Writers::start(&url).await;
        Self { platform, url, writers }
    }

    /// Status of a read and of a write. A refusal because of the store must say so, and reveal nothing else about the platform.
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

    /// Waits until a read and a write are both refused, or both accepted.
    async fn refuses(&self, refuses: bool) {
        let begun = Instant::now();
        while self.asked().await.map(|status| status == 503) != [refuses; 2] {
            assert!(begun.elapsed() < PATIENCE, "refuses: {refuses}");
        }
    }

    async fn keeps_everything(self) {
        self.writers.keep_everything(&self.url).await;
        self.platform.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn paused_database_is_refused_and_loses_nothing() {
    let server = Server::start().await;
    let shared = Shared::over(&server).await;
    server.pause();
    shared.refuses(true).await;
    server.resume();
    shared.refuses(false).await;
    shared.keeps_everything().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_database_is_refused_and_loses_nothing() {
    let mut server = Server::start().await;
    let shared = Shared::over(&server).await;
    server.kill();
    shared.refuses(true).await;
    server.restart().await;
    shared.refuses(false).await;
    shared.keeps_everything().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn database_without_memory_loses_nothing() {
    let mut server = Server::start().await;
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
