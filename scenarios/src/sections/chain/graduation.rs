//! The purchase that fills the curve, the pool that it opens, and the state of chain and service afterwards.
use alloy::primitives::aliases::{I24, U24};
use alloy::primitives::keccak256;
use alloy::rpc::types::TransactionReceipt;
use alloy::sol_types::SolValue;
use num_bigint::BigInt;
use num_traits::Zero;

use super::creation::chains;
use super::curve::bought;
use super::launch_fixture::{LaunchFixture, Launched, buy_call, events_of, reference, sell_call, wei};
use super::pool;
use crate::answers::reads::LIST;
use crate::client::chain::outcome_of;
use crate::client::wire::{CaptchaAuth, LaunchHook, PoolKey, Pools, Token};
use crate::model::shown::readable;
use crate::prelude::*;
use crate::sections::meaning::tokens::records_hold;
use crate::sections::token::TOKEN_FIELDS;
use crate::truth::reference::curve::total_supply;
use crate::truth::reference::integer;

/// The pool may miss one part in this many because of rounding.
const DUST: u64 = 1_000_000_000;

clause! {
    CH_GRADUATE = "CH-GRADUATE" (choice S5, S296):
        "The buy that fills the curve opens the pool at the curve's last price, refunds the rest and closes the curve.";
    check!("chain-graduation" [Write; LaunchHook, PrimaryChain, Accounts] filling_buy_opens_the_pool:
        "the filling buy opens the pool in its own transaction at the end price, refunding exactly, and curve calls get their own error then");
}
pub(super) async fn filling_buy_opens_the_pool(trial: &Trial<'_>) -> Verdict {
    for chain_id in chains(trial) {
        let fixture = LaunchFixture::open(trial, chain_id).await?;
        let mut choices = trial.choices(&format!("graduate-{chain_id}"));
        for (target, gain, excess) in
            [(ether(1), 0, U256::ZERO), (ether(5), 200_000, ether(1)), (ether(1), 60_000, U256::ONE)]
        {
            let trader = trial.account(chain_id, &mut choices, target + ether(3)).await?;
            let launched = fixture
                .launch_plain(&trader, &mut choices, (target, gain, 5_000), target / U256::from(3))
                .await?;
            trial.part(graduates(&fixture, &trader, &launched, excess).await)?;
            trial.part(curve_answers(&fixture, &trader, &launched, true).await)?;
        }
    }
    Ok(())
}

clause! {
    CH_AFTER = "CH-AFTER" (S5, S103, S296):
        "After graduation the curve refuses trades, the pool trades, and the service reports the token as graduated.";
    check!("chain-after-graduation" [Write; LaunchHook, PrimaryChain, Accounts] graduated_launch_trades_in_its_pool:
        "after graduation the curve is closed, the pool trades and the service reports both");
}
pub(super) async fn graduated_launch_trades_in_its_pool(trial: &Trial<'_>) -> Verdict {
    for chain_id in chains(trial) {
        let fixture = LaunchFixture::open(trial, chain_id).await?;
        let mut choices = trial.choices(&format!("after-{chain_id}"));
        let trader = trial.account(chain_id, &mut choices, ether(4)).await?;
        let launched =
            fixture.launch_plain(&trader, &mut choices, (ether(1), 60_000, 5_000), U256::ZERO).await?;
        curve_answers(&fixture, &trader, &launched, false).await?;
        let receipt = fixture.buy(&trader, launched.id, ether(2)).await?;
        curve_answers(&fixture, &trader, &launched, true).await?;
        pool::trades_both_ways(&fixture, &trader, &launched).await?;
        if !trial.has(Need::Rest) {
            trial.looks_at(["S5", "S296"]);
            continue;
        }
        let graduated = |body: &Value| body["is_graduated"] == true;
        let (response, body) = trial.token_after(chain_id, &receipt, launched.token, graduated).await?;
        let fields = trial.by(&TOKEN_FIELDS);
        fields.require_equal(&response, "is_graduated", &Some(true), &body["is_graduated"].as_bool())?;
        fields.require_equal(
            &response,
            "funding_progress",
            &Some(1.0),
            &body["funding_progress"].as_f64(),
        )?;
        for (status, listed) in [("live", true), ("funding", false)] {
            let query = [param("status", status), param("search", launched.token.to_string())];
            let (response, body) = trial.read_json(LIST, &query).await?;
            let found = body["tokens"].as_array().is_some_and(|tokens| !tokens.is_empty());
            trial.require_equal(&response, "the graduated token is listed", &listed, &found)?;
        }
        records_hold(trial, vec![launched.token]).await?;
    }
    Ok(())
}

