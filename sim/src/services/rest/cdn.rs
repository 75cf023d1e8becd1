//! `GET /cdn/{hash}.{ending}`: uploaded images, always the same bytes, for anyone, and only as images. Only a limited number of them is in
//! memory at once. Range requests are not supported: the answer is the whole image.
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName, IF_MATCH,
    IF_NONE_MATCH, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use futures::stream;
use serde_json::json as value;

use super::limit::Caller;
use crate::api::refusal::Refusal;
use crate::api::transfer_slots::{TOO_MANY, Transfer};
use crate::api::{Api, picture};
use crate::services::http::{PathParameter, Served};
use crate::services::openapi::{Operation, Schemas};
use crate::services::refusal::refused;

/// A year: the name changes with the content.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";
/// Policy for an image that a browser opens as a page.
const CONTENT_POLICY: &str = "default-src 'none'; sandbox";
/// Size of the pieces in which an image is sent, in bytes.
const PIECE: usize = 64 * 1024;
const NOSNIFF: &str = "nosniff";
/// Message of the refusal of a request for another image.
const OTHER: &str = "If-Match names none of the image's tags";

pub(super) fn operation(_: &mut Schemas) -> Operation {
    let always = |value: &str| value!({ "const": value });
    let mut operation = Operation::get("getImage", "An uploaded image, the same bytes for ever")
        .takes_written(value!({
            "name": "name",
            "in": "path",
            "required": true,
            "description": "hash and ending",
            "schema": { "type": "string", "minLength": 1 },
        }));
    operation = operation.serves_as(
        200,
        "the image",
        picture::MEDIA_TYPES.map(|media_type| (media_type, value!({}))),
    );
    operation
        .serves_as(304, "the caller has it already", [])
        .with_header(CACHE_CONTROL.as_str(), "for ever", &always(IMMUTABLE))
        .with_header(
            ETAG.as_str(),
            "the hash",
            &value!({ "type": "string", "pattern": "^\"[0-9a-f]{64}\"$" }),
        )
        .with_header(X_CONTENT_TYPE_OPTIONS.as_str(), "the type is what it says", &always(NOSNIFF))
        .with_header(CONTENT_SECURITY_POLICY.as_str(), "no script of it runs", &always(CONTENT_POLICY))
        .refuses(400, "the path is not percent-encoded UTF-8 without a NUL character")
        .refuses(404, "no image has this name")
        .refuses(412, OTHER)
        .fails(503, TOO_MANY, &[TOO_MANY])
        .stored()
}

/// Clause: UP-OK, FIG-UPLOAD, UP-SERVED
pub(super) async fn get(
    State(api): State<Arc<Api>>,
    caller: Caller,
    PathParameter(name): PathParameter,
    headers: HeaderMap,
) -> Served {
    let unknown = || Refusal::not_found("cdn-unknown", "no image has this name");
    let (hash, ending) = name.split_once('.').ok_or_else(unknown)?;
    let slot = api.transfer_slot(Transfer::Image, caller.0).await?;
    let image = api.image(hash).await?.ok_or_else(unknown)?;
    if image.media_type != format!("image/{}", if ending == "jpg" { "jpeg" } else { ending }) {
        return Err(unknown());
    }
    let tag = format!("\"{hash}\"");
    // RFC 9110, section 13.2.2: If-Match comes first, and section 13.1.1: a weak tag does not match it.
    if headers.contains_key(IF_MATCH) && !tags(&headers, &IF_MATCH).any(|value| value == "*" || value == tag)
    {
        let refusal = Refusal::bad_input("cdn-match", OTHER);
        return Ok(refused(&refusal, StatusCode::PRECONDITION_FAILED.as_u16()));
    }
    let known = tags(&headers, &IF_NONE_MATCH)
        .any(|value| value == "*" || value.strip_prefix("W/").unwrap_or(value) == tag);
    let mut response = if known {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        let length = image.bytes.len();
        slot.keep(image.bytes.into());
        let pieces = stream::iter(std::iter::from_fn(move || slot.next(PIECE).transpose()));
        let mut response = Response::new(Body::from_stream(pieces));
        response.headers_mut().insert(CONTENT_LENGTH, length.into());
        response
    };
    let headers = response.headers_mut();
    if !known && let Ok(media_type) = HeaderValue::try_from(image.media_type) {
        headers.insert(CONTENT_TYPE, media_type);
    }
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(ETAG, tag);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(IMMUTABLE));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static(NOSNIFF));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_POLICY));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
    Ok(response)
}

/// The entity tags of a header.
fn tags<'h>(headers: &'h HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'h str> + use<'h> {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}
