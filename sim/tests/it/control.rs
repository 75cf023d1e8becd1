//! The control plane of a running platform, and what its orders do to the services.
mod hooks;
mod hostile;
mod together;
mod trading;

use reqwest::{Client, Method};
use serde_json::{Value, json};
use slipway_contracts::ChainId;
use slipway_sim::Platform;

use crate::platform::{config, get};

/// The control plane of a platform.
struct Control<'p> {
    platform: &'p Platform,
    client: Client,
}

impl<'p> Control<'p> {
    fn of(platform: &'p Platform) -> Self {
        Self { platform, client: Client::new() }
    }

    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> (u16, Value) {
        let origin = self.platform.ready().control_url.clone().unwrap();
        let mut request = self.client.request(method, format!("{origin}{path}"));
        if let Some(body) = body {
            request = request.body(body.to_string());
        }
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap_or_default())
    }

    async fn done(&self, method: Method, path: &str, body: Option<Value>) -> Value {
        let (status, body) = self.call(method, path, body).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    async fn status_of(&self, path: &str) -> u16 {
        let url = format!("{}{path}", self.platform.ready().base_url);
        self.client.get(url).send().await.unwrap().status().as_u16()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_controls_clock_tokens_and_journal() {
    let platform = Platform::start(config()).await.unwrap();
    let control = Control::of(&platform);
    let ready = control.done(Method::GET, "/_sim/ready", None).await;
    assert_eq!(ready["ready"], true);
    time_moves_and_comes_back(&control).await;
    tokens_and_creation_are_switched(&control).await;
    proofs_and_faults_are_ordered(&control).await;
    refusals_have_causes(&control).await;
    platform.stop().await;
}

async fn time_moves_and_comes_back(control: &Control<'_>) {
    let begun = control.done(Method::GET, "/_sim/clock", None).await["now"].as_u64().unwrap();
    let checkpoint = control.done(Method::POST, "/_sim/checkpoints", None).await["id"].clone();
    let before = get(control.platform, "/api/tokens?sortBy=trending").await;
    let moved = control.done(Method::POST, "/_sim/clock/advance", Some(json!({ "seconds": 90_000 }))).await;
    assert_eq!(moved["now"], begun + 90_000);
    let set =
        control.done(Method::POST, "/_sim/clock/set", Some(json!({ "timestamp": begun + 90_005 }))).await;
    assert_eq!(set["now"], begun + 90_005);
    let later = get(control.platform, "/api/tokens?sortBy=trending").await;
    assert!(later["tokens"].as_array().unwrap().iter().all(|token| token["volume_24h"] == 0));
    let (status, _) =
        control.call(Method::POST, "/_sim/clock/set", Some(json!({ "timestamp": begun }))).await;
    assert_eq!(status, 400);
    let revert = format!("/_sim/checkpoints/{checkpoint}/revert");
    for _ in 0..2 {
        control.done(Method::POST, &revert, None).await;
        assert_eq!(control.done(Method::GET, "/_sim/clock", None).await["now"], begun);
        assert_eq!(get(control.platform, "/api/tokens?sortBy=trending").await, before);
    }
}

async fn tokens_and_creation_are_switched(control: &Control<'_>) {
    let list = get(control.platform, "/api/tokens").await;
    let (token, total) =
        (list["tokens"][0]["address"].as_str().unwrap(), list["totalCount"].as_u64().unwrap());
    let disabled = format!("/_sim/tokens/{token}/disabled");
    control.done(Method::PUT, &disabled, None).await;
    assert_eq!(get(control.platform, "/api/tokens").await["totalCount"], total - 1);
    control.done(Method::DELETE, &disabled, None).await;
    assert_eq!(get(control.platform, "/api/tokens").await, list);

    for (method, paused) in [(Method::PUT, true), (Method::DELETE, false)] {
        let answer = control.done(method, "/_sim/creation-paused?chainId=4663", None).await;
        let indexed = format!("/_sim/indexed?chainId=4663&block={}", answer["block"]);
        control.done(Method::GET, &indexed, None).await;
        let capabilities = get(control.platform, "/api/capabilities?chainId=4663").await;
        assert_eq!((&answer["paused"], &capabilities["flags"]["create"]), (&json!(paused), &json!(!paused)));
        let other = get(control.platform, "/api/capabilities?chainId=57073").await;
        assert_eq!(other["activeCreationDeployment"]["status"], "active");
    }
}

async fn proofs_and_faults_are_ordered(control: &Control<'_>) {
    let trader = "0x00000000000000000000000000000000000000aa";
    let order = json!({ "chainId": ChainId::PRIMARY.0, "trader": trader, "launchId": 1 });
    let proof = control.done(Method::POST, "/_sim/captcha-auths", Some(order)).await;
    assert_eq!(proof["signature"].as_str().unwrap().len(), 2 + 130);

    let fault = json!({ "path": "/api/tokens", "nth": 2, "effect": { "status": 503 } });
    control.done(Method::PUT, "/_sim/faults/one", Some(fault)).await;
    for expected in [200, 503, 200] {
        assert_eq!(control.status_of("/api/tokens").await, expected);
    }
    let ended = control.done(Method::DELETE, "/_sim/faults/one", None).await;
    assert_eq!((&ended["matched"], &ended["hits"]), (&json!(3), &json!(1)));
}

async fn refusals_have_causes(control: &Control<'_>) {
    let last = control.done(Method::GET, "/_sim/journal", None).await["last"].clone();
    assert_eq!(control.status_of("/api/tokens?page=0").await, 400);
    let journal = control.done(Method::GET, &format!("/_sim/journal?after={last}"), None).await;
    let entries = journal["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 1, "{journal}");
    assert_eq!(
        (&entries[0]["cause"], &entries[0]["target"]),
        (&json!("list-page"), &json!("/api/tokens?page=0"))
    );
    let url = format!("{}/_sim/clock", control.platform.ready().control_url.clone().unwrap());
    let page = control.client.get(url).header("origin", "https://page.invalid").send().await.unwrap();
    assert_eq!(page.status(), 403);
}
