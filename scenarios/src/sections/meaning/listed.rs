//! Every launch on the chains is found wherever tokens can be read.
use std::collections::{BTreeMap, BTreeSet};

use super::shown::{Shown, every_token, of_owner};
use super::timed::TimedReads;
use crate::answers::reads::{BATCH, LIST, OWNER, RECENT};
use crate::prelude::*;
use crate::truth::ledger::{Launch, Ledger};

/// Each launch is in the list, its batch, its owner's tokens and the recent launches of its chain.
pub(super) async fn everywhere(trial: &Trial<'_>, ledger: &Ledger) -> Verdict {
    let every = every_token(trial, ledger).await?;
    let shown = &every.shown;
    let mut found: BTreeMap<&str, (BTreeSet<Address>, &Shown)> = BTreeMap::new();
    let mut owners = BTreeSet::new();
    for one in shown {
        found.entry(one.endpoint).or_insert_with(|| (BTreeSet::new(), one)).0.insert(one.address);
        owners.extend(asked_owner(one));
    }
    for launch in ledger.launches.values() {
        let missing =
            |endpoint: &str| found.get(endpoint).is_none_or(|(tokens, _)| !tokens.contains(&launch.token));
        let mut lists = vec![BATCH];
        if owners.contains(&launch.creator) {
            lists.push(OWNER);
        }
        if missing(LIST) || (launch.v2.is_some() && missing(RECENT)) {
            let inactive = is_inactive(trial, launch).await?;
            lists.extend((!inactive).then_some(LIST));
            lists.extend((!inactive && launch.v2.is_some()).then_some(RECENT));
        }
        let Some(endpoint) = lists.into_iter().find(|endpoint| missing(endpoint)) else { continue };
        let evidence = found.get(endpoint).map_or(&shown[0], |(_, one)| *one);
        let expected = format!("{} of chain {} in {endpoint}", launch.token, launch.chain_id);
        return Err(trial.failure(&*evidence.response, expected, "it is missing"));
    }
    Ok(())
}

/// Returns the owner whose tokens were requested; of many owners the seed picks some.
fn asked_owner(shown: &Shown) -> Option<Address> {
    let mut query = shown.response.request.url.query_pairs();
    let owner = query.find(|(name, _)| shown.endpoint == OWNER && name == "owner")?;
    owner.1.parse().ok()
}

/// Whether the owner's tokens omit a launch unless inactive ones are requested.
async fn is_inactive(trial: &Trial<'_>, launch: &Launch) -> Verdict<bool> {
    let reads = TimedReads::begin(trial).await?;
    let mut shown = [false; 2];
    for (shown, all) in shown.iter_mut().zip([false, true]) {
        let tokens = of_owner(&reads, launch.creator, all).await?;
        *shown = tokens.iter().any(|one| one.address == launch.token);
    }
    Ok(shown == [false, true])
}
