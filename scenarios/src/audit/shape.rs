//! The form of a JSON value, and the first place at which a value has another.
use serde_json::{Map, Value};

use crate::clause::Binding;
use crate::expect::fields::{Field, Kind, excerpt, is_address};
use crate::expect::figure::is_smallest_unit;
use crate::expect::moment;

/// What a value must be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// A value of a field.
    Of(Kind),
    /// An amount in smallest units, as digits.
    Units,
    /// A whole or decimal number as text.
    Decimal,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A time with its zone.
    Moment,
    /// So many bytes in hexadecimal digits; of any length without a number.
    Bytes(Option<usize>),
    /// Anything at all, where nothing is fixed.
    Any,
    /// The same, by this project's choice.
    Chosen(&'static Shape),
    /// A string, by this project's choice one of this shape.
    Text(&'static Shape),
    /// Of each of these shapes.
    Both(&'static [Shape]),
    /// One of them, or null.
    OrNull(&'static Shape),
    /// A list of them.
    List(&'static Shape),
    /// An object with these members, and any others.
    Object(&'static [Member]),
    /// A token with the fields of these tables by the interface, and those of the others by choice.
    Token(&'static [&'static [Field]], &'static [Member]),
}

/// A member of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    /// Whom it binds to have it so; none where it may be absent.
    pub(super) needed: Option<Binding>,
}

/// A member that the interface names.
pub(super) const fn member(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, needed: Some(Binding::Interface) }
}

/// A member by this project's choice.
pub(super) const fn chosen(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, needed: Some(Binding::Choice) }
}

/// A member that need not be there.
pub(super) const fn optional(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, needed: None }
}

/// A place that has another form than it must.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Misshapen {
    pub(super) pointer: String,
    pub(super) expected: String,
    pub(super) actual: String,
    pub(super) binding: Binding,
}

impl Misshapen {
    fn new(expected: impl Into<String>, value: &Value, binding: Binding) -> Self {
        Self { pointer: String::new(), expected: expected.into(), actual: excerpt(value), binding }
    }

    pub(super) fn below(mut self, token: &str) -> Self {
        self.pointer = format!("/{token}{}", self.pointer);
        self
    }

    fn bound(self, binding: Binding) -> Self {
        if binding == Binding::Choice { Self { binding, ..self } } else { self }
    }
}

impl Shape {
    /// Every place at which a value is not of this shape.
    pub(super) fn judge(self, value: &Value) -> Vec<Misshapen> {
        let is = |fits: bool, expected: &str| {
            if fits { Vec::new() } else { vec![Misshapen::new(expected, value, Binding::Interface)] }
        };
        let text = value.as_str();
        match self {
            Self::Of(kind) => is(kind.admits(value), kind.in_words()),
            Self::Units => is(text.is_some_and(is_smallest_unit), "a string of decimal digits"),
            Self::Decimal => {
                let decimal = |text: &str| crate::expect::figure::rational(text).is_some();
                is(text.is_some_and(decimal), "a decimal number as a string")
            }
            Self::OneOf(words) => is(text.is_some_and(|text| words.contains(&text)), &words.join(" or ")),
            Self::Moment => {
                is(text.and_then(moment::nanoseconds).is_some(), "a time in ISO 8601, as a string")
            }
            Self::Bytes(count) => {
                let mut found = is(text.is_some_and(|text| is_bytes(text, count)), "hexadecimal digits");
                // How an address is spelled is for [`misspelled`].
                let is_lower =
                    |text: &str| text.len() == 42 || !text.bytes().any(|byte| byte.is_ascii_uppercase());
                let lower = is(text.is_some_and(is_lower), "hexadecimal digits in lower case");
                found.extend(by_choice(lower));
                found
            }
            Self::Any => Vec::new(),
            Self::Chosen(shape) => by_choice(shape.judge(value)),
            Self::Text(shape) if text.is_some() => by_choice(shape.judge(value)),
            Self::Text(_) => is(false, "a string"),
            Self::Both(shapes) => shapes.iter().flat_map(|shape| shape.judge(value)).collect(),
            Self::OrNull(shape) => {
                if value.is_null() {
                    Vec::new()
                } else {
                    shape.judge(value)
                }
            }
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
            Self::Token(tables, members) => {
                let Some(fields) = value.as_object() else { return is(false, "an object") };
                let in_tables = tables.iter().copied().flatten().map(of_field);
                in_tables.chain(members.iter().copied()).flat_map(|one| judge_member(&one, fields)).collect()
            }
        }
    }
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
            let bad = Misshapen::new("to be there", &Value::Null, binding);
            vec![Misshapen { actual: "it is not".to_owned(), ..bad }.below(member.name)]
        }
        None => Vec::new(),
    }
}

/// A field of a token: by the interface, unless its table marks it optional.
fn of_field(field: &Field) -> Member {
    let shape = if field.name == "created_at" { Shape::Moment } else { Shape::Of(field.kind) };
    if field.optional { chosen(field.name, shape) } else { member(field.name, shape) }
}

fn is_bytes(text: &str, count: Option<usize>) -> bool {
    text.strip_prefix("0x").is_some_and(|digits| {
        digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            && digits.len() % 2 == 0
            && count.is_none_or(|count| digits.len() == count * 2)
    })
}

/// The first address in a value that does not have its EIP-55 checksum; members of these names are passed over.
pub(super) fn misspelled(value: &Value, but: &[&str]) -> Option<Misshapen> {
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
        member("name", Shape::Of(Kind::Text)),
        chosen("rows", Shape::List(&Shape::Object(&[member("units", Shape::Units)]))),
        optional("when", Shape::OrNull(&Shape::Moment)),
    ]);

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
        let text = Shape::Text(&Shape::Units);
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
