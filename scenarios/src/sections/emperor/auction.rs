//! The auction as its contract tells it, and a day that is won, comes and goes.
use alloy::primitives::{Address, Bytes, U64, U256};
use alloy::sol_types::{SolCall, SolError};
use serde_json::{Value, json};

use super::{boosted, read, same_token, with_bids};
use crate::check::{Inconclusive, Stop, Verdict};
use crate::client::chain::{Chain, Outcome};
use crate::client::http::Answer;
use crate::expect::{equal, holds, ok_json, status};
use crate::reads::{CAPABILITIES, EOTI, RECENT, param};
use crate::sections::chain::ether;
use crate::wire::{AuctionState, EmperorAuction};
use crate::world::{PRIMARY, World};

/// An epoch, seconds.
const DAY: u64 = 86_400;
/// Price that no epoch falls below, wei.
const FLOOR: u64 = 1_000_000_000_000_000;
/// How often the contract is asked while the second moves on.
const ATTEMPTS: usize = 4;

/// The auction that the capabilities name.
async fn auction(world: &World) -> Verdict<Address> {
    let answer = world.read(CAPABILITIES, &[param("chainId", PRIMARY.to_string())]).await?;
    let body = answer.json().unwrap_or_default();
    let named = body["emperorAuction"].as_str().and_then(|text| text.parse().ok());
    named.ok_or_else(|| {
        let reason = "the capabilities name no auction".to_owned();
        Inconclusive::NoMaterial { reason }.into()
    })
}

/// What the contract says at a second; at the newest block's where a node cannot pretend another time.
async fn said_at(chain: &Chain, auction: Address, time: u64) -> Verdict<AuctionState> {
    let input = Bytes::from(EmperorAuction::bidDataCall {}.abi_encode());
    let params = json!([{"to": auction, "input": input}, "latest", {}, {"time": U64::from(time)}]);
    if let Ok(output) = chain.rpc::<Bytes>("eth_call", params).await?
        && let Ok(state) = EmperorAuction::bidDataCall::abi_decode_returns(&output)
    {
        return Ok(state);
    }
    chain.call(auction, &EmperorAuction::bidDataCall {}).await?.map_err(|error| {
        let reason = format!("the auction does not tell its state: {error}");
        Inconclusive::NoMaterial { reason }.into()
    })
}

/// The second that the platform is at.
async fn now(world: &World, chain: &Chain) -> Verdict<u64> {
    match world.control() {
        Ok(control) => Ok(control.now().await?),
        Err(_) => Ok(chain.head().await?.header.timestamp),
    }
}

/// EOTI-CHAIN: the token of the day and every member of the bid data are the contract's, at the second of the answer.
pub(super) async fn equals_the_contract(world: &World) -> Verdict {
    const CLAUSE: &str = "EOTI-CHAIN";
    let (chain, auction) = (world.chain(PRIMARY)?, auction(world).await?);
    let mut last = None;
    for _ in 0..ATTEMPTS {
        let second = now(world, chain).await?;
        let (answer, body) = read(world, CLAUSE, &with_bids()).await?;
        let state = said_at(chain, auction, second).await?;
        let verdict = same(&answer, &body, &state);
        if verdict.is_ok() || now(world, chain).await? == second {
            return verdict;
        }
        last = Some(verdict);
    }
    last.unwrap_or(Ok(()))
}

