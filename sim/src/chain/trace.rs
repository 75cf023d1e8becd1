//! The calls of a mined transaction, as the node recorded them when it mined it.
use std::time::Instant;

use alloy::primitives::{Address, B256, Bytes, U64, U256};
use alloy::transports::TransportErrorKind;
use reqwest::header::CONTENT_TYPE;
use serde::{Deserialize, Serialize};
use serde_json::json;
use slipway_contracts::decode::{self, Named};
use tokio::time::timeout;
use url::Url;

use super::{Chain, ChainError, TRACED_GAS};
use crate::node_calls::{NodeCall, NodeCalls};

const TRACE: &str = "trace_transaction";
/// Maximum size of a trace, of some 70,000 calls.
const TRACE_LIMIT: usize = 32 << 20;

/// One call within a transaction, with the calls that it makes, in the format of the call tracer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Frame {
    pub(crate) from: Address,
    pub(crate) gas: U64,
    pub(crate) gas_used: U64,
    /// The called contract, or the created one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) to: Option<Address>,
    pub(crate) input: Bytes,
    #[serde(skip_serializing_if = "<[u8]>::is_empty")]
    pub(crate) output: Bytes,
    /// The reason for the failure; a failed call is undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) calls: Vec<Frame>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<U256>,
    /// `CALL`, `DELEGATECALL`, `STATICCALL`, `CREATE` and so on.
    #[serde(rename = "type")]
    pub(crate) kind: String,
}

