//! A mutant: where it stands, and what it does there.
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Answer, change, place};

/// One change of one thing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Mutant {
    /// The service whose answers it changes.
    pub service: String,
    /// Display name of the endpoint.
    pub endpoint: String,
    /// Which answers.
    pub scope: Scope,
    /// Which part of them.
    pub part: Part,
    /// What is done to it.
    pub kind: Kind,
}

/// Which answers a mutant changes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Scope {
    /// The answer to this request.
    Answer(String),
    /// Every answer of every endpoint that has a field of this name.
    Everywhere(String),
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// The value at a JSON pointer (RFC 6901).
    Body(String),
    /// The status.
    Status,
    /// The header of this name.
    Header(String),
}

/// What is done to a part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// The field or header is taken out.
    Dropped,
    /// The value is null.
    Nulled,
    /// The value has another JSON type.
    Retyped,
    /// The number is one more.
    OffByOne,
    /// The number has the other sign.
    Sign,
    /// The last digit is another.
    LastDigit,
    /// The value is another that this field has elsewhere; its JSON text.
    OtherValue(String),
    /// Two neighbours of a list have changed places.
    Swapped,
    /// The list is followed by itself.
    Repeated,
    /// The last item of the list is missing.
    Cut,
    /// The status is another one.
    Moved,
    /// A letter has the other case.
    LetterCase,
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Dropped => "dropped",
            Self::Nulled => "nulled",
            Self::Retyped => "retyped",
            Self::OffByOne => "off-by-one",
            Self::Sign => "sign",
            Self::LastDigit => "last-digit",
            Self::OtherValue(_) => "other-value",
            Self::Swapped => "swapped",
            Self::Repeated => "repeated",
            Self::Cut => "cut",
            Self::Moved => "status-moved",
            Self::LetterCase => "letter-case",
        })
    }
}

impl Mutant {
    /// Whether it may change the answer to this request.
    #[must_use]
    pub fn concerns(&self, service: &str, request: &str) -> bool {
        match &self.scope {
            Scope::Answer(name) => self.service == service && name == request,
            // A lie about a field holds for every HTTP service.
            Scope::Everywhere(_) => service == "rest" || service == "swap",
        }
    }

    /// Changes an answer; whether it did.
    pub fn apply(&self, answer: &mut Answer<'_>) -> bool {
        match (&self.part, &self.scope) {
            (Part::Status, _) => answer.status.as_deref_mut().is_some_and(move_status),
            (Part::Header(name), _) => {
                let before = answer.headers.len();
                answer.headers.retain(|header| header != name);
                answer.headers.len() < before
            }
            (Part::Body(pointer), Scope::Answer(_)) => at(answer.body, pointer, &self.kind),
            (Part::Body(_), Scope::Everywhere(field)) => everywhere(answer.body, field, &self.kind),
        }
    }
}

fn at(body: &mut Value, pointer: &str, kind: &Kind) -> bool {
    if *kind == Kind::Dropped {
        return place::remove(body, pointer);
    }
    body.pointer_mut(pointer).is_some_and(|value| change::change(value, kind))
}

fn everywhere(body: &mut Value, field: &str, kind: &Kind) -> bool {
    match body {
        Value::Array(items) => {
            // Each of them, not only the first that changes.
            items.iter_mut().filter_map(|item| everywhere(item, field, kind).then_some(())).count() > 0
        }
        Value::Object(fields) => {
            let mut changed = match kind {
                Kind::Dropped => fields.shift_remove(field).is_some(),
                _ => fields.get_mut(field).is_some_and(|value| change::change(value, kind)),
            };
            for (_, value) in fields.iter_mut().filter(|(name, _)| *name != field) {
                changed |= everywhere(value, field, kind);
            }
            changed
        }
        _ => false,
    }
}

/// A neighbouring status of the same class.
fn move_status(status: &mut u16) -> bool {
    *status = match *status {
        200 => 203,
        400 => 422,
        404 => 410,
        other if other % 100 == 99 => other - 1,
        other => other + 1,
    };
    true
}
