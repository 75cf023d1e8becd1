//! `GET /cdn/{hash}.{ending}`: uploaded images, the same bytes for ever, to anyone, and never as anything but an image. A
//! bounded number of them is in memory at once. Parts of an image are not served: it is answered whole.
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;

use crate::api::Api;
use crate::api::places::Place;
use crate::api::refusal::Refusal;
use crate::surface::body::holding;
use crate::surface::http::PathPart;

/// A year: the name changes with the content.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

pub(super) async fn get(
    State(api): State<Arc<Api>>,
    PathPart(name): PathPart,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let unknown = || Refusal::not_found("cdn-unknown", "no image has this name");
    let (hash, ending) = name.split_once('.').ok_or_else(unknown)?;
    let place = api.places.take(Place::Picture).await?;
    let image = api.store.image(hash).await?.ok_or_else(unknown)?;
    if image.media_type != format!("image/{}", if ending == "jpg" { "jpeg" } else { ending }) {
        return Err(unknown());
    }
    let tag = format!("\"{hash}\"");
    let known = headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|value| matches!(value.trim(), "*") || value.trim().trim_start_matches("W/") == tag);
    let mut response = if known {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        Response::new(holding(image.bytes, place))
    };
    let headers = response.headers_mut();
    if !known && let Ok(media_type) = HeaderValue::try_from(image.media_type) {
        headers.insert(CONTENT_TYPE, media_type);
    }
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(ETAG, tag);
    }
    headers.insert(CACHE_CONTROL, FOR_EVER);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; sandbox"),
    );
    headers.insert(
        "cross-origin-resource-policy",
        HeaderValue::from_static("cross-origin"),
    );
    Ok(response)
}
