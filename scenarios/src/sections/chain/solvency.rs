//! That the hook holds what it owes, and that no token is made or lost.
use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_traits::Zero;

use super::launch_fixture::{LaunchFixture, Launched, plain_launch};
use crate::ledger::exchange::all_at;
use crate::prelude::*;
use crate::reference::curve::total_supply;
use crate::reference::integer;
use crate::wire::{LaunchHook, Token};

/// Launches whose debts are added up at most; more than that is no target to try it on.
const MOST_LAUNCHES: u64 = 2_000;

clause! {
    CH_SOLVENT = "CH-SOLVENT" (choice S296): "The hook always holds what it owes; what it holds beyond that was forced into it and stays.";
    check!("chain-hook-solvent" [Exclusive; Rest, PrimaryChain, Accounts] hook_stays_solvent:
        "every kind of step moves what the hook holds by exactly what it moves of its debts, and no token is made or lost");
}
pub(super) async fn hook_stays_solvent(trial: &Trial<'_>) -> Verdict {
    let pad = LaunchFixture::open(trial, PRIMARY).await?;
    let mut choices = trial.choices("solvent");
    let creator = trial.account(PRIMARY, &mut choices, ether(2)).await?;
    let trader = trial.account(PRIMARY, &mut choices, ether(3)).await?;
    let params = plain_launch(&mut choices, ether(1), 60_000, 2_500);
    let surplus = surplus(&pad).await?;
    let launched = pad.launch(&creator, &params, Some("solvent"), ether(1) / U256::from(8)).await?;
    tokens_are_conserved(&pad, &launched, &[&creator, &trader]).await?;
    pad.buy(&trader, launched.id, ether(1) / U256::from(4)).await?;
    keeps_its_surplus(&pad, surplus).await?;
    let held = pad.tokens_of(launched.token, trader.address()).await?;
    pad.sell(&trader, &launched, held / U256::from(3)).await?;
    keeps_its_surplus(&pad, surplus).await?;
    let buyback = LaunchHook::executeAccumulatedBuybackCall { launchId: launched.id };
    pad.must_mine(&trader, U256::ZERO, &buyback).await?;
    keeps_its_surplus(&pad, surplus).await?;
    tokens_are_conserved(&pad, &launched, &[&creator, &trader]).await?;
    let call = LaunchHook::withdrawFeesCall {};
    pad.must_mine(&creator, U256::ZERO, &call).await?;
    keeps_its_surplus(&pad, surplus).await?;
    pad.buy(&trader, launched.id, ether(2)).await?;
    keeps_its_surplus(&pad, surplus).await?;
    tokens_are_conserved(&pad, &launched, &[&creator, &trader]).await
}

/// No step changes what the hook holds beyond its debts.
async fn keeps_its_surplus(pad: &LaunchFixture<'_>, before: U256) -> Verdict {
    let after = surplus(pad).await?;
    let reproduce = format!("cast balance --rpc-url '{}' {}", pad.chain.url(), pad.hook);
    let expected = format!("after each step the hook holds {before} wei more than it owes, as before");
    pad.require_or(&reproduce, after == before, &expected, || format!("{after} wei more"))
}

/// What the hook holds beyond contributions of open launches, fees to withdraw and buybacks, after one block. Anyone can force ether into
/// a contract, so that there may be some.
async fn surplus(pad: &LaunchFixture<'_>) -> Verdict<U256> {
    let block = pad.chain.head().await?.header.number;
    let count: u64 = pad.read(&LaunchHook::launchCountCall {}).await?.saturating_to();
    need_material(count <= MOST_LAUNCHES, format!("adding up {count} launches would take too long"))?;
    let ids = || (1..=count).map(U256::from);
    let states = ids().map(|id| (pad.hook, LaunchHook::getLaunchStateCall { launchId: id }));
    let states = all_at(pad.chain, block, states).await?;
    let buybacks = ids().map(|id| (pad.hook, LaunchHook::accumulatedBuybackCall { launchId: id }));
    let buybacks: U256 = all_at(pad.chain, block, buybacks).await?.into_iter().sum();
    let mut accounts: BTreeSet<Address> = states.iter().map(|state| state.creator).collect();
    accounts.insert(pad.read(&LaunchHook::protocolFeeRecipientCall {}).await?);
    let fees = accounts.into_iter().map(|account| (pad.hook, LaunchHook::withdrawableFeesCall { account }));
    let fees: U256 = all_at(pad.chain, block, fees).await?.into_iter().sum();
    let open = states.iter().filter(|state| !state.finalized);
    let contributions: U256 = open.map(|state| U256::from(state.netContributions)).sum();
    let owed = contributions + fees + buybacks;
    let held = pad.chain.balance_at(pad.hook, block).await?;
    if let Some(surplus) = held.checked_sub(owed) {
        return Ok(surplus);
    }
    let expected = format!(
        "after block {block} the hook holds at least {owed} wei: {contributions} contributed, {fees} fees, {buybacks} buybacks"
    );
    let reproduce = format!("cast balance --rpc-url '{}' --block {block} {}", pad.chain.url(), pad.hook);
    Err(pad.failure(&reproduce, expected, format!("{held} wei")))
}

/// The supply is what the traders, the hook and the pool hold; the sold ones are with traders or burned.
async fn tokens_are_conserved(pad: &LaunchFixture<'_>, launched: &Launched, traders: &[&Account]) -> Verdict {
    let state = pad.state(launched.id).await?;
    let supply = pad.read_from(launched.token, &Token::totalSupplyCall {}).await?;
    let manager = pad.read(&LaunchHook::poolManagerCall {}).await?;
    let (in_hook, in_pool) =
        (pad.tokens_of(launched.token, pad.hook).await?, pad.tokens_of(launched.token, manager).await?);
    let mut with_traders = U256::ZERO;
    for trader in traders {
        with_traders += pad.tokens_of(launched.token, trader.address()).await?;
    }
    let whole = total_supply();
    let unsold = if state.finalized { BigInt::zero() } else { &whole - BigInt::from(state.sold) };
    let figures = [
        ("supply, added up", integer(supply), integer(in_hook + in_pool + with_traders)),
        ("tokens the hook keeps", unsold, integer(in_hook)),
    ];
    let call = Token::balanceOfCall { account: pad.hook };
    pad.agree(&pad.cast(launched.token, None, U256::ZERO, &call), &figures)
}
