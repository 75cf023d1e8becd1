//! Refusals of every endpoint: their bodies, what they give away, wrong methods and unknown paths.
use reqwest::Method;
use serde_json::json;
use url::Url;

use super::endpoints::{QUOTE, SERVICE_PATHS, SWAP_PATHS};
use crate::check::{Inconclusive, Need, Verdict};
use crate::client::http::{Answer, Ask};
use crate::expect::{holds, refusal, status};
use crate::reads::{BATCH, CAPABILITIES, LIST, OWNER, RECENT, TOKEN, get, param};
use crate::target::PrivateKey;
use crate::world::World;

/// A path and a query that it refuses.
type Refused = (&'static str, &'static [(&'static str, &'static str)]);

/// Requests with values outside what a parameter takes: the path, its other parameters, and the bad one.
const BAD: &[Refused] = &[
    (LIST, &[("page", "zero")]),
    (LIST, &[("sortBy", "best")]),
    (LIST, &[("fundingMin", "0.9"), ("fundingMax", "0.1")]),
    (OWNER, &[]),
    (OWNER, &[("owner", "me")]),
    (OWNER, &[("owner", WALLET), ("limit", "101")]),
    (OWNER, &[("owner", WALLET), ("limit", "0")]),
    (OWNER, &[("owner", WALLET), ("page", "0")]),
    (OWNER, &[("owner", WALLET), ("sort", "best")]),
    (OWNER, &[("owner", WALLET), ("includeInactive", "perhaps")]),
    (BATCH, &[]),
    (RECENT, &[]),
    (RECENT, &[("chainId", "1")]),
    (RECENT, &[("chainId", "57073"), ("limit", "51")]),
    (RECENT, &[("chainId", "57073"), ("limit", "0")]),
    (RECENT, &[("chainId", "4663"), ("offset", "-1")]),
    (TOKEN, &[]),
    (TOKEN, &[("address", "0x12")]),
    (TOKEN, &[("address", WALLET)]),
    (CAPABILITIES, &[]),
    (CAPABILITIES, &[("chainId", "abc")]),
    ("/api/no-such-path", &[]),
    ("/", &[]),
];

/// The same for the swap service.
const BAD_QUOTES: &[Refused] = &[
    (QUOTE, &[]),
    (QUOTE, &[("tokenIn", WALLET), ("tokenOut", WALLET)]),
    (QUOTE, &[("tokenIn", NATIVE), ("tokenOut", WALLET), ("amount", "1"), ("amountOut", "1")]),
    (QUOTE, &[("tokenIn", NATIVE), ("tokenOut", WALLET), ("amount", "1"), ("slippage", "10001")]),
    (QUOTE, &[("tokenIn", NATIVE), ("tokenOut", WALLET), ("amount", "1000")]),
    ("/api/no-such-path", &[]),
];

/// An address at which there is nothing.
const WALLET: &str = "0x6b8a1c2d3e4f5061728394a5b6c7d8e9fa0b1c2d";
const NATIVE: &str = "0x0000000000000000000000000000000000000000";

const CLAUSE: &str = "SVC-ERR";

pub(super) async fn bodies(world: &World) -> Verdict {
    let rest = world.rest()?;
    let mut asks: Vec<Ask> = BAD.iter().map(|(path, query)| get_static(rest, path, query)).collect();
    let many: Vec<&str> = std::iter::repeat_n(WALLET, 51).collect();
    for body in [json!({}), json!({ "addresses": 7 }), json!({ "addresses": many })] {
        asks.push(Ask::post_json(rest, BATCH, &body));
    }
    asks.push(Ask { body: Some(b"{\"addresses\": [".to_vec()), ..Ask::post_json(rest, BATCH, &json!({})) });
    if world.has(Need::Swap) {
        let swap = world.swap()?;
        asks.extend(BAD_QUOTES.iter().map(|(path, query)| get_static(swap, path, query)));
    }
    let mut refused = 0;
    for ask in asks {
        refused += usize::from(judge(world, ask).await?);
    }
    if refused == 0 {
        let reason = "nothing was refused".to_owned();
        return Err(Inconclusive::NoMaterial { reason }.into());
    }
    Ok(())
}

fn get_static(origin: &Url, path: &str, query: &[(&'static str, &'static str)]) -> Ask {
    let query: Vec<_> = query.iter().map(|(name, value)| param(name, *value)).collect();
    get(origin, path, &query)
}

async fn judge(world: &World, ask: Ask) -> Verdict<bool> {
    let answer = world.ask(ask).await?;
    // Whether it had to refuse is for the endpoint's own checks.
    if answer.status.is_success() {
        return Ok(false);
    }
    refusal::body(CLAUSE, &answer, answer.status.as_u16())?;
    discreet(world, &answer)?;
    caused(world, CLAUSE, &answer).await?;
    Ok(true)
}

/// Keys that were given to the harness must not come back.
fn discreet(world: &World, answer: &Answer) -> Verdict {
    let target = world.target();
    let secrets = target.private_keys.iter().map(PrivateKey::expose).chain(target.operator_key.as_deref());
    refusal::discreet(CLAUSE, answer, secrets)
}

async fn caused(world: &World, clause: &'static str, answer: &Answer) -> Verdict {
    holds(clause, answer, world.refused_for_a_cause(answer).await?, "a cause in the journal", || {
        "none".to_owned()
    })
}

pub(super) async fn methods(world: &World) -> Verdict {
    wrong_methods(world, world.rest()?, SERVICE_PATHS).await?;
    unknown_paths(world, world.rest()?).await?;
    if world.has(Need::Swap) {
        wrong_methods(world, world.swap()?, SWAP_PATHS).await?;
        unknown_paths(world, world.swap()?).await?;
    }
    Ok(())
}

async fn wrong_methods(world: &World, origin: &Url, paths: &[(&str, &[&str])]) -> Verdict {
    const CLAUSE: &str = "SVC-METHOD";
    for (path, right) in paths {
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            if right.contains(&method.as_str()) {
                continue;
            }
            let answer = world.ask(Ask { method, ..get(origin, path, &[]) }).await?;
            status(CLAUSE, &answer, 405)?;
            let allow = answer.header("allow").unwrap_or_default().to_uppercase();
            let listed: Vec<&str> = allow.split(',').map(str::trim).collect();
            let extra = listed.iter().find(|one| !right.contains(one) && !["HEAD", "OPTIONS"].contains(one));
            let complete = right.iter().all(|one| listed.contains(one)) && extra.is_none();
            holds(CLAUSE, &answer, complete, &format!("Allow: {}", right.join(", ")), || {
                format!("{allow:?}")
            })?;
            caused(world, CLAUSE, &answer).await?;
        }
    }
    Ok(())
}

async fn unknown_paths(world: &World, origin: &Url) -> Verdict {
    const CLAUSE: &str = "SVC-METHOD";
    let word = world.choices("service-methods").word().to_string();
    for path in
        ["/api", "/api/tokens/nothing", "/api/token/x", "/API/TOKENS", &format!("/api/{}", &word[2..10])]
    {
        let answer = world.ask(get(origin, path, &[])).await?;
        status(CLAUSE, &answer, 404)?;
        caused(world, CLAUSE, &answer).await?;
    }
    Ok(())
}
