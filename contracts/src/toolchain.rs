//! The pinned node and published contracts: finds them, or installs them once per user. Leaves out running them.
//!
//! There are two installations: the tools a platform needs ([`Toolchain`]), and those only tests need ([`TestTools`]), which `slipway up`
//! never uses. A lockfile in this binary pins every package with the hash of its content;
//! the cache folder is named after the hash of that lockfile, so a new lockfile never uses an old installation.

mod anvil;
mod error;
mod install;
mod needs;
mod options;
mod published;
mod test_tools;

use std::fs;
use std::path::{Path, PathBuf};

use install::{Part, Pinned};
use options::binary;

use crate::file::copy_whole;

pub use anvil::{AnvilSource, TESTED_ANVIL, Version};
pub use error::{NpmFailure, ToolchainError};
pub use needs::{Need, Tool, table as needs_of_tests};
pub use options::{ANVIL_VARIABLE, FOUNDRY_VERSION, Progress, TOOLCHAIN_VARIABLE, ToolchainOptions, program};
pub use published::{Published, PublishedCode};
pub use test_tools::{TestBrowser, TestTools, pinned_node};

/// The tools of a platform: anvil and the published contracts.
const RUN: Pinned = Pinned {
    part: Part::Run,
    files: &[
        ("package.json", include_str!("../package.json")),
        ("package-lock.json", include_str!("../package-lock.json")),
        (".npmrc", include_str!("../.npmrc")),
    ],
};

/// The tools of a platform, ready to use.
#[derive(Clone, Debug)]
pub struct Toolchain {
    anvil: PathBuf,
    anvil_source: AnvilSource,
    untested_anvil: Option<Version>,
    node_modules: PathBuf,
    identity: String,
}

impl Toolchain {
    /// Finds the tools, and installs them if they are absent and the options allow it. Anvil comes from the options, else from the pinned
    /// package, else from the search path; one that is not pinned by a lockfile must not be older than the tested versions.
    ///
    /// # Errors
    /// [`ToolchainError`] has one variant for every way in which the tools can be missing or wrong.
    pub async fn locate(
        options: &ToolchainOptions,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Self, ToolchainError> {
        let (node_modules, identity, vouched) = if let Some(directory) = &options.directory {
            let node_modules = directory.join("node_modules");
            if !node_modules.is_dir() {
                return Err(ToolchainError::NoTools { path: directory.clone() });
            }
            install::require_published(&node_modules)?;
            let identity = published::hash(&node_modules)?;
            (node_modules, identity, false)
        } else {
            let folder = install::installed(&RUN, options, progress).await?;
            (folder.join("node_modules"), lockfile_hash(), true)
        };
        let (anvil, anvil_source) = anvil::find(options, &node_modules)?;
        let untested_anvil = match anvil_source {
            AnvilSource::Package if vouched => None,
            _ => anvil::require_known(&anvil).await?,
        };
        Ok(Self { anvil, anvil_source, untested_anvil, node_modules, identity })
    }

    /// The anvil binary.
    #[must_use]
    pub fn anvil(&self) -> &Path {
        &self.anvil
    }

    /// Where the anvil binary was found.
    #[must_use]
    pub fn anvil_source(&self) -> AnvilSource {
        self.anvil_source
    }

    /// The version of anvil, if it is newer than the tested ones.
    #[must_use]
    pub fn untested_anvil(&self) -> Option<Version> {
        self.untested_anvil
    }

    /// The folder of installed packages.
    #[must_use]
    pub fn node_modules(&self) -> &Path {
        &self.node_modules
    }

    /// Identifies the published contracts of this toolchain: equal texts mean equal bytes.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Copies anvil and the published contracts into a folder for [`TOOLCHAIN_VARIABLE`], on this machine or another.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn export(&self, directory: &Path) -> Result<(), ToolchainError> {
        let target = directory.join("node_modules");
        let contracts =
            Published::ALL.map(|contract| (contract.file(&self.node_modules), contract.file(&target)));
        let anvil = (self.anvil.clone(), binary(&target, "anvil")?);
        let mut copied: Vec<(PathBuf, PathBuf)> = contracts.into_iter().chain([anvil]).collect();
        let licences: Vec<_> =
            copied.iter().flat_map(|(from, _)| licences(&self.node_modules, from)).collect();
        copied.extend(licences.into_iter().map(|path| (self.node_modules.join(&path), target.join(path))));
        for (from, to) in copied {
            let folder = to.parent().unwrap_or(&target);
            fs::create_dir_all(folder).map_err(|source| ToolchainError::file(folder, source))?;
            // This toolchain may be that of the folder.
            copy_whole(&from, &to).map_err(|source| ToolchainError::file(&to, source))?;
        }
        Ok(())
    }

