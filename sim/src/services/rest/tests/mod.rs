//! The service over hand-built states, asked in process.
mod answers;
mod described;
mod posts;
mod referral;

use slipway_contracts::ChainId;
use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::{Address, B256};
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request};
use serde_json::Value;
use tower::ServiceExt;

use super::service;
use crate::api::Api;
use crate::api::capabilities::{Deployment, Deployments, PoolContracts};
use crate::state::script::{ETHER, HOOK, Plan, Script};

const NOW: u64 = 1_800_000_000;

/// What came back.
struct Answer {
    status: u16,
    headers: HeaderMap,
    bytes: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| panic!("{error}: {:?}", self.bytes))
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

async fn send(api: &Arc<Api>, request: Request<Body>) -> Answer {
    let response = service(api, "/", axum::Router::new()).oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.unwrap().to_vec();
    Answer { status: parts.status.as_u16(), headers: parts.headers, bytes }
}

async fn ask(api: &Arc<Api>, method: Method, target: &str) -> Answer {
    send(api, Request::builder().method(method).uri(target).body(Body::empty()).unwrap()).await
}

async fn get(api: &Arc<Api>, target: &str) -> Answer {
    ask(api, Method::GET, target).await
}

/// Forty-five launches of one owner on two chains: every third has a website, every fifth is graduated.
async fn market() -> (Script, Arc<Api>) {
    let mut script = Script::default();
    for number in 0..45_u8 {
        let mut plan = Plan::numbered(number, NOW - 100_000 + u64::from(number) / 2 * 1_000);
        if number % 3 == 0 {
            plan.metadata.website = "https://site.invalid/".into();
            plan.chain_id = ChainId::SECOND.0;
        }
        let launch = script.launch(plan);
        let gross = if number % 5 == 0 { 4 * ETHER } else { ETHER * u128::from(number) / 50 + ETHER / 1_000 };
        let (trader, at) = (Address::repeat_byte(number + 150), NOW - 40_000 + u64::from(number));
        script.buy(launch, trader, gross, at);
        // Volume and market cap then order differently.
        if number == 43 {
            script.sell(launch, trader, script.launches[launch].position.sold / 2, at);
        }
    }
    let api = platform(&script).await;
    (script, api)
}

async fn platform(script: &Script) -> Arc<Api> {
    let mut api = Api::for_test(script.state(), NOW).await;
    let inner = Arc::get_mut(&mut api).unwrap();
    for chain_id in [ChainId::PRIMARY.0, ChainId::SECOND.0] {
        let deployment = Deployment {
            version: "v2",
            hook: HOOK,
            abi_family: "launch-hook-v2",
            fee_withdrawal_mode: "pull",
            runtime_hash: B256::repeat_byte(7),
            quote_asset: None,
            v4: Some(PoolContracts::default()),
            v2: None,
            start_block: 3,
        };
        let deployments = Deployments {
            creation: deployment.clone(),
            tradeable: vec![deployment],
            quote_assets: Vec::new(),
            auction: (chain_id == ChainId::PRIMARY.0).then(|| Address::repeat_byte(0xea)),
            contracts: BTreeSet::from([HOOK]),
        };
        inner.deployments.insert(chain_id, deployments);
    }
    api
}

async fn post(api: &Arc<Api>, target: &str, content_type: &str, body: impl Into<Body>) -> Answer {
    let request = Request::builder().method(Method::POST).uri(target).header("content-type", content_type);
    send(api, request.body(body.into()).unwrap()).await
}

async fn batch(api: &Arc<Api>, body: Value) -> Answer {
    post(api, "/api/tokens/batch", "application/json", body.to_string()).await
}

fn keys(object: &Value) -> BTreeSet<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

fn cause_of_last(api: &Api) -> Option<&'static str> {
    api.journal.after(0).0.last().unwrap().cause
}
