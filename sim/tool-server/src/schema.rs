//! Adapts schemas derived from Rust types to JSON Schema 2020-12.
use serde_json::{Value, json};

/// Replaces formats for the width of a number by bounds: JSON Schema 2020-12 has no such formats.
pub(crate) fn bound_numbers(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if let Some((least, most)) = members.get("format").and_then(Value::as_str).and_then(width) {
                members.remove("format");
                for (keyword, bound) in [("minimum", least), ("maximum", most)] {
                    if !bound.is_null() && !members.contains_key("const") && !members.contains_key("enum") {
                        members.entry(keyword).or_insert(bound);
                    }
                }
            }
            members.values_mut().for_each(bound_numbers);
        }
        Value::Array(items) => items.iter_mut().for_each(bound_numbers),
        _ => {}
    }
}

/// The bounds for a format that gives the width of a number.
fn width(format: &str) -> Option<(Value, Value)> {
    Some(match format {
        "uint8" => (json!(0), json!(u8::MAX)),
        "uint16" => (json!(0), json!(u16::MAX)),
        "uint32" => (json!(0), json!(u32::MAX)),
        "uint64" => (json!(0), json!(u64::MAX)),
        "float" | "double" => (Value::Null, Value::Null),
        _ => return None,
    })
}
