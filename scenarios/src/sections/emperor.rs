//! `GET /api/eoti` and `GET /api/koti`: the token of the day, the auction of the next one, and the token that leads its curve.
mod auction;
mod king;

use alloy::primitives::Address;
use serde_json::Value;

use crate::check::{Check, Inconclusive, Lane, Need, Verdict};
use crate::client::http::Answer;
use crate::expect::fields::{self, excerpt, is_address};
use crate::expect::figure::{decimal, is_smallest_unit, rational};
use crate::expect::{equal, holds, moment, ok_json, status};
use crate::market::on_steady_market;
use crate::reads::{EOTI, Query, param};
use crate::world::World;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "eoti-shape",
        clauses: &["EOTI-SHAPE"],
        summary: "looks at every field of the token of the day, and that its last hour is part of its last day",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(shape(world)),
    },
    Check {
        id: "eoti-bid-data",
        clauses: &["EOTI-BID"],
        summary: "asks with and without bid data, looks at all of it, and sends what is no flag",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(bid_data(world)),
    },
    Check {
        id: "eoti-contract",
        clauses: &["EOTI-CHAIN"],
        summary: "compares token and bid data with what the auction contract says of the same second",
        lane: Lane::Read,
        needs: &[Need::Rest, Need::PrimaryChain],
        run: |world| Box::pin(auction::equals_the_contract(world)),
    },
    Check {
        id: "eoti-epochs",
        clauses: &["EOTI-EPOCH"],
        summary: "wins a day, and follows the token through tomorrow, today and yesterday",
        lane: Lane::Exclusive,
        needs: &[Need::Rest, Need::PrimaryChain, Need::Accounts, Need::Control],
        run: |world| Box::pin(auction::a_won_day_comes_and_goes(world)),
    },
    Check {
        id: "koti-top",
        clauses: &["KOTI-TOP"],
        summary: "looks for a funding token that has come further than the King, or as far and is older",
        lane: Lane::Read,
        needs: &[Need::Rest],
        run: |world| Box::pin(on_steady_market(world, |world, market| Box::pin(king::leads(world, market)))),
    },
    Check {
        id: "koti-succession",
        clauses: &["KOTI-TOP"],
        summary: "disables one King after the other until there is none, and expects the next each time",
        lane: Lane::Exclusive,
        needs: &[Need::Rest, Need::Control],
        run: |world| Box::pin(king::succession(world)),
    },
];

/// The answer with its object; that today belongs to nobody leaves nothing to look at.
async fn read(world: &World, clause: &'static str, query: &Query) -> Verdict<(Answer, Value)> {
    let answer = world.read(EOTI, query).await?;
    if answer.status.as_u16() == 404 {
        let reason = "today belongs to no token".to_owned();
        return Err(Inconclusive::NoMaterial { reason }.into());
    }
    let body = ok_json(clause, &answer)?;
    Ok((answer, body))
}

fn with_bids() -> Query {
    vec![param("includeBidData", "true")]
}

async fn shape(world: &World) -> Verdict {
    const CLAUSE: &str = "EOTI-SHAPE";
    let (answer, body) = read(world, CLAUSE, &Vec::new()).await?;
    let members = fields::object(CLAUSE, &answer, &body, &[fields::EMPEROR])?;
    for (hour, day) in
        [("volume_1h", "volume_24h"), ("txns_1h_buys", "txns_24h_buys"), ("txns_1h_sells", "txns_24h_sells")]
    {
        let value = |name: &str| decimal(&members[name]);
        holds(CLAUSE, &answer, value(hour) <= value(day), &format!("{hour} is part of {day}"), || {
            format!("{} and {}", members[hour], members[day])
        })?;
    }
    Ok(())
}

async fn bid_data(world: &World) -> Verdict {
    const CLAUSE: &str = "EOTI-BID";
    for query in [Vec::new(), vec![param("includeBidData", "false")]] {
        let (answer, body) = read(world, CLAUSE, &query).await?;
        holds(CLAUSE, &answer, body.get("bidData").is_none(), "no bidData unless asked for", || {
            excerpt(&body["bidData"])
        })?;
    }
    let (answer, body) = read(world, CLAUSE, &with_bids()).await?;
    fields::object(CLAUSE, &answer, &body, &[fields::EMPEROR])?;
    whole(&answer, &body["bidData"])?;
    // A platform with a control plane is one of this project's kind, and says that it reads flags strictly.
    if world.has(Need::Control) {
        for bad in ["", "1", "yes", "TRUE"] {
            let refused = world.read(EOTI, &[param("includeBidData", bad)]).await?;
            status(CLAUSE, &refused, 400)?;
            holds(
                CLAUSE,
                &refused,
                world.refused_for_a_cause(&refused).await?,
                "a cause in the journal",
                || "none".to_owned(),
            )?;
        }
    }
    Ok(())
}

/// All of the bid data, each of its type, and its two tellings of the last bid agreeing.
fn whole(answer: &Answer, data: &Value) -> Verdict {
    const CLAUSE: &str = "EOTI-BID";
    for name in ["currentBid", "startBid", "lastBidAmount"] {
        let wei = data[name].as_str().is_some_and(is_smallest_unit);
        holds(CLAUSE, answer, wei, &format!("{name} in wei, as digits"), || excerpt(&data[name]))?;
    }
    for name in ["nextBoostedToken", "currentBoostedToken", "lastBoostedToken"] {
        let address = data[name].as_str().is_some_and(is_address);
        holds(CLAUSE, answer, address, &format!("{name} as an address"), || excerpt(&data[name]))?;
    }
    holds(CLAUSE, answer, data["isEpochTaken"].is_boolean(), "isEpochTaken as a boolean", || {
        excerpt(&data["isEpochTaken"])
    })?;
    if data["lastBidAmount"] == "0" {
        return Ok(());
    }
    let time = data["lastBidTime"].as_str().and_then(moment::nanoseconds);
    let seconds = data["lastBid"]["timestamp"].as_u64();
    holds(
        CLAUSE,
        answer,
        time.is_some() && time == seconds.map(|seconds| i128::from(seconds) * 1_000_000_000),
        "lastBidTime, and lastBid.timestamp as the same moment in Unix seconds",
        || format!("{} and {}", data["lastBidTime"], data["lastBid"]["timestamp"]),
    )?;
    let ether = data["lastBid"]["amount"].as_str().and_then(rational);
    let wei = data["lastBidAmount"].as_str().and_then(rational);
    let scale = rational("1e18");
    holds(
        CLAUSE,
        answer,
        ether.zip(scale).map(|(ether, scale)| ether * scale).is_some_and(|told| Some(told) == wei),
        "lastBid.amount in ether, the same as lastBidAmount in wei",
        || format!("{} and {}", data["lastBid"]["amount"], data["lastBidAmount"]),
    )
}

/// The address in a member of the bid data.
fn boosted(data: &Value, name: &str) -> Option<Address> {
    data[name].as_str()?.parse().ok()
}

/// The address of the object that is the token of the day.
fn same_token(clause: &'static str, answer: &Answer, body: &Value, expected: Address) -> Verdict {
    let told: Option<Address> = body["address"].as_str().and_then(|text| text.parse().ok());
    equal(clause, answer, "address", &Some(expected), &told)
}
