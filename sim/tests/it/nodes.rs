//! The public addresses of the nodes: which pages may call them, and what callers from other machines may do.
mod accounts;
mod bounds;
mod calls;
mod handshake;
mod heavy;
mod history;
mod hostile;
mod reverts;
mod snapshots;
mod time;
mod traces;

use std::net::Ipv4Addr;
use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use reqwest::header::{self, HeaderMap};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use slipway_sim::{Config, Platform};
use tokio::time::timeout;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::platform::config;

const TOKEN: &str = "of-the-test";
/// Pages served by this machine, and extensions.
const LOCAL: [&str; 8] = [
    "http://localhost:5173",
    "https://localhost",
    "http://127.0.0.1:1",
    "http://127.8.9.10:3000",
    "http://[::1]:8080",
    "http://my-app.localhost:3000",
    "chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn",
    "moz-extension://fb6f9b2d-51b4-4e2c-9d6c-8b6f5a7a7f3e",
];
/// Anvil's error code over HTTP for an unknown method.
const NO_METHOD: i64 = -32601;

struct Nodes {
    platform: Platform,
    client: Client,
    url: String,
}

impl Nodes {
    async fn behind(config: Config) -> Self {
        let platform = Platform::start(config).await.unwrap();
        slipway_contracts::prepare_http();
        let url = platform.ready().chains[0].rpc_url.clone();
        Self { platform, client: Client::new(), url }
    }

