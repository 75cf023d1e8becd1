//! Acknowledged writes survive when the platform, or one of its processes, is killed amid writes, on both databases.
mod full;

use std::process::Stdio;
use std::sync::Arc;

use reqwest::Method;
use rustix::process::Signal;
use serde_json::{Value, json};
use slipway_scenarios::client::http::Http;
use slipway_scenarios::client::message::{Request, Response};
use slipway_test_support::database::Server;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use url::Url;

use crate::program::Running;
use crate::site::{FORM, upload_form};

/// Concurrent writers, and the number of answers after which the platform is killed in each round.
const WRITERS: usize = 8;
const KILLED_AFTER: [usize; 3] = [1, 37, 90];

/// A write that succeeded.
#[derive(Clone, Debug)]
enum Known {
    /// This wallet was registered.
    Registered(String),
    /// This captcha was used up by an image that can be read here.
    Uploaded { captcha: String, url: Url },
    /// This wallet was given this bearer token.
    Bearer(String),
    /// A node has accepted this transaction.
    Transaction(String),
    /// This wallet got money on the second chain without a transaction.
    Given(String),
    /// The clock shows at least this time.
    Time(u64),
    /// A checkpoint with this id exists.
    Checkpoint(u64),
}

/// Kinds of writes to a store, and of writes to a whole platform.
const FACTS: usize = 3;
const EVERYTHING: usize = 7;

/// Addresses of a running platform.
struct Addresses {
    http: Http,
    rest: Url,
    control: Url,
    nodes: [Url; 2],
    account: Value,
}

impl Addresses {
    fn of(ready: &Value) -> Self {
        let url = |name: &str| Url::parse(ready[name].as_str().unwrap()).unwrap();
        let node = |place: usize| Url::parse(ready["chains"][place]["rpcUrl"].as_str().unwrap()).unwrap();
        Self {
            http: Http::new().unwrap(),
            rest: url("baseUrl"),
            control: url("controlUrl"),
            nodes: [node(0), node(1)],
            account: ready["accounts"][0]["address"].clone(),
        }
    }

    /// A process attached to this one, with this one's control plane.
    fn beside(&self, attached: &Value) -> Self {
        let rest = Url::parse(attached["baseUrl"].as_str().unwrap()).unwrap();
        let (control, nodes, account) = (self.control.clone(), self.nodes.clone(), self.account.clone());
        Self { http: Http::new().unwrap(), rest, control, nodes, account }
    }

    async fn ask(&self, ask: Request) -> Option<Response> {
        self.http.send(ask).await.ok()
    }

    async fn order(&self, path: &str, body: &Value, field: &str) -> Option<String> {
        Some(self.ordered(path, body, field).await?.as_str()?.to_owned())
    }

    async fn ordered(&self, path: &str, body: &Value, field: &str) -> Option<Value> {
        let answer = self.ask(Request::post_json(&self.control, path, body)).await?;
        Some(answer.json()?.get(field)?.clone())
    }

    /// A node's answer to a call.
    async fn call(&self, node: usize, method: &str, params: Value) -> Option<Value> {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer = self.ask(Request::post_json(&self.nodes[node], "/", &call)).await?;
        Some(answer.json()?.get("result")?.clone())
    }

    /// Registers a wallet as a new caller: each caller may register five per minute.
    async fn register(&self, number: usize) -> Option<Response> {
        let body = json!({
            "referral_code": wallet(usize::MAX - number),
            "wallet_address": wallet(number),
        });
        let ask = Request::post_json(&self.rest, "/api/referral/register", &body);
        self.ask(ask.header("x-forwarded-for", &caller(number))).await
    }

    async fn upload(&self, captcha: &str, number: usize) -> Option<Response> {
        // A one-pixel GIF; bytes after its end make each file different.
        let gif = "47494638396101000100800000ffffff00000021f90401000000002c00000000010001000002024401003b";
        let mut image = alloy::hex::decode(gif).unwrap();
        image.extend(vec![0; number % 5_000]);
        self.upload_of(&image, captcha, number).await
    }

    async fn upload_of(&self, image: &[u8], captcha: &str, number: usize) -> Option<Response> {
        let ask = Request {
            method: Method::POST,
            body: Some(upload_form(image, captcha, &wallet(number))),
            ..Request::get(&self.rest, "/api/upload", &[])
        }
        .header(FORM.0, FORM.1)
        .header("x-forwarded-for", &caller(number));
        self.ask(ask).await
    }

