//! Every endpoint that reads, with requests that succeed.
use url::Url;

use crate::market::Listing;
use crate::prelude::*;
use crate::reads::{
    BATCH, CAPABILITIES, CHAT, EOTI, KOTI, LEADERBOARD, LIST, OWNER, PAIRS, QUOTE, RECENT, REFERRERS, TOKEN,
};
use crate::sections::swap::market::asks;
use crate::steady::{Snapshot, no_verdict_on};
use crate::target::CHAINS;

pub(super) const REGISTER: &str = "/api/referral/register";

/// One unit of the native coin, in its smallest unit.
pub(super) const ONE: &str = "1000000000000000000";

/// A request for each reading endpoint of the services the target has, all of which succeed.
pub(super) async fn reads(trial: &Trial<'_>) -> Verdict<Vec<Request>> {
    let listing = Listing::read(trial).await?;
    let addresses: Vec<Address> = listing.addresses.iter().copied().take(3).collect();
    let mut requests = of_service(trial.rest()?, &addresses);
    if let Some(address) = addresses.first() {
        let (_, token) = trial.token(*address).await.map_err(no_verdict_on)?;
        // Which fields a token has is left open.
        if let Some(owner) = token["owner"].as_str() {
            requests.push(get(trial.rest()?, OWNER, &[param("owner", owner)]));
        }
        requests.push(get(trial.rest()?, CHAT, &[param("tokenAddress", address.to_string())]));
    }
    for path in [EOTI, KOTI] {
        // A day without an Emperor and a market without a King have nothing to read.
        if trial.read(path, &[]).await?.status.is_success() {
            requests.push(get(trial.rest()?, path, &[]));
        }
    }
    if trial.has(Need::Swap) {
        let swap = trial.swap()?;
        requests.push(get(swap, PAIRS, &[]));
        requests.push(get(swap, LIST, &[]));
        if let Some((one, other)) = pairs(trial).await?.first() {
            requests.push(quote(swap, *one, *other, ONE));
        }
    }
    Ok(requests)
}

fn of_service(rest: &Url, addresses: &[Address]) -> Vec<Request> {
    let mut requests = vec![
        get(rest, LIST, &[]),
        get(rest, LEADERBOARD, &[param("limit", "5")]),
        get(rest, REFERRERS, &[]),
        get(rest, LIST, &[param("sortBy", "oldest"), param("page", "1")]),
    ];
    for chain in CHAINS {
        let chain = param("chainId", chain.to_string());
        requests.push(get(rest, RECENT, std::slice::from_ref(&chain)));
        requests.push(get(rest, CAPABILITIES, &[chain]));
    }
    requests.push(Request::post_json(rest, BATCH, &json!({ "addresses": addresses })));
    if let Some(address) = addresses.first() {
        let all: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        requests.push(get(rest, BATCH, &[param("addresses", all.join(","))]));
        requests.push(get(rest, TOKEN, &[param("address", address.to_string())]));
    }
    requests
}

/// A quote of an exact input.
pub(super) fn quote(swap: &Url, token_in: Address, token_out: Address, amount: &str) -> Request {
    get(swap, QUOTE, &asks(token_in, token_out, "amount", amount))
}

/// The tokens of each pair of the exchange, as far as they can be read: how a pair looks is the exchange's choice.
pub(super) async fn pairs(trial: &Trial<'_>) -> Verdict<Vec<(Address, Address)>> {
    let response = trial.request(get(trial.swap()?, PAIRS, &[])).await?;
    let body = response.json().unwrap_or_default();
    let address = |token: &Value| parsed(token).or_else(|| parsed(&token["address"]));
    let pairs = body.as_array().cloned().unwrap_or_default();
    Ok(pairs.iter().filter_map(|pair| Some((address(&pair["token0"])?, address(&pair["token1"])?))).collect())
}
