//! The OpenAPI 3.1 document of a service. Routes and document come from one table of paths; parameters, bodies and bounds
//! come from what the handlers themselves read and write.
//!
//! Beyond OpenAPI the document says in `x-rules` what binds several parameters of an operation together, in `x-max-bytes`
//! how long a body may be, in `x-beyond-form` with which words a request of the right form may still be 400, and in `x-unrouted`
//! what is answered where no operation is.
use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{MethodRouter, get};
use bytes::Bytes;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::http::{TARGET_LIMIT, endpoint, json_bytes};
use super::input::kind::LARGEST;
use super::input::{Input, Kind, Presence};
use crate::api::refusal::{RefusalBody, STORE_OUT_OF_REACH};

/// Where the document of a service is served.
pub const PATH: &str = "/openapi.json";

/// The headers of a path that only reads.
pub const GET: &str = "GET, HEAD, OPTIONS";
/// Those of one that only writes.
pub const POST: &str = "POST, OPTIONS";
/// Those of one that does both.
pub const GET_AND_POST: &str = "GET, HEAD, POST, OPTIONS";

/// Describes one operation.
pub type Describe = fn(&mut Schemas) -> Operation;

/// A path with what serves and what describes it.
pub struct Path<S> {
    /// As router and document write it.
    pub path: &'static str,
    /// The methods it takes, as its `Allow` header names them.
    pub allow: &'static str,
    /// Who serves them.
    pub methods: MethodRouter<S>,
    /// What describes them.
    pub operations: Vec<Describe>,
}

/// The routes of a service.
pub fn routed<S: Clone + Send + Sync + 'static>(paths: Vec<Path<S>>) -> Router<S> {
    paths
        .into_iter()
        .fold(Router::new(), |router, path| router.route(path.path, endpoint(path.methods, path.allow)))
}

/// A document as it is sent.
#[must_use]
pub fn bytes(document: &Value) -> Bytes {
    document.to_string().into()
}

/// The path on which a service tells its own document.
pub fn document_path<S: Clone + Send + Sync + 'static>(document: &'static LazyLock<Bytes>) -> Path<S> {
    Path {
        path: PATH,
        allow: GET,
        methods: get(async || json_bytes(StatusCode::OK, document.to_vec())),
        operations: vec![|_| {
            Operation::get("getOpenApi", "This document")
                .serves("the document", json!({ "type": "object", "required": ["openapi", "info", "paths"] }))
        }],
    }
}

/// What a service says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Service {
    /// Its name.
    pub title: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// Whether a limit on all requests can be set.
    pub limited: bool,
    /// Ways to prove who is asking, by name: security scheme objects.
    pub security: fn() -> Value,
}

/// The document of a service at an address.
pub fn document<S>(service: &Service, server: &str, paths: &[Path<S>]) -> Value {
    let mut schemas = Schemas::default();
    let mut operation = Map::new();
    for path in paths {
        let mut item = Map::new();
        for operation in &path.operations {
            let mut operation = operation(&mut schemas);
            if service.limited && !operation.limited {
                operation =
                    operation.refuses(429, "where all requests are limited, the caller's are used up");
            }
            item.insert(operation.method.to_owned(), operation.written());
        }
        operation.insert(path.path.to_owned(), item.into());
    }
    let unrouted = json!({
        "404": refusal_response(404, "no such path", Map::new(), &[]),
        "405": refusal_response(405, "this path does not take that method", Map::from_iter([required(
            "Allow",
            "the methods of the path",
            json!({ "type": "string", "minLength": 1 }),
        )]), &[]),
    });
    schemas.of::<RefusalBody<'_>>();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": service.title,
            "version": env!("CARGO_PKG_VERSION"),
            "description": service.description,
        },
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "servers": [{ "url": server }],
        "paths": operation,
        "components": {
            "schemas": schemas.0.take_definitions(true),
            "headers": shared_headers(),
            "securitySchemes": (service.security)(),
        },
        "x-unrouted": unrouted,
    })
}

/// The shapes of bodies that the operations of a document name.
#[derive(Debug)]
pub struct Schemas(SchemaGenerator);

impl Default for Schemas {
    fn default() -> Self {
        let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        let settings = settings.with_transform(RecursiveTransform(bounds_for_formats));
        Self(settings.into_generator())
    }
}

/// Whole numbers have bounds in place of formats such as `uint64`, which neither JSON Schema nor OpenAPI defines. The largest
/// one is what every client holds exactly.
fn bounds_for_formats(schema: &mut Schema) {
    let most = match schema.get("format").and_then(Value::as_str) {
        Some("uint8") => u64::from(u8::MAX),
        Some("uint16") => u64::from(u16::MAX),
        Some("uint32") => u64::from(u32::MAX),
        Some("uint" | "uint64" | "uint128") => LARGEST,
        _ => return,
    };
    schema.remove("format");
    if schema.get("maximum").is_none() {
        schema.insert("maximum".to_owned(), most.into());
    }
}

impl Schemas {
    /// The schema of a type, or a reference to it.
    pub fn of<T: JsonSchema>(&mut self) -> Value {
        self.0.subschema_for::<T>().into()
    }
}

/// Whether a header is always there.
fn header((name, description, schema): (&str, &str, Value), required: bool) -> (String, Value) {
    let mut header = json!({ "description": description, "schema": schema });
    if required {
        header["required"] = true.into();
    }
    (name.to_owned(), header)
}

fn required(name: &str, description: &str, schema: Value) -> (String, Value) {
    header((name, description, schema), true)
}

