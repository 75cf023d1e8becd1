//! Chain RPC: calls, signed transactions, receipts and logs. Does not poll for receipts on nodes that can wait for them.
mod newest;
mod reading;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use alloy::consensus::TxEip1559;
use alloy::primitives::{Address, B256, Bytes, TxKind, U64, U256, keccak256};
use alloy::rpc::types::TransactionReceipt;
use alloy::sol_types::{SolCall, SolError};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use url::Url;

use crate::client::account::Account;
use crate::client::http::Http;
use crate::client::message::{Request, Response};
use crate::model::shown::readable;
use crate::model::verdict::{Inconclusive, cut};

/// The interval at which a receipt is polled if the node does not wait for it.
const RECEIPT_PACE: Duration = Duration::from_millis(250);
/// The most times that a receipt is polled.
const RECEIPT_ASKS: usize = 480;
/// The node accepted a transaction, but its receipt did not come within the node's wait (EIP-7966, timeout error).
const TAKEN: i64 = 4;
/// Phrases with which nodes say that they already have a transaction.
const KNOWN: [&str; 3] = ["already known", "already imported", "known transaction"];

/// The balance of every caller in a simulated block, in wei.
const WEALTH: &str = "0x3635c9adc5dea00000";

/// The RPC of one chain.
#[derive(Clone, Debug)]
pub struct Chain {
    http: Http,
    url: Url,
    chain_id: u64,
    /// Held by the check that sends from a shared account.
    shared: Arc<Mutex<()>>,
    /// The highest block that was shown: of several nodes behind one address, one may not have it yet.
    seen: Arc<AtomicU64>,
    /// The highest block that every node has shown.
    seen_by_all: Arc<AtomicU64>,
    /// Most blocks of one request for logs, learned from the node's refusals.
    span: Arc<AtomicU64>,
    /// Logs that were already read, shared by all checks of a run.
    known: Arc<Mutex<reading::KnownLogs>>,
}

/// A JSON-RPC error of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RpcError {
    /// The JSON-RPC code.
    pub code: i64,
    /// The message.
    pub message: String,
    /// The revert data of a contract, if any.
    pub revert: Option<Bytes>,
}

/// The answer of a node: a result or an error.
pub(crate) type RpcResult<T> = Result<T, RpcError>;

/// Describes what a simulated call did, for a report.
pub(crate) fn outcome_of<T>(result: &RpcResult<T>) -> String {
    result.as_ref().map_or_else(ToString::to_string, |_| "it succeeds".to_owned())
}

/// The outcome of a transaction.
#[derive(Clone, Debug)]
pub enum TransactionOutcome {
    /// Mined, successfully or not.
    Mined(Box<TransactionReceipt>),
    /// Refused before it was sent: the estimate reverted, or the node rejected it.
    Refused(RpcError),
}

/// A transaction to be signed; absent fields are taken from the node.
#[derive(Clone, Debug, Default)]
pub struct Sending {
    /// The called contract or paid account; `None` to deploy.
    pub to: Option<Address>,
    /// The value in wei.
    pub value: U256,
    /// The call data.
    pub input: Bytes,
    /// Gas limit; estimated with a margin if `None`.
    pub gas: Option<u64>,
}

/// A call in a simulated block.
#[derive(Clone, Debug)]
pub(crate) struct Simulated {
    pub from: Address,
    pub to: Address,
    pub value: U256,
    pub input: Bytes,
}

impl RpcError {
    /// Whether a contract reverted with this error.
    pub fn is<E: SolError>(&self) -> bool {
        self.selector() == Some(E::SELECTOR)
    }

    /// Whether the node refused a transaction because it already has it.
    fn is_known(&self) -> bool {
        let message = self.message.to_lowercase();
        KNOWN.iter().any(|words| message.contains(words))
    }

    /// Returns the first four bytes of the revert data.
    pub fn selector(&self) -> Option<[u8; 4]> {
        self.revert.as_ref()?.get(..4)?.try_into().ok()
    }
}

impl std::fmt::Display for RpcError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "error {}: {}", self.code, self.message)?;
        match &self.revert {
            Some(data) => write!(formatter, " (revert data {data})"),
            None => Ok(()),
        }
    }
}

impl TransactionOutcome {
    /// Returns the receipt if the transaction succeeded.
    pub fn success(&self) -> Option<&TransactionReceipt> {
        match self {
            Self::Mined(receipt) if receipt.status() => Some(receipt),
            _ => None,
        }
    }

