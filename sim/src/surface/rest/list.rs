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
use serde::Serialize;

use super::row::{LIST, Row, rows};
use crate::api::Api;
use crate::api::decimal::Decimal;
use crate::api::refusal::Refusal;
use crate::api::tokens::filter::{Filter, Range, Socials, Statuses};
use crate::api::tokens::list::{ListQuery, Sort, Timeframe, list};
use crate::surface::http::json;
use crate::surface::parameters::{Field, Parameters, whole, whole_within};

const PAGE: Field = Field {
    name: "page",
    cause: "list-page",
    rule: "must be a whole number from 1",
};
const STATUS: Field = Field {
    name: "status",
    cause: "list-status",
    rule: "must name live, funding or both, with a comma",
};
const SORT: Field = Field {
    name: "sortBy",
    cause: "list-sort",
    rule: "must be newest, oldest, trending, mcap-high or mcap-low",
};
const TIMEFRAME: Field = Field {
    name: "timeframe",
    cause: "list-timeframe",
    rule: "must be 5m, 1h, 6h or 24h",
};
const SOCIALS: Field = Field {
    name: "socials",
    cause: "list-socials",
    rule: "must name messenger, microblog or website, with commas between",
};
const FUNDING: [Field; 2] = pair(
    ["fundingMin", "fundingMax"],
    "list-funding",
    "must be a number from 0 to 1",
);
const MARKET_CAP: [Field; 2] = pair(
    ["marketCapMin", "marketCapMax"],
    "list-market-cap",
    "must be a decimal number of at least 0",
);
const TRADES: [Field; 2] = pair(
    ["txCountMin", "txCountMax"],
    "list-tx-count",
    "must be a whole number of at least 0",
);
const CREATED: [Field; 2] = pair(
    ["createdFrom", "createdTo"],
    "list-created",
    "must be an ISO 8601 date or date-time",
);

const fn pair(names: [&'static str; 2], cause: &'static str, rule: &'static str) -> [Field; 2] {
    [
        Field {
            name: names[0],
            cause,
            rule,
        },
        Field {
            name: names[1],
            cause,
            rule,
        },
    ]
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    tokens: Vec<Row<'a>>,
    total_count: u64,
    total_pages: u64,
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
    let search = parameters
        .text("search")?
        .filter(|text| !text.is_empty())
        .map(str::to_owned);
    Ok(ListQuery {
        page: parameters.read(PAGE, whole_within(1, u64::MAX))?.unwrap_or(1),
        sort: parameters.read(SORT, sort)?.unwrap_or_default(),
        timeframe: parameters.read(TIMEFRAME, timeframe)?.unwrap_or_default(),
        filter: Filter {
            search,
            status: parameters.read(STATUS, statuses)?.unwrap_or_default(),
            socials: parameters.read(SOCIALS, socials)?.unwrap_or_default(),
            funding: range(parameters, FUNDING, |text| {
                decimal(text).filter(|number| *number <= Decimal::one())
            })?,
            market_cap: range(parameters, MARKET_CAP, decimal)?,
            trades: range(parameters, TRADES, whole)?,
            created: range(parameters, CREATED, moment)?,
        },
    })
}

fn range<T: PartialOrd>(
    parameters: &Parameters<'_>,
    [least, most]: [Field; 2],
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Range<T>, Refusal> {
    let bounds = (parameters.read(least, &parse)?, parameters.read(most, &parse)?);
    Range::new(bounds.0, bounds.1).ok_or_else(|| {
        Refusal::bad_input(
            "list-range",
            format!("{} must not be above {}", least.name, most.name),
        )
    })
}

fn decimal(text: &str) -> Option<Decimal> {
    Decimal::parse(text).ok()
}

fn sort(text: &str) -> Option<Sort> {
    Some(match text {
        "newest" => Sort::Newest,
        "oldest" => Sort::Oldest,
        "trending" => Sort::Trending,
        "mcap-high" => Sort::MarketCapHigh,
        "mcap-low" => Sort::MarketCapLow,
        _ => return None,
    })
}

fn timeframe(text: &str) -> Option<Timeframe> {
    Some(match text {
        "5m" => Timeframe::FiveMinutes,
        "1h" => Timeframe::Hour,
        "6h" => Timeframe::SixHours,
        "24h" => Timeframe::Day,
        _ => return None,
    })
}

fn statuses(text: &str) -> Option<Statuses> {
    text.split(',')
        .try_fold(Statuses::default(), |named, word| match word {
            "live" => Some(Statuses { live: true, ..named }),
            "funding" => Some(Statuses {
                funding: true,
                ..named
            }),
            _ => None,
        })
}

fn socials(text: &str) -> Option<Socials> {
    text.split(',')
        .try_fold(Socials::default(), |named, word| match word {
            "messenger" => Some(Socials {
                messenger: true,
                ..named
            }),
            "microblog" => Some(Socials {
                microblog: true,
                ..named
            }),
            "website" => Some(Socials {
                website: true,
                ..named
            }),
            _ => None,
        })
}

/// Years of four digits, dashes and colons: the forms that every program reads alike.
fn moment(text: &str) -> Option<Timestamp> {
    let plain = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b':' | b'.' | b'T' | b'Z');
    let extended = text
        .as_bytes()
        .get(..10)
        .is_some_and(|date| date[4] == b'-' && date[7] == b'-');
    if text.len() > 40 || !extended || !text.bytes().all(plain) {
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
