//! Several tokens by address at once; unknown addresses are listed, not refused.
use std::collections::HashSet;

use alloy::primitives::Address;

use super::view::TokenView;
use crate::address;
use crate::api::Api;

/// Most addresses per request.
pub const MAXIMUM: usize = 50;

/// The tokens found, and the addresses without a token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Tokens in the order of their first occurrence in the request.
    pub found: Vec<TokenView>,
    /// Unknown and malformed addresses, exactly as first sent.
    pub not_found: Vec<String>,
}

impl Api {
    /// Looks up each address once, however often and in whatever letter case it occurs.
    ///
    /// Clause: BATCH-FOUND, BATCH-INVALID
    #[must_use]
    pub(crate) fn batch(&self, addresses: &[String]) -> Batch {
        let (state, now) = (self.read(), self.now());
        let mut asked: HashSet<Address> = HashSet::new();
        let mut malformed: HashSet<&str> = HashSet::new();
        let mut answer = Batch::default();
        for text in addresses {
            let Some(address) = address::parse(text) else {
                if malformed.insert(text) {
                    answer.not_found.push(text.clone());
                }
                continue;
            };
            if !asked.insert(address) {
                continue;
            }
            match state.token(address) {
                Some(token) => answer.found.push(TokenView::at(&state, token, now)),
                None => answer.not_found.push(text.clone()),
            }
        }
        answer
    }
}
