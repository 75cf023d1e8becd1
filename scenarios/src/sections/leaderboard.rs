//! `GET /api/leaderboard`: ranks, and points recomputed from what the chains say.
use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::{Address, U256};
use alloy::sol_types::SolEvent;
use serde_json::{Value, json};
use slipway_contracts::bindings::ILaunchHook;

use crate::check::{Check, Inconclusive, Lane, Need, Verdict};
use crate::client::chain::Chain;
use crate::client::http::Answer;
use crate::expect::figure::Figure;
use crate::expect::{equal, failure, holds, moment, ok_json, refusal, status};
use crate::reads::{CAPABILITIES, CHAINS, param};
use crate::reference::points;
use crate::world::World;

const CLAUSE: &str = "LEAD-SHAPE";
const BOARD: &str = "/api/leaderboard";
/// How often the board is read again when the chains moved meanwhile.
const ATTEMPTS: usize = 4;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "leaderboard-ranks",
        clauses: &[CLAUSE],
        summary: "reads the board with every kind of limit and looks at its ranks and sums",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(ranks(world)),
    },
    Check {
        id: "leaderboard-points",
        clauses: &[CLAUSE],
        summary: "recomputes every wallet's own points from the trades and launches on both chains",
        lane: Lane::Exclusive,
        needs: &[Need::Rest, Need::PrimaryChain, Need::SecondChain],
        run: |world| Box::pin(own_points(world)),
    },
];

async fn board(world: &World, query: &[(&'static str, String)]) -> Verdict<(Answer, Vec<Value>)> {
    let answer = world.read(BOARD, query).await?;
    let body = ok_json(CLAUSE, &answer)?;
    let updated = body["updated_at"].as_str().and_then(moment::nanoseconds);
    match (body["leaderboard"].as_array(), updated) {
        (Some(rows), Some(_)) => Ok((answer.clone(), rows.clone())),
        _ => Err(failure(CLAUSE, &answer, "leaderboard and updated_at", answer.excerpt())),
    }
}

fn number(answer: &Answer, row: &Value, name: &str) -> Verdict<Figure> {
    let figure = row[name].is_number().then(|| Figure::parse(&row[name].to_string())).flatten();
    figure.ok_or_else(|| failure(CLAUSE, answer, format!("{name} as a number"), row.to_string()))
}

async fn ranks(world: &World) -> Verdict {
    for (limit, most) in [(None, 50), (Some("1"), 1), (Some("7"), 7), (Some("100"), 100)] {
        let query: Vec<_> = limit.iter().map(|limit| param("limit", *limit)).collect();
        let (answer, rows) = board(world, &query).await?;
        holds(CLAUSE, &answer, rows.len() <= most, &format!("at most {most} rows"), || {
            format!("{} rows", rows.len())
        })?;
        if most == 1 {
            holds(CLAUSE, &answer, rows.len() == 1, "a first row", || answer.excerpt())?;
        }
        let mut last: Option<Figure> = None;
        for (row, rank) in rows.iter().zip(1_u64..) {
            equal(CLAUSE, &answer, "rank", &json!(rank), &row["rank"])?;
            let total = number(&answer, row, "points")?;
            let parts = ["trading_points", "creation_points", "referral_points"];
            let parts: Vec<Figure> =
                parts.iter().map(|name| number(&answer, row, name)).collect::<Verdict<_>>()?;
            let sum = parts.iter().map(Figure::value).sum();
            holds(
                CLAUSE,
                &answer,
                points::shows(&total, &sum),
                "points that are the sum of their parts",
                || row.to_string(),
            )?;
            let falls = last.as_ref().is_none_or(|last| total <= *last);
            holds(CLAUSE, &answer, falls, "no more points than the row before", || row.to_string())?;
            last = Some(total);
        }
    }
    for bad in ["0", "101", "-1", "ten", "1.5", ""] {
        let answer = world.read(BOARD, &[param("limit", bad)]).await?;
        status(CLAUSE, &answer, 400)?;
        refusal::body(CLAUSE, &answer, 400)?;
        if let Ok(control) = world.control() {
            let cause = control.entry_of(&answer).await?.and_then(|entry| entry.cause);
            equal(CLAUSE, &answer, "cause", &Some("leaderboard-limit".to_owned()), &cause)?;
        }
    }
    Ok(())
}

/// What a wallet did by itself.
#[derive(Clone, Copy, Debug, Default)]
struct Own {
    volume: U256,
    launches: u64,
}

async fn own_points(world: &World) -> Verdict {
    for _ in 0..ATTEMPTS {
        let before = heads(world).await?;
        let mut wallets = BTreeMap::new();
        for chain_id in CHAINS {
            read_chain(world, chain_id, &mut wallets).await?;
        }
        world.settled(CHAINS[0], before[0]).await?;
        world.settled(CHAINS[1], before[1]).await?;
        let (answer, rows) = board(world, &[param("limit", "100")]).await?;
        if heads(world).await? != before {
            continue;
        }
        return compare(&answer, &rows, &wallets);
    }
    Err(Inconclusive::NoMaterial { reason: "the chains never stood still".into() }.into())
}

async fn heads(world: &World) -> Verdict<[u64; 2]> {
    let [one, two] = CHAINS;
    Ok([world.chain(one)?.head().await?.number(), world.chain(two)?.head().await?.number()])
}

fn compare(answer: &Answer, rows: &[Value], wallets: &BTreeMap<Address, Own>) -> Verdict {
    let mut shown = BTreeSet::new();
    for row in rows {
        let wallet: Option<Address> = row["address"].as_str().and_then(|text| text.parse().ok());
        let wallet = wallet.ok_or_else(|| failure(CLAUSE, answer, "an address", row.to_string()))?;
        let own = wallets.get(&wallet).copied().unwrap_or_default();
        shown.insert(wallet);
        for (name, exact) in [
            ("trading_points", points::of_volume(own.volume)),
            ("creation_points", points::of_creations(own.launches)),
            ("volume_eth", points::ether(own.volume)),
        ] {
            let figure = number(answer, row, name)?;
            holds(
                CLAUSE,
                answer,
                points::shows(&figure, &exact),
                &format!("{name} of {wallet} = {exact}"),
                || row.to_string(),
            )?;
        }
    }
    if rows.len() < 100 {
        let missing = wallets.keys().find(|wallet| !shown.contains(*wallet));
        let whole = missing.is_none();
        holds(CLAUSE, answer, whole, "every wallet that traded or launched", || {
            format!("{missing:?} is missing")
        })?;
    }
    Ok(())
}

/// Adds the launches of a chain, and the trades of those that raise the native coin.
async fn read_chain(world: &World, chain_id: u64, wallets: &mut BTreeMap<Address, Own>) -> Verdict {
    let query = [param("chainId", chain_id.to_string())];
    let capabilities = ok_json(CLAUSE, &world.read(CAPABILITIES, &query).await?)?;
    let chain = world.chain(chain_id)?;
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
