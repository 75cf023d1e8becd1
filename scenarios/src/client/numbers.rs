//! Whole numbers in JSON may be written with a fraction or an exponent: this module rewrites them in plain digits.

/// Rewrites the whole numbers of JSON in plain digits; `None` if they already are, or if the bytes are not JSON.
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

/// Returns the end of the string that begins here.
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

/// Most digits that are written out: as many as a 64-bit integer has.
const MOST: usize = 19;

/// Returns the plain digits of a whole number that has a fraction or an exponent.
fn digits(token: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(token).ok()?;
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    if mantissa == text && !text.contains('.') {
        return None;
    }
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let point = exponent.parse::<i64>().ok()?.checked_add(i64::try_from(whole.len()).ok()?)?;
    let point = usize::try_from(point).unwrap_or_default();
    let mut digits = format!("{whole}{fraction}");
    if point > MOST || digits.bytes().skip(point).any(|digit| digit != b'0') {
        return None;
    }
    digits.truncate(point);
    let digits = format!("{digits:0<point$}");
    let digits = digits.trim_start_matches('0');
    Some(if digits.is_empty() { "0".to_owned() } else { format!("{sign}{digits}") })
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn whole_numbers_are_written_in_digits() {
        let json = br#"{"a":1E+0,"b":[2.5e1,-3e0,0.5,1e300,12,1.5e-3],"c":"1E+0 \" 2e0","d":7e2,"e":-4.00,"f":-0.0,"g":0.0012e4}"#;
        let expected =
            br#"{"a":1,"b":[25,-3,0.5,1e300,12,1.5e-3],"c":"1E+0 \" 2e0","d":700,"e":-4,"f":0,"g":12}"#;
        assert_eq!(plain(json).unwrap(), expected);
        assert_eq!(plain(expected), None);
        assert_eq!(plain(b"no JSON \"1e0"), None);
        assert_eq!(plain(b"\xff\xfe"), None);
        assert_eq!(plain(b"<a href=\"/tx/\">0x1e5</a>"), None);
    }
}
