//! Credentials that callers send in a header: the operator's and the token of the control plane.

/// Longest credential, in bytes.
const LONGEST_CREDENTIAL: usize = 256;

/// Whether a text can be a credential in a header: visible ASCII characters, which RFC 9110, section 5.5, lets every program send.
#[must_use]
pub fn is_credential(text: &str) -> bool {
    (1..=LONGEST_CREDENTIAL).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::is_credential;

    #[test]
    fn credentials_are_visible_ascii() {
        for good in ["a", "a-Z_0~!\"", &"k".repeat(256)] {
            assert!(is_credential(good), "{good}");
        }
        for bad in ["", " ", "a b", "a\n", "\ta", "\u{7f}", "é", &"k".repeat(257)] {
            assert!(!is_credential(bad), "{bad:?}");
        }
    }
}
