//! The tokens that one wallet created.
use std::cmp::Ordering;

use alloy::primitives::Address;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::{Page, page_of};
use crate::api::Api;
use crate::state::token::{DAY, Token};

/// Default tokens per page.
pub const DEFAULT_LIMIT: u64 = 20;
/// Most tokens per page.
pub const MAXIMUM_LIMIT: u64 = 100;

/// Orders of an owner's tokens; ties in descending orders are newest first, and ascending orders are their reverse.
///
/// Clause: OWNER-SORT
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum OwnerSort {
    /// Newest first.
    #[default]
    #[serde(rename = "created_at_desc")]
    CreatedDescending,
    /// Oldest first.
    #[serde(rename = "created_at_asc")]
    CreatedAscending,
    /// Highest market capitalization first.
    #[serde(rename = "market_cap_desc")]
    MarketCapDescending,
    /// Lowest market capitalization first.
    #[serde(rename = "market_cap_asc")]
    MarketCapAscending,
    /// Highest funding progress first.
    #[serde(rename = "funding_progress_desc")]
    ProgressDescending,
    /// Highest volume of the last 24 hours first.
    #[serde(rename = "volume_24h_desc")]
    VolumeDescending,
}

/// A query of an owner's tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerQuery {
    /// The creator.
    pub owner: Address,
    /// Page number from 1.
    pub page: u64,
    /// Tokens per page, 1 to [`MAXIMUM_LIMIT`].
    pub limit: u64,
    /// The order.
    pub sort: OwnerSort,
    /// Whether disabled tokens are included.
    pub include_inactive: bool,
}

impl Api {
    /// A page of the owner's tokens; an unknown owner has none.
    ///
    /// Clause: OWNER-PAGE, OWNER-ONLY, OWNER-INACTIVE, OWNER-NOTHING
    #[must_use]
    pub(crate) fn by_owner(&self, query: &OwnerQuery) -> Page {
        let (state, now) = (self.read(), self.now());
        let of_owner = state.tokens().filter(|token| token.launch.creator == query.owner);
        let shown = |token: &&Token| query.include_inactive || !state.is_disabled(token);
        let mut tokens: Vec<_> = of_owner.filter(shown).collect();
        tokens.sort_by(|left, right| query.sort.compare(left, right, now));
        page_of(&state, now, query.page, query.limit, tokens.into_iter())
    }
}

impl OwnerSort {
    fn compare(self, left: &Token, right: &Token, now: u64) -> Ordering {
        let volume = |token: &Token| token.in_ether(token.trades.within(now, DAY).volume);
        let rising = match self {
            Self::CreatedDescending | Self::CreatedAscending => Ordering::Equal,
            Self::MarketCapDescending | Self::MarketCapAscending => {
                left.market_cap_shown().cmp(&right.market_cap_shown())
            }
            Self::ProgressDescending => left.progress().cmp(&right.progress()),
            Self::VolumeDescending => volume(left).cmp(&volume(right)),
        };
        let rising = rising.then(left.birth.cmp(&right.birth));
        match self {
            Self::CreatedAscending | Self::MarketCapAscending => rising,
            _ => rising.reverse(),
        }
    }
}