async fn graduates(
    fixture: &LaunchFixture<'_>,
    trader: &Account,
    launched: &Launched,
    excess: U256,
) -> Verdict {
    let state = fixture.state(launched.id).await?;
    let (curve, position) = reference(&state);
    let rest = curve.buy(&position, &(&curve.target * 2)).cost;
    // Buys half of the rest, then simulates one wei less than what is left.
    let part = wei(&(&rest / 2));
    bought(fixture, trader, launched, part).await?;
    let (_, position) = reference(&fixture.state(launched.id).await?);
    let rest = curve.buy(&position, &(&curve.target * 2)).cost;
    let short = curve.buy(&position, &(&rest - 1));
    let call = buy_call(launched.id, CaptchaAuth::default());
    let short_of = wei(&(&rest - 1));
    let tokens = fixture.succeeds(trader.address(), short_of, &call, "a wei short of the target").await?;
    let reproduce = fixture.cast(fixture.hook, Some(trader.address()), short_of, &call);
    fixture.agree(&reproduce, &[("tokens a wei short of the target", short.tokens, integer(tokens))])?;
    let (expected, receipt) = bought(fixture, trader, launched, wei(&rest) + excess).await?;
    let reproduce = fixture.cast_receipt(receipt.transaction_hash);
    fixture.agree(&reproduce, &[("refund", integer(excess), expected.refund)])?;
    pool_is_open(fixture, launched, &receipt).await
}

/// Judges the pool that the final purchase opened: its key, price and both amounts.
async fn pool_is_open(
    fixture: &LaunchFixture<'_>,
    launched: &Launched,
    receipt: &TransactionReceipt,
) -> Verdict {
    let reproduce = fixture.cast_receipt(receipt.transaction_hash);
    let key = pool_key(fixture, launched.token).await?;
    let id = keccak256(key.abi_encode());
    let quote = if key.currency0 == launched.token { key.currency1 } else { key.currency0 };
    let finalized = fixture.only_event::<LaunchHook::LaunchFinalized>(receipt)?;
    let manager = fixture.read(&LaunchHook::poolManagerCall {}).await?;
    let opened = events_of::<Pools::Initialize>(manager, receipt);
    let state = fixture.state(launched.id).await?;
    let (curve, _) = reference(&state);
    let price = curve.opening_sqrt_price(launched.token < quote);
    let tokens = paid(launched.token, manager, receipt);
    let truths = [
        ("the launch is finalized", state.finalized),
        ("the state names the pool of the key", state.poolId == id),
        ("the event names the pool of the key", finalized.poolId == id),
        ("the manager opened that pool once", opened.len() == 1 && opened[0].id == id),
    ];
    truths.iter().try_for_each(|(what, holds)| {
        fixture.require_or(&reproduce, *holds, what, || {
            format!("pool {id}: {}, {}, {}", readable(&state), readable(&finalized), readable(&opened))
        })
    })?;
    let opening = opened.first().map(|opened| integer(opened.sqrtPriceX96.to())).unwrap_or_default();
    let figures = [
        ("square root of the opening price", price, opening),
        ("net contributions", curve.target.clone(), BigInt::from(state.netContributions)),
        ("tokens sold", curve.sale.clone(), BigInt::from(state.sold)),
        ("quote paid into the pool", integer(finalized.ethSeeded), integer(paid(quote, manager, receipt))),
        ("tokens paid into the pool", integer(finalized.tokensSeeded), integer(tokens)),
    ];
    fixture.agree(&reproduce, &figures)?;
    for (what, whole, seeded) in [
        ("quote", curve.target.clone(), integer(finalized.ethSeeded)),
        ("tokens", curve.liquidity(), integer(finalized.tokensSeeded)),
    ] {
        let dust = &whole - &seeded;
        let is_dust = dust >= BigInt::zero() && dust <= &whole / DUST + 1;
        let expected = format!("the pool is seeded with all {whole} of the {what} but dust");
        fixture.require_or(&reproduce, is_dust, &expected, || seeded.to_string())?;
    }
    let supply = fixture.read_from(launched.token, &Token::totalSupplyCall {}).await?;
    let burned = curve.liquidity() - integer(finalized.tokensSeeded);
    let in_hook = fixture.tokens_of(launched.token, fixture.hook).await?;
    let figures = [
        ("supply after the dust is burned", total_supply() - burned, integer(supply)),
        ("tokens left on the hook", BigInt::zero(), integer(in_hook)),
    ];
    fixture.agree(&reproduce, &figures)?;
    stranger_cannot_open(fixture, key).await
}

