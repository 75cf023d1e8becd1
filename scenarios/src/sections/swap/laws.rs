//! Laws that quotes keep whatever the reserves are. They are tested by quotes alone; only the pairs are read from the chain.
use std::collections::BTreeSet;

use alloy::sol_types::SolCall;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

use super::market::{NATIVE, Quote, SwapFixture};
use super::quotes::sized;
use super::routes::QUOTE_ROUTE;
use crate::client::chain::Simulated;
use crate::client::wire::Token;
use crate::prelude::*;
use crate::truth::reference::exchange::MOST_HOPS;
use crate::truth::reference::{integer, part};

/// Generated trades for a law.
const TRADES: usize = 10;

/// Along one route, a larger trade never has a smaller impact. A smaller trade may lose more because whole units are paid; that loss,
/// computed from the reserves, is tolerated.
pub(super) async fn impact_grows_with_size(trial: &Trial<'_>) -> Verdict {
    let mut market = SwapFixture::open(trial).await?;
    let mut choices = trial.choices("law-impact");
    let mut compared = 0;
    for (from, to) in market.choose_many(&mut choices, 4)? {
        let depth = market.depth(market.traded(from), market.traded(to)).unwrap_or_default();
        let mut last: Option<(Vec<Address>, BigRational)> = None;
        for divisor in [50_000, 5_000, 500, 50, 5] {
            let Some(quote) = given(&market, from, to, &part(&depth, divisor)).await? else { continue };
            let impact = quote.number(&quote.body, "priceImpact")?;
            let path = quote.path()?;
            if let Some((same, least)) = &last
                && *same == path
            {
                let seen = || format!("{impact} instead of at least {least}");
                let tried = trial.tried(|trial| {
                    trial.require_or(&quote.response, impact >= *least, "impact grows with size", seen)
                });
                // What is lost follows from the reserves as they were read.
                if !tried.holds() && !market.stands_still().await? {
                    last = None;
                    continue;
                }
                trial.keep(tried)?;
                compared += 1;
            }
            let lost = lost_to_whole_units(&market, &quote, &path)?;
            last = Some((path, &impact - lost - shown_precision()));
        }
    }
    something(compared)
}

/// Returns the share of the input's spot value that a quote loses because each pair pays whole units.
fn lost_to_whole_units(
    market: &SwapFixture<'_>,
    quote: &Quote<'_>,
    path: &[Address],
) -> Verdict<BigRational> {
    let input = BigRational::from_integer(quote.amount("amountIn")?);
    let paid = BigRational::from_integer(quote.amount("amountOut")?);
    let (mut exact, mut spot) = (input.clone(), input);
    for step in path.windows(2) {
        let (one, other) = (market.traded(step[0]), market.traded(step[1]));
        let Some((reserve_in, reserve_out)) = market.exchange.filled(one, other) else {
            let actual = format!("{one} and {other} have no filled pair");
            return Err(quote.trial.failure(&quote.response, "a route of filled pairs", actual));
        };
        let [held, left] = [reserve_in, reserve_out].map(|units| BigRational::from_integer(units.clone()));
        let trading = exact * BigRational::new(997.into(), 1_000.into());
        exact = &trading * &left / (&held + &trading);
        spot = spot * left / held;
    }
    if spot.is_zero() {
        return Err(quote.trial.failure(&quote.response, "amountIn is above zero", "0"));
    }
    Ok((exact - paid) / spot)
}

/// Returns the rounding error of a figure below one that is written as a JSON number.
fn shown_precision() -> BigRational {
    BigRational::new(1.into(), 1_000_000_000_000_000_i64.into())
}

/// Exact input and exact output are dual: the input for an output buys that output, and two units less do not; rounding is left open.
pub(super) async fn input_and_output_are_dual(trial: &Trial<'_>) -> Verdict {
    let market = SwapFixture::open(trial).await?;
    let mut choices = trial.choices("law-dual");
    let mut compared = 0;
    for (from, to) in market.choose_many(&mut choices, TRADES)? {
        let output = sized(&market, &mut choices, to, from);
        let response = market.ask_out(from, to, &output).await?;
        let Some(quote) = Quote::if_given(trial, response)? else { continue };
        let input = quote.amount("amountIn")?;
        let less = BigInt::max(&input - 2, BigInt::zero());
        let path = quote.path()?;
        let (mut bought, mut same_route) = (Vec::new(), true);
        for input in [&input, &less] {
            let other = if input.is_zero() { None } else { given(&market, from, to, input).await? };
            same_route &= other.as_ref().map(Quote::path).transpose()?.is_none_or(|other| other == path);
            bought.push(other.map_or_else(|| Ok(BigInt::zero()), |other| other.amount("amountOut"))?);
        }
        let (enough, short) = (&bought[0], &bought[1]);
        let dual = *enough >= output && *short < output;
        let expected = "as an exact input, amountIn buys the output and two units less do not";
        let seen = || format!("{enough} and {short} for {output}");
        let tried = trial.tried(|trial| {
            // The route of each quote is a choice.
            let judge = if same_route { *trial } else { trial.by(&QUOTE_ROUTE) };
            judge.require_or(&quote.response, dual, expected, seen)
        });
        compared += usize::from(quote.keeps(tried).await?);
    }
    something(compared)
}

