//! Quotes by themselves: requests, refusals, shapes, bounds and laws.
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed as _, Zero};

use super::market::{NATIVE, Quote, Quotes, READINGS, asks, built_for, with};
use super::routes::reachable;
use crate::answers::reads::Query;
use crate::answers::refusals::{self, NO_ADDRESS};
use crate::model::figure::rational;
use crate::model::shown::readable;
use crate::prelude::*;
use crate::sections::service::refusals::SVC_ERR;
use crate::truth::reference::{integer, part};

clause! {
    QUOTE_REQ = "QUOTE-REQ" (S9, S211, S213, S298): "Both tokens are required, else 400.";
    check!("swap-quote-tokens-required" [Read; Swap] tokens_are_required:
        "both tokens are required and must be addresses");
}
pub(super) async fn tokens_are_required(trial: &Trial<'_>) -> Verdict {
    let market = Quotes::open(trial).await?;
    let sound = example(&market, "amount")?;
    for left in [&sound[1..], &[&sound[..1], &sound[2..]].concat(), &sound[2..], &[]] {
        rejects_with_400(&market, left).await?;
    }
    for (wrong, side) in NO_ADDRESS.iter().flat_map(|wrong| [(wrong, 0), (wrong, 1)]) {
        let mut query = sound.clone();
        (*wrong).clone_into(&mut query[side].1);
        market.refused(&market.ask(&query).await?, 400, &[]).await?;
    }
    market.quote(&sound).await.map(drop)
}

clause! {
    QUOTE_ONE_AMOUNT = "QUOTE-ONE-AMOUNT" (S9, S219, S299): "Exactly one of amount and amountOut is required, else 400.";
    check!("swap-quote-one-amount" [Read; Swap] exactly_one_amount:
        "exactly one of both amounts is sent, for a trade and to wrap the native coin");
}
pub(super) async fn exactly_one_amount(trial: &Trial<'_>) -> Verdict {
    let market = Quotes::open(trial).await?;
    for (name, field) in [("amount", "amountIn"), ("amountOut", "amountOut")] {
        for sound in examples(&market, name)? {
            rejects_with_400(&market, &sound[..2]).await?;
            let both = with(&with(&sound[..2], "amount", 1_000), "amountOut", 1_000);
            rejects_with_400(&market, &both).await?;
            market.quote(&sound).await?.is(field, &sound[2].1.parse().unwrap_or_default())?;
        }
    }
    Ok(())
}

clause! {
    QUOTE_SLIP = "QUOTE-SLIP" (S9, S216, S300, S322):
        "Slippage is 0 to 10000 basis points; a value out of range, or not a number, is 400.";
    check!("swap-quote-slippage" [Read; Swap] slippage_is_bounded:
        "whole basis points from 0 to 10000 are taken, and nothing beyond them, for a trade and to wrap the native coin");
}
pub(super) async fn slippage_is_bounded(trial: &Trial<'_>) -> Verdict {
    let market = Quotes::open(trial).await?;
    let chosen = trial.choices("slippage").below(U256::from(10_001)).to_string();
    for sound in [examples(&market, "amount")?, examples(&market, "amountOut")?].concat() {
        for taken in ["0", "1", "50", "9999", "10000", &chosen] {
            let quote = market.quote(&with(&sound, "slippage", taken)).await?;
            // Whether the quote echoes it is a choice.
            if quote.body["metadata"].get("slippageBps").is_some() {
                let reported = quote.number(&quote.body["metadata"], "slippageBps")?;
                trial.require_equal(&quote.response, "slippageBps", &rational(taken), &Some(reported))?;
            }
        }
        for query in refusals::SLIPPAGES.iter().flat_map(|row| row.queries(&sound)) {
            rejects_with_400(&market, &query).await?;
        }
    }
    Ok(())
}

clause! {
    QUOTE_READING = "QUOTE-READING" (choice S85, S214, S215, S216):
        "Amounts are whole numbers above zero, slippage is in whole basis points, and unwrapping is like wrapping.";
    check!("swap-quote-reading" [Read; Swap] numbers_are_plain:
        "sends amounts and slippages in other forms, and unwraps the native coin");
}
pub(super) async fn numbers_are_plain(trial: &Trial<'_>) -> Verdict {
    let market = Quotes::open(trial).await?;
    for name in ["amount", "amountOut"] {
        let sound = example(&market, name)?;
        trial.refuses_each(refusals::SLIPPAGE_FORMS, &sound).await?;
    }
    trial.refuses_each(refusals::AMOUNTS, &example(&market, "amount")?[..2]).await?;
    one_to_one(&market, market.wrapped()?, NATIVE).await
}

