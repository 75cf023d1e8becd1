//! A deterministic market: launches, trades and an exchange on both chains, all from one seed, as real transactions.
mod accounts;
mod calls;
mod draw;
mod exchange;
mod opening;
mod plan;
mod run;
mod stocks;
mod v1;
mod words;

pub(crate) use calls::{ExchangeVenue, Venue};
pub(crate) use opening::TokenCodes;
pub(crate) use plan::{DURATION, LaunchOutcome, LaunchOutcomes};
pub(crate) use run::{Market, MarketError};

/// Part of the cache's key: raised whenever the same seed would give another market.
pub(crate) const VERSION: u32 = 5;

/// Ether in wei.
pub(crate) fn ether(whole: u64) -> alloy::primitives::U256 {
    exchange::units(whole, 18)
}
