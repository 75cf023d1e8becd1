//! V1: its contract still answers reads and trades, ours takes no new token, and the service shows its tokens.
use num_bigint::BigInt;
use num_rational::BigRational;

use super::launch_fixture::{LaunchFixture, events_of};
use crate::client::chain::gas_of;
use crate::client::wire::{Token, TokenFactory, V1State};
use crate::model::bounds::Bounds;
use crate::model::conventions::unnamed;
use crate::model::figure::decimal;
use crate::model::shown::readable;
use crate::prelude::*;
use crate::sections::meaning::tokens::records_hold;
use crate::sections::token::TOKEN_FIELDS;
use crate::truth::ledger::deployments::Deployments;
use crate::truth::reference::curve::Position;
use crate::truth::reference::integer;
use crate::truth::reference::v1::Exponential;

/// Token units by which a purchase may differ from one in real numbers, because exponentials on a chain have finite precision.
const UNIT: u32 = 1;
/// The target raise of the curve, in wei.
const TARGET: u64 = 3_000_000_000_000_000_000;
/// Most tokens that are read.
const MOST: u64 = 12;

clause! {
    CH_V1 = "CH-V1" (S296, S327): "V1 contracts answer reads, and their tokens are served.";
    check!("chain-first-version" [Exclusive; LaunchHook, PrimaryChain, Accounts] v1_is_alive:
        "V1 answers reads and trades, and the service agrees with it");
}
pub(super) async fn v1_is_alive(trial: &Trial<'_>) -> Verdict {
    let (fixture, tokens) = factory(trial).await?;
    let payer = trial.payer()?.address();
    for (token, state) in &tokens {
        let token = *token;
        if trial.has(Need::Rest) {
            let (response, row) = trial.token(token).await?;
            shows(&fixture, &response, &row, token, state).await?;
        } else {
            trial.looks_at(["S296"]);
        }
        if state.graduated {
            let call = TokenFactory::buyCall { token, minTokensOut: U256::ZERO };
            fixture.reverts::<_, TokenFactory::AlreadyGraduated>(payer, ether(1), &call).await?;
        }
    }
    match tokens.iter().find(|(_, state)| !state.graduated) {
        Some((token, _)) => trades(&fixture, *token).await,
        None => Err(no_material("no V1 token is on its curve")),
    }
}

clause! {
    CH_V1_CLOSED = "CH-V1-CLOSED" (choice S327): "V1 contracts take no new token.";
    check!("chain-first-version-closed" [Read; LaunchHook, PrimaryChain] takes_no_token: "tries to create a V1 token");
}
async fn takes_no_token(trial: &Trial<'_>) -> Verdict {
    let (fixture, _) = factory(trial).await?;
    let creation = TokenFactory::createTokenCall {
        name: "Late".to_owned(),
        symbol: "LATE".to_owned(),
        description: String::new(),
        imageUrl: String::new(),
    };
    let somebody = Address::from_word(trial.choices("first-version-closed").word());
    fixture.reverts::<_, TokenFactory::CreationClosed>(somebody, U256::ZERO, &creation).await
}

/// Returns the factory, found by its deployment's version, and its first tokens; skips the check if it has another ABI.
async fn factory<'a>(trial: &Trial<'a>) -> Verdict<(LaunchFixture<'a>, Vec<(Address, V1State)>)> {
    let mut fixture = LaunchFixture::open(trial, PRIMARY).await?;
    let declared = trial.target().conventions.v1_factory;
    let mut deployments = fixture.capabilities["tradeableDeployments"].as_array().into_iter().flatten();
    let first = deployments.find(|deployment| deployment["version"] == "v1");
    let mut named = first.and_then(|deployment| parsed(&deployment["hook"]));
    if named.is_none() && declared.is_none() && trial.has(Need::Rest) {
        // The names of a version and of its contract are left open.
        let known = Deployments::read(trial, fixture.chain).await?.tradeable;
        named = known.into_iter().find(|deployment| deployment.is_v1).map(|deployment| deployment.hook);
    }
    fixture.hook = declared.or(named).ok_or_else(|| unnamed("V1 deployment", "v1-factory"))?;
    let answers = fixture.chain.call(fixture.hook, &TokenFactory::tokenCountCall {}).await?.is_ok();
    if !answers && !fixture.chain.code(fixture.hook).await?.is_empty() {
        let reason = format!("the factory {} has another ABI and was not tested", fixture.hook);
        return Err(Stop::Skipped(reason));
    }
    let count = fixture.read(&TokenFactory::tokenCountCall {}).await?;
    let mut tokens = Vec::new();
    for index in (0..count.saturating_to::<u64>().min(MOST)).map(U256::from) {
        let token = fixture.read(&TokenFactory::tokensCall { index }).await?;
        tokens.push((token, fixture.read(&TokenFactory::getTokenStateCall { token }).await?));
    }
    Ok((fixture, tokens))
}

