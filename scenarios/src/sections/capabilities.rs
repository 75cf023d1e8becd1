//! `GET /api/capabilities`, as far as reading goes.
use std::collections::BTreeSet;

use alloy::primitives::{Address, B256, keccak256};
use serde_json::Value;

use crate::check::{Check, Lane, Need, Verdict};
use crate::client::http::Answer;
use crate::expect::fields::{excerpt, is_address};
use crate::expect::{equal, failure, holds, ok_json, status};
use crate::market::{Listing, on_steady_list};
use crate::reads::{CAPABILITIES, CHAINS, param};
use crate::world::World;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "capabilities-chain",
        clauses: &["CAP-CHAIN"],
        summary: "leaves the chain out, sends others, and reads both",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(chain(world)),
    },
    Check {
        id: "capabilities-shape",
        clauses: &["CAP-SHAPE"],
        summary: "looks at every named part of the answer for both chains",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(shape(world)),
    },
    Check {
        id: "capabilities-cache",
        clauses: &["CAP-CACHE"],
        summary: "looks at Cache-Control",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(cache(world)),
    },
    Check {
        id: "capabilities-hook",
        clauses: &["CAP-HOOK"],
        summary: "fetches the code of each deployment and compares its hash",
        lane: Lane::Read,
        needs: &[Need::Rest, Need::PrimaryChain],
        run: |world| Box::pin(hook(world)),
    },
    Check {
        id: "capabilities-trade",
        clauses: &["CAP-TRADE"],
        summary: "looks for the hook of every token among the deployments of its chain",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_list(world, |world, listing| Box::pin(trade(world, listing)))),
    },
    Check {
        id: "capabilities-paused",
        clauses: &["CAP-INACTIVE"],
        summary: "pauses creation on one chain and looks first as a careful client would",
        lane: Lane::Exclusive,
        needs: &[Need::Rest, Need::Control],
        run: |world| Box::pin(paused(world)),
    },
];

/// The V4 contracts that a deployment stands on.
const V4: [&str; 6] = ["poolManager", "positionManager", "stateView", "quoter", "universalRouter", "permit2"];

async fn read(world: &World, clause: &'static str, chain: u64) -> Verdict<(Answer, Value)> {
    let answer = world.read(CAPABILITIES, &[param("chainId", chain.to_string())]).await?;
    let body = ok_json(clause, &answer)?;
    Ok((answer, body))
}

async fn chain(world: &World) -> Verdict {
    const CLAUSE: &str = "CAP-CHAIN";
    for chain in CHAINS {
        let (answer, body) = read(world, CLAUSE, chain).await?;
        equal(CLAUSE, &answer, "chainId", &Value::from(chain), &body["chainId"])?;
    }
    let missing = world.read(CAPABILITIES, &[]).await?;
    refused(world, &missing).await?;
    for bad in ["", "1", "0", "-1", "57074", "abc", "57073.5", "0xdef1", "57073,4663"] {
        let answer = world.read(CAPABILITIES, &[param("chainId", bad)]).await?;
        refused(world, &answer).await?;
    }
    Ok(())
}

async fn refused(world: &World, answer: &Answer) -> Verdict {
    const CLAUSE: &str = "CAP-CHAIN";
    status(CLAUSE, answer, 400)?;
    holds(CLAUSE, answer, world.refused_for_a_cause(answer).await?, "a cause in the journal", || {
        "none".to_owned()
    })
}

async fn shape(world: &World) -> Verdict {
    const CLAUSE: &str = "CAP-SHAPE";
    for chain in CHAINS {
        let (answer, body) = read(world, CLAUSE, chain).await?;
        let parts = [
            ("chainId", body["chainId"].is_u64()),
            ("releaseCommit", body["releaseCommit"].as_str().is_some_and(|text| !text.is_empty())),
            ("capabilityRevision", body["capabilityRevision"].is_number()),
            ("flags", body["flags"].is_object()),
            ("flags.create", body["flags"].get("create").is_some()),
            ("activeCreationDeployment", body["activeCreationDeployment"].is_object()),
            ("tradeableDeployments", body["tradeableDeployments"].is_array()),
        ];
        for (name, good) in parts {
            holds(CLAUSE, &answer, good, &format!("{name} of its type"), || answer.excerpt())?;
        }
        flags(&answer, &body["flags"])?;
        let active = &body["activeCreationDeployment"];
        deployment(&answer, active)?;
        holds(CLAUSE, &answer, active["status"].is_string(), "a status of the active deployment", || {
            excerpt(active)
        })?;
        for one in body["tradeableDeployments"].as_array().into_iter().flatten() {
            deployment(&answer, one)?;
        }
    }
    Ok(())
}

/// A switch for each of read, create, trade, EOTI and token update.
fn flags(answer: &Answer, flags: &Value) -> Verdict {
    let switches = flags.as_object().map_or(0, serde_json::Map::len);
    holds("CAP-SHAPE", answer, switches >= 5, "five switches in flags", || excerpt(flags))
}

