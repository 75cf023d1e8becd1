//! The control plane of a running platform, and what its orders do to the services.
mod hooks;
mod hostile;
mod together;
mod trading;

use reqwest::{Client, Method};
use serde_json::Value;
use slipway_sim::Platform;

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
        self.send(method, path, body.map(|body| body.to_string()).unwrap_or_default()).await
    }

    async fn send(&self, method: Method, path: &str, body: String) -> (u16, Value) {
        let origin = self.platform.ready().control_url.as_ref().unwrap();
        let answer = self.client.request(method, format!("{origin}{path}")).body(body).send().await.unwrap();
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
