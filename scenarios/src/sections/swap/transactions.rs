//! Transactions that come with a quote: signed and sent, they move what was quoted, or nothing if the bound would be exceeded.
use alloy::primitives::Bytes;
use num_bigint::BigInt;
use num_traits::Zero;

use super::calldata::is_the_quoted_trade;
use super::market::{NATIVE, Quote, SwapFixture, asks, built_for, with};
use super::quotes::{errs, rejects_with_400};
use super::routes::{allow, holding, reachable, settled, small};
use crate::answers::refusals;
use crate::client::chain::{Sending, TransactionOutcome, gas_of};
use crate::prelude::*;
use crate::truth::reference::{integer, part};

/// Slippage of most transactions, in basis points.
const SLIPPAGE: &str = "100";

/// `deposit()` of the wrapped coin.
const DEPOSIT: [u8; 4] = [0xd0, 0xe3, 0x0d, 0xb0];
/// Wei that are wrapped for a trade.
const WRAPPED: u64 = 100_000_000_000_000_000;

/// A request for a transaction.
struct Wish<'a> {
    user: &'a Account,
    sides: (Address, Address),
    /// `amount` or `amountOut`.
    given: &'static str,
    units: BigInt,
    slippage: Option<&'static str>,
}

clause! {
    QUOTE_BUILD = "QUOTE-BUILD" (S9, S83, S84, S218, S296, S303):
        "Building requires the user's address; the built transaction runs and pays at least what was promised.";
    check!("swap-quote-build" [Exclusive; Swap, PrimaryChain, Accounts; S9, S83, S84, S218, S296] built_transactions_pay:
        "a built transaction needs a user and, sent, moves what was quoted, for each of the router's six kinds and for the wrapped coin");
    check!("swap-quote-build-refused" [Exclusive; Swap, PrimaryChain, Accounts; S9, S84, S303] refuses("refused-build"):
        "a transaction that the user cannot pay or has not allowed is refused");
    check!("swap-quote-build-bounds" [Exclusive; Swap, PrimaryChain, Accounts; S9, S84, S296] bounds_are_never_broken:
        "when the price moves first, a built transaction keeps its bound or moves nothing");
}
clause! {
    QUOTE_REASON = "QUOTE-REASON" (choice S303): "A transaction that would fail is refused with the reason that the node gives.";
    check!("swap-quote-build-reason" [Exclusive; Swap, PrimaryChain, Accounts] refuses("reason-of-build"):
        "looks for the reason in the refusal of a transaction that the user cannot pay or has not allowed");
}
pub(super) async fn built_transactions_pay(trial: &Trial<'_>) -> Verdict {
    let mut market = SwapFixture::open(trial).await?;
    let mut choices = trial.choices("build");
    let trader = trial.account(PRIMARY, &mut choices, ether(20)).await?;
    let target = reachable(&market, &mut choices)?[0];
    user_is_needed(&market, &trader, target).await?;
    let wish = |sides, given, units| Wish { user: &trader, sides, given, units, slippage: Some(SLIPPAGE) };
    let input = small(&market, NATIVE, target);
    let bought = moves(&mut market, &wish((NATIVE, target), "amount", input)).await?;
    let unbounded = Wish { slippage: None, ..wish((NATIVE, target), "amountOut", part(&bought, 7)) };
    moves(&mut market, &wish((NATIVE, target), "amountOut", part(&bought, 5))).await?;
    moves(&mut market, &unbounded).await?;
    allow(&market, &trader, target).await?;
    let native = moves(&mut market, &wish((target, NATIVE), "amount", part(&bought, 5))).await?;
    moves(&mut market, &wish((target, NATIVE), "amountOut", part(&native, 2))).await?;
    wrap(&market, &trader).await?;
    allow(&market, &trader, market.wrapped).await?;
    let wrapped = market.wrapped;
    let got = moves(&mut market, &wish((wrapped, target), "amount", BigInt::from(WRAPPED / 10))).await?;
    moves(&mut market, &wish((wrapped, target), "amountOut", part(&got, 2))).await?;
    if let Some(other) = market.another(target) {
        let got = moves(&mut market, &wish((target, other), "amount", part(&bought, 5))).await?;
        moves(&mut market, &wish((target, other), "amountOut", part(&got, 2))).await?;
    }
    Ok(())
}

