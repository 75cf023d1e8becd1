//! `GET /api/tokens/by-owner`: the tokens that one wallet created.
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use super::row::{OWNER, Shown, TokenRow, rows};
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::api::tokens::owner::{DEFAULT_LIMIT, MAXIMUM_LIMIT, OwnerQuery, OwnerSort};
use crate::services::http::json;
use crate::services::input::{
    ACCOUNT_ADDRESS, AccountAddress, Boolean, DefaultTo, Input, OneOf, POSITIVE, Query, Required, WholeNumber,
};
use crate::services::openapi::{Operation, Schemas};

/// Clause: OWNER-REQ
const CREATOR: Input<AccountAddress, Required> = Input {
    name: "owner",
    cause: "owner-owner",
    meaning: "creator wallet address",
    kind: ACCOUNT_ADDRESS,
    presence: Required,
};
const PAGE: Input<WholeNumber, DefaultTo<u64>> = Input {
    name: "page",
    cause: "owner-page",
    meaning: "page number",
    kind: POSITIVE,
    presence: DefaultTo(1),
};
/// Clause: OWNER-LIMIT, OWNER-BAD
const LIMIT: Input<WholeNumber, DefaultTo<u64>> = Input {
    name: "limit",
    cause: "owner-limit",
    meaning: "tokens per page",
    kind: WholeNumber { min: 1, max: MAXIMUM_LIMIT },
    presence: DefaultTo(DEFAULT_LIMIT),
};
const SORT: Input<OneOf<OwnerSort>, DefaultTo<OwnerSort>> = Input {
    name: "sort",
    cause: "owner-sort",
    meaning: "order of the tokens",
    kind: OneOf(&[
        ("created_at_desc", OwnerSort::CreatedDescending),
        ("created_at_asc", OwnerSort::CreatedAscending),
        ("market_cap_desc", OwnerSort::MarketCapDescending),
        ("market_cap_asc", OwnerSort::MarketCapAscending),
        ("funding_progress_desc", OwnerSort::ProgressDescending),
        ("volume_24h_desc", OwnerSort::VolumeDescending),
    ]),
    presence: DefaultTo(OwnerSort::CreatedDescending),
};
const INACTIVE: Input<Boolean, DefaultTo<bool>> = Input {
    name: "includeInactive",
    cause: "owner-inactive",
    meaning: "include disabled or failed tokens",
    kind: Boolean,
    presence: DefaultTo(false),
};

pub(super) fn operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getTokensByOwner", "The tokens that one wallet created")
        .takes(&CREATOR)
        .takes(&PAGE)
        .takes(&LIMIT)
        .takes(&SORT)
        .takes(&INACTIVE)
        .serves("a page of tokens", schemas.of::<TokensOfOwner<'_>>())
}

/// Clause: OWNER-SHAPE
#[derive(Serialize, JsonSchema)]
struct TokensOfOwner<'a> {
    #[schemars(with = "Vec<Shown<OWNER>>")]
    tokens: Vec<TokenRow<'a>>,
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
    let query = read(&Query::decode(&uri)?)?;
    let page = api.by_owner(&query);
    Ok(json(&TokensOfOwner {
        tokens: rows(&page.tokens, OWNER),
        pagination: Pagination {
            page: query.page,
            limit: query.limit,
            total: page.total,
            total_pages: page.total_pages,
        },
    }))
}

fn read(parameters: &Query<'_>) -> Result<OwnerQuery, Refusal> {
    Ok(OwnerQuery {
        owner: parameters.read(&CREATOR)?,
        page: parameters.read(&PAGE)?,
        limit: parameters.read(&LIMIT)?,
        sort: parameters.read(&SORT)?,
        include_inactive: parameters.read(&INACTIVE)?,
    })
}
