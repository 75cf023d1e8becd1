//! The OpenAPI 3.1 document of a service. Routes and document share one table of paths; parameters, bodies and bounds
//! are the ones that the handlers themselves read and write.
mod operation;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{MethodRouter, get};
use bytes::Bytes;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::http::{endpoint, json_bytes};
use super::input::{LARGEST, without_citations};
use crate::services::refusal::RefusalBody;
pub(crate) use operation::Operation;

/// Path of a service's document.
pub(crate) const PATH: &str = "/openapi.json";

pub(crate) type Describe = fn(&mut Schemas) -> Operation;

/// A path with its handlers and their descriptions.
pub(crate) struct Path<S> {
    /// The path in the syntax shared by router and document.
    pub path: &'static str,
    pub methods: MethodRouter<S>,
    pub operations: Vec<Describe>,
}

pub(crate) fn routed<S: Clone + Send + Sync + 'static>(paths: Vec<Path<S>>) -> Router<S> {
    let mut schemas = Schemas::default();
    paths.into_iter().fold(Router::new(), |router, path| {
        let operations = path.operations.iter().map(|describe| describe(&mut schemas).method);
        let allow = allow(operations);
        router.route(path.path, endpoint(path.methods, &allow))
    })
}

/// The `Allow` header of a path with these methods.
fn allow(methods: impl Iterator<Item = &'static str>) -> String {
    let mut allow = String::new();
    for method in methods {
        allow += if method == "get" { "GET, HEAD" } else { method };
        allow += ", ";
    }
    allow.to_ascii_uppercase() + "OPTIONS"
}

/// The path of a service's own document, which `document` creates at the first request.
pub(crate) fn document_path<S: Clone + Send + Sync + 'static>(
    document: fn(&str) -> Value,
    server: &str,
) -> Path<S> {
    let server = server.to_owned();
    let bytes = Arc::new(OnceLock::new());
    let answer = async move || {
        let bytes: &Bytes = bytes.get_or_init(|| document(&server).to_string().into());
        json_bytes(StatusCode::OK, bytes.to_vec())
    };
    Path {
        path: PATH,
        methods: get(answer),
        operations: vec![|_| {
            Operation::get("getOpenApi", "This document")
                .serves("the document", json!({ "type": "object", "required": ["openapi", "info", "paths"] }))
        }],
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Service {
    pub title: &'static str,
    pub description: &'static str,
    /// Whether operations without their own limit can have the standard one.
    pub limited: bool,
    /// Whether scripts of any origin may read its answers.
    pub cross_origin: bool,
    /// Authentication methods by name: security scheme objects.
    pub security: fn() -> Value,
}

/// Method and path of the operations with a separate limit.
pub(crate) fn limited_operations<S>(paths: &[Path<S>]) -> BTreeSet<(&'static str, &'static str)> {
    let mut schemas = Schemas::default();
    let operations =
        paths.iter().flat_map(|path| path.operations.iter().map(|operation| (path.path, operation)));
    let described = operations.map(|(path, operation)| (path, operation(&mut schemas)));
    described
        .filter(|(_, operation)| operation.limited)
        .map(|(path, operation)| (operation.method, path))
        .collect()
}

pub(crate) fn document<S>(service: &Service, server: &str, paths: &[Path<S>]) -> Value {
    let mut schemas = Schemas::default();
    let mut described_paths = Map::new();
    for path in paths {
        let mut methods = Map::new();
        for operation in &path.operations {
            let mut operation = operation(&mut schemas);
            if service.limited && !operation.limited {
                operation =
                    operation.refuses(429, "the caller has used up its limit, where reads are limited");
            }
            let method = operation.method.to_owned();
            let mut described = operation.into_json();
            if !service.cross_origin {
                within_origin(&mut described);
            }
            methods.insert(method, described);
        }
        described_paths.insert(path.path.to_owned(), methods.into());
    }
    schemas.of::<RefusalBody<'_>>();
    let mut headers = shared_headers();
    if !service.cross_origin {
        headers.as_object_mut().map(|headers| headers.shift_remove(ALLOW_ORIGIN));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": service.title,
            "version": env!("CARGO_PKG_VERSION"),
            "description": service.description,
        },
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "servers": [{ "url": server }],
        "paths": described_paths,
        "components": {
            "schemas": schemas.0.take_definitions(true),
            "headers": headers,
            "securitySchemes": (service.security)(),
        },
    })
}

const ALLOW_ORIGIN: &str = "Access-Control-Allow-Origin";

/// Removes the headers for scripts of other origins from an operation.
fn within_origin(operation: &mut Value) {
    let responses =
        operation["responses"].as_object_mut().into_iter().flat_map(|responses| responses.values_mut());
    for headers in responses.filter_map(|response| response["headers"].as_object_mut()) {
        headers.shift_remove(ALLOW_ORIGIN);
    }
}

/// The schemas of bodies that a document's operations refer to.
#[derive(Debug)]
pub(crate) struct Schemas(SchemaGenerator);