/// Judges calls that sell a token, which only a user who holds it and approved the router can get.
pub(super) async fn sales_are_the_quoted_trade(trial: &Trial<'_>) -> Verdict {
    let mut market = SwapFixture::open(trial).await?;
    let mut choices = trial.choices("sales");
    let trader = trial.account(PRIMARY, &mut choices, ether(5)).await?;
    let target = reachable(&market, &mut choices)?[0];
    let wish = |sides, given, units| Wish { user: &trader, sides, given, units, slippage: Some(SLIPPAGE) };
    let input = small(&market, NATIVE, target);
    let bought = moves(&mut market, &wish((NATIVE, target), "amount", input)).await?;
    allow(&market, &trader, target).await?;
    for to in [Some(NATIVE), market.another(target)].into_iter().flatten() {
        let sale = asked(&market, &wish((target, to), "amount", part(&bought, 3))).await?;
        let half = part(&sale.amount("amountOut")?, 2);
        let purchase = asked(&market, &wish((target, to), "amountOut", half)).await?;
        let now = market.chain.head().await?.header.timestamp;
        for quote in [sale, purchase] {
            is_the_quoted_trade(trial, &quote.response, market.wrapped, Some(now))?;
        }
    }
    Ok(())
}

/// The accounts differ in each run: without a revert, purchases and approvals of an earlier run would remain.
async fn refuses(trial: &Trial<'_>, label: &str) -> Verdict {
    let mut market = SwapFixture::open(trial).await?;
    let mut choices = trial.choices(label);
    let mut accounts = trial.new_choices(label).await?;
    let trader = trial.account(PRIMARY, &mut accounts, ether(5)).await?;
    let poor = Account::fresh(&mut accounts);
    let target = reachable(&market, &mut choices)?[0];
    let wish = |user, sides, given, units| Wish { user, sides, given, units, slippage: Some(SLIPPAGE) };
    let input = small(&market, NATIVE, target);
    let without_native = wish(&poor, (NATIVE, target), "amount", input.clone());
    has_a_reason(&market, &without_native).await?;
    let bought = moves(&mut market, &wish(&trader, (NATIVE, target), "amount", input)).await?;
    for given in ["amount", "amountOut"] {
        let units = if given == "amount" { part(&bought, 3) } else { BigInt::from(1_000_000) };
        has_a_reason(&market, &wish(&trader, (target, NATIVE), given, units)).await?;
    }
    allow(&market, &trader, target).await?;
    let beyond = wish(&trader, (target, NATIVE), "amount", &bought + 1);
    has_a_reason(&market, &beyond).await?;
    moves(&mut market, &wish(&trader, (target, NATIVE), "amount", bought)).await.map(drop)
}

pub(super) async fn bounds_are_never_broken(trial: &Trial<'_>) -> Verdict {
    let mut market = SwapFixture::open(trial).await?;
    let mut choices = trial.choices("bounds");
    let trader = trial.account(PRIMARY, &mut choices, ether(40)).await?;
    let target = reachable(&market, &mut choices)?[0];
    let sides = (NATIVE, target);
    for given in ["amount", "amountOut"] {
        // The second competing trade exceeds the bound, the first does not.
        for (mover, passes) in [(2_000, true), (60, false)] {
            let input = small(&market, NATIVE, target);
            let units = match given {
                "amount" => input,
                _ => Quote::of(trial, market.ask_in(NATIVE, target, &input).await?)?.amount("amountOut")?,
            };
            let wish = Wish { user: &trader, sides, given, units, slippage: Some(SLIPPAGE) };
            let quote = asked(&market, &wish).await?;
            let path = market.path_of(&quote)?;
            let (moved, expected) = if passes {
                (gentle_move(&market, &path, mover), "a small move leaves it within its bound")
            } else {
                (part_of_first(&market, &path, mover), "beyond its bound it moves nothing")
            };
            buys(&mut market, &trader, &path, &moved).await?;
            let before = holding(&market, trader.address(), target).await?;
            let outcome = send(&market, &trader, &quote).await?;
            let came = integer(holding(&market, trader.address(), target).await?) - integer(before);
            let least = quote.amount(if given == "amount" { "minimumAmountOut" } else { "amountOut" })?;
            let holds = if passes {
                outcome.success().is_some() && came >= least
            } else {
                outcome.success().is_none() && came.is_zero()
            };
            trial.require_or(&quote.response, holds, expected, || {
                format!("{came} came; {}", outcome.describe())
            })?;
            settled(&mut market, &outcome).await?;
        }
    }
    Ok(())
}

