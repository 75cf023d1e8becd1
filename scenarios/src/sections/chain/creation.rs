//! Creating launches: the chain ids, stored state, events and bounds of a creation, and its visibility to readers.
use alloy::primitives::{B256, Bytes, keccak256};
use alloy::sol_types::{SolCall, SolError, SolEvent};

use super::launch_fixture::{LaunchFixture, Launched, plain_launch, reference, wei};
use crate::answers::reads::CAPABILITIES;
use crate::client::wire::{CreateLaunchParams, LaunchConfig, LaunchHook, Token};
use crate::model::shown::readable;
use crate::prelude::*;
use crate::sections::capabilities::CAP_CODE;
use crate::sections::meaning::tokens::records_hold;
use crate::sections::token::TOKEN_FIELDS;
use crate::truth::reference::curve::{Position, total_supply};
use crate::truth::reference::integer;

clause! {
    CH_ID = "CH-ID" (S3, S11): "The two chains report their ids, 57073 and 4663.";
    check!("chain-ids" [Read; PrimaryChain, SecondChain] chain_ids: "each RPC reports the chain it was given for");
}
pub(super) async fn chain_ids(trial: &Trial<'_>) -> Verdict {
    for chain_id in [PRIMARY, SECOND] {
        let chain = trial.chain(chain_id)?;
        let reported = chain.reported_chain_id().await?;
        let command = format!("cast chain-id --rpc-url '{}'", chain.url());
        trial.require_equal(&command, "chain id", &chain_id, &reported)?;
    }
    Ok(())
}

clause! {
    CH_LAUNCH = "CH-LAUNCH" (S10, S226, S228, S229, S296, S297):
        "createLaunch deploys a token, emits its address and stores what getLaunchState reads.";
    check!("chain-launch-stored" [Write; LaunchHook, PrimaryChain, Accounts] launch_is_stored:
        "a creation deploys the token, emits it in order and stores the state");
}
pub(super) async fn launch_is_stored(trial: &Trial<'_>) -> Verdict {
    for chain_id in chains(trial) {
        let fixture = LaunchFixture::open(trial, chain_id).await?;
        let mut choices = trial.choices(&format!("launch-{chain_id}"));
        let creator = trial.account(chain_id, &mut choices, ether(4)).await?;
        let start = fixture.chain.head().await?.header.timestamp + 86_400;
        for (scheduled, prebuy) in [(0, U256::ZERO), (start, U256::ZERO), (0, ether(1)), (start, ether(1))] {
            let target = choices.between(ether(1), ether(5));
            let gain = choices.below(U256::from(200_001)).to();
            let split = choices.below(U256::from(10_001)).to();
            let mut params = plain_launch(&mut choices, target, gain, split);
            params.startTime = scheduled;
            params.antiSnipeDuration = *choices.pick(&[0, 20, 40, 60]);
            params.description.push_str(" Ünïcode 🚀 \"quoted\"\n");
            params.messenger = "https://messenger.slipway.dev/m".into();
            params.microblog = "https://microblog.slipway.dev/b".into();
            params.website = "https://www.slipway.dev/".into();
            created(&fixture, &creator, &params, None, prebuy).await?;
        }
    }
    Ok(())
}

clause! {
    CH_REFERRAL = "CH-REFERRAL" (S10, S227, S296):
        "createLaunchWithReferral does the same, and emits the code unless it is empty.";
    check!("chain-launch-referral" [Write; LaunchHook, PrimaryChain, Accounts] referral_is_emitted:
        "a creation with a code emits it when it is not empty, and is else the same");
}
pub(super) async fn referral_is_emitted(trial: &Trial<'_>) -> Verdict {
    for chain_id in chains(trial) {
        let fixture = LaunchFixture::open(trial, chain_id).await?;
        let mut choices = trial.choices(&format!("referral-{chain_id}"));
        let creator = trial.account(chain_id, &mut choices, ether(2)).await?;
        for (code, prebuy) in [("REF-probe_1", U256::ZERO), ("", U256::ZERO), ("a", ether(1))] {
            let params = plain_launch(&mut choices, ether(2), 60_000, 5_000);
            let launched = created(&fixture, &creator, &params, Some(code), prebuy).await?;
            let emitted = fixture.events::<LaunchHook::Referral>(&launched.receipt);
            let mut expected = vec![LaunchHook::Referral {
                launchId: launched.id,
                trader: creator.address(),
                referralCode: code.to_owned(),
            }];
            expected.retain(|event| !event.referralCode.is_empty());
            let reproduce = fixture.cast_receipt(launched.receipt.transaction_hash);
            fixture.require_equal(&reproduce, "emitted codes", &expected, &emitted)?;
        }
    }
    Ok(())
}

