//! The document of the service against its routes.
use super::*;
use crate::services::openapi::tests::{is_routed, is_whole};

#[tokio::test]
async fn openapi_and_routes_agree() {
    let stand = Stand::new().await;
    let document = document("/");
    is_whole(&document);
    is_routed(&document, |method, target| {
        let service = stand.service.clone();
        async move {
            let request = Request::builder().method(method).uri(target).body(Body::empty()).unwrap();
            let response = service.oneshot(request).await.unwrap();
            let allow = response.headers().get("allow").map(|allow| allow.to_str().unwrap().to_owned());
            let status = response.status().as_u16();
            let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
            (status, allow.unwrap_or_default(), body)
        }
    })
    .await;
    assert_eq!(stand.get("/openapi.json").await, (StatusCode::OK, document));
}
