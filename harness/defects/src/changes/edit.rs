//! Named changes of a value, of a whole answer, or of the time it is sent.
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::json::change_text;

/// The changes that `do` may name.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Edit {
    /// The member, the item or the parameter is left out.
    Dropped,
    /// The value is null.
    Null,
    /// The number is twice as large.
    Doubled,
    /// The number is half as large.
    Halved,
    /// The number is one more.
    OneMore,
    /// `true` is `false`, and the other way round.
    Negated,
    /// The text has a letter more.
    AnotherText,
    /// The address is one that nobody has.
    AnotherAddress,
    /// The last digit of the hash is another one.
    AnotherHash,
    /// The time is a year earlier.
    AYearEarlier,
    /// The JSON of the value is written as a text.
    AsText,
    /// The text is in small letters.
    LowerCase,
    /// The list is in the opposite order.
    Reversed,
    /// The number is multiplied by this one.
    Times(f64),
    /// This whole number is added.
    More(i64),
    /// A larger number is this one.
    AtMost(i64),
    /// A smaller number is this one.
    AtLeast(i64),
    /// The number has this many decimal places.
    Rounded(u8),
    /// The value, if present, is replaced with this one.
    Set(Value),
    /// The value is this one, whether there was one or not.
    Put(Value),
    /// The value, if missing, is added as this one.
    Default(Value),
    /// The value is the other one of these two.
    OtherOf([Value; 2]),
    /// The text ends with this one more.
    Appended(String),
    /// The first text is replaced by the second, once.
    Replaced([String; 2]),
    /// The list or the text has at most this many items or characters, the first ones.
    Cut(usize),
    /// The value becomes the value of this member of the same object.
    Copied(String),
    /// The value and the value of this member of the same object change places.
    Exchanged(String),
    /// The value is in a member of this name, in an object with no other.
    Wrapped(String),
    /// The value is replaced with its own member of this name.
    Unwrapped(String),
    /// The answer has this status.
    Status(u16),
    /// The answer is a refusal.
    Refused(Refusal),
    /// The answer is a success with this body.
    Answered(Value),
    /// The answer has these headers.
    Header(BTreeMap<String, String>),
    /// The answer does not have these headers.
    WithoutHeader(Vec<String>),
    /// The calls that the row names are answered with this error of JSON-RPC.
    Error(RpcError),
    /// These variables of the tool server have these values.
    Variable(BTreeMap<String, String>),
    /// The request is held back for this many milliseconds.
    WaitMs(u64),
    /// The act of this name: our own files only.
    #[schemars(skip)]
    Code(String),
}

/// A refusal in the form of the interface.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Refusal {
    /// Its status.
    pub(crate) status: u16,
    /// Its message.
    pub(crate) error: String,
}

/// An error of JSON-RPC.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RpcError {
    /// Its code.
    pub(crate) code: i64,
    /// Its message.
    pub(crate) message: String,
}

/// What happens to a value: it stays or is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Kept,
    Dropped,
}

/// The target of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// The value at a place.
    Value,
    /// The whole answer.
    Answer,
    /// The whole exchange.
    Exchange,
}

impl Edit {
    pub(super) fn scope(&self) -> Scope {
        match self {
            Self::Status(_)
            | Self::Refused(_)
            | Self::Answered(_)
            | Self::Header(_)
            | Self::WithoutHeader(_)
            | Self::Error(_) => Scope::Answer,
            Self::Variable(_) | Self::WaitMs(_) | Self::Code(_) => Scope::Exchange,
            _ => Scope::Value,
        }
    }

    /// Changes a value that is present. Null counts as absent: only edits that replace or drop the value change it.
    pub(super) fn change(&self, value: &mut Value) -> Fate {
        match self {
            Self::Dropped => return Fate::Dropped,
            Self::Null => *value = Value::Null,
            Self::Put(put) => value.clone_from(put),
            _ if !value.is_null() => self.change_known(value),
            Self::Default(default) => value.clone_from(default),
            _ => {}
        }
        Fate::Kept
    }

    fn change_known(&self, value: &mut Value) {
        match self {
            Self::Doubled => times(value, 2.0),
            Self::Halved => times(value, 0.5),
            Self::Times(factor) => times(value, *factor),
            Self::OneMore => more(value, 1),
            Self::More(number) => more(value, *number),
            Self::AtMost(most) => bound(value, |number| number.min(*most)),
            Self::AtLeast(least) => bound(value, |number| number.max(*least)),
            Self::Rounded(places) => round(value, *places),
            Self::Negated => {
                if let Value::Bool(flag) = value {
                    *flag = !*flag;
                }
            }
            Self::AnotherText => change_text(value, |text| format!("{text}x")),
            Self::Appended(more) => change_text(value, |text| format!("{text}{more}")),
            Self::Replaced([from, to]) => change_text(value, |text| text.replacen(from, to, 1)),
            Self::LowerCase => change_text(value, str::to_lowercase),
            Self::AnotherAddress => *value = json!("0x0000000000000000000000000000000000000bad"),
            Self::AnotherHash => change_text(value, another_hash),
            Self::AYearEarlier => change_text(value, a_year_earlier),
            Self::AsText => *value = value.to_string().into(),
            Self::Reversed => {
                if let Value::Array(items) = value {
                    items.reverse();
                }
            }
            Self::Cut(most) => match value {
                Value::Array(items) => items.truncate(*most),
                other => change_text(other, |text| text.chars().take(*most).collect()),
            },
            Self::Set(set) => value.clone_from(set),
            Self::Wrapped(name) => *value = json!({ name: value.take() }),
            Self::Unwrapped(name) => {
                if let Some(member) = value.get_mut(name) {
                    *value = member.take();
                }
            }
            Self::OtherOf([one, other]) => *value = if value == one { other.clone() } else { one.clone() },
            _ => {}
        }
    }

