//! The pinned chain tools, published contracts and published files of pages: finds them, or installs them once per user. Leaves out running them.
//!
//! What is installed is named by the lockfile that this binary carries, so every package has the content whose hash the lockfile
//! states; the folder in the cache is named by the hash of that lockfile, so a new lockfile never meets an old installation.

mod error;
mod install;
mod published;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use sha2::{Digest, Sha256};
use tokio::process::Command;

pub use error::{NpmFailure, ToolchainError};
pub use published::{Published, PublishedCode, PublishedFile};

/// The only version of anvil and forge that is known to behave as the rest of this crate expects.
pub const FOUNDRY_VERSION: &str = "1.7.1";

/// Environment variable: path of the anvil binary to use.
pub const ANVIL_VARIABLE: &str = "ANVIL";
/// Environment variable: folder that holds a ready `node_modules`.
pub const TOOLCHAIN_VARIABLE: &str = "SLIPWAY_TOOLCHAIN";

/// The files that decide what is installed.
const LOCKED: [(&str, &str); 3] = [
    ("package.json", include_str!("../package.json")),
    ("package-lock.json", include_str!("../package-lock.json")),
    (".npmrc", include_str!("../.npmrc")),
];

/// Where to look for the tools and whether they may be installed.
#[derive(Clone, Debug)]
pub struct ToolchainOptions {
    /// Folder of caches; by default the platform's per-user one.
    pub cache: Option<PathBuf>,
    /// Path of the anvil binary, instead of the installed one.
    pub anvil: Option<PathBuf>,
    /// Folder that holds a ready `node_modules`, instead of an installation.
    pub directory: Option<PathBuf>,
    /// Never reach for the network.
    pub offline: bool,
    /// The npm to install with.
    pub npm: OsString,
}

impl Default for ToolchainOptions {
    fn default() -> Self {
        Self { cache: None, anvil: None, directory: None, offline: false, npm: OsString::from("npm") }
    }
}

impl ToolchainOptions {
    /// Folder of everything that this user's platforms keep between runs; absent when the system names none.
    #[must_use]
    pub fn cache_folder(&self) -> Option<PathBuf> {
        let of_user = || Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("slipway"));
        self.cache.clone().or_else(of_user)
    }

    /// The defaults, with the explicit paths that the environment gives ([`ANVIL_VARIABLE`], [`TOOLCHAIN_VARIABLE`]).
    #[must_use]
    pub fn from_environment() -> Self {
        let path = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self { anvil: path(ANVIL_VARIABLE), directory: path(TOOLCHAIN_VARIABLE), ..Self::default() }
    }
}

/// What a search for the tools is doing, for a person who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Another process installs; this one waits for it.
    WaitingForOther,
    /// Packages are being fetched and unpacked.
    Installing,
    /// What was unpacked is being checked.
    Verifying,
}

/// The pinned tools, ready to run.
#[derive(Clone, Debug)]
pub struct Toolchain {
    anvil: PathBuf,
    forge: PathBuf,
    node_modules: PathBuf,
    identity: String,
}

