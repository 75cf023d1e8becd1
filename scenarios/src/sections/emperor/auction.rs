//! The auction compared with its contract, and a won day followed until it has passed.
use alloy::primitives::{Bytes, U64};
use alloy::sol_types::{SolCall, SolError};

use super::{read, with_bids};
use crate::answers::reads::{CAPABILITIES, EOTI, RECENT, has_no_token};
use crate::client::chain::{Chain, TransactionOutcome, gas_of, outcome_of};
use crate::client::wire::{AuctionState, EmperorAuction};
use crate::model::conventions::unnamed;
use crate::model::shown::readable;
use crate::prelude::*;
use crate::sections::chain::launch_fixture::events_of;
use crate::sections::service::refusals::SVC_ERR;
use crate::truth::ledger::deployments::auction_of;
use crate::truth::steady::no_verdict_on;

/// Length of an epoch in seconds.
pub(in crate::sections) const DAY: u64 = 86_400;
/// Floor of the price in every epoch, in wei.
pub(in crate::sections) const FLOOR: u64 = 1_000_000_000_000_000;
/// How often the contract is read while the seconds move on.
const ATTEMPTS: usize = 4;

/// Returns the auction contract of the target.
async fn auction(trial: &Trial<'_>) -> Verdict<Address> {
    let response = trial.read(CAPABILITIES, &[param("chainId", PRIMARY.to_string())]).await?;
    let body = response.json().unwrap_or_default();
    auction_of(trial, &body).ok_or_else(|| unnamed("auction", "auction"))
}

/// Returns the contract's state at a second; at the newest block's time if a node cannot simulate another time.
async fn state_at(chain: &Chain, auction: Address, time: u64) -> Verdict<AuctionState> {
    let input = Bytes::from(EmperorAuction::bidDataCall {}.abi_encode());
    let params = json!([{"to": auction, "input": input}, "latest", {}, {"time": U64::from(time)}]);
    if let Ok(output) = chain.rpc::<Bytes>("eth_call", params).await?
        && let Ok(state) = EmperorAuction::bidDataCall::abi_decode_returns(&output)
    {
        return Ok(state);
    }
    chain
        .call(auction, &EmperorAuction::bidDataCall {})
        .await?
        .map_err(|error| Stop::Skipped(format!("the auction {auction} has another ABI: {error}")))
}

clause! {
    EOTI_CHAIN = "EOTI-CHAIN" (S49, S50, S170): "The Emperor and its bids match the auction contract.";
    check!("eoti-contract" [Read; Rest, PrimaryChain] equals_the_contract:
        "compares token and bid data with the auction contract at the same second");
}
pub(super) async fn equals_the_contract(trial: &Trial<'_>) -> Verdict {
    let (chain, auction) = (trial.chain(PRIMARY)?, auction(trial).await?);
    let is_known = trial.has(Need::Control) || trial.clocks().await?.1.is_some();
    let mut last = None;
    for _ in 0..ATTEMPTS {
        let before = trial.now().await?;
        let (response, body) = read(trial, &with_bids()).await?;
        let after = trial.now().await?;
        // A platform whose clock is not known may be at any later second of the epoch.
        let latest = if is_known { after } else { after - after % DAY + DAY - 1 };
        let (mut state, later) =
            (state_at(chain, auction, before).await?, state_at(chain, auction, latest).await?);
        // The price falls with every second that passes in between.
        let bid = parsed(&body["bidData"]["currentBid"]);
        if let Some(bid) = bid.filter(|bid| (later.currentBid..=state.currentBid).contains(bid)) {
            state.currentBid = bid;
        }
        let mut tried = trial.tried(|trial| same(trial, &response, &body, &state));
        if !tried.holds() {
            // A platform may read the contract's state at the newest block.
            let newest = chain.call(auction, &EmperorAuction::bidDataCall {}).await?;
            tried =
                newest.map_or(tried, |newest| trial.tried(|trial| same(trial, &response, &body, &newest)));
        }
        let ends = tried.holds() || before == after;
        last = Some(tried);
        if ends {
            break;
        }
    }
    last.map_or(Ok(()), |tried| trial.keep(tried))
}

