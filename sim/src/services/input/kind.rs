//! Types of input values: one description parses a value, phrases its refusal and is printed in the OpenAPI document.
use alloy::primitives::Address;
use serde_json::{Value, json};

use crate::address;
use crate::api::capabilities::CHAINS;

/// The type and the bounds of an input's values.
pub(crate) trait InputKind {
    type Value;

    /// The value of a query parameter or form field; `None` when the text is not one.
    fn parse(&self, text: &str) -> Option<Self::Value>;

    /// The value of a field of a JSON object: a string with the same text, unless the kind has a separate JSON type.
    fn parse_json(&self, value: &Value) -> Option<Self::Value> {
        self.parse(value.as_str()?)
    }

    fn is_blank(&self, text: &str) -> bool {
        text.is_empty()
    }

    /// What the value must be, as the end of a sentence that starts with the name: `must be …`.
    fn rule(&self) -> String;

    fn schema(&self) -> Value;

    /// A value in the format of the document.
    fn to_json(&self, _value: &Self::Value) -> Value {
        Value::Null
    }
}

/// The largest whole number that every client can represent exactly.
pub(crate) const LARGEST: u64 = (1 << 53) - 1;

/// A whole number: digits; in texts a fraction of zeros is allowed (`50.0`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct WholeNumber {
    pub min: u64,
    pub max: u64,
}

/// Numbers from one up.
pub(crate) const POSITIVE: WholeNumber = WholeNumber { min: 1, max: LARGEST };
/// Numbers from zero up.
pub(crate) const COUNT: WholeNumber = WholeNumber { min: 0, max: LARGEST };

/// Any number of 64 bits.
pub(crate) const ANY_NUMBER: WholeNumber = WholeNumber { min: 0, max: u64::MAX };

impl WholeNumber {
    fn bounded(&self, number: u64) -> Option<u64> {
        (self.min..=self.max).contains(&number).then_some(number)
    }
}

impl InputKind for WholeNumber {
    type Value = u64;

    fn parse(&self, text: &str) -> Option<u64> {
        whole_number(text).and_then(|number| self.bounded(number))
    }

    fn parse_json(&self, value: &Value) -> Option<u64> {
        value.as_u64().and_then(|number| self.bounded(number))
    }

    fn rule(&self) -> String {
        match *self {
            Self { min: 0, max: LARGEST.. } => "must be a whole number of at least 0".to_owned(),
            Self { min, max: LARGEST.. } => format!("must be a whole number from {min}"),
            Self { min, max } => format!("must be a whole number from {min} to {max}"),
        }
    }

    fn schema(&self) -> Value {
        json!({ "type": "integer", "minimum": self.min, "maximum": self.max })
    }

