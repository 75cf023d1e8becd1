//! Multipart forms with one file.
use std::collections::BTreeMap;

use axum::body::Bytes;
use futures::stream;
use multer::Multipart;
use serde_json::Value;

use super::{Custom, Field, Input, InputKind, Presence, Required};
use crate::api::refusal::Refusal;

/// The bytes of a file; no text is accepted.
pub(crate) const fn file(rule: &'static str, schema: fn() -> Value) -> Custom<Bytes> {
    Custom { parse: |_| None, rule, schema }
}

/// Limits of a form and the refusals beyond them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormLimits {
    /// Most fields, undeclared ones included.
    pub fields: usize,
    /// Longest text field, in bytes.
    pub text: usize,
    /// Largest file, in bytes.
    pub file: usize,
    pub form_cause: &'static str,
    /// Cause id of a form with too many fields.
    pub fields_cause: &'static str,
    pub file_too_large: fn() -> Refusal,
}

#[derive(Debug, Default)]
pub(crate) struct Form {
    file: Option<Bytes>,
    texts: BTreeMap<&'static str, String>,
}

impl Form {
    /// Reads a whole form; undeclared fields are ignored, repeated ones refused.
    pub(crate) async fn read(
        bytes: Vec<u8>,
        boundary: String,
        limits: &FormLimits,
        file: &Input<Custom<Bytes>, Required>,
        texts: &[&(dyn Field + Sync)],
    ) -> Result<Self, Refusal> {
        let malformed = |error: multer::Error| {
            Refusal::bad_input(limits.form_cause, "the body is not a complete multipart form")
                .with_details(error.to_string())
        };
        let whole = stream::iter([Ok::<_, std::convert::Infallible>(Bytes::from(bytes))]);
        let mut parts = Multipart::new(whole, boundary);
        let mut form = Self::default();
        let mut count = 0;
        while let Some(part) = parts.next_field().await.map_err(malformed)? {
            count += 1;
            if count > limits.fields {
                return Err(Refusal::bad_input(
                    limits.fields_cause,
                    format!("a form has at most {} fields", limits.fields),
                ));
            }
            let name = part.name().unwrap_or_default().to_owned();
            let value = part.bytes().await.map_err(malformed)?;
            if name == file.name {
                if value.len() > limits.file {
                    return Err((limits.file_too_large)());
                }
                if form.file.replace(value).is_some() {
                    return Err(repeated(file));
                }
            } else if let Some(field) = texts.iter().find(|field| field.name() == name) {
                let text = String::from_utf8(value.into()).ok();
                let text = text.filter(|text| text.len() <= limits.text);
                let text = text.ok_or_else(|| field.refuse_value("other bytes"))?;
                if form.texts.insert(field.name(), text).is_some() {
                    return Err(repeated(*field));
                }
            }
        }
        Ok(form)
    }

    /// The file; an empty file counts as absent.
    pub(crate) fn file(&mut self, input: &Input<Custom<Bytes>, Required>) -> Result<Bytes, Refusal> {
        self.file.take().filter(|file| !file.is_empty()).ok_or_else(|| input.missing())
    }

    pub(crate) fn text<K: InputKind, P: Presence<K::Value>>(
        &self,
        input: &Input<K, P>,
    ) -> Result<P::Output, Refusal> {
        input.parse(self.texts.get(input.name).map(String::as_str))
    }
}

fn repeated(field: &dyn Field) -> Refusal {
    Refusal::bad_input(field.cause(), format!("{} is sent more than once", field.name()))
}
