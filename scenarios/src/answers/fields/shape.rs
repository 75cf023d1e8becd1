//! Shapes of JSON values, and the first place at which a value does not fit.
use num_rational::BigRational;
use num_traits::Signed;
use serde_json::{Map, Value};

use crate::answers::members::{excerpt, is_address};
use crate::model::figure::{decimal, is_smallest_unit, rational};
use crate::model::moment;
use crate::model::verdict::Binding;

/// The shape that a value must have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Text,
    /// An address: `0x` and forty hexadecimal digits.
    Address,
    Flag,
    Number,
    /// A number that is not negative.
    Amount,
    /// A whole number that is not negative.
    Count,
    /// A number from 0 to 1.
    Share,
    /// A number from 0 to 100.
    Percentage,
    /// An amount in smallest units, as digits.
    Units,
    /// A whole or decimal number as text.
    Decimal,
    OneOf(&'static [&'static str]),
    /// A time with its zone.
    Moment,
    /// This number of bytes in hexadecimal digits; any number if `None`.
    Bytes(Option<usize>),
    /// Any value: nothing is fixed.
    Any,
    /// This shape, but only by a choice of this project.
    Chosen(&'static Shape),
    /// A string that has this shape by a choice of this project.
    TextOf(&'static Shape),
    OrNull(&'static Shape),
    List(&'static Shape),
    /// An object with at least these members.
    Object(&'static [Member]),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    /// Which platforms must have it; `None` if it may be absent.
    pub(crate) needed: Option<Binding>,
}

/// Builds a member that the interface names.
pub(crate) const fn member(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, needed: Some(Binding::Interface) }
}

/// Builds a member that is a choice of this project.
pub(crate) const fn chosen(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, needed: Some(Binding::Choice) }
}

/// Builds an optional member.
pub(crate) const fn optional(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, needed: None }
}

/// A place whose value does not have the required shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misshapen {
    pub(crate) pointer: String,
    pub(crate) expected: String,
    pub(crate) actual: String,
    pub(crate) binding: Binding,
}

impl Misshapen {
    fn new(expected: impl Into<String>, value: &Value, binding: Binding) -> Self {
        Self { pointer: String::new(), expected: expected.into(), actual: excerpt(value), binding }
    }

    pub(crate) fn below(mut self, token: &str) -> Self {
        self.pointer = format!("/{token}{}", self.pointer);
        self
    }

    fn or_null(mut self) -> Self {
        if self.pointer.is_empty() {
            self.expected.push_str(", or null");
        }
        self
    }

    fn bound(self, binding: Binding) -> Self {
        if binding == Binding::Choice { Self { binding, ..self } } else { self }
    }
}

impl Shape {
    /// Returns the shape of a name in the table of fields.
    pub(super) fn named(name: &'static str) -> Self {
        match name {
            "text" => Self::Text,
            "address" => Self::Address,
            "flag" => Self::Flag,
            "number" => Self::Number,
            "amount" => Self::Amount,
            "count" => Self::Count,
            "share" => Self::Share,
            "percentage" => Self::Percentage,
            "units" => Self::Units,
            "decimal" => Self::Decimal,
            "time" => Self::Moment,
            "bytes" => Self::Bytes(None),
            "32 bytes" => Self::Bytes(Some(32)),
            "anything" => Self::Any,
            "active or paused" => Self::OneOf(&["active", "paused"]),
            other => unreachable!("{other} is no form of a value"),
        }
    }

    /// Returns every place at which a value does not have this shape.
    pub(crate) fn judge(self, value: &Value) -> Vec<Misshapen> {
        let is = |fits: bool, expected: &str| {
            if fits { Vec::new() } else { vec![Misshapen::new(expected, value, Binding::Interface)] }
        };
        let text = value.as_str();
        let number = |fits: fn(&BigRational) -> bool| decimal(value).is_some_and(|number| fits(&number));
        match self {
            Self::Text => is(value.is_string(), "a string"),
            Self::Address => is(text.is_some_and(is_address), "an address string"),
            Self::Flag => is(value.is_boolean(), "a boolean"),
            Self::Number => is(number(|_| true), "a number"),
            Self::Amount => is(number(|number| !number.is_negative()), "a number of at least 0"),
            Self::Count => {
                let fits = number(|number| number.is_integer() && !number.is_negative());
                is(fits, "a whole number of at least 0")
            }
            Self::Share => is(number(|number| is_within(number, 1)), "a number from 0 to 1"),
            Self::Percentage => is(number(|number| is_within(number, 100)), "a number from 0 to 100"),
            Self::Units => is(text.is_some_and(is_smallest_unit), "a string of decimal digits"),
            Self::Decimal => {
                is(text.is_some_and(|text| rational(text).is_some()), "a decimal number as a string")
            }
            Self::OneOf(words) => is(text.is_some_and(|text| words.contains(&text)), &words.join(" or ")),
            Self::Moment => {
                is(text.and_then(moment::nanoseconds).is_some(), "a time in ISO 8601, as a string")
            }
            Self::Bytes(count) => {
                let mut found = is(text.is_some_and(|text| is_bytes(text, count)), "hexadecimal digits");
                // The checksum of an address is checked by [`misspelled`].
                let is_lower =
                    |text: &str| text.len() == 42 || !text.bytes().any(|byte| byte.is_ascii_uppercase());
                let lower = is(text.is_some_and(is_lower), "hexadecimal digits in lower case");
                found.extend(by_choice(lower));
                found
            }
            Self::Any => Vec::new(),
            Self::Chosen(shape) => by_choice(shape.judge(value)),
            Self::TextOf(shape) if text.is_some() => by_choice(shape.judge(value)),
            Self::TextOf(_) => is(false, "a string"),
            Self::OrNull(_) if value.is_null() => Vec::new(),
            Self::OrNull(shape) => shape.judge(value).into_iter().map(Misshapen::or_null).collect(),
            Self::List(shape) => {
                let Some(items) = value.as_array() else { return is(false, "an array") };
                let within = |(at, item): (usize, &Value)| {
                    shape.judge(item).into_iter().map(move |bad| bad.below(&at.to_string()))
                };
                items.iter().enumerate().flat_map(within).collect()
            }
            Self::Object(members) => {
                let Some(fields) = value.as_object() else { return is(false, "an object") };
                members.iter().flat_map(|member| judge_member(member, fields)).collect()
            }
        }
    }
}

