//! A deterministic market: launches, trades and an exchange on both chains, all from one seed, as real transactions.
mod accounts;
mod calls;
mod check;
mod choice;
mod error;
mod exchange;
mod file;
pub(crate) mod living;
mod opening;
mod plan;
#[cfg(test)]
mod refused_tests;
mod rng;
mod run;
mod simulation;
#[cfg(test)]
mod simulation_tests;
mod stocks;
mod v1;
mod words;
mod written;

use std::collections::BTreeSet;

use accounts::Roster;
pub(crate) use accounts::{Account, Accounts};
pub(crate) use calls::{ExchangeVenue, Venue, params as launch_params};
pub use check::MOST_LAUNCHES;
pub use choice::{MarketPlan, ParseMarketError};
use error::At;
pub use error::PlanError;
use exchange::PlannedExchange;
pub use file::{
    AssetKind, AssetRow, AuctionDay, AuctionRow, ChatRow, DrawRow, LaunchOutcome, LaunchRow, LaunchVersion,
    MarketFile, PairRow, ReferralRow, TradeRow,
};
pub(crate) use opening::TokenCodes;
pub(crate) use plan::DURATION;
pub(crate) use plan::PlannedLaunch;
use plan::{CREATORS, Featured, Plan};
use run::PlannedReferrals;
pub(crate) use run::{Market, MarketError, Records, SeededMessage};
use slipway_contracts::deploy::quote_symbols;
use slipway_contracts::{ChainId, Span};
use v1::PlannedDay;

/// Target of log events that show the progress of a first start to a waiting user.
pub(crate) const PROGRESS: &str = "slipway_sim::progress";
/// The progress step that creates the contracts and the market of both chains.
pub(crate) const STEP: &str = "contracts and market";

/// Part of the cache key: incremented whenever the same seed would produce another market.
pub(crate) const VERSION: u32 = 13;

/// Gas limit for the transactions of one block; the node's block gas limit is above it.
const GAS_A_BLOCK: u64 = 25_000_000;
/// Gas limit per block of a large market: the node hashes its whole state for each block, so there should be few blocks.
const GAS_A_LARGE_BLOCK: u64 = 15_000_000_000;
/// A market with more launches is large.
const LARGE: usize = 420;

/// Everything that happens on a chain in the two days up to the market's end, in order.
#[derive(Debug)]
pub(crate) struct Schedule {
    plan: Plan,
    exchange: PlannedExchange,
    roster: Roster,
    referrals: PlannedReferrals,
    gas_a_block: u64,
}

/// Schedules the market of a chain that ends at `end`, Unix seconds; fails with the reason if the contracts would refuse part of it.
fn schedule(
    file: &MarketFile,
    shares_blocks: bool,
    seed: u64,
    chain: ChainId,
    end: u64,
) -> Result<Schedule, PlanError> {
    check::rows(file)?;
    let mut roster = Roster::new(&file.accounts);
    let mut plan = plan::plan(seed, chain.0, outcomes(file, chain.0), end, shares_blocks);
    let symbols = quote_symbols(chain);
    let quoted = file.draw.iter().filter(|row| row.chain() == chain.0).filter_map(|row| {
        let symbol = row.quote.as_deref()?;
        Some((symbols.iter().position(|known| *known == symbol)?, row))
    });
    stocks::add(&mut plan, seed, &quoted.collect::<Vec<_>>());
    for (index, row) in file.launch.iter().enumerate().filter(|(_, row)| row.chain() == chain.0) {
        written::add(&mut plan, &mut roster, &symbols, row, &check::of_launch(index, row))?;
    }
    let (mut exchange, mut referrals) = (PlannedExchange::default(), PlannedReferrals::default());
    if chain == ChainId::PRIMARY {
        let days = days(file, &plan, &mut roster)?;
        v1::add(&mut plan, seed, &days);
        exchange = PlannedExchange::of(file);
        plan.steps.extend(exchange.draw_swaps(seed, end, u64::from(file.swaps)));
        referrals = registered(file, &mut roster, end)?;
    }
    plan.steps.sort_by_key(|step| step.at);
    referrals.codes.extend(new_codes(&plan, &referrals));
    plan.messages.sort_by_key(|message| message.at);
    if roster.len() > check::MOST_ACCOUNTS {
        let reason =
            format!("it names {} accounts; there are at most {}", roster.len(), check::MOST_ACCOUNTS);
        return Err(At::file().wrong(reason));
    }
    simulation::play(file, &plan, &exchange)?;
    let is_large = shares_blocks || plan.launches.len() > LARGE;
    let gas_a_block = if is_large { GAS_A_LARGE_BLOCK } else { GAS_A_BLOCK };
    Ok(Schedule { plan, exchange, roster, referrals, gas_a_block })
}

