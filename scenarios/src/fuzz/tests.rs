//! The fuzzer against a small service that keeps its document, and against each way not to.
use std::collections::BTreeMap;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use url::Url;

use super::{Document, Fuzz, Outcome};
use crate::client::http::Http;

/// How the service differs from its document. The platform has seeded defects for the other ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    None,
    NotJson,
    OtherPaths,
}

fn document() -> Value {
    let refusal = json!({
        "description": "refused",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Refusal" } } },
    });
    json!({
        "openapi": "3.1.0",
        "info": { "title": "things", "version": "1" },
        "paths": { "/things": { "get": {
            "operationId": "things",
            "security": [{ "key": [] }],
            "parameters": [{
                "name": "limit", "in": "query", "required": true,
                "schema": { "type": "integer", "minimum": 1, "maximum": 5 },
            }],
            "responses": {
                "200": {
                    "description": "served",
                    "headers": { "x-kept": { "required": true, "schema": { "const": "never" } } },
                    "content": { "application/json": { "schema": {
                        "type": "object",
                        "properties": { "limit": { "type": "integer" } },
                        "required": ["limit"],
                    } } },
                },
                "400": refusal.clone(),
                "401": refusal.clone(),
            },
        } } },
        "components": {
            "schemas": { "Refusal": { "type": "object", "required": ["error"] } },
            "securitySchemes": { "key": { "type": "apiKey", "in": "header", "name": "X-Key" } },
        },
        "x-unrouted": { "404": refusal.clone(), "405": refusal },
    })
}

fn refused(status: StatusCode) -> Response {
    (status, axum::Json(json!({ "error": "refused" }))).into_response()
}

async fn serve(State(lie): State<Lie>, request: Request) -> Response {
    if request.uri().path() != "/things" && lie != Lie::OtherPaths {
        return refused(StatusCode::NOT_FOUND);
    }
    if request.method() != "GET" && request.method() != "HEAD" {
        let mut response = refused(StatusCode::METHOD_NOT_ALLOWED);
        response.headers_mut().insert("allow", HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    if !request.headers().contains_key("x-key") {
        return refused(StatusCode::UNAUTHORIZED);
    }
    let query = request.uri().query().unwrap_or_default();
    let sent: Vec<&str> = query.split('&').filter_map(|pair| pair.strip_prefix("limit=")).collect();
    let limit = sent.first().and_then(|text| text.parse::<u8>().ok()).filter(|limit| (1..=5).contains(limit));
    let Some(limit) = limit.filter(|_| sent.len() == 1) else { return refused(StatusCode::BAD_REQUEST) };
    let mut response = axum::Json(json!({ "limit": limit })).into_response();
    if lie == Lie::NotJson {
        *response.body_mut() = "limit: 1".into();
    }
    response.headers_mut().insert("x-kept", HeaderValue::from_static("never"));
    response
}

async fn fuzzed(lie: Lie) -> Outcome {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let service = Router::new().fallback(serve).with_state(lie);
    let serving = tokio::spawn(async move { axum::serve(listener, service).await });
    let fuzz = Fuzz {
        document: Document::read(&document()).unwrap(),
        origin: Url::parse(&origin).unwrap(),
        control: None,
        bearer: None,
        given: BTreeMap::new(),
        credentials: BTreeMap::from([("x-key".to_owned(), "key".to_owned())]),
        seed: 1,
        only_reads: true,
        only: None,
    };
    let outcome = fuzz.run(&Http::new().unwrap(), 0..300).await.unwrap();
    serving.abort();
    outcome
}

#[tokio::test]
async fn reports_each_violation_and_nothing_else() {
    for (lie, expected) in [(Lie::NotJson, "a body that is JSON"), (Lie::OtherPaths, "404 or 405")] {
        let outcome = fuzzed(lie).await;
        let found = outcome.findings.iter().any(|finding| finding.expected.contains(expected));
        assert!(found, "{lie:?}: {outcome:#?}");
    }
    let sound = fuzzed(Lie::None).await;
    assert_eq!((sound.findings, sound.limited), (Vec::new(), 0));
    let statuses: Vec<u16> = sound.responses["things"].keys().copied().collect();
    assert_eq!(statuses, [200, 400, 401, 404, 405]);
}

#[test]
fn rejects_malformed_documents() {
    let with = |pointer: &str, value: Value| {
        let mut document = document();
        *document.pointer_mut(pointer).unwrap() = value;
        Document::read(&document)
    };
    let parameter = "/paths/~1things/get/parameters/0";
    let body = json!({ "content": { "application/xml": { "schema": {} } } });
    for (pointer, value, reason) in [
        ("/openapi", json!("3.0.3"), "not OpenAPI 3.1"),
        ("/paths", json!({}), "no operation"),
        (parameter, json!({ "$ref": "#/nowhere" }), "which it does not hold"),
        (&format!("{parameter}/schema"), json!({ "type": 7 }), "the schema of"),
        (&format!("{parameter}/in"), json!("cookie"), "sent in"),
    ] {
        let error = with(pointer, value).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    for (member, value) in [("x-rules", json!([{ "never": [] }])), ("requestBody", body)] {
        let mut document = document();
        document["paths"]["/things"]["get"][member] = value;
        let error = Document::read(&document).unwrap_err().to_string();
        assert!(error.contains("of the document cannot be used"), "{member}: {error}");
    }
}