pub(super) async fn curve_is_exponential(trial: &Trial<'_>) -> Verdict {
    let (fixture, tokens) = factory(trial).await?;
    let curve = Exponential::default();
    let mut choices = trial.choices("first-version-curve");
    let open: Vec<_> = tokens.into_iter().filter(|(_, state)| !state.graduated).collect();
    for (token, state) in &open {
        let position = Position { sold: BigInt::from(state.sold), net: BigInt::from(state.contributions) };
        let some = choices.between(U256::ONE, U256::from(1_000)) * ether(1) / U256::from(500);
        for wei in [U256::from(10_000_000_000_000_u64), some, ether(4)] {
            let call = TokenFactory::previewBuyCall { token: *token, ethIn: wei };
            let stated = fixture.read(&call).await?;
            let expected = curve.buy(&position, &integer(wei));
            let tokens = integer(stated.tokensOut);
            let near = (&expected.tokens - &tokens).magnitude() <= &UNIT.into();
            let figures = [
                ("cost", expected.cost, integer(stated.cost)),
                ("refund", expected.refund, integer(stated.refund)),
                ("tokens", if near { tokens.clone() } else { expected.tokens }, tokens),
            ];
            fixture.agree(&fixture.cast(fixture.hook, None, U256::ZERO, &call), &figures)?;
        }
        let sold = U256::from(state.sold);
        let some = sold / choices.between(U256::from(2), U256::from(1_000));
        for amount in [some, sold] {
            let call = TokenFactory::previewSellCall { token: *token, tokenAmount: amount };
            let stated = fixture.read(&call).await?;
            let expected = curve.sell(&position, &integer(amount));
            let fee = expected.gross - &expected.payout;
            let figures =
                [("payout", expected.payout, integer(stated.payout)), ("fee", fee, integer(stated.fee))];
            fixture.agree(&fixture.cast(fixture.hook, None, U256::ZERO, &call), &figures)?;
        }
    }
    need_material(!open.is_empty(), "no V1 token is on its curve")
}

/// The service shows the token as the factory stores it.
async fn shows(
    fixture: &LaunchFixture<'_>,
    response: &Response,
    row: &Value,
    token: Address,
    state: &V1State,
) -> Verdict {
    // The set of the record's fields, and how its figures are computed, are choices.
    let fields = fixture.by(&TOKEN_FIELDS);
    let address = |name: &str| parsed::<Address>(&row[name]);
    fields.require_equal(response, "version", &json!("v1"), &row["version"])?;
    fields.require_equal(response, "owner", &Some(state.creator), &address("owner"))?;
    fields.require_equal(response, "hook_address", &Some(fixture.hook), &address("hook_address"))?;
    let name = fixture.read_from(token, &Token::nameCall {}).await?;
    fields.require_equal(response, "name", &json!(name), &row["name"])?;
    let graduated = json!(state.graduated);
    fields.require_equal(response, "is_graduated", &graduated, &row["is_graduated"])?;
    let pair = state.graduated.then_some(state.pair);
    fields.require_equal(response, "pool", &pair, &address("pool"))?;
    let mut figures = vec![("funding_progress", progress(state))];
    if !state.graduated {
        let price = fixture.read(&TokenFactory::priceOfCall { token }).await?;
        figures.push(("price_eth", BigRational::new(integer(price), BigInt::from(ETHER))));
    }
    figures.iter().try_for_each(|(name, exact)| {
        let (near, shown) = (is_near(&row[*name], exact), || format!("{name} = {}", row[*name]));
        let expected = format!("{name} = {}", Bounds::exact(exact.clone()));
        fields.require_or(response, near, &expected, shown)
    })
}