impl Default for Schemas {
    fn default() -> Self {
        let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        let settings = settings
            .with_transform(RecursiveTransform(bounds_for_formats))
            .with_transform(RecursiveTransform(without_citations));
        Self(settings.into_generator())
    }
}

/// Whole numbers have bounds instead of formats such as `uint64`, which neither JSON Schema nor OpenAPI defines. The upper
/// bound is the largest number that every client can represent exactly.
fn bounds_for_formats(schema: &mut Schema) {
    let most = match schema.get("format").and_then(Value::as_str) {
        Some("uint8") => u64::from(u8::MAX),
        Some("uint16") => u64::from(u16::MAX),
        Some("uint32") => u64::from(u32::MAX),
        Some("uint" | "uint64" | "uint128") => LARGEST,
        _ => return,
    };
    schema.ensure_object().shift_remove("format");
    if schema.get("maximum").is_none() {
        schema.insert("maximum".to_owned(), most.into());
    }
}

impl Schemas {
    /// The schema of a type, or a reference to it.
    pub(crate) fn of<T: JsonSchema>(&mut self) -> Value {
        self.0.subschema_for::<T>().into()
    }
}

/// A header object; `required` if every response has it.
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

/// Headers of every answer, and headers of limits.
fn shared_headers() -> Value {
    let count = || json!({ "type": "integer", "minimum": 0 });
    Value::Object(Map::from_iter([
        required(
            "X-Request-Id",
            "id of the request, the caller's own when it sent one",
            json!({ "type": "string", "minLength": 1, "maxLength": 128 }),
        ),
        required(ALLOW_ORIGIN, "scripts of any origin may read the answer", json!({ "const": "*" })),
        required("X-RateLimit-Limit", "requests of the window", count()),
        required("X-RateLimit-Remaining", "requests left in the window", count()),
        required("X-RateLimit-Reset", "when the window is empty again, Unix seconds", count()),
        required("Retry-After", "seconds until the request may pass", count()),
    ]))
}

const COMMON_HEADERS: [&str; 2] = ["X-Request-Id", ALLOW_ORIGIN];
const RATE_LIMIT_HEADERS: [&str; 3] = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

fn shared(names: &[&str]) -> impl Iterator<Item = (String, Value)> {
    names.iter().map(|name| {
        let reference = json!({ "$ref": format!("#/components/headers/{name}") });
        ((*name).to_owned(), reference)
    })
}

/// A response with the body of a refusal; failures list their exact messages.
fn refusal_response(status: u16, description: &str, more: Map<String, Value>, messages: &[&str]) -> Value {
    let mut own = json!({ "status": { "const": status } });
    if !messages.is_empty() {
        own["error"] = json!({ "enum": messages });
    }
    let mut schema = json!({ "$ref": "#/components/schemas/Refusal", "properties": own });
    let mut headers: Map<_, _> = shared(&COMMON_HEADERS).chain(more).collect();
    if status == 429 {
        schema["required"] = json!(["retryAfter"]);
        headers.extend(shared(&RATE_LIMIT_HEADERS));
        headers.extend(shared(&["Retry-After"]));
    }
    json!({
        "description": description,
        "headers": headers,
        "content": { "application/json": { "schema": schema } },
    })
}

#[cfg(test)]
pub(super) mod tests {
    use axum::Router;
    use axum::body::{Body, to_bytes};
    use axum::http::{Method, Request};
    use serde_json::Value;
    use tower::ServiceExt as _;

    /// Methods to try.
    const METHODS: [Method; 5] = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];

    /// The response to a method on a path: status, `Allow`, body.
    type Answered = (u16, String, Value);

    async fn ask(service: &Router, method: &Method, target: &str) -> Answered {
        let request = Request::builder().method(method).uri(target).body(Body::empty()).unwrap();
        let response = service.clone().oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let allow = response.headers().get("allow").map(|allow| allow.to_str().unwrap().to_owned());
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, allow.unwrap_or_default(), serde_json::from_slice(&body).unwrap_or_default())
    }

    /// Whether a response is the one for a path that does not exist.
    fn is_no_path((status, _, body): &Answered) -> bool {
        *status == 404 && body["error"].as_str().is_some_and(|error| error.starts_with("no such path"))
    }

    /// Checks that the service serves its document and each of its operations, and no other method on its paths.
    pub(in crate::services) async fn is_routed(document: &Value, service: &Router) {
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
                let answered = ask(service, &method, &target).await;
                assert!(!is_no_path(&answered), "{method} {path}: {answered:?}");
                assert_eq!(answered.0 == 405, !declared(&method), "{method} {path}: {answered:?}");
                if answered.0 == 405 {
                    let mut allowed: Vec<&str> = answered.1.split(", ").collect();
                    allowed.sort_unstable();
                    assert_eq!(allowed, allow, "{path}");
                }
            }
        }
        assert!(is_no_path(&ask(service, &Method::GET, "/no-such-path").await));
        assert_eq!(ask(service, &Method::GET, super::PATH).await.2, *document);
    }

    /// Checks that every reference in a document resolves, and that operation ids are unique.
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