clause! {
    QUOTE_SHAPE = "QUOTE-SHAPE" (S9, S75, S76, S77, S79, S80, S81, S82, S83, S217): "A quote has its fields with their types.";
    check!("swap-quote-shape" [Read; Swap] quote_has_its_shape:
        "a quote has every field with its type, and no transaction unless one is asked for");
}
pub(super) async fn quote_has_its_shape(trial: &Trial<'_>) -> Verdict {
    let market = Quotes::open(trial).await?;
    for name in ["amount", "amountOut"] {
        let plain = example(&market, name)?;
        let of_user = with(&plain, "userAddress", Address::repeat_byte(0x5b));
        for query in [with(&plain, "slippage", 50), with(&of_user, "buildTx", "false"), of_user, plain] {
            let quote = market.quote(&query).await?;
            shape(&quote)?;
            let built = quote.body.get("transaction").is_some();
            trial.require_equal(&quote.response, "transaction is there", &false, &built)?;
        }
    }
    Ok(())
}

clause! {
    QUOTE_MIN_OUT = "QUOTE-MIN-OUT" (S9, S73, S220):
        "The minimum output after slippage is given for exact inputs with slippage only, exact to a unit.";
    check!("swap-quote-minimum-out" [Read; Swap] least_output_is_exact:
        "the least output is there with slippage on exact input only, rounded to a unit either way");
}
pub(super) async fn least_output_is_exact(trial: &Trial<'_>) -> Verdict {
    with_slippage(trial, "least-output", "amount", |plain, bounded, basis_points| {
        absent(plain, "minimumAmountOut")?;
        absent(plain, "maximumAmountIn")?;
        let out = bounded.amount("amountOut")?;
        is_minimum(bounded, "minimumAmountOut", &out, &basis_points)?;
        absent(bounded, "maximumAmountIn")
    })
    .await
}

/// Basis points of slippage that are always tried.
const EDGES: [u16; 3] = [0, 1, 10_000];

/// Judges random quotes of an amount, each without slippage and with some basis points.
async fn with_slippage(
    trial: &Trial<'_>,
    label: &str,
    name: &'static str,
    judge: fn(&Quote<'_>, &Quote<'_>, BigInt) -> Verdict,
) -> Verdict {
    let market = Quotes::open(trial).await?;
    let mut choices = trial.choices(label);
    let mut edges = EDGES.into_iter();
    for (from, to) in market.choose_many(&mut choices, 8)? {
        let (given, other) = if name == "amount" { (from, to) } else { (to, from) };
        let units = sized(&market, &mut choices, given, other);
        let chosen = choices.below(U256::from(10_001));
        let asked = asks(from, to, name, &units);
        let Some(plain) = Quote::if_given(trial, market.ask(&asked).await?)? else { continue };
        let basis_points = edges.next().map_or(chosen, U256::from);
        let bounded = market.quote(&with(&asked, "slippage", basis_points)).await?;
        judge(&plain, &bounded, integer(basis_points))?;
    }
    Ok(())
}

clause! {
    QUOTE_MAX_IN = "QUOTE-MAX-IN" (S9, S74, S220): "The maximum input after slippage is given for exact outputs.";
    check!("swap-quote-maximum-in" [Read; Swap] most_input_is_exact:
        "the most input is there on exact output only, rounded to a unit either way");
}
pub(super) async fn most_input_is_exact(trial: &Trial<'_>) -> Verdict {
    with_slippage(trial, "most-input", "amountOut", |plain, bounded, basis_points| {
        let (input, most) = (plain.amount("amountIn")?, plain.amount("maximumAmountIn")?);
        let expected = "maximumAmountIn of amountIn or more";
        plain.trial.require_or(&plain.response, most >= input, expected, || most.to_string())?;
        absent(plain, "minimumAmountOut")?;
        let input = bounded.amount("amountIn")?;
        near(bounded, "maximumAmountIn", input * (10_000 + basis_points))?;
        absent(bounded, "minimumAmountOut")
    })
    .await
}

