//! The lists of pairs and of tokens against the factory.
use std::collections::BTreeMap;

use alloy::primitives::Address;
use num_bigint::BigInt;
use serde_json::Value;

use super::market::{Market, contract};
use crate::check::{Stop, Verdict};
use crate::client::http::{Answer, Ask};
use crate::expect;
use crate::wire::Token;
use crate::world::World;

/// How often a list is compared again when reserves move meanwhile.
const READINGS: usize = 5;

/// PAIRS: every pair of the factory and no other, with its tokens and reserves.
pub(super) async fn pairs_are_those_of_the_factory(world: &World) -> Verdict {
    const CLAUSE: &str = "PAIRS";
    let mut market = Market::open(world).await?;
    for _ in 0..READINGS {
        let (answer, rows) = listed(world, CLAUSE, "/api/pairs").await?;
        let before = market.exchange.clone();
        market.refresh().await?;
        if before != market.exchange {
            continue;
        }
        let rows = by_address(CLAUSE, &answer, &rows, "pair_address")?;
        let expected: Vec<Address> = sorted(market.exchange.pairs().iter().map(|pair| pair.address));
        let actual: Vec<Address> = rows.keys().copied().collect();
        expect::equal(CLAUSE, &answer, "the pairs", &expected, &actual)?;
        for pair in market.exchange.pairs() {
            let row = &rows[&pair.address];
            for (index, (token, reserve)) in
                [("token0", "reserve0"), ("token1", "reserve1")].into_iter().enumerate()
            {
                let told: Option<Address> = row[token]["address"].as_str().and_then(|text| text.parse().ok());
                expect::equal(CLAUSE, &answer, token, &Some(pair.tokens[index]), &told)?;
                let told: Option<BigInt> = row[reserve].as_str().and_then(|text| text.parse().ok());
                expect::equal(CLAUSE, &answer, reserve, &Some(pair.reserves[index].clone()), &told)?;
                described(&market, CLAUSE, &answer, &row[token], pair.tokens[index]).await?;
            }
            for figure in ["liquidity_usd", "volume_24h", "apr", "daily_fees"] {
                let told = row[figure].as_f64();
                expect::holds(
                    CLAUSE,
                    &answer,
                    told.is_some_and(|told| told >= 0.0),
                    &format!("{figure} is a number and not negative"),
                    || row[figure].to_string(),
                )?;
            }
        }
        return Ok(());
    }
    Err(super::market::no_material("the reserves do not stand still"))
}

/// SWAP-TOKENS: every token that has a pair and no other, described as its contract does.
pub(super) async fn tokens_are_those_with_a_pair(world: &World) -> Verdict {
    const CLAUSE: &str = "SWAP-TOKENS";
    let market = Market::open(world).await?;
    let (answer, rows) = listed(world, CLAUSE, "/api/tokens").await?;
    let mut rows = by_address(CLAUSE, &answer, &rows, "address")?;
    // The native asset may be listed beside the tokens.
    rows.remove(&Address::ZERO);
    let expected: Vec<Address> = sorted(market.exchange.tokens());
    let actual: Vec<Address> = rows.keys().copied().collect();
    expect::equal(CLAUSE, &answer, "the tokens", &expected, &actual)?;
    for (token, row) in &rows {
        described(&market, CLAUSE, &answer, row, *token).await?;
        let name = contract(market.chain, *token, &Token::nameCall {}).await?;
        expect::equal(CLAUSE, &answer, "name", &Some(name.as_str()), &row["name"].as_str())?;
        let price = &row["price_eth"];
        let positive = price.is_null() || price.as_f64().is_some_and(|price| price >= 0.0);
        expect::holds(CLAUSE, &answer, positive, "price_eth is a number and not negative", || {
            price.to_string()
        })?;
    }
    let wrapped = &rows.get(&market.wrapped).unwrap_or(&Value::Null)["price_eth"];
    let one = wrapped.as_number().map(ToString::to_string);
    let one = one.as_deref().and_then(super::market::decimal_text);
    expect::equal(
        CLAUSE,
        &answer,
        "price_eth of the wrapped native token",
        &super::market::decimal_text("1"),
        &one,
    )
}

async fn described(
    market: &Market<'_>,
    clause: &'static str,
    answer: &Answer,
    row: &Value,
    token: Address,
) -> Verdict {
    let symbol = contract(market.chain, token, &Token::symbolCall {}).await?;
    let decimals = contract(market.chain, token, &Token::decimalsCall {}).await?;
    expect::equal(clause, answer, "symbol", &Some(symbol.as_str()), &row["symbol"].as_str())?;
    expect::equal(clause, answer, "decimals", &Some(u64::from(decimals)), &row["decimals"].as_u64())
}

async fn listed(world: &World, clause: &'static str, path: &str) -> Result<(Answer, Vec<Value>), Stop> {
    let answer = world.http().send(Ask::get(world.swap()?, path, &[])).await?;
    let body = expect::ok_json(clause, &answer)?;
    let Value::Array(rows) = body else {
        return Err(expect::failure(clause, &answer, "a bare array", answer.excerpt()));
    };
    Ok((answer, rows))
}

fn by_address(
    clause: &'static str,
    answer: &Answer,
    rows: &[Value],
    field: &str,
) -> Verdict<BTreeMap<Address, Value>> {
    let mut found = BTreeMap::new();
    for row in rows {
        let address: Option<Address> = row[field].as_str().and_then(|text| text.parse().ok());
        let Some(address) = address else {
            return Err(expect::failure(clause, answer, format!("{field} is an address"), row.to_string()));
        };
        if found.insert(address, row.clone()).is_some() {
            return Err(expect::failure(clause, answer, "each address once", address.to_string()));
        }
    }
    Ok(found)
}

fn sorted(addresses: impl Iterator<Item = Address>) -> Vec<Address> {
    let mut addresses: Vec<Address> = addresses.collect();
    addresses.sort();
    addresses
}
