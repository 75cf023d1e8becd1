//! From Solidity sources to the committed artifacts, through the pinned forge. Leaves out reading artifacts: a running platform never compiles.

mod abi;
mod error;
mod laws;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio::process::Command;

use crate::toolchain::TestTools;

use abi::ParameterNames;
pub use error::CompileError;
pub use laws::Law;

/// The compiler version that the lockfile pins and the sources require.
pub const SOLC_VERSION: &str = "0.8.26";
/// Name of the file that lists the sources of a folder of artifacts.
pub const MANIFEST: &str = "manifest.json";
/// Name of the file with the storage layout of each contract.
pub const STORAGE: &str = "storage.json";
/// Name of the folder of ABIs, next to the bytecode of the sound contracts. A mutation changes no ABI.
pub const ABI: &str = "abi";
/// Name of the folder of what mutated sources compile to: the platform's defects, and the mutants of the laws.
pub const MUTATED: &str = "mutated";

/// Files copied besides the sources and tests.
const SETTINGS: [&str; 3] = ["foundry.toml", "remappings.txt", "solc.mjs"];
/// Files that determine the bytecode besides the sources.
const HASHED_SETTINGS: [&str; 2] = ["foundry.toml", "remappings.txt"];

/// The data of a seeded defect that compiling needs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Mutation {
    /// Stable id; the key of what it compiles to.
    pub id: String,
    /// The source, relative to the folder of contracts.
    pub file: String,
    /// Text that occurs once in it.
    pub find: String,
    /// Its replacement.
    pub replace: String,
}

impl Mutation {
    /// The mutations that a folder of contracts lists.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn listed(contracts: &Path) -> Result<Vec<Self>, CompileError> {
        let path = contracts.join("defects.json");
        let text = read(&path)?;
        serde_json::from_str(&text).map_err(|source| CompileError::Form { path, source })
    }
}

/// A copy of the sources that forge may write to.
#[derive(Debug)]
pub struct Workspace {
    folder: TempDir,
    forge: PathBuf,
    /// The packages in which `solc.mjs` finds the compiler.
    compiler: PathBuf,
}

/// Artifacts by file name (`NAME.json`, `abi/NAME.json`), as they are committed.
pub type Files = BTreeMap<String, String>;

/// What mutated sources compile to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mutant {
    /// The hash of the mutated sources.
    pub sources: String,
    /// The contracts that differ from the sound ones, by name.
    pub contracts: BTreeMap<String, Value>,
}

/// By id, as they are committed in one file.
pub type Mutants = BTreeMap<String, Mutant>;

impl Mutant {
    /// The artifacts of its contracts.
    #[must_use]
    pub fn files(&self) -> Files {
        self.contracts.iter().map(|(name, artifact)| (format!("{name}.json"), pretty(artifact))).collect()
    }
}

