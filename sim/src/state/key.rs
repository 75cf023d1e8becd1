//! Keys of maps as bytes of one length, which are hashed several times as fast as tuples of numbers and addresses.
use alloy::primitives::{Address, B256, FixedBytes};

/// A contract of a chain.
pub(super) type ContractKey = FixedBytes<28>;
/// A pool of a chain.
pub(super) type PoolKey = FixedBytes<40>;

pub(super) fn contract_key(chain_id: u64, contract: Address) -> ContractKey {
    contract.concat_const::<8, 28>(chain_id.to_be_bytes().into())
}

pub(super) fn pool_key(chain_id: u64, pool: B256) -> PoolKey {
    pool.concat_const::<8, 40>(chain_id.to_be_bytes().into())
}
