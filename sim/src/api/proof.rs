//! Verifies proofs in requests: texts signed by a wallet, and secrets, which are compared in constant time.
use alloy::primitives::{Address, Signature, keccak256};
use subtle::ConstantTimeEq;

/// The format of a signature, as a regular expression.
pub(crate) const PATTERN: &str = "^0x[0-9a-fA-F]{130}$";

/// The reason why a signed text proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ProofError {
    /// The signature is not 65 bytes in hexadecimal digits after `0x`.
    #[error("a signature is 0x and 130 hexadecimal digits")]
    Malformed,
    /// No key can have made this signature.
    #[error("the signature is not that of any wallet")]
    Unrecoverable,
}

/// The wallet that signed a text as wallets do (EIP-191).
pub(crate) fn signer(text: &str, signature: &str) -> Result<Address, ProofError> {
    let digits = signature.strip_prefix("0x").ok_or(ProofError::Malformed)?;
    if digits.len() != 130 {
        return Err(ProofError::Malformed);
    }
    let bytes = alloy::hex::decode(digits).map_err(|_| ProofError::Malformed)?;
    let signature = Signature::from_raw(&bytes).map_err(|_| ProofError::Unrecoverable)?;
    signature.recover_address_from_msg(text).map_err(|_| ProofError::Unrecoverable)
}

/// Whether the given text is the secret; the time depends only on its length.
#[must_use]
pub(crate) fn is_secret(shown: &str, secret: &str) -> bool {
    keccak256(shown).ct_eq(&*keccak256(secret)).into()
}
