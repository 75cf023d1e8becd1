//! Which exchanges a change concerns: every condition of `on` must hold.
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use hyper::header::HeaderMap;
use schemars::JsonSchema;
use serde::de::value::{SeqAccessDeserializer, StrDeserializer};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::http::exchange::{ProxiedResponse, RequestParts};

/// Conditions; one that is left out always holds.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct On {
    /// The path of the request, or several; one that ends with `*` is any path that begins so. For the tool server: of its request to
    /// the service.
    pub(crate) path: Option<OneOrMany<String>>,
    /// The method of the request.
    pub(crate) method: Option<String>,
    /// Parameters of the query: a value, or whether there is one.
    pub(crate) query: BTreeMap<String, Wanted>,
    /// Headers of the request: a value, or whether there is one.
    pub(crate) header: BTreeMap<String, Wanted>,
    /// Values in the body of the request, by JSON pointer.
    pub(crate) request: BTreeMap<String, Value>,
    /// The status of the answer: a number, `"ok"` for 200, `"refusal"` for 400 to 599.
    pub(crate) status: Option<Status>,
    /// Headers of the answer: a value, or whether there is one.
    pub(crate) answer_header: BTreeMap<String, Wanted>,
    /// Values in the body of the answer, by JSON pointer.
    pub(crate) answer: BTreeMap<String, Value>,
    /// The method of a call to the RPC of a chain, or several; one that ends with `*` is any method that begins so.
    pub(crate) rpc: Option<OneOrMany<String>>,
    /// The tool that is called, or several.
    pub(crate) tool: Option<OneOrMany<String>>,
    /// The method of a message to the tool server.
    pub(crate) message: Option<String>,
}

impl On {
    /// Whether exchanges on this path can be affected.
    pub(crate) fn path(&self, path: &str) -> bool {
        self.path.as_ref().is_none_or(|wanted| wanted.matches(path))
    }

    pub(crate) fn request(&self, request: &RequestParts) -> bool {
        let is_method = self.method.as_ref().is_none_or(|method| request.method().as_str() == method);
        let query = |(name, wanted): (&String, &Wanted)| wanted.holds(request.get(name));
        self.path(&request.path)
            && is_method
            && self.query.iter().all(query)
            && all_headers(&self.header, request.headers())
            && all_values(&self.request, &request.body)
    }

    pub(crate) fn answer(&self, answer: &ProxiedResponse) -> bool {
        self.status.is_none_or(|status| status.is(answer.status.as_u16()))
            && all_headers(&self.answer_header, &answer.headers)
            && all_values(&self.answer, &answer.body)
    }

    /// The first condition on an answer; the answer is not known yet when a request is changed.
    pub(super) fn condition_of_answer(&self) -> Option<&'static str> {
        let conditions = [
            ("status", self.status.is_some()),
            ("answer_header", !self.answer_header.is_empty()),
            ("answer", !self.answer.is_empty()),
        ];
        conditions.into_iter().find_map(|(name, is_given)| is_given.then_some(name))
    }
}

fn all_headers(wanted: &BTreeMap<String, Wanted>, headers: &HeaderMap) -> bool {
    wanted
        .iter()
        .all(|(name, wanted)| wanted.holds(headers.get(name).map(|value| value.to_str().unwrap_or(""))))
}

fn all_values(wanted: &BTreeMap<String, Value>, body: &Value) -> bool {
    wanted.iter().all(|(pointer, wanted)| body.pointer(pointer) == Some(wanted))
}

/// Whether a text equals the wanted one, or begins with it if the wanted one ends with `*`.
fn is_like(text: &str, wanted: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(prefix) => text.starts_with(prefix),
        None => text == wanted,
    }
}

/// A value, or whether there is any.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(untagged)]
pub(crate) enum Wanted {
    /// Whether there is one.
    Present(bool),
    /// This text, or a text with this prefix if it ends with `*`.
    Text(String),
}

impl Wanted {
    fn holds(&self, found: Option<&str>) -> bool {
        match self {
            Self::Present(present) => found.is_some() == *present,
            Self::Text(text) => found.is_some_and(|found| is_like(found, text)),
        }
    }
}

impl<'de> Deserialize<'de> for Wanted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfText;
        impl Visitor<'_> for OfText {
            type Value = Wanted;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text, true or false")
            }

            fn visit_bool<E: Error>(self, present: bool) -> Result<Wanted, E> {
                Ok(Wanted::Present(present))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Wanted, E> {
                Ok(Wanted::Text(text.to_owned()))
            }
        }
        deserializer.deserialize_any(OfText)
    }
}

/// The status of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(untagged)]
pub(crate) enum Status {
    /// This one.
    Is(u16),
    /// Any status of a kind.
    Kind(StatusKind),
}

/// Statuses in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StatusKind {
    /// 200.
    Ok,
    /// 400 to 599.
    Refusal,
}

impl Status {
    fn is(self, status: u16) -> bool {
        match self {
            Self::Is(wanted) => status == wanted,
            Self::Kind(StatusKind::Ok) => status == 200,
            Self::Kind(StatusKind::Refusal) => (400..600).contains(&status),
        }
    }
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfNumber;
        impl Visitor<'_> for OfNumber {
            type Value = Status;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a status from 100 to 599, \"ok\" or \"refusal\"")
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Status, E> {
                let status = u16::try_from(number).ok().filter(|status| (100..600).contains(status));
                let status =
                    status.ok_or_else(|| E::invalid_value(serde::de::Unexpected::Signed(number), &self))?;
                Ok(Status::Is(status))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Status, E> {
                self.visit_i64(i64::try_from(number).unwrap_or(i64::MAX))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Status, E> {
                StatusKind::deserialize(StrDeserializer::new(text)).map(Status::Kind)
            }
        }
        deserializer.deserialize_any(OfNumber)
    }
}

/// One, or several in a list.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(untagged)]
pub(crate) enum OneOrMany<T> {
    /// One.
    One(T),
    /// Several.
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    pub(crate) fn as_slice(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

impl OneOrMany<String> {
    /// Whether the text equals one of these, or begins with one that ends with `*`.
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.as_slice().iter().any(|wanted| is_like(text, wanted))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfBoth<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for OfBoth<T> {
            type Value = OneOrMany<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text or a list of texts")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<OneOrMany<T>, E> {
                T::deserialize(StrDeserializer::new(text)).map(OneOrMany::One)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<OneOrMany<T>, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(items)).map(OneOrMany::Many)
            }
        }
        deserializer.deserialize_any(OfBoth(PhantomData))
    }
}