/// A call as the node records it, in the format of the `trace` namespace.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recorded {
    action: Action,
    result: Option<Returned>,
    error: Option<String>,
    /// Its index among the calls of each enclosing call, from the outermost.
    trace_address: Vec<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Action {
    from: Option<Address>,
    to: Option<Address>,
    gas: U64,
    value: Option<U256>,
    input: Bytes,
    call_type: Option<String>,
    /// Code that creates a contract.
    init: Option<Bytes>,
    creation_method: Option<String>,
    /// A destroyed contract, its balance, and who receives it.
    address: Option<Address>,
    balance: Option<U256>,
    refund_address: Option<Address>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Returned {
    gas_used: U64,
    output: Bytes,
    address: Option<Address>,
    code: Bytes,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Used {
    gas_used: U64,
}

impl From<Recorded> for Frame {
    fn from(recorded: Recorded) -> Self {
        let Recorded { action, result, error, .. } = recorded;
        let result = result.unwrap_or_default();
        let error = error.map(|error| match error.as_str() {
            "Reverted" => "execution reverted".to_owned(),
            other => other.to_lowercase(),
        });
        let frame = Self {
            from: action.from.unwrap_or_default(),
            gas: action.gas,
            gas_used: result.gas_used,
            error,
            value: action.value,
            ..Self::default()
        };
        if let Some(init) = action.init {
            let kind = action.creation_method.unwrap_or_else(|| "create".to_owned()).to_uppercase();
            let output = if result.code.is_empty() { result.output } else { result.code };
            return Self { kind, input: init, to: result.address, output, ..frame };
        }
        if let Some(destroyed) = action.address {
            let (to, value) = (action.refund_address, action.balance);
            return Self { kind: "SELFDESTRUCT".to_owned(), from: destroyed, to, value, ..frame };
        }
        let kind = action.call_type.unwrap_or_else(|| "call".to_owned()).to_uppercase();
        let value = frame.value.filter(|_| kind != "STATICCALL");
        Self { kind, to: action.to, input: action.input, output: result.output, value, ..frame }
    }
}

impl Frame {
    /// The contract's error, if it failed with a known one.
    pub(crate) fn revert(&self) -> Option<Named> {
        self.error.as_ref().and_then(|_| decode::error(&self.output))
    }

    /// The reason for the failure, in words: the contract's error, or else the node's message.
    pub(crate) fn failure(&self) -> Option<String> {
        let error = self.error.as_ref()?;
        Some(if self.output.is_empty() { error.clone() } else { decode::error_text(&self.output) })
    }
}

#[derive(Deserialize)]
struct Answer {
    /// A refusal has none.
    #[serde(default)]
    result: Option<Vec<Recorded>>,
}

impl Chain {
    /// The outermost call of a transaction; `None` if this node has not mined it, as with the market's blocks, which are loaded without
    /// traces. It is read as recorded when mined, so it needs no state of an earlier block, of which a node keeps few. A trace may be far
    /// larger than the transaction: only one is read at a time, none that is larger than the limit or may have too many calls, and the wait
    /// for others counts.
    pub(crate) async fn trace(&self, transaction: B256) -> Result<Option<Frame>, ChainError> {
        let traced = async {
            let _turn = self.inner.tracing.lock().await;
            let used: Option<Used> = self.ask("eth_getTransactionReceipt", (transaction,)).await?;
            let Some(used) = used else { return Ok(None) };
            if used.gas_used > U64::from(TRACED_GAS) {
                let source = TransportErrorKind::custom_str("the transaction used too much gas for a trace");
                return Err(self.failed(TRACE, source));
            }
            // The record leaves out the transaction's own cost.
            let outermost = outermost(self.recorded(transaction).await?);
            Ok(outermost.map(|frame| Frame { gas_used: used.gas_used, ..frame }))
        };
        let Some(limit) = self.inner.limit else { return traced.await };
        let silent = ChainError::Silent { chain_id: self.id(), method: TRACE };
        timeout(limit, traced).await.unwrap_or(Err(silent))
    }

    /// Reads the recorded calls and adds the call of the node to the record of the current request.
    async fn recorded(&self, transaction: B256) -> Result<Vec<Recorded>, ChainError> {
        let (params, start) = (json!([transaction]), Instant::now());
        let begun = NodeCall::begun(self.id(), TRACE, &params.to_string());
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": TRACE, "params": params });
        let answer = self.bounded(body.to_string()).await;
        if let Some(calls) = NodeCalls::here() {
            let microseconds = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
            let error = answer.as_ref().err().map(ToString::to_string);
            calls.add(NodeCall { microseconds, ..begun }, error.as_deref());
        }
        Ok(answer?.result.unwrap_or_default())
    }

    async fn bounded(&self, body: String) -> Result<Answer, ChainError> {
        let failed = |error| self.failed(TRACE, TransportErrorKind::custom(error));
        let too_large = || self.failed(TRACE, TransportErrorKind::custom_str("the trace is too large"));
        let rpc_url = || self.inner.rpc_url.clone();
        let url: Url =
            rpc_url().parse().map_err(|_| ChainError::Address { chain_id: self.id(), rpc_url: rpc_url() })?;
        let client = slipway_contracts::http_client(&url).build();
        let client = client.map_err(|source| ChainError::Client { chain_id: self.id(), source })?;
        let sent = client.post(url).header(CONTENT_TYPE, "application/json").body(body).send();
        let mut answer = sent.await.map_err(failed)?;
        let mut text = Vec::new();
        let limit = TRACE_LIMIT as u64;
        if answer.content_length().is_some_and(|length| length > limit) {
            return Err(too_large());
        }
        while let Some(part) = answer.chunk().await.map_err(failed)? {
            if text.len() + part.len() > TRACE_LIMIT {
                return Err(too_large());
            }
            text.extend_from_slice(&part);
        }
        serde_json::from_slice(&text).map_err(|error| self.failed(TRACE, TransportErrorKind::custom(error)))
    }
}

/// The outermost of the recorded calls, which are in the order in which they began.
fn outermost(recorded: Vec<Recorded>) -> Option<Frame> {
    let mut recorded = recorded.into_iter();
    let mut outermost = Frame::from(recorded.next()?);
    for call in recorded {
        let (_, around) = call.trace_address.split_last()?;
        let mut parent = &mut outermost;
        for place in around {
            parent = parent.calls.get_mut(*place)?;
        }
        parent.calls.push(call.into());
    }
    Some(outermost)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use alloy::primitives::{B256, hex};
    use alloy::providers::mock::Asserter;
    use alloy::providers::{Provider as _, ProviderBuilder};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::{Chain, ChainError, Frame, TRACE_LIMIT};

    /// The trace from a node that answers every request with this text, or with nothing if it is empty.
    async fn traced(answer: String) -> Result<Option<Frame>, ChainError> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let node = tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut request = [0; 4096];
            assert!(socket.read(&mut request).await.unwrap() > 0);
            // The reader may stop before the end.
            drop(socket.write_all(answer.as_bytes()).await);
            if answer.is_empty() {
                std::future::pending::<()>().await;
            }
        });
        let others = Asserter::new();
        others.push_success(&serde_json::json!({ "gasUsed": "0x7" }));
        let provider = ProviderBuilder::default().connect_mocked_client(others).erased();
        let chain = Chain::over(7, &url, provider, Some(Duration::from_secs(2)));
        let traced = chain.trace(B256::ZERO).await;
        node.abort();
        traced
    }

    #[tokio::test]
    async fn traces_are_bounded_in_size_and_time() {
        let call = r#"{"action":{"gas":"0x0","input":"0x"},"result":null,"traceAddress":[]}"#;
        let whole = format!(r#"{{"jsonrpc":"2.0","id":0,"result":[{call}]}}"#);
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
        let stated = |length| format!("{head}content-length: {length}\r\n\r\n");
        let frame = traced(format!("{}{whole}", stated(whole.len()))).await.unwrap().unwrap();
        assert_eq!(frame.gas_used, alloy::primitives::U64::from(7));
        let refusal = r#"{"error":{"code":1,"message":"no"}}"#;
        assert!(traced(format!("{}{refusal}", stated(refusal.len()))).await.unwrap().is_none());
        let padded = |length: usize| format!("{head}\r\n{whole}{}", " ".repeat(length - whole.len()));
        assert!(traced(padded(TRACE_LIMIT)).await.unwrap().is_some());
        for answer in [stated(TRACE_LIMIT + 1), padded(TRACE_LIMIT + 1)] {
            let error = traced(answer).await.unwrap_err();
            assert!(error.to_string().contains("the trace is too large"), "{error}");
        }
        assert!(matches!(traced(String::new()).await, Err(ChainError::Silent { chain_id: 7, .. })));
    }

    #[test]
    fn failures_are_told_by_the_contracts_error_and_else_in_the_nodes_words() {
        let raise = hex!("05232efc").to_vec();
        for (error, output, words, name) in [
            (Some("execution reverted"), raise.clone(), Some("RaiseOutOfRange()"), Some("RaiseOutOfRange")),
            (Some("out of gas"), Vec::new(), Some("out of gas"), None),
            (Some("execution reverted"), vec![1, 2, 3, 4], Some("custom error 0x01020304"), None),
            // Data returned by a successful call is no error, whatever it looks like.
            (None, raise, None, None),
        ] {
            let frame = Frame {
                kind: "CALL".into(),
                output: output.into(),
                error: error.map(str::to_owned),
                ..Frame::default()
            };
            assert_eq!(frame.failure().as_deref(), words);
            assert_eq!(frame.revert().map(|error| error.name).as_deref(), name);
        }
    }
}
