//! Every launch of the chains is found wherever tokens are read.
use std::collections::{BTreeMap, BTreeSet};

use super::shown::{Shown, every_token};
use crate::ledger::{Launch, Ledger};
use crate::prelude::*;
use crate::reads::{BATCH, LIST, OWNER, RECENT};

/// Tokens of an owner that one page holds.
const PAGE: usize = 100;

/// Each launch is in the list, its batch, its owner's tokens and the recent launches of its chain.
pub(super) async fn everywhere(trial: &Trial<'_>, ledger: &Ledger) -> Verdict {
    let shown = every_token(trial, ledger).await?;
    let mut found: BTreeMap<&str, (BTreeSet<Address>, &Shown)> = BTreeMap::new();
    for one in &shown {
        found.entry(one.endpoint).or_insert_with(|| (BTreeSet::new(), one)).0.insert(one.address);
    }
    for launch in ledger.launches.values() {
        let missing =
            |endpoint: &str| found.get(endpoint).is_none_or(|(tokens, _)| !tokens.contains(&launch.token));
        let mut lists = vec![BATCH];
        let mut of_owner = ledger.launches.values().filter(|other| other.creator == launch.creator);
        if shown.iter().any(|one| is_asked(one, launch)) && of_owner.nth(PAGE).is_none() {
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

/// Whether an answer is of the owner of a launch; of many owners the seed chooses some.
fn is_asked(shown: &Shown, launch: &Launch) -> bool {
    let owner = launch.creator.to_string();
    shown.endpoint == OWNER
        && shown.response.request.url.query_pairs().any(|(name, value)| name == "owner" && value == owner)
}

/// Whether the tokens of its owner leave a launch out unless the inactive ones are requested.
async fn is_inactive(trial: &Trial<'_>, launch: &Launch) -> Verdict<bool> {
    let address = launch.token.to_string();
    let mut shown = [false; 2];
    for (shown, all) in shown.iter_mut().zip(["false", "true"]) {
        let query = [
            param("owner", launch.creator.to_string()),
            param("limit", PAGE.to_string()),
            param("includeInactive", all),
        ];
        let body = trial.ok_json(&trial.read(OWNER, &query).await?)?;
        let mut tokens = body["tokens"].as_array().into_iter().flatten();
        let is_it = |text: &str| text.eq_ignore_ascii_case(&address);
        *shown = tokens.any(|token| token["address"].as_str().is_some_and(is_it));
    }
    Ok(shown == [false, true])
}
