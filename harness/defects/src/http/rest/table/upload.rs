//! Defects of `POST /api/upload` and of the images it has taken.
use hyper::StatusCode;

use super::super::uploads;
use crate::http::mutation::Mutation::{Anywhere, Response};
use crate::http::mutation::{MutationRow, row};

const UPLOAD: &str = "/api/upload";

#[rustfmt::skip]
pub(in crate::http) const ROWS: &[MutationRow] = &[
    row!(Rest, "up-wallet-optional", &["UP-FIELDS"], "a form without a wallet is taken", Response(UPLOAD, uploads::without_wallet)),
    row!(Rest, "up-image-by-name", &["UP-IMAGE"], "what is named as an image is taken for one", Response(UPLOAD, uploads::image_by_name)),
    row!(Rest, "up-any-size", &["UP-SIZE"], "no file is too large", Response(UPLOAD, |request, response| if response.is_refusal() && request.bytes.len() > uploads::LARGEST { uploads::take(response) })),
    row!(Rest, "up-size-decimal", &["UP-SIZE"], "five million bytes are the most", Response(UPLOAD, |request, response| if response.is_ok() && request.bytes.len() > uploads::DECIMAL { response.refuse(StatusCode::BAD_REQUEST, "file is too large") })),
    row!(Rest, "up-size-413", &["UP-SIZE"], "a file that is too large is 413", Response(UPLOAD, |request, response| if response.is_refusal() && request.bytes.len() > uploads::LARGEST { response.refuse(StatusCode::PAYLOAD_TOO_LARGE, "file is too large") })),
    row!(Rest, "up-captcha-again", &["UP-CAPTCHA"], "a captcha serves as often as one likes", Response(UPLOAD, |_, response| if response.status == StatusCode::FORBIDDEN { uploads::take(response) })),
    row!(Rest, "up-captcha-untold", &["UP-CAPTCHA"], "a refusal does not state that the captcha is used up", Response(UPLOAD, |_, response| if response.status == StatusCode::FORBIDDEN { response.refuse(StatusCode::FORBIDDEN, "captcha failed") })),
    row!(Rest, "up-uncached", &["UP-SERVED"], "images must not be kept by anyone", Anywhere(uploads::uncached)),
    row!(Rest, "up-proof-always", &["UP-OK"], "a social proof is in the answer although none was asked for", Response(UPLOAD, |_, response| if response.is_ok() && response.body["socialHumanProof"].is_null() { response.body["socialHumanProof"] = "proof".into() })),
    row!(Rest, "up-storage-empty", &["UP-HEADER"], "the header of the storage is empty", Response(UPLOAD, uploads::storage_empty)),
    row!(Rest, "up-storage-untold", &["UP-HEADER"], "the storage is not named", Response(UPLOAD, |_, response| _ = response.headers.remove("x-service-image-storage"))),
    row!(Rest, "up-wallet-unlimited", &["UP-RATE-WALLET"], "a wallet uploads as often as it likes", Response(UPLOAD, |_, response| uploads::lifted(response, "3"))),
    row!(Rest, "up-hours-unlimited", &["UP-RATE-IP"], "the uploads of an hour are not counted", Response(UPLOAD, |_, response| uploads::lifted(response, "30"))),
    row!(Rest, "up-days-unlimited", &["UP-RATE-IP"], "the uploads of a day are not counted", Response(UPLOAD, |_, response| uploads::lifted(response, "100"))),
];
