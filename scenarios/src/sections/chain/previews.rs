//! Previews of trades against the reference: on the hook, on its viewer, and without a launch.
use num_bigint::BigInt;

use super::launch_fixture::{LaunchFixture, Launched, reference, wei};
use crate::client::wire::{LaunchConfig, LaunchHook, LaunchViewer};
use crate::prelude::*;
use crate::truth::reference::curve::{Bought, Curve, Position, Sold, fees, total_supply};
use crate::truth::reference::integer;

pub(super) async fn sale_split_is_exact(fixture: &LaunchFixture<'_>, target: U256, gain: u32) -> Verdict {
    let viewer = fixture.read(&LaunchHook::viewerCall {}).await?;
    let call = LaunchViewer::previewSaleSplitCall { targetRaise: target.to(), gainBps: gain };
    let result = fixture.read_from(viewer, &call).await?;
    let curve = Curve::new(integer(target), BigInt::from(gain));
    let portion = &curve.sale * 10_000 / total_supply();
    let pool = &curve.target * BigInt::from(10).pow(18) / curve.liquidity();
    let last = curve.price_of_whole_token(&curve.sale);
    let figures = [
        ("sale supply", curve.sale.clone(), BigInt::from(result.saleSupply)),
        ("liquidity supply", curve.liquidity(), BigInt::from(result.liquiditySupply)),
        ("sale portion", portion, integer(result.salePortionBps)),
        ("price at the end of the sale", last, integer(result.marginalPrice)),
        ("price of the pool", pool, integer(result.poolPrice)),
    ];
    fixture.agree(&fixture.cast(viewer, None, U256::ZERO, &call), &figures)
}

pub(super) async fn preview_of_purchase(
    fixture: &LaunchFixture<'_>,
    launch: U256,
    gross: U256,
    curve: &Curve,
    expected: &Bought,
) -> Verdict {
    let call = LaunchHook::previewBuyCall { launchId: launch, ethIn: gross };
    let viewer = fixture.read(&LaunchHook::viewerCall {}).await?;
    for contract in [fixture.hook, viewer] {
        let result = fixture.read_from(contract, &call).await?;
        let rest = &curve.sale - &expected.after.sold;
        let figures = [
            ("previewed tokens", expected.tokens.clone(), integer(result.tokensOut)),
            ("previewed cost", expected.cost.clone(), integer(result.cost)),
            ("previewed refund", expected.refund.clone(), integer(result.refund)),
            ("previewed rest of the sale", rest, integer(result.tokensRemaining)),
        ];
        fixture.agree(&fixture.cast(contract, None, U256::ZERO, &call), &figures)?;
    }
    Ok(())
}

/// The preview without a launch takes wei after fees, and computes the sold tokens from the least contribution for them.
pub(super) async fn local_preview_of_purchase(
    fixture: &LaunchFixture<'_>,
    curve: &Curve,
    position: &Position,
    net: U256,
) -> Verdict {
    let viewer = fixture.read(&LaunchHook::viewerCall {}).await?;
    let remaining = &curve.sale - &position.sold;
    let call = LaunchViewer::previewBuyLocalCall {
        saleSupply: wei(&curve.sale).to(),
        targetRaise: wei(&curve.target).to(),
        gainBps: u32::try_from(&curve.gain).expect("gains have 32 bits"),
        sold: wei(&position.sold).to(),
        remaining: wei(&remaining).to(),
        ethIn: net,
    };
    let result = fixture.read_from(viewer, &call).await?;
    let paid = curve.cost_up(&position.sold);
    let cost = integer(net).min(&curve.target - &paid);
    let tokens = curve.sold_for(&(&paid + &cost)) - &position.sold;
    let figures = [
        ("previewed tokens", tokens.clone(), integer(result.tokensOut)),
        ("previewed cost", cost.clone(), integer(result.cost)),
        ("previewed refund", integer(net) - &cost, integer(result.refund)),
        ("previewed rest of the sale", remaining - tokens, integer(result.tokensRemaining)),
    ];
    fixture.agree(&fixture.cast(viewer, None, U256::ZERO, &call), &figures)
}

/// Judges previews of a sale: by the hook, by its viewer, and by the viewer without a launch.
pub(super) async fn previews_of_sale(
    fixture: &LaunchFixture<'_>,
    launch: U256,
    state: &LaunchConfig,
    tokens: U256,
    expected: &Sold,
) -> Verdict {
    let fees = fees(&expected.gross, &BigInt::from(state.creatorFeeSplitBps));
    let agrees = |reproduce: String, [payout, protocol, creator, buyback]: [U256; 4]| {
        let figures = [
            ("previewed payout", expected.payout.clone(), integer(payout)),
            ("previewed protocol fee", fees.protocol.clone(), integer(protocol)),
            ("previewed creator fee", fees.creator.clone(), integer(creator)),
            ("previewed buyback fee", fees.buyback.clone(), integer(buyback)),
        ];
        fixture.agree(&reproduce, &figures)
    };
    let call = LaunchHook::previewSellCall { launchId: launch, tokenAmount: tokens.to() };
    let viewer = fixture.read(&LaunchHook::viewerCall {}).await?;
    for contract in [fixture.hook, viewer] {
        let reported = fixture.read_from(contract, &call).await?;
        let reported = [reported.netPayout, reported.protocolFee, reported.creatorFee, reported.buybackFee];
        agrees(fixture.cast(contract, None, U256::ZERO, &call), reported)?;
    }
    let call = LaunchViewer::previewSellLocalCall {
        saleSupply: state.saleSupply,
        targetRaise: state.targetRaise,
        gainBps: state.gainBps,
        sold: state.sold,
        tokenAmount: tokens.to(),
        netContributions: state.netContributions,
        creatorFeeSplitBps: state.creatorFeeSplitBps,
        protocolFeeBps: 100,
        variableFeeBps: 100,
        bpsDenominator: 10_000,
    };
    let reported = fixture.read_from(viewer, &call).await?;
    let reported = [reported.netPayout, reported.protocolFee, reported.creatorFee, reported.buybackFee];
    agrees(fixture.cast(viewer, None, U256::ZERO, &call), reported)
}

/// Judges previews just below, at and above the exact cost of the rest, without buying it.
pub(super) async fn previews_at_the_target(fixture: &LaunchFixture<'_>, launched: &Launched) -> Verdict {
    let state = fixture.state(launched.id).await?;
    let (curve, position) = reference(&state);
    let rest = curve.buy(&position, &(&curve.target * 2)).cost;
    for gross in [&rest - 1, rest.clone(), &rest + 1, &rest * 3] {
        let expected = curve.buy(&position, &gross);
        preview_of_purchase(fixture, launched.id, wei(&gross), &curve, &expected).await?;
    }
    Ok(())
}