/// Only the hook can open pools with its address.
async fn stranger_cannot_open(fixture: &LaunchFixture<'_>, mut key: PoolKey) -> Verdict {
    let manager = fixture.read(&LaunchHook::poolManagerCall {}).await?;
    for (hooks, refused) in [(fixture.hook, true), (Address::ZERO, false)] {
        key.fee = U24::from(3_000);
        key.hooks = hooks;
        let call = Pools::initializeCall {
            key: key.clone(),
            sqrtPriceX96: alloy::primitives::aliases::U160::from(1) << 96,
        };
        let result = fixture.chain.call(manager, &call).await?;
        let outcome = if refused { "refused" } else { "taken" };
        let expected = format!("opening a pool with hook {hooks} is {outcome} for a stranger");
        let reproduce = fixture.cast(manager, None, U256::ZERO, &call);
        fixture.require_or(&reproduce, result.is_err() == refused, &expected, || outcome_of(&result))?;
    }
    Ok(())
}

/// Curve calls succeed before graduation, and revert with a specific error after it.
async fn curve_answers(
    fixture: &LaunchFixture<'_>,
    trader: &Account,
    launched: &Launched,
    closed: bool,
) -> Verdict {
    let (buy, value) = (buy_call(launched.id, CaptchaAuth::default()), ether(1) / U256::from(100));
    let sell = sell_call(launched.id, ether(1), U256::ZERO);
    let preview = LaunchHook::previewBuyCall { launchId: launched.id, ethIn: value };
    let from = trader.address();
    if closed {
        fixture.reverts::<_, LaunchHook::AlreadyFinalized>(from, value, &buy).await?;
        fixture.reverts::<_, LaunchHook::AlreadyFinalized>(from, U256::ZERO, &sell).await?;
        fixture.reverts::<_, LaunchHook::AlreadyFinalized>(from, U256::ZERO, &preview).await
    } else {
        let why = "the launch is open";
        fixture.succeeds(from, value, &buy, why).await?;
        fixture.succeeds(from, U256::ZERO, &preview, why).await.map(drop)
    }
}

/// Returns the key of a launch's pool.
pub(super) async fn pool_key(fixture: &LaunchFixture<'_>, token: Address) -> Verdict<PoolKey> {
    let quote = fixture.read(&LaunchHook::wethCall {}).await?;
    Ok(PoolKey {
        currency0: token.min(quote),
        currency1: token.max(quote),
        fee: U24::from(1_000),
        tickSpacing: I24::try_from(60).expect("60 has less than 24 bits"),
        hooks: fixture.hook,
    })
}

/// Returns the amount of a token that an account received in a transaction.
fn paid(token: Address, to: Address, receipt: &TransactionReceipt) -> U256 {
    let transfers = events_of::<Token::Transfer>(token, receipt).into_iter();
    transfers.filter(|event| event.to == to).map(|event| event.amount).sum()
}
