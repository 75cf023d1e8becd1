//! The lists of pairs and of tokens against the factory.
use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::market::{Market, contract};
use crate::prelude::*;
use crate::wire::Token;

/// How often a list is compared again when reserves move meanwhile.
const READINGS: usize = 5;

clause! {
    PAIRS = "PAIRS" (choice S223):
        "Every pair of the exchange is listed with figures that follow from its reserves.";
    check!("swap-pairs" [Read; Swap, PrimaryChain] pairs_are_those_of_the_factory:
        "the list of pairs is the factory's, with its reserves");
}
/// PAIRS: every pair of the factory and no other, with its tokens and reserves.
pub(super) async fn pairs_are_those_of_the_factory(trial: &Trial<'_>) -> Verdict {
    let mut market = Market::open(trial).await?;
    for _ in 0..READINGS {
        let (response, rows) = listed(trial, "/api/pairs").await?;
        let before = market.exchange.clone();
        market.refresh().await?;
        if before != market.exchange {
            continue;
        }
        let rows = by_address(trial, &response, &rows, "pair_address")?;
        let expected: Vec<Address> = sorted(market.exchange.pairs().iter().map(|pair| pair.address));
        let actual: Vec<Address> = rows.keys().copied().collect();
        trial.equal(&response, "the pairs", &expected, &actual)?;
        for pair in market.exchange.pairs() {
            let row = &rows[&pair.address];
            for (index, (token, reserve)) in
                [("token0", "reserve0"), ("token1", "reserve1")].into_iter().enumerate()
            {
                let reported: Option<Address> = parsed(&row[token]["address"]);
                trial.equal(&response, token, &Some(pair.tokens[index]), &reported)?;
                let reported: Option<BigInt> = parsed(&row[reserve]);
                trial.equal(&response, reserve, &Some(pair.reserves[index].clone()), &reported)?;
                described(&market, &response, &row[token], pair.tokens[index]).await?;
            }
            for figure in ["liquidity_usd", "volume_24h", "apr", "daily_fees"] {
                let reported = row[figure].as_f64();
                trial.holds(
                    &response,
                    reported.is_some_and(|reported| reported >= 0.0),
                    &format!("{figure} is a number and not negative"),
                    || row[figure].to_string(),
                )?;
            }
        }
        return Ok(());
    }
    Err(no_material("the reserves do not stand still"))
}

clause! {
    SWAP_TOKENS = "SWAP-TOKENS" (choice S2, S224): "Every token that has a pair is listed.";
    check!("swap-tokens" [Read; Swap, PrimaryChain] tokens_are_those_with_a_pair:
        "the list of tokens is that of the pairs");
}
pub(super) async fn tokens_are_those_with_a_pair(trial: &Trial<'_>) -> Verdict {
    let market = Market::open(trial).await?;
    let (response, rows) = listed(trial, "/api/tokens").await?;
    let mut rows = by_address(trial, &response, &rows, "address")?;
    // The native asset may be listed beside the tokens.
    rows.remove(&Address::ZERO);
    let expected: Vec<Address> = sorted(market.exchange.tokens());
    let actual: Vec<Address> = rows.keys().copied().collect();
    trial.equal(&response, "the tokens", &expected, &actual)?;
    for (token, row) in &rows {
        described(&market, &response, row, *token).await?;
        let name = contract(market.chain, *token, &Token::nameCall {}).await?;
        trial.equal(&response, "name", &Some(name.as_str()), &row["name"].as_str())?;
        let price = &row["price_eth"];
        let positive = price.is_null() || price.as_f64().is_some_and(|price| price >= 0.0);
        trial.holds(&response, positive, "price_eth is a number and not negative", || price.to_string())?;
    }
    let wrapped = &rows.get(&market.wrapped).unwrap_or(&Value::Null)["price_eth"];
    let one = wrapped.as_number().map(ToString::to_string);
    let one = one.as_deref().and_then(crate::expect::figure::rational);
    trial.equal(
        &response,
        "price_eth of the wrapped native token",
        &crate::expect::figure::rational("1"),
        &one,
    )
}

async fn described(market: &Market<'_>, response: &Response, row: &Value, token: Address) -> Verdict {
    let symbol = contract(market.chain, token, &Token::symbolCall {}).await?;
    let decimals = contract(market.chain, token, &Token::decimalsCall {}).await?;
    market.equal(response, "symbol", &Some(symbol.as_str()), &row["symbol"].as_str())?;
    market.equal(response, "decimals", &Some(u64::from(decimals)), &row["decimals"].as_u64())
}

async fn listed(trial: &Trial<'_>, path: &str) -> Result<(Response, Vec<Value>), Stop> {
    let (response, body) = trial.with_json(trial.request(Request::get(trial.swap()?, path, &[])).await?)?;
    let Value::Array(rows) = body else {
        return Err(trial.failure(&response, "a bare array", response.excerpt()));
    };
    Ok((response, rows))
}

fn by_address(
    trial: &Trial<'_>,
    response: &Response,
    rows: &[Value],
    field: &str,
) -> Verdict<BTreeMap<Address, Value>> {
    let mut found = BTreeMap::new();
    for row in rows {
        let address: Option<Address> = parsed(&row[field]);
        let Some(address) = address else {
            return Err(trial.failure(response, format!("{field} is an address"), row.to_string()));
        };
        let is_new = found.insert(address, row.clone()).is_none();
        trial.holds(response, is_new, "each address once", || address.to_string())?;
    }
    Ok(found)
}

fn sorted(addresses: impl Iterator<Item = Address>) -> Vec<Address> {
    let mut addresses: Vec<Address> = addresses.collect();
    addresses.sort();
    addresses
}
