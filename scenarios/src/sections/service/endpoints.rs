//! Successful requests to every reading endpoint.
use url::Url;

use crate::answers::reads::{
    BATCH, CAPABILITIES, CHAT, EOTI, KOTI, LEADERBOARD, LIST, OWNER, PAIRS, QUOTE, RECENT, REFERRERS, TOKEN,
    has_no_token,
};
use crate::model::target::CHAINS;
use crate::prelude::*;
use crate::sections::swap::listed::if_quoted;
use crate::truth::market::Listing;
use crate::truth::steady::{Snapshot, no_verdict_on};

pub(super) const REGISTER: &str = "/api/referral/register";

/// Returns a successful request for each reading endpoint of the target's services.
pub(super) async fn reads(trial: &Trial<'_>) -> Verdict<Vec<Request>> {
    let listing = Listing::read(trial).await?;
    let addresses: Vec<Address> = listing.addresses.iter().copied().take(3).collect();
    let mut requests = of_service(trial.rest()?, &addresses);
    if let Some(address) = addresses.first() {
        let (_, token) = trial.token(*address).await.map_err(no_verdict_on)?;
        // The set of a token's fields is left open.
        if let Some(owner) = token["owner"].as_str() {
            requests.push(get(trial.rest()?, OWNER, &[param("owner", owner)]));
        }
        requests.push(get(trial.rest()?, CHAT, &[param("tokenAddress", address.to_string())]));
    }
    for path in [EOTI, KOTI] {
        // A day without an Emperor and a market without a King have nothing to read.
        let response = trial.read(path, &[]).await?;
        if response.status.is_success() && !has_no_token(&response) {
            requests.push(get(trial.rest()?, path, &[]));
        }
    }
    if trial.has(Need::Swap) {
        let swap = trial.swap()?;
        requests.push(get(swap, PAIRS, &[]));
        requests.push(get(swap, LIST, &[]));
        // An exchange may list tokens that it cannot quote.
        if let Some((query, _)) = if_quoted(trial).await? {
            requests.push(get(swap, QUOTE, &query));
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