impl Workspace {
    /// Copies a folder of contracts, next to the packages of the tools.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn copy(contracts: &Path, tools: &TestTools) -> Result<Self, CompileError> {
        let folder = tempfile::tempdir()
            .map_err(|source| CompileError::file(Path::new("temporary folder"), source))?;
        for file in sources(&contracts.join("sol"))?.into_iter().chain(sources(&contracts.join("test"))?) {
            copy(contracts, &file, folder.path())?;
        }
        for name in SETTINGS {
            copy(contracts, &contracts.join(name), folder.path())?;
        }
        // The settings let tests read the target of this link, so one link points at all published contracts.
        let link = folder.path().join("node_modules");
        symlink(tools.toolchain().node_modules(), &link)
            .map_err(|source| CompileError::file(&link, source))?;
        Ok(Self { folder, forge: tools.forge().to_owned(), compiler: tools.node_modules().to_owned() })
    }

    /// Another copy that includes this one's compiler output: after a mutation, only affected sources are recompiled.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn fork(&self, contracts: &Path, tools: &TestTools) -> Result<Self, CompileError> {
        let fork = Self::copy(contracts, tools)?;
        for built in ["out", "cache"].map(|name| self.folder.path().join(name)) {
            for file in files(&built)? {
                copy(self.folder.path(), &file, fork.folder.path())?;
            }
        }
        Ok(fork)
    }

    /// Changes the copied sources in one place.
    ///
    /// # Errors
    /// If the text does not occur exactly once.
    pub fn mutate(&self, mutation: &Mutation) -> Result<(), CompileError> {
        let path = self.folder.path().join(&mutation.file);
        let text = read(&path)?;
        let occurrences = text.matches(&mutation.find).count();
        if occurrences != 1 {
            return Err(CompileError::AmbiguousMutation { id: mutation.id.clone(), occurrences });
        }
        fs::write(&path, text.replace(&mutation.find, &mutation.replace))
            .map_err(|source| CompileError::file(&path, source))
    }

    /// The hash of the copied sources.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn sources_hash(&self) -> Result<String, CompileError> {
        sources_hash(self.folder.path())
    }

    /// Compiles the sources; returns the artifact of every deployable contract and the manifest.
    ///
    /// # Errors
    /// If forge fails, or its output does not have the expected form.
    pub async fn build(&self) -> Result<Files, CompileError> {
        let arguments =
            ["build", "--ast", "--extra-output", "storageLayout", "--skip", "test", "--skip", "script"];
        self.forge(&arguments, &[]).await?;
        let outputs = self.outputs()?;
        let parameters = ParameterNames::of(outputs.values());
        let mut files = Files::new();
        let mut storage = BTreeMap::new();
        for (name, compiled) in &outputs {
            if let Some(text) = artifact(name, compiled)? {
                files.insert(format!("{ABI}/{name}.json"), pretty(&parameters.filled_in(&compiled["abi"])));
                files.insert(format!("{name}.json"), text);
                storage.insert(name.clone(), layout(&compiled["storageLayout"]));
            }
        }
        files.insert(STORAGE.to_owned(), pretty(&json!(storage)));
        files.insert(
            MANIFEST.to_owned(),
            pretty(&json!({"sources": self.sources_hash()?, "solc": SOLC_VERSION})),
        );
        Ok(files)
    }

    /// Compiles mutated sources.
    ///
    /// # Errors
    /// If forge fails, or the mutation changes an ABI or no contract.
    pub async fn build_mutant(&self, sound: &Files) -> Result<Mutant, CompileError> {
        let mut changed = self.build().await?;
        changed.retain(|name, text| name != MANIFEST && sound.get(name) != Some(text));
        let contract = |(name, text): (String, String)| {
            let kept = name.strip_suffix(".json").filter(|_| !name.starts_with(ABI) && name != STORAGE);
            let artifact =
                kept.and_then(|contract| Some((contract.to_owned(), serde_json::from_str(&text).ok()?)));
            artifact.ok_or(CompileError::MutatedInterface { name })
        };
        let contracts: BTreeMap<String, Value> =
            changed.into_iter().map(contract).collect::<Result<_, _>>()?;
        Ok(Mutant { sources: self.sources_hash()?, contracts })
    }

    /// Compiles the Solidity tests.
    ///
    /// # Errors
    /// If forge fails.
    pub async fn build_tests(&self) -> Result<(), CompileError> {
        self.forge(&["build"], &[]).await.map(drop)
    }

    /// Forge's output for each contract and interface of the sources, by name.
    fn outputs(&self) -> Result<BTreeMap<String, Value>, CompileError> {
        let mut outputs = BTreeMap::new();
        for source in sources(&self.folder.path().join("sol"))? {
            let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let within_libraries = source.components().any(|part| part.as_os_str() == "libraries");
            let output =
                self.folder.path().join("out").join(format!("{name}.sol")).join(format!("{name}.json"));
            if !within_libraries && output.is_file() {
                outputs.insert(name, compiled(&output)?);
            }
        }
        Ok(outputs)
    }

    /// Runs the Solidity tests and returns forge's output.
    ///
    /// # Errors
    /// If a test or forge fails; the error contains forge's output.
    pub async fn test(&self) -> Result<String, CompileError> {
        self.forge(&["test"], &[]).await
    }

    /// Gas measured by the last run of the Solidity tests: by contract, the gas of each entry point by name.
    ///
    /// # Errors
    /// If the tests wrote no measurements.
    pub fn gas(&self) -> Result<BTreeMap<String, String>, CompileError> {
        let mut measured = BTreeMap::new();
        for path in files(&self.folder.path().join("snapshots"))? {
            let text = read(&path)?;
            let figures: BTreeMap<String, String> =
                serde_json::from_str(&text).map_err(|source| CompileError::Form { path, source })?;
            measured.extend(figures);
        }
        Ok(measured)
    }

    /// Checks artifacts against one invariant without compiling; returns whether it holds.
    ///
    /// # Errors
    /// If the artifacts cannot be written, or forge fails for a reason other than the invariant.
    pub async fn holds(&self, law: &Law, artifacts: &Files) -> Result<bool, CompileError> {
        let judged = format!("judged/{}", law.id);
        let failures = format!("{judged}/failures");
        replace_committed(&self.folder.path().join(&judged), artifacts)?;
        let test = format!("^{}\\(", law.invariant);
        let arguments = ["test", "--match-contract", &law.contract, "--match-test", &test];
        let environment = [
            ("SLIPWAY_ARTIFACTS", judged.as_str()),
            // Failing sequences are neither shrunk nor saved for the next artifacts.
            ("FOUNDRY_INVARIANT_SHRINK_RUN_LIMIT", "0"),
            ("FOUNDRY_INVARIANT_FAILURE_PERSIST_DIR", failures.as_str()),
        ];
        match self.forge(&arguments, &environment).await {
            Ok(output) if output.contains("1 passed") => Ok(true),
            Err(CompileError::Forge { output }) if output.contains("1 failed") => Ok(false),
            Ok(output) => Err(CompileError::Forge { output }),
            Err(other) => Err(other),
        }
    }

    async fn forge(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Result<String, CompileError> {
        let Output { status, stdout, stderr } = Command::new(&self.forge)
            .args(arguments)
            .args(["--color", "never"])
            .current_dir(self.folder.path())
            .env("NODE_PATH", &self.compiler)
            .env_remove("FOUNDRY_PROFILE")
            .envs(environment.iter().copied())
            .kill_on_drop(true)
            .output()
            .await
            .map_err(|source| CompileError::file(&self.forge, source))?;
        let output = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        if status.success() { Ok(output) } else { Err(CompileError::Forge { output }) }
    }
}