fn same(trial: &Trial<'_>, response: &Response, body: &Value, state: &AuctionState) -> Verdict {
    let data = &body["bidData"];
    trial.require_equal(response, "address", &Some(state.currentBoostedToken), &parsed(&body["address"]))?;
    for (name, wei) in [
        ("currentBid", state.currentBid),
        ("startBid", state.startBid),
        ("lastBidAmount", state.lastBidAmount),
    ] {
        trial.require_equal(response, name, &json!(wei.to_string()), &data[name])?;
    }
    if !state.lastBidAmount.is_zero() {
        let time = state.lastBidTime.to::<u64>();
        trial.require_equal(response, "lastBid.timestamp", &json!(time), &data["lastBid"]["timestamp"])?;
    }
    let days = [state.nextBoostedToken, state.currentBoostedToken, state.lastBoostedToken];
    days_are(trial, response, data, days, state.isEpochTaken)
}

/// The bid data show tomorrow's, today's and yesterday's token, and whether the epoch is taken.
pub(in crate::sections) fn days_are(
    trial: &Trial<'_>,
    response: &Response,
    data: &Value,
    tokens: [Address; 3],
    taken: bool,
) -> Verdict {
    let names = ["nextBoostedToken", "currentBoostedToken", "lastBoostedToken"];
    for (name, token) in names.into_iter().zip(tokens) {
        // The placeholder for a missing token is left open.
        let shown = parsed(&data[name]).unwrap_or_default();
        trial.require_equal(response, name, &token, &shown)?;
    }
    trial.require_equal(response, "isEpochTaken", &json!(taken), &data["isEpochTaken"])
}

clause! {
    EOTI_EPOCH = "EOTI-EPOCH" (S55, S56, S57, S58, S104):
        "A winning bid is tomorrow's, then today's, then yesterday's token, and its epoch is shown as taken.";
    check!("eoti-epochs" [Exclusive; Rest, PrimaryChain, Accounts, Control] a_won_day_comes_and_goes:
        "wins a day, and follows the token through tomorrow, today and yesterday");
}
pub(super) async fn a_won_day_comes_and_goes(trial: &Trial<'_>) -> Verdict {
    let control = trial.control()?;
    let checkpoint = control.checkpoint().await?;
    let verdict = won_day(trial).await;
    trial.reverted(&control, &checkpoint).await?;
    verdict
}

async fn won_day(trial: &Trial<'_>) -> Verdict {
    let (chain, auction, control) = (trial.chain(PRIMARY)?, auction(trial).await?, trial.control()?);
    let candidates = launches(trial).await?;
    // The start of an epoch without bids, late enough that every earlier win has passed.
    let mut midnight = (control.now().await? / DAY + 3) * DAY;
    control.set_clock(midnight).await?;
    nothing_today(trial, &with_bids()).await?;
    let first = bid(trial, chain, auction, candidates[0], "first").await?;
    midnight += DAY;
    control.set_clock(midnight).await?;
    // Today's token is the first one, so the service answers; tomorrow's epoch has no winner and opens at twice the last bid.
    let opening = (first * U256::from(2)).max(U256::from(10 * FLOOR));
    let reported = [Address::ZERO, candidates[0], Address::ZERO];
    standing(trial, reported, false, Some((opening, first))).await?;
    control.set_clock(midnight + DAY / 2).await?;
    standing(trial, reported, false, Some((opening, first))).await?;
    let second = bid(trial, chain, auction, candidates[1], "second").await?;
    let reported = [candidates[1], candidates[0], Address::ZERO];
    standing(trial, reported, true, Some((opening, second))).await?;
    reverts(trial, chain, auction, candidates[0], ether(1), EmperorAuction::EpochTaken::SELECTOR).await?;
    midnight += DAY;
    control.set_clock(midnight).await?;
    let reported = [Address::ZERO, candidates[1], candidates[0]];
    standing(trial, reported, false, None).await?;
    let unknown = Address::repeat_byte(0x77);
    reverts(trial, chain, auction, unknown, ether(1), EmperorAuction::UnknownToken::SELECTOR).await?;
    let low = U256::from(FLOOR - 1);
    reverts(trial, chain, auction, candidates[0], low, EmperorAuction::BidTooLow::SELECTOR).await?;
    control.set_clock(midnight + DAY).await?;
    nothing_today(trial, &[]).await
}

/// Today has no token; the status of that answer is a choice.
async fn nothing_today(trial: &Trial<'_>, query: &Params) -> Verdict {
    let response = trial.read(EOTI, query).await?;
    trial.require(&response, has_no_token(&response), "no token of the day")?;
    trial.by_choice(&SVC_ERR).status(&response, 404)
}

