//! Trading on the curve, compared with the reference to the wei: moved amounts, stored state, fees.
use alloy::rpc::types::TransactionReceipt;
use alloy::sol_types::SolEvent;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::creation::chains;
use super::launch_fixture::{LaunchFixture, Launched, reference, sell_call, wei};
use super::previews::{
    local_preview_of_purchase, preview_of_purchase, previews_at_the_target, previews_of_sale,
    sale_split_is_exact,
};
use crate::client::chain::gas_of;
use crate::client::wire::LaunchHook;
use crate::model::seed::Choices;
use crate::prelude::*;
use crate::truth::reference::curve::{Bought, Position, fees};
use crate::truth::reference::integer;

/// The smallest purchase in wei.
const LEAST_BUY: u64 = 10_000_000_000_000;
/// The smallest sale in token units: one whole token.
const LEAST_SALE: u64 = 1_000_000_000_000_000_000;

clause! {
    CH_CURVE = "CH-CURVE" (choice S251, S296): "Buys and sells follow the curve to the last wei.";
    check!("chain-curve-exact" [Write; LaunchHook, PrimaryChain, Accounts] curve_is_exact:
        "seeded purchases and sales equal the reference in previews, moved amounts and state, to the wei");
    check!("chain-first-version-curve" [Read; LaunchHook, PrimaryChain] super::v1::curve_is_exponential:
        "V1 previews equal the reference of its exponential curve");
}
pub(super) async fn curve_is_exact(trial: &Trial<'_>) -> Verdict {
    let curves =
        chains(trial).map(|chain_id| async move { trial.part(curves_of(trial, chain_id).await).map(drop) });
    all_settled(curves).await.map(drop)
}

async fn curves_of(trial: &Trial<'_>, chain_id: u64) -> Verdict {
    let fixture = LaunchFixture::open(trial, chain_id).await?;
    let mut choices = trial.choices(&format!("curve-{chain_id}"));
    let wild = choices.below(U256::from(200_001)).to();
    let curves = [(ether(1), 0), (ether(5), 200_000), (ether(5), 0), (ether(1), 200_000), (ether(2), wild)];
    let fixture = &fixture;
    let sequences = (0..).zip(curves).map(|(number, (target, gain))| async move {
        let mut choices = trial.choices(&format!("curve-{chain_id}-{number}"));
        trial.part(sequence(fixture, &mut choices, target, gain).await).map(drop)
    });
    all_settled(sequences).await.map(drop)
}

async fn sequence(fixture: &LaunchFixture<'_>, choices: &mut Choices, target: U256, gain: u32) -> Verdict {
    let split = choices.below(U256::from(10_001)).to();
    let chain_id = fixture.chain.chain_id();
    let creator = fixture.account(chain_id, choices, ether(1)).await?;
    let trader = fixture.account(chain_id, choices, target + ether(1)).await?;
    let launched = fixture.launch_plain(&creator, choices, (target, gain, split), U256::ZERO).await?;
    sale_split_is_exact(fixture, target, gain).await?;
    bought(fixture, &trader, &launched, U256::from(LEAST_BUY)).await?;
    bought(fixture, &trader, &launched, U256::from(LEAST_BUY + 99)).await?;
    sold(fixture, &trader, &launched, U256::from(LEAST_SALE)).await?;
    for _ in 0..5 {
        let gross = choices.between(U256::from(LEAST_BUY), target / U256::from(7));
        bought(fixture, &trader, &launched, gross).await?;
        let parts = choices.between(U256::ONE, U256::from(9_999));
        let held = fixture.tokens_of(launched.token, trader.address()).await?;
        sold(fixture, &trader, &launched, held * parts / U256::from(10_000)).await?;
    }
    sold(fixture, &trader, &launched, fixture.tokens_of(launched.token, trader.address()).await?).await?;
    let gross = choices.between(target / U256::from(9), target / U256::from(8));
    bought(fixture, &trader, &launched, gross).await?;
    previews_at_the_target(fixture, &launched).await?;
    creator_is_paid(fixture, &creator, &launched).await
}

/// Buys: preview, event, state, balances and fees must equal the reference.
pub(super) async fn bought(
    fixture: &LaunchFixture<'_>,
    trader: &Account,
    launched: &Launched,
    gross: U256,
) -> Verdict<(Bought, TransactionReceipt)> {
    let before = fixture.state(launched.id).await?;
    let (curve, position) = reference(&before);
    let expected = curve.buy(&position, &integer(gross));
    preview_of_purchase(fixture, launched.id, gross, &curve, &expected).await?;
    local_preview_of_purchase(fixture, &curve, &position, gross).await?;
    let before = holdings(fixture, trader, launched).await?;
    let receipt = fixture.buy(trader, launched.id, gross).await?;
    let trade = Reference {
        kind: 0,
        gross: &expected.cost,
        refund: expected.refund.clone(),
        came: [-&expected.cost, expected.tokens.clone()],
        after: &expected.after,
    };
    is_as_expected(fixture, (trader, launched), &receipt, before, &trade).await?;
    Ok((expected, receipt))
}

/// Sells: preview, event, state and balances must equal the reference.
async fn sold(fixture: &LaunchFixture<'_>, trader: &Account, launched: &Launched, tokens: U256) -> Verdict {
    if tokens < U256::from(LEAST_SALE) {
        return Ok(());
    }
    let before = fixture.state(launched.id).await?;
    let (curve, position) = reference(&before);
    let expected = curve.sell(&position, &integer(tokens));
    previews_of_sale(fixture, launched.id, &before, tokens, &expected).await?;
    fixture.allow(trader, launched.token, U256::MAX).await?;
    let before = holdings(fixture, trader, launched).await?;
    let call = sell_call(launched.id, tokens, wei(&expected.payout));
    let receipt = fixture.must_mine(trader, U256::ZERO, &call).await?;
    let trade = Reference {
        kind: 1,
        gross: &expected.gross,
        refund: BigInt::zero(),
        came: [expected.payout.clone(), -integer(tokens)],
        after: &expected.after,
    };
    is_as_expected(fixture, (trader, launched), &receipt, before, &trade).await
}

