//! One operation of the OpenAPI document: what it takes, answers and refuses.
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{COMMON_HEADERS, RATE_LIMIT_HEADERS, refusal_response, required, shared};
use crate::api::refusal::STORE_OUT_OF_REACH;
use crate::services::http::TARGET_LIMIT;
use crate::services::input::{Field, Input, InputKind, Presence, body_schema};

/// What one method of a path does.
#[derive(Debug)]
pub struct Operation {
    pub(super) method: &'static str,
    id: &'static str,
    summary: &'static str,
    parameters: Vec<Value>,
    rules: Vec<Value>,
    body: Option<Value>,
    security: Vec<Value>,
    served: Map<String, Value>,
    refused: BTreeMap<u16, (Vec<String>, Vec<&'static str>)>,
    refused_headers: BTreeMap<u16, Map<String, Value>>,
    refused_fields: BTreeMap<u16, Map<String, Value>>,
    beyond_form: Vec<&'static str>,
    pub(super) limited: bool,
}

impl Operation {
    /// A reading operation.
    #[must_use]
    pub fn get(id: &'static str, summary: &'static str) -> Self {
        Self::new("get", id, summary)
    }

    /// A writing operation.
    #[must_use]
    pub fn post(id: &'static str, summary: &'static str) -> Self {
        Self::new("post", id, summary)
    }

    /// An operation that puts something in its place.
    #[must_use]
    pub fn put(id: &'static str, summary: &'static str) -> Self {
        Self::new("put", id, summary)
    }

    /// An operation that takes something away.
    #[must_use]
    pub fn delete(id: &'static str, summary: &'static str) -> Self {
        Self::new("delete", id, summary)
    }

    fn new(method: &'static str, id: &'static str, summary: &'static str) -> Self {
        let new = Self {
            method,
            id,
            summary,
            parameters: Vec::new(),
            rules: Vec::new(),
            body: None,
            security: Vec::new(),
            served: Map::new(),
            refused: BTreeMap::new(),
            refused_headers: BTreeMap::new(),
            refused_fields: BTreeMap::new(),
            beyond_form: Vec::new(),
            limited: false,
        };
        new.refuses(400, "a parameter is wrong, sent twice or badly encoded")
            .refuses(414, format!("the target is longer than {TARGET_LIMIT} bytes"))
    }

    /// Takes a parameter.
    #[must_use]
    pub fn takes<K: InputKind, P: Presence<K::Value>>(self, input: &Input<K, P>) -> Self {
        self.takes_written(input.parameter())
    }

    /// Takes a parameter object.
    #[must_use]
    pub fn takes_written(mut self, parameter: Value) -> Self {
        self.parameters.push(parameter);
        self
    }

    /// Binds several parameters: exactly one of them is sent.
    #[must_use]
    pub fn exactly_one_of(mut self, names: &[&str]) -> Self {
        self.rules.push(json!({ "exactlyOneOf": names }));
        self
    }

    /// Binds two parameters: they differ, letter case aside.
    #[must_use]
    pub fn distinct(mut self, names: [&str; 2]) -> Self {
        self.rules.push(json!({ "distinct": names }));
        self
    }

    /// Binds two parameters: the first is not above the second.
    #[must_use]
    pub fn ordered(mut self, names: [&str; 2]) -> Self {
        self.rules.push(json!({ "ordered": names }));
        self
    }

    /// Binds two parameters: where the first has a value, the second is sent.
    #[must_use]
    pub fn needs(mut self, when: &str, is: bool, needed: &str) -> Self {
        self.rules.push(json!({ "when": { when: is }, "required": needed }));
        self
    }

    /// Takes a body of a media type and of at most so many bytes.
    #[must_use]
    pub fn body(mut self, media_type: &str, schema: Value, most: usize) -> Self {
        self.body = Some(json!({
            "required": true,
            "content": { media_type: { "schema": schema } },
            "x-max-bytes": most,
        }));
        self.refuses(400, "a field of the body is missing or wrong")
            .refuses(408, "the body took too long to arrive")
            .refuses(413, "the body is too large")
            .refuses(415, format!("the body does not say that it is {media_type}, or is compressed"))
    }

    /// Takes an object with these fields and no others, of at most so many bytes; nothing counts as an empty object, and
    /// the media type does not matter.
    #[must_use]
    pub fn order(mut self, fields: &[&(dyn Field + Sync)], most: usize) -> Self {
        let mut schema = body_schema(fields);
        schema["additionalProperties"] = false.into();
        self.body = Some(json!({
            "required": fields.iter().any(|field| field.is_required()),
            "content": { "application/json": { "schema": schema } },
            "x-max-bytes": most,
        }));
        self.refuses(400, "a field is missing, wrong or unknown")
            .refuses(408, "the body took too long to arrive")
            .refuses(413, "the body is too large")
    }

    /// Takes a part of its path.
    #[must_use]
    pub fn in_path(self, name: &str, description: &str, schema: &Value) -> Self {
        let (name, description) = (name.to_owned(), description.to_owned());
        self.takes_written(json!({
            "name": name, "in": "path", "required": true, "description": description, "schema": schema,
        }))
    }

