//! A platform as programs reach it, with its control plane and nodes.

use alloy::providers::{Provider, ProviderBuilder};
use serde_json::{Value, json};
use slipway_contracts::bindings::ILaunchHook::{self, ILaunchHookInstance};
use slipway_scenarios::client::http::Http;
use slipway_scenarios::client::message::{Request, Response};
use url::Url;

use crate::program::Running;

/// A platform with its addresses.
pub(crate) struct Site {
    pub(crate) running: Running,
    pub(crate) ready: Value,
}

impl Site {
    pub(crate) fn start(options: &[&str]) -> Self {
        let running = Running::up(options);
        let ready = running.ready();
        Self { running, ready }
    }

    pub(crate) fn page(&self, path: &str) -> String {
        format!("{}{path}", self.text("baseUrl"))
    }

    pub(crate) fn console(&self) -> String {
        format!("{}/", self.text("controlUrl"))
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        self.ready[name].as_str().unwrap()
    }

    pub(crate) fn primary_rpc(&self) -> &str {
        self.ready["chains"][0]["rpcUrl"].as_str().unwrap()
    }

    /// A client of the primary chain.
    pub(crate) fn provider(&self) -> impl Provider {
        slipway_contracts::prepare_http();
        ProviderBuilder::new().connect_http(self.primary_rpc().parse().unwrap())
    }

    /// The hook of the primary chain.
    pub(crate) fn hook(&self) -> ILaunchHookInstance<impl Provider> {
        ILaunchHook::new(self.ready["chains"][0]["hook"].as_str().unwrap().parse().unwrap(), self.provider())
    }

    /// The address of a service, by its name in the ready line.
    pub(crate) fn origin(&self, service: &str) -> Url {
        Url::parse(self.text(service)).unwrap()
    }

    pub(crate) async fn read(&self, service: &str, path: &str) -> Response {
        ask(Request::get(&self.origin(service), path, &[])).await
    }

    /// Calls the node of this chain, given by its place in the ready line.
    pub(crate) async fn call(&self, chain: usize, method: &str, params: Value) -> Value {
        let node = Url::parse(self.ready["chains"][chain]["rpcUrl"].as_str().unwrap()).unwrap();
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        ask(Request::post_json(&node, "", &call)).await.json().unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        let origin = self.origin("baseUrl");
        let request = Request { url: origin.join(path).unwrap(), ..Request::get(&origin, "", &[]) };
        Http::new().unwrap().send_once(request).await.unwrap()
    }

    /// Calls the control plane.
    pub(crate) async fn order(&self, path: &str, body: &Value) -> Value {
        self.order_by("POST", path, body).await
    }

    /// Calls the control plane with a method other than POST.
    pub(crate) async fn order_by(&self, method: &str, path: &str, body: &Value) -> Value {
        let origin = self.origin("controlUrl");
        let url = origin.join(path).unwrap();
        let request =
            Request { method: method.parse().unwrap(), url, ..Request::post_json(&origin, "", body) };
        let answer = Http::new().unwrap().send_once(request).await.unwrap();
        assert_eq!(answer.code(), 200, "{path}: {}", answer.excerpt());
        answer.json().unwrap()
    }

    /// The platform's time, in Unix seconds.
    pub(crate) async fn now(&self) -> u64 {
        self.read("controlUrl", "/_sim/clock").await.json().unwrap()["now"].as_u64().unwrap()
    }

    pub(crate) async fn checkpoint(&self) -> u64 {
        self.order("/_sim/checkpoints", &json!({})).await["id"].as_u64().unwrap()
    }

    /// Calls the primary chain's node.
    pub(crate) async fn rpc(&self, method: &str, params: Value) -> Value {
        let answer = self.call(0, method, params).await;
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Waits until the platform has indexed the newest block of the primary chain.
    pub(crate) async fn indexed(&self) {
        let newest = self.provider().get_block_number().await.unwrap().to_string();
        let chain = self.ready["chains"][0]["chainId"].to_string();
        let query = [("chainId", chain.as_str()), ("block", newest.as_str())];
        let answer = ask(Request::get(&self.origin("controlUrl"), "/_sim/indexed", &query)).await;
        assert_eq!(answer.code(), 200, "{}", answer.excerpt());
    }

    /// Launches a token through the control plane; returns its address.
    pub(crate) async fn launch(&self, name: &str, target: &str, prebuy: &str) -> String {
        let order = json!({ "name": name, "ticker": "TST", "targetRaise": target, "prebuy": prebuy });
        self.order("/_sim/launches", &order).await["token"].as_str().unwrap().to_owned()
    }

    pub(crate) fn end(self) {
        self.running.signal(rustix::process::Signal::TERM);
        let (_, status) = self.running.end();
        assert!(status.success(), "{status}");
    }
}

/// The content type of the forms of [`upload_form`].
pub(crate) const FORM: (&str, &str) = ("content-type", "multipart/form-data; boundary=b");

pub(crate) fn upload_form(image: &[u8], captcha: &str, wallet: &str) -> Vec<u8> {
    let mut body = b"--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n".to_vec();
    body.extend(image);
    for (name, value) in [("captchaToken", captcha), ("walletAddress", wallet)] {
        let part = format!("\r\n--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}");
        body.extend(part.into_bytes());
    }
    body.extend(b"\r\n--b--\r\n");
    body
}

/// Sends a request, and retries if a limit refuses it.
pub(crate) async fn ask(request: Request) -> Response {
    Http::new().unwrap().send(request).await.unwrap()
}
