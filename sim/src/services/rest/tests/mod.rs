//! Behaviour that clients cannot observe: the standard limit, the document against the routes, and the order of rules.
mod posts;

use std::sync::Arc;

use alloy::primitives::Address;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::{document, service};
use crate::api::limits::RateLimit;
use crate::api::{Api, Settings};
use crate::services::elsewhere::Elsewhere;
use crate::services::openapi::tests::{is_routed, is_whole};
use crate::state::State;
use crate::state::script::{Plan, Script};

const NOW: u64 = 1_800_000_000;

struct Received {
    status: u16,
    headers: HeaderMap,
    bytes: Vec<u8>,
}

impl Received {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| panic!("{error}: {:?}", self.bytes))
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

async fn send(api: &Arc<Api>, request: Request<Body>) -> Received {
    let response = service(api, "/", Router::new(), crate::services::pages::refused, Elsewhere::default())
        .oneshot(request)
        .await
        .unwrap();
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.unwrap().to_vec();
    Received { status: parts.status.as_u16(), headers: parts.headers, bytes }
}

async fn ask(api: &Arc<Api>, method: Method, target: &str) -> Received {
    send(api, Request::builder().method(method).uri(target).body(Body::empty()).unwrap()).await
}

async fn get(api: &Arc<Api>, target: &str) -> Received {
    ask(api, Method::GET, target).await
}

fn cause_of_last(api: &Api) -> Option<&'static str> {
    api.requests_after(0, None).0.last().unwrap().cause
}

async fn platform(settings: Settings) -> (Arc<Api>, Address) {
    let mut script = Script::default();
    let launch = script.launch(Plan::numbered(1, NOW - 1_000));
    (Api::with_settings(script.state(), NOW, settings).await, script.launches[launch].plan.token)
}

/// A platform on which each address may make this many reads per minute.
async fn limited(limit: u32) -> Arc<Api> {
    let standard_limit = Some(RateLimit { name: "standard-limit", limit, span: 60 });
    Api::with_settings(State::default(), NOW, Settings { standard_limit, ..Settings::for_test() }).await
}

#[tokio::test]
async fn openapi_and_routes_agree() {
    let (api, _) = platform(Settings::for_test()).await;
    let document = document("/");
    is_whole(&document);
    is_routed(
        &document,
        &service(&api, "/", Router::new(), crate::services::pages::refused, Elsewhere::default()),
    )
    .await;
}

#[tokio::test]
async fn standard_limit_counts_per_address() {
    let api = limited(2).await;
    let unknown = format!("/api/token?address={}", Address::ZERO);
    for (target, status, remaining) in
        [("/api/tokens", 200, "1"), (&*unknown, 404, "0"), ("/api/tokens", 429, "0")]
    {
        let answer = get(&api, target).await;
        assert_eq!((answer.status, answer.header("x-ratelimit-remaining")), (status, remaining));
        assert_eq!(answer.header("x-ratelimit-reset"), (NOW + 60).to_string());
    }
    let refused = get(&api, "/api/tokens").await;
    assert_eq!((refused.header("retry-after"), &refused.json()["retryAfter"]), ("60", &json!(60)));
    assert_eq!(cause_of_last(&api), Some("standard-limit"));
    assert_eq!(ask(&api, Method::HEAD, "/api/tokens").await.status, 429);
    assert_ne!(ask(&api, Method::OPTIONS, "/api/tokens").await.status, 429);
}

#[tokio::test]
async fn operations_with_a_limit_of_their_own_have_no_other() {
    let api = limited(1).await;
    // A refusal counts like any other answer.
    for (status, limit) in [(404, "1"), (429, "1")] {
        let answer = get(&api, "/api/chat?tokenAddress=0x0000000000000000000000000000000000000001").await;
        assert_eq!((answer.status, answer.header("x-ratelimit-limit")), (status, limit));
    }
    let board = get(&api, "/api/referral/leaderboard").await;
    assert_eq!((board.status, board.header("x-ratelimit-limit")), (200, "30"));
    let written = Request::post("/api/chat").header("content-type", "application/json");
    assert_ne!(send(&api, written.body("{}".into()).unwrap()).await.status, 429);
}
