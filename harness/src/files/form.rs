//! Reads TOML files that people write; an error gives the line and where the members are described.
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::Fatal;
use crate::exit::Exit;
use crate::files::located;

/// A kind of TOML file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// Its name in errors.
    pub(crate) name: &'static str,
    /// Where its members are described, as a sentence without its full stop.
    pub(crate) described: &'static str,
    /// Maximum size, in bytes.
    pub(crate) longest: u64,
    /// Its JSON Schema.
    pub(crate) schema: fn() -> Value,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("the {name} {} cannot be read: {source}", path.display())]
    Unreadable { name: &'static str, path: PathBuf, source: std::io::Error },
    #[error("{}:{line}: {reason}; {described}", path.display())]
    Malformed { path: PathBuf, line: usize, reason: String, described: &'static str },
}

impl Fatal for FileError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}

impl Form {
    /// Reads the text and the content of a file.
    pub(crate) fn read<T: DeserializeOwned>(&self, path: &Path) -> Result<(String, T), FileError> {
        let text = slipway_contracts::read_text(path, self.longest)
            .map_err(|source| FileError::Unreadable { name: self.name, path: path.to_owned(), source })?;
        match toml::from_str(&text) {
            Ok(said) => Ok((text, said)),
            Err(error) => Err(self.wrong(path, located::place(&text, &error, &(self.schema)()))),
        }
    }

    /// The error of a file at a line, with the reason.
    pub(crate) fn wrong(&self, path: &Path, (line, reason): (usize, String)) -> FileError {
        FileError::Malformed { path: path.to_owned(), line, reason, described: self.described }
    }
}
