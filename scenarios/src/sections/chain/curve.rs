//! Trading on the curve against the reference, to the wei: moved amounts, stored state, fees.
use alloy::rpc::types::TransactionReceipt;
use num_bigint::BigInt;
use num_traits::Zero;

use super::creation::chains;
use super::launch_fixture::{LaunchFixture, Launched, ether, reference, wei};
use super::previews::{
    local_preview_of_purchase, local_preview_of_sale, preview_of_purchase, preview_of_sale,
    previews_at_the_target, sale_split_is_exact,
};
use crate::prelude::*;
use crate::reference::curve::{Bought, Position};
use crate::reference::integer;
use crate::seed::Choices;
use crate::wire::LaunchHook;

/// The smallest purchase in wei.
const LEAST_BUY: u64 = 10_000_000_000_000;
/// The smallest sale in token units: one whole token.
const LEAST_SALE: u64 = 1_000_000_000_000_000_000;

/// One trade of a sequence, in terms that fit wherever the curve stands.
#[derive(Clone, Copy, Debug)]
enum Trade {
    /// Buy with so many wei.
    Buy(U256),
    /// Sell so many parts in 10,000 of what the trader holds.
    Sell(u64),
    /// Sell the least that can be sold.
    SellLeast,
}

clause! {
    CH_CURVE = "CH-CURVE" (choice S251, S296): "Buys and sells follow the curve to the last wei.";
    check!("chain-curve-exact" [Write; Rest, PrimaryChain, Accounts] curve_is_exact:
        "seeded purchases and sales equal the reference in previews, moved amounts and state, to the wei");
    check!("chain-first-version-curve" [Read; Rest, PrimaryChain] super::v1::curve_is_exponential:
        "previews of the first version equal the reference of its exponential curve");
}
pub(super) async fn curve_is_exact(trial: &Trial<'_>) -> Verdict {
    let curves = chains(trial).map(|chain_id| curves_of(trial, chain_id));
    all_settled(curves).await.map(drop)
}

async fn curves_of(trial: &Trial<'_>, chain_id: u64) -> Verdict {
    let pad = LaunchFixture::open(trial, chain_id).await?;
    let mut choices = trial.choices(&format!("curve-{chain_id}"));
    let wild = choices.below(U256::from(200_001)).to();
    let curves = [(ether(1), 0), (ether(5), 200_000), (ether(5), 0), (ether(1), 200_000), (ether(2), wild)];
    let pad = &pad;
    let sequences = (0..).zip(curves).map(|(number, (target, gain))| async move {
        let mut choices = trial.choices(&format!("curve-{chain_id}-{number}"));
        let split = choices.below(U256::from(10_001)).to();
        sequence(trial, pad, &mut choices, (target, gain, split)).await
    });
    all_settled(sequences).await.map(drop)
}

async fn sequence(
    trial: &Trial<'_>,
    pad: &LaunchFixture<'_>,
    choices: &mut Choices,
    (target, gain, split): (U256, u32, u16),
) -> Verdict {
    let chain_id = pad.chain.chain_id();
    let creator = trial.account(chain_id, choices, ether(1)).await?;
    let trader = trial.account(chain_id, choices, target + ether(1)).await?;
    let launched = pad.launch_plain(&creator, choices, (target, gain, split), U256::ZERO).await?;
    sale_split_is_exact(pad, target, gain).await?;
    let mut trades =
        vec![Trade::Buy(U256::from(LEAST_BUY)), Trade::Buy(U256::from(LEAST_BUY + 99)), Trade::SellLeast];
    for _ in 0..5 {
        trades.push(Trade::Buy(choices.between(U256::from(LEAST_BUY), target / U256::from(7))));
        trades.push(Trade::Sell(choices.between(U256::ONE, U256::from(9_999)).to()));
    }
    trades.push(Trade::Sell(10_000));
    trades.push(Trade::Buy(choices.between(target / U256::from(9), target / U256::from(8))));
    for trade in trades {
        step(pad, &trader, &launched, trade).await?;
    }
    previews_at_the_target(pad, &launched).await?;
    creator_is_paid(pad, &creator, &launched).await
}

/// One trade: the preview, the transaction and the state after it equal the reference.
async fn step(pad: &LaunchFixture<'_>, trader: &Account, launched: &Launched, trade: Trade) -> Verdict {
    match trade {
        Trade::Buy(gross) => bought(pad, trader, launched, gross).await.map(drop),
        Trade::Sell(parts) => {
            let held = pad.tokens_of(launched.token, trader.address()).await?;
            let tokens = held * U256::from(parts) / U256::from(10_000);
            sold(pad, trader, launched, tokens).await
        }
        Trade::SellLeast => sold(pad, trader, launched, U256::from(LEAST_SALE)).await,
    }
}

