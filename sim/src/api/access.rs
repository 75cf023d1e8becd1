//! Authentication of callers: bearer tokens that the operator issues, and texts that a wallet signs; anything else is refused.
use alloy::primitives::{Address, keccak256};

use super::Api;
use super::proof::{self, ProofError};
use super::refusal::Refusal;
use crate::address;
use crate::fact::Fact;

/// Validity of a signed text, seconds.
const LIFE: u64 = 300;
/// Maximum lead of the signer's clock, seconds.
const AHEAD: u64 = 60;

/// The wallet that an `Authorization` header authenticates.
///
/// Clause: REF-AUTH, REF-CREDENTIAL, REF-SCHEME
pub(crate) fn wallet(api: &Api, header: Option<&[u8]>) -> Result<Address, Refusal> {
    let header = header.ok_or_else(|| refused("access-missing", "an Authorization header is required"))?;
    let text = std::str::from_utf8(header)
        .map_err(|_| refused("access-scheme", "the Authorization header is not text"))?;
    let (scheme, credential) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let credential = credential.trim_start();
    if scheme.eq_ignore_ascii_case("bearer") {
        bearer(api, credential)
    } else if scheme.eq_ignore_ascii_case("wallet") {
        signed(credential, api.clock.now())
    } else {
        Err(refused(
            "access-scheme",
            "Authorization must be Bearer <token> or Wallet <address>:<unix seconds>:<signature>",
        ))
    }
}

fn bearer(api: &Api, token: &str) -> Result<Address, Refusal> {
    // Tokens are looked up by hash, so that the time of the look-up reveals nothing about them.
    let digest = keccak256(token);
    let issued = api.read().bearer(&digest);
    issued.ok_or_else(|| refused("access-bearer", "the bearer token is not valid"))
}

/// Issues a bearer token to a wallet and stores only its hash.
pub(crate) async fn issue(api: &Api, wallet: Address) -> Result<String, Refusal> {
    let stay = api.engine.stay().await;
    let number = api.read().bearer_count();
    let source = format!("{} bearer token {number} {wallet}", api.settings.operator_key);
    let token = alloy::hex::encode(keccak256(source));
    let digest = keccak256(&token);
    api.record(&stay, &Fact::Bearer { wallet, digest }, None).await?;
    Ok(token)
}

/// The wallet of `<address>:<unix seconds>:<signature>`.
fn signed(credential: &str, now: u64) -> Result<Address, Refusal> {
    let malformed = || {
        refused("access-wallet-form", "the wallet credential must be <address>:<unix seconds>:<signature>")
    };
    let mut parts = credential.split(':');
    let (Some(claimed), Some(issued), Some(signature), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(malformed());
    };
    let wallet = address::parse(claimed).ok_or_else(malformed)?;
    let digits = issued.len() <= 15 && issued.bytes().all(|byte| byte.is_ascii_digit());
    let issued_at: u64 = issued.parse().ok().filter(|_| digits).ok_or_else(malformed)?;
    if now > issued_at.saturating_add(LIFE) || issued_at > now.saturating_add(AHEAD) {
        return Err(refused(
            "access-wallet-time",
            "the signed text is older than five minutes or from the future",
        ));
    }
    // The wallet may have signed the address as it was sent, or in lower case.
    for shown in [claimed, &format!("{wallet:#x}")] {
        match proof::signer(&signed_text(shown, issued), signature) {
            Ok(signer) if signer == wallet => return Ok(wallet),
            Err(ProofError::Malformed) => return Err(malformed()),
            Ok(_) | Err(ProofError::Unrecoverable) => {}
        }
    }
    Err(refused("access-wallet-signature", "the signature is not of that wallet over the access text"))
}

/// The text that a wallet signs.
pub(crate) fn signed_text(address: &str, issued_at: &str) -> String {
    format!("Launch platform access\nAddress: {address}\nIssued-At: {issued_at}")
}

fn refused(cause: &'static str, message: &'static str) -> Refusal {
    Refusal::unauthenticated(cause, message)
}

#[cfg(test)]
mod tests {
    use alloy::signers::SignerSync;
    use alloy::signers::local::PrivateKeySigner;

    use super::{signed, signed_text};

    const NOW: u64 = 1_800_000_000;

    #[test]
    fn signature_is_valid_for_five_minutes_and_a_minute_ahead() {
        let signer = PrivateKeySigner::from_slice(&[7; 32]).unwrap();
        for (issued, is_valid) in
            [(NOW, true), (NOW - 300, true), (NOW - 301, false), (NOW + 60, true), (NOW + 61, false)]
        {
            let text = signed_text(&signer.address().to_string(), &issued.to_string());
            let signature = signer.sign_message_sync(text.as_bytes()).unwrap();
            let credential = format!("{}:{issued}:{signature}", signer.address());
            assert_eq!(signed(&credential, NOW).is_ok(), is_valid, "{issued}");
        }
    }
}
