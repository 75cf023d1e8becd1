//! The arguments of one call, with numbers as the caller wrote them.
use std::collections::BTreeMap;

use rmcp::model::JsonObject;
use serde_json::{Number, Value};
use slipway_redaction::Redactor;

use super::{ArgumentError, Arguments};
use crate::book::Signed;
use crate::decimal::{self, DecimalError};
use crate::redaction;

/// Longest part of an unknown name that is quoted, in characters.
const MAX_NAME: usize = 40;

/// The number literals of a call, by argument: a number that has been through binary floating point is no longer exact.
#[derive(Clone, Debug, Default)]
pub(crate) struct Literals(pub(crate) BTreeMap<String, String>);

#[derive(Clone, Debug, Default)]
pub(crate) struct CallArguments {
    pub(crate) members: JsonObject,
    pub(crate) literals: Literals,
    /// Takes the transaction that the call signs.
    pub(crate) signed: Signed,
}

impl CallArguments {
    /// Refuses undeclared names: a misspelt option must not fall back to its default.
    pub(crate) fn require_known(
        &self,
        arguments: Arguments,
        redactor: &Redactor,
    ) -> Result<(), ArgumentError> {
        let known = |name: &String| arguments.iter().any(|argument| argument.name() == name);
        match self.members.keys().find(|name| !known(name)) {
            // Truncated after redaction: part of a secret would not be recognised.
            Some(name) => Err(ArgumentError::Unknown {
                argument: redaction::sanitize(redactor, name).chars().take(MAX_NAME).collect(),
            }),
            None => Ok(()),
        }
    }

    /// The value; null counts as absent.
    pub(super) fn value(&self, argument: &'static str) -> Option<&Value> {
        self.members.get(argument).filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, argument: &'static str) -> Result<Option<&str>, ArgumentError> {
        let expected = "a string";
        self.value(argument)
            .map(|value| value.as_str().ok_or(ArgumentError::Type { argument, expected }))
            .transpose()
    }

    /// A number as decimal text without an exponent.
    pub(super) fn number(&self, argument: &'static str) -> Result<Option<String>, ArgumentError> {
        match self.value(argument) {
            None => Ok(None),
            Some(Value::Number(number)) => {
                let text = self.decimal(argument, number);
                text.map(Some).ok_or(ArgumentError::Decimal { argument, reason: DecimalError::TooLarge })
            }
            Some(_) => Err(ArgumentError::Type { argument, expected: "a number" }),
        }
    }

    /// The decimal text of a number: its literal, or else the shortest text that means the same binary fraction.
    pub(super) fn decimal(&self, argument: &str, number: &Number) -> Option<String> {
        match self.literals.0.get(argument) {
            Some(literal) => decimal::without_exponent(literal),
            None => number
                .as_f64()
                .filter(|_| number.is_f64())
                .map_or_else(|| Some(number.to_string()), |value| Some(format!("{value}"))),
        }
    }
}
