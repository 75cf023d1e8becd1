//! The calls of a mined transaction, as the node recorded them when it mined it.
use alloy::primitives::{Address, B256, Bytes, U64, U256};
use serde::{Deserialize, Serialize};
use slipway_contracts::decode::{self, Named};

use super::{Chain, ChainError, TRACED_GAS};

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

impl Chain {
    /// The outermost call of a transaction; `None` if this node has not mined it, as with the market's blocks, which are loaded without
    /// traces, or if it used more gas than the node may trace. It is read as recorded when mined, so it needs no state of an earlier block, of which a node keeps few. A trace may be far
    /// larger than the transaction, so only one is read at a time.
    pub(crate) async fn trace(&self, transaction: B256) -> Result<Option<Frame>, ChainError> {
        let _turn = self.inner.tracing.lock().await;
        let used: Option<Used> = self.ask("eth_getTransactionReceipt", (transaction,)).await?;
        let Some(used) = used.filter(|used| used.gas_used <= U64::from(TRACED_GAS)) else { return Ok(None) };
        let recorded = match self.ask("trace_transaction", (transaction,)).await {
            Ok(recorded) => recorded,
            Err(error) if error.refusal().is_some() => None,
            Err(error) => return Err(error),
        };
        let recorded: Vec<Recorded> = recorded.unwrap_or_default();
        // The record leaves out the transaction's own cost.
        Ok(outermost(recorded).map(|frame| Frame { gas_used: used.gas_used, ..frame }))
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
    use alloy::primitives::hex;

    use super::Frame;

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