/// Returns a fraction of the first pair's reserve on a path: one part in `parts`.
fn part_of_first(market: &SwapFixture<'_>, path: &[Address], parts: u32) -> BigInt {
    let held = market.exchange.reserves(path[0], path[1]).map(|(held, _)| held.clone());
    part(&held.unwrap_or_default(), parts)
}

/// Returns an input that gives no pair of a path more than one part in `parts` of its reserve.
fn gentle_move(market: &SwapFixture<'_>, path: &[Address], parts: u32) -> BigInt {
    let is_gentle = |input: &BigInt| {
        market.exchange.forward(path, input).is_none_or(|amounts| {
            path.windows(2).zip(&amounts).all(|(step, amount)| {
                let reserves = market.exchange.reserves(step[0], step[1]);
                reserves.is_none_or(|(held, _)| amount * parts <= *held)
            })
        })
    };
    let mut input = part_of_first(market, path, parts);
    while !is_gentle(&input) && input > BigInt::from(1) {
        input = part(&input, 2);
    }
    input
}

/// Wraps some of the native coin for an account.
async fn wrap(market: &SwapFixture<'_>, trader: &Account) -> Verdict {
    let input = DEPOSIT.to_vec().into();
    let sending = Sending { to: Some(market.wrapped), value: U256::from(WRAPPED), input, gas: None };
    let outcome = market.chain.send(trader, sending).await?;
    need_material(outcome.success().is_some(), format!("nothing is wrapped: {}", outcome.describe()))
}

async fn user_is_needed(market: &SwapFixture<'_>, trader: &Account, target: Address) -> Verdict {
    let input = small(market, NATIVE, target);
    let output = market.quote(&asks(NATIVE, target, "amount", &input)).await?.amount("amountOut")?;
    for (given, amount) in [("amount", input), ("amountOut", output)] {
        let plain = asks(NATIVE, target, given, amount);
        rejects_with_400(market, &with(&plain, "buildTx", "true")).await?;
        market.refuses_each(refusals::USERS, &plain).await?;
        for (name, value) in [("buildTx", "false"), ("slippage", "1")] {
            let query = with(&with(&plain, name, value), "userAddress", trader.address());
            let quote = market.quote(&query).await?;
            let built = quote.body.get("transaction").is_some();
            market.require_equal(&quote.response, "transaction is there", &false, &built)?;
        }
    }
    Ok(())
}

/// Requests a transaction, sends it unchanged, and compares the moved amounts with the quote; returns the received amount.
async fn moves(market: &mut SwapFixture<'_>, wish: &Wish<'_>) -> Verdict<BigInt> {
    let (from, to) = wish.sides;
    let user = wish.user.address();
    let quote = asked(market, wish).await?;
    let before = (holding(market, user, from).await?, holding(market, user, to).await?);
    let outcome = send(market, wish.user, &quote).await?;
    let Some(receipt) = outcome.success() else {
        let expected = "the transaction, signed and sent, succeeds with the gas it names";
        return Err(market.failure(&quote.response, expected, outcome.describe()));
    };
    let gas = |side| {
        if side == NATIVE { integer(gas_of(receipt)) } else { BigInt::zero() }
    };
    let after = (holding(market, user, from).await?, holding(market, user, to).await?);
    let left = integer(before.0) - integer(after.0) - gas(from);
    let came = integer(after.1) - integer(before.1) + gas(to);
    market.require_equal(&quote.response, "what left", &quote.amount("amountIn")?, &left)?;
    let promised = quote.amount("amountOut")?;
    if wish.given == "amount" {
        market.require_equal(&quote.response, "what came", &promised, &came)?;
    } else {
        // One unit of input less would not be enough, so this input may buy slightly more than requested.
        market.require_or(&quote.response, came >= promised, "what was asked for came", || {
            format!("{came} of {promised}")
        })?;
    }
    settled(market, &outcome).await?;
    Ok(came)
}

