//! `GET /api/tokens`: the list with its filters.
//!
//! Bounds are inclusive and are compared with exactly the numbers in answers. The transaction count includes all
//! trades of a token.
use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::row::{LIST, Shown, TokenRow, rows};
use crate::api::Api;
use crate::api::decimal::{Decimal, NotDecimal};
use crate::api::refusal::Refusal;
use crate::api::tokens::filter::{Filter, Range, Socials, Statuses};
use crate::api::tokens::list::{ListQuery, Sort, Timeframe};
use crate::services::http::{Served, json};
use crate::services::input::Parameters;
use crate::services::input::kinds::Whole;
use crate::services::input::time::DateOrTime;
use crate::services::openapi::{Operation, Schemas};

#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FundingState {
    Live,
    Funding,
}

#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Link {
    Messenger,
    Microblog,
    Website,
}

/// An order offered by the endpoint.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-cause" = "list-sort"))]
pub(super) struct Listed(Sort);

/// A fraction of the target, from 0 to 1.
#[derive(Clone, Copy, PartialEq, PartialOrd, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("type" = "number", "minimum" = 0, "maximum" = 1, "x-rule" = "must be a number from 0 to 1"))]
struct Part(Decimal);

impl TryFrom<String> for Part {
    type Error = NotDecimal;

    fn try_from(text: String) -> Result<Self, NotDecimal> {
        Decimal::parse(&text).ok().filter(|number| *number <= Decimal::one()).map(Self).ok_or(NotDecimal)
    }
}

#[derive(Clone, Copy, PartialEq, PartialOrd, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend(
    "type" = "number",
    "minimum" = 0,
    "exclusiveMaximum" = Decimal::ABOVE,
    "x-rule" = "must be a decimal number of at least 0"
))]
struct Amount(Decimal);

impl TryFrom<String> for Amount {
    type Error = NotDecimal;

    fn try_from(text: String) -> Result<Self, NotDecimal> {
        Decimal::parse(&text).map(Self)
    }
}

/// The filter and the order of the list; the pages have more orders than the endpoint.
///
/// Clause: LIST-BAD, LIST-SEARCH
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(bound = "O: JsonSchema + Default + Serialize")]
pub(in crate::services) struct ListParameters<O> {
    /// page number
    #[serde(default)]
    #[schemars(extend("x-cause" = "list-page"))]
    page: Whole<1>,
    /// part of a name, ticker, description, owner or token address, in any letter case
    #[schemars(extend("x-cause" = "list-search"))]
    search: Option<String>,
    /// funding states
    #[schemars(length(min = 1), extend("x-cause" = "list-status"))]
    status: Option<Vec<FundingState>>,
    /// order of the tokens
    #[serde(default)]
    pub(in crate::services) sort_by: O,
    /// window that counts as trending
    #[serde(default)]
    #[schemars(extend("x-cause" = "list-timeframe"))]
    timeframe: Timeframe,
    /// tokens that have any of these links
    #[schemars(length(min = 1), extend("x-cause" = "list-socials"))]
    socials: Option<Vec<Link>>,
    /// least funding progress
    #[schemars(extend("x-cause" = "list-funding"))]
    funding_min: Option<Part>,
    /// most funding progress
    #[schemars(extend("x-cause" = "list-funding"))]
    funding_max: Option<Part>,
    /// least market cap in ETH
    #[schemars(extend("x-cause" = "list-market-cap"))]
    market_cap_min: Option<Amount>,
    /// most market cap in ETH
    #[schemars(extend("x-cause" = "list-market-cap"))]
    market_cap_max: Option<Amount>,
    /// least number of trades
    #[schemars(extend("x-cause" = "list-tx-count"))]
    tx_count_min: Option<Whole>,
    /// most trades
    #[schemars(extend("x-cause" = "list-tx-count"))]
    tx_count_max: Option<Whole>,
    /// created at this time or later
    #[schemars(extend("x-cause" = "list-created"))]
    created_from: Option<DateOrTime>,
    /// created at this time or earlier
    #[schemars(extend("x-cause" = "list-created"))]
    created_to: Option<DateOrTime>,
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

/// The lower and the upper bound of a value.
const BOUNDS: [[&str; 2]; 4] = [
    ["fundingMin", "fundingMax"],
    ["marketCapMin", "marketCapMax"],
    ["txCountMin", "txCountMax"],
    ["createdFrom", "createdTo"],
];

pub(super) fn operation(schemas: &mut Schemas) -> Operation {
    let operation =
        Operation::get("listTokens", "Tokens, filtered, ordered, in pages").asks::<ListParameters<Listed>>();
    let crossed = |operation: Operation, [least, most]: [&str; 2]| {
        operation.refuses(400, format!("{least} is above {most}"))
    };
    BOUNDS.into_iter().fold(operation, crossed).serves("a page of tokens", schemas.of::<TokenList<'_>>())
}

pub(super) async fn get(
    State(api): State<Arc<Api>>,
    Parameters(asked): Parameters<ListParameters<Listed>>,
) -> Served {
    let Listed(sort) = asked.sort_by;
    let page = api.list(&asked.ordered(sort)?);
    let tokens = rows(&page.tokens, LIST);
    Ok(json(&TokenList { tokens, total_count: page.total, total_pages: page.total_pages }))
}

impl<O> ListParameters<O> {
    /// The query in the given order.
    pub(in crate::services) fn ordered(self, sort: Sort) -> Result<ListQuery, Refusal> {
        let has_state = |state| self.status.as_ref().is_some_and(|all| all.contains(&state));
        let has_link = |link| self.socials.as_ref().is_some_and(|all| all.contains(&link));
        let [funding, market_cap, trades, created] = BOUNDS;
        let filter = Filter {
            status: Statuses {
                live: has_state(FundingState::Live),
                funding: has_state(FundingState::Funding),
            },
            socials: Socials {
                messenger: has_link(Link::Messenger),
                microblog: has_link(Link::Microblog),
                website: has_link(Link::Website),
            },
            search: self.search,
            funding: range(funding, [self.funding_min, self.funding_max], |part| part.0)?,
            market_cap: range(market_cap, [self.market_cap_min, self.market_cap_max], |amount| amount.0)?,
            trades: range(trades, [self.tx_count_min, self.tx_count_max], |count| count.0)?,
            created: range(created, [self.created_from, self.created_to], |time| time.0)?,
        };
        Ok(ListQuery { page: self.page.0, filter, sort, timeframe: self.timeframe })
    }
}

fn range<K, T: PartialOrd>(
    [from, to]: [&str; 2],
    bounds: [Option<K>; 2],
    value: fn(K) -> T,
) -> Result<Range<T>, Refusal> {
    let [least, most] = bounds.map(|bound| bound.map(value));
    Range::new(least, most)
        .ok_or_else(|| Refusal::bad_input("list-range", format!("{from} must not be above {to}")))
}
