//! The token of the day: yesterday's, today's and tomorrow's, computed from the auction's events at the second of the response.
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;

use alloy::sol_types::SolEvent;

use super::timed::{TimedReads, seconds};
use crate::answers::reads::EOTI;
use crate::client::wire::EmperorAuction::BidWon;
use crate::client::wire::{AuctionState, EmperorAuction};
use crate::model::conventions::unnamed;
use crate::model::moment;
use crate::prelude::*;
use crate::sections::emperor::auction::{DAY, FLOOR, days_are, price_at};
use crate::sections::emperor::is_ether;
use crate::truth::ledger::Ledger;
use crate::truth::ledger::deployments::Deployments;
use crate::truth::ledger::fold::decode;

/// Most requests for logs.
const REQUESTS: u32 = 300;

/// Returns the state that the contract must report at a second, from the wins of each epoch and their times.
fn state_at(wins: &BTreeMap<u64, (BidWon, u64)>, second: u64) -> AuctionState {
    let epoch = second / DAY;
    let of = |epoch: u64| wins.get(&epoch).map_or(Address::ZERO, |(win, _)| win.token);
    let last = wins.range(..=epoch).next_back().map(|(_, win)| win);
    let (last_amount, last_time) = last.map(|(win, time)| (win.amount, *time)).unwrap_or_default();
    let (current, opening) = match wins.get(&epoch) {
        Some((win, _)) => (win.amount, win.startBid),
        None => {
            let opening = (last_amount * U256::from(2)).max(U256::from(10 * FLOOR));
            (price_at(opening, second), opening)
        }
    };
    AuctionState {
        currentBid: current,
        startBid: opening,
        lastBidAmount: last_amount,
        lastBidTime: U256::from(last_time),
        nextBoostedToken: of(epoch),
        currentBoostedToken: of(epoch - 1),
        lastBoostedToken: of(epoch - 2),
        isEpochTaken: wins.contains_key(&epoch),
    }
}