/// Requests the quote with its transaction.
async fn asked<'w>(market: &SwapFixture<'w>, wish: &Wish<'_>) -> Verdict<Quote<'w>> {
    let quote = Quote::of(market, request(market, wish).await?)?;
    let transaction = &quote.body["transaction"];
    let text = |field: &str| transaction[field].as_str().unwrap_or_default();
    let number = |field: &str| text(field).parse::<U256>().ok();
    let well_formed = number("value").is_some()
        && number("gas").is_some_and(|gas| !gas.is_zero())
        && number("gasPrice").is_some_and(|price| !price.is_zero())
        && text("data").parse::<Bytes>().is_ok_and(|data| data.len() > 4);
    let expected = "a transaction of strings: value, gas and gasPrice as numbers, data as bytes";
    market.require_or(&quote.response, well_formed, expected, || transaction.to_string())?;
    let ends = (text("from").parse().ok(), text("to").parse().ok());
    let expected = (Some(wish.user.address()), Some(market.router));
    market.require_equal(&quote.response, "from and to of the transaction", &expected, &ends)?;
    Ok(quote)
}

async fn request(market: &SwapFixture<'_>, wish: &Wish<'_>) -> Verdict<Response> {
    let plain = asks(wish.sides.0, wish.sides.1, wish.given, &wish.units);
    let mut query = built_for(&plain, wish.user.address());
    query.extend(wish.slippage.map(|slippage| param("slippage", slippage)));
    market.ask(&query).await
}

/// Signs and sends the transaction of a quote with the stated gas.
async fn send(market: &SwapFixture<'_>, trader: &Account, quote: &Quote<'_>) -> Verdict<TransactionOutcome> {
    let transaction = &quote.body["transaction"];
    let text = |field: &str| transaction[field].as_str().unwrap_or_default();
    let sending = Sending {
        to: Some(market.router),
        value: text("value").parse().unwrap_or_default(),
        input: text("data").parse().unwrap_or_default(),
        gas: text("gas").parse().ok(),
    };
    Ok(market.chain.send(trader, sending).await?)
}

/// Trades the native coin along a path from another account.
async fn buys(market: &mut SwapFixture<'_>, trader: &Account, path: &[Address], units: &BigInt) -> Verdict {
    let last = *path.last().unwrap_or(&market.wrapped);
    let sending = market.router_call(trader.address(), (NATIVE, last), units, path.to_vec());
    let outcome = market.chain.send(trader, sending).await?;
    if outcome.success().is_none() {
        return Err(no_material(format!("the price cannot be moved: {}", outcome.describe())));
    }
    settled(market, &outcome).await
}

/// Requires a refusal with 500 by the gas estimate; that it states the reason is a choice.
async fn has_a_reason(market: &SwapFixture<'_>, wish: &Wish<'_>) -> Verdict {
    let response = request(market, wish).await?;
    errs(market, &response)?;
    let body = response.json().unwrap_or_default();
    let result = |field: &str| body[field].as_str().is_some_and(|text| !text.is_empty());
    // The node's message is in the details, or may be part of the error text.
    let reason = result("details") || body["error"].as_str().is_some_and(|text| text.contains("revert"));
    market.by_choice(&QUOTE_REASON).require(&response, reason, "the reason why it would fail")?;
    market.cause_fits(&response, "a refusal by quote-gas", |cause| cause == Some("quote-gas")).await
}