    /// Describes the outcome for a report.
    pub fn describe(&self) -> String {
        match self {
            Self::Mined(receipt) => format!(
                "{} {} in block {}",
                receipt.transaction_hash,
                if receipt.status() { "succeeded" } else { "reverted" },
                readable(&receipt.block_number)
            ),
            Self::Refused(error) => error.to_string(),
        }
    }
}

/// Returns the fee that a transaction cost its sender, in wei.
pub(crate) fn gas_of(receipt: &TransactionReceipt) -> U256 {
    U256::from(receipt.gas_used) * U256::from(receipt.effective_gas_price)
}

impl Chain {
    /// Creates a client of the node at `url`.
    pub fn new(http: Http, url: Url, chain_id: u64) -> Self {
        Self {
            http: http.for_nodes(),
            url,
            chain_id,
            shared: Arc::default(),
            seen: Arc::default(),
            seen_by_all: Arc::default(),
            span: Arc::new(AtomicU64::new(u64::MAX)),
            known: Arc::default(),
        }
    }

    /// Returns a client of the same node over another HTTP client, which has seen no block yet.
    pub fn by(&self, http: Http) -> Self {
        Self { http: http.for_nodes(), seen: Arc::default(), seen_by_all: Arc::default(), ..self.clone() }
    }

    /// Returns the chain id that the caller gave for this address.
    pub fn chain_id(&self) -> u64 {
        self.chain_id
    }

    /// Returns the URL of the node.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Makes one JSON-RPC call, again while the node that is asked lacks a block that others have.
    pub async fn rpc<T: DeserializeOwned>(
        &self,
        method: &str,
        params: Value,
    ) -> Result<RpcResult<T>, Inconclusive> {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut pace = tokio::time::interval(RECEIPT_PACE);
        for _ in 1..newest::ASKS {
            match self.asked(method, &body).await? {
                Err(error) if error.lacks_a_block() => pace.tick().await,
                answered => return Ok(answered),
            };
        }
        self.asked(method, &body).await
    }

    async fn asked<T: DeserializeOwned>(
        &self,
        method: &str,
        body: &Value,
    ) -> Result<RpcResult<T>, Inconclusive> {
        let response = self.post(body).await?;
        let result = response.json().ok_or_else(|| unusable(method, response.excerpt()))?;
        result_of(method, result)
    }

    async fn post(&self, body: &Value) -> Result<Response, Inconclusive> {
        let mut request = Request::post_json(&self.url, "", body);
        request.url = self.url.clone();
        self.http.send(request).await
    }

    /// Makes one JSON-RPC call whose error makes the check inconclusive.
    pub async fn must<T: DeserializeOwned>(&self, method: &str, params: Value) -> Result<T, Inconclusive> {
        self.rpc(method, params).await?.map_err(|error| unusable(method, error.to_string()))
    }

    pub(crate) async fn reported_chain_id(&self) -> Result<u64, Inconclusive> {
        self.must::<U64>("eth_chainId", json!([])).await.map(|id| id.to())
    }

    /// Returns the balance of an account in wei.
    pub async fn balance(&self, account: Address) -> Result<U256, Inconclusive> {
        self.must("eth_getBalance", json!([account, self.newest().await?])).await
    }

    /// Returns the balance of an account after a block, in wei.
    pub(crate) async fn balance_at(&self, account: Address, block: u64) -> Result<U256, Inconclusive> {
        self.must("eth_getBalance", json!([account, U64::from(block)])).await
    }

    /// Returns the number of transactions that an account has sent, including pending ones.
    pub async fn pending_nonce(&self, account: Address) -> Result<u64, Inconclusive> {
        self.must::<U64>("eth_getTransactionCount", json!([account, "pending"])).await.map(|nonce| nonce.to())
    }

    /// Returns the code at an address.
    pub async fn code(&self, address: Address) -> Result<Bytes, Inconclusive> {
        self.must("eth_getCode", json!([address, self.newest().await?])).await
    }

    /// Calls a contract without changing anything.
    pub async fn call<C: SolCall>(
        &self,
        to: Address,
        call: &C,
    ) -> Result<RpcResult<C::Return>, Inconclusive> {
        self.call_as(None, to, U256::ZERO, call).await
    }

    /// Calls a contract from an account, with a value in wei, without changing anything.
    pub(crate) async fn call_as<C: SolCall>(
        &self,
        from: Option<Address>,
        to: Address,
        value: U256,
        call: &C,
    ) -> Result<RpcResult<C::Return>, Inconclusive> {
        self.call_at(from, to, value, call, None).await
    }

