//! The second source: what launches, trades, holders, auction, referrals and pairs are, folded from raw logs and contract calls of
//! the chains. Leaves out every answer of the service but the addresses of its contracts, which are held against the chain.
pub(crate) mod deployments;
pub(crate) mod exchange;
pub(crate) mod fold;
pub(crate) mod launch;
mod read;

use std::collections::BTreeMap;

use alloy::primitives::{Address, B256, U256};

pub(crate) use launch::{Launch, Side};

/// Deployments that were folded, each with the hash of the block up to which it was.
pub(crate) type FoldedAt = Vec<(B256, deployments::Deployment, fold::Folded)>;

/// Where a log stands on its chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) block: u64,
    /// Its place among the logs of the block.
    pub(crate) index: u64,
    /// Unix seconds of the block.
    pub(crate) time: u64,
    pub(crate) transaction: B256,
}

/// A referral code that a call named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Referral {
    pub(crate) at: Position,
    pub(crate) hook: Address,
    pub(crate) launch: U256,
    pub(crate) trader: Address,
    pub(crate) code: String,
}

/// What both chains say at one named block each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    /// The block of each chain up to which it was read.
    pub(crate) heads: BTreeMap<u64, Head>,
    /// Every launch, by chain and token.
    pub(crate) launches: BTreeMap<(u64, Address), Launch>,
    /// Every referral code that was named, in the order of its chain.
    pub(crate) referrals: Vec<(u64, Referral)>,
    /// What could not be read, in words.
    pub(crate) unread: Vec<String>,
    /// How many of these no request can change: chains without an RPC, contracts of another ABI.
    pub(crate) out_of_scope: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) number: u64,
    pub(crate) hash: B256,
    pub(crate) time: u64,
}

impl Ledger {
    /// A launch by its token, of the primary chain where both have one.
    pub(crate) fn token(&self, token: Address) -> Option<&Launch> {
        let mut chains: Vec<u64> = self.heads.keys().copied().collect();
        chains.sort_by_key(|id| *id != crate::world::PRIMARY);
        chains.into_iter().find_map(|chain| self.launches.get(&(chain, token)))
    }
}
