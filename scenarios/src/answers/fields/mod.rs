//! The fields of every answer, read from a page of the documentation: the form of each field, and the clause that checks its meaning.
pub(crate) mod shape;
mod tokens;

use std::sync::LazyLock;

use shape::{Member, Shape};
pub(crate) use tokens::{Place, TokenField, token, tokens};

use crate::model::verdict::Binding;

/// The table of fields as a documentation page.
const DOCUMENT: &str = include_str!("../../../fields.md");

/// Objects that several answers contain: their places, the operation and the pointer of each.
const PLACES: &[(&[Place], &str, &str)] = &[
    (&[Place::List], "GET /api/tokens", "/tokens/*"),
    (&[Place::Owner], "GET /api/tokens/by-owner", "/tokens/*"),
    (BATCH, "POST /api/tokens/batch", "/tokens/*"),
    (BATCH, "GET /api/tokens/batch", "/tokens/*"),
    (&[Place::Recent], "GET /api/tokens/recent-v2", "/tokens/*"),
    (&[Place::Record], "GET /api/token", ""),
    (&[Place::Record], "GET /api/koti", ""),
    (&[Place::Emperor], "GET /api/eoti", ""),
    (&[Place::Active], "GET /api/capabilities", "/activeCreationDeployment"),
    (&[Place::Tradeable], "GET /api/capabilities", "/tradeableDeployments/*"),
];

/// A token of a batch with all its flags.
pub(crate) const BATCH: &[Place] = &[Place::Batch, Place::Metrics, Place::Holders, Place::Socials];

#[derive(Clone, Copy, Debug)]
struct FieldRow {
    /// Service (`rest` or `swap`), then method and path; `None` for an object that several answers contain.
    operation: Option<(&'static str, &'static str)>,
    pointer: &'static str,
    /// The binding, or the letters of the places that show the field.
    shown: &'static str,
    form: &'static str,
    /// The clause that checks the meaning, or why no clause does; empty for an object or a list.
    held: &'static str,
}

/// One field of one answer.
#[derive(Clone, Debug)]
pub struct Field {
    /// `rest` or `swap`.
    pub service: &'static str,
    /// Method and path.
    pub operation: &'static str,
    /// JSON pointer; `*` means every element of an array.
    pub pointer: String,
    binding: Binding,
    form: &'static str,
    held: &'static str,
    place: Option<Place>,
}

static ROWS: LazyLock<Vec<FieldRow>> = LazyLock::new(|| {
    let chapters = DOCUMENT.split("\n## ").skip(1);
    chapters.flat_map(|chapter| chapter.lines().filter_map(|line| row(operation(chapter), line))).collect()
});

static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| ROWS.iter().flat_map(places).collect());

/// Parses the operation of a chapter from a title like "`GET /api/chat` (rest)".
fn operation(chapter: &'static str) -> Option<(&'static str, &'static str)> {
    let (operation, service) = chapter.lines().next()?.strip_prefix('`')?.split_once("` (")?;
    Some((service.trim_end_matches(')'), operation))
}

fn row(operation: Option<(&'static str, &'static str)>, line: &'static str) -> Option<FieldRow> {
    let cells: Vec<&str> = line.strip_prefix("| `")?.strip_suffix('|')?.split('|').map(str::trim).collect();
    let [pointer, shown, form, _meaning, _source, held] = *cells else { return None };
    Some(FieldRow { operation, pointer: pointer.trim_end_matches('`'), shown, form, held })
}

