//! One declaration of each input: name, type, bounds, default, meaning and refusal are declared once. The readers of query
//! strings, JSON bodies, multipart forms and control-plane orders, the OpenAPI document and the refusals all use it.
pub(crate) mod fields;
pub(crate) mod kind;
pub(crate) mod query;
pub(crate) mod time;

use serde_json::{Map, Value, json};

use crate::api::refusal::Refusal;
pub(crate) use fields::Fields;
pub(crate) use kind::{
    ACCOUNT_ADDRESS, ANY_NUMBER, AccountAddress, Boolean, COUNT, Custom, InputKind, KnownChain, OneOf,
    POSITIVE, SetOf, Strings, WholeNumber, text,
};
pub(crate) use query::Query;

/// Longest part of a refused value that is quoted to the caller, in characters.
const EXCERPT: usize = 80;

/// An input of an operation: a query parameter, a field of a JSON object, or a field of a form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<K, P> {
    pub name: &'static str,
    pub cause: &'static str,
    /// Its purpose, one sentence without the final period.
    pub meaning: &'static str,
    /// Type and bounds of its values.
    pub kind: K,
    /// Whether it is required, and the meaning of its absence.
    pub presence: P,
}

/// Whether an input is required, and the meaning of its absence.
pub(crate) trait Presence<V> {
    /// The handler's type for it.
    type Output;

    const REQUIRED: bool = false;

    /// The handler's value for an optional value; `None` when absence is refused.
    fn resolve(&self, value: Option<V>) -> Option<Self::Output>;

    /// The value that replaces an absent one.
    fn default_value(&self) -> Option<&V> {
        None
    }

    /// Cause id of the refusal of absence, if it is a separate one.
    fn missing_cause(&self) -> Option<&'static str> {
        None
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Required;

/// The input is required; its absence is refused with this cause id.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequiredOr(pub &'static str);

#[derive(Clone, Copy, Debug)]
pub(crate) struct Optional;

/// An absent input has this value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DefaultTo<T>(pub T);

impl<V> Presence<V> for Required {
    type Output = V;
    const REQUIRED: bool = true;

    fn resolve(&self, value: Option<V>) -> Option<V> {
        value
    }
}

impl<V> Presence<V> for RequiredOr {
    type Output = V;
    const REQUIRED: bool = true;

    fn resolve(&self, value: Option<V>) -> Option<V> {
        value
    }

    fn missing_cause(&self) -> Option<&'static str> {
        Some(self.0)
    }
}

impl<V> Presence<V> for Optional {
    type Output = Option<V>;

    fn resolve(&self, value: Option<V>) -> Option<Option<V>> {
        Some(value)
    }
}

impl<V: Copy> Presence<V> for DefaultTo<V> {
    type Output = V;

    fn resolve(&self, value: Option<V>) -> Option<V> {
        Some(value.unwrap_or(self.0))
    }

    fn default_value(&self) -> Option<&V> {
        Some(&self.0)
    }
}

impl<K: InputKind, P: Presence<K::Value>> Input<K, P> {
    pub(crate) fn refuse(&self, value: &str) -> Refusal {
        let excerpt: String = value.chars().take(EXCERPT).collect();
        let more = if excerpt.len() < value.len() { "…" } else { "" };
        Refusal::bad_input(self.cause, format!("{} {}", self.name, self.kind.rule()))
            .with_details(format!("got {excerpt:?}{more}"))
    }

    pub(crate) fn missing(&self) -> Refusal {
        match self.presence.missing_cause() {
            Some(cause) => Refusal::bad_input(cause, format!("{} is required", self.name)),
            None => {
                let rule = self.kind.rule();
                Refusal::bad_input(self.cause, format!("{} is required and {rule}", self.name))
            }
        }
    }

    /// Reads the text of a query parameter or of a form field; an empty one counts as absent.
    pub(crate) fn parse(&self, text: Option<&str>) -> Result<P::Output, Refusal> {
        let text = text.filter(|text| !self.kind.is_blank(text));
        let value = text.map(|text| self.kind.parse(text).ok_or_else(|| self.refuse(text))).transpose()?;
        self.resolve(value)
    }

    /// Reads a field of a JSON object.
    pub(crate) fn parse_json(&self, value: Option<&Value>) -> Result<P::Output, Refusal> {
        let read = |value: &Value| self.kind.parse_json(value).ok_or_else(|| self.refuse(&value.to_string()));
        self.resolve(value.map(read).transpose()?)
    }