    fn to_json(&self, value: &u64) -> Value {
        (*value).into()
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownChain;

impl InputKind for KnownChain {
    type Value = u64;

    fn parse(&self, text: &str) -> Option<u64> {
        whole_number(text).filter(|id| CHAINS.contains(id))
    }

    fn parse_json(&self, value: &Value) -> Option<u64> {
        value.as_u64().filter(|id| CHAINS.contains(id))
    }

    fn rule(&self) -> String {
        format!("must be {}", alternatives(CHAINS.iter()))
    }

    fn schema(&self) -> Value {
        json!({ "type": "integer", "enum": CHAINS })
    }

    fn to_json(&self, value: &u64) -> Value {
        (*value).into()
    }
}

/// A boolean; in texts `true`, `false`, `1` or `0` in any letter case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boolean;

impl InputKind for Boolean {
    type Value = bool;

    fn parse(&self, text: &str) -> Option<bool> {
        if text == "1" || text.eq_ignore_ascii_case("true") {
            Some(true)
        } else if text == "0" || text.eq_ignore_ascii_case("false") {
            Some(false)
        } else {
            None
        }
    }

    fn parse_json(&self, value: &Value) -> Option<bool> {
        value.as_bool()
    }

    fn rule(&self) -> String {
        "must be true or false".to_owned()
    }

    fn schema(&self) -> Value {
        json!({ "type": "boolean" })
    }

    fn to_json(&self, value: &bool) -> Value {
        (*value).into()
    }
}

pub(crate) type AccountAddress = Custom<Address>;

/// An address in any letter case, including the prefix.
///
/// Clause: SVC-ADDR
pub(crate) const ACCOUNT_ADDRESS: AccountAddress = Custom {
    parse: address::parse,
    rule: address::RULE,
    schema: || json!({ "type": "string", "pattern": address::PATTERN }),
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct OneOf<T: 'static>(pub &'static [(&'static str, T)]);

impl<T: Copy + PartialEq> InputKind for OneOf<T> {
    type Value = T;

    fn parse(&self, text: &str) -> Option<T> {
        self.0.iter().find(|(word, _)| *word == text).map(|(_, value)| *value)
    }

    fn rule(&self) -> String {
        format!("must be {}", alternatives(self.0.iter().map(|(word, _)| word)))
    }

    fn schema(&self) -> Value {
        json!({ "type": "string", "enum": words(self.0) })
    }

    fn to_json(&self, value: &T) -> Value {
        let named = self.0.iter().find(|(_, one)| one == value);
        named.map_or(Value::Null, |(word, _)| (*word).into())
    }
}

/// Several of a list of words, separated by commas; spaces around words and empty items are ignored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetOf<T: 'static>(pub &'static [Marker<T>]);

/// A word and its effect on the value.
pub(crate) type Marker<T> = (&'static str, fn(&mut T));

impl<T: Default> InputKind for SetOf<T> {
    type Value = T;

    fn parse(&self, text: &str) -> Option<T> {
        items(text).try_fold(T::default(), |mut value, item| {
            let (_, mark) = self.0.iter().find(|(word, _)| *word == item)?;
            mark(&mut value);
            Some(value)
        })
    }

    fn is_blank(&self, text: &str) -> bool {
        items(text).next().is_none()
    }

    fn rule(&self) -> String {
        let words = alternatives(self.0.iter().map(|(word, _)| word));
        format!("must name {words}, with commas between")
    }

    fn schema(&self) -> Value {
        json!({ "type": "array", "items": { "type": "string", "enum": words(self.0) }, "minItems": 1 })
    }
}

/// A list of texts: separated by commas in a text, an array of strings in JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strings {
    pub rule: &'static str,
    /// Most items according to the document; a handler refuses more with its own cause.
    pub max_items: usize,
}

impl InputKind for Strings {
    type Value = Vec<String>;

    fn parse(&self, text: &str) -> Option<Vec<String>> {
        Some(items(text).map(str::to_owned).collect())
    }

    fn parse_json(&self, value: &Value) -> Option<Vec<String>> {
        value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
    }

    fn is_blank(&self, text: &str) -> bool {
        items(text).next().is_none()
    }

    fn rule(&self) -> String {
        self.rule.to_owned()
    }

    fn schema(&self) -> Value {
        json!({ "type": "array", "items": { "type": "string" }, "maxItems": self.max_items })
    }
}

pub(crate) const fn text(rule: &'static str, schema: fn() -> Value) -> Custom<String> {
    Custom { parse: |text| Some(text.to_owned()), rule, schema }
}

/// A type with its own parser.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Custom<T> {
    pub parse: fn(&str) -> Option<T>,
    pub rule: &'static str,
    pub schema: fn() -> Value,
}

impl<T> InputKind for Custom<T> {
    type Value = T;

    fn parse(&self, text: &str) -> Option<T> {
        (self.parse)(text)
    }

    fn rule(&self) -> String {
        self.rule.to_owned()
    }

    fn schema(&self) -> Value {
        (self.schema)()
    }
}

/// Digits, and after a point only zeros.
pub(crate) fn whole_number(text: &str) -> Option<u64> {
    let digits = match text.split_once('.') {
        Some((digits, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => digits,
        Some(_) => return None,
        None => text,
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// The items of a list, trimmed, without empty ones.
fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty())
}

fn words<T>(table: &[(&'static str, T)]) -> Vec<&'static str> {
    table.iter().map(|(word, _)| *word).collect()
}

/// `a, b or c`.
fn alternatives(words: impl ExactSizeIterator<Item = impl ToString>) -> String {
    let words: Vec<String> = words.map(|word| word.to_string()).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{
        Boolean, COUNT, InputKind, KnownChain, LARGEST, OneOf, POSITIVE, SetOf, Strings, WholeNumber,
    };

    #[test]
    fn whole_numbers_are_digits_within_bounds() {
        for (text, expected) in [
            ("007", Some(7)),
            ("50.0", Some(50)),
            ("50.000", Some(50)),
            ("0", Some(0)),
            ("9007199254740991", Some(LARGEST)),
            ("9007199254740992", None),
            ("99999999999999999999", None),
            ("", None),
            ("-1", None),
            ("+1", None),
            ("1.5", None),
            ("50.", None),
            (".0", None),
            ("1.0.0", None),
            ("1e3", None),
            (" 1", None),
            ("١", None),
        ] {
            assert_eq!(COUNT.parse(text), expected, "{text}");
        }
        for (value, expected) in
            [(json!(7), Some(7)), (json!(7.0), None), (json!("7"), None), (json!(-7), None)]
        {
            assert_eq!(COUNT.parse_json(&value), expected, "{value}");
        }
    }

    #[test]
    fn boolean_parsing_ignores_case() {
        for (text, expected) in [
            ("true", Some(true)),
            ("TRUE", Some(true)),
            ("1", Some(true)),
            ("False", Some(false)),
            ("0", Some(false)),
            ("yes", None),
            ("01", None),
            (" true", None),
        ] {
            assert_eq!(Boolean.parse(text), expected, "{text}");
        }
        assert_eq!(
            [json!(true), json!("true"), json!(1)].map(|v| Boolean.parse_json(&v)),
            [Some(true), None, None]
        );
    }

    #[test]
    fn lists_ignore_spaces_and_empty_items() {
        let set: SetOf<[bool; 2]> = SetOf(&[("x", |both| both[0] = true), ("y", |both| both[1] = true)]);
        assert_eq!(set.parse("y"), Some([false, true]));
        assert_eq!(set.parse(" y , ,x,"), Some([true, true]));
        assert_eq!(set.parse("x,z"), None);
        assert!(set.is_blank(" ,") && !set.is_blank("z"));
        let strings = Strings { rule: "must be a list", max_items: 2 };
        assert_eq!(strings.parse(" a,,b "), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(strings.parse_json(&json!([" a", ""])), Some(vec![" a".to_owned(), String::new()]));
        assert_eq!(strings.parse_json(&json!(["a", 1])), None);
    }

    #[test]
    fn rules_and_schemas_state_the_bounds_that_are_read() {
        let page = WholeNumber { min: 1, max: 50 };
        let read = ["0", "1", "50", "51"].map(|text| page.parse(text));
        assert_eq!(read, [None, Some(1), Some(50), None]);
        assert_eq!(page.rule(), "must be a whole number from 1 to 50");
        assert_eq!(page.schema(), json!({ "type": "integer", "minimum": 1, "maximum": 50 }));
        assert_eq!(POSITIVE.rule(), "must be a whole number from 1");
        assert_eq!(COUNT.rule(), "must be a whole number of at least 0");
        assert_eq!(KnownChain.rule(), "must be 57073 or 4663");
        let word = OneOf(&[("a", 1), ("b", 2), ("c", 3)]);
        assert_eq!((word.parse("b"), word.parse("d"), word.to_json(&3)), (Some(2), None, json!("c")));
        assert_eq!(word.rule(), "must be a, b or c");
    }
}
