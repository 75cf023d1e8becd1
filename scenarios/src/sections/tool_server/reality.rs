//! Previews compared with what the same launch and its trades then did on the chain.
use alloy::consensus::Transaction;
use alloy::rpc::types::TransactionReceipt;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use super::fixture::{Session, ToolReply, ToolServerFixture, WRITES};
use super::hostile_rpc::leaves;
use super::launching::last_place;
use crate::client::wire::{LaunchConfig, LaunchHook};
use crate::model::figure::rational;
use crate::prelude::*;
use crate::sections::chain::launch_fixture::{LaunchFixture, Launched};
use crate::truth::reference::curve::{Curve, Position};
use crate::truth::reference::integer;

/// Purchases after the launch in wei: one whose fees need no rounding, and one whose fees do.
const PURCHASES: [u64; 2] = [30_000_000_000_000_000, 7_123_456_789_012_345];

/// The figures of a preview as exact fractions.
struct FeeMath {
    creator: BigRational,
    protocol: BigRational,
    variable: BigRational,
    /// Tolerances of the creator's share and of both fees together.
    places: [BigRational; 2],
}

/// A previewed launch with its promised curve and its current position.
struct Promise<'a> {
    fixture: &'a ToolServerFixture<'a>,
    hook: &'a LaunchFixture<'a>,
    previewed: ToolReply,
    math: FeeMath,
    curve: Curve,
    position: Position,
    earned: U256,
}

pub(super) async fn previews_come_true(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(3), &[WRITES]).await?;
    let hook = LaunchFixture::open(trial, PRIMARY).await?;
    for arguments in [
        json!({
            "targetRaiseEth": 1.5, "curveGainMultiplier": 3.5, "creatorFeeSplitBps": 3700, "prebuyEth": 0.05,
            "referralCode": "Came-true_1", "website": session.link("site"),
        }),
        json!({"prebuyEth": 0.09, "creatorFeeSplitBps": 10000}),
    ] {
        session.rpc.be_honest();
        let earned = earned(&session, &hook).await?;
        let (previewed, preview) = session.previews(&arguments, "the arguments are right").await?;
        let launched = launched(&hook, &mut session, &arguments).await?;
        let state = hook.state(launched.id).await?;
        resolved_as_previewed(&session, &previewed, &preview, &state)?;
        let mut promise = Promise {
            math: fee_math(&session, &previewed, &preview)?,
            curve: Curve::new(integer(U256::from(state.targetRaise)), BigInt::from(state.gainBps)),
            position: Position::default(),
            fixture: &session,
            hook: &hook,
            previewed,
            earned,
        };
        promise.trades(&launched).await?;
    }
    Ok(())
}

async fn launched(
    hook: &LaunchFixture<'_>,
    session: &mut Session<'_>,
    arguments: &Value,
) -> Verdict<Launched> {
    let (_, _, receipt) = session.launches(arguments, "the preview was served").await?;
    let created = hook.only_event::<LaunchHook::LaunchCreated>(&receipt)?;
    Ok(Launched { id: created.launchId, token: created.token, receipt })
}

/// The launch on the chain is the previewed one, and the previewed call was sent.
fn resolved_as_previewed(
    fixture: &ToolServerFixture<'_>,
    reply: &ToolReply,
    preview: &Value,
    state: &LaunchConfig,
) -> Verdict {
    // The other members of a preview, besides feeMath, are left open.
    for (name, expected) in [
        ("gainBps", state.gainBps.to_string()),
        ("creatorFeeSplitBps", state.creatorFeeSplitBps.to_string()),
        ("antiSnipeDuration", state.antiSnipeDuration.to_string()),
        ("targetRaise", state.targetRaise.to_string()),
    ] {
        let previewed = leaves(&preview["params"][name]);
        let reported = previewed.first().is_none_or(|previewed| *previewed == expected);
        fixture.require_or(reply, reported, &format!("previewed {name} = {expected}"), || {
            previewed.join(", ")
        })?;
    }
    let sent = fixture.sent();
    let sent = sent.first().expect("a mined launch was sent through our RPC");
    for (name, expected) in [("calldata", sent.input().to_string()), ("valueWei", sent.value().to_string())] {
        if let Some(previewed) = preview[name].as_str() {
            fixture.require_equal(reply, &format!("previewed {name}"), &expected, &previewed.to_owned())?;
        }
    }
    Ok(())
}

