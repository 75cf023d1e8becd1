//! The published packages: every manifest is complete, every crate has all it is built from, and no document names another project's
//! package.
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use slipway_test_support::is_current;

use super::tree::{root, tracked_files};

#[test]
fn page_lists_every_program_that_tests_need() {
    is_current(&root().join("docs/tests.md"), "programs", &slipway_contracts::toolchain::needs_of_tests());
}

/// The crates that are published, as cargo describes them.
fn published() -> Vec<Value> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--no-deps", "--format-version", "1", "--offline", "--locked"]);
    let output = command.current_dir(root()).output().unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    packages.filter(|package| package["publish"] != Value::Array(Vec::new())).cloned().collect()
}

fn folder(package: &Value) -> PathBuf {
    Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().to_owned()
}

#[test]
fn manifests_of_crates_are_complete() {
    let published = published();
    let names: Vec<&str> = published.iter().map(|package| package["name"].as_str().unwrap()).collect();
    let expected =
        ["cli", "contracts", "defects", "features", "math", "redaction", "scenarios", "sim", "tool-server"];
    assert!(expected.iter().all(|name| names.contains(&format!("slipway-{name}").as_str())), "{names:?}");
    assert_eq!(names.len(), expected.len(), "{names:?}");
    for package in published {
        let name = &package["name"];
        for field in ["description", "license", "readme"] {
            assert!(package[field].as_str().is_some_and(|text| !text.is_empty()), "{name} has no {field}");
        }
        for field in ["keywords", "categories"] {
            assert!(package[field].as_array().is_some_and(|list| !list.is_empty()), "{name} has no {field}");
        }
        let manifest = std::fs::read_to_string(folder(&package).join("Cargo.toml")).unwrap();
        assert!(manifest.contains("repository.workspace = true"), "{name}");
        let readme = std::fs::read(folder(&package).join("README.md")).unwrap_or_default();
        assert!(!readme.is_empty(), "{name} has no README.md");
    }
}

#[test]
fn manifests_of_other_registries_are_complete() {
    for (file, name) in [
        ("harness/launchers/npm/package.json", "slipway-launcher"),
        ("harness/packages/npm/package.json", "slipway-cli"),
        ("harness/packages/npm/platform.json", "slipway-cli-@SYSTEM@"),
        ("sim/quotes/npm/package.json", "slipway-quotes"),
    ] {
        let about: Value = serde_json::from_slice(&std::fs::read(root().join(file)).unwrap()).unwrap();
        assert_eq!(about["name"], name);
        assert!(about.get("private").is_none(), "{file}");
        for field in ["description", "keywords", "license", "repository", "files"] {
            assert!(about.get(field).is_some(), "{file} has no {field}");
        }
    }
    let python = std::fs::read_to_string(root().join("harness/launchers/python/pyproject.toml")).unwrap();
    for field in
        ["name = \"slipway-launcher\"", "description", "readme", "license", "keywords", "classifiers"]
    {
        assert!(python.contains(&format!("\n{field}")), "pyproject.toml has no {field}");
    }
}

/// The files that cargo would put into the package of a crate.
fn packaged(name: &str) -> Vec<String> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["package", "--list", "--allow-dirty", "--offline", "--locked", "-p", name]);
    let output = command.current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| line.replace('\\', "/")).collect()
}

#[test]
fn crates_have_inside_what_they_are_built_from() {
    for package in published() {
        let (name, folder) = (package["name"].as_str().unwrap(), folder(&package));
        let inside = packaged(name);
        for file in inside.iter().filter(|file| file.ends_with(".rs")) {
            let source = std::fs::read_to_string(folder.join(file)).unwrap();
            for (_, rest) in
                source.match_indices("include_str!(\"").map(|(at, found)| (at, &source[at + found.len()..]))
            {
                let named = folder.join(file).parent().unwrap().join(rest.split('"').next().unwrap());
                // A link inside the folder stands for its file: the package contains a copy.
                let place = std::fs::canonicalize(named.parent().unwrap()).unwrap();
                let named = place.join(named.file_name().unwrap());
                let named = named.strip_prefix(&folder).map(|path| path.display().to_string());
                assert!(
                    named.is_ok_and(|named| inside.contains(&named)),
                    "{name}: {file} includes what is outside"
                );
            }
        }
        if let Some(build) = inside.iter().find(|file| *file == "build.rs") {
            let script = std::fs::read_to_string(folder.join(build)).unwrap();
            assert!(
                !script.contains("\"..\"") && !script.contains("\"../"),
                "{name}: build.rs leaves its crate"
            );
        }
    }
    // The committed proof is a link, which cargo packs as the file it leads to.
    let inside = packaged("slipway-cli");
    assert!(inside.iter().any(|path| path == "proof.json"));
}

