//! `GET /api/tokens/by-owner`: the tokens that one wallet created.
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use super::row::{OWNER, Row, Shown, rows};
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::api::tokens::owner::{DEFAULT_LIMIT, MAXIMUM_LIMIT, OwnerQuery, OwnerSort, by_owner};
use crate::services::form::{Account, Flag, Otherwise, POSITIVE, Parameter, Required, Whole, Word};
use crate::services::http::json;
use crate::services::openapi::{Operation, Shapes};
use crate::services::parameters::Parameters;

const CREATOR: Parameter<Account, Required> = Parameter {
    name: "owner",
    cause: "owner-owner",
    meaning: "creator wallet address",
    form: Account,
    absent: Required,
};
const PAGE: Parameter<Whole, Otherwise<u64>> = Parameter {
    name: "page",
    cause: "owner-page",
    meaning: "page number",
    form: POSITIVE,
    absent: Otherwise(1),
};
const LIMIT: Parameter<Whole, Otherwise<u64>> = Parameter {
    name: "limit",
    cause: "owner-limit",
    meaning: "tokens per page",
    form: Whole { least: 1, most: MAXIMUM_LIMIT },
    absent: Otherwise(DEFAULT_LIMIT),
};
const SORT: Parameter<Word<OwnerSort>, Otherwise<OwnerSort>> = Parameter {
    name: "sort",
    cause: "owner-sort",
    meaning: "order of the tokens",
    form: Word(&[
        ("created_at_desc", OwnerSort::CreatedDescending),
        ("created_at_asc", OwnerSort::CreatedAscending),
        ("market_cap_desc", OwnerSort::MarketCapDescending),
        ("market_cap_asc", OwnerSort::MarketCapAscending),
        ("funding_progress_desc", OwnerSort::ProgressDescending),
        ("volume_24h_desc", OwnerSort::VolumeDescending),
    ]),
    absent: Otherwise(OwnerSort::CreatedDescending),
};
const INACTIVE: Parameter<Flag, Otherwise<bool>> = Parameter {
    name: "includeInactive",
    cause: "owner-inactive",
    meaning: "include disabled or failed tokens",
    form: Flag,
    absent: Otherwise(false),
};

pub(super) fn described(shapes: &mut Shapes) -> Operation {
    Operation::get("getTokensByOwner", "The tokens that one wallet created")
        .takes(&CREATOR)
        .takes(&PAGE)
        .takes(&LIMIT)
        .takes(&SORT)
        .takes(&INACTIVE)
        .serves("a page of tokens", shapes.of::<Answer<'_>>())
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TokensOfOwner")]
struct Answer<'a> {
    #[schemars(with = "Vec<Shown<OWNER>>")]
    tokens: Vec<Row<'a>>,
    pagination: Pagination,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Pagination {
    page: u64,
    limit: u64,
    total: u64,
    total_pages: u64,
}

pub(super) async fn get(State(api): State<Arc<Api>>, uri: Uri) -> Result<Response, Refusal> {
    let query = read(&Parameters::of(&uri)?)?;
    let page = by_owner(&api.read(), api.clock.now(), &query);
    Ok(json(&Answer {
        tokens: rows(&page.tokens, OWNER),
        pagination: Pagination {
            page: query.page,
            limit: query.limit,
            total: page.total,
            total_pages: page.total_pages,
        },
    }))
}

fn read(parameters: &Parameters<'_>) -> Result<OwnerQuery, Refusal> {
    Ok(OwnerQuery {
        owner: parameters.take(&CREATOR)?,
        page: parameters.take(&PAGE)?,
        limit: parameters.take(&LIMIT)?,
        sort: parameters.take(&SORT)?,
        include_inactive: parameters.take(&INACTIVE)?,
    })
}