/// Judges a part of the bid data.
type Judge = fn(&Trial<'_>, &Response, &Value, &AuctionState) -> Verdict;

/// The bid data follow from the auction's events and the second of the answer.
pub(super) async fn held(trial: &Trial<'_>, ledger: &Ledger, judge: Judge) -> Verdict {
    let wins = wins(trial, ledger).await?;
    let reads = TimedReads::begin(trial).await?;
    let (response, window) = reads.read(EOTI, &[param("includeBidData", "true")]).await?;
    let body = response.json().unwrap_or_default();
    let mut last = None;
    // A platform may read the contract's state at the newest block.
    let newest = trial.chain(PRIMARY)?.head().await?.header.timestamp;
    for second in [newest].into_iter().chain(seconds(window)) {
        let tried = trial.tried(|trial| judge(trial, &response, &body, &state_at(&wins, second)));
        let holds = tried.holds();
        last = Some(tried);
        if holds {
            break;
        }
    }
    last.map_or(Ok(()), |tried| trial.keep(tried))
}

/// Reads the winner of each epoch from the logs.
async fn wins(trial: &Trial<'_>, ledger: &Ledger) -> Verdict<BTreeMap<u64, (BidWon, u64)>> {
    let chain = trial.chain(PRIMARY)?;
    let named = Deployments::read(trial, chain).await?;
    let auction = named.auction.ok_or_else(|| unnamed("auction", "auction"))?;
    if chain.call(auction, &EmperorAuction::bidDataCall {}).await?.is_err() {
        let reason = format!("the auction {auction} has another ABI, so its bids were not looked at");
        return Err(Stop::Skipped(reason));
    }
    let start = named.tradeable.iter().map(|one| one.start_block).min().unwrap_or_default();
    let head = ledger.heads.get(&PRIMARY).map(|head| head.number).unwrap_or_default();
    let topics = json!([BidWon::SIGNATURE_HASH]);
    let requests = AtomicU32::new(REQUESTS);
    let logs = chain.logs_within(&[auction], &topics, (start, head), &requests).await?;
    let logs = logs.ok_or_else(|| no_material(format!("the bids take more than {REQUESTS} requests")))?;
    let times = chain.times(&logs).await?;
    let mut wins = BTreeMap::new();
    for log in logs {
        let won: BidWon = decode(&log)?;
        let time = times.get(&log.block_number.unwrap_or_default()).copied().unwrap_or_default();
        wins.insert(won.epoch.to::<u64>(), (won, time));
    }
    Ok(wins)
}

/// Winning bids, their times and the daily tokens follow from the events.
pub(super) fn won(trial: &Trial<'_>, response: &Response, body: &Value, state: &AuctionState) -> Verdict {
    let today = state.currentBoostedToken;
    if today != Address::ZERO {
        trial.require_equal(response, "the token of the day", &Some(today), &parsed(&body["address"]))?;
    }
    let data = &body["bidData"];
    if data.is_null() && today == Address::ZERO {
        return Ok(());
    }
    if state.isEpochTaken {
        trial.require_equal(
            response,
            "currentBid",
            &json!(state.currentBid.to_string()),
            &data["currentBid"],
        )?;
    }
    let days = [state.nextBoostedToken, today, state.lastBoostedToken];
    days_are(trial, response, data, days, state.isEpochTaken)?;
    let (amount, time) = (state.lastBidAmount, state.lastBidTime.to::<u64>());
    if amount.is_zero() {
        return Ok(());
    }
    trial.require_equal(response, "lastBidAmount", &json!(amount.to_string()), &data["lastBidAmount"])?;
    trial.require_equal(response, "lastBid.timestamp", &json!(time), &data["lastBid"]["timestamp"])?;
    // In another format, the time is left to the choices.
    if let Some(reported) = data["lastBidTime"].as_str().and_then(moment::nanoseconds) {
        trial.require_equal(response, "lastBidTime", &(i128::from(time) * 1_000_000_000), &reported)?;
    }
    let same = is_ether(&data["lastBid"]["amount"], amount);
    let expected = format!("lastBid.amount = {amount} wei in ETH");
    trial.require_or(response, same, &expected, || data["lastBid"].to_string())
}

/// The price of the day follows from the last bid and the second of the answer.
pub(super) fn priced(trial: &Trial<'_>, response: &Response, body: &Value, state: &AuctionState) -> Verdict {
    let today = state.currentBoostedToken;
    if today == Address::ZERO {
        trial.status(response, 404)?;
    }
    let data = &body["bidData"];
    if data.is_null() && today == Address::ZERO {
        return Ok(());
    }
    for (name, wei) in [("currentBid", state.currentBid), ("startBid", state.startBid)] {
        trial.require_equal(response, name, &json!(wei.to_string()), &data[name])?;
    }
    if !state.lastBidAmount.is_zero() {
        return Ok(());
    }
    trial.require_equal(response, "lastBidAmount", &json!("0"), &data["lastBidAmount"])?;
    trial.require_equal(response, "lastBidTime", &Value::Null, &data["lastBidTime"])?;
    trial.require_equal(response, "lastBid", &Value::Null, &data["lastBid"])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use alloy::primitives::{Address, U256};

    use super::{BidWon, DAY, FLOOR, state_at};

    #[test]
    fn bids_follow_the_days() {
        let token = Address::repeat_byte(7);
        let floors = |count: u64| U256::from(count * FLOOR);
        let win = BidWon { token, amount: floors(20), startBid: floors(30), ..BidWon::default() };
        let wins = BTreeMap::from([(10, (win, 5))]);
        let of = |second: u64| state_at(&wins, second);
        assert!(of(10 * DAY).isEpochTaken && !of(11 * DAY).isEpochTaken);
        assert_eq!(of(10 * DAY).nextBoostedToken, token);
        assert_eq!(of(11 * DAY).currentBoostedToken, token);
        assert_eq!(of(12 * DAY + 1).lastBoostedToken, token);
        assert_eq!(of(11 * DAY).currentBid, floors(40));
        let half = of(11 * DAY + DAY / 2);
        assert_eq!((half.startBid, half.currentBid * U256::from(2)), (floors(40), floors(41)));
        assert_eq!(of(9 * DAY).lastBidAmount, U256::ZERO);
    }
}