/// The hash in a manifest: every source and the settings that determine the bytecode, in name order.
///
/// # Errors
/// If a file cannot be read.
pub fn sources_hash(contracts: &Path) -> Result<String, CompileError> {
    let mut files = BTreeMap::new();
    for path in
        sources(&contracts.join("sol"))?.into_iter().chain(HASHED_SETTINGS.map(|name| contracts.join(name)))
    {
        let name = name_below(contracts, &path);
        files.insert(name, fs::read(&path).map_err(|source| CompileError::file(&path, source))?);
    }
    let mut hash = Sha256::new();
    for (name, content) in files {
        hash.update(name);
        hash.update([0]);
        hash.update(content);
    }
    Ok(alloy::hex::encode(hash.finalize()))
}

/// Reads the artifacts of a folder unchanged.
///
/// # Errors
/// If a file cannot be read.
pub fn committed(folder: &Path) -> Result<Files, CompileError> {
    let mut files = Files::new();
    let abi = folder.join(ABI);
    let abis = if abi.is_dir() { entries(&abi)? } else { Vec::new() };
    let is_json = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "json");
    for path in entries(folder)?.into_iter().chain(abis).filter(is_json) {
        files.insert(name_below(folder, &path), read(&path)?);
    }
    Ok(files)
}

/// Replaces the artifacts of a folder; creates the folder if it does not exist.
///
/// # Errors
/// If a file cannot be written.
pub fn replace_committed(folder: &Path, files: &Files) -> Result<(), CompileError> {
    fs::create_dir_all(folder).map_err(|source| CompileError::file(folder, source))?;
    for name in committed(folder)?.keys().filter(|name| !files.contains_key(*name)) {
        let path = folder.join(name);
        fs::remove_file(&path).map_err(|source| CompileError::file(&path, source))?;
    }
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))
            .and_then(|()| fs::write(&path, text))
            .map_err(|source| CompileError::file(&path, source))?;
    }
    Ok(())
}

/// Reads a file of compiled mutations.
///
/// # Errors
/// If it cannot be read or has another form.
pub fn committed_mutants(path: &Path) -> Result<Mutants, CompileError> {
    serde_json::from_str(&read(path)?).map_err(|source| CompileError::Form { path: path.to_owned(), source })
}

/// Replaces a file of compiled mutations.
///
/// # Errors
/// If it cannot be written.
pub fn replace_mutants(path: &Path, mutants: &Mutants) -> Result<(), CompileError> {
    fs::write(path, pretty(&json!(mutants))).map_err(|source| CompileError::file(path, source))
}

/// Forge's output for a contract.
fn compiled(output: &Path) -> Result<Value, CompileError> {
    serde_json::from_str(&read(output)?)
        .map_err(|source| CompileError::Form { path: output.to_owned(), source })
}

