//! The hook holds what it owes, and tokens are neither created nor lost.
use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_traits::Zero;

use super::launch_fixture::{LaunchFixture, Launched, plain_launch};
use crate::client::wire::{LaunchHook, Token};
use crate::prelude::*;
use crate::truth::ledger::exchange::all_at;
use crate::truth::reference::curve::total_supply;
use crate::truth::reference::integer;

/// Most launches whose debts are added up; a target with more is not tested.
const MOST_LAUNCHES: u64 = 2_000;

clause! {
    CH_SOLVENT = "CH-SOLVENT" (choice S296): "The hook always holds what it owes; what it holds beyond that was forced into it and stays.";
    check!("chain-hook-solvent" [Exclusive; LaunchHook, PrimaryChain, Accounts] hook_stays_solvent:
        "every kind of step moves what the hook holds by exactly what it moves of its debts, and no token is made or lost");
}
pub(super) async fn hook_stays_solvent(trial: &Trial<'_>) -> Verdict {
    let fixture = LaunchFixture::open(trial, PRIMARY).await?;
    let mut choices = trial.choices("solvent");
    let creator = trial.account(PRIMARY, &mut choices, ether(2)).await?;
    let trader = trial.account(PRIMARY, &mut choices, ether(3)).await?;
    let params = plain_launch(&mut choices, ether(1), 60_000, 2_500);
    let surplus = surplus(&fixture).await?;
    let launched = fixture.launch(&creator, &params, Some("solvent"), ether(1) / U256::from(8)).await?;
    tokens_are_conserved(&fixture, &launched, &[&creator, &trader]).await?;
    fixture.buy(&trader, launched.id, ether(1) / U256::from(4)).await?;
    keeps_its_surplus(&fixture, surplus).await?;
    let held = fixture.tokens_of(launched.token, trader.address()).await?;
    fixture.sell(&trader, &launched, held / U256::from(3)).await?;
    keeps_its_surplus(&fixture, surplus).await?;
    let buyback = LaunchHook::executeAccumulatedBuybackCall { launchId: launched.id };
    fixture.must_mine(&trader, U256::ZERO, &buyback).await?;
    keeps_its_surplus(&fixture, surplus).await?;
    tokens_are_conserved(&fixture, &launched, &[&creator, &trader]).await?;
    let call = LaunchHook::withdrawFeesCall {};
    fixture.must_mine(&creator, U256::ZERO, &call).await?;
    keeps_its_surplus(&fixture, surplus).await?;
    fixture.buy(&trader, launched.id, ether(2)).await?;
    keeps_its_surplus(&fixture, surplus).await?;
    tokens_are_conserved(&fixture, &launched, &[&creator, &trader]).await
}

/// No step changes the hook's surplus over its debts.
async fn keeps_its_surplus(fixture: &LaunchFixture<'_>, before: U256) -> Verdict {
    let after = surplus(fixture).await?;
    let reproduce = format!("cast balance --rpc-url '{}' {}", fixture.chain.url(), fixture.hook);
    let expected = format!("after each step the hook holds {before} wei more than it owes, as before");
    fixture.require_or(&reproduce, after == before, &expected, || format!("{after} wei more"))
}

/// Returns the hook's balance, after one block, beyond contributions of open launches, withdrawable fees and buybacks. It may be positive,
/// because anyone can force ether into a contract.
async fn surplus(fixture: &LaunchFixture<'_>) -> Verdict<U256> {
    let block = fixture.chain.head().await?.header.number;
    let count: u64 = fixture.read(&LaunchHook::launchCountCall {}).await?.saturating_to();
    need_material(count <= MOST_LAUNCHES, format!("adding up {count} launches would take too long"))?;
    let ids = || (1..=count).map(U256::from);
    let states = ids().map(|id| (fixture.hook, LaunchHook::getLaunchStateCall { launchId: id }));
    let states = all_at(fixture.chain, block, states).await?;
    let buybacks = ids().map(|id| (fixture.hook, LaunchHook::accumulatedBuybackCall { launchId: id }));
    let buybacks: U256 = all_at(fixture.chain, block, buybacks).await?.into_iter().sum();
    let mut accounts: BTreeSet<Address> = states.iter().map(|state| state.creator).collect();
    accounts.insert(fixture.read(&LaunchHook::protocolFeeRecipientCall {}).await?);
    let fees =
        accounts.into_iter().map(|account| (fixture.hook, LaunchHook::withdrawableFeesCall { account }));
    let fees: U256 = all_at(fixture.chain, block, fees).await?.into_iter().sum();
    let open = states.iter().filter(|state| !state.finalized);
    let contributions: U256 = open.map(|state| U256::from(state.netContributions)).sum();
    let owed = contributions + fees + buybacks;
    let held = fixture.chain.balance_at(fixture.hook, block).await?;
    if let Some(surplus) = held.checked_sub(owed) {
        return Ok(surplus);
    }
    let expected = format!(
        "after block {block} the hook holds at least {owed} wei: {contributions} contributed, {fees} fees, {buybacks} buybacks"
    );
    let reproduce =
        format!("cast balance --rpc-url '{}' --block {block} {}", fixture.chain.url(), fixture.hook);
    Err(fixture.failure(&reproduce, expected, format!("{held} wei")))
}

/// Traders, hook and pool hold the whole supply; sold tokens are with traders or burned.
async fn tokens_are_conserved(
    fixture: &LaunchFixture<'_>,
    launched: &Launched,
    traders: &[&Account],
) -> Verdict {
    let state = fixture.state(launched.id).await?;
    let supply = fixture.read_from(launched.token, &Token::totalSupplyCall {}).await?;
    let manager = fixture.read(&LaunchHook::poolManagerCall {}).await?;
    let (in_hook, in_pool) = (
        fixture.tokens_of(launched.token, fixture.hook).await?,
        fixture.tokens_of(launched.token, manager).await?,
    );
    let mut with_traders = U256::ZERO;
    for trader in traders {
        with_traders += fixture.tokens_of(launched.token, trader.address()).await?;
    }
    let whole = total_supply();
    let unsold = if state.finalized { BigInt::zero() } else { &whole - BigInt::from(state.sold) };
    let figures = [
        ("supply, added up", integer(supply), integer(in_hook + in_pool + with_traders)),
        ("tokens the hook keeps", unsold, integer(in_hook)),
    ];
    let call = Token::balanceOfCall { account: fixture.hook };
    fixture.agree(&fixture.cast(launched.token, None, U256::ZERO, &call), &figures)
}
