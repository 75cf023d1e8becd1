//! JSON objects: bodies of requests, and orders of the control plane, which refuse undeclared fields.
use serde_json::{Map, Value};

use super::{EXCERPT, Field, Input, InputKind, Presence};
use crate::api::refusal::Refusal;

/// The meaning of a field whose value is null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nulls {
    /// A value, which hardly any kind accepts.
    Value,
    Absent,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fields {
    members: Map<String, Value>,
    nulls: Nulls,
    /// Path of the object in the body, with a final point.
    prefix: &'static str,
}

impl Fields {
    /// The fields of a body; unknown ones are ignored.
    ///
    /// Clause: SVC-EXTRA
    #[must_use]
    pub(crate) fn new(members: Map<String, Value>) -> Self {
        Self { members, nulls: Nulls::Value, prefix: "" }
    }

    /// The fields of an order of the control plane, which accepts only these; null counts as absent.
    pub(crate) fn strict(
        members: Map<String, Value>,
        known: &[&(dyn Field + Sync)],
    ) -> Result<Self, Refusal> {
        Self { members, nulls: Nulls::Absent, prefix: "" }.only(known)
    }

    /// The fields of a nested object, which accepts only these.
    pub(crate) fn nested(
        &self,
        prefix: &'static str,
        members: Map<String, Value>,
        known: &[&(dyn Field + Sync)],
    ) -> Result<Self, Refusal> {
        Self { members, nulls: self.nulls, prefix }.only(known)
    }

    fn only(self, known: &[&(dyn Field + Sync)]) -> Result<Self, Refusal> {
        let names: Vec<&str> = known.iter().map(|field| field.name()).collect();
        match self.members.keys().find(|name| !names.contains(&name.as_str())) {
            None => Ok(self),
            Some(other) => {
                let excerpt: String = other.chars().take(EXCERPT).collect();
                Err(Refusal::bad_input(
                    "control-field",
                    format!("{}{excerpt} is not a field of this call", self.prefix),
                )
                .with_details(format!("it takes {}", names.join(", "))))
            }
        }
    }

    #[must_use]
    pub(crate) fn count(&self) -> usize {
        self.members.len()
    }

    pub(crate) fn read<K: InputKind, P: Presence<K::Value>>(
        &self,
        input: &Input<K, P>,
    ) -> Result<P::Output, Refusal> {
        let value = self.members.get(input.name);
        let value = value.filter(|value| self.nulls == Nulls::Value || !value.is_null());
        input
            .parse_json(value)
            .map_err(|refusal| Refusal { message: format!("{}{}", self.prefix, refusal.message), ..refusal })
    }
}
