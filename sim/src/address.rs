//! Addresses in requests: `0x` and forty hexadecimal digits, in any letter case, including the prefix.
use std::collections::BTreeMap;

use alloy::primitives::Address;
use serde::Serializer;

/// The input format of [`parse`], in words.
pub(crate) const RULE: &str = "must be an address: 0x and 40 hexadecimal digits";
/// The input format of [`parse`], as a regular expression.
pub(crate) const PATTERN: &str = "^0[xX][0-9a-fA-F]{40}$";

/// Parses an address; `None` if the text is malformed. A wrong checksum in the letter case is accepted.
#[must_use]
pub(crate) fn parse(text: &str) -> Option<Address> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    if digits.len() != 40 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    digits.parse().ok()
}

/// Shortens an address to its ends, for people.
#[must_use]
pub(crate) fn short(address: Address) -> String {
    let text = address.to_checksum(None);
    format!("{}…{}", &text[..6], &text[38..])
}

/// Serializes an address in EIP-55 spelling: the same address has the same text in every answer.
pub(crate) fn checksummed<S: Serializer>(address: &Address, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(address.to_checksum_buffer(None).as_str())
}

/// Serializes the addresses of a map in EIP-55 spelling.
pub(crate) fn checksummed_values<S: Serializer>(
    addresses: &BTreeMap<String, Address>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(addresses.iter().map(|(name, address)| (name, address.to_checksum(None))))
}

#[cfg(test)]
mod tests {
    use super::parse;
    use alloy::primitives::Address;

    #[test]
    fn address_parsing_ignores_case() {
        let address = Address::repeat_byte(0xab);
        for text in [format!("{address}"), format!("{address:#x}"), format!("{address:#x}").to_uppercase()] {
            assert_eq!(parse(&text), Some(address), "{text}");
        }
        let digits = "ab".repeat(20);
        for text in ["", "0x", &digits, &format!("0x{digits}0"), &format!("0x0x{}", &digits[4..]), " 0x"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
