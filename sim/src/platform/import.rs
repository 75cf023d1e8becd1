//! Starts a platform from an export.
use std::io;
use std::path::Path;

use crate::engine::export::{ExportError, Exported};
use crate::store::StoreError;

/// A file cannot be imported.
#[derive(Debug, thiserror::Error)]
#[error("{path} cannot be imported: {source}")]
pub struct ImportError {
    /// The file.
    pub path: String,
    /// The cause.
    pub source: ImportFailure,
}

/// The reason why a file cannot be imported.
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
