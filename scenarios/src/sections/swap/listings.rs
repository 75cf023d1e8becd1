//! The lists of pairs and tokens, compared with the factory.
use std::collections::{BTreeMap, BTreeSet};

use super::market::SwapFixture;
use crate::answers::members::members_within;
use crate::answers::reads;
use crate::client::wire::Token;
use crate::model::figure::Figure;
use crate::prelude::*;

clause! {
    PAIRS = "PAIRS" (choice S223):
        "Every pair of the exchange is listed with figures that follow from its reserves.";
    check!("swap-pairs" [Read; Swap, PrimaryChain] pairs_are_those_of_the_factory:
        "the list of pairs is the factory's, with its reserves");
}
/// The list of pairs contains every pair of the factory and no other, with its tokens and reserves.
pub(super) async fn pairs_are_those_of_the_factory(trial: &Trial<'_>) -> Verdict {
    let mut market = SwapFixture::open(trial).await?;
    let response = market.steady(reads::PAIRS, &[]).await?;
    let expected: BTreeSet<Address> = market.exchange.pairs.iter().map(|pair| pair.address).collect();
    let rows = by_address(trial, &response, "pair_address", &expected)?;
    let actual = rows.keys().copied().collect();
    trial.require_equal(&response, "the pairs", &expected, &actual)?;
    for pair in &market.exchange.pairs {
        let Some(row) = rows.get(&pair.address) else { continue };
        for (index, (token, reserve)) in
            [("token0", "reserve0"), ("token1", "reserve1")].into_iter().enumerate()
        {
            trial.require_equal(
                &response,
                token,
                &Some(pair.tokens[index]),
                &parsed(&row[token]["address"]),
            )?;
            trial.require_equal(
                &response,
                reserve,
                &Some(pair.reserves[index].clone()),
                &parsed(&row[reserve]),
            )?;
            described(&market, &response, &row[token], pair.tokens[index]).await?;
        }
        for figure in ["liquidity_usd", "volume_24h", "apr", "daily_fees"] {
            let positive = row[figure].as_f64().is_some_and(|reported| reported >= 0.0);
            let expected = format!("{figure} is a number and not negative");
            trial.require_or(&response, positive, &expected, || row[figure].to_string())?;
        }
    }
    Ok(())
}

clause! {
    PAIRS_LISTED = "PAIRS-LISTED" (S223, S224): "The lists of pairs and of tokens are those of the exchange.";
    check!("swap-pairs-listed" [Read; Swap, PrimaryChain] lists_are_of_the_exchange:
        "looks for both tokens of a pair of the router's factory in each list, whatever their shapes");
}
pub(super) async fn lists_are_of_the_exchange(trial: &Trial<'_>) -> Verdict {
    let market = SwapFixture::open(trial).await?;
    for path in [reads::PAIRS, reads::LIST] {
        let response = trial.request(get(trial.swap()?, path, &[])).await?;
        let body = trial.ok_json(&response)?.to_string().to_lowercase();
        // The list may be paged.
        let names = |token: &Address| body.contains(&format!("{token:#x}"));
        let listed = market.exchange.pairs.iter().any(|pair| pair.tokens.iter().all(names));
        trial.require(&response, listed, "the tokens of a pair of the exchange")?;
    }
    Ok(())
}

clause! {
    SWAP_TOKENS = "SWAP-TOKENS" (choice S2, S224): "Every token that has a pair is listed.";
    check!("swap-tokens" [Read; Swap, PrimaryChain] tokens_are_those_with_a_pair:
        "the list of tokens is that of the pairs");
}
pub(super) async fn tokens_are_those_with_a_pair(trial: &Trial<'_>) -> Verdict {
    let market = SwapFixture::open(trial).await?;
    let response = trial.request(get(trial.swap()?, reads::LIST, &[])).await?;
    let expected = market.exchange.tokens();
    let mut rows = by_address(trial, &response, "address", &expected)?;
    // The native coin may be listed as a token.
    rows.remove(&Address::ZERO);
    let actual = rows.keys().copied().collect();
    trial.require_equal(&response, "the tokens", &expected, &actual)?;
    for (token, row) in &rows {
        described(&market, &response, row, *token).await?;
        if let Ok(name) = market.chain.call(*token, &Token::nameCall {}).await? {
            trial.require_equal(&response, "name", &Some(name.as_str()), &row["name"].as_str())?;
        }
        let price = &row["price_eth"];
        let positive = price.is_null() || price.as_f64().is_some_and(|price| price >= 0.0);
        trial.require_or(&response, positive, "price_eth is a number and not negative", || {
            price.to_string()
        })?;
    }
    let wrapped = &rows.get(&market.wrapped).unwrap_or(&Value::Null)["price_eth"];
    let what = "price_eth of the wrapped native token";
    trial.require_equal(&response, what, &Some(Figure::whole(1)), &Figure::parse(&wrapped.to_string()))
}

/// A token is described as by its contract, if that describes it: anybody can list a contract that does not.
async fn described(market: &SwapFixture<'_>, response: &Response, row: &Value, token: Address) -> Verdict {
    if let Ok(symbol) = market.chain.call(token, &Token::symbolCall {}).await? {
        market.require_equal(response, "symbol", &Some(symbol.as_str()), &row["symbol"].as_str())?;
    }
    let Ok(decimals) = market.chain.call(token, &Token::decimalsCall {}).await? else { return Ok(()) };
    market.require_equal(response, "decimals", &Some(u64::from(decimals)), &row["decimals"].as_u64())
}

/// Indexes the rows of a bare array by the address in a field. In another shape, uses the array in a member, and a known address in any
/// field.
fn by_address(
    trial: &Trial<'_>,
    response: &Response,
    field: &str,
    known: &BTreeSet<Address>,
) -> Verdict<BTreeMap<Address, Value>> {
    let body = trial.ok_json(response)?;
    trial.require(response, body.is_array(), "a bare array")?;
    let within = members_within(&body).into_iter().find_map(|(_, member)| member.as_array());
    let rows = body.as_array().or(within).map(Vec::as_slice).unwrap_or_default();
    let mut found = BTreeMap::new();
    for row in rows {
        let named: Option<Address> = parsed(&row[field]);
        let expected = format!("{field} is an address");
        trial.require_or(response, named.is_some(), &expected, || row.to_string())?;
        let mut members = row.as_object().into_iter().flat_map(serde_json::Map::values);
        let by_value = || members.find_map(|value| parsed(value).filter(|address| known.contains(address)));
        let Some(address) = named.or_else(by_value) else { continue };
        let is_new = found.insert(address, row.clone()).is_none();
        trial.require_or(response, is_new, "each address once", || address.to_string())?;
    }
    Ok(found)
}
