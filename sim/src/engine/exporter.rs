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
    #[error("file: give the name of a file, or start with --export FILE")]
    NoFile,
    /// No folder for exports was given at the start.
    #[error("file: no folder takes exports; start with --export-dir DIR or --state DIR")]
    NoFolder,
    /// The name leads elsewhere.
    #[error("file: {name} in the folder of exports is not a regular file")]
    NotRegular {
        /// The name.
        name: String,
    },
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
    /// Where an export goes that names one.
    pub(crate) folder: Option<PathBuf>,
}

impl Exporter {
    /// Where an export goes: into a file of this bare name in the folder that was given at the start, else into the file that was.
    ///
    /// # Errors
    /// When nothing was given, or something else than a regular file has the name.
    pub fn target(&self, name: Option<&str>) -> Result<PathBuf, ExportFileError> {
        let Some(name) = name else {
            return self.file.clone().ok_or(ExportFileError::NoFile);
        };
        let path = self.folder.as_ref().ok_or(ExportFileError::NoFolder)?.join(name);
        match path.symlink_metadata() {
            Ok(found) if !found.is_file() => Err(ExportFileError::NotRegular { name: name.to_owned() }),
            _ => Ok(path),
        }
    }

    /// Writes everything into a file, whose folder is made; returns its length in bytes. Until all of it is written, an older file stays.
    ///
    /// # Errors
    /// When a node or the store fails, or the file cannot be written.
    pub async fn write(&self, path: &Path) -> Result<u64, ExportFileError> {
        let text = self.engine.export(self.seed, &self.operator_key).await?.to_text();
        let target = path.to_owned();
        let length = text.len() as u64;
        let folder = self.folder.clone().filter(|folder| path.parent() == Some(folder));
        let written = tokio::task::spawn_blocking(move || {
            folder.map_or(Ok(()), std::fs::create_dir_all)?;
            write_whole(&target, text.as_bytes())
        });
        let written = written.await.unwrap_or_else(|_| Err(io::Error::other("the write was given up")));
        written
            .map(|()| length)
            .map_err(|source| ExportFileError::File { path: path.display().to_string(), source })
    }
}
