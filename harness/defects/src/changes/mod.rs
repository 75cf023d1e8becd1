//! Defects and variants as data: the rows of `scenarios/changes` and of files of users, and their syntax.
mod change;
mod edit;
mod file;
mod on;
mod place;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

pub use change::Change;
pub(crate) use change::Step;
pub use file::{Changes, FileError};

use crate::chain;
use file::Origin;

/// The name and the text of one of our files.
macro_rules! source {
    ($file:literal) => {
        (concat!("scenarios/changes/", $file), include_str!(concat!("../../changes/", $file)))
    };
}

/// Our files, in the order of the catalogue.
const FILES: &[(&str, &str)] = &[
    source!("nodes.toml"),
    source!("rest.toml"),
    source!("lies.toml"),
    source!("variants.toml"),
    source!("tool.toml"),
    source!("swap.toml"),
];

/// The changes of our files.
pub(crate) fn ours() -> &'static Changes {
    static OURS: LazyLock<Changes> = LazyLock::new(|| {
        let mut all = Changes::default();
        for (name, text) in FILES {
            let changes = file::read(name, text, Origin::Ours, all.ids());
            all.extend(
                changes.unwrap_or_else(|error| unreachable!("a file of the program is wrong: {error}")),
            );
        }
        all
    });
    &OURS
}

/// A file of changes cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ChangesError {
    /// It cannot be read.
    #[error("the file of changes {} cannot be read: {source}", path.display())]
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A row cannot be used.
    #[error("{0}; docs/reference/changes.md lists what a row may say")]
    File(#[from] FileError),
}

/// Reads a user's file; its changes live as long as the program.
///
/// # Errors
/// If it cannot be read, or a row is invalid.
pub fn read(path: &Path) -> Result<&'static Changes, ChangesError> {
    let text = slipway_contracts::read_text(path, slipway_contracts::WRITTEN)
        .map_err(|source| ChangesError::Unreadable { path: path.to_owned(), source })?;
    let ours = ours().ids().chain(chain::defects().map(|defect| defect.id));
    let changes = file::read(path.display().to_string().leak(), &text, Origin::User, ours)?;
    Ok(Box::leak(Box::new(changes)))
}

/// JSON Schema of a file.
pub fn schema() -> serde_json::Value {
    file::schema()
}

#[cfg(test)]
mod tests;
