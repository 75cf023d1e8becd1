//! `POST /api/upload`: a form with one image, read up to a size limit; only a few forms are in memory at once.
//!
//! A form is checked in this order, and the first failure refuses it: its media type, its size, its fields, the rates of wallet and caller,
//! the captcha token, the image.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::json as value;
use tokio::time::timeout;

use super::form::{self, Form, Part};
use super::limit::{Caller, with_rate_limit};
use crate::api::refusal::{Reason, Refusal};
use crate::api::transfer_slots::{Slot, TOO_MANY, Transfer};
use crate::api::upload::{UNEXAMINED, Upload};
use crate::api::{Api, picture};
use crate::services::body::{Reading, refuse_compressed, too_slow};
use crate::services::http::{Served, json};
use crate::services::input::kinds::AccountAddress;
use crate::services::input::{self, Inputs, Sent, Values};
use crate::services::openapi::{Operation, Schemas};
use crate::services::refusal::{refused, status};

/// Largest file, in bytes.
///
/// Clause: UP-SIZE
const FILE_LIMIT: usize = 5 * 1024 * 1024;
/// Largest form, in bytes: the file and everything around it.
const FORM_LIMIT: usize = FILE_LIMIT + 64 * 1024;
/// The beginning of a form: its length in bytes, and its time limit.
const BEGINNING: usize = 8 * 1024;
const BEGINNING_TIME: Duration = Duration::from_secs(5);
/// Maximum number of fields in a form, undeclared ones included.
const MOST_FIELDS: usize = 32;
/// Name of the field with the image.
const FILE: &str = "file";
/// Longest value of a text field, in bytes.
const TEXT_LIMIT: usize = 4 * 1024;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UploadForm {
    #[serde(rename = "file")]
    #[schemars(with = "String", length(min = 1))]
    #[schemars(extend(
        "format" = "binary",
        "contentMediaType" = picture::MEDIA_TYPES[0],
        "description" = format!("{}, whole and of at most {FILE_LIMIT} bytes", picture::MEDIA_TYPES.join(", ")),
        "x-cause" = "upload-file",
        "x-rule" = "must be an image file"
    ))]
    _file: IgnoredAny,
    /// captcha token
    #[schemars(length(min = 1, max = TEXT_LIMIT))]
    #[schemars(extend("x-cause" = "upload-captcha-field", "x-rule" = "must be the text of a captcha token"))]
    captcha_token: String,
    /// the wallet that uploads are counted for
    #[schemars(extend("x-cause" = "upload-wallet"))]
    wallet_address: AccountAddress,
    /// ask for a proof that a human uploaded the image
    #[serde(default)]
    #[schemars(extend("x-cause" = "upload-social"))]
    social_creator_proof: bool,
}

/// The content of a form: a file that is not empty, and texts.
#[derive(Default)]
struct SentForm {
    file: Option<Bytes>,
    texts: BTreeMap<&'static str, String>,
}

impl Values for SentForm {
    fn find(&self, name: &str) -> Result<Option<Sent<'_>>, Refusal> {
        if name == FILE {
            return Ok(self.file.as_ref().map(|_| Sent::Text(FILE)));
        }
        Ok(self.texts.get(name).filter(|text| !text.is_empty()).map(|text| Sent::Text(text)))
    }
}

/// Header with the kind of storage of an image.
///
/// Clause: UP-HEADER
const STORAGE_HEADER: &str = "x-service-image-storage";
const STORAGE: &str = "local";

