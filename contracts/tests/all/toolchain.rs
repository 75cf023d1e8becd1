//! Installing the tools: with npm stubs that fail, stop halfway, or work; and once for real.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

use alloy::primitives::keccak256;
use parking_lot::Mutex;
use slipway_contracts::toolchain::{
    AnvilSource, NpmFailure, Progress, Published, Toolchain, ToolchainError, ToolchainOptions, Version,
    lockfile_hash,
};
use tempfile::TempDir;

use crate::{is_reentered, reenter, script, tools};

/// A separate cache and an npm stub.
struct Stage {
    folder: TempDir,
    options: ToolchainOptions,
}

impl Stage {
    fn new(npm: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let npm = script(folder.path().join("npm"), npm);
        let cache = Some(folder.path().join("cache"));
        Self { options: ToolchainOptions { cache, npm: npm.into(), ..ToolchainOptions::default() }, folder }
    }

    async fn locate(&self) -> Result<Toolchain, ToolchainError> {
        Toolchain::locate(&self.options, &|_| {}).await
    }

    fn toolchains(&self) -> PathBuf {
        self.folder.path().join("cache/toolchains")
    }

    /// The contents of the cache, apart from the lock.
    fn entries(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.toolchains())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "lock")
            .collect();
        names.sort();
        names
    }
}

/// Shell lines that do what a working npm would do, except for the content of the files.
fn unpack(version: &str) -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let machine = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    let folder = Path::new("node_modules");
    let files: Vec<String> = (Published::ALL.iter().map(|contract| contract.file(folder)))
        .map(|path| path.display().to_string())
        .collect();
    format!(
        r#"
        [ "$1 $2" = "ci --ignore-scripts" ] && [ -f package-lock.json ] || exit 64
        for tool in anvil; do
            bin=node_modules/@foundry-rs/$tool-{system}-{machine}/bin
            mkdir -p $bin
            printf '#!/bin/sh\necho "%s Version: {version}"\n' $tool > $bin/$tool
            chmod 755 $bin/$tool
        done
        for file in {files}; do mkdir -p "${{file%/*}}"; echo '{{}}' > $file; done
        "#,
        files = files.join(" ")
    )
}

#[tokio::test]
async fn npm_runs_once() {
    let stage = Stage::new(&format!("echo run >> ../../../runs\n{}", unpack("1.7.1")));
    let seen = Mutex::new(Vec::new());
    let first = Toolchain::locate(&stage.options, &|step| seen.lock().push(step)).await.unwrap();
    assert_eq!(*seen.lock(), [Progress::Installing, Progress::Verifying]);
    let again = ToolchainOptions { offline: true, npm: "no-such-npm".into(), ..stage.options.clone() };
    let second = Toolchain::locate(&again, &|step| panic!("{step:?}")).await.unwrap();
    assert_eq!(first.anvil(), second.anvil());
    assert!(first.anvil().is_file());
    assert_eq!(first.anvil_source(), AnvilSource::Package);
    assert_eq!(first.identity(), lockfile_hash());
    assert_eq!(stage.entries(), [lockfile_hash()]);
    assert_eq!(fs::read_to_string(stage.folder.path().join("runs")).unwrap(), "run\n");
}

#[tokio::test]
async fn concurrent_locates_install_once() {
    let stage = Stage::new(&format!("echo run >> ../../../runs\n{}", unpack("1.7.1")));
    let waited = AtomicUsize::new(0);
    let count = |step| {
        if step == Progress::WaitingForOther {
            waited.fetch_add(1, Ordering::Relaxed);
        }
    };
    let search = || async { Toolchain::locate(&stage.options, &count).await.unwrap() };
    let found = tokio::join!(search(), search(), search(), search());
    assert_eq!(found.0.anvil(), found.3.anvil());
    assert_eq!(waited.load(Ordering::Relaxed), 3);
    assert_eq!(fs::read_to_string(stage.folder.path().join("runs")).unwrap(), "run\n");
    assert_eq!(stage.entries(), [lockfile_hash()]);
}

#[tokio::test]
async fn missing_npm_is_explained() {
    let mut stage = Stage::new("");
    stage.options.npm = "no-such-npm".into();
    let error = stage.locate().await.unwrap_err();
    assert!(matches!(&error, ToolchainError::NpmMissing { npm } if npm == "no-such-npm"), "{error}");
    assert!(error.to_string().contains("SLIPWAY_TOOLCHAIN"));
    assert!(stage.entries().is_empty());
}

#[tokio::test]
async fn offline_runs_nothing() {
    let mut stage = Stage::new("echo run >> ../../../runs");
    stage.options.offline = true;
    let error = stage.locate().await.unwrap_err();
    assert!(matches!(error, ToolchainError::NotInstalledOffline { .. }), "{error}");
    assert!(!stage.toolchains().exists() && !stage.folder.path().join("runs").exists());
}

