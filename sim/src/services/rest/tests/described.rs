//! The document of the service against its routes.
use axum::http::Method;
use serde_json::Value;

use super::{ask, get, market};
use crate::services::openapi::tests::{is_routed, is_whole};
use crate::services::rest::document;

#[tokio::test]
async fn openapi_and_routes_agree() {
    let (_script, api) = market().await;
    let document = document("/");
    is_whole(&document);
    is_routed(&document, |method: Method, target| {
        let api = api.clone();
        async move {
            let answer = ask(&api, method, &target).await;
            let body = serde_json::from_slice(&answer.bytes).unwrap_or(Value::Null);
            (answer.status, answer.header("allow").to_owned(), body)
        }
    })
    .await;
    let served = get(&api, "/openapi.json").await;
    assert_eq!(served.json(), document);
}
