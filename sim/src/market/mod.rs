//! A deterministic market: launches, trades and an exchange on both chains, all from one seed, as real transactions.
mod calls;
mod cast;
mod draw;
mod exchange;
mod first_version;
mod opening;
mod plan;
mod run;
mod stocks;
mod words;

pub(crate) use calls::{ExchangeVenue, Venue};
pub(crate) use opening::TokenCodes;
pub(crate) use plan::{DURATION, Fate, Fates};
pub(crate) use run::{Market, MarketError};

/// Part of the cache's key: raised whenever the same seed would give another market.
pub(crate) const VERSION: u32 = 5;

/// Ether in wei.
pub(crate) fn ether(whole: u64) -> alloy::primitives::U256 {
    exchange::units(whole, 18)
}
