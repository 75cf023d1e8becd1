//! Starts a platform from an export.
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use slipway_contracts::ChainId;

use crate::engine::export::{ExportError, Exported};
use crate::genesis;
use crate::store::StoreError;

/// A file cannot be imported.
#[derive(Debug, thiserror::Error)]
#[error("{path} cannot be imported: {source}")]
pub struct ImportError {
    /// The file.
    pub path: String,
    /// Why.
    pub source: ImportFailure,
}

/// Why a file cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportFailure {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] io::Error),
    /// It is not an export of this version.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The store cannot import its content.
    #[error(transparent)]
    Store(#[from] StoreError),
}

pub(crate) fn read(path: &Path) -> Result<Exported, ImportError> {
    let read = || -> Result<Exported, ImportFailure> {
        Ok(Exported::parse(&slipway_contracts::read_text(path, slipway_contracts::GENERATED)?)?)
    };
    read().map_err(|source| ImportError { path: path.display().to_string(), source })
}

/// The genesis of both chains as the files that a start loads.
pub(crate) fn beginning(exported: &Exported) -> Result<BTreeMap<String, Vec<u8>>, ExportError> {
    let (mut files, mut left) = (BTreeMap::new(), genesis::LARGEST_STATE);
    for (&chain_id, chain) in &exported.chains {
        let unpacked = genesis::unpacked(&chain.state, left);
        let state = unpacked.map_err(|source| ExportError::State { chain_id, source })?;
        left -= state.len() as u64;
        let genesis = serde_json::to_vec(&chain.genesis).expect("a beginning has only string keys");
        files.insert(genesis::state_file(ChainId(chain_id)), state);
        files.insert(genesis::genesis_file(ChainId(chain_id)), genesis);
    }
    Ok(files)
}
