//! The control plane of a platform: its clock, checkpoints, index height and journal.
use std::ops::RangeInclusive;

use alloy::primitives::{Address, B256, Bytes};
use reqwest::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use url::Url;

use crate::client::http::Http;
use crate::client::message::{Request, Response};
use crate::model::target::PrivateKey as Secret;
use crate::model::verdict::Inconclusive;

/// A client of the control plane.
#[derive(Clone, Debug)]
pub struct Control {
    http: Http,
    origin: Url,
    token: Option<Secret>,
}

/// A proof of a solved captcha for the launch contract.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct CaptchaProof {
    /// The last second at which it is valid.
    pub deadline: u64,
    /// The number used once.
    pub nonce: B256,
    /// The signature of the platform's captcha signer.
    pub signature: Bytes,
}

/// One answered request in the platform's journal.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JournalEntry {
    /// Sequence number of the answer.
    pub number: u64,
    /// Path and query.
    #[serde(alias = "path")]
    pub target: String,
    /// Request method.
    pub method: String,
    /// Status of the answer.
    pub status: u16,
    /// The rule that refused it.
    pub cause: Option<String>,
    /// The request id of the answer.
    #[serde(default)]
    pub request_id: String,
}

impl Control {
    /// Creates a client of the control plane at `origin`, with a bearer token if given.
    pub fn new(http: Http, origin: Url, token: Option<Secret>) -> Self {
        Self { http, origin, token }
    }

    /// Returns how the platform fills the gaps of the interface; null if it does not say.
    pub(crate) async fn conventions(&self) -> Result<Value, Inconclusive> {
        let request = Request::get(&self.origin, "/_sim/conventions", &[]).bearer(self.token.as_ref());
        let response = self.http.unrecorded().send(request).await?;
        Ok(response.json().filter(|_| response.status.is_success()).unwrap_or_default())
    }

    /// Returns the platform's time in Unix seconds.
    pub async fn now(&self) -> Result<u64, Inconclusive> {
        self.field(Request::get(&self.origin, "/_sim/clock", &[]), "now").await
    }

    /// Does something, and returns the span of the clock in which it was done.
    pub async fn timed<T, E: From<Inconclusive>>(
        &self,
        deed: impl Future<Output = Result<T, E>>,
    ) -> Result<(T, RangeInclusive<u64>), E> {
        let before = self.now().await?;
        let done = deed.await?;
        Ok((done, before..=self.now().await?))
    }

    /// Moves the clock forward; returns the new time.
    pub async fn advance(&self, seconds: u64) -> Result<u64, Inconclusive> {
        self.post("/_sim/clock/advance", json!({"seconds": seconds}), "now").await
    }

    /// Moves the clock forward to a time.
    pub async fn set_clock(&self, timestamp: u64) -> Result<u64, Inconclusive> {
        self.post("/_sim/clock/set", json!({"timestamp": timestamp}), "now").await
    }

    /// Moves the clock forward to a time unless it is already there; returns the time that it then shows.
    pub async fn reach(&self, timestamp: u64) -> Result<u64, Inconclusive> {
        let now = self.now().await?;
        if now >= timestamp {
            return Ok(now);
        }
        match self.set_clock(timestamp).await {
            Ok(now) => Ok(now),
            // A running clock may have passed that time by then.
            Err(refused) => {
                self.now().await.and_then(|now| if now >= timestamp { Ok(now) } else { Err(refused) })
            }
        }
    }

    /// Takes a checkpoint of the whole platform; returns its id.
    pub async fn checkpoint(&self) -> Result<String, Inconclusive> {
        let id: Value = self.post("/_sim/checkpoints", json!({}), "id").await?;
        Ok(id.as_str().map_or_else(|| id.to_string(), str::to_owned))
    }

    /// Reverts to a checkpoint.
    pub async fn revert(&self, checkpoint: &str) -> Result<(), Inconclusive> {
        let path = format!("/_sim/checkpoints/{checkpoint}/revert");
        self.done(Request::post_json(&self.origin, &path, &json!({}))).await.map(drop)
    }

    /// Returns once the block is indexed.
    pub async fn indexed(&self, chain_id: u64, block: u64) -> Result<(), Inconclusive> {
        let query = [("chainId", &*chain_id.to_string()), ("block", &*block.to_string())];
        self.done(Request::get(&self.origin, "/_sim/indexed", &query)).await.map(drop)
    }

