//! Trades from the ledger of the chains: the truth behind transaction counts and trends.
use alloy::primitives::Address;

use crate::model::verdict::{Stop, Verdict};
use crate::trial::Trial;
use crate::truth::ledger::{Launch, Ledger};
use crate::truth::steady::no_verdict_on;

/// The times of each token's trades, on every chain whose RPC is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity(Ledger);

impl Activity {
    pub(crate) async fn read(trial: &Trial<'_>) -> Verdict<Self> {
        match Ledger::read(trial).await {
            Err(Stop::Skipped(_)) => Ok(Self::default()),
            read => Ok(Self(read.map_err(no_verdict_on)?)),
        }
    }

    /// Returns the launch of a token and the times of the hook's own swaps, which may or may not count as trades; `None` if the launch was
    /// not found, or the swaps in its pool cannot be seen.
    fn launch(&self, token: Address) -> Option<(&Launch, &[u64])> {
        let launch = self.0.token(token)?;
        Some((launch, launch.own_swaps.as_ref()?))
    }

    /// Returns the lower and upper bound of a token's transactions.
    pub(crate) fn transactions(&self, token: Address) -> (u64, u64) {
        self.within(token, 0, 0)
    }

    /// Returns the bounds of the transactions after a moment: those after `late` count, those from `early` on may count.
    pub(crate) fn within(&self, token: Address, early: u64, late: u64) -> (u64, u64) {
        let Some((launch, doubtful)) = self.launch(token) else { return (0, u64::MAX) };
        let trades = |from: u64| launch.trades.iter().filter(|trade| trade.at.time >= from).count() as u64;
        let doubtful = doubtful.iter().filter(|time| **time >= early).count() as u64;
        (trades(late), trades(early) + doubtful)
    }

    pub(crate) fn knows(&self, token: Address) -> bool {
        self.launch(token).is_some()
    }
}
