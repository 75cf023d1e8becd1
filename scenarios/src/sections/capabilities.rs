//! `GET /api/capabilities`: checks that only read, and the creation switch.
mod members;

use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::{B256, keccak256};

use crate::answers::members::{excerpt, is_address, members_within};
use crate::answers::reads::{CAPABILITIES, RecentPage, walk_recent};
use crate::answers::refusals;
use crate::model::shown::readable;
use crate::model::target::CHAINS;
use crate::prelude::*;
use crate::sections::chain::creation;
use crate::sections::service::answers::SVC_CHOSEN;
use crate::truth::market::Listing;

section! {
    CAP_CHAIN, CAP_SHAPE, members::CAP_MEMBERS, CAP_PARTS, CAP_CACHE, CAP_HOOK, CAP_CODE, CAP_INACTIVE, CAP_TRADE,
}

/// The V4 contracts that a deployment uses.
const V4: [&str; 6] = ["poolManager", "positionManager", "stateView", "quoter", "universalRouter", "permit2"];

async fn read(trial: &Trial<'_>, chain: u64) -> Verdict<(Response, Value)> {
    trial.read_json(CAPABILITIES, &[param("chainId", chain.to_string())]).await
}

clause! {
    CAP_CHAIN = "CAP-CHAIN" (S89, S193): "A supported chain must be named, and the answer is about that chain.";
    check!("capabilities-chain" [Read; Rest] chain: "leaves the chain out, sends others, and reads both");
}
async fn chain(trial: &Trial<'_>) -> Verdict {
    for chain in CHAINS {
        let (response, body) = read(trial, chain).await?;
        trial.require_equal(&response, "chainId", &Value::from(chain), &body["chainId"])?;
    }
    trial.refuses_each(refusals::CAPABILITY_CHAINS, &[]).await?;
    // Other spellings of a number may be accepted.
    trial.by(&SVC_CHOSEN).refuses_each(refusals::CAPABILITY_FORMS, &[]).await
}

clause! {
    CAP_SHAPE = "CAP-SHAPE" (S90, S91, S92):
        "The answer has every part that is named for it, the same build is named again, and a build has one revision of the schema.";
    check!("capabilities-shape" [Read; Rest] shape:
        "looks at every named part of the answer for both chains, and at build and revision in four answers each");
}
async fn shape(trial: &Trial<'_>) -> Verdict {
    for chain in CHAINS {
        let (response, body) = read(trial, chain).await?;
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
            trial.require(&response, good, &format!("{name} of its type"))?;
        }
        let active = &body["activeCreationDeployment"];
        let hook = active["hook"].as_str().is_some_and(is_address);
        trial.require_or(&response, hook, "a hook of the active deployment", || excerpt(active))?;
        let status = active["status"].is_string();
        trial.require_or(&response, status, "a status of the active deployment", || excerpt(active))?;
        let objects = body["tradeableDeployments"].as_array().into_iter().flatten().all(Value::is_object);
        trial.require(&response, objects, "objects in tradeableDeployments")?;
        one_revision_of_a_build(trial, chain, &body).await?;
    }
    Ok(())
}

/// Further answers that are compared with the first one.
const MORE: usize = 3;

/// Answers of one build have one revision. While a release is rolled out several builds answer, but each of them again.
async fn one_revision_of_a_build(trial: &Trial<'_>, chain: u64, first: &Value) -> Verdict {
    let build = |body: &Value| body["releaseCommit"].as_str().unwrap_or_default().to_owned();
    let mut revisions = BTreeMap::from([(build(first), first["capabilityRevision"].clone())]);
    for number in 1..=MORE {
        let (response, body) = read(trial, chain).await?;
        let build = build(&body);
        let revision = revisions.entry(build.clone()).or_insert_with(|| body["capabilityRevision"].clone());
        let what = format!("capabilityRevision of build {build}");
        trial.require_equal(&response, &what, revision, &body["capabilityRevision"])?;
        let again = number < MORE || revisions.len() <= MORE;
        trial.require_or(&response, again, "a releaseCommit that is the same again", || {
            readable(&revisions.keys())
        })?;
    }
    Ok(())
}

clause! {
    CAP_PARTS = "CAP-PARTS" (choice S92, S95, S96, S97, S98, S99, S101):
        "There are five flags, and every deployment has a hook, a runtime hash, V4 contracts and seven parts or more.";
    check!("capabilities-parts" [Read; Rest] parts: "looks at the flags and at every deployment of both chains");
}
async fn parts(trial: &Trial<'_>) -> Verdict {
    for chain in CHAINS {
        let (response, body) = read(trial, chain).await?;
        // One switch each for read, create, trade, EOTI and token update.
        let switches = body["flags"].as_object().map_or(0, serde_json::Map::len);
        trial.require_or(&response, switches >= 5, "five switches in flags", || excerpt(&body["flags"]))?;
        for one in deployments(&body) {
            trial.part(deployment(trial, &response, one))?;
        }
    }
    Ok(())
}