clause! {
    CH_LIMITS = "CH-LIMITS" (S323, S324): "A raise or a gain outside its bounds is refused.";
    check!("chain-launch-limits" [Read; LaunchHook, PrimaryChain] limits_are_kept:
        "raise and gain pass at their bounds and are refused past them");
}
pub(super) async fn limits_are_kept(trial: &Trial<'_>) -> Verdict {
    for chain_id in chains(trial) {
        let fixture = LaunchFixture::open(trial, chain_id).await?;
        let mut choices = trial.choices(&format!("limits-{chain_id}"));
        let creator = Account::fresh(&mut choices);
        let one = U256::ONE;
        let mut raises = vec![ether(1), ether(5), ether(1) - one, ether(5) + one, one, U256::ZERO];
        raises.push(choices.between(ether(1), ether(5)));
        raises.push(choices.between(ether(5) + one, ether(1_000)));
        for raise in raises {
            let params = plain_launch(&mut choices, raise, 60_000, 5_000);
            let broken = raise < ether(1) || raise > ether(5);
            tried::<LaunchHook::RaiseOutOfRange>(&fixture, &creator, params, broken).await?;
        }
        let wild = choices.between(U256::from(200_002), U256::from(u32::MAX)).to();
        for gain in [0, 1, 200_000, 200_001, wild, u32::MAX] {
            let params = plain_launch(&mut choices, ether(2), gain, 5_000);
            tried::<LaunchHook::GainTooHigh>(&fixture, &creator, params, gain > 200_000).await?;
        }
    }
    Ok(())
}

clause! {
    CH_BOUNDS = "CH-BOUNDS" (choice S226, S323, S324):
        "A split above 100 % and a start in the past are refused as well, and each refusal has a distinct error.";
    check!("chain-launch-bounds" [Read; LaunchHook, PrimaryChain] bounds_are_kept:
        "split and start pass at their bounds and are refused by their own errors past them");
}
pub(super) async fn bounds_are_kept(trial: &Trial<'_>) -> Verdict {
    for chain_id in chains(trial) {
        let fixture = LaunchFixture::open(trial, chain_id).await?;
        let mut choices = trial.choices(&format!("bounds-{chain_id}"));
        let creator = Account::fresh(&mut choices);
        let now = fixture.chain.head().await?.header.timestamp;
        let wild = choices.between(U256::from(10_002), U256::from(u16::MAX)).to();
        for split in [0, 1, 10_000, 10_001, wild, u16::MAX] {
            let params = plain_launch(&mut choices, ether(2), 60_000, split);
            trial.part(
                tried::<LaunchHook::SplitOutOfRange>(&fixture, &creator, params, split > 10_000).await,
            )?;
        }
        for start in [0, now + 86_400, now - 1, now - 600, now - 86_400, 1] {
            let mut params = plain_launch(&mut choices, ether(2), 60_000, 5_000);
            params.startTime = start;
            let past = start != 0 && start < now;
            trial.part(tried::<LaunchHook::LaunchInPast>(&fixture, &creator, params, past).await)?;
        }
    }
    Ok(())
}

clause! {
    TOKEN_AFTER_LAUNCH = "TOKEN-AFTER-LAUNCH" (S163): "Once a launch is mined, the token it emitted can be read.";
    check!("token-after-launch" [Write; Rest, PrimaryChain, Accounts] token_is_readable_after_launch:
        "the emitted address is readable by the service once the launch is mined");
}
pub(super) async fn token_is_readable_after_launch(trial: &Trial<'_>) -> Verdict {
    for chain_id in chains(trial) {
        let fixture = LaunchFixture::open(trial, chain_id).await?;
        let mut choices = trial.choices(&format!("token-after-launch-{chain_id}"));
        let creator = trial.account(chain_id, &mut choices, U256::from(ETHER / 2)).await?;
        let params = plain_launch(&mut choices, ether(3), 60_000, 5_000);
        let launched = fixture.launch(&creator, &params, None, U256::ZERO).await?;
        let (response, body) =
            trial.token_after(chain_id, &launched.receipt, launched.token, |_| true).await?;
        let texts = [
            ("name", &params.name),
            ("ticker", &params.ticker),
            ("description", &params.description),
            ("image_url", &params.imageUrl),
        ];
        // The set and the place of the record's fields are choices.
        let fields = trial.by(&TOKEN_FIELDS);
        for (field, expected) in texts {
            fields.require_equal(&response, field, &Some(expected.as_str()), &body[field].as_str())?;
        }
        for (field, expected) in [("address", launched.token), ("owner", creator.address())] {
            fields.require_equal(&response, field, &Some(expected), &parsed(&body[field]))?;
        }
        records_hold(trial, vec![launched.token]).await?;
    }
    Ok(())
}

