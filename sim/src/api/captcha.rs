//! Captcha tokens: refusals of those that are not accepted.
use super::refusal::Refusal;
use crate::store::CaptchaRefusal;

/// The verifier's error for a token that is expired or used.
const SPENT: &str = "timeout-or-duplicate";
/// The verifier's error for a token that it never issued.
const UNKNOWN: &str = "invalid-input-response";

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
