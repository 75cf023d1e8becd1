//! Our own compiled contracts, embedded; sound, or with one seeded defect. Leaves out how they are compiled and deployed.
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use alloy::primitives::Bytes;
use serde::Deserialize;

mod embedded {
    //! Written by the build script from the folder of artifacts.
    include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
}

/// A compiled contract.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// Name of the contract in its source.
    pub contract_name: String,
    /// Code that a deployment runs, before the constructor's arguments.
    pub bytecode: Bytes,
    /// Code that stays, with immutable values still zero.
    pub deployed_bytecode: Bytes,
    /// Where each immutable value goes in that code, by its name in the source.
    pub immutable_references: BTreeMap<String, Vec<ImmutableReference>>,
}

/// One place of an immutable value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct ImmutableReference {
    /// First byte.
    pub start: usize,
    /// How many bytes.
    pub length: usize,
}

impl ImmutableReference {
    /// The bytes it takes up.
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
    /// Text that is replaced; it occurs once.
    pub find: String,
    /// Its replacement.
    pub replace: String,
    /// What goes wrong, in one sentence.
    pub summary: String,
    /// Clauses whose checks must turn red.
    pub clauses: Vec<String>,
}

/// There is no such contract, or no such defect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactError {
    /// No contract of that name is committed.
    #[error("no compiled contract is named {name:?}")]
    UnknownContract {
        /// The name or id that was requested.
        name: String,
    },
    /// No defect of that id is committed.
    #[error("no defect of the contracts has the id {id:?}")]
    UnknownDefect {
        /// The name or id that was requested.
        id: String,
    },
}

/// The contracts to deploy: the sound ones, with those of some defects in their place.
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

    /// The contracts with these defects; where two mutate the same contract, the last one applies.
    ///
    /// # Errors
    /// When an id names no defect.
    pub fn with_defects<S: AsRef<str>>(ids: impl IntoIterator<Item = S>) -> Result<Self, ArtifactError> {
        let known = |id: S| {
            let id = id.as_ref().to_owned();
            let there = embedded::DEFECTIVE.iter().any(|(known, _)| *known == id);
            if there { Ok(id) } else { Err(ArtifactError::UnknownDefect { id }) }
        };
        Ok(Self { defects: ids.into_iter().map(known).collect::<Result<_, _>>()? })
    }

    /// Names of the contracts that are not the sound ones.
    pub fn defective(&self) -> impl Iterator<Item = &'static str> {
        embedded::SOUND.iter().map(|(name, _)| *name).filter(|name| {
            let mutated = |id: &String| {
                embedded::DEFECTIVE
                    .iter()
                    .any(|(known, contracts)| known == id && text_of(contracts, name).is_some())
            };
            self.defects.iter().any(mutated)
        })
    }

    /// One contract.
    ///
    /// # Errors
    /// When no contract has the name.
    pub fn contract(&self, name: &str) -> Result<Artifact, ArtifactError> {
        let mutated = self.defects.iter().rev().find_map(|id| {
            let (_, contracts) = embedded::DEFECTIVE.iter().find(|(known, _)| known == id)?;
            text_of(contracts, name)
        });
        let text = mutated
            .or_else(|| text_of(embedded::SOUND, name))
            .ok_or_else(|| ArtifactError::UnknownContract { name: name.to_owned() })?;
        Ok(serde_json::from_str(text).expect("committed artifacts are well-formed; a test reads each"))
    }
}

fn text_of<'a>(contracts: &[(&str, &'a str)], name: &str) -> Option<&'a str> {
    contracts.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The ABIs of our own contracts as JSON texts, by the names of the contracts, in the order of the names.
#[must_use]
pub fn abis() -> &'static [(&'static str, &'static str)] {
    embedded::ABIS
}

/// The text of the file that lists the mutations of the sources, for those who name a line of it.
pub const CHAIN_DEFECTS: &str = include_str!("../defects.json");

/// The mutations of the sources, in the order of their file.
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

    /// Code that takes the place of sound code finds every value that the sound constructor left.
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
        assert_eq!(embedded::DEFECTIVE.len(), chain_defects().len(), "every committed defect is listed");
        assert!(Artifacts::with_defects(["no-such-defect"]).is_err());
    }
}
