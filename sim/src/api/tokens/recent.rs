//! The latest launches of one chain, for discovery, without V1 tokens.
use std::cmp::Reverse;

use super::list::saturated;
use super::view::TokenView;
use crate::api::Api;
use crate::state::token::Version;

/// Default rows.
pub const DEFAULT_LIMIT: u64 = 10;
/// Most rows.
pub const MAXIMUM_LIMIT: u64 = 50;

/// Rows from the newest launch to the oldest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recent {
    /// The rows.
    pub tokens: Vec<TokenView>,
    /// Offset of the next page; `None` after an incomplete page.
    pub next_offset: Option<u64>,
}

impl Api {
    /// `limit` launches of a chain after the `offset` newest ones; disabled ones are left out, as in the list.
    ///
    /// Clause: RECENT-NEXT
    #[must_use]
    pub(crate) fn recent(&self, chain_id: u64, limit: u64, offset: u64) -> Recent {
        let (state, now) = (self.read(), self.now());
        let mut launches: Vec<_> = state
            .tokens()
            .filter(|token| token.launch.version == Version::V2 && token.birth.chain_id == chain_id)
            .filter(|token| !state.is_disabled(token))
            .collect();
        launches.sort_by_key(|token| Reverse(token.birth));
        let shown = launches.into_iter().skip(saturated(offset)).take(saturated(limit));
        let tokens: Vec<_> = shown.map(|token| TokenView::at(&state, token, now)).collect();
        let next_offset = (tokens.len() as u64 == limit).then(|| offset.saturating_add(limit));
        Recent { tokens, next_offset }
    }
}
