//! Signing accounts: those that the caller lends, and fresh ones that a check creates.
use alloy::consensus::{SignableTransaction, TxEip1559, TxEnvelope};
use alloy::eips::eip2718::Encodable2718;
use alloy::primitives::{Address, B256, Bytes};
use alloy::signers::SignerSync;
use alloy::signers::local::PrivateKeySigner;

use crate::model::seed::Choices;
use crate::model::target::PrivateKey;
use crate::model::verdict::Inconclusive;

/// A key and its address; its `Debug` output shows the address only.
#[derive(Clone)]
pub struct Account {
    signer: PrivateKeySigner,
}

impl Account {
    /// Opens an account that the caller lends.
    pub fn lent(key: &PrivateKey) -> Result<Self, Inconclusive> {
        key.expose()
            .trim()
            .trim_start_matches("0x")
            .parse()
            .map(|signer| Self { signer })
            .map_err(|_| Inconclusive::Harness { reason: "a private key that was given is not one".into() })
    }

    /// Creates an account of a check, without funds.
    pub fn fresh(choices: &mut Choices) -> Self {
        loop {
            if let Ok(signer) = PrivateKeySigner::from_bytes(&choices.word()) {
                return Self { signer };
            }
        }
    }

    /// Returns the address.
    pub fn address(&self) -> Address {
        self.signer.address()
    }

    /// Returns the key as 64 hexadecimal digits, for a tool server to read.
    pub fn key(&self) -> PrivateKey {
        PrivateKey::new(alloy::hex::encode(self.signer.to_bytes()))
    }

    /// Signs a text as wallets do (EIP-191).
    pub fn sign_text(&self, text: &str) -> Result<Bytes, Inconclusive> {
        let signature = self.signer.sign_message_sync(text.as_bytes());
        signature.map(|signature| signature.as_bytes().into()).map_err(failed)
    }

    pub(crate) fn sign_digest(&self, digest: &B256) -> Result<Bytes, Inconclusive> {
        let signature = self.signer.sign_hash_sync(digest);
        signature.map(|signature| signature.as_bytes().into()).map_err(failed)
    }

    /// Signs a transaction; the result is the raw transaction for a node.
    pub fn sign(&self, transaction: TxEip1559) -> Result<Bytes, Inconclusive> {
        let signature = self.signer.sign_hash_sync(&transaction.signature_hash()).map_err(failed)?;
        let envelope = TxEnvelope::from(transaction.into_signed(signature));
        Ok(envelope.encoded_2718().into())
    }
}

fn failed(error: alloy::signers::Error) -> Inconclusive {
    Inconclusive::Harness { reason: format!("could not sign: {error}") }
}

impl std::fmt::Debug for Account {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Account({})", self.address())
    }
}