fn progress(state: &V1State) -> BigRational {
    BigRational::new(BigInt::from(state.contributions), BigInt::from(TARGET))
}

/// Whether a shown figure is the expected one, cut at its last digits.
fn is_near(shown: &Value, expected: &BigRational) -> bool {
    let slack = expected / BigInt::from(10).pow(14);
    decimal(shown).is_some_and(|shown| shown <= *expected && expected - &shown <= slack)
}

/// A purchase and a sale move what their previews said, and the service shows the resulting state.
async fn trades(fixture: &LaunchFixture<'_>, token: Address) -> Verdict {
    let mut choices = fixture.choices("first-version");
    let trader = fixture.account(PRIMARY, &mut choices, ether(2)).await?;
    let value = ether(1) / U256::from(50);
    let preview = fixture.read(&TokenFactory::previewBuyCall { token, ethIn: value }).await?;
    let buy = TokenFactory::buyCall { token, minTokensOut: preview.tokensOut };
    // An earlier run with the same seed may have left tokens with the trader.
    let kept = fixture.tokens_of(token, trader.address()).await?;
    let receipt = fixture.must_mine(&trader, value, &buy).await?;
    let held = fixture.tokens_of(token, trader.address()).await? - kept;
    stated(fixture, &receipt, 0, (preview.cost, held))?;
    let reproduce = fixture.cast_receipt(receipt.transaction_hash);
    fixture.agree(&reproduce, &[("tokens bought", integer(preview.tokensOut), integer(held))])?;
    let amount = held / U256::from(2);
    let sale = fixture.read(&TokenFactory::previewSellCall { token, tokenAmount: amount }).await?;
    fixture.allow(&trader, token, amount).await?;
    let before = fixture.chain.balance(trader.address()).await?;
    let sell = TokenFactory::sellCall { token, tokenAmount: amount, minEthOut: sale.payout };
    let receipt = fixture.must_mine(&trader, U256::ZERO, &sell).await?;
    stated(fixture, &receipt, 1, (sale.payout + sale.fee, amount))?;
    let paid = fixture.chain.balance(trader.address()).await? + gas_of(&receipt) - before;
    let reproduce = fixture.cast_receipt(receipt.transaction_hash);
    fixture.agree(&reproduce, &[("paid for the sale", integer(sale.payout), integer(paid))])?;
    if !fixture.has(Need::Rest) {
        return Ok(());
    }
    let state = fixture.read(&TokenFactory::getTokenStateCall { token }).await?;
    let progress = progress(&state);
    let seen = |row: &Value| is_near(&row["funding_progress"], &progress);
    let (response, row) = fixture.token_after(PRIMARY, &receipt, token, seen).await?;
    shows(fixture, &response, &row, token, &state).await?;
    records_hold(fixture, vec![token]).await
}

/// Returns the only trade of a receipt: its kind, gross amount and tokens.
fn stated(
    fixture: &LaunchFixture<'_>,
    receipt: &alloy::rpc::types::TransactionReceipt,
    kind: u8,
    (gross, tokens): (U256, U256),
) -> Verdict {
    let trades = events_of::<TokenFactory::TokenTraded>(fixture.hook, receipt);
    let right = matches!(trades.as_slice(), [trade]
        if (trade.tradeType, trade.ethAmount, trade.tokenAmount) == (kind, gross, tokens));
    let expected = format!("one TokenTraded of type {kind}, {gross} wei and {tokens} units");
    let reproduce = fixture.cast_receipt(receipt.transaction_hash);
    fixture.require_or(&reproduce, right, &expected, || readable(&trades))
}