    /// Makes one write of the kind that follows from its number; `None` if it did not succeed.
    async fn write(&self, number: usize, kinds: usize) -> Option<Known> {
        match number % kinds {
            0 => {
                let answer = self.register(number).await?;
                let known = Known::Registered(number.to_string());
                answer.status.is_success().then_some(known)
            }
            1 => {
                let captcha = self.order("/_sim/captchas", &json!({}), "token").await?;
                let answer = self.upload(&captcha, number).await?;
                let url = answer.json()?["url"].as_str()?.parse().ok()?;
                Some(Known::Uploaded { captcha, url })
            }
            2 => {
                let order = json!({ "address": wallet(number) });
                let token = self.order("/_sim/bearers", &order, "token").await?;
                Some(Known::Bearer(token))
            }
            3 => {
                let payment = json!([{ "from": self.account, "to": wallet(number), "value": "0x1" }]);
                let sent = self.call(0, "eth_sendTransaction", payment).await?;
                Some(Known::Transaction(sent.as_str()?.to_owned()))
            }
            4 => {
                let given = self.call(1, "anvil_setBalance", json!([wallet(number), GIVEN])).await;
                given.map(|_| Known::Given(wallet(number)))
            }
            5 => {
                let moved = self.ordered("/_sim/clock/advance", &json!({ "seconds": 1 }), "now").await?;
                Some(Known::Time(moved.as_u64()?))
            }
            _ => {
                let made = self.ordered("/_sim/checkpoints", &json!({ "name": "kept" }), "id").await?;
                Some(Known::Checkpoint(made.as_u64()?))
            }
        }
    }

    /// Asserts that an earlier successful write still holds.
    async fn keeps(&self, known: &Known, number: usize) {
        match known {
            Known::Registered(wallet) => {
                let again = self.register(wallet.parse().unwrap()).await.unwrap();
                assert_eq!(again.status.as_u16(), 409, "{known:?}: {}", again.excerpt());
            }
            Known::Uploaded { captcha, url } => {
                let read = self.ask(Request::get(&self.rest, url.path(), &[])).await.unwrap();
                assert!(read.status.is_success(), "{known:?}: {}", read.excerpt());
                let again = self.upload(captcha, number).await.unwrap();
                assert_eq!(again.status.as_u16(), 403, "{known:?}: {}", again.excerpt());
                assert!(again.excerpt().contains("timeout-or-duplicate"));
            }
            Known::Bearer(token) => {
                let ask = Request::get(&self.rest, "/api/referral/stats", &[]);
                let ask = ask.header("authorization", &format!("Bearer {token}"));
                let read = self.ask(ask).await.unwrap();
                assert!(read.status.is_success(), "{known:?}: {}", read.excerpt());
            }
            Known::Transaction(hash) => {
                let receipt = self.call(0, "eth_getTransactionReceipt", json!([hash])).await.unwrap();
                assert_eq!(receipt["status"], "0x1", "{known:?}: {receipt}");
            }
            Known::Given(wallet) => {
                let balance = self.call(1, "eth_getBalance", json!([wallet, "latest"])).await.unwrap();
                assert_eq!(balance, GIVEN, "{known:?}");
            }
            Known::Time(least) => {
                let read = self.ask(Request::get(&self.control, "/_sim/clock", &[])).await.unwrap();
                assert!(
                    read.json().unwrap()["now"].as_u64().unwrap() >= *least,
                    "{known:?}: {}",
                    read.excerpt()
                );
            }
            Known::Checkpoint(id) => {
                let read = self.ask(Request::get(&self.control, "/_sim/checkpoints", &[])).await.unwrap();
                let read = read.json().unwrap();
                let mut made = read["checkpoints"].as_array().unwrap().iter();
                assert!(made.any(|one| one["id"].as_u64() == Some(*id)), "{known:?}: {read}");
            }
        }
    }
}

/// The balance that is set without a transaction.
const GIVEN: &str = "0x63";

fn wallet(number: usize) -> String {
    format!("0x{number:040x}")
}

fn caller(number: usize) -> String {
    format!("2001:db8::{:x}:{:x}", number >> 16, number & 0xffff)
}