    /// Calls a contract on the state after a block.
    pub(crate) async fn call_at<C: SolCall>(
        &self,
        from: Option<Address>,
        to: Address,
        value: U256,
        call: &C,
        block: Option<u64>,
    ) -> Result<RpcResult<C::Return>, Inconclusive> {
        let mut request = json!({"to": to, "input": Bytes::from(call.abi_encode()), "value": value});
        if let Some(from) = from {
            request["from"] = json!(from);
        }
        let block = match block {
            Some(number) => U64::from(number),
            None => self.newest().await?,
        };
        let output: Bytes = match self.rpc("eth_call", json!([request, block])).await? {
            Ok(output) => output,
            Err(error) => return Ok(Err(error)),
        };
        match C::abi_decode_returns(&output) {
            Ok(value) => Ok(Ok(value)),
            Err(error) => Ok(Err(RpcError {
                code: 0,
                message: format!("{} answers {output}, which is no {}: {error}", to, C::SIGNATURE),
                revert: None,
            })),
        }
    }

    /// Estimates, signs and sends a transaction, and waits until it is mined.
    pub async fn send(
        &self,
        account: &Account,
        sending: Sending,
    ) -> Result<TransactionOutcome, Inconclusive> {
        let gas = match sending.gas {
            Some(gas) => gas,
            None => match self.estimate(account.address(), &sending).await? {
                Ok(gas) => gas + gas / 2 + 50_000,
                Err(error) => return Ok(TransactionOutcome::Refused(error)),
            },
        };
        let (head, nonce) = futures::join!(self.head(), self.pending_nonce(account.address()));
        let base = head?.header.base_fee_per_gas.unwrap_or_default();
        let tip = 1_000_000;
        let raw = account.sign(TxEip1559 {
            chain_id: self.chain_id,
            nonce: nonce?,
            gas_limit: gas,
            max_fee_per_gas: u128::from(base) * 2 + tip,
            max_priority_fee_per_gas: tip,
            to: sending.to.map_or(TxKind::Create, TxKind::Call),
            value: sending.value,
            access_list: Default::default(),
            input: sending.input,
        })?;
        self.send_raw(&raw).await
    }

    /// Sends a contract call and waits until it is mined.
    pub(crate) async fn transact<C: SolCall>(
        &self,
        account: &Account,
        to: Address,
        value: U256,
        call: &C,
    ) -> Result<TransactionOutcome, Inconclusive> {
        let input = Bytes::from(call.abi_encode());
        let sending = Sending { to: Some(to), value, input, gas: None };
        self.send(account, sending).await
    }

    /// Sends a signed transaction and waits until it is mined. An error of synchronous sending is not final: the node may not know the
    /// method, or may have accepted the transaction and stopped waiting for its receipt.
    pub(crate) async fn send_raw(&self, raw: &Bytes) -> Result<TransactionOutcome, Inconclusive> {
        let hash = keccak256(raw);
        match self.rpc::<Box<TransactionReceipt>>("eth_sendRawTransactionSync", json!([raw])).await? {
            Ok(receipt) => {
                self.saw(Some(&receipt));
                return Ok(TransactionOutcome::Mined(receipt));
            }
            Err(error) if error.code == TAKEN => return self.mined(hash).await,
            Err(_) => {}
        }
        if let Some(receipt) = self.receipt(hash).await? {
            return Ok(TransactionOutcome::Mined(Box::new(receipt)));
        }
        match self.rpc::<B256>("eth_sendRawTransaction", json!([raw])).await? {
            Err(error) if !error.is_known() => match self.receipt(hash).await? {
                Some(receipt) => Ok(TransactionOutcome::Mined(Box::new(receipt))),
                None => Ok(TransactionOutcome::Refused(error)),
            },
            _ => self.mined(hash).await,
        }
    }

    /// Returns the receipt of a transaction if it is mined.
    pub async fn receipt(&self, hash: B256) -> Result<Option<TransactionReceipt>, Inconclusive> {
        let receipt: Option<TransactionReceipt> =
            self.must("eth_getTransactionReceipt", json!([hash])).await?;
        self.saw(receipt.as_ref());
        Ok(receipt)
    }

    /// Sends from an account that other checks use too: one transaction at a time, so that nonces stay consecutive.
    pub(crate) async fn send_shared(
        &self,
        payer: &Account,
        sending: Sending,
    ) -> Result<TransactionOutcome, Inconclusive> {
        let _turn = self.shared.lock().await;
        self.send(payer, sending).await
    }

