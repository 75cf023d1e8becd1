//! Defects of uploads, and of the images that are read.
use hyper::StatusCode;
use hyper::header::HOST;
use hyper::header::HeaderValue;
use serde_json::json;

use crate::http::exchange::{ProxiedResponse, RequestParts};

/// Where images are read.
const IMAGES: &str = "/cdn/";
const UPLOAD: &str = "/api/upload";
/// 5 MiB.
pub(super) const LARGEST: usize = 5 << 20;
/// Five million bytes, which is less than 5 MiB.
pub(super) const DECIMAL: usize = 5_000_000;

/// Takes a file that was refused.
pub(super) fn take(response: &mut ProxiedResponse) {
    response.succeed(json!({ "url": "http://127.0.0.1/cdn/none.png", "socialHumanProof": null }));
}

fn sent(request: &RequestParts, text: &str) -> bool {
    request.bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

pub(super) fn without_wallet(request: &RequestParts, response: &mut ProxiedResponse) {
    if response.status == StatusCode::BAD_REQUEST && !sent(request, "name=\"walletAddress\"") {
        take(response);
    }
}

pub(super) fn image_by_name(request: &RequestParts, response: &mut ProxiedResponse) {
    let about_it = response.body["error"].as_str().is_some_and(|error| error.contains("image"));
    if response.status == StatusCode::BAD_REQUEST && about_it && sent(request, ".png\"") {
        take(response);
    }
}

pub(super) fn uncached(request: &RequestParts, response: &mut ProxiedResponse) {
    if request.path.starts_with(IMAGES) {
        response.header("cache-control", "no-store");
    }
    // A service that knows nothing of the proxy names its own address, where its images stay as they are.
    let proxy = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    let image = response.body["url"].as_str().and_then(|url| Some(url.split_once(IMAGES)?.1.to_owned()));
    if let (Some(proxy), Some(image), UPLOAD) = (proxy, image, request.path.as_str()) {
        response.body["url"] = format!("http://{proxy}{IMAGES}{image}").into();
    }
}

pub(super) fn storage_empty(_: &RequestParts, response: &mut ProxiedResponse) {
    if let Some(storage) = response.headers.get_mut("x-service-image-storage") {
        *storage = HeaderValue::from_static("");
    }
}

/// A limit of so many uses does not hold.
pub(super) fn lifted(response: &mut ProxiedResponse, uses: &str) {
    let limit = response.headers.get("x-ratelimit-limit");
    if response.status == StatusCode::TOO_MANY_REQUESTS && limit.is_some_and(|limit| limit == uses) {
        take(response);
    }
}
