//! `docs/reference/vectors.md` lists exactly the members of real lines, and its examples are such lines.
use std::collections::BTreeSet;

use serde_json::Value;
use slipway_sim::vectors::{CaseKind, Questions};

use super::read;

/// The names of the members; members of list items are prefixed with the list's name.
fn names(line: &Value) -> BTreeSet<String> {
    let members = line.as_object().unwrap().iter();
    let nested = |(name, value): (&String, &Value)| {
        let items = value.as_array().into_iter().flatten().flat_map(names);
        let inner = items.map(|inner| format!("{name}[].{inner}"));
        std::iter::once(name.clone()).chain(inner).collect::<Vec<_>>()
    };
    members.flat_map(nested).collect()
}

#[test]
fn page_describes_every_member_of_the_vectors() {
    let page = read("vectors.md");
    for kind in CaseKind::ALL {
        let heading = format!("\n## `{}`\n", kind.name());
        let (_, section) = page.split_once(&heading).unwrap_or_else(|| panic!("no heading{heading}"));
        let section = section.split("\n## ").next().unwrap();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
        let named: BTreeSet<String> = rows.map(|row| row.split('`').next().unwrap().to_owned()).collect();
        let lines = Questions::new(kind, 1).take(300).map(|question| question.answered());
        let lines: Vec<Value> = lines.collect();
        let given: BTreeSet<String> = lines.iter().flat_map(names).collect();
        assert_eq!(named, given, "{}", kind.name());
        let (_, example) = section.split_once("```json\n").unwrap();
        let example: Value = serde_json::from_str(example.split("```").next().unwrap()).unwrap();
        assert!(lines.contains(&example), "no such line of {}: {example}", kind.name());
    }
}
