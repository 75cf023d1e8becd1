//! `POST /api/upload`: a form with one image, read within a bound of size; few forms are in memory at once.
//!
//! A form is refused for the first of these that is wrong: its media type, its size, its fields, the image, the rates of
//! wallet and caller, the captcha token.
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use futures::stream;
use multer::Multipart;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json as value;

use super::limit::{Caller, with_rate_limit};
use crate::api::picture;
use crate::api::refusal::Refusal;
use crate::api::transfer_slots::{TOO_MANY, Transfer};
use crate::api::upload::{UNEXAMINED, Upload};
use crate::api::{Api, address};
use crate::services::body::{read_bounded, refuse_compressed};
use crate::services::http::json;
use crate::services::openapi::{Operation, Shapes};
use crate::services::parameters::{Field, boolean};

/// Largest file, in bytes.
const FILE_LIMIT: usize = 5 * 1024 * 1024;
/// Largest form: the file and what is around it, in bytes.
const FORM_LIMIT: usize = FILE_LIMIT + 64 * 1024;
/// Longest value of a field that is not the file, in bytes.
const TEXT_LIMIT: usize = 4 * 1024;
/// Most fields of a form, those included that nobody asks for.
const FIELDS: usize = 32;

const FILE: Field = Field { name: "file", cause: "upload-file", rule: "must be an image file" };
const CAPTCHA: Field = Field {
    name: "captchaToken",
    cause: "upload-captcha-field",
    rule: "must be the text of a captcha token",
};
const WALLET: Field = Field { name: "walletAddress", cause: "upload-wallet", rule: address::RULE };
const SOCIAL: Field =
    Field { name: "socialCreatorProof", cause: "upload-social", rule: "must be true or false" };

/// The format of texts that are captcha tokens.
pub(super) const CAPTCHA_FORMAT: &str = "captcha-token";
/// Tells where an image is kept.
const STORAGE_HEADER: &str = "x-service-image-storage";
const STORAGE: &str = "local";

pub(super) fn described(shapes: &mut Shapes) -> Operation {
    let body = value!({
        "type": "object",
        "properties": {
            FILE.name: {
                "description": format!("{}, whole and of at most {FILE_LIMIT} bytes", picture::MEDIA_TYPES.join(", ")),
                "type": "string",
                "minLength": 1,
                "contentMediaType": picture::MEDIA_TYPES[0],
                "x-max-bytes": FILE_LIMIT,
            },
            CAPTCHA.name: { "type": "string", "minLength": 1, "maxLength": TEXT_LIMIT, "format": CAPTCHA_FORMAT },
            WALLET.name: { "type": "string", "pattern": address::PATTERN },
            SOCIAL.name: { "type": "boolean", "default": false },
        },
        "required": [FILE.name, CAPTCHA.name, WALLET.name],
    });
    Operation::post("uploadImage", "Stores an image")
        .body("multipart/form-data", body, FORM_LIMIT)
        .serves("where it is stored", shapes.of::<Answer<'_>>())
        .with_header(STORAGE_HEADER, "the storage path that was selected", &value!({ "const": STORAGE }))
        .limited()
        .refuses(403, "the captcha token proves nothing")
        .fails(503, TOO_MANY, &[TOO_MANY])
        .fails(500, UNEXAMINED, &[UNEXAMINED])
        .stored()
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "StoredImage")]
struct Answer<'a> {
    #[schemars(extend("format" = "uri"))]
    url: &'a str,
    social_human_proof: Option<&'a str>,
}

/// The fields of a form as they were sent.
#[derive(Default)]
struct Form {
    file: Option<Bytes>,
    captcha: Option<String>,
    wallet: Option<String>,
    social: Option<String>,
}

