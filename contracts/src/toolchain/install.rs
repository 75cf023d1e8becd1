//! One installation per lockfile in the user's cache: made beside its place, checked, then renamed into it. Leaves out what the tools are for.

use std::env;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tempfile::TempDir;
use tokio::process::Command;
use tokio::time::{MissedTickBehavior, interval};

use super::{
    LOCKED, NpmFailure, Progress, Published, PublishedFile, ToolchainError, ToolchainOptions, binary,
    lockfile_hash, package, require_version,
};

/// Begins the name of a folder in which an installation is being made.
const UNFINISHED: &str = "unfinished-";
/// How often a waiting process looks whether the other one has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// How many lines of npm's words an error repeats; the reason stands first, and advice on npm's usage follows.
const FIRST_LINES: usize = 12;

/// The folder of the finished installation, which is made when it is absent.
pub(super) async fn installed(
    options: &ToolchainOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<PathBuf, ToolchainError> {
    let parent = toolchains_folder(options)?;
    let place = parent.join(lockfile_hash());
    if place.is_dir() {
        return Ok(place);
    }
    if options.anvil.is_none() && !is_pinned("anvil") {
        return Err(ToolchainError::UnsupportedPlatform {
            system: env::consts::OS,
            machine: env::consts::ARCH,
        });
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
    let work = make(options, &parent, progress).await?;
    let made = work.keep();
    fs::rename(&made, &place).map_err(|source| ToolchainError::file(&place, source))?;
    tracing::info!(path = %place.display(), "chain tools installed");
    Ok(place)
}

fn toolchains_folder(options: &ToolchainOptions) -> Result<PathBuf, ToolchainError> {
    let cache = options.cache_folder().ok_or(ToolchainError::NoCacheFolder)?;
    Ok(cache.join("toolchains"))
}

/// The lock that lets one process install at a time; the system releases it when its holder ends, however it ends.
async fn exclusive(path: &Path, progress: &(dyn Fn(Progress) + Sync)) -> Result<File, ToolchainError> {
    let file = File::create(path).map_err(|source| ToolchainError::file(path, source))?;
    let mut ticks = interval(LOOK_AGAIN);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if !told => {
                told = true;
                progress(Progress::WaitingForOther);
            }
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(source)) => return Err(ToolchainError::file(path, source)),
        }
        ticks.tick().await;
    }
}

/// Removes what an installer left that was killed. Only the holder of the lock installs, so nobody works in these folders.
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

/// Makes a complete installation in a folder of its own; the folder vanishes when that fails.
async fn make(
    options: &ToolchainOptions,
    parent: &Path,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<TempDir, ToolchainError> {
    let work = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempdir_in(parent)
        .map_err(|source| ToolchainError::file(parent, source))?;
    for (name, content) in LOCKED {
        let path = work.path().join(name);
        fs::write(&path, content).map_err(|source| ToolchainError::file(path, source))?;
    }
    progress(Progress::Installing);
    run_npm(options, work.path()).await?;
    progress(Progress::Verifying);
    let node_modules = work.path().join("node_modules");
    require_published(&node_modules)?;
    for tool in ["anvil", "forge"].into_iter().filter(|tool| is_pinned(tool)) {
        require_version(&require_file(binary(&node_modules, tool)?)?, tool).await?;
    }
    Ok(work)
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

/// Whether the lockfile carries this tool for the running platform.
fn is_pinned(tool: &str) -> bool {
    let [_, (_, lockfile), _] = LOCKED;
    package(tool).is_ok_and(|package| lockfile.contains(&format!("\"node_modules/{package}\"")))
}

/// Every published contract and file must be there.
pub(super) fn require_published(node_modules: &Path) -> Result<(), ToolchainError> {
    let contracts = Published::ALL.into_iter().map(|contract| contract.file(node_modules));
    let files = PublishedFile::ALL.into_iter().map(|file| file.path(node_modules));
    contracts.chain(files).try_for_each(|path| require_file(path).map(drop))
}

fn require_file(path: PathBuf) -> Result<PathBuf, ToolchainError> {
    if path.is_file() { Ok(path) } else { Err(ToolchainError::Incomplete { path }) }
}
