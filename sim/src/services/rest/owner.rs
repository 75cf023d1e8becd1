//! `GET /api/tokens/by-owner`: the tokens that one wallet created.
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::row::{OWNER, Shown, TokenRow, rows};
use crate::api::Api;
use crate::api::tokens::owner::{DEFAULT_LIMIT, MAXIMUM_LIMIT, OwnerQuery, OwnerSort};
use crate::services::http::json;
use crate::services::input::Parameters;
use crate::services::input::kinds::{AccountAddress, Whole};
use crate::services::openapi::{Operation, Schemas};

/// Clause: OWNER-REQ, OWNER-LIMIT, OWNER-BAD
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OwnerParameters {
    /// creator wallet address
    #[schemars(extend("x-cause" = "owner-owner"))]
    owner: AccountAddress,
    /// page number
    #[serde(default)]
    #[schemars(extend("x-cause" = "owner-page"))]
    page: Whole<1>,
    /// tokens per page
    #[serde(default)]
    #[schemars(extend("x-cause" = "owner-limit"))]
    limit: Whole<1, MAXIMUM_LIMIT, DEFAULT_LIMIT>,
    /// order of the tokens
    #[serde(default)]
    #[schemars(extend("x-cause" = "owner-sort"))]
    sort: OwnerSort,
    /// include disabled or failed tokens
    #[serde(default)]
    #[schemars(extend("x-cause" = "owner-inactive"))]
    include_inactive: bool,
}

pub(super) fn operation(schemas: &mut Schemas) -> Operation {
    Operation::get("getTokensByOwner", "The tokens that one wallet created")
        .asks::<OwnerParameters>()
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

pub(super) async fn get(
    State(api): State<Arc<Api>>,
    Parameters(asked): Parameters<OwnerParameters>,
) -> Response {
    let query = OwnerQuery {
        owner: asked.owner.0,
        page: asked.page.0,
        limit: asked.limit.0,
        sort: asked.sort,
        include_inactive: asked.include_inactive,
    };
    let page = api.by_owner(&query);
    json(&TokensOfOwner {
        tokens: rows(&page.tokens, OWNER),
        pagination: Pagination {
            page: query.page,
            limit: query.limit,
            total: page.total,
            total_pages: page.total_pages,
        },
    })
}
