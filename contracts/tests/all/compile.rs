//! The committed artifacts match the committed sources, sound and mutated, and the Solidity tests pass.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use slipway_contracts::compile::{
    ABI, CompileError, Files, Law, MANIFEST, MUTATED, Mutants, Mutation, STORAGE, Workspace, committed,
    committed_mutants, sources_hash,
};
use tokio::sync::OnceCell;
use tokio::task::JoinSet;

use crate::abi::abis;
use crate::test_tools;

const CONTRACTS: &str = env!("CARGO_MANIFEST_DIR");
const REGENERATE: &str = "run `cargo run -p slipway-contracts --example build_artifacts`";

fn artifacts() -> PathBuf {
    Path::new(CONTRACTS).join("artifacts")
}

/// Sources and Solidity tests, compiled once for the tests that need them: forge then reads its own output.
async fn built() -> &'static (Workspace, Files) {
    static BUILT: OnceCell<(Workspace, Files)> = OnceCell::const_new();
    BUILT
        .get_or_init(|| async {
            let workspace = Workspace::copy(Path::new(CONTRACTS), test_tools().await).unwrap();
            let files = workspace.build().await.unwrap_or_else(|error| panic!("{error}"));
            workspace.build_tests().await.unwrap_or_else(|error| panic!("{error}"));
            (workspace, files)
        })
        .await
}

/// The compiled mutations: those of the platform's defects, and those of the laws.
fn mutants() -> [Mutants; 2] {
    ["defects.json", "mutants.json"]
        .map(|name| committed_mutants(&artifacts().join(MUTATED).join(name)).unwrap())
}

#[test]
fn manifest_matches_sources() {
    let manifest: Value = serde_json::from_str(&committed(&artifacts()).unwrap()[MANIFEST]).unwrap();
    let sources = sources_hash(Path::new(CONTRACTS)).unwrap();
    assert_eq!(manifest["sources"], sources, "{REGENERATE}");
}

#[tokio::test]
async fn mutants_match_sources() {
    let defects = Mutation::listed(Path::new(CONTRACTS)).unwrap();
    let laws = Law::listed(Path::new(CONTRACTS)).unwrap();
    let of_laws: Vec<Mutation> = laws.into_iter().flat_map(|law| law.mutants).collect();
    for (compiled, listed) in mutants().into_iter().zip([defects, of_laws]) {
        let ids: BTreeSet<&str> = listed.iter().map(|mutation| mutation.id.as_str()).collect();
        assert!(!ids.is_empty() && compiled.keys().map(String::as_str).eq(ids), "{REGENERATE}");
        for mutation in &listed {
            let workspace = Workspace::copy(Path::new(CONTRACTS), test_tools().await).unwrap();
            workspace.mutate(mutation).unwrap();
            let mutant = &compiled[&mutation.id];
            assert_eq!(mutant.sources, workspace.sources_hash().unwrap(), "{}: {REGENERATE}", mutation.id);
            assert!(!mutant.contracts.is_empty(), "{} changes no contract", mutation.id);
        }
    }
}

#[tokio::test]
async fn artifacts_match_sources() {
    let (_, files) = built().await;
    let committed = committed(&artifacts()).unwrap();
    assert_eq!(committed.keys().collect::<Vec<_>>(), files.keys().collect::<Vec<_>>());
    for (name, text) in files {
        assert!(committed[name] == *text, "{name} is stale: {REGENERATE}");
    }
}

/// The Solidity tests pass, and the gas they measure matches the committed figures.
#[tokio::test]
async fn solidity_tests_pass() {
    let (workspace, _) = built().await;
    match workspace.test().await {
        Ok(output) => assert!(output.contains("0 failed") && !output.contains(" 0 passed"), "{output}"),
        Err(error) => panic!("{error}"),
    }
    let measured = workspace.gas().unwrap();
    assert_eq!(
        json!(measured),
        measures()["gas"],
        "measures.json is stale; it should read {:#}",
        json!(measured)
    );
}

/// Each law of the curves, by name, fails on each of its source mutations. The control: with the same command the sound
/// artifacts satisfy every law.
#[tokio::test]
async fn contract_laws_catch_mutations() {
    let (workspace, _) = built().await;
    let laws = Law::listed(Path::new(CONTRACTS)).unwrap();
    let sound = workspace.holds(laws.first().unwrap(), &committed(&artifacts()).unwrap()).await;
    assert!(sound.unwrap_or_else(|error| panic!("{error}")));
    let [defects, mutants] = &*Box::leak(Box::new(mutants()));
    let judged = laws.into_iter().map(async |law| {
        let of_law = law.mutants.iter().map(|mutant| (&mutant.id, &mutants[&mutant.id]));
        let broken: Vec<_> = law.defects.iter().map(|id| (id, &defects[id])).chain(of_law).collect();
        assert!(!broken.is_empty(), "{} owns no mutation", law.id);
        for (id, mutant) in broken {
            let holds =
                workspace.holds(&law, &mutant.files()).await.unwrap_or_else(|error| panic!("{error}"));
            assert!(!holds, "{} does not notice {id}", law.id);
        }
    });
    judged.collect::<JoinSet<()>>().join_all().await;
}

