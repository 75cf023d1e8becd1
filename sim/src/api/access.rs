//! Who is asking: bearer tokens that the operator issues, and texts that a wallet signs; anything else is refused.
use alloy::primitives::{Address, keccak256};

use super::proof::{self, ProofError};
use super::refusal::Refusal;
use super::{Api, address};
use crate::fact::Fact;

/// How long a signed text is good for, seconds.
const LIFE: u64 = 300;
/// How far the signer's clock may run ahead, seconds.
const AHEAD: u64 = 60;

/// The wallet that an `Authorization` header speaks for.
///
/// Clause: REF-AUTH, REF-CREDENTIAL
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
    // Tokens are found by their hash, so that the time it takes tells nothing of them.
    let digest = keccak256(token);
    let issued = api.read().bearer(&digest);
    issued.ok_or_else(|| refused("access-bearer", "the bearer token is not valid"))
}

/// Issues a bearer token to a wallet; what is kept of it is its hash.
pub(crate) async fn issue(api: &Api, wallet: Address) -> Result<String, Refusal> {
    let number = api.read().bearer_count();
    let source = format!("{} bearer token {number} {wallet}", api.operator_key);
    let token = alloy::hex::encode(keccak256(source));
    let digest = keccak256(&token);
    api.record(&Fact::Bearer { wallet, digest }, None).await?;
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
    // The address may have been signed as it is sent, or in lower case.
    for shown in [claimed, &format!("{wallet:#x}")] {
        match proof::signer(&access_text(shown, issued), signature) {
            Ok(signer) if signer == wallet => return Ok(wallet),
            Err(ProofError::Malformed) => return Err(malformed()),
            Ok(_) | Err(ProofError::Unrecoverable) => {}
        }
    }
    Err(refused("access-wallet-signature", "the signature is not of that wallet over the access text"))
}

/// The text that a wallet signs.
fn access_text(address: &str, issued_at: &str) -> String {
    format!("Launch platform access\nAddress: {address}\nIssued-At: {issued_at}")
}

fn refused(cause: &'static str, message: &'static str) -> Refusal {
    Refusal::new(401, cause, message)
}

#[cfg(test)]
mod tests {
    use alloy::signers::SignerSync;
    use alloy::signers::local::PrivateKeySigner;

    use super::{access_text, issue, signed, wallet};
    use crate::api::Api;
    use crate::state::State;

    const NOW: u64 = 1_800_000_000;

    fn credential(signer: &PrivateKeySigner, shown: &str, issued: u64) -> String {
        let text = access_text(shown, &issued.to_string());
        let signature = signer.sign_message_sync(text.as_bytes()).unwrap();
        format!("{}:{issued}:0x{}", signer.address(), alloy::hex::encode(signature.as_bytes()))
    }

    #[test]
    fn signature_is_valid_for_five_minutes_and_one_wallet() {
        let signer = PrivateKeySigner::from_slice(&[7; 32]).unwrap();
        let other = PrivateKeySigner::from_slice(&[8; 32]).unwrap();
        let (shown, lower) = (signer.address().to_string(), format!("{:#x}", signer.address()));
        for (issued, refused) in [
            (NOW, None),
            (NOW - 300, None),
            (NOW - 301, Some("access-wallet-time")),
            (NOW + 60, None),
            (NOW + 61, Some("access-wallet-time")),
        ] {
            for shown in [&shown, &lower] {
                let result = signed(&credential(&signer, shown, issued), NOW);
                assert_eq!(result.err().map(|refusal| refusal.cause), refused, "{issued}");
            }
        }
        let stolen = credential(&other, &shown, NOW).replace(&other.address().to_string(), &shown);
        let good = credential(&signer, &shown, NOW);
        let cases = [
            (stolen.as_str(), "access-wallet-signature"),
            (&good.replace(&NOW.to_string(), "1800000001"), "access-wallet-signature"),
            (&good[1..], "access-wallet-form"),
            (&good[..good.len() - 2], "access-wallet-form"),
            (&format!("{good}:"), "access-wallet-form"),
            (&good.replace(&NOW.to_string(), "-1"), "access-wallet-form"),
            (&good.replace(&NOW.to_string(), "99999999999999999999"), "access-wallet-form"),
            ("", "access-wallet-form"),
        ];
        for (credential, cause) in cases {
            let refusal = signed(credential, NOW).unwrap_err();
            assert_eq!((refusal.status, refusal.cause), (401, cause), "{credential}");
        }
    }

    #[tokio::test]
    async fn a_bearer_token_is_its_wallets() {
        let api = Api::for_test(State::default(), NOW).await;
        let [one, two] = [[1; 20], [2; 20]].map(Into::into);
        let tokens = [
            issue(&api, one).await.unwrap(),
            issue(&api, two).await.unwrap(),
            issue(&api, one).await.unwrap(),
        ];
        let speaks_for = |header: &str| wallet(&api, Some(header.as_bytes()));
        for (token, expected) in tokens.iter().zip([one, two, one]) {
            assert_eq!(speaks_for(&format!("Bearer {token}")), Ok(expected));
            assert_eq!(speaks_for(&format!("bearer  {token} ")), Ok(expected));
        }
        for (header, cause) in [
            (format!("Bearer {}", &tokens[0][1..]), "access-bearer"),
            ("Bearer".to_owned(), "access-bearer"),
            (format!("Bearer {} x", tokens[0]), "access-bearer"),
            (format!("Basic {}", tokens[0]), "access-scheme"),
            (tokens[0].clone(), "access-scheme"),
        ] {
            assert_eq!(speaks_for(&header).unwrap_err().cause, cause, "{header}");
        }
        assert_eq!(wallet(&api, None).unwrap_err().cause, "access-missing");
        assert_eq!(wallet(&api, Some(&[0xff])).unwrap_err().cause, "access-scheme");
    }
}