pub(crate) async fn named_hook_takes_launches(trial: &Trial<'_>) -> Verdict {
    for chain_id in chains(trial) {
        let fixture = LaunchFixture::open(trial, chain_id).await?;
        let code = fixture.chain.code(fixture.hook).await?;
        let named: Option<B256> = parsed(&fixture.capabilities["activeCreationDeployment"]["runtimeHash"]);
        let response = trial.read(CAPABILITIES, &[param("chainId", chain_id.to_string())]).await?;
        trial.require_or(&response, !code.is_empty(), "the hook has code", || {
            format!("{} has none", fixture.hook)
        })?;
        trial.by(&CAP_CODE).require_equal(&response, "runtimeHash", &Some(keccak256(&code)), &named)?;
        let mut choices = trial.choices(&format!("cap-hook-{chain_id}"));
        let creator = Account::fresh(&mut choices);
        let call =
            LaunchHook::createLaunchCall { params: plain_launch(&mut choices, ether(2), 60_000, 5_000) };
        fixture.succeeds(creator.address(), U256::ZERO, &call, "it is the active hook").await?;
    }
    Ok(())
}

/// Returns the given chains, primary first; a target file declares only the primary chain's launch hook.
pub(super) fn chains(trial: &Trial<'_>) -> impl Iterator<Item = u64> + use<> {
    let second = (trial.has(Need::SecondChain) && trial.has(Need::Rest)).then_some(SECOND);
    [Some(PRIMARY), second].into_iter().flatten()
}

impl LaunchFixture<'_> {
    /// Requires that a call of the hook reverts; that it reverts with exactly this error is a choice.
    pub(crate) async fn reverts<C: SolCall, E: SolError>(
        &self,
        from: Address,
        value: U256,
        call: &C,
    ) -> Verdict {
        let result = self.chain.call_as(Some(from), self.hook, value, call).await?;
        let reproduce = self.cast(self.hook, Some(from), value, call);
        let selector = Bytes::from(E::SELECTOR);
        let expected = format!("{} reverts with {} ({selector})", C::SIGNATURE, E::SIGNATURE);
        let Err(refused) = result else {
            return Err(self.failure(&reproduce, expected, "it succeeds"));
        };
        let named = refused.is::<E>();
        self.by_choice(&CH_BOUNDS).require_or(&reproduce, named, &expected, || refused.to_string())
    }
}

/// Requires that a creation reverts with an error if it breaks a bound, and succeeds otherwise.
async fn tried<E: SolError>(
    fixture: &LaunchFixture<'_>,
    creator: &Account,
    params: CreateLaunchParams,
    broken: bool,
) -> Verdict {
    let call = LaunchHook::createLaunchCall { params };
    if broken {
        return fixture.reverts::<_, E>(creator.address(), U256::ZERO, &call).await;
    }
    fixture.succeeds(creator.address(), U256::ZERO, &call, "it is within every bound").await.map(drop)
}