    /// The code of a published contract.
    ///
    /// # Errors
    /// If the package's file is missing or does not have the form of this package version.
    pub fn published(&self, contract: Published) -> Result<PublishedCode, ToolchainError> {
        published::read(&self.node_modules, contract)
    }

    /// The ABI of a published contract, from its package.
    ///
    /// # Errors
    /// If the package's file is missing or does not have the form of this package version.
    pub fn published_abi(&self, contract: Published) -> Result<serde_json::Value, ToolchainError> {
        published::abi(&self.node_modules, contract)
    }
}

/// The licence texts of the package that contains a file, relative to the folder of packages: those in its root and in `licenses`.
fn licences(node_modules: &Path, file: &Path) -> Vec<PathBuf> {
    // An anvil from elsewhere belongs to no package.
    let Ok(inside) = file.strip_prefix(node_modules) else { return Vec::new() };
    let scoped = inside.to_string_lossy().starts_with('@');
    let package: PathBuf = inside.components().take(if scoped { 2 } else { 1 }).collect();
    let mut found = Vec::new();
    for folder in [package.clone(), package.join("licenses")] {
        for entry in fs::read_dir(node_modules.join(&folder)).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let upper = name.to_string_lossy().to_uppercase();
            let is_licence = ["LICEN", "NOTICE", "COPYING"].iter().any(|word| upper.contains(word));
            if is_licence && entry.path().is_file() {
                found.push(folder.join(name));
            }
        }
    }
    found
}

/// The SHA-256 over the files that determine the installation of the run part, in hexadecimal.
#[must_use]
pub fn lockfile_hash() -> String {
    RUN.hash()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_of_a_package_are_in_its_root_or_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("@scope/one");
        fs::create_dir_all(package.join("licenses")).unwrap();
        fs::create_dir_all(package.join("out")).unwrap();
        for file in ["LICENSE", "package.json", "licenses/BUSL_LICENSE", "out/LICENSE.sol"] {
            fs::write(package.join(file), "").unwrap();
        }
        let found = licences(folder.path(), &package.join("out/code.json"));
        assert_eq!(found, ["@scope/one/LICENSE", "@scope/one/licenses/BUSL_LICENSE"].map(PathBuf::from));
        assert_eq!(licences(folder.path(), Path::new("/usr/bin/anvil")), Vec::<PathBuf>::new());
    }

    #[test]
    fn no_pinned_program_is_left_out_for_an_older_node() {
        let [_, (_, lockfile), _] = RUN.files else { panic!("three files") };
        let installed = install::without_engines(lockfile);
        assert!(lockfile.contains("\"engines\"") && !installed.contains("\"engines\""), "{installed}");
        assert_eq!(lockfile.matches("\"integrity\"").count(), installed.matches("\"integrity\"").count());
    }

    #[test]
    fn lockfile_pins_required_version() {
        for (pinned, tool) in [(&RUN, "anvil"), (&test_tools::TESTS, "forge")] {
            let pins: serde_json::Value = serde_json::from_str(pinned.files[0].1).unwrap();
            let packages = pins["optionalDependencies"].as_object().unwrap();
            let prefix = format!("@foundry-rs/{tool}-");
            let versions: Vec<_> = packages.iter().filter(|(name, _)| name.starts_with(&prefix)).collect();
            assert!(!versions.is_empty());
            assert!(versions.iter().all(|(_, version)| *version == FOUNDRY_VERSION), "{versions:?}");
        }
    }
}
