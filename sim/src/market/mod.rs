//! A deterministic market: launches, trades and an exchange on both chains, all from one seed, as real transactions.
mod accounts;
mod calls;
mod exchange;
mod opening;
mod plan;
mod rng;
mod run;
#[cfg(test)]
mod simulation;
mod size;
mod stocks;
mod v1;
mod words;

pub(crate) use calls::{ExchangeVenue, Venue};
pub(crate) use opening::TokenCodes;
pub(crate) use plan::DURATION;
use plan::LaunchOutcomes;
pub(crate) use run::{Market, MarketError};
pub use size::{MOST_LAUNCHES, MarketSize, ParseMarketSizeError};

/// Target of log events that show the progress of a first start to a waiting user.
pub(crate) const PROGRESS: &str = "slipway_sim::progress";
/// The step that makes the contracts and the market of both chains.
pub(crate) const STEP: &str = "contracts and market";

/// Part of the cache key: incremented whenever the same seed would produce another market.
pub(crate) const VERSION: u32 = 10;

/// The parts of a chain's market besides launches for the native coin.
#[derive(Clone, Copy, Debug)]
struct Scope {
    /// Number of quote assets that launches are also sold for.
    quote_assets: usize,
    has_v1: bool,
    has_exchange: bool,
    /// Whether launches happen at the same times as trades.
    shares_blocks: bool,
}

/// All steps on a chain in the two days up to `end`, Unix seconds, in order, and the swaps of its exchange.
fn schedule(
    seed: u64,
    chain_id: u64,
    outcomes: &LaunchOutcomes,
    end: u64,
    scope: Scope,
) -> (plan::Plan, Vec<exchange::PlannedSwap>) {
    let mut plan = plan::plan(seed, chain_id, outcomes, end, scope.shares_blocks);
    stocks::add(&mut plan, seed, scope.quote_assets);
    if scope.has_v1 {
        v1::add(&mut plan, seed);
    }
    let mut planned_swaps = Vec::new();
    if scope.has_exchange {
        let (swaps, steps) = exchange::swaps(seed, end);
        planned_swaps = swaps;
        plan.steps.extend(steps);
        plan.steps.sort_by_key(|step| step.at);
    }
    (plan, planned_swaps)
}

/// Ether in wei.
pub(crate) fn ether(whole: u64) -> alloy::primitives::U256 {
    exchange::units(whole, 18)
}
