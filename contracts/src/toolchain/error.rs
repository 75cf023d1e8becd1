//! Every way in which the tools can be missing or wrong. Leaves out advice for a particular command line.

use std::io;
use std::path::PathBuf;

use super::anvil::TESTED_ANVIL;

/// Why the tools are not ready.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// The system has no folder for caches.
    #[error("no folder for caches is known: the home folder of this user is not set")]
    NoCacheFolder,
    /// No package for the running platform is pinned.
    #[error("the lockfile pins no tools for {system} on {machine}")]
    UnsupportedPlatform {
        /// Operating system, by Rust's name.
        system: &'static str,
        /// Processor, by Rust's name.
        machine: &'static str,
    },
    /// npm is not installed.
    #[error(
        "npm is needed once to install the chain tools, and `{npm}` was not found: install Node.js, or set SLIPWAY_TOOLCHAIN to a folder made by `slipway doctor --install DIR`"
    )]
    NpmMissing {
        /// The command that was tried.
        npm: String,
    },
    /// Nothing is installed and the network may not be used.
    #[error("the chain tools are not installed in {} and the network may not be used: run once without --offline", path.display())]
    NotInstalledOffline {
        /// The path where they would be.
        path: PathBuf,
    },
    /// npm failed.
    #[error("npm could not install the chain tools ({failure}):\n{output}")]
    Npm {
        /// The meaning of npm's error code.
        failure: NpmFailure,
        /// The last lines of npm's output.
        output: String,
    },
    /// npm succeeded, but a file is missing.
    #[error("the installed chain tools lack {}", path.display())]
    Incomplete {
        /// The missing file.
        path: PathBuf,
    },
    /// The given folder holds no packages.
    #[error("SLIPWAY_TOOLCHAIN names {}, which has no chain tools", path.display())]
    NoTools {
        /// The folder.
        path: PathBuf,
    },
    /// A tool could not be started.
    #[error("{tool} at {} does not run: {source}", path.display())]
    DoesNotRun {
        /// Name of the tool.
        tool: &'static str,
        /// Its path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// No anvil was found.
    #[error(
        "no anvil was found: npm has none for this system, and none is on PATH; install one of version {} to {} and put it on PATH, or set ANVIL to its path",
        TESTED_ANVIL.start(), TESTED_ANVIL.end()
    )]
    AnvilMissing,
    /// An anvil is older than the tested versions, or does not report its version.
    #[error(
        "anvil at {} says it is `{found}`; versions {} to {} are tested, and older ones do not work: install one of them (foundryup --install {}) and set ANVIL to its path",
        path.display(), TESTED_ANVIL.start(), TESTED_ANVIL.end(), TESTED_ANVIL.end()
    )]
    OldAnvil {
        /// Its path.
        path: PathBuf,
        /// The first line of its version output.
        found: String,
    },
    /// A tool does not have the pinned version.
    #[error("{tool} at {} is version `{found}`, and {wanted} is needed", path.display())]
    WrongVersion {
        /// Name of the tool.
        tool: &'static str,
        /// Its path.
        path: PathBuf,
        /// The version it reports.
        found: String,
        /// The pinned version.
        wanted: &'static str,
    },
    /// The user may not read or write a path.
    #[error("no permission for {}", path.display())]
    Permission {
        /// The path.
        path: PathBuf,
    },
    /// A file operation failed for another reason.
    #[error("{}: {source}", path.display())]
    File {
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A published file does not have the expected form.
    #[error("{} holds no {member}", path.display())]
    UnexpectedForm {
        /// The file.
        path: PathBuf,
        /// The missing member.
        member: &'static str,
    },
}

/// The kinds of npm's failures that a user can act on, distinguished by npm's error code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NpmFailure {
    /// The packages could not be fetched.
    #[error("the network failed")]
    Network,
    /// A package does not match the lockfile.
    #[error("a package does not have the pinned content")]
    Integrity,
    /// npm lacks write permission.
    #[error("no permission")]
    Permission,
    /// The disk is full.
    #[error("the disk is full")]
    DiskFull,
    /// Any other failure, described by npm's output.
    #[error("npm failed")]
    Other,
}

impl NpmFailure {
    /// Reads the code that npm prints on a separate line.
    pub(super) fn from_output(output: &str) -> Self {
        let code = output.lines().find_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["npm", "error" | "ERR!", "code", code] => Some(code),
                _ => None,
            }
        });
        match code {
            Some(
                "ENOTFOUND" | "EAI_AGAIN" | "ECONNREFUSED" | "ECONNRESET" | "ETIMEDOUT" | "ENETUNREACH"
                | "EHOSTUNREACH" | "ERR_SOCKET_TIMEOUT" | "ENOTCACHED" | "EPROTO",
            ) => Self::Network,
            Some("EINTEGRITY") => Self::Integrity,
            Some("EACCES" | "EPERM" | "EROFS") => Self::Permission,
            Some("ENOSPC") => Self::DiskFull,
            _ => Self::Other,
        }
    }
}

impl ToolchainError {
    /// A failed file operation; permission errors have their own variant.
    pub(super) fn file(path: impl Into<PathBuf>, source: io::Error) -> Self {
        let path = path.into();
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::Permission { path },
            _ => Self::File { path, source },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permission_errors_are_distinguished() {
        let refused = ToolchainError::file("x", io::ErrorKind::PermissionDenied.into());
        assert!(matches!(refused, ToolchainError::Permission { .. }));
        let other = ToolchainError::file("x", io::ErrorKind::NotADirectory.into());
        assert!(matches!(other, ToolchainError::File { .. }));
    }

    #[test]
    fn npm_exit_codes_are_distinguished() {
        let cases = [
            ("npm error code ENOTFOUND\nnpm error network", NpmFailure::Network),
            ("npm ERR! code EINTEGRITY", NpmFailure::Integrity),
            ("npm warn x\nnpm error code EACCES", NpmFailure::Permission),
            ("npm error code ENOSPC", NpmFailure::DiskFull),
            ("npm error code E404", NpmFailure::Other),
            ("", NpmFailure::Other),
        ];
        for (output, failure) in cases {
            assert_eq!(NpmFailure::from_output(output), failure, "{output}");
        }
    }
}
