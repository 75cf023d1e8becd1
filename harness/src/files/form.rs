//! Files that people write as TOML: read, and what is wrong with one is told with its line and where its members are described.
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::Fatal;
use crate::exit::Exit;
use crate::files::located;

/// A kind of such files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// What one is called.
    pub(crate) name: &'static str,
    /// Where its members are described, as a sentence without its stop.
    pub(crate) described: &'static str,
    /// The most bytes of one.
    pub(crate) longest: u64,
    /// Its JSON Schema.
    pub(crate) schema: fn() -> Value,
}

/// Why a file is not used.
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
    /// The text of a file, and what it says.
    pub(crate) fn read<T: DeserializeOwned>(&self, path: &Path) -> Result<(String, T), FileError> {
        let text = slipway_contracts::read_text(path, self.longest)
            .map_err(|source| FileError::Unreadable { name: self.name, path: path.to_owned(), source })?;
        match toml::from_str(&text) {
            Ok(said) => Ok((text, said)),
            Err(error) => Err(self.wrong(path, located::place(&text, &error, &(self.schema)()))),
        }
    }

    /// A file is wrong at a line, for a reason.
    pub(crate) fn wrong(&self, path: &Path, (line, reason): (usize, String)) -> FileError {
        FileError::Malformed { path: path.to_owned(), line, reason, described: self.described }
    }
}