fn fee_math(fixture: &ToolServerFixture<'_>, reply: &ToolReply, preview: &Value) -> Verdict<FeeMath> {
    let figure = |name: &str| {
        let percent = fixture.number(reply, &preview["feeMath"], name)?;
        Verdict::Ok(percent.value() / BigInt::from(100))
    };
    let place = |name: &str| last_place(&preview["feeMath"][name]) / BigInt::from(100);
    let fees = place("protocolFeePct") + place("variableFeePctOfAfterProtocol");
    Ok(FeeMath {
        places: [place("creatorEarningsAsPctOfVolume"), fees],
        creator: figure("creatorEarningsAsPctOfVolume")?,
        protocol: figure("protocolFeePct")?,
        variable: figure("variableFeePctOfAfterProtocol")?,
    })
}

/// Returns what the creator could withdraw.
async fn earned(fixture: &ToolServerFixture<'_>, hook: &LaunchFixture<'_>) -> Result<U256, Stop> {
    hook.read(&LaunchHook::withdrawableFeesCall { account: fixture.account.address() }).await
}

impl Promise<'_> {
    /// Judges the purchase of the launch, then purchases and sales by its creator.
    async fn trades(&mut self, launched: &Launched) -> Verdict {
        self.kept(launched, &launched.receipt, None).await?;
        for gross in PURCHASES {
            let receipt = self.hook.buy(&self.fixture.account, launched.id, U256::from(gross)).await?;
            self.kept(launched, &receipt, None).await?;
        }
        for part in [3, 7] {
            let held = self.hook.tokens_of(launched.token, self.fixture.account.address()).await?;
            let tokens = held / U256::from(part);
            let receipt = self.hook.sell(&self.fixture.account, launched, tokens).await?;
            self.kept(launched, &receipt, Some(tokens)).await?;
        }
        Ok(())
    }

    /// A trade moved the launch along the previewed curve, and paid what was previewed.
    async fn kept(
        &mut self,
        launched: &Launched,
        receipt: &TransactionReceipt,
        sold: Option<U256>,
    ) -> Verdict {
        let trade = self.hook.only_event::<LaunchHook::Trade>(receipt)?;
        let gross = integer(trade.amounts.ethAmount);
        self.position = match sold {
            None => self.curve.buy(&self.position, &gross).after,
            Some(tokens) => self.curve.sell(&self.position, &integer(tokens)).after,
        };
        let state = self.hook.state(launched.id).await?;
        let stands = (BigInt::from(state.sold), BigInt::from(state.netContributions));
        let leads = (self.position.sold.clone(), self.position.net.clone());
        self.fixture.require_equal(&self.previewed, "sold and contributed after a trade", &leads, &stands)?;

        let volume = BigRational::from_integer(gross);
        let protocol = &self.math.protocol * &volume;
        let fee = &protocol + &self.math.variable * (&volume - &protocol);
        let [of_creator, of_fees] = self.math.places.clone().map(|place| place * &volume);
        self.near("fee of a trade", (&fee, &of_fees), &integer(trade.amounts.fee), &volume)?;
        let now = earned(self.fixture, self.hook).await?;
        let share = &self.math.creator * &volume;
        let earned = integer(now - self.earned);
        self.near("creator's share of a trade", (&share, &of_creator), &earned, &volume)?;
        self.earned = now;
        Ok(())
    }

    /// Fees are rounded down twice, so the payment is less than two wei below the figure, and exact to the wei if the volume needs no
    /// rounding. A figure may be off by one in its last place.
    fn near(
        &self,
        what: &str,
        (figure, place): (&BigRational, &BigRational),
        paid: &BigInt,
        volume: &BigRational,
    ) -> Verdict {
        let off = figure - BigRational::from_integer(paid.clone());
        let whole = BigRational::from_integer(BigInt::from(1_000_000));
        let crooked = !(volume / whole).is_integer();
        let (low, high) = if crooked { ("-0.5", "2") } else { ("-0.5", "0.5") };
        let bound = |text: &str| rational(text).expect("a decimal");
        if off > bound(low) - place && off < bound(high) + place {
            return Ok(());
        }
        let excess = if off < BigRational::zero() { "more" } else { "less" };
        let expected = format!("{what}: {} wei, as previewed", figure.to_integer());
        Err(self.fixture.failure(&self.previewed, expected, format!("{paid} wei, {excess} than that")))
    }
}
