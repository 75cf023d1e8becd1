//! Kinds of arguments: the schema and the reader of each.
use std::fmt;
use std::ops::RangeInclusive;

use alloy::primitives::U256;
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::{Argument, ArgumentError, CallArguments, object};
use crate::decimal::{self, Scaled};
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

/// The characters allowed in a text.
pub(crate) struct Alphabet {
    /// The whole text as a regular expression.
    pub(crate) pattern: &'static str,
    pub(crate) allows: fn(char) -> bool,
    /// The requirement, continuing "must".
    pub(crate) constraint: &'static str,
    pub(crate) code: &'static str,
}

/// A text; an optional one may be empty, which means absent.
pub(crate) struct Text {
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    /// Length in Unicode scalar values.
    pub(crate) length: RangeInclusive<usize>,
    pub(crate) alphabet: Option<Alphabet>,
    pub(crate) required: bool,
    /// Stable code of a refusal for the length.
    pub(crate) code: &'static str,
}

/// An https URL; an optional one may be empty, which means absent. Reading does not check it: that needs a name server.
pub(crate) struct Link {
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) required: bool,
}

/// A whole number; `5.0` is allowed.
pub(crate) struct Integer {
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) range: RangeInclusive<u64>,
    pub(crate) default: u64,
    pub(crate) code: &'static str,
}

/// One of a few whole numbers.
pub(crate) struct Choice {
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) options: &'static [u64],
    pub(crate) default: u64,
    pub(crate) code: &'static str,
}

/// What happens to decimal places beyond the smallest unit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// They are refused.
    Exact,
    /// They are rounded half up. The bounds apply to the number before rounding.
    HalfUp,
}

/// A decimal number, read as an integer of its smallest unit.
pub(crate) struct Decimal {
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    /// Decimal places of the smallest unit.
    pub(crate) places: usize,
    pub(crate) rounding: Rounding,
    /// Bounds in the smallest unit.
    pub(crate) range: RangeInclusive<u128>,
    /// In the smallest unit; `None` when the argument is required. A default outside the range is also allowed.
    pub(crate) default: Option<u128>,
    pub(crate) code: &'static str,
}

/// The only accepted text.
pub(crate) struct Literal {
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) text: &'static str,
}

/// The number of a launch: a JSON number, or decimal text when it is large.
pub(crate) struct LaunchNumber {
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) code: &'static str,
}

fn bounds(argument: &'static str, constraint: impl fmt::Display, code: &'static str) -> ArgumentError {
    ArgumentError::Bounds { argument, constraint: constraint.to_string(), code }
}

macro_rules! argument {
    ($kind:ty, $required:expr, $codes:expr, $keywords:expr) => {
        impl Argument for $kind {
            fn name(&self) -> &'static str {
                self.name
            }

            fn meaning(&self) -> &'static str {
                self.meaning
            }

            fn is_required(&self) -> bool {
                let required: fn(&Self) -> bool = $required;
                required(self)
            }

            fn codes(&self) -> Vec<&'static str> {
                let codes: fn(&Self) -> Vec<&'static str> = $codes;
                codes(self)
            }

            fn keywords(&self) -> JsonObject {
                let keywords: fn(&Self) -> Value = $keywords;
                object(keywords(self))
            }
        }
    };
}

argument!(Text, |text| text.required, |text| text.codes(), |text| {
    let mut schema = json!({ "type": "string" });
    if text.required {
        schema["minLength"] = json!(text.length.start());
    }
    schema["maxLength"] = json!(text.length.end());
    if let Some(alphabet) = &text.alphabet {
        schema["pattern"] = json!(alphabet.pattern);
    }
    if !text.required {
        schema["default"] = json!("");
    }
    schema
});

argument!(Link, |link| link.required, |_| LINK_CODES.to_vec(), |link| match link.required {
    true => json!({
        "type": "string", "format": "uri", "minLength": 9, "maxLength": MAX_URL, "pattern": "^[hH][tT][tT][pP][sS]://",
    }),
    false => json!({
        "type": "string", "maxLength": MAX_URL, "pattern": "^([hH][tT][tT][pP][sS]://.+)?$", "default": "",
    }),
});

argument!(Integer, |_| false, |integer| vec![integer.code], |integer| json!({
    "type": "integer", "minimum": integer.range.start(), "maximum": integer.range.end(), "default": integer.default,
}));

argument!(Choice, |_| false, |choice| vec![choice.code], |choice| json!({
    "type": "integer", "enum": choice.options, "default": choice.default,
}));

argument!(Decimal, |decimal| decimal.default.is_none(), |decimal| vec![decimal.code], |decimal| {
    let (low, high) = (decimal.json(*decimal.range.start()), decimal.json(*decimal.range.end()));
    match decimal.default {
        None => json!({ "type": "number", "minimum": low, "maximum": high }),
        Some(default) if decimal.range.contains(&default) => {
            json!({ "type": "number", "minimum": low, "maximum": high, "default": decimal.json(default) })
        }
        Some(default) => {
            let default = decimal.json(default);
            let alternatives = json!([{ "const": default }, { "minimum": low }]);
            json!({
                "type": "number", "minimum": default, "maximum": high, "anyOf": alternatives, "default": default,
            })
        }
    }
});

argument!(
    Literal,
    |_| true,
    |_| vec!["not-confirmed"],
    |literal| json!({ "type": "string", "const": literal.text })
);

argument!(LaunchNumber, |_| true, |number| vec![number.code], |_| json!({
    "anyOf": [
        { "type": "integer", "minimum": 1, "maximum": u64::MAX },
        { "type": "string", "minLength": 1, "maxLength": MAX_LAUNCH_ID_DIGITS, "pattern": "^0*[1-9][0-9]*$" },
    ],
}));

