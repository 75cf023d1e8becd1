//! `GET /api/tokens`: the list with its filters.
//!
//! Bounds are inclusive and are held against the very numbers that answers show. A date means its first instant in UTC; a
//! date-time without a zone is in UTC. The transaction count is that of all trades of a token, ever.
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json as value;

use super::row::{LIST, Row, Shown, rows};
use crate::api::Api;
use crate::api::decimal::Decimal;
use crate::api::refusal::Refusal;
use crate::api::tokens::filter::{Filter, Range, Socials, Statuses};
use crate::api::tokens::list::{ListQuery, Sort, Timeframe, list};
use crate::services::form::{
    COUNT, Form, Optional, Otherwise, POSITIVE, Parameter, Read, Whole, Word, Words,
};
use crate::services::http::json;
use crate::services::openapi::{Operation, Shapes};
use crate::services::parameters::Parameters;

const PAGE: Parameter<Whole, Otherwise<u64>> = Parameter {
    name: "page",
    cause: "list-page",
    meaning: "page number",
    form: POSITIVE,
    absent: Otherwise(1),
};
const SEARCH: Parameter<Read<String>, Optional> = Parameter {
    name: "search",
    cause: "list-search",
    meaning: "part of a name, ticker, description, owner or token address, in any letter case",
    form: Read {
        read: |text| Some(text.to_owned()),
        rule: "must be text",
        schema: || value!({ "type": "string", "pattern": r"^[^\u0000]*$" }),
    },
    absent: Optional,
};
const STATUS: Parameter<Words<Statuses>, Optional> = Parameter {
    name: "status",
    cause: "list-status",
    meaning: "funding states",
    form: Words(&[("live", |named| named.live = true), ("funding", |named| named.funding = true)]),
    absent: Optional,
};
const SORT: Parameter<Word<Sort>, Otherwise<Sort>> = Parameter {
    name: "sortBy",
    cause: "list-sort",
    meaning: "order of the tokens",
    form: Word(&[
        ("newest", Sort::Newest),
        ("oldest", Sort::Oldest),
        ("trending", Sort::Trending),
        ("mcap-high", Sort::MarketCapHigh),
        ("mcap-low", Sort::MarketCapLow),
    ]),
    absent: Otherwise(Sort::Newest),
};
const TIMEFRAME: Parameter<Word<Timeframe>, Otherwise<Timeframe>> = Parameter {
    name: "timeframe",
    cause: "list-timeframe",
    meaning: "window that counts as trending",
    form: Word(&[
        ("5m", Timeframe::FiveMinutes),
        ("1h", Timeframe::Hour),
        ("6h", Timeframe::SixHours),
        ("24h", Timeframe::Day),
    ]),
    absent: Otherwise(Timeframe::Day),
};
const SOCIALS: Parameter<Words<Socials>, Optional> = Parameter {
    name: "socials",
    cause: "list-socials",
    meaning: "tokens that have any of these links",
    form: Words(&[
        ("messenger", |named| named.messenger = true),
        ("microblog", |named| named.microblog = true),
        ("website", |named| named.website = true),
    ]),
    absent: Optional,
};
const FUNDING: Bounds<Read<Decimal>> = bounds(
    ["fundingMin", "fundingMax"],
    "list-funding",
    ["least funding progress", "most funding progress"],
    Read {
        read: |text| decimal(text).filter(|number| *number <= Decimal::one()),
        rule: "must be a number from 0 to 1",
        schema: || value!({ "type": "number", "minimum": 0, "maximum": 1 }),
    },
);
const MARKET_CAP: Bounds<Read<Decimal>> = bounds(
    ["marketCapMin", "marketCapMax"],
    "list-market-cap",
    ["least market cap in ETH", "most market cap in ETH"],
    Read {
        read: decimal,
        rule: "must be a decimal number of at least 0",
        schema: || value!({ "type": "number", "minimum": 0, "exclusiveMaximum": Decimal::ABOVE }),
    },
);
const TRADES: Bounds<Whole> =
    bounds(["txCountMin", "txCountMax"], "list-tx-count", ["least number of trades", "most trades"], COUNT);
const CREATED: Bounds<Read<Timestamp>> = bounds(
    ["createdFrom", "createdTo"],
    "list-created",
    ["created at this time or later", "created at this time or earlier"],
    Read {
        read: moment,
        rule: "must be an ISO 8601 date or date-time",
        schema: || value!({ "type": "string", "anyOf": [{ "format": "date" }, { "format": "date-time" }] }),
    },
);

/// The least and the most of something.
type Bounds<F> = [Parameter<F, Optional>; 2];

