//! The accounts of the market and their signed transactions: gas, fees and nonces are explicit, so that hashes are reproducible.
use std::collections::BTreeMap;

use alloy::consensus::TxEip1559;
use alloy::primitives::{Address, Bytes, TxKind, U256, keccak256};
use alloy::signers::local::PrivateKeySigner;

use super::plan::{CREATORS, TRADERS};
use crate::account::{self, Role, signed, signer};

/// Far above the gas price of any block of the market.
const MAX_FEE: u128 = 20_000_000_000;
/// The tip of a block's first transaction; each later one pays a wei less, since the node orders by fee.
const FIRST_TIP: u128 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Account {
    Creator(usize),
    Trader(usize),
    Maker,
    /// The platform's owner, who closes V1 and issues the tokenised stocks.
    Owner,
    /// An account that a market file names, by its place in the [`Roster`].
    Named(usize),
}

/// The reason why a name has no account.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NameError {
    #[error("a name of an account has 1 to {LONGEST_NAME} bytes")]
    Length,
    #[error("there is no account {name:?}; there are {prefix}-0 to {prefix}-{last}")]
    Number { name: String, prefix: &'static str, last: usize },
}

/// Maximum length of an account's name, in bytes.
const LONGEST_NAME: usize = 64;

/// The accounts named in a market file other than creators and traders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Roster {
    users: BTreeMap<String, u8>,
    places: BTreeMap<Owner, usize>,
}

/// The owner of an account's key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    User(u8),
    Name(String),
}

impl Roster {
    pub(super) fn new(users: &BTreeMap<String, u8>) -> Self {
        Self { users: users.clone(), places: BTreeMap::new() }
    }

    /// The account with a name; a new name gets a new account.
    pub(super) fn account(&mut self, name: &str) -> Result<Account, NameError> {
        if name.is_empty() || name.len() > LONGEST_NAME {
            return Err(NameError::Length);
        }
        if let Some(&user) = self.users.get(name) {
            return Ok(self.place(Owner::User(user)));
        }
        let groups = [("creator", CREATORS), ("trader", TRADERS)];
        for (prefix, count) in groups {
            let number = name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('-'));
            let Some(number) = number.and_then(|number| number.parse::<usize>().ok()) else { continue };
            return match number {
                known if known < count && prefix == "creator" => Ok(Account::Creator(known)),
                known if known < count => Ok(Account::Trader(known)),
                _ => Err(NameError::Number { name: name.to_owned(), prefix, last: count - 1 }),
            };
        }
        Ok(self.place(Owner::Name(name.to_owned())))
    }

    fn place(&mut self, owner: Owner) -> Account {
        let next = self.places.len();
        Account::Named(*self.places.entry(owner).or_insert(next))
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    fn signers(&self, seed: u64) -> Vec<PrivateKeySigner> {
        let mut placed: Vec<_> = self.places.iter().collect();
        placed.sort_by_key(|(_, place)| **place);
        let signer = |owner: &Owner| match owner {
            Owner::User(number) => signer(seed, Role::User, usize::from(*number)),
            Owner::Name(name) => {
                let key = keccak256(format!("slipway account {seed} named {name}"));
                PrivateKeySigner::from_bytes(&key).expect("a hash is a valid key but for one in 2^128")
            }
        };
        placed.into_iter().map(|(owner, _)| signer(owner)).collect()
    }
}

/// An unsigned call.
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
    named: usize,
}

impl Accounts {
    /// Derives the accounts; none has sent a transaction yet.
    pub(crate) fn new(seed: u64, chain_id: u64, roster: &Roster) -> Self {
        let creators = (0..CREATORS).map(|number| signer(seed, Role::Creator, number));
        let traders = (0..TRADERS).map(|number| signer(seed, Role::Trader, number));
        let maker = signer(seed, Role::Maker, 0);
        let members = creators
            .chain(traders)
            .chain([maker, slipway_contracts::deploy::Role::Owner.signer()])
            .chain(roster.signers(seed))
            .map(|signer| (signer, 0))
            .collect();
        Self { chain_id, members, named: roster.len() }
    }

    /// Number of accounts that a file names.
    pub(crate) fn named(&self) -> usize {
        self.named
    }

    /// Every address that needs funding.
    pub(crate) fn addresses(&self) -> Vec<Address> {
        self.members.iter().map(|(signer, _)| signer.address()).collect()
    }

    pub(crate) fn address(&self, actor: Account) -> Address {
        self.members[Self::index(actor)].0.address()
    }

    /// An actor's account with its key.
    pub(crate) fn keyed(&self, actor: Account) -> account::Account {
        account::Account::from(&self.members[Self::index(actor)].0)
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

    /// The index of an actor among all of them.
    pub(crate) fn index(actor: Account) -> usize {
        match actor {
            Account::Creator(number) => number,
            Account::Trader(number) => CREATORS + number,
            Account::Maker => CREATORS + TRADERS,
            Account::Owner => CREATORS + TRADERS + 1,
            Account::Named(place) => CREATORS + TRADERS + 2 + place,
        }
    }
}
