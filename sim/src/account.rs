//! Accounts with keys derived from the seed: those given to users, and the actors of the seeded market.
use alloy::consensus::{SignableTransaction as _, TxEip1559, TxEnvelope};
use alloy::eips::eip2718::Encodable2718 as _;
use alloy::network::TxSignerSync as _;
use alloy::primitives::{Address, B256, Bytes, keccak256};
use alloy::signers::local::PrivateKeySigner;

use crate::address;

/// Number of accounts given to users.
pub(crate) const USERS: usize = 10;

/// An account with its key.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// The account's address.
    #[serde(serialize_with = "address::checksummed")]
    pub address: Address,
    /// The account's private key; it holds test money only.
    pub private_key: B256,
}

impl Account {
    /// The first account that a platform with this seed gives to users; it can be computed before the platform starts.
    #[must_use]
    pub fn first_of(seed: u64) -> Self {
        Self::from(&signer(seed, Role::User, 0))
    }
}

impl From<&PrivateKeySigner> for Account {
    fn from(signer: &PrivateKeySigner) -> Self {
        Self { address: signer.address(), private_key: signer.to_bytes() }
    }
}

/// The role of an account; an account has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// Given to users: funded, never used by the platform itself.
    User,
    /// Creates launches in the seeded market.
    Creator,
    /// Trades in the seeded market.
    Trader,
    /// Creates the exchange's tokens and pairs.
    Maker,
}

impl Role {
    fn label(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Creator => "creator",
            Self::Trader => "trader",
            Self::Maker => "maker",
        }
    }
}

pub(crate) fn signer(seed: u64, role: Role, number: usize) -> PrivateKeySigner {
    let key = keccak256(format!("slipway account {seed} {} {number}", role.label()));
    PrivateKeySigner::from_bytes(&key).expect("a hash is a valid key but for one in 2^128")
}

/// A transaction signed by an account, in the encoding that a node accepts.
pub(crate) fn signed(mut transaction: TxEip1559, signer: &PrivateKeySigner) -> Bytes {
    let signature =
        signer.sign_transaction_sync(&mut transaction).expect("a local key signs any transaction");
    TxEnvelope::from(transaction.into_signed(signature)).encoded_2718().into()
}

pub(crate) fn users(seed: u64, count: usize) -> Vec<Account> {
    (0..count).map(|number| Account::from(&signer(seed, Role::User, number))).collect()
}

/// The referral code of an account: eight base-32 letters of its address.
pub(crate) fn referral_code(address: Address) -> String {
    const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits = address[..5].iter().fold(0_u64, |bits, &byte| bits << 8 | u64::from(byte));
    let letter =
        |place: u32| char::from(LETTERS[usize::try_from(bits >> (35 - 5 * place) & 31).unwrap_or(0)]);
    (0..8).fold("REF-".to_owned(), |mut code, place| {
        code.push(letter(place));
        code
    })
}

#[cfg(test)]
mod tests {
    use super::{Account, Role, referral_code, signer, users};
    use alloy::primitives::address;

    #[test]
    fn referral_code_is_base32_of_five_bytes() {
        assert_eq!(referral_code(address!("0000000000000000000000000000000000000000")), "REF-AAAAAAAA");
        assert_eq!(referral_code(address!("ffffffffff000000000000000000000000000000")), "REF-77777777");
        assert_eq!(referral_code(address!("0001020304000000000000000000000000000000")), "REF-AAAQEAYE");
    }

    #[test]
    fn seed_role_and_number_each_decide() {
        let first = signer(1, Role::User, 0).address();
        assert_eq!(first, signer(1, Role::User, 0).address());
        for other in [signer(2, Role::User, 0), signer(1, Role::Trader, 0), signer(1, Role::User, 1)] {
            assert_ne!(first, other.address());
        }
        assert_eq!(users(1, 3)[0].address, first);
        assert_eq!(users(7, 1)[0], Account::first_of(7));
    }
}
