//! The proof of every check, kept in a folder: the defect that kills it, the first difference between the answers, all other kills, and
//! the legal variants that no check fails.
mod difference;
mod embedded;
mod matrix;
mod picture;
mod sample;
mod variants;
mod verify;
mod witness;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use slipway_contracts::artifacts::Artifacts;
use slipway_scenarios::Clause;

use crate::error::Fatal;
use crate::exit::Exit;
use crate::report::events::{ProofInfo, interface};
use difference::Difference;
pub(crate) use embedded::{kills_of, proof_of};
pub(crate) use matrix::{Kill, Kills, Matrix};
pub(crate) use picture::{Column, DefectRow, Look, Picture};
pub(crate) use sample::Sample;
pub(crate) use variants::{Tolerance, Tolerated, keep};
pub(crate) use verify::verify;
pub(crate) use witness::Witness;

/// Version of the folder's format.
const VERSION: u32 = 2;
/// The file that lists every other file with its hash.
const MANIFEST: &str = "manifest.json";
/// The file with the hash of the manifest.
const SEAL: &str = "manifest.sha256";
/// Which check turned red under which defect.
const MATRIX: &str = "matrix.json";
const PICTURE: &str = "matrix.svg";
/// Our own contracts.
const CONTRACTS: [&str; 9] = [
    "EmperorAuction",
    "LaunchHook",
    "LaunchToken",
    "LaunchViewer",
    "LegacyToken",
    "MintableToken",
    "SaleSplitCalculator",
    "TokenFactory",
    "TradingModule",
];

/// The subject of the proofs, and the hashes of the files.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    version: u32,
    #[serde(flatten)]
    subject: Subject,
    /// Whether every defect was switched on, so that every check must be proven.
    complete: bool,
    /// SHA-256 of each file by its name.
    files: BTreeMap<String, String>,
}

fn manifest(folder: &Path) -> Result<Manifest, ProofError> {
    serde_json::from_slice(&read(folder, MANIFEST)?).map_err(|_| ProofError::Other { path: shown(folder) })
}

/// The seed of the market that the proofs of a folder are about.
pub(crate) fn seed(folder: &Path) -> Result<u64, ProofError> {
    manifest(folder).map(|manifest| manifest.subject.seed)
}

/// The subject of a proof; a proof of another subject does not apply to this program.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Subject {
    /// SHA-256 of the ids, the texts and the bindings of all clauses.
    interface: String,
    /// SHA-256 of the code of our contracts.
    contracts: String,
    /// SHA-256 of the sources of the checks.
    checks: String,
    /// SHA-256 of the sources of the defects.
    defects: String,
    /// The seed of the market that was checked.
    seed: u64,
}

impl Subject {
    /// This program, with a market of this seed.
    fn own(seed: u64) -> Self {
        Self {
            interface: interface(),
            contracts: contracts(),
            checks: slipway_scenarios::SOURCES.to_owned(),
            defects: slipway_defects::SOURCES.to_owned(),
            seed,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Proof {
    check: String,
    clause: String,
    /// SHA-256 of the id, the text and the binding of the clause.
    interface: String,
    /// The defect that turned the check red.
    pub(crate) defect: String,
    /// What the clause demands here.
    expected: String,
    /// What the broken platform did.
    actual: String,
    /// The request to both platforms; none if the failure is not in one exchange.
    request: Option<Asked>,
    /// Where the two answers first differ; none if the sound platform did not get the same request.
    difference: Option<Difference>,
}

impl Proof {
    /// As a report contains it.
    pub(crate) fn info(&self) -> ProofInfo {
        let request = self.request.as_ref().map(|asked| {
            let body = if asked.body.is_empty() { "" } else { " " };
            format!("{}{body}{}", asked.head, asked.body).trim().to_owned()
        });
        let (at, sound, broken) = self.difference.as_ref().map_or_else(Default::default, |found| {
            (found.at.clone(), found.sound.to_string(), found.broken.to_string())
        });
        ProofInfo { defect: self.defect.clone(), request: request.unwrap_or_default(), at, sound, broken }
    }
}

/// A request, bounded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Asked {
    /// Method and address; empty for a tool server.
    head: String,
    body: String,
}

/// The folder cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProofError {
    #[error("{path} cannot be written: {source}")]
    Unwritable { path: String, source: std::io::Error },
    #[error("{path} cannot be read: {source}; `slipway drill --proof FOLDER` writes a proof")]
    Unreadable { path: String, source: std::io::Error },
    #[error(
        "{path} has no proof of these checks, defects and contracts with this seed: run `slipway drill --proof {path}`"
    )]
    Other { path: String },
}

impl Fatal for ProofError {
    fn exit(&self) -> Exit {
        if matches!(self, Self::Unreadable { .. }) { Exit::Usage } else { Exit::Inconclusive }
    }
}

fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// SHA-256 of the code of our contracts.
fn contracts() -> String {
    let sound = Artifacts::sound();
    let code = CONTRACTS.iter().flat_map(|name| {
        let contract = sound.contract(name).expect("a committed contract has its artifact");
        contract.deployed_bytecode.to_vec()
    });
    sha256(&code.collect::<Vec<u8>>())
}

/// SHA-256 of the id, the text and the binding of a clause.
fn interface_of(clause: &Clause) -> String {
    sha256(format!("{}\0{}\0{}", clause.id, clause.text, clause.binding()).as_bytes())
}

fn file_of(check: &str) -> String {
    format!("{check}.json")
}

fn json(value: &impl Serialize) -> String {
    format!("{}\n", serde_json::to_string_pretty(value).expect("a proof is texts, numbers and lists"))
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>, ProofError> {
    let path = folder.join(name);
    slipway_contracts::read_bounded(&path, slipway_contracts::GENERATED)
        .map_err(|source| ProofError::Unreadable { path: shown(&path), source })
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), ProofError> {
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, text).map_err(|source| ProofError::Unwritable { path: shown(&path), source })
}

/// Writes the manifest, and its hash.
fn seal(folder: &Path, manifest: &Manifest) -> Result<(), ProofError> {
    let text = json(manifest);
    write(folder, MANIFEST, &text)?;
    write(folder, SEAL, &format!("{}\n", sha256(text.as_bytes())))
}

/// Writes files into the folder of a proof of this program with a market of this seed.
fn replace(folder: &Path, seed: u64, files: &[(&str, String)]) -> Result<(), ProofError> {
    let mut manifest = manifest(folder)?;
    if manifest.version != VERSION || manifest.subject != Subject::own(seed) {
        return Err(ProofError::Other { path: shown(folder) });
    }
    for (name, text) in files {
        write(folder, name, text)?;
        manifest.files.insert((*name).to_owned(), sha256(text.as_bytes()));
    }
    seal(folder, &manifest)
}

fn matrix(folder: &Path) -> Result<Matrix, ProofError> {
    serde_json::from_slice(&read(folder, MATRIX)?).map_err(|_| ProofError::Other { path: shown(folder) })
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