    /// Asks for any of these proofs; none at all is enough where an empty name is among them.
    #[must_use]
    pub fn proven_by(mut self, schemes: &[&str]) -> Self {
        self.security = schemes
            .iter()
            .map(|scheme| if scheme.is_empty() { json!({}) } else { json!({ *scheme: [] }) })
            .collect();
        self
    }

    /// Serves JSON.
    #[must_use]
    pub fn serves(self, description: &str, schema: Value) -> Self {
        self.serves_as(200, description, [("application/json", schema)])
    }

    /// Serves any of some media types, or nothing.
    #[must_use]
    pub fn serves_as<const N: usize>(
        mut self,
        status: u16,
        description: &str,
        content: [(&str, Value); N],
    ) -> Self {
        let mut response = json!({
            "description": description,
            "headers": shared(&COMMON_HEADERS).collect::<Map<_, _>>(),
        });
        for (media_type, schema) in content {
            response["content"][media_type] = json!({ "schema": schema });
        }
        self.served.insert(status.to_string(), response);
        self
    }

    /// Every answer so far served has this header.
    #[must_use]
    pub fn with_header(mut self, name: &str, description: &str, schema: &Value) -> Self {
        for response in self.served.values_mut() {
            let (name, header) = required(name, description, schema.clone());
            response["headers"][name] = header;
        }
        self
    }

    /// Answers refused with this status have this header.
    #[must_use]
    pub fn refused_with_header(mut self, status: u16, name: &str, description: &str, schema: Value) -> Self {
        let headers = self.refused_headers.entry(status).or_default();
        headers.extend([required(name, description, schema)]);
        self
    }

    /// The body of a refusal with this status may have one more field.
    #[must_use]
    pub fn refusal_may_carry(mut self, status: u16, name: &str, schema: Value) -> Self {
        self.refused_fields.entry(status).or_default().insert(name.to_owned(), schema);
        self
    }

    /// Refuses.
    #[must_use]
    pub fn refuses(mut self, status: u16, description: impl Into<String>) -> Self {
        self.refused.entry(status).or_default().0.push(description.into());
        self
    }

    /// Reads or writes the store, which may be out of reach.
    #[must_use]
    pub fn stored(self) -> Self {
        self.fails(503, STORE_OUT_OF_REACH, &[STORE_OUT_OF_REACH])
    }

    /// A request of the right form may be refused with 400 and this message.
    #[must_use]
    pub fn refuses_beyond_form(mut self, message: &'static str) -> Self {
        self.beyond_form.push(message);
        self.refuses(400, message)
    }

    /// Refuses with other statuses than those stated so far.
    #[must_use]
    pub fn with_statuses(mut self, status: fn(u16) -> u16) -> Self {
        for (stated, (descriptions, messages)) in std::mem::take(&mut self.refused) {
            let (all_descriptions, all_messages) = self.refused.entry(status(stated)).or_default();
            all_descriptions.extend(descriptions);
            all_messages.extend(messages);
        }
        self
    }

    /// Fails, with one of these messages and no other.
    #[must_use]
    pub fn fails(mut self, status: u16, description: &str, messages: &[&'static str]) -> Self {
        let (descriptions, known) = self.refused.entry(status).or_default();
        descriptions.push(description.to_owned());
        known.extend(messages);
        self
    }

    /// Has its own rate limit; every response has its headers.
    #[must_use]
    pub fn limited(mut self) -> Self {
        self.limited = true;
        self.refuses(429, "the caller's limit is used up")
    }

    /// The operation object.
    pub(super) fn into_json(mut self) -> Value {
        let mut operation = json!({ "operationId": self.id, "summary": self.summary });
        if !self.parameters.is_empty() {
            operation["parameters"] = self.parameters.into();
        }
        if let Some(body) = self.body {
            operation["requestBody"] = body;
        }
        if !self.security.is_empty() {
            operation["security"] = self.security.into();
        }
        if !self.rules.is_empty() {
            operation["x-rules"] = self.rules.into();
        }
        let mut responses = self.served;
        if self.limited {
            for response in responses.values_mut() {
                for (name, header) in shared(&RATE_LIMIT_HEADERS) {
                    response["headers"][name] = header;
                }
            }
        }
        for (status, (descriptions, messages)) in &self.refused {
            let headers = self.refused_headers.remove(status).unwrap_or_default();
            let mut response = refusal_response(*status, &descriptions.join("; "), headers, messages);
            for (name, schema) in self.refused_fields.remove(status).unwrap_or_default() {
                response["content"]["application/json"]["schema"]["properties"][name] = schema;
            }
            if *status == 400 && !self.beyond_form.is_empty() {
                response["x-beyond-form"] = json!(self.beyond_form);
            }
            responses.insert(status.to_string(), response);
        }
        operation["responses"] = responses.into();
        operation
    }
}
