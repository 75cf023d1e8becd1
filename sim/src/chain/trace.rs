//! The calls of a mined transaction, as the node traces them.
use alloy::primitives::{Address, B256, Bytes, U64, U256};
use serde_json::json;

use super::{Chain, ChainError};

/// One call within a transaction, with the calls that it makes, in the format of the call tracer.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Frame {
    /// `CALL`, `DELEGATECALL`, `STATICCALL`, `CREATE` and so on.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The called contract, or the created one.
    pub(crate) to: Option<Address>,
    #[serde(default)]
    pub(crate) value: Option<U256>,
    #[serde(default)]
    pub(crate) gas_used: U64,
    #[serde(default)]
    pub(crate) input: Bytes,
    #[serde(default)]
    pub(crate) output: Bytes,
    /// Why it failed; the call was then undone.
    pub(crate) error: Option<String>,
    #[serde(default)]
    pub(crate) calls: Vec<Frame>,
}

impl Chain {
    /// The outermost call of a transaction, or none where the node no longer has the state before its block. A trace may be far larger
    /// than the transaction, so one is read at a time.
    pub(crate) async fn trace(&self, transaction: B256) -> Result<Option<Frame>, ChainError> {
        let _turn = self.inner.tracing.lock().await;
        let tracer = json!({ "tracer": "callTracer" });
        match self.ask("debug_traceTransaction", (transaction, tracer)).await {
            Ok(frame) => Ok(Some(frame)),
            Err(error) if error.refusal().is_some() => Ok(None),
            Err(error) => Err(error),
        }
    }
}
