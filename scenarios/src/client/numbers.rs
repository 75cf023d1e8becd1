//! Whole numbers in JSON, which may be written with a fraction or an exponent: checks read the digits.

/// The same JSON with its whole numbers in digits; nothing where they are so already, or where the bytes are no JSON.
pub(super) fn plain(bytes: &[u8]) -> Option<Vec<u8>> {
    respelled(bytes).filter(|_| serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok())
}

fn respelled(json: &[u8]) -> Option<Vec<u8>> {
    let mut written = Vec::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => at = after_string(json, at),
            b'-' | b'0'..=b'9' => {
                let end =
                    json[at..].iter().position(|byte| !is_of_number(*byte)).map_or(json.len(), |n| at + n);
                if let Some(digits) = digits(&json[at..end]) {
                    written.extend_from_slice(&json[copied..at]);
                    written.extend_from_slice(digits.as_bytes());
                    copied = end;
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    (copied > 0).then(|| {
        written.extend_from_slice(&json[copied..]);
        written
    })
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Where a string that begins here ends.
fn after_string(json: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = json.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    json.len()
}

/// The digits of a whole number with a fraction or an exponent.
fn digits(token: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(token).ok()?;
    if !text.contains(['e', 'E']) {
        let (whole, fraction) = text.split_once('.')?;
        return fraction.bytes().all(|digit| digit == b'0').then(|| whole.to_owned());
    }
    let number: f64 = text.parse().ok()?;
    // Beyond, not every whole number has its own spelling.
    let is_whole = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
    is_whole.then(|| format!("{number:.0}"))
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn whole_numbers_are_written_in_digits() {
        let json = br#"{"a":1E+0,"b":[2.5e1,-3e0,0.5,1e300,12,1.5e-3],"c":"1E+0 \" 2e0","d":7e2,"e":-4.00}"#;
        let expected = br#"{"a":1,"b":[25,-3,0.5,1e300,12,1.5e-3],"c":"1E+0 \" 2e0","d":700,"e":-4}"#;
        assert_eq!(plain(json).unwrap(), expected);
        assert_eq!(plain(expected), None);
        assert_eq!(plain(b"no JSON \"1e0"), None);
        assert_eq!(plain(b"\xff\xfe"), None);
        assert_eq!(plain(b"<a href=\"/tx/\">0x1e5</a>"), None);
    }
}
