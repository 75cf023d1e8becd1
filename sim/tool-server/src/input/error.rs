//! Reasons why an argument is refused.
use std::fmt::Display;

use rmcp::model::JsonObject;
use serde::de::{Error, Expected, Unexpected};
use serde_json::Value;

/// Keyword for the codes of an argument's refusals; it is not published.
pub(super) const CODES: &str = "x-codes";

/// The codes in an argument's schema.
pub(crate) fn codes(argument: &Value) -> impl DoubleEndedIterator<Item = &str> {
    argument[CODES].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// An argument does not match its declaration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct ArgumentError {
    message: String,
    pub(crate) code: &'static str,
}

impl ArgumentError {
    pub(super) fn unknown(argument: &str) -> Self {
        Self { message: format!("there is no argument {argument:?}"), code: "argument-unknown" }
    }
}

/// Serde's error about an argument, to which the deserializer of the call adds the name.
#[derive(Debug, thiserror::Error)]
#[error("{argument} {problem}")]
pub(super) struct Fault {
    argument: &'static str,
    /// Continues the name.
    problem: String,
    code: Code,
}

#[derive(Clone, Copy, Debug)]
enum Code {
    Fixed(&'static str),
    /// The argument's code for a wrong length, the first of two.
    Length(usize),
    /// The argument's code for its other bounds.
    Bounds,
}

impl Fault {
    fn new(problem: String, code: Code) -> Self {
        Self { argument: "", problem, code }
    }

    pub(super) fn at(self, argument: &'static str) -> Self {
        Self { argument, ..self }
    }

    /// Names the missing argument: a derived struct reports as a length the field at which the arguments ended.
    pub(super) fn or_missing(self, arguments: &[&'static str]) -> Self {
        match self.code {
            Code::Length(index) if self.argument.is_empty() => {
                Self::new("is required".to_owned(), Code::Fixed("argument-missing")).at(arguments[index])
            }
            _ => self,
        }
    }

    /// Adds the code, from a schema with the codes of the arguments.
    pub(super) fn coded(&self, schema: &'static JsonObject) -> ArgumentError {
        let mut own = codes(&schema["properties"][self.argument]);
        let code = match self.code {
            Code::Fixed(code) => Some(code),
            Code::Length(_) => own.next(),
            Code::Bounds => own.last(),
        };
        ArgumentError { message: self.to_string(), code: code.expect("an argument with bounds has a code") }
    }
}

impl Error for Fault {
    fn custom<T: Display>(reason: T) -> Self {
        Self::new(format!("is no exact amount: {reason}"), Code::Fixed("amount"))
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("must be {expected}"), Code::Fixed("argument-type"))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("must {expected}"), Code::Bounds)
    }

    fn invalid_length(found: usize, expected: &dyn Expected) -> Self {
        Self::new(format!("must {expected}, not {found}"), Code::Length(found))
    }
}
