//! Issues captcha tokens, and refuses those that are not accepted.
use super::Api;
use super::refusal::Refusal;
use crate::store::CaptchaRefusal;

/// The verifier's error for a token that is expired or used.
const SPENT: &str = "timeout-or-duplicate";
/// The verifier's error for a token that it never issued.
const UNKNOWN: &str = "invalid-input-response";

/// A captcha token, as a person gets it for solving a captcha.
#[derive(Clone, Debug)]
pub(crate) struct CaptchaToken {
    pub(crate) token: String,
    /// Expiry, Unix seconds, exclusive.
    pub(crate) expires_at: u64,
}

impl Api {
    /// Mints a captcha token that is valid for `life` seconds.
    pub(crate) async fn mint_captcha(&self, life: u64) -> Result<CaptchaToken, Refusal> {
        let _stay = self.engine.stay().await;
        let now = self.clock.now();
        let expires_at = now + life;
        let token = self.store.mint_captcha(&self.settings.operator_key, expires_at, now).await?;
        Ok(CaptchaToken { token, expires_at })
    }
}

impl From<CaptchaRefusal> for Refusal {
    fn from(refusal: CaptchaRefusal) -> Self {
        let (cause, details) = match refusal {
            CaptchaRefusal::Unknown => ("captcha-unknown", UNKNOWN),
            CaptchaRefusal::Expired => ("captcha-expired", SPENT),
            CaptchaRefusal::Used => ("captcha-used", SPENT),
        };
        Self::forbidden(cause, format!("the captcha was not accepted: {details}")).with_details(details)
    }
}