clause! {
    QUOTE_RATES = "QUOTE-RATES" (S9, S78):
        "The price impact is from 0 to 1 and grows with size.";
    check!("swap-quote-rates" [Read; Swap] impact_is_a_share:
        "price impact is a share, no smaller for a larger trade along one route");
    check!("swap-law-impact-grows" [Read; Swap, PrimaryChain] super::laws::impact_grows_with_size:
        "along one route the price impact never falls as the trade grows");
}
pub(super) async fn impact_is_a_share(trial: &Trial<'_>) -> Verdict {
    let market = Quotes::open(trial).await?;
    let mut choices = trial.choices("rates");
    let mut seen = 0;
    for (from, to) in market.choose_many(&mut choices, 6)? {
        let (start, end) = (market.traded(from), market.traded(to));
        let depth = market.depth(start, end).unwrap_or_default();
        let mut last: Option<(Vec<Address>, BigRational, BigRational)> = None;
        for divisor in [100_000, 1_000, 10, 1] {
            let amount: BigInt = &depth / divisor;
            if amount.is_zero() {
                continue;
            }
            let response = market.ask_in(from, to, &amount).await?;
            let Some(quote) = Quote::if_given(trial, response)? else { continue };
            let path = quote.path()?;
            let impact = quote.number(&quote.body, "priceImpact")?;
            let inside = impact >= BigRational::zero() && impact <= BigRational::one();
            let shown = || quote.body["priceImpact"].to_string();
            quote.trial.require_or(&quote.response, inside, "priceImpact is from 0 to 1", shown)?;
            // Outputs are whole units: if there are few, the rounding of the smaller trade is visible.
            let paid = quote.amount("amountOut")?.max(BigInt::one());
            let rounding = BigRational::new(path.len().into(), paid);
            if let Some((same, earlier, slack)) = last.take()
                && same == path
            {
                let (rises, expected) = (impact >= &earlier - &slack, "a larger trade has no smaller impact");
                trial.require_or(&quote.response, rises, expected, || format!("{impact} after {earlier}"))?;
                seen += 1;
            }
            last = Some((path, impact, rounding));
        }
    }
    need_material(seen != 0, "no route could be quoted at two sizes")
}

clause! {
    QUOTE_WRAP = "QUOTE-WRAP" (S9, S85, S86, S87, S88, S220):
        "Wrapping the native coin is one to one, free, bounded like any quote, and builds no transaction.";
    check!("swap-quote-wrap" [Read; Swap] wrapping_is_one_to_one:
        "wrapping is one to one without fee or transaction, and has the bounds of its amount");
}
pub(super) async fn wrapping_is_one_to_one(trial: &Trial<'_>) -> Verdict {
    let market = Quotes::open(trial).await?;
    one_to_one(&market, NATIVE, market.wrapped()?).await
}

/// Quotes between the two are one to one and free, and build no transaction.
async fn one_to_one(market: &Quotes<'_>, from: Address, to: Address) -> Verdict {
    let mut choices = market.choices("wrap");
    let user = Address::from_slice(&choices.word()[..20]);
    for name in ["amount", "amountOut"] {
        let amount = integer(choices.between(U256::ONE, U256::from(u128::MAX)));
        let plain = asks(from, to, name, &amount);
        for query in [built_for(&plain, user), plain] {
            let quote = market.quote(&query).await?;
            quote.is("amountIn", &amount)?;
            quote.is("amountOut", &amount)?;
            quote.is("lpFee", &BigInt::zero())?;
            absent(&quote, "transaction")?;
            for field in ["executionRate", "spotRate"] {
                market.require_equal(&quote.response, field, &Some("1"), &quote.body[field].as_str())?;
            }
            for (within, name) in [(&quote.body, "priceImpact"), (&quote.body["metadata"], "lpFeePercent")] {
                let reported = quote.number(within, name)?;
                market.require_equal(&quote.response, name, &BigRational::zero(), &reported)?;
            }
        }
        is_bounded(market, &asks(from, to, name, &amount), &amount).await?;
    }
    Ok(())
}

