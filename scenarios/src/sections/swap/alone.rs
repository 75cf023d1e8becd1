//! The exchange as seen through quotes alone, for a target without a known chain.
use num_bigint::BigInt;
use num_rational::BigRational;

use super::listed::sides;
use super::market::{NATIVE, Quotes, asks};
use crate::model::figure::{decimal, rational};
use crate::prelude::*;
use crate::truth::reference::exchange::{Exchange, Pair};

/// Pairs that are quoted; a few are enough.
const MOST: usize = 3;
/// Most pairs that are tried to find those.
const MOST_TRIED: usize = 20;
/// Powers of ten of the tried amounts, largest first.
const SIZES: [u32; 8] = [24, 21, 18, 15, 12, 9, 6, 4];

/// Opens the listed pairs that are quoted, with ten times the largest amount that moves the price by at most a tenth as reserves.
pub(super) async fn open<'a>(trial: &Trial<'a>) -> Verdict<Quotes<'a>> {
    let mut market = Quotes { trial: *trial, wrapped: NATIVE, exchange: Exchange::default() };
    let mut pairs = Vec::new();
    let sides = sides(trial).await?;
    need_material(
        !sides.is_empty(),
        "no quote was sent, because the lists of pairs and tokens name no two tokens",
    )?;
    for (one, other) in sides.iter().copied().take(MOST_TRIED) {
        if pairs.len() == MOST {
            break;
        }
        let (first, second) = (borne(&market, one, other).await?, borne(&market, other, one).await?);
        if let (Some(first), Some(second)) = (first, second) {
            pairs.push(Pair { address: Address::ZERO, tokens: [one, other], reserves: [first, second] });
        }
    }
    need_material(!pairs.is_empty(), format!("none of {} pairs of listed tokens is quoted", sides.len()))?;
    market.exchange.pairs = pairs;
    market.wrapped = wrapped(&market).await?;
    for side in market.exchange.pairs.iter_mut().flat_map(|pair| &mut pair.tokens) {
        if *side == NATIVE {
            *side = market.wrapped;
        }
    }
    Ok(market)
}

/// Returns ten times the largest tried amount that moves the price by at most a tenth; `None` if no amount is quoted.
async fn borne(market: &Quotes<'_>, from: Address, to: Address) -> Verdict<Option<BigInt>> {
    for size in SIZES {
        let amount = BigInt::from(10).pow(size);
        let response = market.ask_in(from, to, &amount).await?;
        let quote = response.json().filter(|_| response.status.is_success()).unwrap_or_default();
        let tenth = BigRational::new(1.into(), 10.into());
        let bears = decimal(&quote["priceImpact"]).is_none_or(|impact| impact <= tenth);
        let pays = quote["amountOut"].as_str().and_then(rational).is_some_and(|paid| paid > tenth);
        if bears && pays {
            return Ok(Some(amount * 10));
        }
    }
    Ok(None)
}

/// Returns the token that a quote for the native coin shows as its wrapped form: quoted one to one at a rate of 1, or first on the path.
/// Returns the native coin if no quote shows one.
async fn wrapped(market: &Quotes<'_>) -> Verdict<Address> {
    for token in market.exchange.tokens() {
        let amount = BigInt::from(1_000_000);
        let response = market.ask(&asks(NATIVE, token, "amount", &amount)).await?;
        let quote = response.json().filter(|_| response.status.is_success()).unwrap_or_default();
        if quote["executionRate"] == "1" && parsed::<U256>(&quote["amountOut"]) == Some(U256::from(1_000_000))
        {
            return Ok(token);
        }
        if let Some(first) = parsed(&quote["path"][0]).filter(|first| *first != NATIVE) {
            return Ok(first);
        }
    }
    Ok(NATIVE)
}
