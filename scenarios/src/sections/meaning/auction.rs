//! The daily token: what the auction's events say of yesterday, today and tomorrow, at the second of the response.
use std::collections::BTreeMap;

use alloy::sol_types::SolEvent;

use super::timed::{TimedReads, seconds};
use crate::expect::moment;
use crate::ledger::Ledger;
use crate::ledger::deployments::Deployments;
use crate::ledger::fold::decode;
use crate::ledger::read::times;
use crate::prelude::*;
use crate::reads::EOTI;
use crate::wire::EmperorAuction;

/// Length of an epoch in seconds.
const DAY: u64 = 86_400;
/// Price that no epoch falls below, wei.
const FLOOR: u64 = 1_000_000_000_000_000;
/// Requests for logs at most.
const REQUESTS: u32 = 300;

/// An epoch that was won.
#[derive(Clone, Copy, Debug)]
struct Win {
    token: Address,
    amount: U256,
    opening: U256,
    time: u64,
}

/// What the bid data must be at a second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Auction {
    current: U256,
    opening: U256,
    last: Option<(U256, u64)>,
    /// Tomorrow's, today's and yesterday's token.
    tokens: [Address; 3],
    taken: bool,
}

impl Auction {
    /// By the wins of each epoch.
    fn at(wins: &BTreeMap<u64, Win>, second: u64) -> Self {
        let epoch = second / DAY;
        let of = |epoch: u64| wins.get(&epoch).map_or(Address::ZERO, |win| win.token);
        let last = wins.range(..=epoch).next_back().map(|(_, win)| win);
        let (floor, day) = (U256::from(FLOOR), U256::from(DAY));
        let (current, opening) = match wins.get(&epoch) {
            Some(win) => (win.amount, win.opening),
            None => {
                let doubled = last.map_or(U256::ZERO, |win| win.amount * U256::from(2));
                let opening = doubled.max(floor * U256::from(10));
                // It has fallen by the share of the day that has passed, rounded down.
                (opening - (opening - floor) * U256::from(second % DAY) / day, opening)
            }
        };
        Self {
            current,
            opening,
            last: last.map(|win| (win.amount, win.time)),
            tokens: [of(epoch), of(epoch - 1), of(epoch - 2)],
            taken: wins.contains_key(&epoch),
        }
    }
}

