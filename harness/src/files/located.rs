//! Locates an error in a TOML file: its line, its key, and a known key that is spelled alike.
use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::terminal::alike::suggestion;

/// The line of an error, and a one-line reason why the text does not fit the schema, with the key.
pub(crate) fn place(text: &str, error: &toml::de::Error, schema: &Value) -> (usize, String) {
    let line = error.span().map_or(1, |span| line_at(text, span.start));
    (line, reason(text, error, schema))
}

/// The line of a key given by its path, or of the longest part of the path that exists.
pub(crate) fn line_of(text: &str, path: impl Iterator<Item = String>) -> usize {
    let Ok(whole) = DeTable::parse(text) else { return 1 };
    let mut start = 0;
    let mut at: Option<&DeValue<'_>> = None;
    for name in path {
        let found = match at {
            None => entry(whole.get_ref(), &name),
            Some(DeValue::Table(table)) => entry(table, &name),
            Some(DeValue::Array(items)) => {
                name.parse().ok().and_then(|index: usize| items.get(index)).map(|item| (item.span(), item))
            }
            Some(_) => None,
        };
        let Some((span, value)) = found else { break };
        start = span.start;
        at = Some(value.get_ref());
    }
    line_at(text, start)
}

/// The place of a key in a table, and its value.
fn entry<'t, 'd>(table: &'t DeTable<'d>, name: &str) -> Option<(Range<usize>, &'t Spanned<DeValue<'d>>)> {
    table.iter().find(|(key, _)| key.get_ref() == name).map(|(key, value)| (key.span(), value))
}

fn line_at(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

fn reason(text: &str, error: &toml::de::Error, schema: &Value) -> String {
    let message = error.message().trim().replace('\n', ", ");
    let Some((span, table)) = error.span().zip(DeTable::parse(text).ok()) else { return message };
    let mut path = Vec::new();
    find(table.get_ref(), &span, &mut path);
    let known = known(&path, schema);
    let Some(Part::Key(name)) = path.last() else {
        return if path.is_empty() { message } else { format!("{}: {message}", words(&path)) };
    };
    if known.is_empty() || known.contains(name) {
        return format!("{}: {message}", words(&path));
    }
    let parent = path.split_last().map_or(&[][..], |(_, parents)| parents);
    no_field(&words(parent), name, known.iter().map(String::as_str))
}

/// The reason for a key that a table does not have, with a known one that is spelled alike; the whole file has no name.
pub(crate) fn no_field<'k>(table: &str, name: &str, known: impl Iterator<Item = &'k str> + Clone) -> String {
    let has_no =
        if table.is_empty() { "there is no field".to_owned() } else { format!("{table} has no field") };
    match suggestion(name, known.clone()) {
        Some(alike) => format!("{has_no} `{name}`; did you mean `{alike}`?"),
        None => format!("{has_no} `{name}`; there are {}", known.collect::<Vec<_>>().join(", ")),
    }
}

/// A part of the path to a value.
enum Part {
    Key(String),
    /// A row of an array, from 0.
    Row(usize),
}

/// A path as `target.base-url` or `step 3, buy`; rows count from 1.
fn words(path: &[Part]) -> String {
    let mut text = String::new();
    let mut before: Option<&Part> = None;
    for part in path {
        match (part, before) {
            (Part::Row(row), _) => _ = write!(text, " {}", row + 1),
            (Part::Key(name), None) => text.push_str(name),
            (Part::Key(name), Some(Part::Key(_))) => _ = write!(text, ".{name}"),
            (Part::Key(name), Some(Part::Row(_))) => _ = write!(text, ", {name}"),
        }
        before = Some(part);
    }
    text
}

fn holds(range: &Range<usize>, span: &Range<usize>) -> bool {
    range.start <= span.start && span.end <= range.end
}

/// The path to the place of an error.
fn find(table: &DeTable<'_>, span: &Range<usize>, path: &mut Vec<Part>) {
    for (key, value) in table {
        let depth = path.len();
        path.push(Part::Key(key.get_ref().to_string()));
        find_in(value, span, path);
        // The parts of a table may be scattered over the file.
        if path.len() > depth + 1 || holds(&key.span(), span) || holds(&value.span(), span) {
            return;
        }
        path.truncate(depth);
    }
}

fn find_in(value: &Spanned<DeValue<'_>>, span: &Range<usize>, path: &mut Vec<Part>) {
    match value.get_ref() {
        DeValue::Table(inner) => find(inner, span, path),
        DeValue::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let depth = path.len();
                path.push(Part::Row(index));
                find_in(item, span, path);
                if path.len() > depth + 1 || holds(&item.span(), span) {
                    return;
                }
                path.truncate(depth);
            }
        }
        _ => {}
    }
}

/// The names that a schema defines in the parent of a path; empty if it defines none there.
fn known(path: &[Part], schema: &Value) -> Vec<String> {
    let parents = path.split_last().map_or(&[][..], |(_, parents)| parents);
    let mut at = schema;
    for part in parents {
        let member = match part {
            Part::Row(_) => &at["items"],
            Part::Key(name) => &at["properties"][name],
        };
        at = resolved(member, schema);
    }
    at["properties"].as_object().map(|members| members.keys().cloned().collect()).unwrap_or_default()
}

fn resolved<'s>(member: &'s Value, schema: &'s Value) -> &'s Value {
    let path = member["$ref"].as_str().and_then(|path| path.strip_prefix('#'));
    path.and_then(|path| schema.pointer(path)).unwrap_or(member)
}
