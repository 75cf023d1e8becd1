//! The laws of the curves by name, and the source mutations that each must catch. Leaves out how a law is checked.
use std::path::Path;

use serde::Deserialize;

use super::{CompileError, Mutation, read};

/// A law of a curve on chain.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Law {
    /// Its name.
    pub id: String,
    /// The law, in one sentence.
    pub statement: String,
    /// The Solidity test contract that checks it.
    pub contract: String,
    /// The invariant of that contract.
    pub invariant: String,
    /// Seeded defects of the platform that break it.
    pub defects: Vec<String>,
    /// Further mutations that break it; no platform can be started with them.
    pub mutants: Vec<Mutation>,
}

impl Law {
    /// The laws that a folder of contracts lists.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub fn listed(contracts: &Path) -> Result<Vec<Self>, CompileError> {
        let path = contracts.join("laws.json");
        let text = read(&path)?;
        serde_json::from_str(&text).map_err(|source| CompileError::Form { path, source })
    }
}
