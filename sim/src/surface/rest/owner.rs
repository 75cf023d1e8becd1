//! `GET /api/tokens/by-owner`: the tokens that one wallet created.
use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde::Serialize;

use super::row::{OWNER, Row, rows};
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::api::tokens::owner::{DEFAULT_LIMIT, MAXIMUM_LIMIT, OwnerQuery, OwnerSort, by_owner};
use crate::surface::http::json;
use crate::surface::parameters::{Field, Parameters, boolean, whole_within};

const OWNER_FIELD: Field = Field {
    name: "owner",
    cause: "owner-owner",
    rule: "must be an address: 0x and 40 hexadecimal digits",
};
const PAGE: Field = Field {
    name: "page",
    cause: "owner-page",
    rule: "must be a whole number from 1",
};
const LIMIT: Field = Field {
    name: "limit",
    cause: "owner-limit",
    rule: "must be a whole number from 1 to 100",
};
const SORT: Field = Field {
    name: "sort",
    cause: "owner-sort",
    rule: "must be created_at_desc, created_at_asc, market_cap_desc, market_cap_asc, funding_progress_desc or \
           volume_24h_desc",
};
const INACTIVE: Field = Field {
    name: "includeInactive",
    cause: "owner-inactive",
    rule: "must be true or false",
};

#[derive(Serialize)]
struct Answer<'a> {
    tokens: Vec<Row<'a>>,
    pagination: Pagination,
}

#[derive(Serialize)]
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
        owner: parameters.require_address(OWNER_FIELD)?,
        page: parameters.read(PAGE, whole_within(1, u64::MAX))?.unwrap_or(1),
        limit: parameters
            .read(LIMIT, whole_within(1, MAXIMUM_LIMIT))?
            .unwrap_or(DEFAULT_LIMIT),
        sort: parameters.read(SORT, sort)?.unwrap_or_default(),
        include_inactive: parameters.read(INACTIVE, boolean)?.unwrap_or(false),
    })
}

fn sort(text: &str) -> Option<OwnerSort> {
    Some(match text {
        "created_at_desc" => OwnerSort::CreatedDescending,
        "created_at_asc" => OwnerSort::CreatedAscending,
        "market_cap_desc" => OwnerSort::MarketCapDescending,
        "market_cap_asc" => OwnerSort::MarketCapAscending,
        "funding_progress_desc" => OwnerSort::ProgressDescending,
        "volume_24h_desc" => OwnerSort::VolumeDescending,
        _ => return None,
    })
}