    /// Whether the edit can add a member.
    pub(super) fn can_add(&self) -> bool {
        matches!(self, Self::Put(_) | Self::Default(_) | Self::Copied(_) | Self::Exchanged(_))
    }

    /// The value that the edit adds where the member is missing.
    pub(super) fn added(&self) -> Option<&Value> {
        match self {
            Self::Put(value) | Self::Default(value) => Some(value),
            Self::Null => Some(&Value::Null),
            _ => None,
        }
    }

    /// The other member of the same object that the edit reads.
    pub(super) fn sibling(&self) -> Option<&str> {
        match self {
            Self::Copied(name) | Self::Exchanged(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn change_beside(&self, members: &mut Map<String, Value>, name: &str, other: &str) {
        if let Self::Copied(_) = self {
            if let Some(beside) = members.get(other).cloned() {
                members.insert(name.to_owned(), beside);
            }
            return;
        }
        let values = [members.get(name).cloned(), members.get(other).cloned()];
        for (name, value) in [other, name].into_iter().zip(values) {
            match value {
                Some(value) => _ = members.insert(name.to_owned(), value),
                None => _ = members.shift_remove(name),
            }
        }
    }
}

/// Multiplies a number, or a text that is a whole number; whole numbers stay whole if the factor is whole.
fn times(value: &mut Value, factor: f64) {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "only a whole factor is used as one"
    )]
    let whole = (factor >= 0.0 && factor.fract() == 0.0).then_some(factor as u64);
    match (whole, value.as_u64()) {
        (Some(whole), Some(number)) => *value = json!(number.saturating_mul(whole)),
        _ => {
            if let Some(number) = value.as_f64() {
                *value = json!(number * factor);
            } else if let Some(whole) = whole {
                let product = |number: u128| number.saturating_mul(u128::from(whole)).to_string();
                change_text(value, |text| text.parse().map_or_else(|_| text.to_owned(), product));
            }
        }
    }
}

/// Adds to a number, to a text that is a whole number, or to a quantity of JSON-RPC.
fn more(value: &mut Value, more: i64) {
    if let Some(number) = value.as_u64().and_then(|number| number.checked_add_signed(more)) {
        *value = json!(number);
    } else if let Some(number) = value.as_f64() {
        #[expect(clippy::cast_precision_loss, reason = "what is added is small")]
        let sum = number + more as f64;
        *value = json!(sum);
    } else {
        let sum = |number: u128| number.saturating_add_signed(more.into());
        change_text(value, |text| {
            let sum = match text.strip_prefix("0x") {
                Some(digits) => u128::from_str_radix(digits, 16).map(|number| format!("{:#x}", sum(number))),
                None => text.parse().map(|number| sum(number).to_string()),
            };
            sum.unwrap_or_else(|_| text.to_owned())
        });
    }
}

/// Bounds a number, or a text that is a whole number; a value within the bound keeps its form.
fn bound(value: &mut Value, bounded: impl Fn(i64) -> i64) {
    let bounded = |number: i64| Some(bounded(number)).filter(|bound| *bound != number);
    match value {
        Value::String(text) => {
            if let Some(bound) = text.parse().ok().and_then(bounded) {
                *text = bound.to_string();
            }
        }
        number => {
            #[expect(clippy::cast_possible_truncation, reason = "a bound is looked for beyond the number")]
            let edges = number.as_f64().map(|number| [number.floor() as i64, number.ceil() as i64]);
            let bound = edges.and_then(|edges| edges.into_iter().find_map(bounded));
            if let Some(bound) = bound {
                *number = json!(bound);
            }
        }
    }
}

fn round(value: &mut Value, places: u8) {
    let parts = 10_f64.powi(places.into());
    if let Some(number) = value.as_f64() {
        *value = json!((number * parts).round() / parts);
    }
}

fn another_hash(text: &str) -> String {
    let mut text = text.to_owned();
    let last = if text.pop() == Some('0') { '1' } else { '0' };
    text.push(last);
    text
}

/// The same day a year earlier; a text that does not begin with a year stays as it is.
fn a_year_earlier(text: &str) -> String {
    let parts = text.get(..4).and_then(|year| year.parse::<u32>().ok()?.checked_sub(1)).zip(text.get(4..));
    parts.map_or_else(|| text.to_owned(), |(year, rest)| format!("{year:04}{rest}"))
}