/// Splitting gains nothing: neither a route into quotes of its parts, nor an amount into two consecutive trades.
pub(super) async fn splitting_gains_nothing(trial: &Trial<'_>) -> Verdict {
    let market = SwapFixture::open(trial).await?;
    let mut choices = trial.choices("law-split");
    let mut compared = 0;
    for (from, to) in market.choose_many(&mut choices, TRADES)? {
        let input = sized(&market, &mut choices, from, to);
        let Some(whole) = given(&market, from, to, &input).await? else { continue };
        let (path, paid) = (whole.path()?, whole.amount("amountOut")?);
        for middle in path.iter().skip(1).take(path.len().saturating_sub(2)) {
            let Some(first) = given(&market, from, *middle, &input).await? else { continue };
            let between = first.amount("amountOut")?;
            let Some(second) = given(&market, *middle, to, &between).await? else { continue };
            let mut joined = first.path()?;
            joined.extend(second.path()?.into_iter().skip(1));
            if is_a_route(&joined) {
                let in_parts = second.amount("amountOut")?;
                let seen = || format!("{in_parts} by way of {middle} and {paid} at once");
                let expected = "its parts pay no more than the route";
                let tried =
                    trial.tried(|trial| trial.require_or(&whole.response, in_parts <= paid, expected, seen));
                compared += usize::from(whole.keeps(tried).await?);
            }
        }
    }
    something(compared)
}

/// Amounts of a fee-on-transfer token are not promised, unless the router really pays them.
pub(super) async fn kept_parts_are_never_promised(trial: &Trial<'_>) -> Verdict {
    let market = SwapFixture::open(trial).await?;
    let trader = Address::repeat_byte(0x6b);
    let keeping = &market.exchange.avoided;
    if keeping.is_empty() {
        return Err(Stop::Skipped("no listed token keeps a part of transfers".into()));
    }
    for token in keeping {
        for input in [1_000_000_000_000_u128, 1_000_000_000_000_000].map(BigInt::from) {
            let Some(quote) = given(&market, NATIVE, *token, &input).await? else { continue };
            let path = market.path_of(&quote)?;
            let swap = market.router_call(trader, (NATIVE, *token), &input, path);
            let balance = Token::balanceOfCall { account: trader }.abi_encode();
            let calls = [(market.router, swap.value, swap.input), (*token, U256::ZERO, balance.into())];
            let calls = calls.map(|(to, value, input)| Simulated { from: trader, to, value, input });
            let responses = market.chain.simulate(&calls).await?.unwrap_or_default();
            let word = responses.get(1).cloned().flatten();
            let came = word.as_deref().and_then(|word| U256::try_from_be_slice(word)).unwrap_or_default();
            let promised = quote.amount("amountOut")?;
            let came = integer(came);
            let expected =
                format!("the router pays {came} of {token}, which keeps a part of what is transferred");
            let said = || format!("the service quoted {promised}");
            let tried =
                trial.tried(|trial| trial.require_or(&quote.response, promised == came, &expected, said));
            quote.keeps(tried).await?;
        }
    }
    Ok(())
}

/// Returns the quote of an exact input; `None` if there is no route.
async fn given<'w>(
    market: &SwapFixture<'w>,
    from: Address,
    to: Address,
    input: &BigInt,
) -> Verdict<Option<Quote<'w>>> {
    let response = market.ask_in(from, to, input).await?;
    if response.status != 200 {
        return Ok(None);
    }
    Quote::of(market, response).map(Some)
}

/// Whether a path is short enough for one quote and visits no token twice.
fn is_a_route(path: &[Address]) -> bool {
    path.iter().collect::<BTreeSet<_>>().len() == path.len() && path.len() <= MOST_HOPS + 1
}

fn something(compared: usize) -> Verdict {
    need_material(compared != 0, "no two quotes could be compared")
}
