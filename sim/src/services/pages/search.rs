//! `/search`: what the search of every page means: the page of a token or a transaction, else the list with this search.
use std::sync::Arc;

use alloy::primitives::B256;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Redirect;

use super::layout::{token_path, with};
use super::{Pages, sent};
use crate::address as addresses;

pub(super) async fn get(State(pages): State<Arc<Pages>>, uri: Uri) -> Redirect {
    Redirect::to(&found(&pages, sent(&uri, "q").trim()))
}

fn found(pages: &Pages, text: &str) -> String {
    if let Some(address) = addresses::parse(text)
        && let Some(token) = pages.api.read().token(address)
    {
        return token_path(address, token.birth.chain_id);
    }
    match text.parse::<B256>() {
        Ok(hash) if text.starts_with("0x") => format!("/tx/{hash}"),
        _ => with(&Uri::from_static("/"), "search", text),
    }
}
