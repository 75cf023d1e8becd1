//! Builds one operation of the OpenAPI document: its inputs, answers and refusals.
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{COMMON_HEADERS, RATE_LIMIT_HEADERS, refusal_response, required, shared};
use crate::api::refusal::STORE_OUT_OF_REACH;
use crate::services::http::TARGET_LIMIT;
use crate::services::input::{Declared, Inputs};

/// The description of one method of a path.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(super) method: &'static str,
    id: &'static str,
    summary: &'static str,
    parameters: Vec<Value>,
    body: Option<Value>,
    security: Vec<Value>,
    served: Map<String, Value>,
    refused: BTreeMap<u16, (Vec<String>, Vec<&'static str>)>,
    refused_headers: BTreeMap<u16, Map<String, Value>>,
    refused_fields: BTreeMap<u16, Map<String, Value>>,
    pub(super) limited: bool,
}

impl Operation {
    #[must_use]
    pub(crate) fn get(id: &'static str, summary: &'static str) -> Self {
        Self::new("get", id, summary)
    }

    #[must_use]
    pub(crate) fn post(id: &'static str, summary: &'static str) -> Self {
        Self::new("post", id, summary)
    }

    /// Starts an operation that creates or replaces an item.
    #[must_use]
    pub(crate) fn put(id: &'static str, summary: &'static str) -> Self {
        Self::new("put", id, summary)
    }

    #[must_use]
    pub(crate) fn delete(id: &'static str, summary: &'static str) -> Self {
        Self::new("delete", id, summary)
    }

    fn new(method: &'static str, id: &'static str, summary: &'static str) -> Self {
        let new = Self {
            method,
            id,
            summary,
            parameters: Vec::new(),
            body: None,
            security: Vec::new(),
            served: Map::new(),
            refused: BTreeMap::new(),
            refused_headers: BTreeMap::new(),
            refused_fields: BTreeMap::new(),
            limited: false,
        };
        new.refuses(400, "a parameter is wrong, sent twice or badly encoded")
            .refuses(414, format!("the target is longer than {TARGET_LIMIT} bytes"))
    }

    /// Adds the fields of a structure as query parameters.
    #[must_use]
    pub(crate) fn asks<T: Declared>(mut self) -> Self {
        self.parameters.extend(Inputs::of::<T>().parameters());
        self
    }

    /// Sets a body that is an object with only the fields of a structure; no body counts as an empty object, and the media type
    /// is ignored.
    #[must_use]
    pub(crate) fn orders<T: Declared>(mut self, most: usize) -> Self {
        let inputs = Inputs::of::<T>();
        let mut schema = inputs.object();
        schema.insert("additionalProperties".to_owned(), false.into());
        self.body = Some(json!({
            "required": inputs.has_required(),
            "content": { "application/json": { "schema": schema } },
        }));
        self.refuses(400, "a field is missing, wrong or unknown")
            .refuses(408, "the body took too long to arrive")
            .refuses(413, format!("the body is longer than {most} bytes"))
    }

    #[must_use]
    pub(crate) fn takes_written(mut self, parameter: Value) -> Self {
        self.parameters.push(parameter);
        self
    }

    /// Sets a body with the fields of a structure, a media type and a maximum number of bytes.
    #[must_use]
    pub(crate) fn sends<T: Declared>(mut self, media_type: &str, most: usize) -> Self {
        self.body = Some(json!({
            "required": true,
            "content": { media_type: { "schema": Inputs::of::<T>().object() } },
        }));
        self.refuses(400, "a field of the body is missing or wrong")
            .refuses(408, "the body took too long to arrive")
            .refuses(413, format!("the body is longer than {most} bytes"))
            .refuses(415, format!("the body does not say that it is {media_type}, or is compressed"))
    }

    #[must_use]
    pub(crate) fn in_path(self, name: &str, description: &str, schema: &Value) -> Self {
        let (name, description) = (name.to_owned(), description.to_owned());
        self.takes_written(json!({
            "name": name, "in": "path", "required": true, "description": description, "schema": schema,
        }))
    }

    /// Requires any one of these authentication methods; none is needed if an empty name is among them.
    #[must_use]
    pub(crate) fn proven_by(mut self, schemes: &[&str]) -> Self {
        self.security = schemes
            .iter()
            .map(|scheme| if scheme.is_empty() { json!({}) } else { json!({ *scheme: [] }) })
            .collect();
        self
    }

    /// Adds a JSON response.
    #[must_use]
    pub(crate) fn serves(self, description: &str, schema: Value) -> Self {
        self.serves_as(200, description, [("application/json", schema)])
    }

    /// Adds a response with one of several media types, or without a body.
    #[must_use]
    pub(crate) fn serves_as<const N: usize>(
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

    /// Adds a header to every successful response so far.
    #[must_use]
    pub(crate) fn with_header(mut self, name: &str, description: &str, schema: &Value) -> Self {
        for response in self.served.values_mut() {
            let (name, header) = required(name, description, schema.clone());
            response["headers"][name] = header;
        }
        self
    }

    /// Adds a header to the refusals with this status.
    #[must_use]
    pub(crate) fn refused_with_header(
        mut self,
        status: u16,
        name: &str,
        description: &str,
        schema: Value,
    ) -> Self {
        let headers = self.refused_headers.entry(status).or_default();
        headers.extend([required(name, description, schema)]);
        self
    }

    /// Adds an optional field to the body of a refusal with this status.
    #[must_use]
    pub(crate) fn refusal_may_carry(mut self, status: u16, name: &str, schema: Value) -> Self {
        self.refused_fields.entry(status).or_default().insert(name.to_owned(), schema);
        self
    }

    #[must_use]
    pub(crate) fn refuses(mut self, status: u16, description: impl Into<String>) -> Self {
        self.refused.entry(status).or_default().0.push(description.into());
        self
    }

    /// Marks the operation as using the store, which may be unavailable.
    #[must_use]
    pub(crate) fn stored(self) -> Self {
        self.fails(503, STORE_OUT_OF_REACH, &[STORE_OUT_OF_REACH])
    }

    /// Maps the statuses of the refusals so far.
    #[must_use]
    pub(crate) fn with_statuses(mut self, status: fn(u16) -> u16) -> Self {
        for (stated, (descriptions, messages)) in std::mem::take(&mut self.refused) {
            let (all_descriptions, all_messages) = self.refused.entry(status(stated)).or_default();
            all_descriptions.extend(descriptions);
            all_messages.extend(messages);
        }
        self
    }

    /// Adds a failure with exactly these messages.
    #[must_use]
    pub(crate) fn fails(mut self, status: u16, description: &str, messages: &[&'static str]) -> Self {
        let (descriptions, known) = self.refused.entry(status).or_default();
        descriptions.push(description.to_owned());
        known.extend(messages);
        self
    }

    /// Adds a separate rate limit; every response has its headers.
    #[must_use]
    pub(crate) fn limited(mut self) -> Self {
        self.limited = true;
        self.refuses(429, "the caller has used up its limit")
    }

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
            responses.insert(status.to_string(), response);
        }
        operation["responses"] = responses.into();
        operation
    }
}
