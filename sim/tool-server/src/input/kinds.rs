//! Types of arguments, each with its schema and its reader.
use std::borrow::Cow;
use std::fmt::Display;

use alloy::primitives::U256;
use rmcp::schemars::{self, JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Number;

use crate::decimal::{self, DecimalError, Scaled};
use crate::link::MAX_URL;

/// Longest decimal text of 256 bits.
const MAX_LAUNCH_ID_DIGITS: usize = 78;

/// Codes of a refused link.
const LINK_CODES: [&str; 7] = [
    "url-malformed",
    "url-length",
    "url-scheme",
    "url-credentials",
    "url-reserved",
    "url-unresolved",
    "url-address",
];

/// Builds a refusal from a requirement, the continuation of "must".
fn bounds<E: Error>(requirement: impl Display) -> E {
    E::invalid_value(Unexpected::Other("another value"), &requirement.to_string().as_str())
}

/// A text of LEAST to MOST Unicode scalar values.
#[derive(JsonSchema)]
#[schemars(inline)]
pub(crate) struct Text<const LEAST: usize, const MOST: usize>(
    #[schemars(length(min = LEAST, max = MOST))] pub(super) String,
);

impl<const LEAST: usize, const MOST: usize> Text<LEAST, MOST> {
    fn of<E: Error>(text: String) -> Result<Self, E> {
        let found = text.chars().count();
        match (LEAST..=MOST).contains(&found) {
            true => Ok(Self(text)),
            false => Err(E::invalid_length(found, &format!("have {LEAST} to {MOST} characters").as_str())),
        }
    }

    /// Requires that only these characters occur, as the requirement says.
    fn spelled<E: Error>(self, allows: fn(char) -> bool, requirement: &str) -> Result<String, E> {
        if self.0.chars().all(allows) { Ok(self.0) } else { Err(bounds(requirement)) }
    }
}

impl<'de, const LEAST: usize, const MOST: usize> Deserialize<'de> for Text<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::of(String::deserialize(deserializer)?)
    }
}

/// A text without a dollar sign.
#[derive(JsonSchema)]
#[schemars(inline)]
pub(crate) struct Ticker(
    #[schemars(length(min = 1, max = 12), regex(pattern = "^[^$]*$"))] pub(super) String,
);

impl<'de> Deserialize<'de> for Ticker {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Text::<1, 12>::deserialize(deserializer)?;
        text.spelled(|character| character != '$', "not contain a dollar sign").map(Self)
    }
}

/// A referral code; an empty text means none.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ReferralCode(
    #[schemars(length(max = 64), regex(pattern = "^[A-Za-z0-9_-]*$"))] pub(super) String,
);

impl<'de> Deserialize<'de> for ReferralCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.is_empty() {
            return Ok(Self::default());
        }
        let allows = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
        let requirement = "hold only letters, digits, hyphens and underscores";
        Text::<1, 64>::of(text)?.spelled(allows, requirement).map(Self)
    }
}

/// An https URL. Reading does not check the link rules, which needs a name server.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, extend("x-codes" = LINK_CODES))]
pub(crate) struct Link(
    #[schemars(url, length(min = 9, max = MAX_URL), regex(pattern = "^[hH][tT][tT][pP][sS]://"))]
    pub(super) String,
);

/// An https URL, or an empty text for none.
#[derive(Default, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, extend("x-codes" = LINK_CODES))]
pub(crate) struct OptionalLink(
    #[schemars(length(max = MAX_URL), regex(pattern = "^([hH][tT][tT][pP][sS]://.+)?$"))]
    pub(super) String,
);

/// Reads a number as the caller wrote it.
#[derive(Deserialize)]
#[serde(expecting = "a number")]
struct Literal(String);

impl Literal {
    /// Reads decimal text without an exponent.
    fn plain<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        let Self(literal) = Self::deserialize(deserializer)?;
        decimal::without_exponent(&literal).ok_or_else(|| D::Error::custom(DecimalError::TooLarge))
    }

    /// Reads a whole number, including `5.0`; `None` if it is negative or above 64 bits.
    fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
        let text = Self::plain(deserializer)?;
        let magnitude = decimal::exact(text.trim_start_matches('-'), 0)
            .map_err(|_| D::Error::invalid_type(Unexpected::Other("another number"), &"a whole number"))?;
        let negative = text.starts_with('-') && magnitude != 0;
        Ok(u64::try_from(magnitude).ok().filter(|_| !negative))
    }
}

/// A whole number within bounds, and its default.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct Whole<const LEAST: u64, const MOST: u64, const DEFAULT: u64>(
    #[schemars(range(min = LEAST, max = MOST))] pub(crate) u64,
);

impl<const LEAST: u64, const MOST: u64, const DEFAULT: u64> Default for Whole<LEAST, MOST, DEFAULT> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl<'de, const LEAST: u64, const MOST: u64, const DEFAULT: u64> Deserialize<'de>
    for Whole<LEAST, MOST, DEFAULT>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = Literal::whole(deserializer)?.filter(|found| (LEAST..=MOST).contains(found));
        found.map(Self).ok_or_else(|| bounds(format_args!("be from {LEAST} to {MOST}")))
    }
}

