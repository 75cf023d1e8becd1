//! Where to look for the tools, under which names, and the progress that a search reports.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use super::error::ToolchainError;

/// The version of anvil and forge that the lockfiles pin.
pub const FOUNDRY_VERSION: &str = "1.7.1";

/// Environment variable: path of the anvil binary to use.
pub const ANVIL_VARIABLE: &str = "ANVIL";
/// Environment variable: folder that holds a ready `node_modules`.
pub const TOOLCHAIN_VARIABLE: &str = "SLIPWAY_TOOLCHAIN";

/// Where to look for the tools, and whether they may be installed.
#[derive(Clone, Debug)]
pub struct ToolchainOptions {
    /// Folder of caches; by default the platform's per-user one.
    pub cache: Option<PathBuf>,
    /// Path of the anvil binary, instead of the installed one.
    pub anvil: Option<PathBuf>,
    /// Folders to search for anvil if it is neither given nor installed, in the format of the variable `PATH`.
    pub search_path: OsString,
    /// Folder that holds a ready `node_modules` with the published contracts, instead of an installation.
    pub directory: Option<PathBuf>,
    /// Never use the network.
    pub offline: bool,
    /// The npm to install with.
    pub npm: OsString,
}

impl Default for ToolchainOptions {
    fn default() -> Self {
        Self {
            cache: None,
            anvil: None,
            search_path: OsString::new(),
            directory: None,
            offline: false,
            npm: OsString::from("npm"),
        }
    }
}

impl ToolchainOptions {
    /// Folder of everything that this user's platforms keep between runs; `None` if the system has no such folder.
    #[must_use]
    pub fn cache_folder(&self) -> Option<PathBuf> {
        let of_user = || Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("slipway"));
        self.cache.clone().or_else(of_user)
    }

    /// The defaults, with the paths from the environment ([`ANVIL_VARIABLE`], [`TOOLCHAIN_VARIABLE`], `PATH`).
    #[must_use]
    pub fn from_environment() -> Self {
        let path = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self {
            anvil: path(ANVIL_VARIABLE),
            search_path: env::var_os("PATH").unwrap_or_default(),
            directory: path(TOOLCHAIN_VARIABLE),
            ..Self::default()
        }
    }
}

/// Progress of a search for the tools, for a waiting user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Another process is installing; this one waits for it.
    WaitingForOther,
    /// Packages are being fetched and unpacked.
    Installing,
    /// The unpacked files are being checked.
    Verifying,
}

/// The first file with this name in the folders of a search path in the format of the variable `PATH`.
#[must_use]
pub fn program(search_path: &OsStr, name: &str) -> Option<PathBuf> {
    env::split_paths(search_path).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// The package that contains a tool for the running platform.
pub(super) fn package(tool: &str) -> Result<String, ToolchainError> {
    let unsupported =
        || ToolchainError::UnsupportedPlatform { system: env::consts::OS, machine: env::consts::ARCH };
    let system = platform_system(env::consts::OS).ok_or_else(unsupported)?;
    let machine = platform_machine(env::consts::ARCH).ok_or_else(unsupported)?;
    Ok(format!("@foundry-rs/{tool}-{system}-{machine}"))
}

/// The binary in that package.
pub(super) fn binary(node_modules: &Path, tool: &str) -> Result<PathBuf, ToolchainError> {
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
}
