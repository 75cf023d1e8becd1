//! The proof of the checks, in one file: which defect fails which check, and how; which legal variants passed.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use slipway_contracts::{GENERATED, read_text};
use slipway_defects::{catalogue, variants};
use slipway_scenarios::{Check, checks};

use super::change::{Change, TOGETHER};
use super::lasting::lasting;
use super::result::{ChangeResult, Finding};
use crate::error::Fatal;
use crate::exit::Exit;

/// The proof committed when this program was built.
const COMMITTED: &str = include_str!("../../proof.json");

/// Every row is about a change with the required result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Proof {
    /// The seed of the market that was checked.
    pub(crate) seed: u64,
    /// The defects that failed each check, by their ids.
    pub(super) checks: BTreeMap<String, BTreeMap<String, Kill>>,
    /// The variants that passed, by their ids.
    pub(super) variants: BTreeMap<String, Pass>,
}

/// How a check failed on a defect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kill {
    /// The clause that it reported as broken; the defect names it.
    pub(super) clause: String,
    /// The clause's requirement.
    pub(crate) expected: String,
    /// What the broken platform did.
    pub(crate) actual: String,
}

/// The result of the checks under a variant; none failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Pass {
    /// The ground that permits it; for all variants that can be combined, their ids.
    pub(super) rests_on: Vec<String>,
    /// How many checks judged it; 0 if it changes nothing that a check sees.
    pub(super) checks: usize,
    /// Clauses of choices that differed.
    pub(super) differences: BTreeSet<String>,
}

/// The file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProofError {
    #[error("{path} cannot be written: {source}")]
    Unwritable { path: String, source: std::io::Error },
    #[error("{path} cannot be read: {source}; `slipway drill --write` writes a proof")]
    Unreadable { path: String, source: std::io::Error },
    #[error("{path} is no proof: {source}")]
    Malformed { path: String, source: serde_json::Error },
    #[error("{path} is about the market of seed {of}; drill that one, or write another file")]
    OtherSeed { path: String, of: u64 },
}

impl Fatal for ProofError {
    fn exit(&self) -> Exit {
        if let Self::Unwritable { source, .. } = self { Exit::of_unwritable(source) } else { Exit::Usage }
    }
}

/// The committed proof; empty if another version of this program wrote it.
pub(crate) fn embedded() -> &'static Proof {
    static PROOF: LazyLock<Proof> = LazyLock::new(|| serde_json::from_str(COMMITTED).unwrap_or_default());
    &PROOF
}

impl Proof {
    pub(crate) fn read(path: &Path) -> Result<Self, ProofError> {
        let shown = || path.display().to_string();
        let text =
            read_text(path, GENERATED).map_err(|source| ProofError::Unreadable { path: shown(), source })?;
        serde_json::from_str(&text).map_err(|source| ProofError::Malformed { path: shown(), source })
    }

    /// Reads the proof in a file, or starts an empty one, for a market of this seed.
    pub(crate) fn open(path: &Path, seed: u64) -> Result<Self, ProofError> {
        let proof = if path.exists() { Self::read(path)? } else { Self { seed, ..Self::default() } };
        if proof.seed != seed {
            return Err(ProofError::OtherSeed { path: path.display().to_string(), of: proof.seed });
        }
        Ok(proof)
    }

    /// Writes the file with new rows for these changes. Other rows stay, except those of ids that no longer exist.
    pub(crate) fn write(mut self, path: &Path, results: &[ChangeResult]) -> Result<(), ProofError> {
        for result in results.iter().filter(|result| !result.change.is_control()) {
            self.put(result);
        }
        self.remove_strangers();
        slipway_contracts::write(path, self.text().as_bytes())
            .map_err(|source| ProofError::Unwritable { path: path.display().to_string(), source })
    }

    /// The defect that proves a check, and how the check failed under it.
    pub(crate) fn of_check(&self, id: &str) -> Option<(&str, &Kill)> {
        self.kills(id).next()
    }

    /// The defects that failed a check for its own clause.
    pub(crate) fn kills(&self, id: &str) -> impl Iterator<Item = (&str, &Kill)> {
        let clause = check(id).map_or("", |check| check.clause.id);
        let kills = self.checks.get(id).into_iter().flatten();
        kills.filter(move |(_, kill)| kill.clause == clause).map(|(defect, kill)| (defect.as_str(), kill))
    }

    /// Replaces the rows of a change; removes them if it did not have the required result.
    fn put(&mut self, result: &ChangeResult) {
        let id = result.change.id();
        for kills in self.checks.values_mut() {
            kills.remove(id);
        }
        self.variants.remove(id);
        let rests_on = match (result.change, result.finding()) {
            (Change::Defect(_), Finding::Caught) => {
                for failure in &result.declared {
                    let (expected, actual) = lasting(&failure.expected, &failure.actual);
                    let kill = Kill { clause: failure.clause.to_owned(), expected, actual };
                    self.checks.entry(failure.check.to_owned()).or_default().insert(id.to_owned(), kill);
                }
                return;
            }
            (_, Finding::Passed | Finding::Unseen) => grounds(result.change),
            _ => return,
        };
        let differences = result.differences.iter().map(|it| it.clause.to_owned()).collect();
        self.variants.insert(id.to_owned(), Pass { rests_on, checks: result.judged_by, differences });
    }

    fn remove_strangers(&mut self) {
        self.checks.retain(|id, kills| {
            kills.retain(|defect, _| catalogue().iter().any(|known| known.id == *defect));
            check(id).is_some() && !kills.is_empty()
        });
        self.variants.retain(|id, _| is_variant(id));
    }

    /// One row per line, so that a change of one check or defect changes only its own lines.
    fn text(&self) -> String {
        let mut text = format!("{{\n  \"seed\": {},\n  \"checks\": {{", self.seed);
        for (at, (check, kills)) in self.checks.iter().enumerate() {
            let _ = write!(text, "{}\n    {check:?}: {{", if at > 0 { "," } else { "" });
            rows(&mut text, "      ", kills);
            text.push_str("\n    }");
        }
        text.push_str("\n  },\n  \"variants\": {");
        rows(&mut text, "    ", &self.variants);
        text.push_str("\n  }\n}\n");
        text
    }
}

fn rows<T: Serialize>(text: &mut String, indent: &str, rows: &BTreeMap<String, T>) {
    for (at, (id, row)) in rows.iter().enumerate() {
        let row = serde_json::to_string(row).expect("a row is texts, numbers and lists");
        let _ = write!(text, "{}\n{indent}{id:?}: {row}", if at > 0 { "," } else { "" });
    }
}

/// The ground that permits a variant; for all that can be combined, their ids.
pub(super) fn grounds(change: Change) -> Vec<String> {
    match change {
        Change::Defect(_) => Vec::new(),
        Change::Variant(variant) => vec![variant.rests_on.text().to_owned()],
        Change::Together { .. } => change.variants().iter().map(|variant| variant.id.to_owned()).collect(),
    }
}

pub(super) fn is_variant(id: &str) -> bool {
    id == TOGETHER || variants::catalogue().iter().any(|variant| variant.id == id)
}

pub(super) fn check(id: &str) -> Option<&'static Check> {
    checks().find(|check| check.id == id)
}