/// Returns the active deployment and the tradeable ones.
pub(super) fn deployments(body: &Value) -> impl Iterator<Item = &Value> {
    let tradeable = body["tradeableDeployments"].as_array().into_iter().flatten();
    std::iter::once(&body["activeCreationDeployment"]).chain(tradeable)
}

/// A deployment has version, hook, ABI family, fee-withdrawal mode, runtime hash, V4 contracts and start block. The interface names only
/// the hook; the others are recognised by their values.
fn deployment(trial: &Trial<'_>, response: &Response, deployment: &Value) -> Verdict {
    let members = deployment
        .as_object()
        .ok_or_else(|| trial.failure(response, "a deployment object", excerpt(deployment)))?;
    let hook = members.get("hook").and_then(Value::as_str).is_some_and(is_address);
    trial.require_or(response, hook, "an address hook in each deployment", || excerpt(deployment))?;
    let hash = members
        .values()
        .filter_map(Value::as_str)
        .any(|text| text.len() == 66 && text.parse::<B256>().is_ok());
    trial.require_or(response, hash, "a runtime hash in each deployment", || excerpt(deployment))?;
    let nested: Vec<_> = members
        .values()
        .filter_map(Value::as_object)
        .filter(|inner| {
            !inner.is_empty() && inner.values().all(|value| value.as_str().is_some_and(is_address))
        })
        .collect();
    // If they have the names of the V4 contracts, all of those must be present.
    let complete = nested
        .iter()
        .any(|inner| !inner.contains_key(V4[0]) || V4.iter().all(|name| inner.contains_key(*name)));
    trial.require_or(response, complete, "addresses of the V4 contracts in each deployment", || {
        excerpt(deployment)
    })?;
    trial.require_or(response, members.len() >= 7, "seven parts of each deployment", || excerpt(deployment))
}

clause! {
    CAP_CACHE = "CAP-CACHE" (S194): "No cache may keep the answer: Cache-Control has private and no-store.";
    check!("capabilities-cache" [Read; Rest] cache: "looks at Cache-Control");
}
async fn cache(trial: &Trial<'_>) -> Verdict {
    for chain in CHAINS {
        let (response, _) = read(trial, chain).await?;
        let kept = response.lists("cache-control", &["private", "no-store"]);
        let shown = || response.listed("cache-control").join(", ");
        trial.require_or(&response, kept, "Cache-Control: private, no-store", shown)?;
    }
    Ok(())
}

clause! {
    CAP_HOOK = "CAP-HOOK" (S94, S225): "The active hook has code on its chain and launches tokens.";
    check!("capabilities-hook" [Read; Rest, PrimaryChain] hook: "fetches the code of the active hook");
    check!("capabilities-hook-launches" [Read; Rest, PrimaryChain] creation::named_hook_takes_launches:
        "the hook that the capabilities name has the named code and takes a launch");
}
async fn hook(trial: &Trial<'_>) -> Verdict {
    for chain_id in CHAINS {
        let Ok(chain) = trial.chain(chain_id) else {
            continue;
        };
        let (response, body) = read(trial, chain_id).await?;
        let address = hook_of(trial, &response, &body["activeCreationDeployment"])?;
        let code = chain.code(address).await?;
        trial.require_or(&response, !code.is_empty(), "code at the hook", || format!("none at {address}"))?;
    }
    Ok(())
}

fn hook_of(trial: &Trial<'_>, response: &Response, deployment: &Value) -> Verdict<Address> {
    let none = || trial.failure(response, "an address hook", excerpt(deployment));
    parsed(&deployment["hook"]).ok_or_else(none)
}

clause! {
    CAP_CODE = "CAP-CODE" (choice S97, S99, S101):
        "runtimeHash is the Keccak hash of the code of each hook, and startBlock a block of the chain.";
    check!("capabilities-code" [Read; Rest, PrimaryChain] code:
        "fetches the code of each deployment and compares its hash");
}
async fn code(trial: &Trial<'_>) -> Verdict {
    for chain_id in CHAINS {
        let Ok(chain) = trial.chain(chain_id) else {
            continue;
        };
        let (response, body) = read(trial, chain_id).await?;
        for deployment in deployments(&body) {
            let Some(hook) = trial.part(hook_of(trial, &response, deployment))? else { continue };
            let code = chain.code(hook).await?;
            let hash = keccak256(&code).to_string();
            let reported = deployment["runtimeHash"].as_str().unwrap_or_default().to_lowercase();
            trial.require_equal(&response, "runtimeHash", &hash, &reported)?;
        }
        let head = chain.head().await?.header.number;
        let start = body["activeCreationDeployment"]["startBlock"].as_u64();
        let on_chain = start.is_some_and(|start| start <= head);
        let seen = || format!("{}, the newest being {head}", readable(&start));
        trial.require_or(&response, on_chain, "a start block on the chain", seen)?;
    }
    Ok(())
}