/// Creates a launch and judges what creation promises: events in order, a token, and a stored state.
async fn created(
    fixture: &LaunchFixture<'_>,
    creator: &Account,
    params: &CreateLaunchParams,
    referral: Option<&str>,
    prebuy: U256,
) -> Verdict<Launched> {
    let count_before = fixture.read(&LaunchHook::launchCountCall {}).await?;
    let launched = fixture.launch(creator, params, referral, prebuy).await?;
    let receipt = &launched.receipt;
    let reproduce = fixture.cast_receipt(receipt.transaction_hash);
    let created = fixture.only_event::<LaunchHook::LaunchCreated>(receipt)?;
    let metadata = fixture.only_event::<LaunchHook::LaunchMetadata>(receipt)?;
    let expected = LaunchHook::LaunchMetadata {
        launchId: created.launchId,
        name: params.name.clone(),
        ticker: params.ticker.clone(),
        description: params.description.clone(),
        imageUrl: params.imageUrl.clone(),
        messenger: params.messenger.clone(),
        microblog: params.microblog.clone(),
        website: params.website.clone(),
    };
    let count = fixture.read(&LaunchHook::launchCountCall {}).await?;
    let ordered = in_order(fixture, &launched, !prebuy.is_zero());
    let truths = [
        ("the launch's texts are emitted as given", metadata == expected),
        ("the creator is emitted", created.creator == creator.address()),
        ("the target is emitted", created.targetRaise == params.targetRaise),
        ("launch ids follow each other", created.launchId > count_before && created.launchId <= count),
        ("creation, texts, purchase and referral come in this order", ordered),
    ];
    truths.iter().try_for_each(|(what, holds)| {
        fixture.require_or(&reproduce, *holds, what, || {
            format!(
                "it does not: {} {}, count {count_before} to {count}",
                readable(&created),
                readable(&metadata)
            )
        })
    })?;
    let token = launched.token;
    let name = fixture.read_from(token, &Token::nameCall {}).await?;
    let symbol = fixture.read_from(token, &Token::symbolCall {}).await?;
    let decimals = fixture.read_from(token, &Token::decimalsCall {}).await?;
    let reproduce = fixture.cast(token, None, U256::ZERO, &Token::nameCall {});
    let expected = (&params.name, &params.ticker, 18);
    fixture.require_equal(&reproduce, "name, symbol and decimals", &expected, &(&name, &symbol, decimals))?;
    let supply = fixture.read_from(token, &Token::totalSupplyCall {}).await?;
    let held =
        fixture.tokens_of(token, creator.address()).await? + fixture.tokens_of(token, fixture.hook).await?;
    let reproduce = fixture.cast(token, None, U256::ZERO, &Token::totalSupplyCall {});
    let figures = [
        ("total supply", total_supply(), integer(supply)),
        ("held by hook and creator", total_supply(), integer(held)),
    ];
    fixture.agree(&reproduce, &figures)?;
    state_is_stored(fixture, creator, params, &launched, prebuy).await?;
    Ok(launched)
}

/// Whether the first events of each kind come in order, and a trade is among them exactly if tokens were bought.
fn in_order(fixture: &LaunchFixture<'_>, launched: &Launched, bought: bool) -> bool {
    let places = [
        LaunchHook::LaunchCreated::SIGNATURE_HASH,
        LaunchHook::LaunchMetadata::SIGNATURE_HASH,
        LaunchHook::Trade::SIGNATURE_HASH,
        LaunchHook::Referral::SIGNATURE_HASH,
    ]
    .map(|topic| {
        let mut logs = launched.receipt.logs().iter();
        logs.position(|log| log.address() == fixture.hook && log.topic0() == Some(&topic))
    });
    places.iter().flatten().is_sorted() && places[2].is_some() == bought
}

async fn state_is_stored(
    fixture: &LaunchFixture<'_>,
    creator: &Account,
    params: &CreateLaunchParams,
    launched: &Launched,
    prebuy: U256,
) -> Verdict {
    let state = fixture.state(launched.id).await?;
    let (curve, _) = reference(&state);
    let start = Position::default();
    let position = if prebuy.is_zero() { start } else { curve.buy(&start, &integer(prebuy)).after };
    let block = fixture.chain.time_of(&launched.receipt).await?;
    let expected = LaunchConfig {
        creator: creator.address(),
        token: launched.token,
        saleSupply: wei(&curve.sale).to(),
        liquiditySupply: wei(&curve.liquidity()).to(),
        sold: wei(&position.sold).to(),
        targetRaise: params.targetRaise,
        netContributions: wei(&position.net).to(),
        gainBps: params.gainBps,
        creatorFeeSplitBps: params.creatorFeeSplitBps,
        antiSnipeDuration: params.antiSnipeDuration,
        launchTime: if params.startTime == 0 { block } else { params.startTime },
        ..LaunchConfig::default()
    };
    let call = LaunchHook::getLaunchStateCall { launchId: launched.id };
    fixture.require_equal(
        &fixture.cast(fixture.hook, None, U256::ZERO, &call),
        "stored state",
        &expected,
        &state,
    )
}
