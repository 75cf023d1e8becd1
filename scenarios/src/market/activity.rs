//! What was traded, by the ledger of the chains: the truth behind transaction counts and trends.
use std::collections::BTreeMap;

use alloy::primitives::Address;

use crate::check::{Stop, Verdict};
use crate::ledger::{Launch, Ledger};
use crate::steady::as_no_verdict;
use crate::trial::Trial;

/// When each token was traded; nothing is known of a token whose launch was not found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity {
    tokens: BTreeMap<Address, Traded>,
}

/// Unix seconds of trades.
#[derive(Clone, Debug, Default)]
struct Traded {
    sure: Vec<u64>,
    /// Swaps the hook made for itself, which may or may not count.
    doubtful: Vec<u64>,
}

impl Activity {
    /// Reads every chain whose RPC is known.
    pub(crate) async fn read(trial: &Trial<'_>) -> Verdict<Self> {
        let ledger = match Ledger::read(trial).await {
            Err(Stop::Skipped(_)) => Ledger::default(),
            other => other.map_err(as_no_verdict)?,
        };
        let tokens = ledger.launches.values().filter_map(|launch| Some((launch.token, traded(launch)?)));
        Ok(Self { tokens: tokens.collect() })
    }

    /// How many transactions a token has had: at least, and at most.
    pub(crate) fn transactions(&self, token: &Address) -> (u64, u64) {
        self.within(token, 0, 0)
    }

    /// How many lie after a moment: surely after `late`, possibly from `early` on.
    pub(crate) fn within(&self, token: &Address, early: u64, late: u64) -> (u64, u64) {
        let Some(traded) = self.tokens.get(token) else {
            return (0, u64::MAX);
        };
        let count = |times: &[u64], from: u64| {
            u64::try_from(times.iter().filter(|time| **time >= from).count()).unwrap_or(u64::MAX)
        };
        let sure = count(&traded.sure, late);
        (sure, count(&traded.sure, early) + count(&traded.doubtful, early))
    }

    pub(crate) fn knows(&self, token: &Address) -> bool {
        self.tokens.contains_key(token)
    }
}

/// When a token was traded; none where the swaps in its pool cannot be seen.
fn traded(launch: &Launch) -> Option<Traded> {
    let doubtful = launch.own_swaps.clone()?;
    Some(Traded { sure: launch.trades.iter().map(|trade| trade.at.time).collect(), doubtful })
}
