//! The second source: launches, trades, holders, auction, referrals and pairs, folded from raw logs and contract calls of the chains. Uses
//! no answer of the service but the addresses of its contracts, which are checked against the chain.
pub(crate) mod deployments;
pub(crate) mod exchange;
pub(crate) mod fold;
pub(crate) mod launch;
pub(crate) mod read;

use std::collections::BTreeMap;
use std::sync::Arc;

use alloy::eips::BlockNumHash;
use alloy::primitives::{Address, B256};

use crate::model::target::CHAINS;
pub(crate) use launch::{Deployment, Launch, Side};

/// Folded deployments, each with the hash of the block up to which it was folded.
pub(crate) type FoldedAt = Vec<(B256, Deployment, Vec<Arc<Launch>>)>;

/// Both chains at one named block each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    /// The block up to which each chain was read.
    pub(crate) heads: BTreeMap<u64, BlockNumHash>,
    /// Every launch, by chain and token.
    pub(crate) launches: BTreeMap<(u64, Address), Arc<Launch>>,
    /// Descriptions of what could not be read.
    pub(crate) unread: Vec<String>,
    /// How many of these no request can change, because the chain has no RPC.
    pub(crate) out_of_scope: usize,
    /// Contracts of another ABI, whose tokens are not judged, with their chains.
    pub(crate) foreign: Vec<(u64, Address)>,
}

impl Ledger {
    /// Whether every launch of the chains is known.
    pub(crate) fn is_whole(&self) -> bool {
        self.unread.is_empty() && self.foreign.is_empty()
    }

    /// Returns a launch by its token, the primary chain's if both chains have one.
    pub(crate) fn token(&self, token: Address) -> Option<&Launch> {
        CHAINS.into_iter().find_map(|chain| self.launches.get(&(chain, token))).map(Arc::as_ref)
    }
}