    /// Pays `account` up to a balance of at least `wei`.
    pub async fn fund(&self, payer: &Account, account: Address, wei: U256) -> Result<(), Inconclusive> {
        let held = self.balance(account).await?;
        if held >= wei {
            return Ok(());
        }
        let sending = Sending { to: Some(account), value: wei - held, ..Sending::default() };
        match self.send_shared(payer, sending).await? {
            outcome if outcome.success().is_some() => Ok(()),
            outcome => Err(Inconclusive::NoMaterial {
                reason: format!("{} could not pay {wei} wei: {}", payer.address(), outcome.describe()),
            }),
        }
    }

    /// Estimates the gas of a transaction.
    pub async fn estimate(&self, from: Address, sending: &Sending) -> Result<RpcResult<u64>, Inconclusive> {
        let request = json!({"from": from, "to": sending.to, "value": sending.value, "input": sending.input});
        let gas = self.rpc::<U64>("eth_estimateGas", json!([request, self.newest().await?])).await?;
        Ok(gas.map(|gas| gas.to()))
    }

    /// Simulates consecutive calls in one block that is discarded, each from an account with enough wei; `None` if the node cannot
    /// simulate.
    pub(crate) async fn simulate(
        &self,
        calls: &[Simulated],
    ) -> Result<Option<Vec<Option<Bytes>>>, Inconclusive> {
        let requests: Vec<Value> = calls
            .iter()
            .map(|call| json!({"from": call.from, "to": call.to, "input": call.input, "value": call.value}))
            .collect();
        let rich: serde_json::Map<String, Value> =
            calls.iter().map(|call| (call.from.to_string(), json!({ "balance": WEALTH }))).collect();
        let block =
            json!({"blockStateCalls": [{"stateOverrides": rich, "calls": requests}], "validation": false});
        let Ok(blocks) = self.rpc::<Value>("eth_simulateV1", json!([block, self.newest().await?])).await?
        else {
            return Ok(None);
        };
        let response = |call: &Value| {
            let succeeded = call["status"] == "0x1";
            succeeded.then(|| call["returnData"].as_str()?.parse().ok()).flatten()
        };
        let responses = blocks[0]["calls"].as_array();
        Ok(responses.map(|responses| responses.iter().map(response).collect()))
    }

    /// Takes a snapshot of a development node; `None` if the node has no snapshots.
    pub async fn snapshot(&self) -> Result<Option<U256>, Inconclusive> {
        Ok(self.rpc("evm_snapshot", json!([])).await?.ok())
    }

    /// Reverts to a snapshot.
    pub async fn revert(&self, snapshot: U256) -> Result<bool, Inconclusive> {
        self.rolled_back();
        self.must("evm_revert", json!([snapshot])).await
    }

    async fn mined(&self, hash: B256) -> Result<TransactionOutcome, Inconclusive> {
        let mut pace = tokio::time::interval(RECEIPT_PACE);
        for _ in 0..RECEIPT_ASKS {
            if let Some(receipt) = self.receipt(hash).await? {
                return Ok(TransactionOutcome::Mined(Box::new(receipt)));
            }
            pace.tick().await;
        }
        Err(Inconclusive::Unreachable {
            endpoint: "the chain",
            reason: format!("{hash} was not mined in time"),
        })
    }
}

/// Parses the result of an answer, or its error.
fn result_of<T: DeserializeOwned>(method: &str, mut answer: Value) -> Result<RpcResult<T>, Inconclusive> {
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return Ok(Err(RpcError {
            code: error["code"].as_i64().unwrap_or_default(),
            message: cut(error["message"].as_str().unwrap_or_default().to_owned()),
            revert: revert_data(&error["data"]),
        }));
    }
    let result = serde_json::from_value(answer["result"].take());
    result.map(Ok).map_err(|error| unusable(method, error.to_string()))
}

fn unusable(method: &str, reason: String) -> Inconclusive {
    Inconclusive::Unreachable { endpoint: "the chain", reason: format!("{method}: {reason}") }
}

/// Nodes put revert data into `data`, or into a `data` inside it, some after the word "Reverted".
fn revert_data(data: &Value) -> Option<Bytes> {
    match data {
        Value::String(text) => text.trim_start_matches("Reverted ").parse().ok(),
        Value::Object(fields) => fields.get("data").and_then(revert_data),
        _ => None,
    }
}
