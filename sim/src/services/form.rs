//! The forms that values of parameters take. One description reads a value, words its refusal and is printed in the
//! document of the service, so that a bound is written once.
use std::fmt::Debug;

use alloy::primitives::Address;
use serde_json::{Value, json};

use super::parameters::{LARGEST, Parameters, boolean, whole};
use crate::api::address;
use crate::api::capabilities::CHAINS;
use crate::api::refusal::Refusal;

/// A form of values.
pub trait Form {
    /// What is read.
    type Value;

    /// The value, or none when the text is not of this form.
    fn read(&self, text: &str) -> Option<Self::Value>;

    /// What the text must be, as the end of a sentence that starts with the name: `must be …`.
    fn rule(&self) -> String;

    /// JSON Schema of the value.
    fn schema(&self) -> Value;

    /// The value as the document writes it.
    fn shown(&self, value: &Self::Value) -> Value;
}

/// What the absence of a parameter means.
pub trait Absence<F: Form> {
    /// What a handler gets.
    type Outcome;

    /// Whether absence is refused.
    const REQUIRED: bool = false;

    /// What a handler gets for what was read; none when absence is refused.
    fn outcome(&self, read: Option<F::Value>) -> Option<Self::Outcome>;

    /// The value in the place of an absent one.
    fn otherwise(&self) -> Option<&F::Value> {
        None
    }
}

/// The parameter must be there.
#[derive(Clone, Copy, Debug)]
pub struct Required;

/// The parameter may be left out.
#[derive(Clone, Copy, Debug)]
pub struct Optional;

/// A parameter that is left out has this value.
#[derive(Clone, Copy, Debug)]
pub struct Otherwise<T>(pub T);

impl<F: Form> Absence<F> for Required {
    type Outcome = F::Value;
    const REQUIRED: bool = true;

    fn outcome(&self, read: Option<F::Value>) -> Option<F::Value> {
        read
    }
}

impl<F: Form> Absence<F> for Optional {
    type Outcome = Option<F::Value>;

    fn outcome(&self, read: Option<F::Value>) -> Option<Option<F::Value>> {
        Some(read)
    }
}

impl<F: Form> Absence<F> for Otherwise<F::Value>
where
    F::Value: Copy,
{
    type Outcome = F::Value;

    fn outcome(&self, read: Option<F::Value>) -> Option<F::Value> {
        Some(read.unwrap_or(self.0))
    }

    fn otherwise(&self) -> Option<&F::Value> {
        Some(&self.0)
    }
}

/// A query parameter.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<F, A> {
    /// Name on the wire.
    pub name: &'static str,
    /// Cause id of a refusal.
    pub cause: &'static str,
    /// What it is for, one sentence without its end.
    pub meaning: &'static str,
    /// The form of its values.
    pub form: F,
    /// What its absence means.
    pub absent: A,
}

impl<F: Form, A: Absence<F>> Parameter<F, A> {
    /// The refusal of a value.
    pub fn refuse(&self, value: &str) -> Refusal {
        super::parameters::refused(self.cause, self.name, &self.form.rule(), value)
    }

    fn missing(&self) -> Refusal {
        let rule = self.form.rule();
        Refusal::bad_input(self.cause, format!("{} is required and {rule}", self.name))
    }

    /// The parameter object of the document.
    pub fn described(&self) -> Value {
        let mut schema = self.form.schema();
        if let Some(otherwise) = self.absent.otherwise() {
            schema["default"] = self.form.shown(otherwise);
        }
        let mut parameter = json!({ "name": self.name, "in": "query", "description": self.meaning });
        if A::REQUIRED {
            parameter["required"] = true.into();
        }
        if schema["type"] == "array" {
            parameter["style"] = "form".into();
            parameter["explode"] = false.into();
        }
        parameter["schema"] = schema;
        parameter
    }
}