/// The outcomes of the launches drawn for the native coin of a chain.
fn outcomes(file: &MarketFile, chain_id: u64) -> Vec<LaunchOutcome> {
    let native = file.draw.iter().filter(|row| row.chain() == chain_id && row.quote.is_none());
    native.flat_map(DrawRow::each).collect()
}

/// The days of the auction with the launches named for them.
fn days(file: &MarketFile, plan: &Plan, roster: &mut Roster) -> Result<Vec<PlannedDay>, PlanError> {
    let mut days = Vec::new();
    for (index, row) in file.auction.iter().enumerate() {
        let at = At::file().field("auction").index(index);
        let token = match &row.token {
            Some(ticker) => Some(featured(plan, ticker).map_err(|reason| at.field("token").wrong(reason))?),
            None => None,
        };
        let bidder = match &row.by {
            Some(name) => Some(written::named(roster, &at.field("by"), name)?),
            None => None,
        };
        days.push(PlannedDay { day: row.day, token, bidder });
    }
    Ok(days)
}

/// The only launch of the file with a ticker.
fn featured(plan: &Plan, ticker: &str) -> Result<Featured, String> {
    let written = plan.launches.iter().enumerate().filter(|(_, launch)| launch.row.is_some());
    let launches = written
        .filter(|(_, launch)| launch.metadata.ticker == ticker)
        .map(|(index, _)| Featured::Launch(index));
    let of_v1 = plan.v1.iter().enumerate().filter(|(_, token)| token.symbol == ticker);
    let found: Vec<Featured> = launches.chain(of_v1.map(|(index, _)| Featured::V1(index))).collect();
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(format!("no launch of chain {} in this file has the ticker {ticker:?}", ChainId::PRIMARY)),
        _ => Err(format!("several launches have the ticker {ticker:?}")),
    }
}

/// Referral codes and registrations: creators of drawn launches have codes, and so does every referrer.
fn registered(file: &MarketFile, roster: &mut Roster, end: u64) -> Result<PlannedReferrals, PlanError> {
    const DEFAULT: Span = Span::of_seconds(24 * 60 * 60);
    let mut referrals = PlannedReferrals::default();
    if file.draw.iter().any(|row| row.total() > 0) {
        referrals.codes.extend((0..CREATORS).map(Account::Creator));
    }
    for (index, row) in file.referral.iter().enumerate() {
        let at = At::file().field("referral").index(index);
        let account = written::named(roster, &at.field("account"), &row.account)?;
        let referrer = written::named(roster, &at.field("referrer"), &row.referrer)?;
        referrals.registered.push((account, referrer, end - row.age.unwrap_or(DEFAULT).seconds()));
    }
    Ok(referrals)
}

/// The accounts whose codes are used but not yet known.
fn new_codes(plan: &Plan, referrals: &PlannedReferrals) -> Vec<Account> {
    let of_launches = plan.launches.iter().filter_map(|launch| launch.referrer);
    let of_trades = plan.steps.iter().filter_map(|step| match step.action {
        plan::Action::Buy { referrer, .. } => referrer,
        _ => None,
    });
    let of_accounts = referrals.registered.iter().map(|(_, referrer, _)| *referrer);
    let mut known: BTreeSet<_> = referrals.codes.iter().copied().collect();
    of_launches.chain(of_trades).chain(of_accounts).filter(|account| known.insert(*account)).collect()
}

/// Ether in wei.
pub(crate) fn ether(whole: u64) -> alloy::primitives::U256 {
    exchange::units(whole, 18)
}
