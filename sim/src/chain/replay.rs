//! Records what happened on a chain in a form that another node can replay to the same blocks.
use std::ops::Range;

use alloy::eips::eip2718::Encodable2718 as _;
use alloy::primitives::{Address, B256, Bytes, U64, U256};
use alloy::providers::Provider as _;
use alloy::rpc::types::{Transaction, TransactionRequest};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::gas::SET_NEXT_FEE;
use super::{Chain, ChainError, NO_PARAMS, PaceChange};

/// A block with its transactions.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Played {
    pub(crate) number: u64,
    pub(crate) hash: B256,
    pub(crate) timestamp: u64,
    /// Wei for a unit of gas; unknown in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) base_fee: Option<U256>,
    pub(crate) transactions: Vec<Sent>,
    /// The hashes of the transactions; empty in a journal, which does not need them.
    #[serde(skip)]
    pub(crate) hashes: Vec<B256>,
}

/// A transaction as a caller sent it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sent {
    /// Signed.
    Raw(Bytes),
    /// Unsigned, on behalf of an account that the node impersonates.
    For(Box<TransactionRequest>),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireBlock {
    number: U64,
    hash: B256,
    timestamp: U64,
    base_fee_per_gas: Option<U256>,
    transactions: Vec<Transaction>,
}

#[derive(Debug, Deserialize)]
struct Mined {
    hash: B256,
}

impl From<Transaction> for Sent {
    fn from(transaction: Transaction) -> Self {
        // A node signs the transactions of an impersonated account with zeros.
        if transaction.inner.signature().r().is_zero() {
            let from = transaction.inner.signer();
            Self::For(Box::new(transaction.into_request().from(from)))
        } else {
            Self::Raw(transaction.inner.encoded_2718().into())
        }
    }
}

impl Chain {
    /// The blocks with these numbers and their transactions; an error if the chain lacks one.
    pub(crate) async fn played(&self, numbers: Range<u64>) -> Result<Vec<Played>, ChainError> {
        let blocks: Vec<WireBlock> = self.numbered(numbers, true).await?;
        let played = blocks.into_iter().map(|block| Played {
            number: block.number.to(),
            hash: block.hash,
            timestamp: block.timestamp.to(),
            base_fee: block.base_fee_per_gas,
            hashes: block.transactions.iter().map(|transaction| *transaction.inner.tx_hash()).collect(),
            transactions: block.transactions.into_iter().map(Sent::from).collect(),
        });
        Ok(played.collect())
    }

    /// A transaction that the node has accepted but not mined.
    pub(crate) async fn waiting(&self, hash: B256) -> Result<Option<Sent>, ChainError> {
        let found: Option<Transaction> = self.ask("eth_getTransactionByHash", (hash,)).await?;
        Ok(found.filter(|transaction| transaction.block_number.is_none()).map(Sent::from))
    }

    /// Mines a block again, while nothing else is mined; `stands` is the time at which the node's clock is stopped.
    pub(crate) async fn play(&self, block: &Played, stands: &mut Option<u64>) -> Result<(), ChainError> {
        if *stands != Some(block.timestamp) {
            self.stand_at(block.timestamp).await?;
            *stands = Some(block.timestamp);
        }
        if let Some(fee) = block.base_fee {
            self.set_next_fee(fee).await?;
        }
        for transaction in &block.transactions {
            self.send_again(transaction).await?;
        }
        let mined: Vec<Mined> = self.ask("evm_mine_detailed", NO_PARAMS).await?;
        let found = mined.last().map(|mined| mined.hash).unwrap_or_default();
        if found == block.hash {
            Ok(())
        } else {
            Err(ChainError::OtherBlock { chain_id: self.id(), number: block.number, found })
        }
    }

    /// Sends a transaction again, in the form in which it was sent.
    pub(crate) async fn send_again(&self, transaction: &Sent) -> Result<(), ChainError> {
        match transaction {
            Sent::Raw(raw) => {
                let _: B256 = self.ask("eth_sendRawTransaction", (raw,)).await?;
            }
            Sent::For(request) => {
                let from: Address = request.from.unwrap_or_default();
                let _: Value = self.ask("anvil_impersonateAccount", (from,)).await?;
                let sent: Result<B256, _> = self.ask("eth_sendTransaction", (request,)).await;
                let _: Value = self.ask("anvil_stopImpersonatingAccount", (from,)).await?;
                sent?;
            }
        }
        Ok(())
    }

    /// The call that gives another node the base fee of this one's next block. After a rollback, that fee may not follow from the latest
    /// block.
    pub(crate) async fn next_base_fee(&self) -> Result<RepeatedCall, ChainError> {
        let params = to_raw_value(&[self.next_fee().await?]).expect("a list of a text is JSON");
        Ok(RepeatedCall { method: SET_NEXT_FEE.to_owned(), params: Some(params) })
    }

    /// Repeats a caller's call.
    pub(crate) async fn call_again(&self, call: &RepeatedCall) -> Result<(), ChainError> {
        let _change = self.change();
        let mut params =
            call.params.clone().unwrap_or_else(|| to_raw_value(&[(); 0]).expect("an empty list is JSON"));
        let change = PaceChange::by(call);
        if let Some(PaceChange::Ordered(_)) = change {
            params = to_raw_value(&PaceChange::UNPACED).expect("a list of numbers is JSON");
        }
        let answer = self.inner.provider.client().request::<_, Value>(call.method.clone(), params).await;
        answer.map_err(|source| self.failed("a call of the journal", source))?;
        if let Some(change) = change {
            self.change_pace(change);
        }
        Ok(())
    }
}

/// A call that changes a node without a block.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct RepeatedCall {
    pub(crate) method: String,
    pub(crate) params: Option<Box<RawValue>>,
}

impl RepeatedCall {
    /// Bytes of its parameters.
    pub(super) fn length(&self) -> usize {
        self.params.as_ref().map_or(0, |params| params.get().len())
    }
}