impl Parameters<'_> {
    /// The value of a parameter, as its form reads it and its absence settles it.
    pub fn take<F: Form, A: Absence<F>>(&self, parameter: &Parameter<F, A>) -> Result<A::Outcome, Refusal> {
        let text = self.text(parameter.name)?;
        let read =
            text.map(|text| parameter.form.read(text).ok_or_else(|| parameter.refuse(text))).transpose()?;
        parameter.absent.outcome(read).ok_or_else(|| parameter.missing())
    }
}

/// A whole number, in digits only.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    /// The least.
    pub least: u64,
    /// The most.
    pub most: u64,
}

/// Numbers from one on.
pub const POSITIVE: Whole = Whole { least: 1, most: LARGEST };
/// Numbers from zero on.
pub const COUNT: Whole = Whole { least: 0, most: LARGEST };

impl Form for Whole {
    type Value = u64;

    fn read(&self, text: &str) -> Option<u64> {
        whole(text).filter(|number| (self.least..=self.most).contains(number))
    }

    fn rule(&self) -> String {
        match *self {
            Self { least: 0, most: LARGEST } => "must be a whole number of at least 0".to_owned(),
            Self { least, most: LARGEST } => format!("must be a whole number from {least}"),
            Self { least, most } => format!("must be a whole number from {least} to {most}"),
        }
    }

    fn schema(&self) -> Value {
        json!({ "type": "integer", "minimum": self.least, "maximum": self.most })
    }

    fn shown(&self, value: &u64) -> Value {
        (*value).into()
    }
}

/// The id of a chain of the platform.
#[derive(Clone, Copy, Debug)]
pub struct Chain;

impl Form for Chain {
    type Value = u64;

    fn read(&self, text: &str) -> Option<u64> {
        whole(text).filter(|id| CHAINS.contains(id))
    }

    fn rule(&self) -> String {
        format!("must be {}", listed(CHAINS.iter()))
    }

    fn schema(&self) -> Value {
        json!({ "type": "integer", "enum": CHAINS })
    }

    fn shown(&self, value: &u64) -> Value {
        (*value).into()
    }
}

/// `true` or `false`.
#[derive(Clone, Copy, Debug)]
pub struct Flag;

impl Form for Flag {
    type Value = bool;

    fn read(&self, text: &str) -> Option<bool> {
        boolean(text)
    }

    fn rule(&self) -> String {
        "must be true or false".to_owned()
    }

    fn schema(&self) -> Value {
        json!({ "type": "boolean" })
    }

    fn shown(&self, value: &bool) -> Value {
        (*value).into()
    }
}

/// An address as callers write it, in any letter case, the prefix included.
#[derive(Clone, Copy, Debug)]
pub struct Account;

impl Form for Account {
    type Value = Address;

    fn read(&self, text: &str) -> Option<Address> {
        address::parse(text)
    }

    fn rule(&self) -> String {
        address::RULE.to_owned()
    }

    fn schema(&self) -> Value {
        json!({ "type": "string", "pattern": address::PATTERN })
    }

    fn shown(&self, value: &Address) -> Value {
        value.to_string().into()
    }
}

