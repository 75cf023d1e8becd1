//! `slipway drill --changes`: defects and variants from a user's file.
use std::path::PathBuf;
use std::{fs, str};

use serde_json::{Value, json};

use crate::program::{expect_code, json as json_of};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The file of changes in a document.
fn shown(document: &str) -> String {
    let text = fs::read_to_string(root().join(document)).unwrap();
    let mut blocks = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.find(|block| block.contains("[[defect]]")).unwrap().to_owned()
}

fn schema() -> jsonschema::Validator {
    jsonschema::validator_for(&json_of(&expect_code(&["show", "schema", "changes"], 0))).unwrap()
}

#[test]
fn the_file_of_the_document_is_drilled() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.toml");
    fs::write(&file, shown("docs/how-to/checking.md")).unwrap();
    let path = file.to_str().unwrap();
    let drilled = json_of(&expect_code(&["drill", "--changes", path, "--json"], 0));
    let ids: Vec<&str> =
        drilled["defects"].as_array().unwrap().iter().filter_map(|row| row["id"].as_str()).collect();
    assert_eq!(ids, ["shop-counts-the-page", "shop-preview-hides-a-fee"]);
    assert_eq!(drilled["summary"]["caught"], json!(2), "{drilled}");
    let varied = json_of(&expect_code(&["drill", "--changes", path, "--variants", "--json"], 0));
    assert_eq!(varied["summary"], json!({ "passed": 1, "failed": 0, "unseen": 0 }), "{varied}");
}

/// A defect that applies to nothing is no fault of the checks, and the report says which of the two it is.
#[test]
fn a_defect_that_changes_nothing_is_missed_for_that_reason() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.toml");
    let row = |id: &str, at: &str, change: &str| {
        format!(
            "[[defect]]\nid = \"{id}\"\nlayer = \"rest\"\nclauses = [\"LIST-COUNT\"]\nsummary = \"wrong\"\n\
             on.path = \"/api/tokens\"\nat = \"{at}\"\ndo = \"{change}\"\n"
        )
    };
    let rows = [
        row("misspelt", "/totalcount", "doubled"),
        row("unjudged", "/**[ticker]/description", "another_text"),
    ];
    fs::write(&file, rows.concat()).unwrap();
    let arguments = ["drill", "--changes", file.to_str().unwrap()];
    let told = String::from_utf8(expect_code(&arguments, 5).stdout).unwrap();
    let line = |id: &str| told.lines().find(|line| line.contains(id)).unwrap();
    assert!(
        line("misspelt").ends_with(
            "not failed: LIST-COUNT; it changed nothing: look at `on`, `at` and the kind of the value"
        ),
        "{told}"
    );
    assert!(line("unjudged").ends_with("not failed: LIST-COUNT"), "{told}");
    let rows = json_of(&expect_code(&[&arguments[..], &["--json"]].concat(), 5));
    let changed: Vec<&Value> =
        rows["defects"].as_array().unwrap().iter().map(|row| &row["changedNothing"]).collect();
    assert_eq!(changed, [&json!(true), &json!(false)]);
}

#[test]
fn a_file_that_cannot_be_drilled_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.toml");
    let path = file.to_str().unwrap();
    let row = "[[defect]]\nid = \"own\"\nlayer = \"rest\"\nclauses = [\"LIST-COUNT\"]\nsummary = \"wrong\"\nat = \"/a\"\ndo = \"null\"\n";
    for (text, options, expected) in [
        (
            row.replace("own", "list-count-everything"),
            vec![],
            "own.toml:2: list-count-everything: another change has this id",
        ),
        (row.replace("own", "chain-launch-wrong-creator"), vec![], "own.toml:2: chain-launch-wrong-creator"),
        (row.replace("LIST-COUNT", "LIST-COUNTS"), vec![], "own.toml:2: own: LIST-COUNTS is no clause"),
        (row.replace("null", "nil"), vec![], "own.toml:7: unknown variant `nil`"),
        (row.to_owned(), vec!["--variants"], "own.toml has no variant"),
        (row.to_owned(), vec!["--only", "other"], "\"other\" matches no defect"),
    ] {
        fs::write(&file, &text).unwrap();
        let output = expect_code(&[&["drill", "--changes", path], options.as_slice()].concat(), 2);
        let error = str::from_utf8(&output.stderr).unwrap();
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

/// The schema accepts what the program accepts, except for acts, which only our files may name.
#[test]
fn the_schema_describes_our_files() {
    let schema = schema();
    let mut judged = 0;
    for file in fs::read_dir(root().join("scenarios/changes")).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        let rows: Value = toml::from_str(&text).unwrap();
        for (kind, rows) in rows.as_object().unwrap() {
            for row in rows.as_array().unwrap().iter().filter(|row| !row.to_string().contains("\"code\":\""))
            {
                let file = json!({ kind: [row] });
                assert!(
                    schema.is_valid(&file),
                    "{row}: {:?}",
                    schema.validate(&file).err().map(|error| error.to_string())
                );
                judged += 1;
            }
        }
    }
    assert!(judged > 200, "{judged}");
    let document: Value = toml::from_str(&shown("docs/reference/changes.md")).unwrap();
    assert!(schema.is_valid(&document));
    assert!(!schema.is_valid(&json!({ "defect": [{ "id": "x" }] })));
}
