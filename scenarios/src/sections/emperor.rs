//! `GET /api/eoti` and `GET /api/koti`: the token of the day, the auction of the next one, and the King, the token furthest along its
//! curve.
pub(super) mod auction;
mod king;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One as _, Signed as _};

use crate::answers::fields::Place;
use crate::answers::members::{excerpt, is_address};
use crate::answers::reads::{EOTI, Query, has_no_token};
use crate::answers::refusals;
use crate::model::figure::{decimal, is_smallest_unit, rational};
use crate::model::moment;
use crate::prelude::*;
use crate::sections::service::answers::SVC_CHOSEN;
use crate::truth::reference::points;

section! {
    EOTI_SHAPE, EOTI_BID, auction::EOTI_CHAIN, auction::EOTI_EPOCH, king::KOTI_TOP, king::KOTI_CURVE,
}

/// Reads the answer and its object; without a winner of the day there is no material.
async fn read(trial: &Trial<'_>, query: &Query) -> Verdict<(Response, Value)> {
    let response = trial.read(EOTI, query).await?;
    need_material(!has_no_token(&response), "there is no Emperor today")?;
    trial.with_json(response)
}

fn with_bids() -> Query {
    vec![param("includeBidData", "true")]
}

/// Whether a text is an amount in ether, exact to its last decimal place; the number of places is left open.
pub(super) fn is_ether(shown: &Value, wei: U256) -> bool {
    let Some((text, ether)) = shown.as_str().and_then(|text| Some((text, rational(text)?))) else {
        return false;
    };
    let places = text.split_once('.').map_or(0, |(_, places)| places.len());
    let last =
        BigRational::new(BigInt::one(), BigInt::from(10).pow(u32::try_from(places).unwrap_or(u32::MAX)));
    let off = (ether - points::ether(wei)).abs();
    off < last
}

clause! {
    EOTI_SHAPE = "EOTI-SHAPE" (S12, S15, S169): "The Emperor is one token object with all of its fields.";
    check!("eoti-shape" [Read; Rest] shape:
        "looks at every field of the token of the day, and that its last hour is part of its last day");
}
async fn shape(trial: &Trial<'_>) -> Verdict {
    let (response, body) = read(trial, &Vec::new()).await?;
    let members = trial.object(&response, &body, &[Place::Emperor])?;
    for (hour, day) in
        [("volume_1h", "volume_24h"), ("txns_1h_buys", "txns_24h_buys"), ("txns_1h_sells", "txns_24h_sells")]
    {
        let value = |name: &str| decimal(&members[name]);
        trial.require_or(
            &response,
            value(hour) <= value(day),
            &format!("{hour} is part of {day}"),
            || format!("{} and {}", members[hour], members[day]),
        )?;
    }
    Ok(())
}

clause! {
    EOTI_BID = "EOTI-BID" (S48, S52, S53, S54, S168, S171): "Bid data is complete when requested, and absent otherwise.";
    check!("eoti-bid-data" [Read; Rest] bid_data:
        "asks with and without bid data, looks at all of it, and sends what is no flag");
}
async fn bid_data(trial: &Trial<'_>) -> Verdict {
    for query in [Vec::new(), vec![param("includeBidData", "false")]] {
        let (response, body) = read(trial, &query).await?;
        let none = body.get("bidData").is_none();
        trial.require_or(&response, none, "no bidData unless asked for", || excerpt(&body["bidData"]))?;
    }
    let (response, body) = read(trial, &with_bids()).await?;
    trial.object(&response, &body, &[Place::Emperor])?;
    whole(trial, &response, &body["bidData"])?;
    trial.by(&SVC_CHOSEN).refuses_each(refusals::BID_FLAGS, &[]).await
}

/// The bid data are complete, each field has its type, and the two forms of the last bid agree.
fn whole(trial: &Trial<'_>, response: &Response, data: &Value) -> Verdict {
    for name in ["currentBid", "startBid", "lastBidAmount"] {
        let wei = data[name].as_str().is_some_and(is_smallest_unit);
        trial.require_or(response, wei, &format!("{name} in wei, as digits"), || excerpt(&data[name]))?;
    }
    let taken = &data["isEpochTaken"];
    trial.require_or(response, taken.is_boolean(), "isEpochTaken as a boolean", || excerpt(taken))?;
    // The placeholder for an unknown token is left open.
    for (name, is_known) in
        [("nextBoostedToken", taken == true), ("currentBoostedToken", true), ("lastBoostedToken", false)]
    {
        let shown = &data[name];
        let none = !is_known && (shown.is_null() || shown == "");
        let address = none || shown.as_str().is_some_and(is_address);
        trial.require_or(response, address, &format!("{name} as an address"), || excerpt(shown))?;
    }
    if data["lastBidAmount"] == "0" {
        return Ok(());
    }
    // The format of lastBidTime is left open.
    let written = data["lastBidTime"].as_str();
    let (amount, timestamp) = (&data["lastBid"]["amount"], &data["lastBid"]["timestamp"]);
    let moment = timestamp.as_u64().map(|seconds| i128::from(seconds) * 1_000_000_000);
    let same = written.zip(moment).is_some_and(|(text, moment)| may_be(text, moment));
    let expected = "lastBidTime, and lastBid.timestamp as the same moment in Unix seconds";
    trial.require_or(response, same, expected, || format!("{} and {timestamp}", data["lastBidTime"]))?;
    let wei = data["lastBidAmount"].as_str().and_then(|text| text.parse().ok());
    let same = wei.is_some_and(|wei| is_ether(amount, wei));
    let expected = "lastBid.amount in ether, the same as lastBidAmount in wei to its last place";
    trial.require_or(response, same, expected, || format!("{amount} and {}", data["lastBidAmount"]))
}

/// Whether a text may be a moment in nanoseconds since 1970: it is, to the second, in ISO 8601 or in digits of seconds or smaller units, or
/// it is in a form that cannot be parsed.
fn may_be(text: &str, moment: i128) -> bool {
    const UNITS: [i128; 4] = [1_000_000_000, 1_000_000, 1_000, 1];
    let is_it = |time: i128| time.div_euclid(1_000_000_000) == moment.div_euclid(1_000_000_000);
    match (moment::nanoseconds(text), text.parse::<i128>()) {
        (Some(time), _) => is_it(time),
        (None, Ok(digits)) => UNITS.iter().any(|unit| digits.checked_mul(*unit).is_some_and(is_it)),
        (None, Err(_)) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_many_forms() {
        let moment = 1_772_625_600_000_000_000;
        for (text, fits) in [
            ("2026-03-04T12:00:00Z", true),
            ("2026-03-04T12:00:00.987Z", true),
            ("1772625600", true),
            ("1772625600123", true),
            ("Wed, 04 Mar 2026 12:00:00 GMT", true),
            ("2026-03-04T12:00:01Z", false),
            ("1772625601", false),
            ("1772625601000", false),
        ] {
            assert_eq!(may_be(text, moment), fits, "{text}");
        }
    }

    #[test]
    fn ether_is_right_to_its_last_place() {
        let wei = U256::from(4_812_345_678_901_234_u64);
        for (shown, fits) in [
            ("0.004812345678901234", true),
            ("0.0048", true),
            ("0.0049", true),
            ("0.0047", false),
            ("0.005", true),
            ("0", true),
            ("1.0", false),
            ("4812345678901234", false),
            ("", false),
        ] {
            assert_eq!(is_ether(&json!(shown), wei), fits, "{shown}");
        }
        assert!(!is_ether(&json!(0.0048), wei));
    }
}