fn same(answer: &Answer, body: &Value, state: &AuctionState) -> Verdict {
    const CLAUSE: &str = "EOTI-CHAIN";
    let data = &body["bidData"];
    same_token(CLAUSE, answer, body, state.currentBoostedToken)?;
    for (name, wei) in [
        ("currentBid", state.currentBid),
        ("startBid", state.startBid),
        ("lastBidAmount", state.lastBidAmount),
    ] {
        equal(CLAUSE, answer, name, &json!(wei.to_string()), &data[name])?;
    }
    if !state.lastBidAmount.is_zero() {
        let time = state.lastBidTime.to::<u64>();
        equal(CLAUSE, answer, "lastBid.timestamp", &json!(time), &data["lastBid"]["timestamp"])?;
    }
    for (name, token) in [
        ("nextBoostedToken", state.nextBoostedToken),
        ("currentBoostedToken", state.currentBoostedToken),
        ("lastBoostedToken", state.lastBoostedToken),
    ] {
        equal(CLAUSE, answer, name, &Some(token), &boosted(data, name))?;
    }
    let taken = json!(state.isEpochTaken);
    equal(CLAUSE, answer, "isEpochTaken", &taken, &data["isEpochTaken"])
}

/// EOTI-EPOCH: a bid wins tomorrow once, at the price of its second; the token is then today's, then yesterday's.
pub(super) async fn a_won_day_comes_and_goes(world: &World) -> Verdict {
    let control = world.control()?;
    let checkpoint = control.checkpoint().await?;
    let verdict = won_day(world).await;
    control.revert(&checkpoint).await?;
    verdict
}

async fn won_day(world: &World) -> Verdict {
    const CLAUSE: &str = "EOTI-EPOCH";
    let (chain, auction, control) = (world.chain(PRIMARY)?, auction(world).await?, world.control()?);
    let candidates = launches(world).await?;
    // The first second of an epoch that nobody has bid in; two days on, everything won before is over.
    let mut midnight = (control.now().await? / DAY + 3) * DAY;
    control.set_clock(midnight).await?;
    let none = world.read(EOTI, &with_bids()).await?;
    status(CLAUSE, &none, 404)?;
    let caused = world.refused_for_a_cause(&none).await?;
    holds(CLAUSE, &none, caused, "a cause in the journal", || "none".to_owned())?;
    let first = bid(world, chain, auction, candidates[0], "first").await?;
    midnight += DAY;
    control.set_clock(midnight).await?;
    // Today is the first token's, so the service answers; tomorrow is nobody's and begins at twice the last bid.
    let opening = (first * U256::from(2)).max(U256::from(10 * FLOOR));
    let told = [candidates[0], Address::ZERO, Address::ZERO];
    standing(world, told, false, Some((opening, opening, first))).await?;
    let half = opening - (opening - U256::from(FLOOR)) / U256::from(2);
    control.set_clock(midnight + DAY / 2).await?;
    standing(world, told, false, Some((half, opening, first))).await?;
    let second = bid(world, chain, auction, candidates[1], "second").await?;
    let told = [candidates[0], candidates[1], Address::ZERO];
    standing(world, told, true, Some((second, opening, second))).await?;
    refused(world, chain, auction, candidates[0], ether(1), EmperorAuction::EpochTaken::SELECTOR).await?;
    midnight += DAY;
    control.set_clock(midnight).await?;
    let told = [candidates[1], Address::ZERO, candidates[0]];
    standing(world, told, false, None).await?;
    let unknown = Address::repeat_byte(0x77);
    refused(world, chain, auction, unknown, ether(1), EmperorAuction::UnknownToken::SELECTOR).await?;
    let low = U256::from(FLOOR - 1);
    refused(world, chain, auction, candidates[0], low, EmperorAuction::BidTooLow::SELECTOR).await?;
    control.set_clock(midnight + DAY).await?;
    let none = world.read(EOTI, &Vec::new()).await?;
    status(CLAUSE, &none, 404)
}

/// Two launches of the native hook.
async fn launches(world: &World) -> Verdict<Vec<Address>> {
    let query = [param("chainId", PRIMARY.to_string()), param("limit", "2")];
    let answer = world.read(RECENT, &query).await?;
    let body = ok_json("RECENT-SHAPE", &answer)?;
    let rows = body["tokens"].as_array().cloned().unwrap_or_default();
    let found: Vec<Address> = rows.iter().filter_map(|row| row["address"].as_str()?.parse().ok()).collect();
    if found.len() == 2 {
        return Ok(found);
    }
    let reason = "two launches are needed to bid for".to_owned();
    Err(Inconclusive::NoMaterial { reason }.into())
}