/// Returns the price at a second of its epoch: it falls linearly from the opening price towards the floor.
pub(in crate::sections) fn price_at(opening: U256, second: u64) -> U256 {
    opening - (opening - U256::from(FLOOR)) * U256::from(second % DAY) / U256::from(DAY)
}

/// Returns two launches of the hook for the native coin.
async fn launches(trial: &Trial<'_>) -> Verdict<Vec<Address>> {
    let query = [param("chainId", PRIMARY.to_string()), param("limit", "2")];
    let (_, body) = trial.read_json(RECENT, &query).await.map_err(no_verdict_on)?;
    let rows = body["tokens"].as_array().cloned().unwrap_or_default();
    let found: Vec<Address> = rows.iter().filter_map(|row| parsed(&row["address"])).collect();
    need_material(found.len() == 2, "two launches are needed to bid for")?;
    Ok(found)
}

/// Bids above the price from a new account; only the price may be charged, which is returned.
async fn bid(
    trial: &Trial<'_>,
    chain: &Chain,
    auction: Address,
    token: Address,
    label: &str,
) -> Verdict<U256> {
    let mut choices = trial.choices(&format!("eoti-bid-{label}"));
    let account = trial.account(PRIMARY, &mut choices, ether(3)).await?;
    let held = chain.balance(account.address()).await?;
    let call = EmperorAuction::bidCall { token };
    let outcome = chain.transact(&account, auction, ether(1), &call).await?;
    let TransactionOutcome::Mined(receipt) = &outcome else {
        return Err(trial.failure(&latest(chain), "a bid over the price is mined", outcome.describe()));
    };
    let won = events_of::<EmperorAuction::BidWon>(auction, receipt);
    let [won] = won.as_slice() else {
        return Err(trial.failure(&latest(chain), "one BidWon", outcome.describe()));
    };
    let paid = held - chain.balance(account.address()).await? - gas_of(receipt);
    let price = price_at(won.startBid, chain.time_of(receipt).await?);
    if (won.token, won.bidder, won.amount, paid) != (token, account.address(), price, price) {
        let actual = format!("{}, paid {paid}", readable(&won));
        return Err(trial.failure(&latest(chain), format!("{price} wei are taken for {token}"), actual));
    }
    trial.settled(PRIMARY, receipt.block_number.unwrap_or_default()).await?;
    Ok(price)
}

/// Judges what the service reports: tomorrow's, today's and yesterday's token, whether the epoch is taken, its opening price and the last
/// bid. The current bid is the last bid in a taken epoch, else the price at a second of the read.
async fn standing(
    trial: &Trial<'_>,
    tokens: [Address; 3],
    taken: bool,
    figures: Option<(U256, U256)>,
) -> Verdict {
    let ((response, body), now) = trial.control()?.timed(read(trial, &with_bids())).await?;
    trial.require_equal(&response, "address", &Some(tokens[1]), &parsed(&body["address"]))?;
    let data = &body["bidData"];
    days_are(trial, &response, data, tokens, taken)?;
    let Some((opening, last)) = figures else { return Ok(()) };
    for (name, wei) in [("startBid", opening), ("lastBidAmount", last)] {
        trial.require_equal(&response, name, &json!(wei.to_string()), &data[name])?;
    }
    let bounds =
        if taken { last..=last } else { price_at(opening, *now.end())..=price_at(opening, *now.start()) };
    let current = &data["currentBid"];
    let within = parsed::<U256>(current).is_some_and(|current| bounds.contains(&current));
    trial.require_or(&response, within, &format!("currentBid in {}", readable(&bounds)), || {
        current.to_string()
    })
}

async fn reverts(
    trial: &Trial<'_>,
    chain: &Chain,
    auction: Address,
    token: Address,
    value: U256,
    error: [u8; 4],
) -> Verdict {
    let payer = trial.payer()?.address();
    let call = EmperorAuction::bidCall { token };
    match chain.call_as(Some(payer), auction, value, &call).await? {
        // A node may leave out what a call reverted with.
        Err(refused) if refused.revert.is_none() || refused.selector() == Some(error) => Ok(()),
        result => Err(trial.failure(
            &latest(chain),
            format!("a bid reverts with {}", Bytes::from(error)),
            outcome_of(&result),
        )),
    }
}

/// Returns the command that shows the head of a chain.
fn latest(chain: &Chain) -> String {
    format!("cast block latest --rpc-url '{}'", chain.url())
}