/// Version, hook, ABI family, fee-withdrawal mode, runtime hash, V4 contracts and start block; only the hook's name is
/// given by the interface, so the others are looked for by their values.
fn deployment(answer: &Answer, deployment: &Value) -> Verdict {
    const CLAUSE: &str = "CAP-SHAPE";
    let members = deployment
        .as_object()
        .ok_or_else(|| failure(CLAUSE, answer, "a deployment object", excerpt(deployment)))?;
    let hook = members.get("hook").and_then(Value::as_str).is_some_and(is_address);
    holds(CLAUSE, answer, hook, "an address hook in each deployment", || excerpt(deployment))?;
    let hash = members
        .values()
        .filter_map(Value::as_str)
        .any(|text| text.len() == 66 && text.parse::<B256>().is_ok());
    holds(CLAUSE, answer, hash, "a runtime hash in each deployment", || excerpt(deployment))?;
    let nested: Vec<_> = members
        .values()
        .filter_map(Value::as_object)
        .filter(|inner| {
            !inner.is_empty() && inner.values().all(|value| value.as_str().is_some_and(is_address))
        })
        .collect();
    // Where they go by the names of the V4 contracts, all of these must be there.
    let complete = nested
        .iter()
        .any(|inner| !inner.contains_key(V4[0]) || V4.iter().all(|name| inner.contains_key(*name)));
    holds(CLAUSE, answer, complete, "addresses of the V4 contracts in each deployment", || {
        excerpt(deployment)
    })?;
    holds(CLAUSE, answer, members.len() >= 7, "seven parts of each deployment", || excerpt(deployment))
}

async fn cache(world: &World) -> Verdict {
    const CLAUSE: &str = "CAP-CACHE";
    for chain in CHAINS {
        let (answer, _) = read(world, CLAUSE, chain).await?;
        let header = answer.header("cache-control").unwrap_or_default().to_lowercase();
        let directives: BTreeSet<&str> = header.split(',').map(str::trim).collect();
        equal(CLAUSE, &answer, "Cache-Control", &BTreeSet::from(["private", "no-store"]), &directives)?;
    }
    Ok(())
}

async fn hook(world: &World) -> Verdict {
    const CLAUSE: &str = "CAP-HOOK";
    for chain_id in CHAINS {
        let Ok(chain) = world.chain(chain_id) else {
            continue;
        };
        let (answer, body) = read(world, CLAUSE, chain_id).await?;
        let active = std::iter::once(&body["activeCreationDeployment"]);
        for deployment in active.chain(body["tradeableDeployments"].as_array().into_iter().flatten()) {
            let address: Option<Address> = deployment["hook"].as_str().and_then(|text| text.parse().ok());
            let address =
                address.ok_or_else(|| failure(CLAUSE, &answer, "an address hook", excerpt(deployment)))?;
            let code = chain.code(address).await?;
            holds(CLAUSE, &answer, !code.is_empty(), "code at the hook", || format!("none at {address}"))?;
            let hash = keccak256(&code).to_string();
            let told = deployment["runtimeHash"].as_str().unwrap_or_default().to_lowercase();
            equal(CLAUSE, &answer, "runtimeHash", &hash, &told)?;
        }
        let head = chain.head().await?.header.number;
        let start = body["activeCreationDeployment"]["startBlock"].as_u64();
        holds(
            CLAUSE,
            &answer,
            start.is_some_and(|start| start <= head),
            "a start block on the chain",
            || format!("{start:?}, the newest being {head}"),
        )?;
    }
    Ok(())
}

async fn trade(world: &World, listing: &Listing) -> Verdict {
    const CLAUSE: &str = "CAP-TRADE";
    listing.some()?;
    let mut hooks = Vec::new();
    for chain in CHAINS {
        let (answer, body) = read(world, CLAUSE, chain).await?;
        let deployments = body["tradeableDeployments"].as_array().cloned().unwrap_or_default();
        let active = body["activeCreationDeployment"]["hook"].as_str().unwrap_or_default().to_lowercase();
        let listed: BTreeSet<String> =
            deployments.iter().filter_map(|one| one["hook"].as_str()).map(str::to_lowercase).collect();
        holds(CLAUSE, &answer, listed.contains(&active), "the active hook among the tradeable ones", || {
            format!("{active} is not in {listed:?}")
        })?;
        hooks.push((chain, listed));
    }
    for address in &listing.addresses {
        let (answer, body) = world.token(CLAUSE, *address).await?;
        let hook = body["hook_address"].as_str().unwrap_or_default().to_lowercase();
        let chain = body.get("chain_id").and_then(Value::as_u64);
        let known =
            hooks.iter().any(|(id, listed)| chain.is_none_or(|chain| chain == *id) && listed.contains(&hook));
        holds(CLAUSE, &answer, known, "a hook_address among the tradeable deployments", || {
            format!("hook_address {hook:?} on chain {chain:?}")
        })?;
    }
    Ok(())
}

/// What a client that looks before it launches sees: `flags.create` and the status of the active deployment.
async fn open(world: &World, chain: u64) -> Verdict<(Answer, bool)> {
    let (answer, body) = read(world, "CAP-INACTIVE", chain).await?;
    let create = match &body["flags"]["create"] {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        _ => true,
    };
    let active = body["activeCreationDeployment"]["status"] == "active";
    Ok((answer, create && active))
}

async fn paused(world: &World) -> Verdict {
    let control = world.control()?;
    for chain in CHAINS {
        judge_open(world, chain, true).await?;
        control.pause_creation(chain, true).await?;
        let closed = while_paused(world, chain).await;
        control.pause_creation(chain, false).await?;
        closed?;
        judge_open(world, chain, true).await?;
    }
    Ok(())
}

async fn while_paused(world: &World, chain: u64) -> Verdict {
    for other in CHAINS {
        judge_open(world, other, other != chain).await?;
    }
    Ok(())
}

async fn judge_open(world: &World, chain: u64, expected: bool) -> Verdict {
    let (answer, seen) = open(world, chain).await?;
    equal("CAP-INACTIVE", &answer, "whether one may launch", &expected, &seen)
}
