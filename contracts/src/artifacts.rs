//! Our own compiled contracts, embedded; sound, or with one seeded defect. Leaves out how they are compiled and deployed.
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use alloy::primitives::Bytes;
use serde::Deserialize;

mod embedded {
    //! The build script writes this table from the artifacts folder.
    include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
}

/// A compiled contract.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// Name of the contract in its source.
    pub contract_name: String,
    /// Creation code, without the constructor arguments.
    pub bytecode: Bytes,
    /// Runtime code, with immutable values still zero.
    pub deployed_bytecode: Bytes,
    /// Positions of each immutable value in that code, by its source name.
    pub immutable_references: BTreeMap<String, Vec<ImmutableReference>>,
}

/// One position of an immutable value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct ImmutableReference {
    /// First byte.
    pub start: usize,
    /// Length in bytes.
    pub length: usize,
}

impl ImmutableReference {
    /// The byte range it occupies.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start..self.start + self.length
    }
}

/// A mutation of the sources whose compiled contracts are committed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ChainDefect {
    /// Stable id.
    pub id: String,
    /// Source file that is mutated, relative to the folder of contracts.
    pub file: String,
    /// Text to replace; it occurs exactly once.
    pub find: String,
    /// Its replacement.
    pub replace: String,
    /// The fault, in one sentence.
    pub summary: String,
    /// Clauses whose checks must fail.
    pub clauses: Vec<String>,
}

/// What the sources with a defect compile to; the contracts that it does not change are the sound ones.
#[derive(Debug, Deserialize)]
struct Defective {
    contracts: BTreeMap<String, Artifact>,
}

/// Read when the first defect is asked for.
static DEFECTIVE: LazyLock<BTreeMap<String, Defective>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../artifacts/mutated/defects.json"))
        .expect("committed artifacts are well-formed; a test reads each")
});

/// The requested contract or defect does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactError {
    /// No committed contract has this name.
    #[error("no compiled contract is named {name:?}")]
    UnknownContract {
        /// The name or id that was requested.
        name: String,
    },
    /// No committed defect has this id.
    #[error("no defect of the contracts has the id {id:?}")]
    UnknownDefect {
        /// The name or id that was requested.
        id: String,
    },
}

/// The contracts to deploy: the sound ones, some of them replaced by defective versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Artifacts {
    defects: Vec<String>,
}

impl Artifacts {
    /// The sound contracts.
    #[must_use]
    pub fn sound() -> Self {
        Self::default()
    }

    /// The contracts with these defects; if two mutate the same contract, the last one applies.
    ///
    /// # Errors
    /// If an id is unknown.
    pub fn with_defects<S: AsRef<str>>(ids: impl IntoIterator<Item = S>) -> Result<Self, ArtifactError> {
        let known = |id: S| {
            let id = id.as_ref().to_owned();
            if DEFECTIVE.contains_key(&id) { Ok(id) } else { Err(ArtifactError::UnknownDefect { id }) }
        };
        Ok(Self { defects: ids.into_iter().map(known).collect::<Result<_, _>>()? })
    }

    /// Names of the contracts that are defective.
    pub fn defective(&self) -> impl Iterator<Item = &'static str> {
        embedded::SOUND
            .iter()
            .map(|(name, _)| *name)
            .filter(|name| self.defects.iter().any(|id| DEFECTIVE[id].contracts.contains_key(*name)))
    }

    /// One contract.
    ///
    /// # Errors
    /// If no contract has the name.
    pub fn contract(&self, name: &str) -> Result<Artifact, ArtifactError> {
        let mutated = self.defects.iter().rev().find_map(|id| DEFECTIVE[id].contracts.get(name));
        if let Some(artifact) = mutated {
            return Ok(artifact.clone());
        }
        let sound = embedded::SOUND.iter().find(|(known, _)| *known == name);
        let (_, text) = sound.ok_or_else(|| ArtifactError::UnknownContract { name: name.to_owned() })?;
        Ok(serde_json::from_str(text).expect("committed artifacts are well-formed; a test reads each"))
    }
}

/// The ABIs of our own contracts as JSON texts with the contract names, in name order.
#[must_use]
pub fn abis() -> &'static [(&'static str, &'static str)] {
    embedded::ABIS
}

/// The text of the file that lists the mutations of the sources, for error messages that cite a line of it.
pub const CHAIN_DEFECTS: &str = include_str!("../defects.json");

/// The mutations of the sources, in file order.
#[must_use]
pub fn chain_defects() -> &'static [ChainDefect] {
    static DEFECTS: LazyLock<Vec<ChainDefect>> = LazyLock::new(|| {
        serde_json::from_str(CHAIN_DEFECTS)
            .expect("the committed list of defects is well-formed; a test reads it")
    });
    &DEFECTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_parse() {
        for (name, _) in embedded::SOUND {
            let artifact = Artifacts::sound().contract(name).unwrap();
            assert_eq!(artifact.contract_name, *name);
            assert!(!artifact.bytecode.is_empty() && artifact.deployed_bytecode.len() <= 24_576, "{name}");
        }
        assert!(Artifacts::sound().contract("NoSuchContract").is_err());
    }

    /// Defective code that replaces sound code works with the immutable values set by the sound constructor.
    #[test]
    fn mutants_keep_immutable_values() {
        let names = |artifacts: &Artifacts, name: &str| -> Vec<String> {
            let artifact = artifacts.contract(name).unwrap();
            artifact.immutable_references.into_keys().collect()
        };
        let sound = Artifacts::sound();
        assert_eq!(names(&sound, "LaunchHook"), ["owner", "splitCalculator", "tradingModule", "viewer"]);
        for defect in chain_defects() {
            let artifacts = Artifacts::with_defects([&defect.id]).unwrap();
            for name in artifacts.defective() {
                assert_eq!(names(&artifacts, name), names(&sound, name), "{}", defect.id);
            }
        }
    }

    #[test]
    fn mutants_differ_from_sound_contracts() {
        for defect in chain_defects() {
            let artifacts = Artifacts::with_defects([&defect.id]).unwrap();
            let differs =
                |name: &str| artifacts.contract(name).unwrap() != Artifacts::sound().contract(name).unwrap();
            assert!(embedded::SOUND.iter().any(|(name, _)| differs(name)), "{}", defect.id);
        }
        assert_eq!(DEFECTIVE.len(), chain_defects().len(), "every committed defect is listed");
        assert!(Artifacts::with_defects(["no-such-defect"]).is_err());
    }
}