    /// Status, headers and body of the answer to a body with these headers.
    async fn post(&self, headers: &[(&str, &str)], body: &Value) -> (u16, HeaderMap, Value) {
        let request = self.client.post(&self.url).json(body);
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.headers().clone(), answer.json().await.unwrap())
    }

    /// The answer to one call.
    async fn ask(&self, method: &str, params: Value) -> Value {
        self.post(&[], &call(method, params)).await.2
    }

    /// The result of one call.
    async fn result(&self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params.clone()).await;
        assert!(answer["error"].is_null(), "{method} {params}: {answer}");
        answer["result"].clone()
    }

    async fn from(&self, origin: &str, method: &str) -> (u16, Option<String>, Value) {
        let (status, headers, body) = self.post(&[("origin", origin)], &call(method, json!([]))).await;
        let allowed = headers.get(header::ACCESS_CONTROL_ALLOW_ORIGIN);
        (status, allowed.map(|value| value.to_str().unwrap().to_owned()), body)
    }

    /// The answer to a browser's preflight request with the headers of a tracing library, from a public address.
    async fn preflight(&self, origin: &str) -> (u16, Option<String>) {
        let asked = self.client.request(Method::OPTIONS, &self.url).header("origin", origin);
        let asked = asked.header("access-control-request-method", "POST");
        let asked = asked.header("access-control-request-headers", "content-type, sentry-trace");
        let answer = asked.header("access-control-request-private-network", "true").send().await.unwrap();
        let header = |name: &str| answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        assert_eq!(header("access-control-allow-headers").as_deref(), Some("content-type, sentry-trace"));
        assert_eq!(header("access-control-allow-private-network").as_deref(), Some("true"));
        (answer.status().as_u16(), header("access-control-allow-origin"))
    }

    async fn socket(&self, headers: &[(&'static str, &str)]) -> Result<Socket, Error> {
        let mut request = self.url.replacen("http", "ws", 1).into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        Ok(Socket(connect_async(request).await?.0))
    }
}

struct Socket(tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>);

impl Socket {
    async fn ask(&mut self, message: &Value) -> Value {
        self.0.send(Message::text(message.to_string())).await.unwrap();
        self.next().await
    }

    async fn next(&mut self) -> Value {
        serde_json::from_str(self.0.next().await.unwrap().unwrap().to_text().unwrap()).unwrap()
    }
}

fn call(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

#[tokio::test]
async fn foreign_pages_do_not_reach_the_nodes() {
    let nodes =
        Nodes::behind(Config { allow_origins: vec!["https://dapp.example".to_owned()], ..config() }).await;
    for origin in ["http://evil.example", "null", "http://192.168.1.5:4700", "http://localhost.evil.example"]
    {
        // The browser lets the page read why it is refused.
        assert_eq!(nodes.preflight(origin).await, (204, Some(origin.to_owned())));
        for method in ["evm_snapshot", "evm_revert", "anvil_reset", "eth_chainId"] {
            let (status, allowed, body) = nodes.from(origin, method).await;
            assert_eq!((status, allowed.as_deref()), (403, Some(origin)), "{method} from {origin}");
            assert!(body["error"]["message"].as_str().unwrap().contains("--allow-origin"), "{body}");
            assert_eq!(body["jsonrpc"], "2.0");
        }
        let refused = nodes.socket(&[("origin", origin)]).await.map(drop);
        assert!(matches!(&refused, Err(Error::Http(answer)) if answer.status() == 403), "{refused:?}");
    }
    // A page under a name that was pointed at this machine, and a page of this machine that calls a node under such a name.
    for origin in ["http://evil.example", "http://localhost:5173"] {
        let headers = [("origin", origin), ("host", "evil.example")];
        assert_eq!(nodes.post(&headers, &call("eth_chainId", json!([]))).await.0, 403, "{origin}");
    }

    let own = nodes.platform.ready().base_url.clone();
    for origin in [own.as_str(), &own.replace("127.0.0.1", "localhost"), "https://dapp.example"]
        .into_iter()
        .chain(LOCAL)
    {
        let (status, allowed, body) = nodes.from(origin, "evm_snapshot").await;
        assert_eq!((status, allowed.as_deref()), (200, Some(origin)));
        assert!(body["result"].is_string(), "{body}");
        assert_eq!(nodes.preflight(origin).await, (204, Some(origin.to_owned())));
        assert!(nodes.socket(&[("origin", origin)]).await.is_ok());
    }
    // Programs send no origin.
    let (status, _, body) = nodes.post(&[], &call("evm_snapshot", json!([]))).await;
    assert!(status == 200 && body["result"].is_string(), "{body}");
    let (status, _, body) = nodes.post(&[("origin", "http://evil.example")], &json!([])).await;
    assert_eq!(status, 403, "{body}");
    // RFC 9110, section 15.5.6: such an answer names the methods.
    for method in [Method::GET, Method::PUT, Method::DELETE] {
        let refused = nodes.client.request(method, &nodes.url).send().await.unwrap();
        assert_eq!(
            (refused.status().as_u16(), &refused.headers()[header::ALLOW]),
            (405, &"POST, OPTIONS".parse().unwrap())
        );
    }
    nodes.platform.stop().await;
}

#[tokio::test]
async fn nodes_on_every_address_are_public_nodes_without_the_token() {
    let host = Ipv4Addr::UNSPECIFIED.into();
    let nodes = Nodes::behind(Config { host, control_token: Some(TOKEN.to_owned()), ..config() }).await;
    let shown = format!("Bearer {TOKEN}");
    let account = nodes.platform.ready().accounts[0].address;
    let sent = json!([{ "from": account, "to": account, "value": "0x1" }]);
    for (method, params) in [
        ("evm_snapshot", json!([])),
        ("anvil_setBalance", json!([account, "0x1"])),
        ("anvil_impersonateAccount", json!([account])),
        ("eth_sendTransaction", sent),
        ("debug_traceCall", json!([])),
    ] {
        for authorization in ["", "Bearer wrong", "Wallet of-the-test", TOKEN] {
            let (_, _, body) =
                nodes.post(&[("authorization", authorization)], &call(method, params.clone())).await;
            assert_eq!(
                (&body["error"]["code"], &body["id"]),
                (&json!(NO_METHOD), &json!(7)),
                "{method}: {body}"
            );
        }
    }
    let batch = json!([
        call("eth_chainId", json!([])),
        call("evm_snapshot", json!([])),
        call("net_version", json!([]))
    ]);
    let (_, _, mixed) = nodes.post(&[], &batch).await;
    assert_eq!(mixed[0]["result"], "0xdef1");
    assert_eq!(mixed[1]["error"]["code"], NO_METHOD);
    assert_eq!(mixed[2]["result"], "57073");
    let (_, _, whole) = nodes.post(&[("authorization", &shown)], &batch).await;
    assert!(whole[1]["result"].is_string(), "{whole}");
    // Without the token, nothing is unlocked, and no page of a loopback name is admitted.
    let accounts = nodes.post(&[], &call("eth_accounts", json!([]))).await.2;
    assert_eq!(accounts["result"], json!([]), "{accounts}");
    for method in ["personal_sign", "eth_sign", "eth_signTransaction", "eth_signTypedData_v4"] {
        let refused = nodes.post(&[], &call(method, json!([account, "0x"]))).await.2;
        assert_eq!(refused["error"]["code"], NO_METHOD, "{method}: {refused}");
    }
    for origin in LOCAL {
        assert_eq!(nodes.from(origin, "eth_chainId").await.0, 403, "{origin}");
        assert!(nodes.socket(&[("origin", origin)]).await.is_err(), "{origin}");
    }
    let unlocked = nodes.post(&[("authorization", &shown)], &call("eth_accounts", json!([]))).await.2;
    assert_eq!(unlocked["result"].as_array().unwrap().len(), 10, "{unlocked}");
    let raw = nodes.post(&[], &call("eth_sendRawTransaction", json!(["0x00"]))).await.2;
    assert_ne!(raw["error"]["code"], NO_METHOD, "signed transactions reach the node: {raw}");
    nodes.platform.stop().await;
}

#[tokio::test]
async fn websockets_are_judged_call_by_call_and_subscribe() {
    let host = Ipv4Addr::UNSPECIFIED.into();
    let nodes = Nodes::behind(Config { host, control_token: Some(TOKEN.to_owned()), ..config() }).await;
    let mut reader = nodes.socket(&[]).await.unwrap();
    let subscription = reader.ask(&call("eth_subscribe", json!(["newHeads"]))).await["result"].clone();
    assert!(subscription.is_string());
    for message in [call("evm_mine", json!([])), json!([call("evm_mine", json!([]))])] {
        let answer = reader.ask(&message).await;
        let answer = answer.get(0).unwrap_or(&answer).clone();
        assert!(answer["error"].is_object() && answer["result"].is_null(), "{answer}");
    }
    // RFC 9110, section 11.1: the name of the scheme in any case.
    let shown = format!("bEARER {TOKEN}");
    let mut operator = nodes.socket(&[("authorization", &shown)]).await.unwrap();
    assert!(operator.ask(&call("evm_mine", json!([]))).await["result"].is_string());
    let head = reader.next().await;
    assert_eq!(
        (&head["method"], &head["params"]["subscription"]),
        (&json!("eth_subscription"), &subscription)
    );
    assert!(head["params"]["result"]["number"].is_string(), "{head}");
    nodes.platform.stop().await;
}

impl Nodes {
    /// Sends a payment from an account to itself; returns the receipt, which exists once the hash is returned.
    async fn pay(&self) -> Value {
        let account = self.platform.ready().accounts[0].address;
        let payment = json!([{ "from": account, "to": account, "value": "0x1" }]);
        let sent = self.post(&[], &call("eth_sendTransaction", payment)).await.2;
        let receipt = self.post(&[], &call("eth_getTransactionReceipt", json!([sent["result"]]))).await.2;
        receipt["result"].clone()
    }
}

/// Longer than the first pauses before an empty block.
const QUIET: Duration = Duration::from_millis(200);

#[tokio::test]
async fn empty_blocks_follow_a_transaction_until_a_revert_or_an_order() {
    let nodes = Nodes::behind(Config { trailing_blocks: true, ..config() }).await;
    let mut heads = nodes.socket(&[]).await.unwrap();
    heads.ask(&call("eth_subscribe", json!(["newHeads"]))).await;
    let number = |value: &Value| u64::from_str_radix(&value.as_str().unwrap()[2..], 16).unwrap();
    for round in 0..3 {
        let paid = nodes.pay().await;
        assert!(paid["blockHash"].is_string(), "the hash was answered before the block was mined");
        let first = number(&paid["blockNumber"]);
        let mut parent = paid["blockHash"].clone();
        for follower in 0..4 {
            let head = heads.next().await["params"]["result"].clone();
            assert_eq!(number(&head["number"]), first + follower, "round {round}: {head}");
            assert!(follower == 0 || head["parentHash"] == parent, "{head}");
            parent = head["hash"].clone();
        }
        match round {
            0 => {
                let checkpoint = nodes.platform.engine().checkpoint(None).await.unwrap();
                nodes.platform.engine().revert(checkpoint).await.unwrap();
            }
            1 => {
                nodes.post(&[], &call("evm_mine", json!([]))).await;
                assert_eq!(number(&heads.next().await["params"]["result"]["number"]), first + 4);
            }
            _ => break,
        }
        let more = timeout(QUIET, heads.next()).await;
        assert!(more.is_err(), "round {round}: {more:?}");
    }
    nodes.platform.stop().await;
}