/// Storage layout of a contract, one line per variable: slot, byte, name and type; below a struct, its members by offset.
fn layout(stated: &Value) -> Value {
    let lines = |variables: &Value| -> Vec<String> {
        let place = |variable: &Value| {
            let label = &stated["types"][variable["type"].as_str().unwrap_or_default()]["label"];
            let [slot, name, kind] = [&variable["slot"], &variable["label"], label]
                .map(|value| value.as_str().unwrap_or_default());
            format!("slot {slot} byte {}: {name}, {kind}", variable["offset"])
        };
        variables.as_array().into_iter().flatten().map(place).collect()
    };
    let mut layout = BTreeMap::new();
    layout.insert("state", lines(&stated["storage"]));
    for kind in stated["types"].as_object().into_iter().flat_map(Map::values) {
        if let (Some(label), Some(_)) = (kind["label"].as_str(), kind["members"].as_array()) {
            layout.insert(label, lines(&kind["members"]));
        }
    }
    json!(layout)
}

/// The committed part of forge's output; `None` for interfaces and abstract contracts.
fn artifact(name: &str, compiled: &Value) -> Result<Option<String>, CompileError> {
    let bytecode = &compiled["bytecode"]["object"];
    if bytecode.as_str().is_none_or(|code| code.len() <= "0x".len()) {
        return Ok(None);
    }
    Ok(Some(pretty(&json!({
        "contractName": name,
        "bytecode": bytecode,
        "deployedBytecode": compiled["deployedBytecode"]["object"],
        "immutableReferences": named(name, compiled)?,
    }))))
}

/// Positions of immutable values by source name. The compiler gives them numbers that depend on which other sources
/// it compiles; its syntax tree maps each number to a declaration.
fn named(contract: &str, compiled: &Value) -> Result<Value, CompileError> {
    let mut declared = BTreeMap::new();
    declarations(&compiled["ast"], &mut declared);
    let places = compiled["deployedBytecode"]["immutableReferences"].as_object();
    let named = places.into_iter().flatten().map(|(number, places)| {
        let name = declared.get(number).ok_or_else(|| CompileError::UnnamedImmutable {
            contract: contract.to_owned(),
            number: number.clone(),
        })?;
        Ok(((*name).to_owned(), places.clone()))
    });
    Ok(Value::Object(named.collect::<Result<_, CompileError>>()?))
}

/// Every variable that a syntax tree declares: number to name.
fn declarations<'a>(node: &'a Value, found: &mut BTreeMap<String, &'a str>) {
    if node["nodeType"] == "VariableDeclaration"
        && let Some(name) = node["name"].as_str()
    {
        found.insert(node["id"].to_string(), name);
    }
    let parts = match node {
        Value::Array(parts) => parts.iter().collect(),
        Value::Object(parts) => parts.values().collect(),
        _ => Vec::new(),
    };
    for part in parts {
        declarations(part, found);
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// The path of a file relative to a folder, with `/` on every system.
fn name_below(folder: &Path, file: &Path) -> String {
    let relative = file.strip_prefix(folder).unwrap_or(file);
    relative.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Every Solidity file below a folder, in path order.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, CompileError> {
    let mut found = files(folder)?;
    found.retain(|path| path.extension().is_some_and(|kind| kind == "sol"));
    Ok(found)
}

/// Every file below a folder, in path order.
fn files(folder: &Path) -> Result<Vec<PathBuf>, CompileError> {
    let mut found = Vec::new();
    for path in entries(folder)? {
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, CompileError> {
    let list =
        || -> io::Result<Vec<PathBuf>> { fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect() };
    let mut paths = list().map_err(|source| CompileError::file(folder, source))?;
    paths.sort();
    Ok(paths)
}

fn copy(contracts: &Path, file: &Path, into: &Path) -> Result<(), CompileError> {
    let target = into.join(file.strip_prefix(contracts).unwrap_or(file));
    let parent = target.parent().unwrap_or(into);
    fs::create_dir_all(parent)
        .and_then(|()| fs::copy(file, &target))
        .map(drop)
        .map_err(|source| CompileError::file(file, source))
}

#[cfg(unix)]
fn symlink(original: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(original, link)
}

#[cfg(windows)]
fn symlink(original: &Path, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_dir(original, link)
}

fn read(path: &Path) -> Result<String, CompileError> {
    fs::read_to_string(path).map_err(|source| CompileError::file(path, source))
}
