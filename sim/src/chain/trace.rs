//! The calls of a mined transaction, as the node traces them.
use alloy::primitives::{Address, B256, Bytes, U64, U256};
use serde_json::json;
use slipway_contracts::decode::{self, Named};

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

impl Frame {
    /// The contract's error, if it failed with one that is known.
    pub(crate) fn revert(&self) -> Option<Named> {
        self.error.as_ref().and_then(|_| decode::error(&self.output))
    }

    /// Why it failed, in words: the contract's error, or the node's words where there is none.
    pub(crate) fn failure(&self) -> Option<String> {
        let error = self.error.as_ref()?;
        Some(if self.output.is_empty() { error.clone() } else { decode::error_text(&self.output) })
    }
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

#[cfg(test)]
mod tests {
    use alloy::primitives::hex;

    use super::Frame;

    #[test]
    fn failures_are_told_by_the_contracts_error_and_else_in_the_nodes_words() {
        let raise = hex!("05232efc").to_vec();
        for (error, output, words, name) in [
            (Some("execution reverted"), raise.clone(), Some("RaiseOutOfRange()"), Some("RaiseOutOfRange")),
            (Some("out of gas"), Vec::new(), Some("out of gas"), None),
            (Some("execution reverted"), vec![1, 2, 3, 4], Some("custom error 0x01020304"), None),
            // What a call returns is no error, whatever it looks like.
            (None, raise, None, None),
        ] {
            let frame = Frame {
                kind: "CALL".into(),
                to: None,
                value: None,
                gas_used: Default::default(),
                input: Default::default(),
                output: output.into(),
                error: error.map(str::to_owned),
                calls: Vec::new(),
            };
            assert_eq!(frame.failure().as_deref(), words);
            assert_eq!(frame.revert().map(|error| error.name).as_deref(), name);
        }
    }
}
