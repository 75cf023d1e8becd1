//! Types of input values that many operations share.
use std::borrow::Cow;

use alloy::primitives::Address;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::address::{self, PATTERN, RULE};
use crate::api::capabilities::CHAINS;

/// The largest whole number that every client can represent exactly.
pub(crate) const LARGEST: u64 = (1 << 53) - 1;

/// A whole number from MIN to MAX; in texts a fraction of zeros is allowed (`50.0`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Whole<const MIN: u64 = 0, const MAX: u64 = LARGEST, const DEFAULT: u64 = MIN>(pub u64);

impl<const MIN: u64, const MAX: u64, const DEFAULT: u64> Default for Whole<MIN, MAX, DEFAULT> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl<'de, const MIN: u64, const MAX: u64, const DEFAULT: u64> Deserialize<'de> for Whole<MIN, MAX, DEFAULT> {
    fn deserialize<D: Deserializer<'de>>(sent: D) -> Result<Self, D::Error> {
        let number = u64::deserialize(sent)?;
        if (MIN..=MAX).contains(&number) { Ok(Self(number)) } else { Err(Error::custom("out of bounds")) }
    }
}

impl<const MIN: u64, const MAX: u64, const DEFAULT: u64> JsonSchema for Whole<MIN, MAX, DEFAULT> {
    fn schema_name() -> Cow<'static, str> {
        format!("WholeFrom{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "u64")]
pub(crate) struct KnownChain(pub u64);

impl TryFrom<u64> for KnownChain {
    type Error = &'static str;

    fn try_from(id: u64) -> Result<Self, Self::Error> {
        if CHAINS.contains(&id) { Ok(Self(id)) } else { Err("not a chain of the platform") }
    }
}

impl JsonSchema for KnownChain {
    fn schema_name() -> Cow<'static, str> {
        "KnownChain".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "enum": CHAINS })
    }
}

/// An address in any letter case, including the prefix.
///
/// Clause: SVC-ADDR
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("pattern" = PATTERN, "x-rule" = RULE))]
pub(crate) struct AccountAddress(pub Address);

impl TryFrom<String> for AccountAddress {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        address::parse(&text).map(Self).ok_or(RULE)
    }
}

/// A text of MIN to MAX characters.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Text<const MIN: usize, const MAX: usize = { usize::MAX }>(pub String);

impl<const MIN: usize, const MAX: usize> TryFrom<String> for Text<MIN, MAX> {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let length = text.chars().count();
        if (MIN..=MAX).contains(&length) { Ok(Self(text)) } else { Err("too short or too long") }
    }
}

impl<const MIN: usize, const MAX: usize> JsonSchema for Text<MIN, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("TextOf{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "type": "string", "minLength": MIN });
        if MAX < usize::MAX {
            schema.insert("maxLength".to_owned(), MAX.into());
        }
        schema
    }
}
