//! Announces mined transactions: each once its block is indexed, with what its sender paid and received, or why it reverted.
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::mpsc::Receiver;
use tokio::sync::watch;

use super::Api;
use super::explain::{Call, Event, Explained, less};
use super::status::Heights;
use crate::chain::ChainError;
use crate::engine::Engine;

// Shown by the services, which import it from here.
pub(crate) use crate::activity::{Activity, Change, LinePart, Mined, Subject, Tone};

/// Maximum number of blocks of a chain announced at once; older ones are left out.
const MOST_BLOCKS: u64 = 100;

/// The position up to which the chains were announced: the one at the start, until somebody follows. Before that nothing is read from the
/// nodes.
#[derive(Debug)]
pub(super) struct Untold(Mutex<Option<Told>>);

#[derive(Debug)]
struct Told {
    /// The last announced block by chain id.
    blocks: Heights,
    /// Number of the last rollback.
    rewinds: u64,
}

impl Untold {
    pub(super) fn from_now(engine: &Engine) -> Self {
        let rewinds = engine.rewinds().last().map_or(0, |rewind| rewind.number);
        let blocks = engine.heights().borrow().clone();
        Self(Mutex::new(Some(Told { blocks, rewinds })))
    }
}

impl Api {
    /// Follows activities from now on; there is only one follower.
    pub(crate) fn follow(self: &Arc<Self>) -> Receiver<Activity> {
        let happens = self.engine.activities().follow();
        self.tell_chains();
        happens
    }

    /// Starts announcing the transactions since the start, then those of each block once it is indexed.
    pub(crate) fn tell_chains(self: &Arc<Self>) {
        let untold = self.untold.0.lock().take();
        if let Some(told) = untold {
            tokio::spawn(tell_blocks(Arc::downgrade(self), self.engine.heights(), told));
        }
    }

    async fn tell_block(&self, chain_id: u64, number: u64) -> Result<(), ChainError> {
        let Ok((chain, deployment)) = self.engine.chain(chain_id) else { return Ok(()) };
        let (at, transactions) = chain.transactions(number).await?;
        for hash in transactions {
            if let Some(transaction) = self.explain_on(chain, deployment, hash, false).await? {
                self.engine.activities().tell(Activity::Transaction(Box::new(mined(&transaction, at))));
            }
        }
        Ok(())
    }
}

async fn tell_blocks(api: Weak<Api>, mut heights: watch::Receiver<Heights>, mut told: Told) {
    loop {
        let Some(api) = api.upgrade() else { return };
        // Rollbacks are read first: a block from before one may then be announced twice, but none after it is missed.
        let seen = told.rewinds;
        for rewind in api.engine.rewinds().iter().filter(|rewind| rewind.number > seen) {
            let last = told.blocks.entry(rewind.chain_id).or_default();
            *last = (*last).min(rewind.kept.unwrap_or_default());
            told.rewinds = rewind.number;
        }
        let now = heights.borrow_and_update().clone();
        for (chain_id, height) in now {
            let last = told.blocks.entry(chain_id).or_default();
            let first = (*last + 1).max((height + 1).saturating_sub(MOST_BLOCKS));
            *last = height.max(*last);
            for number in first..=height {
                if let Err(error) = api.tell_block(chain_id, number).await {
                    tracing::debug!(chain_id, number, %error, "a block is not told");
                }
            }
        }
        // The platform must not be kept alive while waiting.
        drop(api);
        if heights.changed().await.is_err() {
            return;
        }
    }
}

fn mined(transaction: &Explained, at: u64) -> Mined {
    let call = transaction.calls.first();
    let (paid, got) = moved(transaction);
    Mined {
        at,
        chain_id: transaction.chain_id,
        block: transaction.block,
        hash: transaction.hash,
        from: transaction.from,
        function: call.map_or_else(String::new, Call::name),
        token: transaction.token,
        paid,
        got,
        error: transaction.error.as_ref().map(|error| error.text.clone()),
    }
}

/// What the sender paid and received: for a trade on a curve from its event, otherwise from value and transfers.
fn moved(transaction: &Explained) -> (Option<String>, Option<String>) {
    let named = |names: [&str; 2]| {
        transaction
            .events
            .iter()
            .find(|event| event.name.as_deref().is_some_and(|name| names.contains(&name)))
    };
    if let Some(trade) = named(["Trade", "TokenTraded"]) {
        let [quote, tokens, fee] = ["ethAmount", "tokenAmount", "fee"].map(|name| amount(trade, name));
        if value(trade, "tradeType") == Some("0") {
            return (quote, tokens);
        }
        // `ethAmount` includes the fee on both sides.
        return (tokens, quote.and_then(|gross| less(&gross, &fee?)));
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
