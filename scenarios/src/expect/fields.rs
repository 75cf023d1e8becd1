//! The fields of a token object, endpoint by endpoint, with the types they must have.
use alloy::primitives::Address;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use serde_json::{Map, Value};

use crate::check::Verdict;
use crate::client::http::Response;
use crate::expect::figure::{Figure, decimal};
use crate::trial::{Evidence, Trial};

/// What the value of a field must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    Text,
    /// A string, or null.
    NullableText,
    /// An address: `0x` and forty hexadecimal digits.
    Address,
    /// A number.
    Number,
    /// A number that is not negative.
    Amount,
    /// A whole number that is not negative.
    Count,
    /// A whole number that is not negative, or null.
    NullableCount,
    /// A number from 0 to 1.
    Share,
    /// A number from 0 to 100.
    Percentage,
    /// A boolean.
    Flag,
}

/// A field that an object must have, or may have.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it must be.
    pub kind: Kind,
    /// Whether the object is whole without it.
    pub optional: bool,
}

const fn field(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, optional: false }
}

const fn optional(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, optional: true }
}

/// A token of the list.
pub const LIST: &[Field] = &[
    field("address", Kind::Address),
    optional("created_at", Kind::Text),
    optional("owner", Kind::Address),
    field("name", Kind::Text),
    field("ticker", Kind::Text),
    field("description", Kind::Text),
    field("image_url", Kind::Text),
    field("market_cap", Kind::Amount),
    field("funding_progress", Kind::Share),
    field("price_eth", Kind::Amount),
    field("volume_24h", Kind::Amount),
    field("price_change_24h", Kind::Number),
    field("total_holders", Kind::Count),
];

/// A token of an owner.
pub const OWNER: &[Field] = &[
    field("address", Kind::Address),
    field("created_at", Kind::Text),
    field("owner", Kind::Address),
    field("name", Kind::Text),
    field("ticker", Kind::Text),
    field("description", Kind::Text),
    field("image_url", Kind::Text),
    field("market_cap", Kind::Amount),
    field("funding_progress", Kind::Share),
    field("volume_24h", Kind::Amount),
    field("total_holders", Kind::Count),
    field("is_graduated", Kind::Flag),
];

/// A token of a batch, whatever its flags.
pub const BATCH: &[Field] = &[
    field("address", Kind::Address),
    field("created_at", Kind::Text),
    field("owner", Kind::Address),
    field("name", Kind::Text),
    field("ticker", Kind::Text),
    field("description", Kind::Text),
    field("image_url", Kind::Text),
    field("market_cap", Kind::Amount),
    field("funding_progress", Kind::Share),
    field("price_eth", Kind::Amount),
    field("is_graduated", Kind::Flag),
];

/// What `includeMetrics` adds.
pub const METRICS: &[Field] = &[
    field("volume_24h", Kind::Amount),
    field("price_change_24h", Kind::Number),
    field("txns_24h_buys", Kind::Count),
    field("txns_24h_sells", Kind::Count),
];

/// What `includeHolders` adds.
pub const HOLDERS: &[Field] = &[
    field("total_holders", Kind::Count),
    field("top_10_percentage", Kind::Percentage),
    field("dev_holding_percentage", Kind::Percentage),
];

/// What `includeSocials` adds.
pub const SOCIALS: &[Field] = &[
    field("messenger", Kind::NullableText),
    field("microblog", Kind::NullableText),
    field("website", Kind::NullableText),
];

/// The token of the day.
pub const EMPEROR: &[Field] = &[
    field("address", Kind::Address),
    field("created_at", Kind::Text),
    field("owner", Kind::Address),
    field("name", Kind::Text),
    field("ticker", Kind::Text),
    field("description", Kind::Text),
    field("image_url", Kind::Text),
    field("messenger", Kind::NullableText),
    field("microblog", Kind::NullableText),
    field("website", Kind::NullableText),
    field("market_cap", Kind::Amount),
    field("funding_progress", Kind::Share),
    field("price_eth", Kind::Amount),
    field("volume_24h", Kind::Amount),
    field("price_change_24h", Kind::Number),
    field("txns_24h_buys", Kind::Count),
    field("txns_24h_sells", Kind::Count),
    field("volume_1h", Kind::Amount),
    field("price_change_1h", Kind::Number),
    field("txns_1h_buys", Kind::Count),
    field("txns_1h_sells", Kind::Count),
    field("total_holders", Kind::Count),
    field("top_10_percentage", Kind::Percentage),
    field("dev_holding_percentage", Kind::Percentage),
];

/// What a single token and a recent launch tell of the launch, by choice of this project.
pub const LAUNCH: &[Field] = &[
    field("version", Kind::Text),
    field("chain_id", Kind::Count),
    field("hook_address", Kind::Address),
    field("gain_bps", Kind::Count),
    field("creator_fee_split_bps", Kind::Count),
    field("anti_snipe_seconds", Kind::Count),
    field("transaction_hash", Kind::Text),
    field("block_number", Kind::Count),
    field("launch_id", Kind::NullableCount),
    field("target_raise", Kind::NullableText),
    field("start_time", Kind::NullableCount),
    field("pool", Kind::NullableText),
    field("quote_asset", Kind::NullableText),
];

