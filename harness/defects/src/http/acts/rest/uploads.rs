//! Acts of uploads, and of reading images.
use hyper::StatusCode;
use hyper::header::HOST;
use serde_json::{Value, json};

use crate::http::act::{Act, Context, act};
use crate::http::exchange::ProxiedResponse;
use crate::json::change_text;

pub(super) const ACTS: &[Act] = &[
    act!(After upload_taken),
    act!(After without_wallet_taken),
    act!(After image_by_name_taken),
    act!(After large_file_taken),
    act!(After five_million_bytes_refused),
    act!(After large_file_as_413),
    act!(After uncached),
    act!(After only_the_last_image),
    act!(After captcha_of_a_message_taken),
    act!(After proof_of_another),
];

/// The path of images.
const IMAGES: &str = "/cdn/";
const UPLOAD: &str = "/api/upload";
/// 5 MiB.
const LARGEST: usize = 5 << 20;
/// Five million bytes, which is less than 5 MiB.
const DECIMAL: usize = 5_000_000;

/// Accepts a file that was refused.
fn upload_taken(_: &Context<'_>, response: &mut ProxiedResponse) {
    response.succeed(json!({ "url": "http://127.0.0.1/cdn/none.png", "socialHumanProof": null }));
}

fn sent(context: &Context<'_>, text: &str) -> bool {
    context.sent.bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

fn without_wallet_taken(context: &Context<'_>, response: &mut ProxiedResponse) {
    if !sent(context, "name=\"walletAddress\"") {
        upload_taken(context, response);
    }
}

/// Accepts a file that is named as an image if the rest of the form is valid.
fn image_by_name_taken(context: &Context<'_>, response: &mut ProxiedResponse) {
    let whole = ["name=\"file\"", "name=\"walletAddress\"", "name=\"captchaToken\""]
        .iter()
        .all(|part| sent(context, part));
    if sent(context, ".png\"") && whole && context.sent.bytes.len() <= LARGEST {
        upload_taken(context, response);
    }
}

fn large_file_taken(context: &Context<'_>, response: &mut ProxiedResponse) {
    if context.sent.bytes.len() > LARGEST {
        upload_taken(context, response);
    }
}

fn five_million_bytes_refused(context: &Context<'_>, response: &mut ProxiedResponse) {
    if context.sent.bytes.len() > DECIMAL {
        response.refuse(StatusCode::BAD_REQUEST, "file is too large");
    }
}

fn large_file_as_413(context: &Context<'_>, response: &mut ProxiedResponse) {
    if context.sent.bytes.len() > LARGEST {
        response.refuse(StatusCode::PAYLOAD_TOO_LARGE, "file is too large");
    }
}

fn uncached(context: &Context<'_>, response: &mut ProxiedResponse) {
    if context.sent.path.starts_with(IMAGES) {
        response.header("cache-control", "no-store");
    }
    images_by_proxy(context, response);
}

/// Names the proxy as the host of an uploaded image: a service that does not know of it names its own, where images are unchanged.
fn images_by_proxy(context: &Context<'_>, response: &mut ProxiedResponse) {
    let proxy = context.sent.headers().get(HOST).and_then(|host| host.to_str().ok());
    let image = response.body["url"].as_str().and_then(|url| Some(url.split_once(IMAGES)?.1.to_owned()));
    if let (Some(proxy), Some(image), UPLOAD) = (proxy, image, context.sent.path.as_str()) {
        response.body["url"] = format!("http://{proxy}{IMAGES}{image}").into();
    }
}

/// Only the image that was uploaded last is served.
fn only_the_last_image(context: &Context<'_>, response: &mut ProxiedResponse) {
    images_by_proxy(context, response);
    let images = &mut context.memory.lock().tokens;
    match context.sent.path.split_once(IMAGES) {
        Some((_, image)) if images.last().is_some_and(|last| last != image) => {
            response.refuse(StatusCode::NOT_FOUND, "no such image");
        }
        Some(_) => {}
        None => {
            let image = response.body["url"].as_str().and_then(|url| url.split_once(IMAGES));
            images.extend(image.map(|(_, image)| image.to_owned()));
        }
    }
}

/// A captcha that a message has used is accepted for an upload.
fn captcha_of_a_message_taken(context: &Context<'_>, response: &mut ProxiedResponse) {
    let used = &mut context.memory.lock().tokens;
    if context.sent.path != UPLOAD {
        used.extend(context.sent.body["token"].as_str().filter(|_| response.is_ok()).map(str::to_owned));
    } else if response.is_refusal() && used.iter().any(|captcha| sent(context, captcha)) {
        upload_taken(context, response);
    }
}

/// A social proof names another wallet.
fn proof_of_another(_: &Context<'_>, response: &mut ProxiedResponse) {
    if let Some(proof) =
        response.body.get_mut("socialHumanProof").filter(|proof: &&mut Value| proof.is_string())
    {
        change_text(proof, |text| match text.split_once('.') {
            Some((_, rest)) => format!("0x0000000000000000000000000000000000000bad.{rest}"),
            None => text.to_owned(),
        });
    }
}
