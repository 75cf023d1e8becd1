//! Clients that launch, post and read concurrently: nothing that was read disappears for any client, and all see one order.
use std::collections::BTreeSet;
use std::time::Instant;

use super::tokens::records_hold;
use crate::answers::reads::{RECENT, TOKEN};
use crate::prelude::*;
use crate::sections::chain::launch_fixture::{LaunchFixture, plain_launch};
use crate::sections::chat::Chat;
use crate::truth::history::{Action, TimedCall, disordered, went_back};

const CLIENTS: usize = 6;
/// Launches of each client; all of them fit on one page of recent launches.
const LAUNCHES: usize = 5;
/// Messages of each client; an address may post five a minute.
const MESSAGES: usize = 4;

/// Returns the nanoseconds since all clients began.
fn since(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// Concurrent launches: once a block is reported as indexed, no client's read misses it.
pub(super) async fn reads(trial: &Trial<'_>) -> Verdict {
    let calls = launches(trial).await?;
    judged(trial, RECENT, went_back(&calls))
}

/// Concurrent launches and messages appear in one order, which respects the order in which the calls finished.
pub(super) async fn orders(trial: &Trial<'_>) -> Verdict {
    let calls = launches(trial).await?;
    judged(trial, RECENT, disordered(&calls))?;
    if !trial.has(Need::Control) || trial.target().operator_key.is_none() {
        return Ok(());
    }
    let calls = messages(trial).await?;
    judged(trial, "/api/chat", went_back(&calls))?;
    judged(trial, "/api/chat", disordered(&calls))
}

fn judged(trial: &Trial<'_>, path: &str, anomaly: Option<String>) -> Verdict {
    let Some(anomaly) = anomaly else {
        return Ok(());
    };
    let origin = trial.rest()?;
    let origin = origin.as_str().trim_end_matches('/');
    let reproduce = format!("curl -sS -i '{origin}{path}' (while {CLIENTS} clients write)");
    let expected = "a history of one order, in which nothing that was known is lost";
    Err(trial.failure(&reproduce, expected, anomaly))
}

async fn launches(trial: &Trial<'_>) -> Verdict<Vec<TimedCall<Address>>> {
    let begun = Instant::now();
    let mut accounts = Vec::new();
    for client in 0..CLIENTS {
        let mut choices = trial.choices(&format!("meaning-client-{}-{client}", trial.check.id));
        accounts.push(trial.account(PRIMARY, &mut choices, ether(1)).await?);
    }
    let clients = accounts.iter().zip(0..).map(|(account, number)| client(trial, begun, account, number));
    let calls: Vec<TimedCall<Address>> = all_settled(clients).await?.into_iter().flatten().collect();
    records_hold(trial, written(&calls).into_iter().collect()).await?;
    Ok(own(calls))
}

fn written<T: Ord + Clone>(calls: &[TimedCall<T>]) -> BTreeSet<T> {
    let item = |call: &TimedCall<T>| match &call.action {
        Action::Write(item) => Some(item.clone()),
        Action::Read(_) => None,
    };
    calls.iter().filter_map(item).collect()
}

/// Restricts the calls to these clients' items: older ones drop off the pages as new ones come.
fn own<T: Ord + Clone>(calls: Vec<TimedCall<T>>) -> Vec<TimedCall<T>> {
    let written = written(&calls);
    let kept = |mut call: TimedCall<T>| {
        if let Action::Read(items) = &mut call.action {
            items.retain(|item| written.contains(item));
        }
        call
    };
    calls.into_iter().map(kept).collect()
}

/// Repeatedly launches, waits until the block is reported as indexed, and reads.
async fn client(
    trial: &Trial<'_>,
    begun: Instant,
    account: &Account,
    number: usize,
) -> Verdict<Vec<TimedCall<Address>>> {
    let fixture = LaunchFixture::open(trial, PRIMARY).await?;
    let mut choices = trial.choices(&format!("meaning-launches-{}-{number}", trial.check.id));
    let mut calls = Vec::new();
    for _ in 0..LAUNCHES {
        let params = plain_launch(&mut choices, ether(1), 50_000, 5_000);
        let start = since(begun);
        let launched = fixture.launch(account, &params, None, U256::ZERO).await?;
        let block = launched.receipt.block_number.unwrap_or_default();
        let request = get(trial.rest()?, TOKEN, &[param("address", launched.token.to_string())]);
        if trial.has(Need::Control) {
            trial.settled(PRIMARY, block).await?;
        } else {
            trial
                .request_settled(PRIMARY, block, &request, |response| response.status.as_u16() == 200)
                .await?;
        }
        calls.push(TimedCall { start, end: since(begun), action: Action::Write(launched.token) });
        let response = trial.request(request).await?;
        trial.ok_json(&response)?;
        calls.push(read_recent(trial, begun).await?);
    }
    Ok(calls)
}

/// Reads the newest launches, oldest first.
async fn read_recent(trial: &Trial<'_>, begun: Instant) -> Verdict<TimedCall<Address>> {
    let start = since(begun);
    let query = [param("chainId", PRIMARY.to_string()), param("limit", "50")];
    let (_, body) = trial.read_json(RECENT, &query).await?;
    let rows = body["tokens"].as_array().into_iter().flatten();
    let mut items: Vec<Address> = rows.filter_map(|row| parsed(&row["address"])).collect();
    items.reverse();
    Ok(TimedCall { start, end: since(begun), action: Action::Read(items) })
}

async fn messages(trial: &Trial<'_>) -> Verdict<Vec<TimedCall<String>>> {
    let chat = Chat::open(trial).await?;
    let begun = Instant::now();
    let clients = (0..CLIENTS).map(|number| talker(trial, &chat, begun, number));
    Ok(own(all_settled(clients).await?.into_iter().flatten().collect()))
}

async fn talker(
    trial: &Trial<'_>,
    chat: &Chat<'_>,
    begun: Instant,
    number: usize,
) -> Verdict<Vec<TimedCall<String>>> {
    let sender = Account::fresh(&mut trial.choices(&format!("meaning-talker-{number}")));
    let mut calls = Vec::new();
    for turn in 0..MESSAGES {
        let start = since(begun);
        let (_, body) = chat.say(&sender, &format!("{turn} of {number}")).await?;
        let id = body["id"].as_str().unwrap_or_default().to_owned();
        calls.push(TimedCall { start, end: since(begun), action: Action::Write(id) });
        let start = since(begun);
        let (_, messages) = chat.read(vec![param("limit", "100")]).await?;
        let ids = messages.iter().rev().filter_map(|one| one["id"].as_str().map(str::to_owned));
        calls.push(TimedCall { start, end: since(begun), action: Action::Read(ids.collect()) });
    }
    Ok(calls)
}
