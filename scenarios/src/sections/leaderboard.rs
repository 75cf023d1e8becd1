//! `GET /api/leaderboard`: ranks, and points recomputed from what the chains say.
use std::collections::{BTreeMap, BTreeSet};

use alloy::sol_types::SolEvent;
use slipway_contracts::bindings::ILaunchHook;

use crate::client::chain::Chain;
use crate::expect::figure::Figure;
use crate::expect::moment;
use crate::prelude::*;
use crate::reads::{CAPABILITIES, CHAINS};
use crate::reference::points;

const BOARD: &str = "/api/leaderboard";
/// How often the board is read again when the chains moved meanwhile.
const ATTEMPTS: usize = 4;

section! {
    LEAD_SHAPE,
}

async fn board(trial: &Trial<'_>, query: &[(&'static str, String)]) -> Verdict<(Response, Vec<Value>)> {
    let (response, body) = trial.read_json(BOARD, query).await?;
    let updated = body["updated_at"].as_str().and_then(moment::nanoseconds);
    match (body["leaderboard"].as_array(), updated) {
        (Some(rows), Some(_)) => Ok((response.clone(), rows.clone())),
        _ => Err(trial.failure(&response, "leaderboard and updated_at", response.excerpt())),
    }
}

clause! {
    LEAD_SHAPE = "LEAD-SHAPE" (choice S6, S166, S167):
        "Rows are ranked from 1 without a gap, points never rise, and limit is kept.";
    check!("leaderboard-ranks" [Read; Rest] ranks:
        "reads the board with every kind of limit and looks at its ranks and sums");
    check!("leaderboard-points" [Exclusive; Rest, PrimaryChain, SecondChain] own_points:
        "recomputes every wallet's own points from the trades and launches on both chains");
}
async fn ranks(trial: &Trial<'_>) -> Verdict {
    let (_, whole) = board(trial, &[param("limit", "100")]).await?;
    for (limit, most) in [(None, 50), (Some("1"), 1), (Some("7"), 7), (Some("100"), 100)] {
        let query: Vec<_> = limit.iter().map(|limit| param("limit", *limit)).collect();
        let (response, rows) = board(trial, &query).await?;
        let least = most.min(whole.len());
        trial.holds(
            &response,
            (least..=most).contains(&rows.len()),
            &format!("{least} to {most} rows"),
            || format!("{} rows", rows.len()),
        )?;
        if most == 1 {
            trial.shows(&response, rows.len() == 1, "a first row")?;
        }
        let mut last: Option<Figure> = None;
        for (row, rank) in rows.iter().zip(1_u64..) {
            trial.equal(&response, "rank", &json!(rank), &row["rank"])?;
            let total = trial.number(&response, row, "points")?;
            let parts = ["trading_points", "creation_points", "referral_points"];
            let parts: Vec<Figure> =
                parts.iter().map(|name| trial.number(&response, row, name)).collect::<Verdict<_>>()?;
            let sum = parts.iter().map(Figure::value).sum();
            trial.holds(
                &response,
                points::shows(&total, &sum),
                "points that are the sum of their parts",
                || row.to_string(),
            )?;
            let falls = last.as_ref().is_none_or(|last| total <= *last);
            trial.holds(&response, falls, "no more points than the row before", || row.to_string())?;
            last = Some(total);
        }
    }
    for bad in ["0", "101", "-1", "ten", "1.5"] {
        let response = trial.read(BOARD, &[param("limit", bad)]).await?;
        trial.refused(&response, 400, &["leaderboard-limit"]).await?;
    }
    Ok(())
}

/// What a wallet did by itself.
#[derive(Clone, Copy, Debug, Default)]
struct Own {
    volume: U256,
    launches: u64,
}

async fn own_points(trial: &Trial<'_>) -> Verdict {
    for _ in 0..ATTEMPTS {
        let before = heads(trial).await?;
        let mut wallets = BTreeMap::new();
        for chain_id in CHAINS {
            read_chain(trial, chain_id, &mut wallets).await?;
        }
        trial.settled(CHAINS[0], before[0]).await?;
        trial.settled(CHAINS[1], before[1]).await?;
        let (response, rows) = board(trial, &[param("limit", "100")]).await?;
        if heads(trial).await? != before {
            continue;
        }
        return compare(trial, &response, &rows, &wallets);
    }
    Err(no_material("the chains never stood still"))
}

async fn heads(trial: &Trial<'_>) -> Verdict<[u64; 2]> {
    let [one, two] = CHAINS;
    Ok([trial.chain(one)?.head().await?.number(), trial.chain(two)?.head().await?.number()])
}

fn compare(
    trial: &Trial<'_>,
    response: &Response,
    rows: &[Value],
    wallets: &BTreeMap<Address, Own>,
) -> Verdict {
    let mut shown = BTreeSet::new();
    for row in rows {
        let wallet: Option<Address> = row["address"].as_str().and_then(|text| text.parse().ok());
        let wallet = wallet.ok_or_else(|| trial.failure(response, "an address", row.to_string()))?;
        let own = wallets.get(&wallet).copied().unwrap_or_default();
        shown.insert(wallet);
        for (name, exact) in [
            ("trading_points", points::of_volume(own.volume)),
            ("creation_points", points::of_creations(own.launches)),
            ("volume_eth", points::ether(own.volume)),
        ] {
            let figure = trial.number(response, row, name)?;
            trial.holds(
                response,
                points::shows(&figure, &exact),
                &format!("{name} of {wallet} = {exact}"),
                || row.to_string(),
            )?;
        }
    }
    if rows.len() < 100 {
        let missing = wallets.keys().find(|wallet| !shown.contains(*wallet));
        let whole = missing.is_none();
        trial.holds(response, whole, "every wallet that traded or launched", || {
            format!("{missing:?} is missing")
        })?;
    }
    Ok(())
}

/// Adds the launches of a chain, and the trades of those that raise the native coin.
async fn read_chain(trial: &Trial<'_>, chain_id: u64, wallets: &mut BTreeMap<Address, Own>) -> Verdict {
    let query = [param("chainId", chain_id.to_string())];
    let capabilities = trial.ok_json(&trial.read(CAPABILITIES, &query).await?)?;
    let chain = trial.chain(chain_id)?;
    for deployment in capabilities["tradeableDeployments"].as_array().into_iter().flatten() {
        let hook = deployment["hook"].as_str().and_then(|text| text.parse().ok());
        let start = deployment["startBlock"].as_u64().unwrap_or_default();
        let Some(hook) = hook else { continue };
        for created in events::<ILaunchHook::LaunchCreated>(chain, hook, start).await? {
            wallets.entry(created.creator).or_default().launches += 1;
        }
        let configured = events::<ILaunchHook::LaunchConfigured>(chain, hook, start).await?;
        let native: BTreeSet<U256> = configured
            .iter()
            .filter(|launch| launch.quoteAsset.is_zero())
            .map(|launch| launch.launchId)
            .collect();
        for trade in events::<ILaunchHook::Trade>(chain, hook, start).await? {
            if native.contains(&trade.launchId) {
                wallets.entry(trade.trader).or_default().volume += trade.amounts.ethAmount;
            }
        }
    }
    Ok(())
}

async fn events<E: SolEvent>(chain: &Chain, hook: Address, from: u64) -> Verdict<Vec<E>> {
    let logs = chain.logs(hook, E::SIGNATURE_HASH, from).await?;
    let decoded = logs.iter().filter_map(|log| E::decode_log_data(log.data()).ok());
    Ok(decoded.collect())
}