/// Commands that install a package named like the command, which is another project's.
fn foreign_installs(text: &str) -> Vec<String> {
    const INSTALLERS: [&str; 9] =
        ["pip", "pipx", "uvx", "npm", "npx", "cargo install", "cargo binstall", "uv tool", "pnpm"];
    let is_name = |word: &str| {
        let word = word.trim_matches(|sign: char| !sign.is_ascii_alphanumeric() && sign != '-');
        word == "slipway"
    };
    let lines = text.lines().flat_map(|line| line.split(['`', ';', '|', '&']));
    let installs = lines.filter(|command| {
        let words: Vec<&str> = command.split_whitespace().collect();
        let runs = ["install", "i", "add", "binstall", "uvx", "-D"].iter().any(|verb| words.contains(verb));
        runs && INSTALLERS.iter().any(|installer| command.contains(installer))
            && words.iter().any(|word| is_name(word))
    });
    installs.map(str::to_owned).collect()
}

#[test]
fn no_document_installs_the_package_of_others() {
    let endings = ["md", "yml", "sh", "json", "rs"];
    for path in tracked_files() {
        let is_document = path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known));
        if !is_document || path.ends_with("snapshots/tests/it/packages.rs") {
            continue;
        }
        let found = foreign_installs(&std::fs::read_to_string(&path).unwrap());
        assert_eq!(found, Vec::<String>::new(), "{}", path.display());
    }
}

/// The control: these lines are found.
#[test]
fn the_search_for_foreign_packages_can_find() {
    for line in [
        "| pip | `pip install slipway` | |",
        "$ npm i -D slipway",
        "cargo install slipway --locked",
        "uvx slipway check",
    ] {
        assert_eq!(foreign_installs(line).len(), 1, "{line}");
    }
    for line in
        ["`pip install slipway-cli`", "npx slipway check", "cargo install --path harness", "slipway check"]
    {
        assert!(foreign_installs(line).is_empty(), "{line}");
    }
}

/// Lines that install our packages from a registry, which has none before the first release, without saying so.
fn unmarked_installs(text: &str) -> Vec<String> {
    const OURS: [&str; 2] = ["slipway-cli", "slipway-launcher"];
    let from_a_registry = |line: &str| {
        let mut commands = line.split(['`', ';', '|', '&']);
        commands.any(|command| {
            let words: Vec<&str> = command.split_whitespace().collect();
            let installs =
                ["install", "i", "add", "binstall", "npx", "uvx"].iter().any(|verb| words.contains(verb));
            installs
                && words
                    .iter()
                    .any(|word| OURS.iter().any(|name| word.split(['@', '=']).next() == Some(name)))
        })
    };
    let is_marked = |line: &str| line.to_lowercase().contains("from the first release on");
    text.lines().filter(|line| from_a_registry(line) && !is_marked(line)).map(str::to_owned).collect()
}

#[test]
fn installs_from_a_registry_say_from_when_on() {
    for path in tracked_files() {
        let is_changelog = path.ends_with("CHANGELOG.md");
        if path.extension().is_none_or(|ending| ending != "md") || is_changelog {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(unmarked_installs(&text), Vec::<String>::new(), "{}", path.display());
    }
}

#[test]
fn the_search_for_unmarked_installs_can_find() {
    for line in
        ["$ npm install -D slipway-cli", "| `pip install slipway-cli==1.0` | |", "$ npx slipway-cli@1 up"]
    {
        assert_eq!(unmarked_installs(line).len(), 1, "{line}");
    }
    for line in [
        "$ npm i slipway-cli # from the first release on",
        "$ cargo install --path harness",
        "$ npm i ./OUT/slipway-cli-1.tgz",
    ] {
        assert!(unmarked_installs(line).is_empty(), "{line}");
    }
}
