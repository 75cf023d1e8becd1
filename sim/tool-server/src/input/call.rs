//! The arguments of one call, with numbers as the caller wrote them, and their deserializer.
use std::collections::BTreeMap;
use std::{iter, slice};

use rmcp::model::JsonObject;
use serde::de::value::SeqDeserializer;
use serde::de::{DeserializeOwned, DeserializeSeed, IntoDeserializer as _, SeqAccess, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};
use serde_json::Value;
use slipway_redaction::Redactor;

use super::ArgumentError;
use super::error::Fault;
use crate::book::Signed;
use crate::redaction;

/// Maximum length of the quoted part of an unknown name, in characters.
const MAX_NAME: usize = 40;

/// The number literals of a call, by argument: a number that passed through binary floating point is no longer exact.
#[derive(Clone, Debug, Default)]
pub(crate) struct Literals(pub(crate) BTreeMap<String, String>);

#[derive(Clone, Debug, Default)]
pub(crate) struct CallArguments {
    pub(crate) members: JsonObject,
    pub(crate) literals: Literals,
    /// Holds the transaction that the call signs.
    pub(crate) signed: Signed,
}

impl CallArguments {
    /// Refuses names that the schema lacks: a misspelt option must not fall back to its default.
    pub(crate) fn require_known(
        &self,
        schema: &JsonObject,
        redactor: &Redactor,
    ) -> Result<(), ArgumentError> {
        match self.members.keys().find(|name| schema["properties"].get(name.as_str()).is_none()) {
            Some(name) => {
                // Truncated after redaction: part of a secret would not be recognised.
                let quoted: String = redaction::sanitize(redactor, name).chars().take(MAX_NAME).collect();
                Err(ArgumentError::unknown(&quoted))
            }
            None => Ok(()),
        }
    }

    /// Reads the arguments of a tool with this schema; if several are refused, reports the first that it declares.
    pub(crate) fn read<T: DeserializeOwned>(&self, schema: &'static JsonObject) -> Result<T, ArgumentError> {
        T::deserialize(Fields { call: self, names: [].iter() }).map_err(|fault| fault.coded(schema))
    }
}

/// The arguments as the fields of a struct, in their order.
struct Fields<'call> {
    call: &'call CallArguments,
    names: slice::Iter<'static, &'static str>,
}

impl<'de> Deserializer<'de> for Fields<'_> {
    type Error = Fault;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_seq(Self { names: fields.iter(), ..self }).map_err(|fault| fault.or_missing(fields))
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_seq(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl<'de> SeqAccess<'de> for Fields<'_> {
    type Error = Fault;

    /// Ends at an absent argument, whose field then has its default or is missing; null counts as absent. A number is passed as a sequence
    /// of its literal, so that no other type reads it as text.
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Fault> {
        let Some(name) = self.names.next() else { return Ok(None) };
        let read = match self.call.members.get(*name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => seed.deserialize(text.as_str().into_deserializer()),
            Some(Value::Number(number)) => {
                let literal = self.call.literals.0.get(*name).cloned().unwrap_or_else(|| number.to_string());
                seed.deserialize(SeqDeserializer::new(iter::once(literal)))
            }
            Some(_) => seed.deserialize(().into_deserializer()),
        };
        read.map(Some).map_err(|fault: Fault| fault.at(name))
    }
}