/// Bids more than the price from an account of its own; only the price may be taken. Answers it.
async fn bid(world: &World, chain: &Chain, auction: Address, token: Address, label: &str) -> Verdict<U256> {
    let mut choices = world.choices(&format!("eoti-bid-{label}"));
    let account = world.account(PRIMARY, &mut choices, ether(3)).await?;
    let held = chain.balance(account.address()).await?;
    let call = EmperorAuction::bidCall { token };
    let outcome = chain.transact(&account, auction, ether(1), &call).await?;
    let Outcome::Mined(receipt) = &outcome else {
        return Err(broken("a bid over the price is mined", outcome.describe(), chain));
    };
    let won = crate::sections::chain::events_of::<EmperorAuction::BidWon>(auction, receipt);
    let [won] = won.as_slice() else {
        return Err(broken("one BidWon", outcome.describe(), chain));
    };
    let gas = U256::from(receipt.gas_used) * U256::from(receipt.effective_gas_price);
    let paid = held - chain.balance(account.address()).await? - gas;
    let at = chain.time_of(receipt).await?;
    let opening = won.startBid;
    let price = opening - (opening - U256::from(FLOOR)) * U256::from(at % DAY) / U256::from(DAY);
    if (won.token, won.bidder, won.amount, paid) != (token, account.address(), price, price) {
        let actual = format!("{won:?}, paid {paid}");
        return Err(broken(&format!("{price} wei are taken for {token}"), actual, chain));
    }
    world.settled(PRIMARY, receipt.block_number.unwrap_or_default()).await?;
    Ok(price)
}

/// What the service says: today's, tomorrow's and yesterday's token, whether the epoch is taken, and the figures.
async fn standing(
    world: &World,
    tokens: [Address; 3],
    taken: bool,
    figures: Option<(U256, U256, U256)>,
) -> Verdict {
    const CLAUSE: &str = "EOTI-EPOCH";
    let answer = world.read(EOTI, &with_bids()).await?;
    let body = ok_json(CLAUSE, &answer)?;
    same_token(CLAUSE, &answer, &body, tokens[0])?;
    let data = &body["bidData"];
    for (name, token) in
        ["currentBoostedToken", "nextBoostedToken", "lastBoostedToken"].into_iter().zip(tokens)
    {
        equal(CLAUSE, &answer, name, &Some(token), &boosted(data, name))?;
    }
    equal(CLAUSE, &answer, "isEpochTaken", &json!(taken), &data["isEpochTaken"])?;
    let Some((current, opening, last)) = figures else {
        return Ok(());
    };
    for (name, wei) in [("currentBid", current), ("startBid", opening), ("lastBidAmount", last)] {
        equal(CLAUSE, &answer, name, &json!(wei.to_string()), &data[name])?;
    }
    Ok(())
}

async fn refused(
    world: &World,
    chain: &Chain,
    auction: Address,
    token: Address,
    value: U256,
    error: [u8; 4],
) -> Verdict {
    let payer = world.payer()?.address();
    let call = EmperorAuction::bidCall { token };
    match chain.call_as(Some(payer), auction, value, &call).await? {
        Err(refused) if refused.selector() == Some(error) => Ok(()),
        said => Err(broken(
            &format!("a bid reverts with {}", Bytes::from(error)),
            format!("{:?}", said.map(drop)),
            chain,
        )),
    }
}

fn broken(expected: &str, actual: String, chain: &Chain) -> Stop {
    crate::check::Failure {
        clause: "EOTI-EPOCH",
        expected: expected.to_owned(),
        actual,
        reproduce: format!("cast block latest --rpc-url '{}'", chain.url()),
    }
    .into()
}
