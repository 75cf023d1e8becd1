//! The accounts of the market and their signed transactions: explicit gas, fees and nonces, so that hashes are reproducible.
use alloy::consensus::TxEip1559;
use alloy::primitives::{Address, Bytes, TxKind, U256};
use alloy::signers::local::PrivateKeySigner;

use super::plan::{CREATORS, TRADERS};
use crate::account::{Role, signed, signer};

/// Far above the gas price of any block of the market.
const MAX_FEE: u128 = 20_000_000_000;
/// The first transaction of a block pays this tip and each next one a wei less: the node orders by fee.
const FIRST_TIP: u128 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Account {
    Creator(usize),
    Trader(usize),
    Maker,
    /// The platform's owner, who closes V1 and issues the tokenised stocks.
    Owner,
}

/// A call that is not signed yet.
#[derive(Clone, Debug)]
pub(crate) struct PlannedCall {
    pub(crate) actor: Account,
    pub(crate) to: TxKind,
    pub(crate) value: U256,
    pub(crate) input: Bytes,
    pub(crate) gas: u64,
}

#[derive(Debug)]
pub(crate) struct Accounts {
    chain_id: u64,
    members: Vec<(PrivateKeySigner, u64)>,
}

impl Accounts {
    /// Derives the accounts; none has sent a transaction yet.
    pub(crate) fn new(seed: u64, chain_id: u64) -> Self {
        let creators = (0..CREATORS).map(|number| signer(seed, Role::Creator, number));
        let traders = (0..TRADERS).map(|number| signer(seed, Role::Trader, number));
        let maker = signer(seed, Role::Maker, 0);
        let members = creators
            .chain(traders)
            .chain([maker, slipway_contracts::deploy::Role::Owner.signer()])
            .map(|signer| (signer, 0))
            .collect();
        Self { chain_id, members }
    }

    /// Every address that needs funding.
    pub(crate) fn addresses(&self) -> Vec<Address> {
        self.members.iter().map(|(signer, _)| signer.address()).collect()
    }

    pub(crate) fn address(&self, actor: Account) -> Address {
        self.members[Self::index(actor)].0.address()
    }

    /// The contract that an actor would create with its n-th transaction from now.
    pub(crate) fn next_contract(&self, actor: Account, after: u64) -> Address {
        let (signer, nonce) = &self.members[Self::index(actor)];
        signer.address().create(nonce + after)
    }

    pub(crate) fn sign(&mut self, calls: &[PlannedCall]) -> Vec<Bytes> {
        let tips = (0..=FIRST_TIP).rev();
        calls.iter().zip(tips).map(|(call, tip)| self.sign_one(call, tip)).collect()
    }

    fn sign_one(&mut self, call: &PlannedCall, tip: u128) -> Bytes {
        let (signer, nonce) = &mut self.members[Self::index(call.actor)];
        let transaction = TxEip1559 {
            chain_id: self.chain_id,
            nonce: *nonce,
            gas_limit: call.gas,
            max_fee_per_gas: MAX_FEE,
            max_priority_fee_per_gas: tip,
            to: call.to,
            value: call.value,
            input: call.input.clone(),
            access_list: Default::default(),
        };
        *nonce += 1;
        signed(transaction, signer)
    }

    fn index(actor: Account) -> usize {
        match actor {
            Account::Creator(number) => number,
            Account::Trader(number) => CREATORS + number,
            Account::Maker => CREATORS + TRADERS,
            Account::Owner => CREATORS + TRADERS + 1,
        }
    }
}