impl Text {
    fn codes(&self) -> Vec<&'static str> {
        let mut codes = vec![self.code];
        codes.extend(self.alphabet.iter().map(|alphabet| alphabet.code));
        codes.dedup();
        codes
    }

    /// The text; empty when it is optional and absent.
    pub(crate) fn read(&self, call: &CallArguments) -> Result<String, ArgumentError> {
        let text = match call.text(self.name)? {
            Some(text) if self.required || !text.is_empty() => text,
            None if self.required => return Err(ArgumentError::Missing { argument: self.name }),
            _ => return Ok(String::new()),
        };
        let (least, most, found) = (self.length.start(), self.length.end(), text.chars().count());
        if !self.length.contains(&found) {
            let constraint = format_args!("have {least} to {most} characters, not {found}");
            return Err(bounds(self.name, constraint, self.code));
        }
        match &self.alphabet {
            Some(alphabet) if !text.chars().all(alphabet.allows) => {
                Err(bounds(self.name, alphabet.constraint, alphabet.code))
            }
            _ => Ok(text.to_owned()),
        }
    }
}

impl Link {
    /// The link as written; empty when it is optional and absent.
    pub(crate) fn read(&self, call: &CallArguments) -> Result<String, ArgumentError> {
        match call.text(self.name)? {
            None if self.required => Err(ArgumentError::Missing { argument: self.name }),
            text => Ok(text.unwrap_or_default().to_owned()),
        }
    }
}

/// A whole number, or `None` when it is negative or above 64 bits.
fn whole(call: &CallArguments, argument: &'static str, default: u64) -> Result<Option<u64>, ArgumentError> {
    let Some(text) = call.number(argument)? else {
        return Ok(Some(default));
    };
    let magnitude = decimal::exact(text.trim_start_matches('-'), 0)
        .map_err(|_| ArgumentError::Type { argument, expected: "a whole number" })?;
    let negative = text.starts_with('-') && magnitude != 0;
    Ok(u64::try_from(magnitude).ok().filter(|_| !negative))
}

impl Integer {
    /// The number, or its default.
    pub(crate) fn read(&self, call: &CallArguments) -> Result<u64, ArgumentError> {
        let (least, most) = (self.range.start(), self.range.end());
        whole(call, self.name, self.default)?
            .filter(|found| self.range.contains(found))
            .ok_or_else(|| bounds(self.name, format_args!("be from {least} to {most}"), self.code))
    }
}

impl Choice {
    /// The number, or its default.
    pub(crate) fn read(&self, call: &CallArguments) -> Result<u64, ArgumentError> {
        let found = whole(call, self.name, self.default)?.filter(|found| self.options.contains(found));
        found.ok_or_else(|| {
            let options: Vec<String> = self.options.iter().map(ToString::to_string).collect();
            bounds(self.name, format_args!("be one of {}", options.join(", ")), self.code)
        })
    }
}

impl Decimal {
    /// A number of the smallest unit as a JSON number.
    fn json(&self, scaled: u128) -> Value {
        serde_json::from_str(&self.text(scaled)).expect("a plain decimal is a JSON number")
    }

    fn text(&self, scaled: u128) -> String {
        decimal::format(U256::from(scaled), self.places)
    }

    /// The number in its smallest unit, or its default.
    pub(crate) fn read(&self, call: &CallArguments) -> Result<u128, ArgumentError> {
        let argument = self.name;
        let Some(text) = call.number(argument)? else {
            return self.default.ok_or(ArgumentError::Missing { argument });
        };
        let inexact = |reason| ArgumentError::Decimal { argument, reason };
        let scaled = Scaled::parse(&text, self.places).map_err(inexact)?;
        if self.rounding == Rounding::Exact && scaled.inexact {
            return Err(inexact(decimal::DecimalError::TooPrecise { places: self.places }));
        }
        let is_default = self.default == Some(scaled.floor) && !scaled.inexact;
        // Rounding must not move a number back into the range.
        let above = scaled.floor == *self.range.end() && scaled.inexact;
        if is_default || (self.range.contains(&scaled.floor) && !above) {
            Ok(scaled.half_up())
        } else {
            Err(bounds(argument, self.constraint(), self.code))
        }
    }

    fn constraint(&self) -> String {
        let range = format!("from {} to {}", self.text(*self.range.start()), self.text(*self.range.end()));
        match self.default {
            Some(default) if !self.range.contains(&default) => {
                format!("be {} or {range}", self.text(default))
            }
            _ => format!("be {range}"),
        }
    }
}

impl Literal {
    pub(crate) fn is_given(&self, call: &CallArguments) -> bool {
        call.value(self.name).and_then(Value::as_str) == Some(self.text)
    }
}

impl LaunchNumber {
    /// The number, which is not zero.
    pub(crate) fn read(&self, call: &CallArguments) -> Result<U256, ArgumentError> {
        let refused = || {
            let constraint = "be a whole number from 1, as a number or as decimal text";
            bounds(self.name, constraint, self.code)
        };
        let text = match call.value(self.name) {
            None => return Err(ArgumentError::Missing { argument: self.name }),
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => call.decimal(self.name, number).unwrap_or_default(),
            Some(_) => return Err(refused()),
        };
        let digits = !text.is_empty()
            && text.len() <= MAX_LAUNCH_ID_DIGITS
            && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.then(|| U256::from_str_radix(&text, 10).ok()).flatten();
        number.filter(|number| !number.is_zero()).ok_or_else(refused)
    }
}
