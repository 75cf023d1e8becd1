//! Exports of a running platform to a file, all or nothing.
use std::io;
use std::path::{Path, PathBuf};

use slipway_contracts::write_whole;

use super::{Engine, EngineError};

/// An export could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportFileError {
    /// A part of the platform cannot be captured.
    #[error("the platform cannot be exported: {0}")]
    Engine(#[from] EngineError),
    /// The request has no file name.
    #[error("file: give the name of a file, or start with --export FILE")]
    NoFile,
    /// No folder for exports was given at the start.
    #[error("file: no folder takes exports; start with --export DIR/ or --state DIR")]
    NoFolder,
    /// The name does not refer to a regular file.
    #[error("file: {0} in the folder of exports is not a regular file")]
    NotRegular(String),
    /// The file cannot be written.
    #[error("the export cannot be written to {path}: {source}")]
    File {
        /// The file.
        path: String,
        /// The cause.
        source: io::Error,
    },
}

/// Writes exports of one platform.
#[derive(Clone, Debug)]
pub struct Exporter {
    pub(crate) engine: Engine,
    pub(crate) seed: u64,
    pub(crate) operator_key: String,
    /// File of an export without a file name.
    pub(crate) file: Option<PathBuf>,
    /// Folder of exports with a file name.
    pub(crate) folder: Option<PathBuf>,
}

impl Exporter {
    /// The path of an export: the bare `name` in the folder given at the start, or without a name the file given at the start.
    ///
    /// # Errors
    /// If neither was given, or something other than a regular file has the name.
    pub fn target(&self, name: Option<&str>) -> Result<PathBuf, ExportFileError> {
        let Some(name) = name else {
            return self.file.clone().ok_or(ExportFileError::NoFile);
        };
        let path = self.folder.as_ref().ok_or(ExportFileError::NoFolder)?.join(name);
        match path.symlink_metadata() {
            Ok(found) if !found.is_file() => Err(ExportFileError::NotRegular(name.to_owned())),
            _ => Ok(path),
        }
    }

    /// Writes everything to a file and creates its folder; returns its length in bytes. An existing file stays until the new one is complete.
    ///
    /// # Errors
    /// If a node or the store fails, or the file cannot be written.
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