/// A purchase: preview, event, state, balances and fees equal the reference.
pub(super) async fn bought(
    pad: &LaunchFixture<'_>,
    trader: &Account,
    launched: &Launched,
    gross: U256,
) -> Verdict<(Bought, TransactionReceipt)> {
    let before = pad.state(launched.id).await?;
    let (curve, position) = reference(&before);
    let split = BigInt::from(before.creatorFeeSplitBps);
    let expected = curve.buy(&position, &integer(gross), &split);
    preview_of_purchase(pad, launched.id, gross, &curve, &expected).await?;
    local_preview_of_purchase(pad, &curve, &position, gross).await?;
    let held = pad.tokens_of(launched.token, trader.address()).await?;
    let set_aside = buyback_of(pad, launched).await?;
    let wealth = pad.chain.balance(trader.address()).await?;
    let receipt = pad.buy(trader, launched.id, gross).await?;
    let spent = wealth - pad.chain.balance(trader.address()).await? - gas_of(&receipt);
    let now_held = pad.tokens_of(launched.token, trader.address()).await?;
    let event = pad.only_event::<LaunchHook::Trade>(&receipt)?;
    let fee = &expected.fees.protocol + &expected.fees.creator + &expected.fees.buyback;
    let sold = &expected.after.sold;
    let figures = [
        ("type of the trade", BigInt::zero(), BigInt::from(event.tradeType)),
        ("emitted cost", expected.cost.clone(), integer(event.amounts.ethAmount)),
        ("emitted tokens", expected.tokens.clone(), integer(event.amounts.tokenAmount)),
        ("emitted fee", fee, integer(event.amounts.fee)),
        ("emitted refund", expected.refund.clone(), integer(event.refund)),
        ("emitted price", curve.price_of_whole_token(sold), integer(event.price.priceAfter)),
        ("emitted market cap", curve.market_cap(sold), integer(event.price.marketCap)),
        ("wei that left the buyer", expected.cost.clone(), integer(spent)),
        ("tokens that came", expected.tokens.clone(), integer(now_held - held)),
    ];
    pad.agree(&pad.cast_receipt(receipt.transaction_hash), &figures)?;
    state_follows(pad, launched, &expected.after).await?;
    let now_aside = buyback_of(pad, launched).await?;
    fees_accrue(pad, launched, &receipt, &expected.fees.protocol).await?;
    pad.agree(
        &pad.cast_receipt(receipt.transaction_hash),
        &[("set aside for buying back", expected.fees.buyback.clone(), integer(now_aside - set_aside))],
    )?;
    Ok((expected, receipt))
}

/// A sale: preview, event, state and balances equal the reference.
async fn sold(pad: &LaunchFixture<'_>, trader: &Account, launched: &Launched, tokens: U256) -> Verdict {
    if tokens < U256::from(LEAST_SALE) {
        return Ok(());
    }
    let before = pad.state(launched.id).await?;
    let (curve, position) = reference(&before);
    let expected = curve.sell(&position, &integer(tokens), &BigInt::from(before.creatorFeeSplitBps));
    preview_of_sale(pad, launched.id, tokens, &expected).await?;
    local_preview_of_sale(pad, &before, tokens, &expected).await?;
    let held = pad.tokens_of(launched.token, trader.address()).await?;
    let set_aside = buyback_of(pad, launched).await?;
    pad.allow(trader, launched.token, U256::MAX).await?;
    let wealth = pad.chain.balance(trader.address()).await?;
    let call = LaunchHook::sellCall {
        launchId: launched.id,
        tokenAmount: tokens.to(),
        minEthOut: wei(&expected.payout),
        auth: crate::wire::CaptchaAuth::default(),
    };
    let receipt = pad.must_mine(trader, U256::ZERO, &call).await?;
    let came = pad.chain.balance(trader.address()).await? + gas_of(&receipt) - wealth;
    let now_held = pad.tokens_of(launched.token, trader.address()).await?;
    let event = pad.only_event::<LaunchHook::Trade>(&receipt)?;
    let fee = &expected.fees.protocol + &expected.fees.creator + &expected.fees.buyback;
    let sold = &expected.after.sold;
    let figures = [
        ("type of the trade", BigInt::from(1), BigInt::from(event.tradeType)),
        ("emitted gross", expected.gross.clone(), integer(event.amounts.ethAmount)),
        ("emitted tokens", integer(tokens), integer(event.amounts.tokenAmount)),
        ("emitted fee", fee, integer(event.amounts.fee)),
        ("emitted refund", BigInt::zero(), integer(event.refund)),
        ("emitted price", curve.price_of_whole_token(sold), integer(event.price.priceAfter)),
        ("emitted market cap", curve.market_cap(sold), integer(event.price.marketCap)),
        ("wei that came to the seller", expected.payout.clone(), integer(came)),
        ("tokens that left", integer(tokens), integer(held - now_held)),
        (
            "set aside for buying back",
            expected.fees.buyback.clone(),
            integer(buyback_of(pad, launched).await? - set_aside),
        ),
    ];
    pad.agree(&pad.cast_receipt(receipt.transaction_hash), &figures)?;
    fees_accrue(pad, launched, &receipt, &expected.fees.protocol).await?;
    state_follows(pad, launched, &expected.after).await
}

