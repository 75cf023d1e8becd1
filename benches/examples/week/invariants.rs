//! What must hold of a chain and of what the service says of it, held against the sums over its logs.
use std::collections::BTreeMap;

use alloy::primitives::{Address, U256};
use serde_json::Value;
use slipway_contracts::bindings::{IERC20, ILaunchHook, LaunchConfig};

use crate::market::{Failure, Side, ask};
use crate::platform::Platform;
use crate::tally::{Day, Launch};

/// Units of every launch.
const SUPPLY: u128 = 1_000_000_000_000_000_000_000_000_000;
const WHOLE_SUPPLY: u64 = 1_000_000_000;

/// One invariant: how many comparisons it took, and the first that failed.
struct Held {
    name: &'static str,
    compared: usize,
    broken: usize,
    first: Option<String>,
}

impl Held {
    fn new(name: &'static str) -> Self {
        Self { name, compared: 0, broken: 0, first: None }
    }

    fn equal<T: PartialEq + std::fmt::Debug>(
        &mut self,
        found: &T,
        expected: &T,
        what: impl FnOnce() -> String,
    ) {
        self.compared += 1;
        if found != expected {
            self.broken += 1;
            self.first.get_or_insert_with(|| format!("{}: {found:?} instead of {expected:?}", what()));
        }
    }
}

/// What the contracts say of a launch.
struct Told {
    state: LaunchConfig,
    buyback: U256,
    supply: U256,
}

/// Checks everything of one chain; answers a line for each invariant, and whether all hold.
pub(crate) async fn judge(side: &Side, platform: &Platform<'_>) -> Result<(Vec<String>, bool), Failure> {
    let launches: BTreeMap<u64, &Launch> =
        side.tally.launches.iter().map(|(id, launch)| (*id, launch)).collect();
    let told = told(side, &launches).await?;
    let all = [
        supplies(side, &launches, &told).await?,
        reserves(&launches, &told),
        solvency(side, &launches, &told).await?,
        fees(side),
        figures(side, &launches, platform).await?,
    ];
    let sound = all.iter().all(|held| held.broken == 0 && held.compared > 0);
    let line = |held: &Held| {
        let verdict = if held.broken == 0 && held.compared > 0 { "holds " } else { "BROKEN" };
        let first = held.first.as_ref().map(|first| format!(": {} differ, first {first}", held.broken));
        format!(
            "{verdict} chain {:<6} {} ({} comparisons){}",
            side.chain_id,
            held.name,
            held.compared,
            first.unwrap_or_default()
        )
    };
    Ok((all.iter().map(line).collect(), sound))
}

async fn told(side: &Side, launches: &BTreeMap<u64, &Launch>) -> Result<BTreeMap<u64, Told>, Failure> {
    let hook = side.hook;
    let id = |id: &u64| U256::from(*id);
    let states = side.calls(
        launches.keys().map(|launch| (hook, ILaunchHook::getLaunchStateCall { launchId: id(launch) })),
    );
    let states = states.await?;
    let buybacks = side.calls(
        launches.keys().map(|launch| (hook, ILaunchHook::accumulatedBuybackCall { launchId: id(launch) })),
    );
    let buybacks = buybacks.await?;
    let supplies =
        side.calls(launches.values().map(|launch| (launch.token, IERC20::totalSupplyCall {}))).await?;
    let each = launches.keys().zip(states).zip(buybacks).zip(supplies);
    Ok(each.map(|(((id, state), buyback), supply)| (*id, Told { state, buyback, supply })).collect())
}

/// Every token: what exists lies with somebody, and the hook has exactly what it has not sold.
async fn supplies(
    side: &Side,
    launches: &BTreeMap<u64, &Launch>,
    told: &BTreeMap<u64, Told>,
) -> Result<Held, Failure> {
    let mut held = Held::new("supplies: balances, their sum and what the hook keeps");
    for (id, launch) in launches {
        let balances = side.tally.balances.get(&launch.token).ok_or("a launch without a transfer")?;
        let sum = balances.values().copied().fold(U256::ZERO, U256::wrapping_add);
        held.equal(&sum, &told[id].supply, || format!("sum of the balances of launch {id}"));
        if !launch.is_graduated {
            let kept = side.tally.balance(launch.token, side.hook);
            held.equal(&kept, &(U256::from(SUPPLY) - launch.sold), || format!("unsold units of launch {id}"));
        }
        let accounts: Vec<Address> = balances.keys().copied().collect();
        let calls = accounts.iter().map(|&account| (launch.token, IERC20::balanceOfCall { account }));
        for (account, units) in accounts.iter().zip(side.calls(calls).await?) {
            held.equal(&balances[account], &units, || format!("balance of {account} in launch {id}"));
        }
    }
    Ok(held)
}

/// What each launch has raised and sold by its logs is what its contract says.
fn reserves(launches: &BTreeMap<u64, &Launch>, told: &BTreeMap<u64, Told>) -> Held {
    let mut held = Held::new("reserves: contributions, units sold, buybacks set aside, graduations");
    for (id, launch) in launches {
        let Told { state, buyback, .. } = &told[id];
        let by_logs = (launch.contributions, launch.sold, launch.buyback, launch.is_graduated);
        let by_chain =
            (U256::from(state.netContributions), U256::from(state.sold), *buyback, state.finalized);
        held.equal(&by_logs, &by_chain, || format!("launch {id}"));
    }
    held
}