impl Trial<'_> {
    /// The fields of these tables that are there have their types; none of them need be there.
    pub(crate) fn typed_where_present(
        &self,
        response: &Response,
        members: &Map<String, Value>,
        tables: &[&[Field]],
    ) -> Verdict {
        let present = |field: &&Field| members.contains_key(field.name);
        let mut fields = tables.iter().copied().flatten().filter(present);
        fields.try_for_each(|field| self.typed(response, field, &members[field.name]))
    }

    /// An object has the fields of a table with their types; returns its members.
    pub(crate) fn object<'v>(
        &self,
        response: &Response,
        value: &'v Value,
        tables: &[&[Field]],
    ) -> Verdict<&'v Map<String, Value>> {
        let members =
            value.as_object().ok_or_else(|| self.failure(response, "a token object", excerpt(value)))?;
        let required = |field: &&Field| !field.optional && !members.contains_key(field.name);
        if let Some(field) = tables.iter().copied().flatten().find(required) {
            let named = members.get("address").map_or_else(String::new, excerpt);
            let actual = format!("no {} in the object of {named}", field.name);
            return Err(self.failure(response, format!("a field {}", field.name), actual));
        }
        self.typed_where_present(response, members, tables)?;
        Ok(members)
    }

    /// The members of an answer that must be an array of token objects.
    pub(crate) fn tokens<'v>(&self, response: &Response, body: &'v Value) -> Verdict<&'v Vec<Value>> {
        let tokens = body.get("tokens").and_then(Value::as_array);
        tokens.ok_or_else(|| self.failure(response, "an array tokens", response.excerpt()))
    }

    /// A member of the body that must be a whole number.
    pub(crate) fn count(&self, response: &Response, body: &Value, name: &str) -> Verdict<u64> {
        let count = body.get(name).and_then(Value::as_u64);
        count.ok_or_else(|| self.failure(response, format!("{name} as a whole number"), response.excerpt()))
    }

    /// A member that must be a number, exactly as it was written.
    pub(crate) fn number(
        &self,
        evidence: &(impl Evidence + ?Sized),
        value: &Value,
        name: &str,
    ) -> Verdict<Figure> {
        let figure = value[name].as_number().and_then(|number| Figure::parse(&number.to_string()));
        figure.ok_or_else(|| self.failure(evidence, format!("{name} as a number"), excerpt(value)))
    }

    fn typed(&self, response: &Response, field: &Field, value: &Value) -> Verdict {
        let expected = format!("{} as {}", field.name, field.kind.in_words());
        self.holds(response, field.kind.admits(value), &expected, || {
            format!("{} = {}", field.name, excerpt(value))
        })
    }
}

/// A value as it stands, shortened for a report.
#[must_use]
pub fn excerpt(value: &Value) -> String {
    value.to_string().chars().take(200).collect()
}

/// Whether a text is an address: `0x` and forty hexadecimal digits, in any case.
#[must_use]
pub fn is_address(text: &str) -> bool {
    text.starts_with("0x") && text.parse::<Address>().is_ok()
}

impl Kind {
    /// Whether a value is of this kind.
    #[must_use]
    pub fn admits(self, value: &Value) -> bool {
        let within = |low: Option<BigRational>, high: Option<BigRational>| {
            decimal(value).is_some_and(|number| {
                low.is_none_or(|low| number >= low) && high.is_none_or(|high| number <= high)
            })
        };
        let hundred = || BigRational::from_integer(100.into());
        match self {
            Self::Text => value.is_string(),
            Self::NullableText => value.is_string() || value.is_null(),
            Self::Address => value.as_str().is_some_and(is_address),
            Self::Number => within(None, None),
            Self::Amount => within(Some(BigRational::zero()), None),
            Self::Count => decimal(value).is_some_and(|number| number.is_integer() && !number.is_negative()),
            Self::NullableCount => value.is_null() || Self::Count.admits(value),
            Self::Share => within(Some(BigRational::zero()), Some(BigRational::one())),
            Self::Percentage => within(Some(BigRational::zero()), Some(hundred())),
            Self::Flag => value.is_boolean(),
        }
    }

    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::NullableText => "a string or null",
            Self::Address => "an address string",
            Self::Number => "a number",
            Self::Amount => "a number of at least 0",
            Self::Count => "a whole number of at least 0",
            Self::NullableCount => "a whole number of at least 0, or null",
            Self::Share => "a number from 0 to 1",
            Self::Percentage => "a number from 0 to 100",
            Self::Flag => "a boolean",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Kind;

    #[test]
    fn kinds_match_values() {
        let cases = [
            (Kind::Share, json!(1), json!(1.0000001)),
            (Kind::Share, json!(0.5), json!("0.5")),
            (Kind::Count, json!(3), json!(-3)),
            (Kind::Count, json!(3.0), json!(3.5)),
            (Kind::Percentage, json!(100), json!(100.5)),
            (Kind::NullableText, json!(null), json!(1)),
            (Kind::Text, json!(""), json!(null)),
            (Kind::Flag, json!(false), json!(0)),
            (Kind::Address, json!("0x00000000000000000000000000000000000000Ff"), json!("0xFf")),
            (Kind::NullableCount, json!(null), json!("7")),
        ];
        for (kind, good, bad) in cases {
            assert!(kind.admits(&good), "{kind:?} {good}");
            assert!(!kind.admits(&bad), "{kind:?} {bad}");
        }
    }
}
