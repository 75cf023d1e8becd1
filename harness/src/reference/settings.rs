//! `docs/reference/settings.md`: every member of `slipway.toml`, from its schema, and examples that parse.
use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;
use slipway_test_support::is_current;

use super::{cell, page, read};
use crate::files::platform_settings::schema;
use crate::files::target_file::Described;

const PAGE: &str = "settings.md";

#[test]
fn page_describes_every_setting() {
    let schema = schema();
    let definition = |name: &str| &schema["$defs"][name];
    let tables = [
        ("The file", &schema),
        ("`[container]`", definition("ContainerTable")),
        ("`[target.conventions]`", definition("ConventionsTable")),
        ("`[platform]`", &schema["properties"]["platform"]),
        ("A secret", definition("Secret")),
    ];
    is_current(&page(PAGE), "settings", &described_tables(&schema, &tables));
}

/// A heading and a table of members for each schema.
pub(super) fn described_tables(schema: &Value, tables: &[(&str, &Value)]) -> String {
    let mut made = String::new();
    for (heading, table) in tables {
        let _ = write!(
            made,
            "\n## {heading}\n\n{}\n\n| setting | type | meaning |\n|---|---|---|\n",
            described(table)
        );
        let alternatives = table["oneOf"].as_array().into_iter().flatten().chain([*table]);
        for alternative in alternatives {
            for (name, member) in alternative["properties"].as_object().into_iter().flatten() {
                // A variant with one member is described on the variant itself.
                let meaning = if member["description"].is_string() { member } else { alternative };
                let _ =
                    writeln!(made, "| `{name}` | {} | {} |", form(schema, member), cell(&described(meaning)));
            }
        }
    }
    made.push('\n');
    made
}

fn described(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().to_owned()
}

/// The type of a member, in words.
fn form(whole: &Value, member: &Value) -> String {
    if let Some(name) = member["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
        let definition = &whole["$defs"][name];
        let values =
            definition["oneOf"].as_array().into_iter().flatten().filter_map(|one| one["const"].as_str());
        let values: Vec<String> = values.map(|value| format!("`\"{value}\"`")).collect();
        return match name {
            "Secret" => "[secret](#a-secret)".to_owned(),
            "ContainerTable" => "[table](#container)".to_owned(),
            "TargetTable" => "[table](#targetconventions)".to_owned(),
            "Quantity" => "[number](#numbers-and-times)".to_owned(),
            "Span" => "[time](#numbers-and-times)".to_owned(),
            "TradeRow" => "[trade](#a-trade)".to_owned(),
            "LaunchTable" => "[table](#a-launch)".to_owned(),
            "FaultTable" => "[table](#a-fault)".to_owned(),
            "EffectTable" => "[table](#an-effect)".to_owned(),
            "ExpectTable" => "[table](#an-expectation)".to_owned(),
            "FailsWith" => "text or integer".to_owned(),
            "FieldValue" => "value".to_owned(),
            "ChatRow" => "[message](#a-message)".to_owned(),
            row if row.ends_with("Row") => {
                let name = row.trim_end_matches("Row").to_lowercase();
                format!("[table](#{name})")
            }
            _ => values.join(" or "),
        };
    }
    if member["properties"].is_object() {
        return "[table](#platform)".to_owned();
    }
    if let Some(given) =
        member["anyOf"].as_array().and_then(|any| any.iter().find(|any| any["type"] != "null"))
    {
        return form(whole, given);
    }
    if let Some(values) = member.get("additionalProperties").filter(|values| values.is_object()) {
        return format!("table of {}s", form(whole, values));
    }
    if let Some(items) = member.get("items") {
        return format!("list of {}s", form(whole, items));
    }
    let types =
        member["type"].as_array().map_or_else(|| vec![&member["type"]], |types| types.iter().collect());
    let named = types.into_iter().find_map(|named| named.as_str().filter(|named| *named != "null"));
    named.unwrap_or_else(|| panic!("no type: {member}")).to_owned()
}

/// The examples parse, and together they use every setting.
#[test]
fn examples_of_the_settings_are_read() {
    let page = read(PAGE);
    let examples: Vec<&str> =
        page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let mut shown = BTreeSet::new();
    for example in examples {
        toml::from_str::<Described>(example).unwrap_or_else(|error| panic!("{error} in {example}"));
        let file: toml::Table = toml::from_str(example).unwrap();
        let container = file.get("container").and_then(toml::Value::as_table).cloned().unwrap_or_default();
        shown.extend(container.keys().map(|name| format!("container.{name}")));
        let target = file.get("target").and_then(toml::Value::as_table).cloned().unwrap_or_default();
        let conventions = target.get("conventions").and_then(toml::Value::as_table);
        shown.extend(
            conventions.into_iter().flat_map(|table| table.keys()).map(|name| format!("target.{name}")),
        );
        shown.extend(file.keys().cloned());
    }
    let schema = schema();
    let names = |table: &Value| table["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let inner = [("ContainerTable", "container"), ("ConventionsTable", "target")];
    let inner = inner.into_iter().flat_map(|(table, prefix)| {
        names(&schema["$defs"][table]).into_iter().map(move |name| format!("{prefix}.{name}"))
    });
    let known: BTreeSet<String> = names(&schema).into_iter().chain(inner).collect();
    assert_eq!(shown, known);
}