async fn state_follows(pad: &LaunchFixture<'_>, launched: &Launched, after: &Position) -> Verdict {
    let state = pad.state(launched.id).await?;
    let call = LaunchHook::getLaunchStateCall { launchId: launched.id };
    let figures = [
        ("tokens sold", after.sold.clone(), BigInt::from(state.sold)),
        ("net contributions", after.net.clone(), BigInt::from(state.netContributions)),
    ];
    pad.agree(&pad.cast(pad.hook, None, U256::ZERO, &call), &figures)
}

/// The protocol's fee goes to the protocol's account; a graduation may add what rounding leaves.
async fn fees_accrue(
    pad: &LaunchFixture<'_>,
    launched: &Launched,
    receipt: &TransactionReceipt,
    protocol: &BigInt,
) -> Verdict {
    let recipient = pad.read(&LaunchHook::protocolFeeRecipientCall {}).await?;
    let first = pad
        .events::<LaunchHook::FeesAccrued>(receipt)
        .into_iter()
        .find(|event| event.account == recipient && event.launchId == launched.id)
        .map_or(U256::ZERO, |event| event.amount);
    pad.agree(
        &pad.cast_receipt(receipt.transaction_hash),
        &[("fee of the protocol", protocol.clone(), integer(first))],
    )
}

/// What the creator has earned leaves to the creator, all of it and once.
async fn creator_is_paid(pad: &LaunchFixture<'_>, creator: &Account, launched: &Launched) -> Verdict {
    let earned = LaunchHook::withdrawableFeesCall { account: creator.address() };
    let from = launched.receipt.block_number.unwrap_or_default();
    let topic = <LaunchHook::FeesAccrued as alloy::sol_types::SolEvent>::SIGNATURE_HASH;
    let logs = pad.chain.logs(pad.hook, topic, from).await?;
    let expected = logs
        .iter()
        .filter_map(|log| log.log_decode::<LaunchHook::FeesAccrued>().ok())
        .filter(|log| log.inner.account == creator.address())
        .fold(U256::ZERO, |sum, log| sum + log.inner.amount);
    let owed = pad.read(&earned).await?;
    let wealth = pad.chain.balance(creator.address()).await?;
    let reproduce = pad.cast(pad.hook, None, U256::ZERO, &earned);
    pad.agree(&reproduce, &[("withdrawable fees", integer(expected), integer(owed))])?;
    if owed.is_zero() {
        return Ok(());
    }
    let receipt = pad.must_mine(creator, U256::ZERO, &LaunchHook::withdrawFeesCall {}).await?;
    let came = pad.chain.balance(creator.address()).await? + gas_of(&receipt) - wealth;
    let left = pad.read(&earned).await?;
    let figures = [
        ("fees paid out", integer(owed), integer(came)),
        ("withdrawable fees afterwards", BigInt::zero(), integer(left)),
    ];
    pad.agree(&reproduce, &figures)
}

async fn buyback_of(pad: &LaunchFixture<'_>, launched: &Launched) -> Verdict<U256> {
    let call = LaunchHook::accumulatedBuybackCall { launchId: launched.id };
    pad.read(&call).await
}

/// What a transaction cost its sender beside its value.
pub(crate) fn gas_of(receipt: &TransactionReceipt) -> U256 {
    U256::from(receipt.gas_used) * U256::from(receipt.effective_gas_price)
}

/// The address of a launch's token as the first currency of its pool, or not.
pub(super) fn token_is_first(token: Address, quote: Address) -> bool {
    token < quote
}