/// One of some words.
#[derive(Clone, Copy, Debug)]
pub struct Word<T: 'static>(pub &'static [(&'static str, T)]);

impl<T: Copy + PartialEq> Form for Word<T> {
    type Value = T;

    fn read(&self, text: &str) -> Option<T> {
        self.0.iter().find(|(word, _)| *word == text).map(|(_, value)| *value)
    }

    fn rule(&self) -> String {
        format!("must be {}", listed(self.0.iter().map(|(word, _)| word)))
    }

    fn schema(&self) -> Value {
        json!({ "type": "string", "enum": words(self.0) })
    }

    fn shown(&self, value: &T) -> Value {
        let named = self.0.iter().find(|(_, one)| one == value);
        named.map_or(Value::Null, |(word, _)| (*word).into())
    }
}

/// Some of some words with commas between, each of them marking the value.
#[derive(Clone, Copy, Debug)]
pub struct Words<T: 'static>(pub &'static [Marked<T>]);

/// A word and what it marks.
pub type Marked<T> = (&'static str, fn(&mut T));

impl<T: Default> Form for Words<T> {
    type Value = T;

    fn read(&self, text: &str) -> Option<T> {
        text.split(',').try_fold(T::default(), |mut value, word| {
            let (_, mark) = self.0.iter().find(|(one, _)| *one == word)?;
            mark(&mut value);
            Some(value)
        })
    }

    fn rule(&self) -> String {
        let words = listed(self.0.iter().map(|(word, _)| word));
        format!("must name {words}, with commas between")
    }

    fn schema(&self) -> Value {
        json!({ "type": "array", "items": { "type": "string", "enum": words(self.0) }, "minItems": 1 })
    }

    fn shown(&self, _: &T) -> Value {
        Value::Null
    }
}

/// A form that a function reads.
#[derive(Clone, Copy, Debug)]
pub struct Read<T> {
    /// Reads a value.
    pub read: fn(&str) -> Option<T>,
    /// What the text must be.
    pub rule: &'static str,
    /// JSON Schema of the value.
    pub schema: fn() -> Value,
}

impl<T> Form for Read<T> {
    type Value = T;

    fn read(&self, text: &str) -> Option<T> {
        (self.read)(text)
    }

    fn rule(&self) -> String {
        self.rule.to_owned()
    }

    fn schema(&self) -> Value {
        (self.schema)()
    }

    fn shown(&self, _: &T) -> Value {
        Value::Null
    }
}

fn words<T>(table: &[(&'static str, T)]) -> Vec<&'static str> {
    table.iter().map(|(word, _)| *word).collect()
}

/// `a, b or c`.
fn listed(words: impl ExactSizeIterator<Item = impl ToString>) -> String {
    let words: Vec<String> = words.map(|word| word.to_string()).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_and_schemas_tell_the_bounds_that_are_read() {
        let page = Whole { least: 1, most: 50 };
        assert_eq!(
            [page.read("0"), page.read("1"), page.read("50"), page.read("51")],
            [None, Some(1), Some(50), None]
        );
        assert_eq!(page.rule(), "must be a whole number from 1 to 50");
        assert_eq!(page.schema(), json!({ "type": "integer", "minimum": 1, "maximum": 50 }));
        assert_eq!(POSITIVE.rule(), "must be a whole number from 1");
        assert_eq!(COUNT.rule(), "must be a whole number of at least 0");
        assert_eq!(Chain.rule(), "must be 57073 or 4663");
        let word = Word(&[("a", 1), ("b", 2), ("c", 3)]);
        assert_eq!((word.read("b"), word.read("d"), word.shown(&3)), (Some(2), None, json!("c")));
        assert_eq!(word.rule(), "must be a, b or c");
        let words: Words<[bool; 2]> = Words(&[("x", |both| both[0] = true), ("y", |both| both[1] = true)]);
        assert_eq!(words.read("y"), Some([false, true]));
        assert_eq!(words.read("y,x"), Some([true, true]));
        assert_eq!((words.read(""), words.read("x,")), (None, None));
    }

    #[test]
    fn absence_is_refused_empty_or_a_default() {
        let uri = "/".parse().unwrap();
        let nothing = Parameters::of(&uri).unwrap();
        let required =
            Parameter { name: "page", cause: "test-page", meaning: "", form: POSITIVE, absent: Required };
        let refusal = nothing.take(&required).unwrap_err();
        assert_eq!(refusal.message, "page is required and must be a whole number from 1");
        let optional =
            Parameter { name: "page", cause: "test-page", meaning: "", form: POSITIVE, absent: Optional };
        assert_eq!(nothing.take(&optional), Ok(None));
        let usual =
            Parameter { name: "page", cause: "test-page", meaning: "", form: POSITIVE, absent: Otherwise(7) };
        assert_eq!(nothing.take(&usual), Ok(7));
        assert_eq!(usual.described()["schema"]["default"], 7);
        assert_eq!(required.described()["required"], true);
    }
}