#[tokio::test]
async fn npm_failures_are_distinguished_and_leave_nothing() {
    let cases = [
        ("ENOTFOUND", NpmFailure::Network),
        ("EINTEGRITY", NpmFailure::Integrity),
        ("EACCES", NpmFailure::Permission),
        ("E404", NpmFailure::Other),
    ];
    for (code, expected) in cases {
        let stage = Stage::new(&format!(
            "mkdir node_modules; echo 'npm error code {code}' >&2; echo 'npm error more words' >&2; exit 1"
        ));
        match stage.locate().await.unwrap_err() {
            ToolchainError::Npm { failure, output } => {
                assert_eq!(failure, expected);
                assert!(output.ends_with("more words"), "{output}");
            }
            other => panic!("{other}"),
        }
        assert!(stage.entries().is_empty());
    }
}

#[tokio::test]
async fn partial_installation_fails() {
    let stage = Stage::new(&format!("{}\nrm -r node_modules/@uniswap/v4-core", unpack("1.7.1")));
    let error = stage.locate().await.unwrap_err();
    assert!(
        matches!(&error, ToolchainError::Incomplete { path } if path.ends_with("PoolManager.json")),
        "{error}"
    );
    assert!(stage.entries().is_empty());
}

#[tokio::test]
async fn anvil_version_mismatch_fails() {
    let stage = Stage::new(&unpack("1.6.0"));
    let refused = |error: ToolchainError| match error {
        ToolchainError::WrongVersion { tool, found, wanted, .. } => {
            assert_eq!((tool, &*found, wanted), ("anvil", "1.6.0", "1.7.1"));
        }
        other => panic!("{other}"),
    };
    refused(stage.locate().await.unwrap_err());
    assert!(stage.entries().is_empty());

    let mut given = Stage::new(&unpack("1.7.1"));
    for old in ["1.4.4", "0.2.0", "of no version"] {
        given.options.anvil =
            Some(script(given.folder.path().join(old), &format!("echo anvil Version: {old}-stable")));
        let error = given.locate().await.unwrap_err();
        assert!(matches!(error, ToolchainError::OldAnvil { .. }), "{error}");
        for part in [old, "1.5.1", "1.7.1", "ANVIL"] {
            assert!(error.to_string().contains(part), "{part} is missing in {error}");
        }
    }
    for inside in ["1.5.1", "1.6.0-rc1", "1.7.1-stable"] {
        given.options.anvil =
            Some(script(given.folder.path().join(inside), &format!("echo anvil Version: {inside}")));
        let found = given.locate().await.unwrap();
        assert!(found.anvil().ends_with(inside));
        assert_eq!((found.anvil_source(), found.untested_anvil()), (AnvilSource::Given, None));
    }
    for new in [[1, 7, 2], [1, 10, 0], [2, 0, 0]].map(Version) {
        let anvil = given.folder.path().join(new.to_string());
        given.options.anvil = Some(script(anvil, &format!("echo anvil Version: {new}-stable")));
        assert_eq!(given.locate().await.unwrap().untested_anvil(), Some(new));
    }
    given.options.anvil = Some(given.folder.path().join("absent"));
    let error = given.locate().await.unwrap_err();
    assert!(matches!(error, ToolchainError::DoesNotRun { tool: "anvil", .. }), "{error}");
}

/// If the registry has no anvil for this system, one on the search path is used unless it is older than the tested ones.
#[tokio::test]
async fn anvil_on_the_search_path_is_the_last_resort() {
    let mut stage = Stage::new(&format!("{}\nrm -r node_modules/@foundry-rs", unpack("1.7.1")));
    let error = stage.locate().await.unwrap_err();
    assert!(matches!(error, ToolchainError::AnvilMissing), "{error}");
    let folder = stage.folder.path().join("bin");
    fs::create_dir(&folder).unwrap();
    stage.options.search_path = folder.clone().into();
    script(folder.join("anvil"), "echo anvil Version: 1.4.4");
    let error = stage.locate().await.unwrap_err();
    assert!(matches!(error, ToolchainError::OldAnvil { .. }), "{error}");
    script(folder.join("anvil"), "echo anvil Version: 1.6.0");
    let found = stage.locate().await.unwrap();
    assert_eq!((found.anvil(), found.anvil_source()), (&*folder.join("anvil"), AnvilSource::SearchPath));
}

