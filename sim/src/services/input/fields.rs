//! JSON objects: bodies of requests, and orders of the control plane, which refuse undeclared fields.
use serde_json::{Map, Value};

use super::{EXCERPT, Field, Input, InputKind, Presence};
use crate::api::refusal::Refusal;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fields {
    members: Map<String, Value>,
    /// Path of the object in the body, with a final point.
    prefix: &'static str,
}

impl Fields {
    /// The fields of a body; unknown ones are ignored.
    ///
    /// Clause: SVC-EXTRA
    #[must_use]
    pub(crate) fn new(members: Map<String, Value>) -> Self {
        Self { members, prefix: "" }
    }

    /// The fields of an order of the control plane or of an object in it, which accepts only these; null counts as absent.
    pub(crate) fn strict(
        prefix: &'static str,
        mut members: Map<String, Value>,
        known: &[&(dyn Field + Sync)],
    ) -> Result<Self, Refusal> {
        let names: Vec<&str> = known.iter().map(|field| field.name()).collect();
        if let Some(other) = members.keys().find(|name| !names.contains(&name.as_str())) {
            let excerpt: String = other.chars().take(EXCERPT).collect();
            return Err(Refusal::bad_input(
                "control-field",
                format!("{prefix}{excerpt} is not a field of this call"),
            )
            .with_details(format!("it takes {}", names.join(", "))));
        }
        members.retain(|_, value| !value.is_null());
        Ok(Self { members, prefix })
    }

    pub(crate) fn read<K: InputKind, P: Presence<K::Value>>(
        &self,
        input: &Input<K, P>,
    ) -> Result<P::Output, Refusal> {
        input
            .parse_json(self.members.get(input.name))
            .map_err(|refusal| Refusal { message: format!("{}{}", self.prefix, refusal.message), ..refusal })
    }
}
