//! The checks that can fail a foreign platform, frozen for each minor version: no patch release adds one (docs/stability.md).
use std::collections::BTreeSet;

use slipway_scenarios::checks;

use super::tree::root;

/// Each check with the clause that it judges, as a line.
fn binding() -> BTreeSet<String> {
    let binding = checks().filter(|check| check.clause.binding().binds_every_platform());
    binding.map(|check| format!("{} {}", check.id, check.clause.id)).collect()
}

/// The lines that a release with this version number would add in violation of the rules, given the frozen ones.
fn added<'a>(version: &str, frozen: &BTreeSet<&str>, now: &'a BTreeSet<String>) -> Vec<&'a str> {
    let is_patch = !version.ends_with(".0");
    now.iter().map(String::as_str).filter(|line| is_patch && !frozen.contains(line)).collect()
}

#[test]
fn no_patch_release_adds_a_binding_check() {
    let version = env!("CARGO_PKG_VERSION");
    let (minor, patch) = version.rsplit_once('.').unwrap();
    let path = root().join(format!("snapshots/revisions/{minor}.txt"));
    let now = binding();
    let text: String = now.iter().map(|line| format!("{line}\n")).collect();
    if patch == "0" && std::env::var_os("SLIPWAY_WRITE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    if patch == "0" {
        assert!(known == text, "{} is stale: run this test with SLIPWAY_WRITE=1", path.display());
    }
    assert_eq!(
        added(version, &known.lines().collect(), &now),
        Vec::<&str>::new(),
        "these need a minor version"
    );
}

#[test]
fn additions_of_a_patch_are_found_and_removals_are_not() {
    let frozen = ["list-page LIST-PAGE", "list-count LIST-COUNT"].into();
    let now = ["list-page LIST-PAGE", "new-one LIST-NEW"].map(str::to_owned).into();
    assert_eq!(added("1.2.3", &frozen, &now), ["new-one LIST-NEW"]);
    assert!(added("1.3.0", &frozen, &now).is_empty());
}
