//! How planned requests are written: queries, JSON bodies and forms.
use std::collections::BTreeSet;
use std::io::Cursor;

use image::{ImageFormat, Rgb, RgbImage};
use serde_json::{Map, Value};
use url::form_urlencoded::byte_serialize;

use super::document::Shape;
use crate::client::message::form;

/// The body of a request.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// Fields, as a JSON object or as a form.
    Fields { fields: Map<String, Value>, form: bool, files: BTreeSet<String> },
    /// Bytes that are sent as they are; an empty media type is left out.
    Raw { media_type: String, bytes: Vec<u8> },
}

impl Content {
    /// Media type and bytes.
    pub(super) fn encoded(&self) -> (String, Vec<u8>) {
        match self {
            Self::Fields { fields, form: false, .. } => {
                ("application/json".to_owned(), Value::Object(fields.clone()).to_string().into_bytes())
            }
            Self::Fields { fields, files, .. } => written(fields, files),
            Self::Raw { media_type, bytes } => (media_type.clone(), bytes.clone()),
        }
    }
}

/// The fields of a form that are files, by its schema.
pub(super) fn files(schema: &Value) -> BTreeSet<String> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let files = properties.filter(|(_, property)| property.get("contentMediaType").is_some());
    files.map(|(name, _)| name.clone()).collect()
}

/// Whether a form that is written from these fields reads as the schema has it: everything is text there.
pub(super) fn form_reads(fields: &Value, shape: &Shape) -> bool {
    let files = files(&shape.schema);
    let mut read = fields.clone();
    for (name, value) in read.as_object_mut().into_iter().flatten() {
        let boolean = shape.schema["properties"][name]["type"] == "boolean";
        if files.contains(name) || (boolean && value.is_boolean()) {
            continue;
        }
        let text = plain(value);
        *value = match text.parse::<bool>() {
            Ok(flag) if boolean => flag.into(),
            _ => text.into(),
        };
    }
    shape.validator.is_valid(&read)
}

/// A value as text without quotes.
pub(super) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The media type and the bytes of a form. A text in the place of a file is a small picture, whose color the text decides.
fn written(fields: &Map<String, Value>, files: &BTreeSet<String>) -> (String, Vec<u8>) {
    let parts = fields.iter().map(|(name, value)| {
        let file = files.contains(name);
        let text = value.as_str().filter(|text| file && !text.is_empty());
        let bytes = text.map_or_else(|| plain(value).into_bytes(), picture);
        (name.as_str(), file.then_some("picture.png"), bytes)
    });
    form(&parts.collect::<Vec<_>>())
}

fn picture(text: &str) -> Vec<u8> {
    let [red, green, blue, ..] = alloy::primitives::keccak256(text).0;
    let picture = RgbImage::from_pixel(2, 2, Rgb([red, green, blue]));
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png).expect("a picture of four pixels is written to memory");
    bytes.into_inner()
}

/// A text as part of a query or a path.
pub(super) fn quoted(text: &str) -> String {
    // A plus is a space in a query only.
    byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}