fn is_within(number: &BigRational, most: i32) -> bool {
    !number.is_negative() && *number <= BigRational::from_integer(most.into())
}

fn by_choice(found: Vec<Misshapen>) -> Vec<Misshapen> {
    found.into_iter().map(|bad| bad.bound(Binding::Choice)).collect()
}

fn judge_member(member: &Member, fields: &Map<String, Value>) -> Vec<Misshapen> {
    let binding = member.needed.unwrap_or(Binding::Interface);
    match fields.get(member.name) {
        Some(value) => {
            let found = member.shape.judge(value).into_iter();
            found.map(|bad| bad.below(member.name).bound(binding)).collect()
        }
        None if member.needed.is_some() => {
            let bad = Misshapen::new("a value", &Value::Null, binding);
            vec![Misshapen { actual: "missing".to_owned(), ..bad }.below(member.name)]
        }
        None => Vec::new(),
    }
}

fn is_bytes(text: &str, count: Option<usize>) -> bool {
    text.strip_prefix("0x").is_some_and(|digits| {
        digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            && digits.len() % 2 == 0
            && count.is_none_or(|count| digits.len() == count * 2)
    })
}

/// Returns the first address in a value whose EIP-55 checksum is wrong; skips members with these names.
pub(crate) fn misspelled(value: &Value, but: &[&str]) -> Option<Misshapen> {
    match value {
        Value::String(text) if text.len() == 42 && is_address(text) => {
            let right = text.parse().map(|address: alloy::primitives::Address| address.to_string()).ok()?;
            let expected = || Misshapen::new(&*right, value, Binding::Choice);
            (right != *text).then(expected)
        }
        Value::Array(items) => {
            let found =
                |(at, item): (usize, &Value)| misspelled(item, but).map(|bad| bad.below(&at.to_string()));
            items.iter().enumerate().find_map(found)
        }
        Value::Object(members) => members
            .iter()
            .filter(|(name, _)| !but.contains(&name.as_str()))
            .find_map(|(name, item)| misspelled(item, but).map(|bad| bad.below(name))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SHAPE: Shape = Shape::Object(&[
        member("name", Shape::Text),
        chosen("rows", Shape::List(&Shape::Object(&[member("units", Shape::Units)]))),
        optional("when", Shape::OrNull(&Shape::Moment)),
    ]);

    #[test]
    fn shapes_match_values() {
        let cases = [
            (Shape::Share, json!(1), json!(1.0000001)),
            (Shape::Count, json!(3), json!(-3)),
            (Shape::Count, json!(3.0), json!(3.5)),
            (Shape::Percentage, json!(100), json!(100.5)),
            (Shape::Address, json!("0x00000000000000000000000000000000000000Ff"), json!("0xFf")),
            (Shape::OrNull(&Shape::Count), json!(null), json!("7")),
        ];
        for (shape, good, bad) in cases {
            assert_eq!(shape.judge(&good), [], "{shape:?}");
            assert_ne!(shape.judge(&bad), [], "{shape:?}");
        }
    }

    #[test]
    fn misshapen_places_are_named_with_whom_they_bind() {
        let sound = json!({"name": "a", "rows": [{"units": "7"}], "when": null, "more": 1});
        assert_eq!(SHAPE.judge(&sound), []);
        for (body, pointer, binding) in [
            (json!({"name": 1, "rows": []}), "/name", Binding::Interface),
            (json!({"rows": []}), "/name", Binding::Interface),
            (json!({"name": "a"}), "/rows", Binding::Choice),
            (json!({"name": "a", "rows": [{"units": "7"}, {"units": 7}]}), "/rows/1/units", Binding::Choice),
            (json!({"name": "a", "rows": [], "when": "noon"}), "/when", Binding::Interface),
            (json!([]), "", Binding::Interface),
        ] {
            let bad = SHAPE.judge(&body);
            assert_eq!((bad[0].pointer.as_str(), bad[0].binding), (pointer, binding), "{body}");
        }
    }

    #[test]
    fn a_choice_hides_no_other_place() {
        let bad = SHAPE.judge(&json!({"name": "a", "when": 1}));
        let places: Vec<_> = bad.iter().map(|bad| (bad.pointer.as_str(), bad.binding)).collect();
        assert_eq!(places, [("/rows", Binding::Choice), ("/when", Binding::Interface)]);
        let text = Shape::TextOf(&Shape::Units);
        assert_eq!(text.judge(&json!(1))[0].binding, Binding::Interface);
        assert_eq!(text.judge(&json!("1.5"))[0].binding, Binding::Choice);
    }

    #[test]
    fn misspelled_addresses_are_found_wherever_they_stand() {
        let right = "0x2051F094DAaFF655ae79455fCB954d776fc4a000";
        let wrong = right.replace("0x2051F", "0x2051f");
        assert_eq!(misspelled(&json!({"rows": [{"hook": right}]}), &[]), None);
        assert_eq!(misspelled(&json!({"rows": [{"hook": wrong}]}), &[]).unwrap().pointer, "/rows/0/hook");
        assert_eq!(misspelled(&json!({"notFound": [wrong]}), &["notFound"]), None);
    }
}