clause! {
    CAP_TRADE = "CAP-TRADE" (S8, S101, S197, S329): "The hook of every token is among the deployments that tokens can be traded through.";
    check!("capabilities-trade" [Read; Rest] trade on Listing:
        "looks for the hook of every token among the deployments of its chain");
}
async fn trade(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    listing.some()?;
    let mut hooks = Vec::new();
    for chain in CHAINS {
        let (response, body) = read(trial, chain).await?;
        let active = body["activeCreationDeployment"]["hook"].as_str().unwrap_or_default().to_lowercase();
        // The member that holds the contract is left open.
        let members = members_within(&body["tradeableDeployments"]);
        let texts = members.into_iter().filter_map(|(_, member)| member.as_str());
        let listed: BTreeSet<String> = texts.map(str::to_lowercase).collect();
        let known = active.is_empty() || listed.contains(&active);
        let seen = || format!("{active} is not in {}", readable(&listed));
        trial.require_or(&response, known, "the active hook among the tradeable ones", seen)?;
        hooks.push((chain, listed));
    }
    let recent = recent_pages(trial).await?;
    let shown: BTreeMap<Address, (&Response, &Value)> = recent
        .iter()
        .flat_map(|page| page.tokens.iter().map(move |row| (&page.response, row)))
        .filter(|(_, row)| row["hook_address"].is_string())
        .filter_map(|(response, row)| Some((parsed(&row["address"])?, (response, row))))
        .collect();
    let mut seen = 0;
    for address in &listing.addresses {
        // Tokens whose hook the recent launches show need no separate request.
        let read = if shown.contains_key(address) { None } else { Some(trial.token(*address).await?) };
        let of_token = read.as_ref().map(|(response, body)| (response, body));
        let Some((response, body)) = of_token.or_else(|| shown.get(address).copied()) else { continue };
        let Some(hook) = body["hook_address"].as_str().map(str::to_lowercase) else { continue };
        seen += 1;
        let chain = body.get("chain_id").and_then(Value::as_u64);
        let known =
            hooks.iter().any(|(id, listed)| chain.is_none_or(|chain| chain == *id) && listed.contains(&hook));
        trial.require_or(response, known, "a hook_address among the tradeable deployments", || {
            format!("hook_address {} on chain {}", readable(&hook), readable(&chain))
        })?;
    }
    // The set of a token's fields is left open.
    if seen == 0 {
        return Err(Stop::Skipped("no token shows its hook_address".to_owned()));
    }
    Ok(())
}

/// Reads the recent launches of both chains; malformed ones are left to other checks.
async fn recent_pages(trial: &Trial<'_>) -> Verdict<Vec<RecentPage>> {
    let mut pages = Vec::new();
    for chain in CHAINS {
        match walk_recent(&trial.stopping(), chain, Some(50)).await {
            Ok(of_chain) => pages.extend(of_chain),
            Err(Stop::Failed(_)) => {}
            Err(other) => return Err(other),
        }
    }
    Ok(pages)
}

clause! {
    CAP_INACTIVE = "CAP-INACTIVE" (S100, S107, S195):
        "While creation is paused, the capabilities report it to clients that read them before a launch.";
    check!("capabilities-paused" [Exclusive; Rest, Control] paused:
        "pauses creation on one chain and looks first as a careful client would");
}
async fn paused(trial: &Trial<'_>) -> Verdict {
    let control = trial.control()?;
    for chain in CHAINS {
        judge_open(trial, chain, true).await?;
        control.pause_creation(chain, true).await?;
        let closed = while_paused(trial, chain).await;
        control.pause_creation(chain, false).await?;
        closed?;
        judge_open(trial, chain, true).await?;
    }
    Ok(())
}

async fn while_paused(trial: &Trial<'_>, chain: u64) -> Verdict {
    for other in CHAINS {
        judge_open(trial, other, other != chain).await?;
    }
    Ok(())
}

/// Judges what a client sees before it launches: `flags.create` and the status of the active deployment.
async fn judge_open(trial: &Trial<'_>, chain: u64, expected: bool) -> Verdict {
    let (response, body) = read(trial, chain).await?;
    let active = body["activeCreationDeployment"]["status"] == "active";
    let seen = is_truthy(&body["flags"]["create"]) && active;
    trial.require_equal(&response, "whether one may launch", &expected, &seen)
}

/// Whether a value is truthy in JavaScript.
pub(super) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        _ => true,
    }
}