/// Returns the fields that a row describes, one for each place. The fields of recent launches and of a record are in an object that is a
/// choice.
fn places(row: &FieldRow) -> Vec<Field> {
    let field = |service, operation, pointer, binding, place| Field {
        service,
        operation,
        pointer,
        binding,
        form: row.form,
        held: row.held,
        place,
    };
    if let Some((service, operation)) = row.operation {
        let binding = if row.shown == "interface" { Binding::Interface } else { Binding::Choice };
        return vec![field(service, operation, row.pointer.trim_end_matches('/').to_owned(), binding, None)];
    }
    let places = PLACES.iter().filter_map(|&(places, operation, prefix)| {
        let shown = |letter: char| Some((letter, Place::of_letter(letter)?));
        let (letter, place) =
            row.shown.chars().filter_map(shown).find(|(_, place)| places.contains(place))?;
        let binding = if letter.is_uppercase() { Binding::Interface } else { Binding::Choice };
        let pointer = format!("{prefix}/{}", row.pointer.trim_start_matches('/'));
        Some(field("rest", operation, pointer, binding, Some(place)))
    });
    places.collect()
}

/// Returns every field of every answer, without objects and lists.
pub fn fields() -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(|field| !field.held.is_empty())
}

/// Returns the operations of a service, each once.
pub(crate) fn operations() -> Vec<(&'static str, &'static str)> {
    let mut operations: Vec<_> = ROWS.iter().filter_map(|row| row.operation).collect();
    operations.dedup();
    operations
}

/// Returns the shape of the body of an operation.
pub(crate) fn body(service: &str, operation: &str) -> Shape {
    let own: Vec<&Field> =
        FIELDS.iter().filter(|field| (field.service, field.operation) == (service, operation)).collect();
    let form = own.iter().find(|field| field.pointer.is_empty()).map_or("object", |field| field.form);
    shape(form, &own, "")
}

/// Builds the shape of a form; the rows below the pointer give the members of an object or a list. Leaks what it builds.
fn shape(form: &'static str, fields: &[&Field], pointer: &str) -> Shape {
    let within = |form| -> &'static Shape { Box::leak(Box::new(shape(form, fields, pointer))) };
    if let Some(form) = form.strip_suffix(" or null") {
        Shape::OrNull(within(form.trim_end_matches(',')))
    } else if let Some(form) = form.strip_prefix("text, by choice ") {
        Shape::TextOf(within(form))
    } else if let Some(form) = form.strip_prefix("by choice ") {
        Shape::Chosen(within(form))
    } else if form == "object" {
        Shape::Object(members(fields, pointer))
    } else if form == "list" {
        let items = format!("{pointer}/*");
        let item = fields.iter().find(|field| field.pointer == items).map_or("object", |field| field.form);
        Shape::List(Box::leak(Box::new(shape(item, fields, &items))))
    } else {
        Shape::named(form)
    }
}

/// Returns the members of the object at a pointer, without those that a batch flag adds: the flag's own check judges them.
fn members(fields: &[&Field], pointer: &str) -> &'static [Member] {
    let flagged = [Some(Place::Metrics), Some(Place::Holders), Some(Place::Socials)];
    let members = fields.iter().filter(|field| !flagged.contains(&field.place)).filter_map(|field| {
        let name = field.pointer.strip_prefix(pointer)?.strip_prefix('/')?;
        if name == "*" || name.contains('/') {
            return None;
        }
        let form = field.form.strip_prefix("optional ");
        let needed = if form.is_some() { None } else { Some(field.binding) };
        let shape = shape(form.unwrap_or(field.form), fields, &field.pointer);
        Some(Member { name: name.to_owned().leak(), shape, needed })
    });
    Vec::leak(members.collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn fields_are_unique_and_reference_known_clauses() {
        let mut seen = BTreeSet::new();
        for field in fields() {
            assert!(seen.insert((field.service, field.operation, &field.pointer)), "{field:?}");
            let by_its_form = field.held.strip_prefix("its form only: ").is_some_and(|why| !why.is_empty());
            assert!(by_its_form || crate::clause(field.held).is_some(), "{field:?}");
        }
    }

    #[test]
    fn every_row_of_the_document_is_read() {
        let rows =
            DOCUMENT.split("\n## ").skip(1).flat_map(str::lines).filter(|line| line.starts_with("| `"));
        assert_eq!(rows.count(), ROWS.len());
        for (service, operation) in operations() {
            body(service, operation);
        }
    }
}