/// With the published artifacts, neither npm nor the registry is needed.
#[tokio::test]
async fn given_folder_is_used_and_checked() {
    let made = Stage::new(&unpack("1.7.1"));
    let folder = made.locate().await.unwrap().node_modules().parent().unwrap().to_owned();
    let mut stage = Stage::new("exit 1");
    stage.options.directory = Some(folder.clone());
    let given = stage.locate().await.unwrap();
    assert_eq!(given.node_modules(), folder.join("node_modules"));
    assert_ne!(given.identity(), lockfile_hash());
    stage.options.directory = Some(stage.folder.path().to_owned());
    let error = stage.locate().await.unwrap_err();
    assert!(matches!(error, ToolchainError::NoTools { .. }), "{error}");
    fs::create_dir(stage.folder.path().join("node_modules")).unwrap();
    let error = stage.locate().await.unwrap_err();
    assert!(matches!(error, ToolchainError::Incomplete { .. }), "{error}");
}

#[tokio::test]
async fn exported_toolchain_serves_without_npm_and_without_cache() {
    let stage = Stage::new(&unpack("1.7.1"));
    let made = stage.locate().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    made.export(folder.path()).unwrap();
    let elsewhere = ToolchainOptions {
        directory: Some(folder.path().to_owned()),
        npm: "no-such-npm".into(),
        offline: true,
        ..ToolchainOptions::default()
    };
    let found = Toolchain::locate(&elsewhere, &|step| panic!("{step:?}")).await.unwrap();
    assert!(found.anvil().starts_with(folder.path()));
    assert_eq!(found.anvil_source(), AnvilSource::Package);
    // Again into the same folder, which the variable names: a file that is copied onto itself stays.
    let anvil = fs::read(found.anvil()).unwrap();
    assert!(!anvil.is_empty());
    found.export(folder.path()).unwrap();
    assert_eq!(fs::read(found.anvil()).unwrap(), anvil);
    let again = Toolchain::locate(&elsewhere, &|step| panic!("{step:?}")).await.unwrap();
    assert_eq!(again.identity(), found.identity());
}

#[tokio::test]
async fn invalid_cache_folder_is_named() {
    let mut stage = Stage::new("");
    let file = stage.folder.path().join("npm");
    stage.options.cache = Some(file.clone());
    let error = stage.locate().await.unwrap_err();
    assert!(error.to_string().contains(&*file.to_string_lossy()), "{error}");
}

/// An installer is killed in the middle of npm's work; the next one cleans up and succeeds.
#[tokio::test]
async fn killed_installation_is_recovered() {
    if is_reentered() {
        return be_an_installer().await;
    }
    let stage = Stage::new("mkdir node_modules; read -r _ < ../../../fifo");
    let fifo = stage.folder.path().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let mut installer = reenter("toolchain::killed_installation_is_recovered")
        .env("STUB_CACHE", stage.options.cache.as_ref().unwrap())
        .env("STUB_NPM", &stage.options.npm)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The open succeeds only when npm's stub has reached its `read`.
    let held = fs::OpenOptions::new().write(true).open(&fifo).unwrap();
    let unfinished = stage.entries();
    assert!(unfinished.len() == 1 && unfinished[0].starts_with("unfinished-"), "{unfinished:?}");
    installer.kill().unwrap();
    installer.wait().unwrap();
    drop(held);
    script(stage.folder.path().join("npm"), &unpack("1.7.1"));
    stage.locate().await.unwrap();
    assert_eq!(stage.entries(), [lockfile_hash()]);
}

/// The work of the process until it is killed.
async fn be_an_installer() {
    let cache = std::env::var_os("STUB_CACHE").map(PathBuf::from);
    let npm = std::env::var_os("STUB_NPM").unwrap();
    let options = ToolchainOptions { cache, npm, ..ToolchainOptions::default() };
    Toolchain::locate(&options, &|_| {}).await.unwrap();
}

#[tokio::test]
async fn published_code_parses() {
    let tools = tools().await;
    for contract in Published::ALL {
        let code = tools.published(contract).unwrap();
        assert!(code.runtime.len() > 1_000, "{contract:?}");
        assert!(code.runtime.len() <= 24_576, "{contract:?} is too large to deploy");
        assert_eq!(code.creation.is_empty(), contract == Published::Permit2, "{contract:?}");
    }
    // The router computes the addresses of pairs from a hash that is part of its code.
    let pair = tools.published(Published::UniswapV2Pair).unwrap().creation;
    let router = tools.published(Published::UniswapV2Router02).unwrap().runtime;
    let factory = tools.published(Published::UniswapV2Factory).unwrap().runtime;
    let contains = |code: &[u8], part: &[u8]| code.windows(part.len()).any(|window| window == part);
    assert!(contains(&router, keccak256(&pair).as_slice()));
    assert!(contains(&factory, &pair));
}
