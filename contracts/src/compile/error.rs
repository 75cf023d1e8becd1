//! Errors of compiling sources to artifacts. Leaves out the chain.

use std::io;
use std::path::{Path, PathBuf};

/// Why compiling failed.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// A file operation failed.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file does not have the expected form.
    #[error("{}: {source}", path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// The parse error.
        source: serde_json::Error,
    },
    /// Forge failed.
    #[error("forge failed:\n{output}")]
    Forge {
        /// Its output.
        output: String,
    },
    /// The text of a mutation must occur exactly once.
    #[error("the text that mutation {id} replaces occurs {occurrences} times")]
    AmbiguousMutation {
        /// The mutation.
        id: String,
        /// How many times its text occurs.
        occurrences: usize,
    },
    /// A mutation changes more than bytecode.
    #[error("a mutation changes {name}")]
    MutatedInterface {
        /// The file of an ABI or of storage.
        name: String,
    },
    /// The syntax tree of a contract lacks the declaration of an immutable value in its code.
    #[error("immutable value {number} of {contract} has no name in its source")]
    UnnamedImmutable {
        /// The contract.
        contract: String,
        /// The compiler's number.
        number: String,
    },
}

impl CompileError {
    pub(super) fn file(path: &Path, source: io::Error) -> Self {
        Self::File { path: path.to_owned(), source }
    }
}
