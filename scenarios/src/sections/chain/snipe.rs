//! The protected time after a launch: who may trade in it, and when it ends.
use alloy::primitives::{B256, Bytes, U64};
use alloy::sol_types::{SolCall, SolError};

use super::creation::chains;
use super::launch_fixture::{LaunchFixture, Launched, buy_call, plain_launch};
use crate::client::chain::{RpcError, RpcResult, outcome_of};
use crate::client::wire::{CaptchaAuth, LaunchHook};
use crate::prelude::*;

type Required = LaunchHook::CaptchaRequired;
/// Seconds in which a trade requires a proof.
const PROTECTED: u32 = 60;

clause! {
    CH_SNIPE = "CH-SNIPE" (choice S296):
        "In the first seconds a trade needs the platform's authorisation; the creator's own first buy does not.";
    check!("chain-anti-snipe" [Write; LaunchHook, PrimaryChain, Accounts] protected_time_is_kept:
        "in the protected time a trade needs its own proof, the creator's first purchase does not");
}
pub(super) async fn protected_time_is_kept(trial: &Trial<'_>) -> Verdict {
    for chain_id in chains(trial) {
        let fixture = LaunchFixture::open(trial, chain_id).await?;
        let mut choices = trial.choices(&format!("snipe-{chain_id}"));
        let creator = trial.account(chain_id, &mut choices, ether(2)).await?;
        let trader = trial.account(chain_id, &mut choices, ether(2)).await?;
        let mut params = plain_launch(&mut choices, ether(2), 60_000, 5_000);
        params.antiSnipeDuration = PROTECTED;
        // The first purchase is part of the creation and needs no proof.
        let launched = fixture.launch(&creator, &params, None, ether(1) / U256::from(4)).await?;
        let opened = fixture.chain.time_of(&launched.receipt).await?;
        // Within the window, anything but a proof of the platform's signer is refused.
        for auth in [CaptchaAuth::default(), forged(&fixture, &trader, launched.id)] {
            let call = buy_call(launched.id, auth);
            for account in [&trader, &creator] {
                let moment = "without a valid proof inside the window";
                if !refused_at::<Required>(&fixture, account, &call, opened + 1, moment).await? {
                    fixture.reverts::<_, Required>(account.address(), value(), &call).await?;
                }
            }
        }
        // The last protected second still refuses; the next one does not.
        let call = buy_call(launched.id, CaptchaAuth::default());
        let (end, moment) =
            (opened + u64::from(PROTECTED), "without a valid proof in the window's last second");
        if refused_at::<Required>(&fixture, &trader, &call, end, moment).await? {
            let expected = format!("a purchase {} seconds after the start needs no proof", PROTECTED + 1);
            passes_at(&fixture, &trader, &call, end + 1, &expected).await?;
        }
        if trial.has(Need::Control) {
            proof_opens_once(trial, &fixture, &trader, &creator, &launched).await?;
        }
        scheduled_waits(&fixture, &creator, &mut choices).await?;
    }
    Ok(())
}

/// Returns the value of each simulated purchase.
fn value() -> U256 {
    ether(1) / U256::from(20)
}

/// A proof works for its trader only, and only once.
async fn proof_opens_once(
    trial: &Trial<'_>,
    fixture: &LaunchFixture<'_>,
    trader: &Account,
    stranger: &Account,
    launched: &Launched,
) -> Verdict {
    let chain_id = fixture.chain.chain_id();
    let control = trial.control()?;
    let launch: u64 = launched.id.to();
    let proof = control.captcha_proof(chain_id, trader.address(), launch).await?;
    let auth = CaptchaAuth { deadline: proof.deadline, nonce: proof.nonce, signature: proof.signature };
    let altered = CaptchaAuth { deadline: auth.deadline + 1, ..auth.clone() };
    let (call, altered) = (buy_call(launched.id, auth), buy_call(launched.id, altered));
    fixture.reverts::<_, Required>(stranger.address(), value(), &call).await?;
    fixture.reverts::<_, Required>(trader.address(), value(), &altered).await?;
    fixture.must_mine(trader, value(), &call).await?;
    fixture.reverts::<_, LaunchHook::CaptchaNonceUsed>(trader.address(), value(), &call).await
}

/// Before its start a launch accepts no trade, except the creator's first purchase.
async fn scheduled_waits(
    fixture: &LaunchFixture<'_>,
    creator: &Account,
    choices: &mut crate::model::seed::Choices,
) -> Verdict {
    let start = fixture.chain.head().await?.header.timestamp + 7 * 86_400;
    let mut params = plain_launch(choices, ether(2), 60_000, 5_000);
    params.startTime = start;
    let launched = fixture.launch(creator, &params, None, value()).await?;
    let call = buy_call(launched.id, CaptchaAuth::default());
    fixture.reverts::<_, LaunchHook::NotStarted>(creator.address(), value(), &call).await?;
    let moment = "a second before the start";
    refused_at::<LaunchHook::NotStarted>(fixture, creator, &call, start - 1, moment).await?;
    passes_at(fixture, creator, &call, start, "a purchase in the second of the start passes").await
}

/// The call succeeds at another time, if the node can simulate one.
async fn passes_at(
    fixture: &LaunchFixture<'_>,
    trader: &Account,
    call: &LaunchHook::buyCall,
    time: u64,
    expected: &str,
) -> Verdict {
    let result = called_at(fixture, trader, call, time).await?;
    let passes = !matches!(result, Some(Err(_)));
    let reproduce = fixture.cast(fixture.hook, Some(trader.address()), value(), call);
    fixture.require_or(&reproduce, passes, expected, || result.as_ref().map_or_else(String::new, outcome_of))
}

/// The call is refused with an error at another time; `false` if the node cannot simulate one.
async fn refused_at<E: SolError>(
    fixture: &LaunchFixture<'_>,
    trader: &Account,
    call: &LaunchHook::buyCall,
    time: u64,
    moment: &str,
) -> Verdict<bool> {
    let Some(result) = called_at(fixture, trader, call, time).await? else { return Ok(false) };
    let refused = result.as_ref().is_err_and(RpcError::is::<E>);
    let expected = format!("a purchase {moment} reverts with {}", E::SIGNATURE);
    let reproduce = fixture.cast(fixture.hook, Some(trader.address()), value(), call);
    fixture.require_or(&reproduce, refused, &expected, || outcome_of(&result))?;
    Ok(true)
}

/// Simulates the call at another time; `None` if the node cannot.
async fn called_at(
    fixture: &LaunchFixture<'_>,
    trader: &Account,
    call: &LaunchHook::buyCall,
    time: u64,
) -> Verdict<Option<RpcResult<()>>> {
    let input = Bytes::from(call.abi_encode());
    let request = json!({"from": trader.address(), "to": fixture.hook, "value": value(), "input": input});
    let params = json!([request, "latest", {}, {"time": U64::from(time)}]);
    let result = fixture.chain.rpc::<Bytes>("eth_call", params).await?;
    Ok(match result {
        Ok(_) => Some(Ok(())),
        Err(error) if error.revert.is_some() => Some(Err(error)),
        Err(_) => None,
    })
}

/// Returns a well-formed proof, signed by the trader instead of the platform.
fn forged(fixture: &LaunchFixture<'_>, trader: &Account, launch: U256) -> CaptchaAuth {
    let nonce = B256::repeat_byte(7);
    let digest =
        alloy::primitives::keccak256([fixture.hook.as_slice(), &launch.to_be_bytes::<32>()].concat());
    CaptchaAuth { deadline: u64::MAX, nonce, signature: trader.sign_digest(&digest).unwrap_or_default() }
}
