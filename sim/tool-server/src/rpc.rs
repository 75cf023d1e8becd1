//! JSON-RPC client of the chain. It never retries a request on its own.
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::decimal::Wei;
use alloy::primitives::{Address, B256, Bytes, U256};
use reqwest::Client;
use serde::Deserialize;
use serde_json::{Value, json};
use slipway_contracts::decode;
use slipway_redaction::Redactor;
use url::Url;

use crate::http::{self, ExchangeError, Limits};
use crate::redaction;
use crate::refusal::Refusal;

/// The reason why the RPC returned no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RpcError {
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    #[error("error {code}: {message}")]
    Refused { code: i64, message: String, data: Option<Bytes> },
    #[error("invalid JSON-RPC response")]
    Malformed,
}

/// Error code for an unknown method (JSON-RPC 2.0, section 5.1).
const METHOD_NOT_FOUND: i64 = -32601;

/// The latest block: its Unix time and its base fee per gas.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) timestamp: u64,
    pub(crate) base_fee_wei: u128,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Receipt {
    pub(crate) transaction_hash: B256,
    #[serde(default)]
    pub(crate) block_number: Option<U256>,
    pub(crate) status: U256,
    pub(crate) logs: Vec<ReceiptLog>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ReceiptLog {
    pub(crate) address: Address,
    pub(crate) topics: Vec<B256>,
    pub(crate) data: Bytes,
}

pub(crate) struct Rpc {
    client: Result<Client, ExchangeError>,
    url: Url,
    ids: AtomicU64,
    limits: Limits,
    redactor: Arc<Redactor>,
}

impl Rpc {
    /// Opens a separate connection, so that all its requests reach the same peer.
    pub(crate) fn new(url: Url, limits: Limits, redactor: Arc<Redactor>) -> Self {
        Self { client: http::client(&url), url, ids: AtomicU64::new(1), limits, redactor }
    }

    /// Sends one request, exactly once.
    pub(crate) async fn request(&self, method: &'static str, parameters: Value) -> Result<Value, RpcError> {
        let client = self.client.as_ref().map_err(Clone::clone)?;
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters });
        let request = client.post(self.url.clone()).json(&body);
        let answer = http::exchange(request, true, self.limits).await?;
        self.read(answer)
    }

    fn read(&self, mut answer: Value) -> Result<Value, RpcError> {
        if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
            let data = revert_data(error);
            let reverted = data.as_ref().and_then(|data| decode::error(data)).map(|error| error.to_string());
            let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
            let message = redaction::sanitize(&self.redactor, reverted.as_deref().unwrap_or(message));
            let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
            return Err(RpcError::Refused { code, message, data });
        }
        match answer.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => Err(RpcError::Malformed),
        }
    }

    async fn parsed<T: FromStr>(&self, method: &'static str, parameters: Value) -> Result<T, Refusal> {
        let answer = self.request(method, parameters).await.map_err(|error| failed(method, &error))?;
        answer.as_str().and_then(|text| text.parse().ok()).ok_or(Refusal::ResponseMalformed { method })
    }

    async fn quantity<T: TryFrom<U256>>(
        &self,
        method: &'static str,
        parameters: Value,
    ) -> Result<T, Refusal> {
        let answer = self.request(method, parameters).await.map_err(|error| failed(method, &error))?;
        quantity(&answer).ok_or(Refusal::ResponseMalformed { method })
    }

    pub(crate) async fn chain_id(&self) -> Result<u64, Refusal> {
        self.quantity("eth_chainId", json!([])).await
    }

    pub(crate) async fn balance(&self, account: Address) -> Result<Wei, Refusal> {
        self.quantity("eth_getBalance", json!([account, "latest"])).await.map(Wei)
    }

    /// Transaction count of the account, pending transactions included.
    pub(crate) async fn pending_nonce(&self, account: Address) -> Result<u64, Refusal> {
        self.quantity("eth_getTransactionCount", json!([account, "pending"])).await
    }

    pub(crate) async fn has_code(&self, account: Address) -> Result<bool, Refusal> {
        let code: Bytes = self.parsed("eth_getCode", json!([account, "latest"])).await?;
        Ok(!code.is_empty())
    }

    pub(crate) async fn head(&self) -> Result<Head, Refusal> {
        let method = "eth_getBlockByNumber";
        let block =
            self.request(method, json!(["latest", false])).await.map_err(|error| failed(method, &error))?;
        let head = || {
            let timestamp = quantity(block.get("timestamp")?)?;
            Some(Head { timestamp, base_fee_wei: quantity(block.get("baseFeePerGas")?)? })
        };
        head().ok_or(Refusal::ResponseMalformed { method })
    }

    /// The suggested priority fee per gas, in wei; if the node suggests none, its gas price minus the base fee.
    pub(crate) async fn priority_fee(&self, base_fee_wei: u128) -> Result<u128, Refusal> {
        let method = "eth_maxPriorityFeePerGas";
        match self.request(method, json!([])).await {
            Err(RpcError::Refused { code: METHOD_NOT_FOUND, .. }) => {
                let price: u128 = self.quantity("eth_gasPrice", json!([])).await?;
                Ok(price.saturating_sub(base_fee_wei))
            }
            Err(error) => Err(failed(method, &error)),
            Ok(answer) => quantity(&answer).ok_or(Refusal::ResponseMalformed { method }),
        }
    }

    /// The receipt, once the transaction is mined.
    pub(crate) async fn receipt(&self, hash: B256) -> Result<Option<Receipt>, RpcError> {
        let answer = self.request("eth_getTransactionReceipt", json!([hash])).await?;
        serde_json::from_value(answer).map_err(|_| RpcError::Malformed)
    }
}

fn quantity<T: TryFrom<U256>>(answer: &Value) -> Option<T> {
    let quantity: U256 = answer.as_str()?.parse().ok()?;
    T::try_from(quantity).ok()
}

/// A request before the signature failed.
pub(crate) fn failed(method: &'static str, error: &RpcError) -> Refusal {
    Refusal::RpcFailed { method, problem: error.to_string() }
}

/// Revert data, wherever the node puts it.
fn revert_data(error: &Value) -> Option<Bytes> {
    let data = error.get("data")?;
    let text = data.as_str().or_else(|| data.get("data")?.as_str())?;
    text.parse().ok()
}
