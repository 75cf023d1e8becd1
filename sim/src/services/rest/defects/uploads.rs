//! Defects of uploads, and of the images that are read.
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderValue, StatusCode};
use serde_json::json;

use super::exchange::{Asked, Told};

/// Where images are read.
const IMAGES: &str = "/cdn/";
/// Five million bytes, which is less than 5 MiB.
const DECIMAL: usize = 5_000_000;

/// Takes a file that was refused.
fn take(told: &mut Told) {
    told.serve(json!({ "url": "http://127.0.0.1/cdn/none.png", "socialHumanProof": null }));
}

fn sent(asked: &Asked, text: &str) -> bool {
    asked.bytes().windows(text.len()).any(|part| part == text.as_bytes())
}

/// A form without a wallet is taken.
pub(super) fn without_wallet(asked: &Asked, told: &mut Told) {
    if told.status == StatusCode::BAD_REQUEST && !sent(asked, "name=\"walletAddress\"") {
        take(told);
    }
}

/// What is named as a PNG is taken for one.
pub(super) fn image_by_name(asked: &Asked, told: &mut Told) {
    let about_it = told.body["error"].as_str().is_some_and(|error| error.contains("image"));
    if told.status == StatusCode::BAD_REQUEST && about_it && sent(asked, ".png\"") {
        take(told);
    }
}

/// No file is too large.
pub(super) fn any_size(_: &Asked, told: &mut Told) {
    if told.status == StatusCode::PAYLOAD_TOO_LARGE {
        take(told);
    }
}

/// A megabyte is a million bytes.
pub(super) fn decimal_size(asked: &Asked, told: &mut Told) {
    if told.is_ok() && asked.bytes().len() > DECIMAL {
        told.refuse(StatusCode::PAYLOAD_TOO_LARGE, "file is too large");
    }
}

/// A captcha serves as often as one likes.
pub(super) fn captcha_again(_: &Asked, told: &mut Told) {
    if told.status == StatusCode::FORBIDDEN {
        take(told);
    }
}

/// A client is not told what is wrong with its captcha.
pub(super) fn captcha_untold(_: &Asked, told: &mut Told) {
    if told.status == StatusCode::FORBIDDEN {
        told.refuse(StatusCode::FORBIDDEN, "captcha failed");
    }
}

/// Images are fetched anew each time.
pub(super) fn uncached(asked: &Asked, told: &mut Told) {
    if asked.path.starts_with(IMAGES) {
        told.headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

/// A proof is there although nobody asked.
pub(super) fn proof_always(_: &Asked, told: &mut Told) {
    if told.is_ok() && told.body["socialHumanProof"].is_null() {
        told.body["socialHumanProof"] = "proof".into();
    }
}

/// The storage is not named.
pub(super) fn storage_untold(_: &Asked, told: &mut Told) {
    told.headers.remove("x-service-image-storage");
}

/// A limit of so many uses does not hold.
fn lifted(told: &mut Told, uses: &str) {
    let limit = told.headers.get("x-ratelimit-limit");
    if told.status == StatusCode::TOO_MANY_REQUESTS && limit.is_some_and(|limit| limit == uses) {
        take(told);
    }
}

/// A wallet uploads as often as it likes.
pub(super) fn wallet_unlimited(_: &Asked, told: &mut Told) {
    lifted(told, "3");
}

/// Of an address only minutes are counted.
pub(super) fn hours_unlimited(_: &Asked, told: &mut Told) {
    lifted(told, "30");
}

/// Days are not counted.
pub(super) fn days_unlimited(_: &Asked, told: &mut Told) {
    lifted(told, "100");
}
