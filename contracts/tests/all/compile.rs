//! The committed artifacts are those of the committed sources, sound and mutated, and the Solidity tests pass.

use std::path::{Path, PathBuf};

use serde_json::Value;
use slipway_contracts::compile::{CompileError, MANIFEST, Mutation, Workspace, committed, sources_hash};
use tokio::sync::OnceCell;

use crate::tools;

const CONTRACTS: &str = env!("CARGO_MANIFEST_DIR");
const REGENERATE: &str = "run `cargo run -p slipway-contracts --example build_artifacts`";

fn artifacts() -> PathBuf {
    Path::new(CONTRACTS).join("artifacts")
}

/// The sources compiled once, for the tests that need it.
async fn built() -> &'static (Workspace, slipway_contracts::compile::Files) {
    static BUILT: OnceCell<(Workspace, slipway_contracts::compile::Files)> = OnceCell::const_new();
    BUILT
        .get_or_init(|| async {
            let workspace = Workspace::copy(Path::new(CONTRACTS), tools().await).unwrap();
            let files = workspace.build().await.unwrap_or_else(|error| panic!("{error}"));
            (workspace, files)
        })
        .await
}

fn manifest_hash(folder: &Path) -> String {
    let files = committed(folder).unwrap();
    let manifest: Value = serde_json::from_str(&files[MANIFEST]).unwrap();
    manifest["sources"].as_str().unwrap().to_owned()
}

#[test]
fn the_manifest_names_the_committed_sources() {
    assert_eq!(
        manifest_hash(&artifacts()),
        sources_hash(Path::new(CONTRACTS)).unwrap(),
        "{REGENERATE}"
    );
}

#[tokio::test]
async fn every_defect_was_compiled_from_the_committed_sources() {
    let mutations = Mutation::listed(Path::new(CONTRACTS)).unwrap();
    assert!(!mutations.is_empty());
    for mutation in &mutations {
        let workspace = Workspace::copy(Path::new(CONTRACTS), tools().await).unwrap();
        workspace.mutate(mutation).unwrap();
        let folder = artifacts().join("defects").join(&mutation.id);
        assert_eq!(
            manifest_hash(&folder),
            workspace.sources_hash().unwrap(),
            "{}: {REGENERATE}",
            mutation.id
        );
        assert!(
            committed(&folder).unwrap().len() > 1,
            "{} changes no contract",
            mutation.id
        );
    }
}

#[tokio::test]
async fn the_committed_artifacts_are_what_the_sources_compile_to() {
    let (_, files) = built().await;
    let committed = committed(&artifacts()).unwrap();
    assert_eq!(
        committed.keys().collect::<Vec<_>>(),
        files.keys().collect::<Vec<_>>()
    );
    for (name, text) in files {
        assert!(committed[name] == *text, "{name} is stale: {REGENERATE}");
    }
}

#[tokio::test]
async fn the_solidity_tests_pass() {
    let (workspace, _) = built().await;
    match workspace.test().await {
        Ok(output) => assert!(
            output.contains("0 failed") && !output.contains(" 0 passed"),
            "{output}"
        ),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_mutation_names_one_place() {
    let workspace = Workspace::copy(Path::new(CONTRACTS), tools().await).unwrap();
    let before = workspace.sources_hash().unwrap();
    for (find, expected) in [("no such text", 0), ("/// @notice", 2)] {
        let mutation = Mutation {
            id: "try".to_owned(),
            file: "sol/LaunchHook.sol".to_owned(),
            find: find.to_owned(),
            replace: String::new(),
        };
        match workspace.mutate(&mutation).unwrap_err() {
            CompileError::AmbiguousMutation { occurrences, .. } => assert!(occurrences >= expected),
            other => panic!("{other}"),
        }
    }
    assert_eq!(workspace.sources_hash().unwrap(), before);
}