/// A quote of one to one has the bound of its amount: with a slippage the least output or the most input, without one the most input too.
async fn is_bounded(market: &Quotes<'_>, plain: &Params, amount: &BigInt) -> Verdict {
    let exact_in = plain.iter().any(|(name, _)| *name == "amount");
    let percent = part(amount, 100) + 1;
    let (field, least, most) = if exact_in {
        ("minimumAmountOut", amount - percent, amount.clone())
    } else {
        ("maximumAmountIn", amount.clone(), amount + percent)
    };
    let without = (!exact_in).then(|| plain.to_vec());
    for query in without.into_iter().chain([with(plain, "slippage", 100)]) {
        let quote = market.quote(&query).await?;
        let bound = quote.amount(field)?;
        let expected = format!("{field} from {least} to {most}");
        let within = (&least..=&most).contains(&&bound);
        market.require_or(&quote.response, within, &expected, || bound.to_string())?;
    }
    Ok(())
}

clause! {
    QUOTE_NATIVE = "QUOTE-NATIVE" (S9, S212, S213): "The zero address means the native coin on either side.";
    check!("swap-quote-native" [Read; Swap] zero_address_is_native:
        "the zero address means the native asset on either side");
}
pub(super) async fn zero_address_is_native(trial: &Trial<'_>) -> Verdict {
    let market = Quotes::open(trial).await?;
    let token = reachable(&market, &mut trial.choices("native"))?[0];
    for (from, to) in [(NATIVE, token), (token, NATIVE)] {
        let (start, end) = (market.traded(from), market.traded(to));
        let amount = part(&market.depth(start, end).unwrap_or_default(), 1_000);
        let bought = alike(
            &market,
            "amountOut",
            [(from, to), (start, end)].map(|(from, to)| asks(from, to, "amount", &amount)),
        )
        .await?;
        let half = part(&bought, 2);
        alike(
            &market,
            "amountIn",
            [(from, to), (start, end)].map(|(from, to)| asks(from, to, "amountOut", &half)),
        )
        .await?;
    }
    Ok(())
}

/// Two quotes of one moment have the same amount; returns it.
async fn alike(market: &Quotes<'_>, field: &str, queries: [Query; 2]) -> Verdict<BigInt> {
    for _ in 0..READINGS {
        let plain = market.quote(&queries[1]).await?;
        let amount = plain.amount(field)?;
        let native = market.quote(&queries[0]).await?;
        if plain.keeps(market.tried(|_| native.is(field, &amount))).await? {
            return Ok(amount);
        }
    }
    Err(no_material("the reserves keep changing"))
}

clause! {
    QUOTE_NO_ROUTE = "QUOTE-NO-ROUTE" (S9, S301, S302, S308):
        "Where there is no route or no liquidity, the answer is 500.";
    check!("swap-quote-no-route" [Read; Swap] without_a_route_there_is_an_error:
        "no route or no liquidity is an error of the service");
}
pub(super) async fn without_a_route_there_is_an_error(trial: &Trial<'_>) -> Verdict {
    let market = Quotes::open(trial).await?;
    let mut choices = trial.choices("no-route");
    let unknown = Address::from_slice(&choices.word()[..20]);
    let thousand = BigInt::from(1_000_000);
    let listed = market.exchange.pairs.first().map_or(NATIVE, |pair| pair.tokens[0]);
    for (from, to) in [(NATIVE, unknown), (unknown, NATIVE), (unknown, listed)] {
        errs(trial, &market.ask_in(from, to, &thousand).await?)?;
        errs(trial, &market.ask_out(from, to, &thousand).await?)?;
    }
    let (from, to) =
        market.choose_sides(&mut choices).ok_or_else(|| no_material("no two tokens have a route"))?;
    let held: BigInt = market.exchange.pairs.iter().flat_map(|pair| &pair.reserves).sum();
    // A pair of the published exchange holds at most 2^112 units of a token.
    let all = held.max(BigInt::one() << 113);
    errs(trial, &market.ask_out(from, to, &all).await?)?;
    market.quote(&example(&market, "amount")?).await.map(drop)
}

/// Requires a 500; an error text in the body is a choice.
pub(super) fn errs(trial: &Trial<'_>, response: &Response) -> Verdict {
    trial.status(response, 500)?;
    let body = response.json().unwrap_or_default();
    let words = body["error"].as_str().is_some_and(|text| !text.is_empty());
    trial.by(&SVC_ERR).require(response, words, "an error body")
}

/// Requires a 400, as the interface says, and a cause in the journal.
pub(super) async fn rejects_with_400(market: &Quotes<'_>, query: &Params) -> Verdict {
    let response = market.ask(query).await?;
    market.status(&response, 400)?;
    market.has_a_cause(&response).await
}