    /// Returns a fresh captcha token that is valid for some seconds, and the second at which it expires.
    pub(crate) async fn captcha_for(&self, seconds: u64) -> Result<(String, u64), Inconclusive> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Minted {
            token: String,
            expires_at: u64,
        }
        let body = json!({"ttlSeconds": seconds});
        let minted: Minted = self.post("/_sim/captchas", body, "").await?;
        Ok((minted.token, minted.expires_at))
    }

    /// Returns a fresh captcha token.
    pub async fn captcha(&self) -> Result<String, Inconclusive> {
        self.post("/_sim/captchas", json!({}), "token").await
    }

    /// Returns a bearer token of a wallet.
    pub async fn bearer(&self, address: Address) -> Result<String, Inconclusive> {
        self.post("/_sim/bearers", json!({"address": address}), "token").await
    }

    pub(crate) async fn captcha_proof(
        &self,
        chain_id: u64,
        trader: Address,
        launch_id: u64,
    ) -> Result<CaptchaProof, Inconclusive> {
        let body = json!({"chainId": chain_id, "trader": trader, "launchId": launch_id});
        self.post("/_sim/captcha-auths", body, "").await
    }

    /// Pauses or resumes creation on a chain.
    pub async fn pause_creation(&self, chain_id: u64, paused: bool) -> Result<(), Inconclusive> {
        self.switch("/_sim/creation-paused", &[("chainId", &chain_id.to_string())], paused).await
    }

    /// Disables or enables a token.
    pub async fn disable_token(&self, token: Address, disabled: bool) -> Result<(), Inconclusive> {
        self.switch(&format!("/_sim/tokens/{token}/disabled"), &[], disabled).await
    }

    async fn switch(&self, path: &str, query: &[(&str, &str)], on: bool) -> Result<(), Inconclusive> {
        let method = if on { Method::PUT } else { Method::DELETE };
        self.done(Request { method, ..Request::get(&self.origin, path, query) }).await.map(drop)
    }

    /// Returns the journal entries after a number.
    pub async fn journal(&self, after: u64) -> Result<Vec<JournalEntry>, Inconclusive> {
        self.entries(&[("after", &after.to_string())]).await
    }

    /// Returns the number of the last journal entry.
    pub async fn journal_end(&self) -> Result<u64, Inconclusive> {
        // A number beyond all entries returns only the last number.
        let after = [("after", "9007199254740991")];
        self.field(Request::get(&self.origin, "/_sim/journal", &after), "last").await
    }

    /// Makes a call; returns whether it succeeded.
    pub async fn attempt(&self, path: &str, order: &Value) -> Result<bool, Inconclusive> {
        self.order(Method::POST, path, order).await.map(|response| response.status.is_success())
    }

    /// Makes a call, and returns whatever came back.
    pub(crate) async fn order(
        &self,
        method: Method,
        path: &str,
        order: &Value,
    ) -> Result<Response, Inconclusive> {
        let request = Request { method, ..Request::post_json(&self.origin, path, order) };
        self.http.send(request.bearer(self.token.as_ref())).await
    }

    /// Finds the journal entry of an answer by the answer's request id.
    pub(crate) async fn entry_of(&self, response: &Response) -> Result<Option<JournalEntry>, Inconclusive> {
        let Some(id) = response.header("x-request-id") else {
            return Ok(None);
        };
        let entries = match self.entries(&[("after", "0"), ("requestId", id)]).await {
            Err(Inconclusive::NoCall { .. }) => return Ok(None),
            entries => entries?,
        };
        Ok(entries.into_iter().rev().find(|entry| entry.request_id == id))
    }

    async fn entries(&self, query: &[(&str, &str)]) -> Result<Vec<JournalEntry>, Inconclusive> {
        let response = self.done(Request::get(&self.origin, "/_sim/journal", query)).await?;
        let mut body = response.json().unwrap_or_default();
        let entries = if body.is_array() { body } else { body["entries"].take() };
        decode(&response, entries)
    }

    async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: Value,
        field: &str,
    ) -> Result<T, Inconclusive> {
        self.field(Request::post_json(&self.origin, path, &body), field).await
    }

    /// Returns a field of the answer; the whole answer if the name is empty.
    async fn field<T: DeserializeOwned>(&self, request: Request, name: &str) -> Result<T, Inconclusive> {
        let response = self.done(request).await?;
        let mut body = response.json().unwrap_or_default();
        decode(&response, if name.is_empty() { body } else { body[name].take() })
    }

    async fn done(&self, request: Request) -> Result<Response, Inconclusive> {
        let mut response = self.http.send(request.bearer(self.token.as_ref())).await?;
        // The reported request shows no credential.
        response.request.headers.retain(|(name, _)| name != "authorization");
        if [404, 405, 501].contains(&response.code()) {
            let call = format!("{} {}", response.request.method, response.request.url.path());
            return Err(Inconclusive::NoCall { call });
        }
        if response.status.is_success() { Ok(response) } else { Err(unusable(&response, response.excerpt())) }
    }
}

fn decode<T: DeserializeOwned>(response: &Response, value: Value) -> Result<T, Inconclusive> {
    serde_json::from_value(value).map_err(|error| unusable(response, error.to_string()))
}

fn unusable(response: &Response, reason: String) -> Inconclusive {
    Inconclusive::Unreachable {
        endpoint: "the control plane",
        reason: format!("{}: {reason}", response.request.reproduce()),
    }
}
