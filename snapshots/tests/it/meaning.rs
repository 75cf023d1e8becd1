//! The table of fields compared with the OpenAPI documents of both services.
use std::collections::BTreeSet;

use serde_json::Value;
use slipway_scenarios::answers::fields::fields;

/// Pointers of all values that a schema describes.
fn leaves(root: &Value, schema: &Value, pointer: &str, found: &mut BTreeSet<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(&reference[1..]).expect("references stay inside the document");
        return leaves(root, target, pointer, found);
    }
    let parts = ["allOf", "anyOf", "oneOf"].iter().filter_map(|kind| schema[kind].as_array());
    let parts: Vec<&Value> = parts.flatten().collect();
    for part in &parts {
        leaves(root, part, pointer, found);
    }
    if let Some(members) = schema["properties"].as_object() {
        for (name, member) in members {
            leaves(root, member, &format!("{pointer}/{name}"), found);
        }
    } else if let Some(items) = schema.get("items") {
        leaves(root, items, &format!("{pointer}/*"), found);
    } else if parts.is_empty() && schema["type"] != "null" {
        found.insert(pointer.to_owned());
    }
}

/// Service, operation and pointer of every field that a document describes, except for images and the document itself.
fn described(service: &str, document: &Value) -> BTreeSet<(String, String, String)> {
    let mut found = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().expect("paths") {
        if path == "/openapi.json" {
            continue;
        }
        for (method, operation) in operations.as_object().expect("operations") {
            let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
            let mut pointers = BTreeSet::new();
            if !schema.is_null() {
                leaves(document, schema, "", &mut pointers);
            }
            let name = format!("{} {path}", method.to_uppercase());
            found.extend(pointers.into_iter().map(|pointer| (service.to_owned(), name.clone(), pointer)));
        }
    }
    found
}

#[test]
fn field_table_covers_the_documents() {
    let mut described_fields = described("rest", &slipway_sim::rest_document("/"));
    described_fields.extend(described("swap", &slipway_sim::swap_document("/")));
    assert!(described_fields.len() > 200, "the documents describe {} fields", described_fields.len());
    let listed: BTreeSet<_> = fields()
        .map(|field| (field.service.to_owned(), field.operation.to_owned(), field.pointer.clone()))
        .collect();
    let missing: Vec<_> = described_fields.difference(&listed).collect();
    let stale: Vec<_> = listed.difference(&described_fields).collect();
    assert!(missing.is_empty(), "not in docs/reference/meaning.md: {missing:#?}");
    assert!(stale.is_empty(), "in no document: {stale:#?}");
}
