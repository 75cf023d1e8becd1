//! Which anvil a platform runs: given, packaged or on the search path, and not older than the tested versions. Leaves out running it.

use std::env;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use tokio::process::Command;

use super::error::ToolchainError;
use super::options::{ToolchainOptions, binary, program};

/// The versions of anvil that this workspace's tests run with; both ends are pinned, and a test runs each. The tests of the facts relied on
/// (`cargo test -p slipway-contracts node::`) run with any other version that [`super::ANVIL_VARIABLE`] points to.
pub const TESTED_ANVIL: RangeInclusive<Version> = Version([1, 5, 1])..=Version([1, 7, 1]);

/// A version of three numbers; suffixes (`-stable`, `-rc1`) are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub [u64; 3]);

impl Version {
    /// The first version in a text.
    fn in_text(text: &str) -> Option<Self> {
        text.split_whitespace().find_map(|word| {
            let mut numbers = word.split(['-', '+']).next()?.split('.').map(str::parse);
            match (numbers.next(), numbers.next(), numbers.next(), numbers.next()) {
                (Some(Ok(major)), Some(Ok(minor)), Some(Ok(patch)), None) => {
                    Some(Self([major, minor, patch]))
                }
                _ => None,
            }
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([major, minor, patch]) = self;
        write!(formatter, "{major}.{minor}.{patch}")
    }
}

/// Where anvil was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnvilSource {
    /// In the options.
    Given,
    /// In the pinned package.
    Package,
    /// On the search path.
    SearchPath,
}

impl fmt::Display for AnvilSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Given => "ANVIL",
            Self::Package => "the pinned package",
            Self::SearchPath => "PATH",
        })
    }
}

/// The anvil to run.
pub(super) fn find(
    options: &ToolchainOptions,
    node_modules: &Path,
) -> Result<(PathBuf, AnvilSource), ToolchainError> {
    if let Some(given) = &options.anvil {
        return Ok((given.clone(), AnvilSource::Given));
    }
    if let Some(packaged) = binary(node_modules, "anvil").ok().filter(|path| path.is_file()) {
        return Ok((packaged, AnvilSource::Package));
    }
    let name = format!("anvil{}", env::consts::EXE_SUFFIX);
    program(&options.search_path, &name)
        .map(|path| (path, AnvilSource::SearchPath))
        .ok_or(ToolchainError::AnvilMissing)
}

/// Runs an anvil and checks that it is not older than the tested versions. Returns its version if it is newer, since it may still work.
pub(super) async fn require_known(path: &Path) -> Result<Option<Version>, ToolchainError> {
    let text = said(path, "anvil").await?;
    match Version::in_text(&text) {
        Some(version) if version > *TESTED_ANVIL.end() => {
            let (path, newest) = (path.display(), TESTED_ANVIL.end());
            tracing::warn!(
                "anvil at {path} is version {version}, which is not tested; the newest tested one is {newest}"
            );
            Ok(Some(version))
        }
        Some(version) if version >= *TESTED_ANVIL.start() => Ok(None),
        _ => Err(ToolchainError::OldAnvil { path: path.to_owned(), found: first_line(&text) }),
    }
}

/// Runs a tool of the pinned version and checks the version that it prints.
pub(super) async fn require_pinned(
    path: &Path,
    tool: &'static str,
    wanted: &'static str,
) -> Result<(), ToolchainError> {
    let text = said(path, tool).await?;
    let found = Version::in_text(&text).map_or_else(|| first_line(&text), |version| version.to_string());
    if found == wanted {
        return Ok(());
    }
    Err(ToolchainError::WrongVersion { tool, path: path.to_owned(), found, wanted })
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

async fn said(path: &Path, tool: &'static str) -> Result<String, ToolchainError> {
    let output = Command::new(path)
        .arg("--version")
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|source| ToolchainError::DoesNotRun { tool, path: path.to_owned(), source })?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_every_form_of_output() {
        for (text, expected) in [
            ("anvil Version: 1.7.1-stable\nCommit SHA: 1", Some([1, 7, 1])),
            ("anvil Version: 1.6.0-rc1", Some([1, 6, 0])),
            ("anvil 0.2.0 (5b2a3e2 2024-01-01T00:00:00Z)", Some([0, 2, 0])),
            ("anvil Version: 1.10.0", Some([1, 10, 0])),
            ("anvil", None),
            ("anvil 1.7", None),
            ("", None),
        ] {
            assert_eq!(Version::in_text(text), expected.map(Version), "{text}");
        }
    }

    #[test]
    fn versions_compare_as_numbers() {
        assert!(TESTED_ANVIL.contains(&Version([1, 6, 0])));
        for outside in [[1, 5, 0], [1, 7, 2], [1, 10, 0], [0, 9, 9], [2, 0, 0]] {
            assert!(!TESTED_ANVIL.contains(&Version(outside)), "{outside:?}");
        }
    }
}