/// What of the bid data is judged.
type Judge = fn(&Trial<'_>, &Response, &Value, &Auction) -> Verdict;

/// The bid data follow from the events of the auction and the second.
pub(super) async fn held(trial: &Trial<'_>, ledger: &Ledger, judge: Judge) -> Verdict {
    let wins = wins(trial, ledger).await?;
    let mut reads = TimedReads::begin(trial).await?;
    let (response, window) = reads.read(EOTI, &[param("includeBidData", "true")]).await?;
    let body = response.json().unwrap_or_default();
    let mut verdict = Ok(());
    for second in seconds(window) {
        verdict = judge(trial, &response, &body, &Auction::at(&wins, second));
        if verdict.is_ok() {
            break;
        }
    }
    verdict
}

/// Who won which epoch, from the logs.
async fn wins(trial: &Trial<'_>, ledger: &Ledger) -> Verdict<BTreeMap<u64, Win>> {
    let chain = trial.chain(PRIMARY)?;
    let named = Deployments::read(trial, chain).await?;
    let auction =
        named.auction.ok_or_else(|| Stop::Skipped("the capabilities name no auction".to_owned()))?;
    if chain.call(auction, &EmperorAuction::bidDataCall {}).await?.is_err() {
        let reason = format!("the auction {auction} has another ABI, so its bids were not looked at");
        return Err(Stop::Skipped(reason));
    }
    let start = named.tradeable.iter().map(|one| one.start_block).min().unwrap_or_default();
    let head = ledger.heads.get(&PRIMARY).map(|head| head.number).unwrap_or_default();
    let topics = json!([EmperorAuction::BidWon::SIGNATURE_HASH]);
    let mut requests = REQUESTS;
    let logs = chain.logs_within(&[auction], &topics, (start, head), &mut requests).await?;
    let logs = logs.ok_or_else(|| no_material(format!("the bids take more than {REQUESTS} requests")))?;
    let times = times(chain, &logs).await?;
    let mut wins = BTreeMap::new();
    for log in logs {
        let won: EmperorAuction::BidWon = decode(&log)?;
        let time = times.get(&log.block_number.unwrap_or_default()).copied().unwrap_or_default();
        let win = Win { token: won.token, amount: won.amount, opening: won.startBid, time };
        wins.insert(won.epoch.to::<u64>(), win);
    }
    Ok(wins)
}

/// Winning bids, their times and the tokens of the days follow from the events.
pub(super) fn won(trial: &Trial<'_>, response: &Response, body: &Value, auction: &Auction) -> Verdict {
    let today = auction.tokens[1];
    if today != Address::ZERO {
        trial.equal(response, "the token of the day", &Some(today), &parsed(&body["address"]))?;
    }
    let data = &body["bidData"];
    if data.is_null() && today == Address::ZERO {
        return Ok(());
    }
    if auction.taken {
        trial.equal(response, "currentBid", &json!(auction.current.to_string()), &data["currentBid"])?;
    }
    for (name, token) in
        ["nextBoostedToken", "currentBoostedToken", "lastBoostedToken"].into_iter().zip(auction.tokens)
    {
        trial.equal(response, name, &Some(token), &parsed(&data[name]))?;
    }
    trial.equal(response, "isEpochTaken", &json!(auction.taken), &data["isEpochTaken"])?;
    let Some((amount, time)) = auction.last else { return Ok(()) };
    trial.equal(response, "lastBidAmount", &json!(amount.to_string()), &data["lastBidAmount"])?;
    trial.equal(response, "lastBid.timestamp", &json!(time), &data["lastBid"]["timestamp"])?;
    // Where the time is written in another way, its form is a choice.
    if let Some(reported) = data["lastBidTime"].as_str().and_then(moment::nanoseconds) {
        trial.equal(response, "lastBidTime", &(i128::from(time) * 1_000_000_000), &reported)?;
    }
    let ether = data["lastBid"]["amount"].as_str().and_then(crate::expect::figure::rational);
    let same = ether == Some(crate::reference::points::ether(amount));
    let expected = format!("lastBid.amount = {amount} wei in ETH");
    trial.holds(response, same, &expected, || data["lastBid"].to_string())
}

/// The price of the day follows from the last bid and the second.
pub(super) fn priced(trial: &Trial<'_>, response: &Response, body: &Value, auction: &Auction) -> Verdict {
    let today = auction.tokens[1];
    if today == Address::ZERO {
        trial.status(response, 404)?;
    }
    let data = &body["bidData"];
    if data.is_null() && today == Address::ZERO {
        return Ok(());
    }
    for (name, wei) in [("currentBid", auction.current), ("startBid", auction.opening)] {
        trial.equal(response, name, &json!(wei.to_string()), &data[name])?;
    }
    if auction.last.is_some() {
        return Ok(());
    }
    trial.equal(response, "lastBidAmount", &json!("0"), &data["lastBidAmount"])?;
    trial.equal(response, "lastBidTime", &Value::Null, &data["lastBidTime"])?;
    trial.equal(response, "lastBid", &Value::Null, &data["lastBid"])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use alloy::primitives::{Address, U256};

    use super::{Auction, DAY, FLOOR, Win};

    #[test]
    fn bids_follow_the_days() {
        let token = Address::repeat_byte(7);
        let win = Win { token, amount: U256::from(20 * FLOOR), opening: U256::from(30 * FLOOR), time: 5 };
        let wins = BTreeMap::from([(10, win)]);
        let of = |second: u64| Auction::at(&wins, second);
        assert_eq!(of(10 * DAY).tokens, [token, Address::ZERO, Address::ZERO]);
        assert!(of(10 * DAY).taken && !of(11 * DAY).taken);
        assert_eq!(of(11 * DAY).tokens, [Address::ZERO, token, Address::ZERO]);
        assert_eq!(of(12 * DAY + 1).tokens, [Address::ZERO, Address::ZERO, token]);
        assert_eq!(of(11 * DAY).current, U256::from(40 * FLOOR));
        let half = of(11 * DAY + DAY / 2);
        assert_eq!(
            (half.opening, half.current * U256::from(2)),
            (U256::from(40 * FLOOR), U256::from(41 * FLOOR))
        );
        assert_eq!(of(9 * DAY).last, None);
    }
}