/// The effects of a trade according to the reference.
struct Reference<'e> {
    /// 0 for a purchase, 1 for a sale.
    kind: u8,
    gross: &'e BigInt,
    refund: BigInt,
    /// Wei and tokens that the trader receives; negative if paid.
    came: [BigInt; 2],
    after: &'e Position,
}

/// Returns the trader's wei and tokens, and the launch's buyback balance.
async fn holdings(
    fixture: &LaunchFixture<'_>,
    trader: &Account,
    launched: &Launched,
) -> Verdict<[BigInt; 3]> {
    let wealth = fixture.chain.balance(trader.address()).await?;
    let tokens = fixture.tokens_of(launched.token, trader.address()).await?;
    let aside = fixture.read(&LaunchHook::accumulatedBuybackCall { launchId: launched.id }).await?;
    Ok([wealth, tokens, aside].map(integer))
}

/// The event of a trade, the moved amounts, the fees and the state afterwards equal the reference. The protocol's account gets the
/// protocol's fee; a graduation may add a rounding remainder.
async fn is_as_expected(
    fixture: &LaunchFixture<'_>,
    (trader, launched): (&Account, &Launched),
    receipt: &TransactionReceipt,
    [wealth, tokens, aside]: [BigInt; 3],
    expected: &Reference<'_>,
) -> Verdict {
    let [now_wealth, now_tokens, now_aside] = holdings(fixture, trader, launched).await?;
    let state = fixture.state(launched.id).await?;
    let (curve, _) = reference(&state);
    let event = fixture.only_event::<LaunchHook::Trade>(receipt)?;
    let recipient = fixture.read(&LaunchHook::protocolFeeRecipientCall {}).await?;
    let accrued = fixture.events::<LaunchHook::FeesAccrued>(receipt).into_iter();
    let of_protocol =
        |event: &LaunchHook::FeesAccrued| event.account == recipient && event.launchId == launched.id;
    let first = accrued.filter(of_protocol).map(|event| event.amount).next().unwrap_or_default();
    let fees = fees(expected.gross, &BigInt::from(state.creatorFeeSplitBps));
    let [came_wei, came_tokens] = &expected.came;
    let sold = &expected.after.sold;
    let moved = if came_tokens.is_negative() { -came_tokens } else { came_tokens.clone() };
    let figures = [
        ("type of the trade", BigInt::from(expected.kind), BigInt::from(event.tradeType)),
        ("emitted gross", expected.gross.clone(), integer(event.amounts.ethAmount)),
        ("emitted tokens", moved, integer(event.amounts.tokenAmount)),
        ("emitted fee", &fees.protocol + &fees.creator + &fees.buyback, integer(event.amounts.fee)),
        ("emitted refund", expected.refund.clone(), integer(event.refund)),
        ("emitted price", curve.price_of_whole_token(sold), integer(event.price.priceAfter)),
        ("emitted market cap", curve.market_cap(sold), integer(event.price.marketCap)),
        ("wei that came to the trader", came_wei.clone(), now_wealth + integer(gas_of(receipt)) - wealth),
        ("tokens that came to the trader", came_tokens.clone(), now_tokens - tokens),
        ("set aside for buying back", fees.buyback, now_aside - aside),
        ("fee of the protocol", fees.protocol, integer(first)),
    ];
    fixture.agree(&fixture.cast_receipt(receipt.transaction_hash), &figures)?;
    let call = LaunchHook::getLaunchStateCall { launchId: launched.id };
    let figures = [
        ("tokens sold", sold.clone(), BigInt::from(state.sold)),
        ("net contributions", expected.after.net.clone(), BigInt::from(state.netContributions)),
    ];
    fixture.agree(&fixture.cast(fixture.hook, None, U256::ZERO, &call), &figures)
}

/// Withdrawing pays the creator all earned fees, and only once.
async fn creator_is_paid(fixture: &LaunchFixture<'_>, creator: &Account, launched: &Launched) -> Verdict {
    let earned = LaunchHook::withdrawableFeesCall { account: creator.address() };
    let from = launched.receipt.block_number.unwrap_or_default();
    let logs = fixture.chain.logs(fixture.hook, LaunchHook::FeesAccrued::SIGNATURE_HASH, from).await?;
    let accrued = logs.iter().filter_map(|log| log.log_decode::<LaunchHook::FeesAccrued>().ok());
    let own = accrued.filter(|log| log.inner.account == creator.address());
    let expected = own.map(|log| log.inner.amount).sum();
    let owed = fixture.read(&earned).await?;
    let wealth = fixture.chain.balance(creator.address()).await?;
    let reproduce = fixture.cast(fixture.hook, None, U256::ZERO, &earned);
    fixture.agree(&reproduce, &[("withdrawable fees", integer(expected), integer(owed))])?;
    if owed.is_zero() {
        return Ok(());
    }
    let receipt = fixture.must_mine(creator, U256::ZERO, &LaunchHook::withdrawFeesCall {}).await?;
    let came = fixture.chain.balance(creator.address()).await? + gas_of(&receipt) - wealth;
    let left = fixture.read(&earned).await?;
    let figures = [
        ("fees paid out", integer(owed), integer(came)),
        ("withdrawable fees afterwards", BigInt::zero(), integer(left)),
    ];
    fixture.agree(&reproduce, &figures)
}