pub(super) async fn post(
    State(api): State<Arc<Api>>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let _slot = api.transfer_slots.acquire(Transfer::Form).await?;
    let upload = read(&headers, body).await?;
    let uploaded = api.upload(upload, caller.0).await?;
    let mut response =
        json(&Answer { url: &uploaded.url, social_human_proof: uploaded.social_proof.as_deref() });
    response.headers_mut().insert(STORAGE_HEADER, HeaderValue::from_static(STORAGE));
    Ok(with_rate_limit(response, uploaded.rate_limit))
}

pub(super) async fn read(headers: &HeaderMap, body: Body) -> Result<Upload, Refusal> {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let boundary = multer::parse_boundary(content_type).map_err(|_| {
        Refusal::unsupported_media(
            "upload-content-type",
            "Content-Type must be multipart/form-data with a boundary",
        )
    })?;
    refuse_compressed(headers)?;
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > FORM_LIMIT) {
        return Err(too_large());
    }
    let bytes = read_bounded(body, FORM_LIMIT)
        .await
        .map_err(|refusal| if refusal.status == 413 { too_large() } else { refusal })?;
    form(bytes, boundary).await?.upload()
}

fn too_large() -> Refusal {
    Refusal::too_large("upload-size", format!("file must be at most {FILE_LIMIT} bytes"))
}

async fn form(bytes: Vec<u8>, boundary: String) -> Result<Form, Refusal> {
    let malformed = |error: multer::Error| {
        Refusal::bad_input("upload-form", "the body is not a complete multipart form")
            .with_details(error.to_string())
    };
    let whole = stream::iter([Ok::<_, std::convert::Infallible>(Bytes::from(bytes))]);
    let mut parts = Multipart::new(whole, boundary);
    let mut form = Form::default();
    let mut count = 0;
    while let Some(part) = parts.next_field().await.map_err(malformed)? {
        count += 1;
        if count > FIELDS {
            return Err(Refusal::bad_input("upload-fields", format!("a form has at most {FIELDS} fields")));
        }
        let name = part.name().unwrap_or_default().to_owned();
        let value = part.bytes().await.map_err(malformed)?;
        if name == FILE.name {
            if value.len() > FILE_LIMIT {
                return Err(too_large());
            }
            once(&mut form.file, value, FILE)?;
            continue;
        }
        let (place, field) = match &*name {
            "captchaToken" => (&mut form.captcha, CAPTCHA),
            "walletAddress" => (&mut form.wallet, WALLET),
            "socialCreatorProof" => (&mut form.social, SOCIAL),
            _ => continue,
        };
        let text = String::from_utf8(value.into()).ok();
        let text = text.filter(|text| text.len() <= TEXT_LIMIT);
        once(place, text.ok_or_else(|| field.refuse("other bytes"))?, field)?;
    }
    Ok(form)
}

/// Keeps the value of a field that may be there once.
fn once<T>(place: &mut Option<T>, value: T, field: Field) -> Result<(), Refusal> {
    if place.replace(value).is_some() {
        return Err(Refusal::bad_input(field.cause, format!("{} is sent more than once", field.name)));
    }
    Ok(())
}

impl Form {
    fn upload(self) -> Result<Upload, Refusal> {
        let Self { file, captcha, wallet, social } = self;
        let file = file.filter(|file| !file.is_empty()).ok_or_else(|| FILE.missing())?;
        let captcha = captcha.filter(|captcha| !captcha.is_empty()).ok_or_else(|| CAPTCHA.missing())?;
        let wallet = wallet.ok_or_else(|| WALLET.missing())?;
        Ok(Upload {
            file: file.into(),
            captcha,
            wallet: parsed(&wallet, WALLET, address::parse)?,
            social_proof: social.map(|social| parsed(&social, SOCIAL, boolean)).transpose()?.unwrap_or(false),
        })
    }
}

fn parsed<T>(text: &str, field: Field, parse: fn(&str) -> Option<T>) -> Result<T, Refusal> {
    parse(text).ok_or_else(|| field.refuse(text))
}
