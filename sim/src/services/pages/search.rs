//! `/search`: redirects to the page of a token, an account, a transaction or a block, otherwise to the list with this search.
use std::sync::Arc;

use alloy::eips::BlockId;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Redirect;

use super::layout::{account_path, token_path, with};
use super::{Pages, Problem, block, sent};
use crate::address as addresses;
use crate::api::refusal::Refusal;

pub(super) async fn get(State(pages): State<Arc<Pages>>, uri: Uri) -> Result<Redirect, Problem> {
    let path = found(&pages, sent(&uri, "q").trim()).await?;
    Ok(Redirect::to(&path))
}

async fn found(pages: &Pages, text: &str) -> Result<String, Refusal> {
    let listed = || with(&Uri::from_static("/"), "search", text);
    if let Some(address) = addresses::parse(text) {
        let mut chains = pages.api.chain_ids();
        chains.retain(|&chain_id| pages.api.market(chain_id, address).is_some());
        return Ok(match chains[..] {
            [] => account_path(address),
            [chain_id] => token_path(address, chain_id),
            // The list shows both.
            _ => listed(),
        });
    }
    // Page heads show block numbers with commas.
    let named = text.strip_prefix('#').unwrap_or(text).replace(',', "");
    let Some(named_block) = block::named(&named) else { return Ok(listed()) };
    let is_block = !pages.api.chains_with(named_block).await?.is_empty();
    Ok(match named_block {
        BlockId::Number(number) if is_block => format!("/block/{}", number.as_number().unwrap_or_default()),
        BlockId::Number(_) => listed(),
        BlockId::Hash(_) => format!("/{}/{named}", if is_block { "block" } else { "tx" }),
    })
}
