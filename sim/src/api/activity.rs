//! What happens, as it happens: answered requests, orders of the control plane, and mined transactions, for whoever follows it.
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use alloy::primitives::{Address, B256};
use serde::Serialize;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::explain::{Call, Event, Explained};
use super::{Api, ChainError};
use crate::address;
use crate::journal::Entry;

/// What is not read yet; more is dropped, so that a terminal that stands still stops nothing.
const UNREAD: usize = 1_000;
/// Blocks that are told after a pause; those before them are left out.
const MOST_BLOCKS: u64 = 100;

/// Something that happened.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Activity {
    /// A request to a service was answered, or an order of the control plane was carried out.
    Request(Answered),
    /// A transaction was mined.
    Transaction(Box<Mined>),
}

/// An answered request.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answered {
    /// The platform's time, Unix seconds.
    pub at: u64,
    /// `rest`, `swap` or `control`.
    pub service: &'static str,
    /// The method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// The status.
    pub status: u16,
    /// The rule that refused; absent when the request was served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<&'static str>,
    /// How long it took, by the host's clock.
    pub microseconds: u64,
}

/// A mined transaction.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mined {
    /// The chain.
    pub chain_id: u64,
    /// The number of its block.
    pub block: u64,
    /// Its hash.
    pub hash: B256,
    /// Who sent it.
    #[serde(serialize_with = "address::checksummed")]
    pub from: Address,
    /// The function; `payment` or `create` where none is called, and the selector of one that is not known here.
    pub function: String,
    /// What the sender paid, in whole units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paid: Option<String>,
    /// What the sender got.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    /// Why it reverted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Where a follower listens; without one, nothing is told and nothing kept.
#[derive(Debug, Default)]
pub(crate) struct Follower(OnceLock<Sender<Activity>>);

impl Follower {
    /// Tells what a request was answered.
    pub(crate) fn answered(&self, entry: &Entry) {
        self.tell(|| {
            Activity::Request(Answered {
                at: entry.at,
                service: entry.service,
                method: entry.method.to_string(),
                target: entry.target.clone(),
                status: entry.status,
                cause: entry.cause,
                microseconds: entry.microseconds,
            })
        });
    }

    fn tell(&self, what: impl FnOnce() -> Activity) {
        if let Some(sender) = self.0.get() {
            // The follower is slow or gone.
            _ = sender.try_send(what());
        }
    }
}

impl Api {
    /// Follows what happens from now on; there is one follower.
    pub(crate) fn follow(self: &Arc<Self>) -> Receiver<Activity> {
        let (sender, receiver) = channel(UNREAD);
        if self.follower.0.set(sender).is_ok() {
            tokio::spawn(Arc::clone(self).follow_chains());
        }
        receiver
    }

    /// Tells the transactions of each block once it is indexed.
    async fn follow_chains(self: Arc<Self>) {
        let mut heights = self.engine.heights();
        let mut told: BTreeMap<u64, u64> = heights.borrow_and_update().clone();
        while heights.changed().await.is_ok() {
            let now = heights.borrow_and_update().clone();
            for (&chain_id, &height) in &now {
                let last = told.get(&chain_id).copied().unwrap_or(height);
                for number in (last + 1).max((height + 1).saturating_sub(MOST_BLOCKS))..=height {
                    if let Err(error) = self.tell_block(chain_id, number).await {
                        tracing::debug!(chain_id, number, %error, "a block is not told");
                    }
                }
            }
            told = now;
        }
    }

    async fn tell_block(&self, chain_id: u64, number: u64) -> Result<(), ChainError> {
        let Ok((chain, deployment)) = self.engine.chain(chain_id) else { return Ok(()) };
        for hash in chain.transactions(number).await? {
            if let Some(transaction) = self.explain_on(chain, deployment, hash, false).await? {
                self.follower.tell(|| Activity::Transaction(Box::new(Mined::of(&transaction))));
            }
        }
        Ok(())
    }
}

impl Mined {
    fn of(transaction: &Explained) -> Self {
        let call = transaction.calls.first();
        let (paid, got) = moved(transaction);
        Self {
            chain_id: transaction.chain_id,
            block: transaction.block,
            hash: transaction.hash,
            from: transaction.from,
            function: call.map_or_else(String::new, Call::name),
            paid,
            got,
            error: transaction.error.as_ref().map(|error| error.text.clone()),
        }
    }
}

/// What the sender paid and got: of a trade on a curve by its own event, of anything else by value and transfers.
fn moved(transaction: &Explained) -> (Option<String>, Option<String>) {
    let named = |names: [&str; 2]| {
        transaction
            .events
            .iter()
            .find(|event| event.name.as_deref().is_some_and(|name| names.contains(&name)))
    };
    if let Some(trade) = named(["Trade", "TokenTraded"]) {
        let [quote, tokens] = ["ethAmount", "tokenAmount"].map(|name| amount(trade, name));
        let is_buy = value(trade, "tradeType") == Some("0");
        return if is_buy { (quote, tokens) } else { (tokens, quote) };
    }
    let party = transaction.from.to_checksum(None);
    let transfer = |side: &str| {
        let mut transfers =
            transaction.events.iter().filter(|event| event.name.as_deref() == Some("Transfer"));
        transfers.find(|event| value(event, side) == Some(party.as_str()))
    };
    let sent = (transaction.value != "0 ETH").then(|| transaction.value.clone());
    let paid = sent.or_else(|| amount(transfer("from")?, "amount"));
    (paid, transfer("to").and_then(|event| amount(event, "amount")))
}

/// The value of an event's field, which may be one of a struct.
fn value<'a>(event: &'a Event, name: &str) -> Option<&'a str> {
    let is_it = |known: &str| known.rsplit('.').next() == Some(name);
    event.arguments.iter().find(|argument| is_it(&argument.name)).map(|argument| argument.value.as_str())
}

fn amount(event: &Event, name: &str) -> Option<String> {
    let is_it = |known: &str| known.rsplit('.').next() == Some(name);
    event.arguments.iter().find(|argument| is_it(&argument.name))?.amount.clone()
}