/// Protected seconds.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct AntiSnipe(#[schemars(schema_with = "anti_snipe")] pub(super) u64);

impl AntiSnipe {
    pub(crate) const OPTIONS: [u64; 4] = [0, 20, 40, 60];
}

fn anti_snipe(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer", "enum": AntiSnipe::OPTIONS })
}

impl<'de> Deserialize<'de> for AntiSnipe {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = Literal::whole(deserializer)?.filter(|found| Self::OPTIONS.contains(found));
        found.map(Self).ok_or_else(|| {
            let options = Self::OPTIONS.map(|option| option.to_string());
            bounds(format_args!("be one of {}", options.join(", ")))
        })
    }
}

/// A decimal number, as an integer of its smallest unit, which has `PLACES` decimal places. Finer numbers are refused if the unit is the
/// wei, and otherwise rounded half up. The bounds are in the unit and apply before rounding; zero may be allowed in addition.
pub(crate) struct Amount<
    const PLACES: usize,
    const LEAST: u128,
    const MOST: u128,
    const OR_ZERO: bool = false,
>(pub(super) u128);

impl<const PLACES: usize, const LEAST: u128, const MOST: u128, const OR_ZERO: bool>
    Amount<PLACES, LEAST, MOST, OR_ZERO>
{
    fn text(units: u128) -> String {
        decimal::format(U256::from(units), PLACES)
    }

    /// A number of smallest units as a JSON number.
    fn json(units: u128) -> Number {
        Self::text(units).parse().expect("a plain decimal is a JSON number")
    }
}

impl<const PLACES: usize, const LEAST: u128, const MOST: u128> Default for Amount<PLACES, LEAST, MOST, true> {
    fn default() -> Self {
        Self(0)
    }
}

impl<const PLACES: usize, const LEAST: u128, const MOST: u128, const OR_ZERO: bool> Serialize
    for Amount<PLACES, LEAST, MOST, OR_ZERO>
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::json(self.0).serialize(serializer)
    }
}

impl<'de, const PLACES: usize, const LEAST: u128, const MOST: u128, const OR_ZERO: bool> Deserialize<'de>
    for Amount<PLACES, LEAST, MOST, OR_ZERO>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = Scaled::parse(&Literal::plain(deserializer)?, PLACES).map_err(D::Error::custom)?;
        if found.inexact && PLACES == decimal::ETHER {
            return Err(D::Error::custom(DecimalError::TooPrecise { places: PLACES }));
        }
        let is_zero = OR_ZERO && found.floor == 0 && !found.inexact;
        // Rounding must not move a number back into the range.
        let above = found.floor == MOST && found.inexact;
        if is_zero || ((LEAST..=MOST).contains(&found.floor) && !above) {
            return Ok(Self(found.half_up()));
        }
        let zero = if OR_ZERO { "0 or " } else { "" };
        Err(bounds(format_args!("be {zero}from {} to {}", Self::text(LEAST), Self::text(MOST))))
    }
}

impl<const PLACES: usize, const LEAST: u128, const MOST: u128, const OR_ZERO: bool> JsonSchema
    for Amount<PLACES, LEAST, MOST, OR_ZERO>
{
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let (least, most) = (Self::json(LEAST), Self::json(MOST));
        match OR_ZERO {
            false => json_schema!({ "type": "number", "minimum": least, "maximum": most }),
            true => json_schema!({
                "type": "number", "minimum": 0, "maximum": most, "anyOf": [{ "const": 0 }, { "minimum": least }],
            }),
        }
    }
}

/// The number of a launch, which is not zero: a JSON number, or decimal text when it is large.
#[derive(JsonSchema)]
#[schemars(inline)]
pub(crate) struct LaunchNumber(#[schemars(schema_with = "launch_number")] pub(crate) U256);

fn launch_number(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "anyOf": [
            { "type": "integer", "minimum": 1, "maximum": u64::MAX },
            { "type": "string", "minLength": 1, "maxLength": MAX_LAUNCH_ID_DIGITS, "pattern": "^0*[1-9][0-9]*$" },
        ],
    })
}

impl<'de> Deserialize<'de> for LaunchNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Text(String),
            Number((String,)),
        }
        let text = match Written::deserialize(deserializer) {
            Ok(Written::Text(text)) => Some(text),
            Ok(Written::Number((literal,))) => decimal::without_exponent(&literal),
            Err(_) => None,
        };
        let digits = text.filter(|text| {
            let length = 1..=MAX_LAUNCH_ID_DIGITS;
            length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        });
        let number = digits.and_then(|text| U256::from_str_radix(&text, 10).ok());
        number
            .filter(|number| !number.is_zero())
            .map(Self)
            .ok_or_else(|| bounds("be a whole number from 1, as a number or as decimal text"))
    }
}
