//! Exports of a running platform into a file, whole or not at all.
use std::io;
use std::path::{Path, PathBuf};

use slipway_contracts::write_whole;

use super::{Engine, EngineError};

/// An export could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportFileError {
    /// Something of the platform cannot be taken.
    #[error("the platform cannot be exported: {0}")]
    Engine(#[from] EngineError),
    /// No file was named.
    #[error("file: name a file, or start with --export FILE")]
    NoFile,
    /// The file cannot be written.
    #[error("the export cannot be written to {path}: {source}")]
    File {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// Writes exports of one platform.
#[derive(Clone, Debug)]
pub struct Exporter {
    pub(crate) engine: Engine,
    pub(crate) seed: u64,
    pub(crate) operator_key: String,
    /// Where an export goes that names no file.
    pub(crate) file: Option<PathBuf>,
}

impl Exporter {
    /// The platform.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Where an export goes that names no file.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Writes everything into a file; returns its length in bytes. Until all of it is written, an older file stands.
    ///
    /// # Errors
    /// When a node or the store fails, or the file cannot be written.
    pub async fn write(&self, path: &Path) -> Result<u64, ExportFileError> {
        let text = self.engine.export(self.seed, &self.operator_key).await?.to_text();
        let target = path.to_owned();
        let length = text.len() as u64;
        let written = tokio::task::spawn_blocking(move || write_whole(&target, text.as_bytes()));
        let written = written.await.unwrap_or_else(|_| Err(io::Error::other("the write was given up")));
        written
            .map(|()| length)
            .map_err(|source| ExportFileError::File { path: path.display().to_string(), source })
    }
}