impl Toolchain {
    /// Finds the tools, and installs them when they are absent and the options allow it.
    ///
    /// # Errors
    /// One variant of [`ToolchainError`] for every way in which the tools can be missing or wrong.
    pub async fn locate(
        options: &ToolchainOptions,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Self, ToolchainError> {
        let mut tools = match &options.directory {
            Some(directory) => Self::given(directory)?,
            None => Self::in_folder(&install::installed(options, progress).await?, lockfile_hash())?,
        };
        if let Some(anvil) = &options.anvil {
            tools.anvil.clone_from(anvil);
        }
        // What was installed was checked then.
        if options.anvil.is_some() || options.directory.is_some() {
            require_version(&tools.anvil, "anvil").await?;
        }
        Ok(tools)
    }

    /// The anvil binary.
    #[must_use]
    pub fn anvil(&self) -> &Path {
        &self.anvil
    }

    /// The forge binary.
    #[must_use]
    pub fn forge(&self) -> &Path {
        &self.forge
    }

    /// The folder of installed packages.
    #[must_use]
    pub fn node_modules(&self) -> &Path {
        &self.node_modules
    }

    /// Names the published contracts of this toolchain: equal text, equal bytes.
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The code of a published contract.
    ///
    /// # Errors
    /// When the package's file is missing or not of the form that this version of the package has.
    pub fn published(&self, contract: Published) -> Result<PublishedCode, ToolchainError> {
        published::read(&self.node_modules, contract)
    }

    /// The ABI of a published contract, as its package states it.
    ///
    /// # Errors
    /// When the package's file is missing or not of the form that this version of the package has.
    pub fn published_abi(&self, contract: Published) -> Result<serde_json::Value, ToolchainError> {
        published::abi(&self.node_modules, contract)
    }

    /// The text of a published file.
    ///
    /// # Errors
    /// When the file is missing or is not UTF-8.
    pub fn text(&self, file: PublishedFile) -> Result<String, ToolchainError> {
        let path = file.path(&self.node_modules);
        std::fs::read_to_string(&path).map_err(|source| ToolchainError::file(&path, source))
    }

    /// Tools in a folder that somebody else made: checked, because no lockfile vouches for them.
    fn given(directory: &Path) -> Result<Self, ToolchainError> {
        let mut tools = Self::in_folder(directory, String::new())?;
        install::require_published(&tools.node_modules)?;
        tools.identity = published::hash(&tools.node_modules)?;
        Ok(tools)
    }

    fn in_folder(directory: &Path, identity: String) -> Result<Self, ToolchainError> {
        let node_modules = directory.join("node_modules");
        Ok(Self {
            anvil: binary(&node_modules, "anvil")?,
            forge: binary(&node_modules, "forge")?,
            node_modules,
            identity,
        })
    }
}

/// The SHA-256 of what decides the installation, in hexadecimal.
#[must_use]
pub fn lockfile_hash() -> String {
    let mut hash = Sha256::new();
    for (name, content) in LOCKED {
        hash.update(name);
        hash.update([0]);
        hash.update(content);
    }
    hexadecimal(&hash.finalize())
}

fn hexadecimal(bytes: &[u8]) -> String {
    alloy::hex::encode(bytes)
}

/// The package that carries a tool for the running platform.
fn package(tool: &str) -> Result<String, ToolchainError> {
    let unsupported =
        || ToolchainError::UnsupportedPlatform { system: env::consts::OS, machine: env::consts::ARCH };
    let system = platform_system(env::consts::OS).ok_or_else(unsupported)?;
    let machine = platform_machine(env::consts::ARCH).ok_or_else(unsupported)?;
    Ok(format!("@foundry-rs/{tool}-{system}-{machine}"))
}

/// The binary in that package.
fn binary(node_modules: &Path, tool: &str) -> Result<PathBuf, ToolchainError> {
    let file = format!("{tool}{}", env::consts::EXE_SUFFIX);
    Ok(node_modules.join(package(tool)?).join("bin").join(file))
}

fn platform_system(system: &str) -> Option<&'static str> {
    match system {
        "linux" => Some("linux"),
        "macos" => Some("darwin"),
        "windows" => Some("win32"),
        _ => None,
    }
}

fn platform_machine(machine: &str) -> Option<&'static str> {
    match machine {
        "x86_64" => Some("amd64"),
        "aarch64" => Some("arm64"),
        _ => None,
    }
}

/// Runs the tool and compares what it says of itself with the pinned version.
async fn require_version(path: &Path, tool: &'static str) -> Result<(), ToolchainError> {
    let output = Command::new(path)
        .arg("--version")
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|source| ToolchainError::DoesNotRun { tool, path: path.to_owned(), source })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let first = text.lines().next().unwrap_or_default();
    let found = first.split_whitespace().last().unwrap_or_default();
    // Releases may append a build suffix to the number ("1.7.1-stable").
    if found.split('-').next() == Some(FOUNDRY_VERSION) {
        Ok(())
    } else {
        Err(ToolchainError::WrongVersion {
            tool,
            path: path.to_owned(),
            found: found.to_owned(),
            wanted: FOUNDRY_VERSION,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platform_names_match_packages() {
        let names = ["linux", "macos", "windows", "plan9"].map(platform_system);
        assert_eq!(names, [Some("linux"), Some("darwin"), Some("win32"), None]);
        let machines = ["x86_64", "aarch64", "riscv64"].map(platform_machine);
        assert_eq!(machines, [Some("amd64"), Some("arm64"), None]);
    }

    #[test]
    fn lockfile_pins_required_version() {
        let pins: serde_json::Value = serde_json::from_str(LOCKED[0].1).unwrap();
        let tools = pins["optionalDependencies"].as_object().unwrap();
        assert!(
            tools.keys().any(|name| name.contains("anvil"))
                && tools.keys().any(|name| name.contains("forge"))
        );
        assert!(tools.values().all(|version| version == FOUNDRY_VERSION), "{tools:?}");
    }
}