pub(super) fn operation(schemas: &mut Schemas) -> Operation {
    Operation::post("uploadImage", "Stores an image")
        .sends::<UploadForm>("multipart/form-data", FORM_LIMIT)
        .serves("where it is stored", schemas.of::<StoredImage<'_>>())
        .with_header(STORAGE_HEADER, "the storage path that was selected", &value!({ "const": STORAGE }))
        .limited()
        .refuses(403, "the captcha token proves nothing")
        .fails(503, TOO_MANY, &[TOO_MANY])
        .fails(500, UNEXAMINED, &[UNEXAMINED])
        .stored()
        .with_statuses(known_status)
}

/// The status of a refusal of an upload: 400, 403, 429 or 500.
fn known_status(status: u16) -> u16 {
    match status {
        408 | 413 | 415 => 400,
        503 => 500,
        other => other,
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct StoredImage<'a> {
    #[schemars(extend("format" = "uri"))]
    url: &'a str,
    social_human_proof: Option<&'a str>,
}

pub(super) async fn post(
    State(api): State<Arc<Api>>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let stored = store(&api, caller, &headers, body).await;
    stored.unwrap_or_else(|refusal| refused(&refusal, known_status(status(refusal.reason))))
}

async fn store(api: &Api, caller: Caller, headers: &HeaderMap, body: Body) -> Served {
    let (upload, _slot) = read(headers, body, || api.transfer_slot(Transfer::Form, caller.0)).await?;
    let uploaded = api.upload(upload, caller.0).await?;
    let mut response =
        json(&StoredImage { url: &uploaded.url, social_human_proof: uploaded.social_proof.as_deref() });
    response.headers_mut().insert(STORAGE_HEADER, HeaderValue::from_static(STORAGE));
    Ok(with_rate_limit(response, uploaded.rate_limit))
}

/// Reads a form, and takes a slot only once its beginning has arrived: a caller that sends nothing takes no slot from others.
///
/// Clause: UP-FIELDS
pub(super) async fn read<F: Future<Output = Result<Slot, Refusal>>>(
    headers: &HeaderMap,
    body: Body,
    slot: impl FnOnce() -> F,
) -> Result<(Upload, Slot), Refusal> {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let boundary = form::boundary(content_type).ok_or_else(|| {
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
    let (bytes, slot) = whole(body, slot)
        .await
        .map_err(|refusal| if refusal.reason == Reason::TooLarge { too_large() } else { refusal })?;
    let sent = sent(bytes, &boundary)?;
    let form: UploadForm = input::read(&sent)?;
    let upload = Upload {
        file: sent.file.unwrap_or_default().into(),
        captcha: form.captcha_token,
        wallet: form.wallet_address.0,
        social_proof: form.social_creator_proof,
    };
    Ok((upload, slot))
}

/// Reads a form: its beginning without a slot and in a short time, the rest until another form needs the slot.
async fn whole<F: Future<Output = Result<Slot, Refusal>>>(
    body: Body,
    slot: impl FnOnce() -> F,
) -> Result<(Vec<u8>, Slot), Refusal> {
    let mut form = Reading::new(body, FORM_LIMIT);
    let beginning = async {
        while form.bytes.len() < BEGINNING && form.read().await?.is_some() {}
        Ok::<(), Refusal>(())
    };
    timeout(BEGINNING_TIME, beginning).await.map_err(|_| too_slow())??;
    let slot = slot().await?;
    slot.moved(form.bytes.len());
    loop {
        let read = tokio::select! {
            read = form.read() => read?,
            () = slot.cut() => return Err(too_slow()),
        };
        match read {
            Some(count) => slot.moved(count),
            None => return Ok((form.bytes, slot)),
        }
    }
}

/// The file and the texts of a whole form; undeclared fields are ignored, repeated ones refused.
fn sent(bytes: Vec<u8>, boundary: &str) -> Result<SentForm, Refusal> {
    let malformed = |problem: &str| {
        Refusal::bad_input("upload-form", "the body is not a complete multipart form").with_details(problem)
    };
    let mut parts = Form::new(bytes.into(), boundary).map_err(malformed)?;
    let inputs = Inputs::of::<UploadForm>();
    let repeated = |name| Refusal::bad_input(inputs.cause(name), format!("{name} is sent more than once"));
    let mut form = SentForm::default();
    let mut count = 0;
    while let Some(Part { name, value }) = parts.next().map_err(malformed)? {
        count += 1;
        if count > MOST_FIELDS {
            let message = format!("a form has at most {MOST_FIELDS} fields");
            return Err(Refusal::bad_input("upload-fields", message));
        }
        if name == FILE {
            if value.len() > FILE_LIMIT {
                return Err(too_large());
            }
            if form.file.replace(value).is_some() {
                return Err(repeated(FILE));
            }
        } else if let Some(name) = inputs.names().find(|known| *known == name) {
            let text = String::from_utf8(value.into()).ok().filter(|text| text.len() <= TEXT_LIMIT);
            let text = text.ok_or_else(|| inputs.refuse(name, "other bytes"))?;
            if form.texts.insert(name, text).is_some() {
                return Err(repeated(name));
            }
        }
    }
    // An empty file counts as absent.
    form.file = form.file.filter(|file| !file.is_empty());
    Ok(form)
}

fn too_large() -> Refusal {
    Refusal::too_large("upload-size", format!("file must be at most {FILE_LIMIT} bytes"))
}
