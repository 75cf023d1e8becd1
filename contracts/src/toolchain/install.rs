//! One installation per lockfile in the user's cache: made next to its final place, checked, then renamed. Leaves out what the tools are for.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use alloy::hex;
use tempfile::TempDir;
use tokio::process::Command;
use tokio::time::{MissedTickBehavior, interval};

use sha2::{Digest, Sha256};

use super::anvil::require_pinned;
use super::error::{NpmFailure, ToolchainError};
use super::options::{FOUNDRY_VERSION, Progress, ToolchainOptions, binary, package};
use super::published::Published;

/// Name prefix of a folder in which an installation is being made.
const UNFINISHED: &str = "unfinished-";
/// How often a waiting process checks whether the other one has finished.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// Maximum lines of npm's output in an error; the reason comes first, and advice on npm's usage follows.
const FIRST_LINES: usize = 12;

/// A group of tools installed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The tools of a platform: the published contracts, and anvil if npm has it for the system.
    Run,
    /// The tools of tests: the compiler, and forge if it is pinned for the system.
    Tests,
    /// The browser for tests.
    Browser,
    /// Node.js for tests, with its npm.
    Node,
}

/// The files that determine one installation.
#[derive(Debug)]
pub(super) struct Pinned {
    pub(super) part: Part,
    /// Names and contents: the package, its lockfile, and the settings of npm.
    pub(super) files: &'static [(&'static str, &'static str)],
}

impl Pinned {
    /// The SHA-256 over them, in hexadecimal.
    pub(super) fn hash(&self) -> String {
        let mut hash = Sha256::new();
        for (name, content) in self.files {
            hash.update(name);
            hash.update([0]);
            hash.update(content);
        }
        hex::encode(hash.finalize())
    }

    /// Whether the lockfile contains this tool for the running platform.
    fn has(&self, tool: &str) -> bool {
        let lockfile =
            self.files.iter().find(|(name, _)| *name == "package-lock.json").map_or("", |(_, text)| text);
        package(tool).is_ok_and(|package| lockfile.contains(&format!("\"node_modules/{package}\"")))
    }

    /// Checks an installation before it is used, and unpacks the browser.
    async fn verify(&self, folder: &Path) -> Result<(), ToolchainError> {
        let node_modules = folder.join("node_modules");
        match self.part {
            Part::Run => {
                require_published(&node_modules)?;
                match binary(&node_modules, "anvil") {
                    Ok(anvil) if anvil.is_file() => require_pinned(&anvil, "anvil", FOUNDRY_VERSION).await,
                    _ => Ok(()),
                }
            }
            Part::Tests => {
                require_file(node_modules.join("solc/soljson.js"))?;
                if self.has("forge") {
                    let forge = require_file(binary(&node_modules, "forge")?)?;
                    require_pinned(&forge, "forge", FOUNDRY_VERSION).await?;
                }
                Ok(())
            }
            Part::Browser => {
                unpack_browser(folder).await?;
                require_file(folder.join("browser/chromium")).map(drop)
            }
            Part::Node => {
                let mut programs = ["node", "npm", "npx"].iter();
                programs.try_for_each(|name| require_file(node_modules.join(".bin").join(name)).map(drop))
            }
        }
    }
}

async fn unpack_browser(folder: &Path) -> Result<(), ToolchainError> {
    let mut unpack = Command::new("node");
    unpack.arg("unpack.cjs").current_dir(folder).stdin(Stdio::null()).kill_on_drop(true);
    let output = unpack.output().await.map_err(|source| ToolchainError::file("node", source))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(ToolchainError::file(folder, std::io::Error::other(words)));
    }
    Ok(())
}

