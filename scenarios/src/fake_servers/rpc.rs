//! An RPC proxy between a tool server and a real node: it records every call and answers as scripted.
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::StatusCode;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;
use url::Url;

use super::http::{Listening, broken_off, json as json_answer, listen};
use crate::client::http::Http;
use crate::client::message::Request;
use crate::model::verdict::Inconclusive;

/// A recorded call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RpcCall {
    pub(crate) method: String,
    pub(crate) params: Value,
}

/// How a call is answered.
#[derive(Clone)]
pub(crate) enum Reply {
    /// As the node does.
    Forward,
    /// As the node does, once this is true.
    ForwardOnce(watch::Receiver<bool>),
    /// As the node does, with its result changed.
    Change(fn(Value) -> Value),
    Result(Value),
    Error(String),
    /// As a contract that reverts with this data.
    Revert(&'static str),
    /// Never.
    Silence,
    /// By an answer that breaks off.
    BreakOff,
}

/// Decides the answer to a call, given those before it.
pub(crate) type Script = Arc<dyn Fn(&RpcCall, &[RpcCall]) -> Reply + Send + Sync>;

/// The RPC; dropping it ends it.
pub(crate) struct FakeRpc {
    listening: Listening,
    shared: Arc<Shared>,
}

struct Shared {
    http: Http,
    node: Url,
    script: Mutex<Script>,
    calls: Mutex<Vec<RpcCall>>,
}

impl FakeRpc {
    /// Starts an RPC that forwards everything to a node.
    pub(crate) async fn start(http: Http, node: Url) -> Result<Self, Inconclusive> {
        let shared = Arc::new(Shared {
            http: http.for_nodes(),
            node,
            script: Mutex::new(Arc::new(|_, _| Reply::Forward)),
            calls: Mutex::default(),
        });
        let answering = Arc::clone(&shared);
        let listening = listen(async move |body: Bytes| {
            let message: Value = serde_json::from_slice(&body).unwrap_or_default();
            match answering.answer(message).await {
                Some(answer) => json_answer(StatusCode::OK, answer.to_string()),
                None => broken_off(),
            }
        })
        .await?;
        Ok(Self { listening, shared })
    }

    pub(crate) fn url(&self) -> &Url {
        &self.listening.origin
    }

    /// Answers by this script from now on, and clears the record.
    pub(crate) fn follow(&self, script: impl Fn(&RpcCall, &[RpcCall]) -> Reply + Send + Sync + 'static) {
        *self.shared.script.lock() = Arc::new(script);
        self.shared.calls.lock().clear();
    }

    /// Answers these methods as given and forwards all others from now on, and clears the record.
    pub(crate) fn answer(&self, replies: &[(&'static str, Reply)]) {
        let replies = replies.to_vec();
        self.follow(move |call, _| {
            let scripted = replies.iter().find(|(method, _)| *method == call.method);
            scripted.map_or(Reply::Forward, |(_, reply)| reply.clone())
        });
    }

    /// Forwards everything from now on, and clears the record.
    pub(crate) fn be_honest(&self) {
        self.follow(|_, _| Reply::Forward);
    }

    /// Returns all calls since the script was set.
    pub(crate) fn calls(&self) -> Vec<RpcCall> {
        self.shared.calls.lock().clone()
    }

    pub(crate) fn calls_of(&self, method: &str) -> Vec<RpcCall> {
        let mut calls = self.calls();
        calls.retain(|call| call.method == method);
        calls
    }

    /// Returns the signed transactions that were sent, in order, as hexadecimal text.
    pub(crate) fn broadcasts(&self) -> Vec<String> {
        self.calls()
            .iter()
            .filter(|call| call.method.starts_with("eth_sendRawTransaction"))
            .map(|call| call.params[0].as_str().unwrap_or_default().to_owned())
            .collect()
    }
}

impl Shared {
    /// Answers a message; `None` to break off.
    async fn answer(&self, message: Value) -> Option<Value> {
        match message {
            Value::Array(messages) => {
                let mut answers = Vec::new();
                for message in messages {
                    answers.push(self.answer_one(message).await?);
                }
                Some(Value::Array(answers))
            }
            message => self.answer_one(message).await,
        }
    }

    async fn answer_one(&self, message: Value) -> Option<Value> {
        let call = RpcCall {
            method: message["method"].as_str().unwrap_or_default().to_owned(),
            params: message["params"].clone(),
        };
        let reply = {
            let script = Arc::clone(&self.script.lock());
            let mut calls = self.calls.lock();
            let reply = script(&call, &calls);
            calls.push(call);
            reply
        };
        let id = message["id"].clone();
        Some(match reply {
            Reply::BreakOff => return None,
            Reply::Forward => self.forward(&message).await,
            Reply::ForwardOnce(mut answered) => {
                // If the sender is gone, the check is over and the answer no longer matters.
                let _ = answered.wait_for(|answered| *answered).await;
                self.forward(&message).await
            }
            Reply::Change(change) => {
                let mut answer = self.forward(&message).await;
                let result = answer["result"].take();
                answer["result"] = change(result);
                answer
            }
            Reply::Result(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Reply::Error(text) => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32000, "message": text}})
            }
            Reply::Revert(data) => json!({
                "jsonrpc": "2.0", "id": id,
                "error": {"code": 3, "message": "execution reverted", "data": data},
            }),
            Reply::Silence => std::future::pending().await,
        })
    }

    async fn forward(&self, message: &Value) -> Value {
        let mut ask = Request::post_json(&self.node, "", message);
        ask.url = self.node.clone();
        let answer = self.http.send(ask).await.ok();
        answer.and_then(|answer| answer.json()).unwrap_or_else(|| {
            json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32603, "message": "the node is gone"}})
        })
    }
}