    fn resolve(&self, value: Option<K::Value>) -> Result<P::Output, Refusal> {
        self.presence.resolve(value).ok_or_else(|| self.missing())
    }

    /// JSON Schema of its values, with the default.
    pub(crate) fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        if let Some(default) = self.presence.default_value() {
            schema["default"] = self.kind.to_json(default);
        }
        schema
    }

    pub(crate) fn parameter(&self) -> Value {
        let schema = self.schema();
        let mut parameter = json!({ "name": self.name, "in": "query", "description": self.meaning });
        if P::REQUIRED {
            parameter["required"] = true.into();
        } else {
            parameter["allowEmptyValue"] = true.into();
        }
        if schema["type"] == "array" {
            parameter["style"] = "form".into();
            parameter["explode"] = false.into();
        }
        parameter["schema"] = schema;
        parameter
    }
}

/// An input regardless of its type, as a field of an object.
pub(crate) trait Field {
    fn name(&self) -> &'static str;

    fn cause(&self) -> &'static str;

    fn is_required(&self) -> bool;

    /// JSON Schema with description and default.
    fn property(&self) -> Value;

    fn refuse_value(&self, value: &str) -> Refusal;
}

impl<K: InputKind, P: Presence<K::Value>> Field for Input<K, P> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn cause(&self) -> &'static str {
        self.cause
    }

    fn is_required(&self) -> bool {
        P::REQUIRED
    }

    fn property(&self) -> Value {
        let mut schema = self.schema();
        schema["description"] = self.meaning.into();
        schema
    }

    fn refuse_value(&self, value: &str) -> Refusal {
        self.refuse(value)
    }
}

pub(crate) fn body_schema(fields: &[&(dyn Field + Sync)]) -> Value {
    let properties: Map<_, _> =
        fields.iter().map(|field| (field.name().to_owned(), field.property())).collect();
    let required: Vec<_> =
        fields.iter().filter(|field| field.is_required()).map(|field| field.name()).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Boolean, DefaultTo, Field, Input, Optional, POSITIVE, Required, RequiredOr, body_schema};
    use crate::api::refusal::Reason;

    const fn page<P>(presence: P) -> Input<super::WholeNumber, P> {
        Input { name: "page", cause: "test-page", meaning: "page number", kind: POSITIVE, presence }
    }

    #[test]
    fn presence_decides_what_absence_means() {
        let refusal = page(Required).parse(None).unwrap_err();
        assert_eq!(
            (refusal.cause, &*refusal.message),
            ("test-page", "page is required and must be a whole number from 1")
        );
        let refusal = page(RequiredOr("test-missing")).parse(Some("")).unwrap_err();
        assert_eq!((refusal.cause, &*refusal.message), ("test-missing", "page is required"));
        assert_eq!(page(Optional).parse(None), Ok(None));
        assert_eq!(page(DefaultTo(7)).parse(Some("")), Ok(7));
        assert_eq!(page(DefaultTo(7)).parse_json(None), Ok(7));
    }

    #[test]
    fn refused_value_names_the_input_and_its_rule() {
        let refusal = page(Required).parse(Some("one")).unwrap_err();
        assert_eq!((refusal.reason, refusal.cause), (Reason::BadInput, "test-page"));
        assert_eq!(refusal.message, "page must be a whole number from 1");
        assert_eq!(refusal.details.as_deref(), Some("got \"one\""));
        let long = page(Required).parse(Some(&"x".repeat(100))).unwrap_err();
        assert!(long.details.unwrap().ends_with("x\"…"));
    }

    #[test]
    fn document_states_default_presence_and_bounds() {
        let default = page(DefaultTo(7)).parameter();
        assert_eq!(default["schema"]["default"], 7);
        assert_eq!((&default["allowEmptyValue"], &default["required"]), (&json!(true), &json!(null)));
        let required = page(Required).parameter();
        assert_eq!((&required["allowEmptyValue"], &required["required"]), (&json!(null), &json!(true)));
        let flag = Input {
            name: "flag",
            cause: "test-flag",
            meaning: "a flag",
            kind: Boolean,
            presence: DefaultTo(true),
        };
        let schema = body_schema(&[&page(Required) as &(dyn Field + Sync), &flag]);
        assert_eq!(schema["required"], json!(["page"]));
        assert_eq!(
            schema["properties"]["flag"],
            json!({ "type": "boolean", "default": true, "description": "a flag" })
        );
    }
}