/// Writes repeatedly; returns whether it ended because the server was gone rather than because a write was refused.
async fn writing(
    listener: Arc<Addresses>,
    writer: usize,
    first: usize,
    kinds: usize,
    acknowledged: UnboundedSender<Known>,
) -> bool {
    let mut number = first + writer;
    while let Some(known) = listener.write(number, kinds).await {
        if acknowledged.send(known).is_err() {
            return true;
        }
        number += WRITERS;
    }
    false
}

/// Repeatedly writes until the platform is killed; every write that succeeded must still be there.
async fn survives(place: &[&str], kinds: usize) {
    let common = ["up", "--json", "--port", "0", "--clock", "fixed", "--trust-forwarded"];
    let arguments = [&common[..], place].concat();
    let mut known: Vec<Known> = Vec::new();
    for (round, killed_after) in KILLED_AFTER.into_iter().enumerate() {
        let up = Running::start(&arguments, Stdio::null());
        let listener = Arc::new(Addresses::of(&up.ready()));
        for (place, known) in known.iter().enumerate() {
            listener.keeps(known, 900_000 + round * 10_000 + place).await;
        }
        let (acknowledged, mut heard) = unbounded_channel();
        let mut writers = JoinSet::new();
        for writer in 0..WRITERS {
            let first = (round + 1) * 10_000;
            writers.spawn(writing(Arc::clone(&listener), writer, first, kinds, acknowledged.clone()));
        }
        drop(acknowledged);
        for _ in 0..killed_after {
            known.push(heard.recv().await.unwrap());
        }
        up.signal(Signal::KILL);
        while let Some(one) = heard.recv().await {
            known.push(one);
        }
        assert!(!up.end().1.success());
    }
    let up = Running::start(&arguments, Stdio::null());
    let listener = Addresses::of(&up.ready());
    for (place, known) in known.iter().enumerate() {
        listener.keeps(known, 950_000 + place).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sigkill_during_writes_to_a_folder_loses_no_acknowledged_write() {
    let folder = tempfile::tempdir().unwrap();
    survives(&["--state", folder.path().to_str().unwrap()], EVERYTHING).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sigkill_during_postgres_writes_loses_no_acknowledged_write() {
    let server = Server::start().await;
    survives(&["--database-url", &server.url()], FACTS).await;
}

/// Three processes over one database receive writes until one of them is killed: the others continue without an error, and each has every
/// write that any of the three acknowledged.
#[tokio::test(flavor = "multi_thread")]
async fn sigkill_of_a_replica_loses_no_acknowledged_write() {
    const KILLED_AFTER: usize = 40;
    const GONE_ON: usize = 40;
    let server = Server::start().await;
    let folder = tempfile::tempdir().unwrap();
    let (url, file) = (server.url(), folder.path().join("ready.json"));
    let common = ["up", "--json", "--port", "0", "--clock", "fixed", "--trust-forwarded", "--database-url"];
    let start = |option: &str| {
        let arguments = [&common[..], &[&url, option, file.to_str().unwrap()]].concat();
        Running::start(&arguments, Stdio::null())
    };
    let owner = start("--ready-file");
    let replicas = [start("--attach"), start("--attach")];
    let first = Addresses::of(&owner.ready());
    let attached = replicas.each_ref().map(|replica| Arc::new(first.beside(&replica.ready())));
    let [killed, left] = attached;
    let listeners = [Arc::new(first), left, killed];
    let (acknowledged, mut heard) = unbounded_channel();
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let place = writer % listeners.len();
        let writing = writing(Arc::clone(&listeners[place]), writer, 10_000, FACTS, acknowledged.clone());
        writers.spawn(async move { (place, writing.await) });
    }
    drop(acknowledged);
    let mut known = Vec::new();
    for _ in 0..KILLED_AFTER {
        known.push(heard.recv().await.unwrap());
    }
    replicas[0].signal(Signal::KILL);
    for _ in 0..GONE_ON {
        known.push(heard.recv().await.unwrap());
    }
    heard.close();
    while let Some(one) = heard.recv().await {
        known.push(one);
    }
    while let Some(ended) = writers.join_next().await {
        let (place, without_error) = ended.unwrap();
        assert!(without_error || place == 2, "process {place}");
    }
    for (place, listener) in listeners[..2].iter().enumerate() {
        for (number, known) in known.iter().enumerate() {
            listener.keeps(known, 900_000 + place * 10_000 + number).await;
        }
    }
}