/// Returns a query with two sides and an amount of this name that can be quoted.
fn example(market: &Quotes<'_>, name: &'static str) -> Verdict<Query> {
    let quotable = market.exchange.pairs.iter().find_map(|pair| {
        let [from, to] = pair.tokens;
        // Each side has its own units.
        let (held, paid) = (market.depth(from, to)?, market.depth(to, from)?);
        let amount: BigInt = if name == "amount" { held } else { paid } / 1_000;
        (!amount.is_zero()).then(|| asks(from, to, name, amount))
    });
    quotable.ok_or_else(|| no_material("no pair holds enough to be quoted"))
}

/// Returns such a query, and one that wraps the native coin if its wrapped form is known.
fn examples(market: &Quotes<'_>, name: &'static str) -> Verdict<Vec<Query>> {
    let wraps = market.wrapped().ok().map(|wrapped| asks(NATIVE, wrapped, name, 1_000_000));
    Ok([example(market, name)?].into_iter().chain(wraps).collect())
}

/// Picks an amount between one unit and a third of the reserve in the first pair of a route.
pub(super) fn sized(
    market: &Quotes<'_>,
    choices: &mut crate::model::seed::Choices,
    from: Address,
    to: Address,
) -> BigInt {
    let depth = market.depth(market.traded(from), market.traded(to)).unwrap_or_else(BigInt::one);
    let divisor = *choices.pick(&[3u32, 30, 1_000, 100_000, 10_000_000]);
    let bound = crate::truth::reference::amount(&(depth / divisor)).unwrap_or_default().max(U256::ONE);
    integer(choices.between(U256::ONE, bound))
}

/// The least output is the output less slippage, or, as in the SDK of the published router, the amount that slippage raises to the output;
/// exact to the unit.
fn is_minimum(quote: &Quote<'_>, field: &str, out: &BigInt, basis_points: &BigInt) -> Verdict {
    let reported = quote.amount(field)?;
    if is_least(&reported, out, basis_points) {
        return Ok(());
    }
    near(quote, field, out * (10_000 - basis_points))
}

/// Whether an amount is out/(1+s), to the unit.
fn is_least(reported: &BigInt, out: &BigInt, basis_points: &BigInt) -> bool {
    let whole: BigInt = basis_points + 10_000;
    let off: BigInt = reported * &whole - out * 10_000;
    off.abs() < whole
}

/// Requires a bound after slippage, given in ten-thousandths of a unit, to the unit; its rounding is a choice.
fn near(quote: &Quote<'_>, field: &str, exact: BigInt) -> Verdict {
    let reported = quote.amount(field)?;
    let off: BigInt = &reported * 10_000 - &exact;
    let fits = off.abs() < 10_000.into();
    quote.trial.require_or(
        &quote.response,
        fits,
        &format!("{field} = {} within one unit", &exact / 10_000),
        || reported.to_string(),
    )
}

fn absent(quote: &Quote<'_>, field: &str) -> Verdict {
    let reported = quote.body.get(field);
    quote.trial.require_or(&quote.response, reported.is_none(), &format!("no {field}"), || {
        format!("{field} = {}", readable(&reported))
    })
}

fn shape(quote: &Quote<'_>) -> Verdict {
    for field in ["amountIn", "amountOut"] {
        quote.amount(field)?;
    }
    for field in ["executionRate", "spotRate", "lpFee"] {
        let reported = &quote.body[field];
        quote.trial.require_or(
            &quote.response,
            reported.is_string(),
            &format!("{field} is a string"),
            || reported.to_string(),
        )?;
    }
    for field in ["minimumAmountOut", "maximumAmountIn"] {
        if quote.body.get(field).is_some() {
            quote.amount(field)?;
        }
    }
    quote.path()?;
    quote.number(&quote.body, "priceImpact")?;
    let metadata = &quote.body["metadata"];
    quote.number(metadata, "lpFeePercent")?;
    let router: Option<Address> = parsed(&metadata["routerAddress"]);
    quote.trial.require_or(
        &quote.response,
        router.is_some(),
        "metadata.routerAddress is an address",
        || metadata["routerAddress"].to_string(),
    )?;
    let slippage = metadata.get("slippageBps");
    let is_number = slippage.is_none_or(Value::is_number);
    quote
        .trial
        .require_or(&quote.response, is_number, "metadata.slippageBps is a number", || readable(&slippage))
}