fn measures() -> Value {
    let text = std::fs::read_to_string(Path::new(CONTRACTS).join("measures.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The code size of each contract in bytes is below the chain's limit, with the committed optimizer settings.
#[test]
fn measured_sizes_and_settings_are_committed() {
    const LIMIT: u64 = 24_576;
    let mut sizes = Map::new();
    for (name, text) in committed(&artifacts()).unwrap() {
        let artifact: Value = serde_json::from_str(&text).unwrap();
        let Some(code) = artifact["deployedBytecode"].as_str() else {
            continue;
        };
        let bytes = u64::try_from(code.len() / 2 - 1).unwrap();
        assert!(bytes < LIMIT, "{name} has {bytes} bytes");
        sizes.insert(name.replace(".json", ""), bytes.into());
    }
    let measures = measures();
    assert_eq!(Value::Object(sizes), measures["bytes"], "measures.json is stale");
    let settings = std::fs::read_to_string(Path::new(CONTRACTS).join("foundry.toml")).unwrap();
    for (name, value) in measures["settings"].as_object().unwrap() {
        assert!(settings.contains(&format!("{name} = {value}\n")), "{name}");
    }
}

/// The module writes the hook's storage with its own code, so both need the same slots. Viewers and modules have no storage.
#[test]
fn hook_and_module_share_storage_layout() {
    let files = committed(&artifacts()).unwrap();
    let storage: Value = serde_json::from_str(&files[STORAGE]).unwrap();
    assert_eq!(storage["LaunchHook"], storage["TradingModule"]);
    let lines = |contract: &str, of: &str| storage[contract][of].as_array().unwrap().len();
    assert_eq!([lines("LaunchHook", "state"), lines("LaunchHook", "struct LaunchStorage.Launch")], [11, 13]);
    assert_eq!(lines("SaleSplitCalculator", "state"), 0);
    let contracts: Vec<String> = storage.as_object().unwrap().keys().cloned().collect();
    for file_of in [|name: &String| format!("{name}.json"), |name: &String| format!("{ABI}/{name}.json")] {
        assert!(contracts.iter().all(|name| files.contains_key(&file_of(name))), "{contracts:?}");
    }
    assert_eq!(files.len(), 2 * contracts.len() + [MANIFEST, STORAGE].len());
}

/// Every error that a source declares is expected by name in a test of the contract that declares it.
#[test]
fn every_contract_error_is_tested() {
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let tests: Vec<(String, String)> = std::fs::read_dir(Path::new(CONTRACTS).join("test"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), read(&path)))
        .collect();
    // Contracts that declare their own errors, and the tests that cover them.
    let own = [
        ("LaunchToken", "Token.t.sol"),
        ("MintableToken", "QuoteAsset.t.sol"),
        ("LegacyToken", "Legacy.t.sol"),
    ];
    let mut declared = BTreeSet::new();
    for path in solidity(&Path::new(CONTRACTS).join("sol")) {
        let declarer = path.file_stem().unwrap().to_string_lossy().into_owned();
        for line in read(&path).lines() {
            let Some(error) = line.trim().strip_prefix("error ").and_then(|rest| rest.strip_suffix("();"))
            else {
                assert!(!line.trim().starts_with("error "), "{line}: errors carry no arguments here");
                continue;
            };
            declared.insert(error.to_owned());
            let provoked = match own.iter().find(|(name, _)| *name == declarer) {
                Some((_, test)) => tests.iter().any(|(name, text)| {
                    name == test
                        && (text.contains(&format!("expectRevert({error}.selector)"))
                            || text.contains(&format!("expectRevert(bytes4(keccak256(\"{error}()\")))")))
                }),
                None => tests.iter().any(|(_, text)| text.contains(&format!("{declarer}.{error}.selector"))),
            };
            assert!(provoked, "no test provokes {declarer}.{error}");
        }
    }
    let abis = abis();
    let items = abis.iter().flat_map(|(_, abi)| abi.as_array().unwrap());
    let compiled = items.filter(|item| item["type"] == "error");
    let compiled: BTreeSet<String> = compiled.map(|item| item["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(declared, compiled);
}

/// Every file below a folder of sources.
pub(crate) fn solidity(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { solidity(&path) } else { vec![path] }).collect()
}

#[tokio::test]
async fn mutation_matches_once() {
    let workspace = Workspace::copy(Path::new(CONTRACTS), test_tools().await).unwrap();
    let before = workspace.sources_hash().unwrap();
    let source = std::fs::read_to_string(Path::new(CONTRACTS).join("sol/LaunchHook.sol")).unwrap();
    let notices = source.matches("/// @notice").count();
    assert_ne!(notices, 1);
    for (find, expected) in [("no such text", 0), ("/// @notice", notices)] {
        let mutation = Mutation {
            id: "try".to_owned(),
            file: "sol/LaunchHook.sol".to_owned(),
            find: find.to_owned(),
            replace: String::new(),
        };
        match workspace.mutate(&mutation).unwrap_err() {
            CompileError::AmbiguousMutation { occurrences, .. } => assert_eq!(occurrences, expected),
            other => panic!("{other}"),
        }
    }
    assert_eq!(workspace.sources_hash().unwrap(), before);
}