/// The hook has what it owes: contributions of open launches, fees not withdrawn, buybacks not carried out.
async fn solvency(
    side: &Side,
    launches: &BTreeMap<u64, &Launch>,
    told: &BTreeMap<u64, Told>,
) -> Result<Held, Failure> {
    let mut held = Held::new("solvency: balance of the hook against what it owes, account by account");
    let accounts: Vec<Address> = side.tally.withdrawable.keys().copied().collect();
    let hook = side.hook;
    let calls = accounts.iter().map(|&account| (hook, ILaunchHook::withdrawableFeesCall { account }));
    let mut owed = U256::ZERO;
    for (account, fees) in accounts.iter().zip(side.calls(calls).await?) {
        held.equal(&side.tally.withdrawable[account], &fees, || format!("fees of {account}"));
        owed += fees;
    }
    for id in launches.keys() {
        let Told { state, buyback, .. } = &told[id];
        owed += *buyback;
        if !state.finalized {
            owed += U256::from(state.netContributions);
        }
    }
    let balance: U256 = ask(&side.provider, "eth_getBalance", (side.hook, "latest")).await?;
    held.equal(&balance, &owed, || "balance of the hook".to_owned());
    let count = side.calls([(hook, ILaunchHook::launchCountCall {})].into_iter()).await?;
    held.equal(&count[0].to::<usize>(), &launches.len(), || "launches".to_owned());
    Ok(held)
}

/// Fees that traders paid are those credited to accounts and set aside, with what of a raise its pool could not take to the wei;
/// what was credited is owed or was claimed.
fn fees(side: &Side) -> Held {
    let mut held = Held::new("fees: paid and left over = accrued + set aside, accrued = owed + claimed");
    let fees = side.tally.fees;
    let graduated = side.tally.launches.values().filter(|launch| launch.is_graduated);
    let left_over = graduated.map(|launch| launch.contributions.wrapping_sub(launch.seeded));
    let paid = left_over.fold(fees.paid, U256::wrapping_add);
    held.equal(&paid, &(fees.accrued + fees.aside), || "fees paid".to_owned());
    let owed = side.tally.withdrawable.values().copied().fold(U256::ZERO, U256::wrapping_add);
    held.equal(&fees.accrued, &(owed + fees.claimed), || "fees accrued".to_owned());
    let aside =
        side.tally.launches.values().map(|launch| launch.buyback).fold(U256::ZERO, U256::wrapping_add);
    held.equal(&fees.aside, &(aside + fees.spent), || "set aside for buybacks".to_owned());
    held
}

/// The figures of the service are those that the logs give.
async fn figures(
    side: &Side,
    launches: &BTreeMap<u64, &Launch>,
    platform: &Platform<'_>,
) -> Result<Held, Failure> {
    let mut held = Held::new("service: market cap, price, day, trades, holders and progress as by the logs");
    let chain = side.chain_id.to_string();
    for (id, launch) in launches {
        let address = launch.token.to_string();
        let record = platform.get("/api/token", &[("address", &address), ("chainId", &chain)]).await?;
        let count = |name: &str| record[name].as_u64().unwrap_or(u64::MAX);
        let what = |name: &'static str| move || format!("{name} of launch {id}");
        let day =
            Day { buys: count("txns_24h_buys"), sells: count("txns_24h_sells"), volume: launch.day.volume };
        held.equal(&day, &launch.day, what("trades of a day"));
        held.equal(&record["volume_24h"], &figure(launch.day.volume), what("volume of a day"));
        held.equal(&count("txns_total"), &launch.trades, what("trades"));
        held.equal(&record["is_graduated"], &Value::Bool(launch.is_graduated), what("graduation"));
        held.equal(&count("total_holders"), &holders(side, launch), what("holders"));
        if let Some(market_cap) = launch.market_cap.filter(|_| !launch.is_repriced && !launch.is_graduated) {
            held.equal(&record["market_cap"], &figure(market_cap), what("market cap"));
            let price = market_cap / U256::from(WHOLE_SUPPLY);
            held.equal(&record["price_eth"], &figure(price), what("price"));
        }
    }
    Ok(held)
}

/// Accounts that hold something, the hook and the pool manager left out.
fn holders(side: &Side, launch: &Launch) -> u64 {
    let balances = side.tally.balances.get(&launch.token);
    let holds = |(account, units): &(&Address, &U256)| {
        !units.is_zero() && **account != side.hook && **account != side.pool_manager
    };
    balances.map_or(0, |balances| balances.iter().filter(holds).count() as u64)
}

/// An amount of the smallest units as the service shows it: fifteen significant digits, cut, as a JSON number.
fn figure(units: U256) -> Value {
    let digits = units.to_string();
    let kept = digits.len().min(15);
    let padded = format!("{:0<width$}", &digits[..kept], width = digits.len());
    let padded = format!("{padded:0>19}");
    let (whole, fraction) = padded.split_at(padded.len() - 18);
    let fraction = fraction.trim_end_matches('0');
    let text = if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") };
    serde_json::from_str(&text).unwrap_or_default()
}
