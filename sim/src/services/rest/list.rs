//! `GET /api/tokens`: the list with its filters.
//!
//! Bounds are inclusive and are compared with exactly the numbers in answers. The transaction count includes all
//! trades of a token.
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json as value;

use super::row::{LIST, Shown, TokenRow, rows};
use crate::api::Api;
use crate::api::decimal::Decimal;
use crate::api::refusal::Refusal;
use crate::api::tokens::filter::{Filter, Range, Socials, Statuses};
use crate::api::tokens::list::{ListQuery, Sort, Timeframe};
use crate::services::http::json;
use crate::services::input::time::DATE_OR_TIME;
use crate::services::input::{
    COUNT, Custom, DefaultTo, Input, InputKind, OneOf, Optional, POSITIVE, Query, SetOf, WholeNumber, text,
};
use crate::services::openapi::{Operation, Schemas};

const PAGE: Input<WholeNumber, DefaultTo<u64>> = Input {
    name: "page",
    cause: "list-page",
    meaning: "page number",
    kind: POSITIVE,
    presence: DefaultTo(1),
};
/// Clause: LIST-SEARCH
const SEARCH: Input<Custom<String>, Optional> = Input {
    name: "search",
    cause: "list-search",
    meaning: "part of a name, ticker, description, owner or token address, in any letter case",
    kind: text("must be text", || value!({ "type": "string" })),
    presence: Optional,
};
const STATUS: Input<SetOf<Statuses>, Optional> = Input {
    name: "status",
    cause: "list-status",
    meaning: "funding states",
    kind: SetOf(&[("live", |named| named.live = true), ("funding", |named| named.funding = true)]),
    presence: Optional,
};
const SORT: Input<OneOf<Sort>, DefaultTo<Sort>> = Input {
    name: "sortBy",
    cause: "list-sort",
    meaning: "order of the tokens",
    kind: OneOf(&[
        ("newest", Sort::Newest),
        ("oldest", Sort::Oldest),
        ("trending", Sort::Trending),
        ("mcap-high", Sort::MarketCapHigh),
        ("mcap-low", Sort::MarketCapLow),
    ]),
    presence: DefaultTo(Sort::Newest),
};
const TIMEFRAME: Input<OneOf<Timeframe>, DefaultTo<Timeframe>> = Input {
    name: "timeframe",
    cause: "list-timeframe",
    meaning: "window that counts as trending",
    kind: OneOf(&[
        ("5m", Timeframe::FiveMinutes),
        ("1h", Timeframe::Hour),
        ("6h", Timeframe::SixHours),
        ("24h", Timeframe::Day),
    ]),
    presence: DefaultTo(Timeframe::Day),
};
const SOCIALS: Input<SetOf<Socials>, Optional> = Input {
    name: "socials",
    cause: "list-socials",
    meaning: "tokens that have any of these links",
    kind: SetOf(&[
        ("messenger", |named| named.messenger = true),
        ("microblog", |named| named.microblog = true),
        ("website", |named| named.website = true),
    ]),
    presence: Optional,
};
const FUNDING: Bounds<Custom<Decimal>> = bounds(
    ["fundingMin", "fundingMax"],
    "list-funding",
    ["least funding progress", "most funding progress"],
    Custom {
        parse: |text| decimal(text).filter(|number| *number <= Decimal::one()),
        rule: "must be a number from 0 to 1",
        schema: || value!({ "type": "number", "minimum": 0, "maximum": 1 }),
    },
);
const MARKET_CAP: Bounds<Custom<Decimal>> = bounds(
    ["marketCapMin", "marketCapMax"],
    "list-market-cap",
    ["least market cap in ETH", "most market cap in ETH"],
    Custom {
        parse: decimal,
        rule: "must be a decimal number of at least 0",
        schema: || value!({ "type": "number", "minimum": 0, "exclusiveMaximum": Decimal::ABOVE }),
    },
);
const TRADES: Bounds<WholeNumber> =
    bounds(["txCountMin", "txCountMax"], "list-tx-count", ["least number of trades", "most trades"], COUNT);
const CREATED: Bounds<Custom<SignedDuration>> = bounds(
    ["createdFrom", "createdTo"],
    "list-created",
    ["created at this time or later", "created at this time or earlier"],
    DATE_OR_TIME,
);

/// The lower and the upper bound of a value.
type Bounds<K> = [Input<K, Optional>; 2];

const fn bounds<K: Copy>(
    names: [&'static str; 2],
    cause: &'static str,
    meanings: [&'static str; 2],
    kind: K,
) -> Bounds<K> {
    let [least, most] = names;
    let [from, to] = meanings;
    let presence = Optional;
    [
        Input { name: least, cause, meaning: from, kind, presence },
        Input { name: most, cause, meaning: to, kind, presence },
    ]
}

/// Clause: LIST-SHAPE
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TokenList<'a> {
    #[schemars(with = "Vec<Shown<LIST>>")]
    tokens: Vec<TokenRow<'a>>,
    /// Tokens that match the filters.
    total_count: u64,
    total_pages: u64,
}

pub(super) fn operation(schemas: &mut Schemas) -> Operation {
    fn both<K: InputKind>(operation: Operation, [least, most]: &Bounds<K>) -> Operation {
        let crossed = format!("{} is above {}", least.name, most.name);
        operation.takes(least).takes(most).refuses(400, crossed)
    }
    let operation = Operation::get("listTokens", "Tokens, filtered, ordered, in pages")
        .takes(&PAGE)
        .takes(&SEARCH)
        .takes(&STATUS)
        .takes(&SORT)
        .takes(&TIMEFRAME)
        .takes(&SOCIALS);
    let operation = both(both(operation, &FUNDING), &MARKET_CAP);
    both(both(operation, &TRADES), &CREATED).serves("a page of tokens", schemas.of::<TokenList<'_>>())
}

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let query = read(&Query::decode(&uri)?)?;
    let page = api.list(&query);
    let tokens = rows(&page.tokens, LIST);
    Ok(json(&TokenList { tokens, total_count: page.total, total_pages: page.total_pages }))
}

/// Reads a query of the list.
///
/// Clause: LIST-BAD
fn read(query: &Query<'_>) -> Result<ListQuery, Refusal> {
    ordered(query, query.read(&SORT)?)
}

/// Reads everything of a query but its order.
pub(in crate::services) fn ordered(query: &Query<'_>, sort: Sort) -> Result<ListQuery, Refusal> {
    Ok(ListQuery {
        page: query.read(&PAGE)?,
        sort,
        timeframe: query.read(&TIMEFRAME)?,
        filter: Filter {
            search: query.read(&SEARCH)?,
            status: query.read(&STATUS)?.unwrap_or_default(),
            socials: query.read(&SOCIALS)?.unwrap_or_default(),
            funding: range(query, &FUNDING)?,
            market_cap: range(query, &MARKET_CAP)?,
            trades: range(query, &TRADES)?,
            created: range(query, &CREATED)?,
        },
    })
}

fn range<K: InputKind<Value: PartialOrd>>(
    query: &Query<'_>,
    [least, most]: &Bounds<K>,
) -> Result<Range<K::Value>, Refusal> {
    let bounds = (query.read(least)?, query.read(most)?);
    Range::new(bounds.0, bounds.1).ok_or_else(|| {
        Refusal::bad_input("list-range", format!("{} must not be above {}", least.name, most.name))
    })
}

fn decimal(text: &str) -> Option<Decimal> {
    Decimal::parse(text).ok()
}
