//! Where an error of a TOML file is: the key it stands at, and a known one that is spelt alike.
use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use crate::alike::suggestion;

/// Why a text does not fit a schema, in one line that names the key.
pub(crate) fn reason(text: &str, error: &toml::de::Error, schema: &Value) -> String {
    let message = error.message().trim().replace('\n', ", ");
    let Some((span, table)) = error.span().zip(DeTable::parse(text).ok()) else { return message };
    let mut path = Vec::new();
    find(table.get_ref(), &span, &mut path);
    let known = known(&path, schema);
    let Some(name) = path.last() else { return message };
    if known.is_empty() || known.contains(name) {
        return format!("{}: {message}", path.join("."));
    }
    let mut reason = format!("there is no {}", path.join("."));
    match suggestion(name, known.iter().map(String::as_str)) {
        Some(alike) => _ = write!(reason, "; did you mean {alike}?"),
        None => _ = write!(reason, "; there are {}", known.join(", ")),
    }
    reason
}

/// The keys down to the place of an error.
fn find(table: &DeTable<'_>, span: &Range<usize>, path: &mut Vec<String>) {
    let holds = |range: Range<usize>| range.start <= span.start && span.end <= range.end;
    for (key, value) in table {
        let DeValue::Table(inner) = value.get_ref() else {
            if holds(key.span()) || holds(value.span()) {
                path.push(key.get_ref().to_string());
                return;
            }
            continue;
        };
        let depth = path.len();
        path.push(key.get_ref().to_string());
        find(inner, span, path);
        // The parts of a table may stand apart.
        if path.len() > depth + 1 || holds(key.span()) || holds(value.span()) {
            return;
        }
        path.truncate(depth);
    }
}

/// The names that a schema knows beside the last of a path; none where it knows no names there.
fn known(path: &[String], schema: &Value) -> Vec<String> {
    let parents = path.split_last().map_or(&[][..], |(_, parents)| parents);
    let mut at = schema;
    for name in parents {
        at = resolved(&at["properties"][name], schema);
    }
    at["properties"].as_object().map(|members| members.keys().cloned().collect()).unwrap_or_default()
}

fn resolved<'s>(member: &'s Value, schema: &'s Value) -> &'s Value {
    let path = member["$ref"].as_str().and_then(|path| path.strip_prefix('#'));
    path.and_then(|path| schema.pointer(path)).unwrap_or(member)
}