const fn bounds<F: Copy>(
    names: [&'static str; 2],
    cause: &'static str,
    meanings: [&'static str; 2],
    form: F,
) -> Bounds<F> {
    let [least, most] = names;
    let [from, to] = meanings;
    let absent = Optional;
    [
        Parameter { name: least, cause, meaning: from, form, absent },
        Parameter { name: most, cause, meaning: to, form, absent },
    ]
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TokenList")]
struct Answer<'a> {
    #[schemars(with = "Vec<Shown<LIST>>")]
    tokens: Vec<Row<'a>>,
    /// Tokens that match the filters.
    total_count: u64,
    total_pages: u64,
}

pub(super) fn described(shapes: &mut Shapes) -> Operation {
    fn both<F: Form>(operation: Operation, [least, most]: &Bounds<F>) -> Operation {
        let ends = [least.name, most.name];
        operation.takes(least).takes(most).ordered(ends)
    }
    let operation = Operation::get("listTokens", "Tokens, filtered, ordered, in pages")
        .takes(&PAGE)
        .takes(&SEARCH)
        .takes(&STATUS)
        .takes(&SORT)
        .takes(&TIMEFRAME)
        .takes(&SOCIALS);
    let operation = both(both(operation, &FUNDING), &MARKET_CAP);
    both(both(operation, &TRADES), &CREATED).serves("a page of tokens", shapes.of::<Answer<'_>>())
}

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let query = read(&Parameters::of(&uri)?)?;
    let page = list(&api.read(), api.clock.now(), &query);
    Ok(json(&Answer {
        tokens: rows(&page.tokens, LIST),
        total_count: page.total,
        total_pages: page.total_pages,
    }))
}

fn read(parameters: &Parameters<'_>) -> Result<ListQuery, Refusal> {
    Ok(ListQuery {
        page: parameters.take(&PAGE)?,
        sort: parameters.take(&SORT)?,
        timeframe: parameters.take(&TIMEFRAME)?,
        filter: Filter {
            search: parameters.take(&SEARCH)?.filter(|text| !text.is_empty()),
            status: parameters.take(&STATUS)?.unwrap_or_default(),
            socials: parameters.take(&SOCIALS)?.unwrap_or_default(),
            funding: range(parameters, &FUNDING)?,
            market_cap: range(parameters, &MARKET_CAP)?,
            trades: range(parameters, &TRADES)?,
            created: range(parameters, &CREATED)?,
        },
    })
}

fn range<F: Form<Value: PartialOrd>>(
    parameters: &Parameters<'_>,
    [least, most]: &Bounds<F>,
) -> Result<Range<F::Value>, Refusal> {
    let bounds = (parameters.take(least)?, parameters.take(most)?);
    Range::new(bounds.0, bounds.1).ok_or_else(|| {
        Refusal::bad_input("list-range", format!("{} must not be above {}", least.name, most.name))
    })
}

fn decimal(text: &str) -> Option<Decimal> {
    Decimal::parse(text).ok()
}

/// Years of four digits, dashes and colons: the forms that every program reads alike.
fn moment(text: &str) -> Option<Timestamp> {
    let refuse_compressed =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b':' | b'.' | b'T' | b'Z');
    let extended = text.as_bytes().get(..10).is_some_and(|date| date[4] == b'-' && date[7] == b'-');
    if text.len() > 40 || !extended || !text.bytes().all(refuse_compressed) {
        return None;
    }
    if text.len() == 10 {
        let date: Date = text.parse().ok()?;
        return date.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    }
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Some(instant);
    }
    let local = !text.contains(['Z', '+']) && text.bytes().filter(|byte| *byte == b'-').count() == 2;
    let time: DateTime = text.parse().ok().filter(|_| local)?;
    time.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::moment;
    use jiff::Timestamp;

    #[test]
    fn dates_and_times_are_read_strictly() {
        let cases = [
            ("2026-01-05", Some(1_767_571_200)),
            ("2026-01-05T00:00:00Z", Some(1_767_571_200)),
            ("2026-01-05T00:00:00.000Z", Some(1_767_571_200)),
            ("2026-01-05T00:00:00", Some(1_767_571_200)),
            ("2026-01-05T02:00:00+02:00", Some(1_767_571_200)),
            ("2026-01-04T22:00:00-02:00", Some(1_767_571_200)),
            ("2026-02-29", None),
            ("2026-13-01", None),
            ("2026-1-5", None),
            ("20260105", None),
            ("05/01/2026", None),
            ("1767571200", None),
            ("yesterday", None),
            ("2026-01-05T25:00:00Z", None),
            ("2026-01-05 00:00:00", None),
            ("2026-01-05T00:00:00 02:00", None),
            ("+002026-01-05", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(moment(text).map(Timestamp::as_second), expected, "{text}");
        }
    }
}