/// The folder of the finished installation; installs it if it is absent.
pub(super) async fn installed(
    pinned: &Pinned,
    options: &ToolchainOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<PathBuf, ToolchainError> {
    let parent = toolchains_folder(options)?;
    let place = parent.join(pinned.hash());
    if place.is_dir() {
        return Ok(place);
    }
    if options.offline {
        return Err(ToolchainError::NotInstalledOffline { path: place });
    }
    fs::create_dir_all(&parent).map_err(|source| ToolchainError::file(&parent, source))?;
    let _lock = exclusive(&parent.join("lock"), progress).await?;
    if place.is_dir() {
        return Ok(place);
    }
    remove_unfinished(&parent)?;
    let work = make(pinned, options, &parent, progress).await?;
    let made = work.keep();
    fs::rename(&made, &place).map_err(|source| ToolchainError::file(&place, source))?;
    tracing::info!(path = %place.display(), "chain tools installed");
    Ok(place)
}

fn toolchains_folder(options: &ToolchainOptions) -> Result<PathBuf, ToolchainError> {
    let cache = options.cache_folder().ok_or(ToolchainError::NoCacheFolder)?;
    Ok(cache.join("toolchains"))
}

/// The lock that lets one process install at a time; the system releases it when the holder exits, however it exits.
async fn exclusive(path: &Path, progress: &(dyn Fn(Progress) + Sync)) -> Result<File, ToolchainError> {
    let file = File::create(path).map_err(|source| ToolchainError::file(path, source))?;
    let mut ticks = interval(LOOK_AGAIN);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut announced = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if !announced => {
                announced = true;
                progress(Progress::WaitingForOther);
            }
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(source)) => return Err(ToolchainError::file(path, source)),
        }
        ticks.tick().await;
    }
}

/// Removes the leftovers of killed installers. Only the holder of the lock installs, so these folders are not in use.
fn remove_unfinished(parent: &Path) -> Result<(), ToolchainError> {
    let entries = fs::read_dir(parent).map_err(|source| ToolchainError::file(parent, source))?;
    for entry in entries {
        let entry = entry.map_err(|source| ToolchainError::file(parent, source))?;
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            tracing::info!(path = %entry.path().display(), "removing an unfinished installation");
            fs::remove_dir_all(entry.path()).map_err(|source| ToolchainError::file(entry.path(), source))?;
        }
    }
    Ok(())
}

/// Makes a complete installation in a new folder, which is removed on failure.
async fn make(
    pinned: &Pinned,
    options: &ToolchainOptions,
    parent: &Path,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<TempDir, ToolchainError> {
    let work = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempdir_in(parent)
        .map_err(|source| ToolchainError::file(parent, source))?;
    for (name, content) in pinned.files {
        let path = work.path().join(name);
        let content =
            if *name == "package-lock.json" { without_engines(content) } else { (*content).to_owned() };
        fs::write(&path, content).map_err(|source| ToolchainError::file(path, source))?;
    }
    progress(Progress::Installing);
    run_npm(options, work.path()).await?;
    progress(Progress::Verifying);
    pinned.verify(work.path()).await?;
    Ok(work)
}

/// A lockfile for every version of Node: npm skips optional packages that require a newer one, although their programs do not need Node.
pub(super) fn without_engines(lockfile: &str) -> String {
    let Ok(mut lock) = serde_json::from_str::<serde_json::Value>(lockfile) else {
        return lockfile.to_owned();
    };
    if let Some(packages) = lock["packages"].as_object_mut() {
        for package in packages.values_mut().filter_map(serde_json::Value::as_object_mut) {
            package.remove("engines");
        }
    }
    lock.to_string()
}

async fn run_npm(options: &ToolchainOptions, folder: &Path) -> Result<(), ToolchainError> {
    let output = Command::new(&options.npm)
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => {
                ToolchainError::NpmMissing { npm: options.npm.to_string_lossy().into_owned() }
            }
            _ => ToolchainError::file(PathBuf::from(&options.npm), source),
        })?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let says_something = |line: &&str| !line.starts_with("npm warn") && *line != "npm error";
    let first: Vec<&str> = words.lines().filter(says_something).take(FIRST_LINES).collect();
    Err(ToolchainError::Npm { failure: NpmFailure::from_output(&words), output: first.join("\n") })
}

/// Checks that every published contract is present.
pub(super) fn require_published(node_modules: &Path) -> Result<(), ToolchainError> {
    Published::ALL.into_iter().try_for_each(|contract| require_file(contract.file(node_modules)).map(drop))
}

fn require_file(path: PathBuf) -> Result<PathBuf, ToolchainError> {
    if path.is_file() { Ok(path) } else { Err(ToolchainError::Incomplete { path }) }
}