/// Headers of every answer, and those of limits.
fn shared_headers() -> Value {
    let count = || json!({ "type": "integer", "minimum": 0 });
    Value::Object(Map::from_iter([
        required(
            "X-Request-Id",
            "id of the request, the caller's own when it sent one",
            json!({ "type": "string", "minLength": 1, "maxLength": 128 }),
        ),
        required(
            "Access-Control-Allow-Origin",
            "scripts of any origin may read the answer",
            json!({ "const": "*" }),
        ),
        required("X-RateLimit-Limit", "requests of the window", count()),
        required("X-RateLimit-Remaining", "requests left in the window", count()),
        required("X-RateLimit-Reset", "when the window is empty again, Unix seconds", count()),
        required("Retry-After", "seconds until the request may pass", count()),
    ]))
}

const EVERYWHERE: [&str; 2] = ["X-Request-Id", "Access-Control-Allow-Origin"];
const STANDING: [&str; 3] = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

fn shared(names: &[&str]) -> impl Iterator<Item = (String, Value)> {
    names.iter().map(|name| {
        let reference = json!({ "$ref": format!("#/components/headers/{name}") });
        ((*name).to_owned(), reference)
    })
}

/// A response with the body of a refusal; of failures the messages are told as well.
fn refusal_response(status: u16, description: &str, more: Map<String, Value>, messages: &[&str]) -> Value {
    let mut own = json!({ "status": { "const": status } });
    if !messages.is_empty() {
        own["error"] = json!({ "enum": messages });
    }
    let mut schema = json!({ "$ref": "#/components/schemas/Refusal", "properties": own });
    let mut headers: Map<_, _> = shared(&EVERYWHERE).chain(more).collect();
    if status == 429 {
        schema["required"] = json!(["retryAfter"]);
        headers.extend(shared(&STANDING));
        headers.extend(shared(&["Retry-After"]));
    }
    json!({
        "description": description,
        "headers": headers,
        "content": { "application/json": { "schema": schema } },
    })
}

/// What one method of a path does.
#[derive(Debug)]
pub struct Operation {
    method: &'static str,
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
    limited: bool,
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
    pub fn takes<K: Kind, P: Presence<K::Value>>(self, input: &Input<K, P>) -> Self {
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
            "headers": shared(&EVERYWHERE).collect::<Map<_, _>>(),
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

    /// Fails, with one of these messages and no other.
    #[must_use]
    pub fn fails(mut self, status: u16, description: &str, messages: &[&'static str]) -> Self {
        let (descriptions, told) = self.refused.entry(status).or_default();
        descriptions.push(description.to_owned());
        told.extend(messages);
        self
    }

    /// Has a limit of its own, told in every answer it serves.
    #[must_use]
    pub fn limited(mut self) -> Self {
        self.limited = true;
        self.refuses(429, "the caller's limit is used up")
    }

    fn written(mut self) -> Value {
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
                for (name, header) in shared(&STANDING) {
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

#[cfg(test)]
pub(super) mod tests {
    use axum::http::Method;
    use serde_json::Value;

    /// Methods that a caller may try.
    const METHODS: [Method; 5] = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];

    /// What is answered to a method on a path: status, `Allow`, body.
    pub(in crate::services) type Answered = (u16, String, Value);

    /// Whether an answer is that of a path that does not exist.
    fn is_no_path((status, _, body): &Answered) -> bool {
        *status == 404 && body["error"] == "no such path"
    }

    /// Every operation of a document is served, and no other method of its paths is.
    pub(in crate::services) async fn is_routed<F: Future<Output = Answered>>(
        document: &Value,
        ask: impl Fn(Method, String) -> F,
    ) {
        let paths = document["paths"].as_object().unwrap();
        assert!(!paths.is_empty());
        for (path, item) in paths {
            let target = path.replace("{name}", "x");
            let declared = |method: &Method| item.get(method.as_str().to_lowercase()).is_some();
            let mut allow: Vec<&str> =
                METHODS.iter().filter(|method| declared(method)).map(Method::as_str).collect();
            if declared(&Method::GET) {
                allow.push("HEAD");
            }
            allow.push("OPTIONS");
            allow.sort_unstable();
            for method in METHODS {
                let answered = ask(method.clone(), target.clone()).await;
                assert!(!is_no_path(&answered), "{method} {path}: {answered:?}");
                assert_eq!(answered.0 == 405, !declared(&method), "{method} {path}: {answered:?}");
                if answered.0 == 405 {
                    let mut told: Vec<&str> = answered.1.split(", ").collect();
                    told.sort_unstable();
                    assert_eq!(told, allow, "{path}");
                }
            }
        }
        assert!(is_no_path(&ask(Method::GET, "/no-such-path".to_owned()).await));
    }

    /// No reference of a document leads nowhere, and operation ids are told apart.
    pub(in crate::services) fn is_whole(document: &Value) {
        fn walk<'a>(value: &'a Value, visit: &mut impl FnMut(&'a Value)) {
            visit(value);
            match value {
                Value::Object(object) => object.values().for_each(|value| walk(value, visit)),
                Value::Array(items) => items.iter().for_each(|value| walk(value, visit)),
                _ => {}
            }
        }
        let mut ids = Vec::new();
        walk(document, &mut |value| {
            if let Some(target) = value["$ref"].as_str() {
                let pointer = target.strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{target}");
            }
            ids.extend(value["operationId"].as_str());
        });
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}
