//! Proofs that a caller shows: texts that a wallet has signed, and secrets compared without telling where they differ.
use alloy::primitives::{Address, Signature, keccak256};
use subtle::ConstantTimeEq;

/// What a signature looks like, as a regular expression.
pub const PATTERN: &str = "^0x[0-9a-fA-F]{130}$";

/// Why a signed text proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// The signature is not 65 bytes in hexadecimal digits after `0x`.
    #[error("a signature is 0x and 130 hexadecimal digits")]
    Malformed,
    /// No key can have made it.
    #[error("the signature is not that of any wallet")]
    Unrecoverable,
}

/// The wallet that signed a text as wallets do (EIP-191).
pub fn signer(text: &str, signature: &str) -> Result<Address, ProofError> {
    let digits = signature.strip_prefix("0x").ok_or(ProofError::Malformed)?;
    if digits.len() != 130 {
        return Err(ProofError::Malformed);
    }
    let bytes = alloy::hex::decode(digits).map_err(|_| ProofError::Malformed)?;
    let signature = Signature::from_raw(&bytes).map_err(|_| ProofError::Unrecoverable)?;
    signature.recover_address_from_msg(text).map_err(|_| ProofError::Unrecoverable)
}

/// Whether what a caller shows is the secret; takes as long for any text of its length.
#[must_use]
pub fn is_secret(shown: &str, secret: &str) -> bool {
    keccak256(shown).ct_eq(&*keccak256(secret)).into()
}
