//! Makes the packages of slipway for the system it runs on, and prepares releases. Equal inputs give equal packages,
//! except for the image: anvil writes the blocks of its state in no fixed order.
use std::env::{self, consts};
use std::error::Error;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fs_err as fs;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

mod image;
mod mcp;
mod notices;
mod npm;
mod pack;
pub mod release;
mod wheel;

/// Why a package could not be made.
pub type Failure = Box<dyn Error>;
type Result<T> = std::result::Result<T, Failure>;

/// A kind of package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// The program with completions and manual pages, and its bill of materials.
    Archive,
    /// The program for npm: one package for every system, and one for this system.
    Npm,
    /// The npm package of quotes in WebAssembly, for every system.
    Quotes,
    /// The program as a Python wheel.
    Wheel,
    /// A bundle for desktop clients, and the entry of a registry of tool servers.
    Mcp,
    /// A container image with a seeded platform.
    Image,
}

/// The names of a system in several registries.
struct System {
    /// In Rust.
    target: &'static str,
    /// The operating system in npm.
    os: &'static str,
    /// The processor in npm.
    cpu: &'static str,
    /// In Python; on Linux without the version of the C library.
    tag: &'static str,
}

impl System {
    fn current() -> Result<Self> {
        let (target, os, cpu, tag) = match (consts::OS, consts::ARCH) {
            ("linux", "x86_64") => ("x86_64-unknown-linux-gnu", "linux", "x64", "manylinux-x86_64"),
            ("linux", "aarch64") => ("aarch64-unknown-linux-gnu", "linux", "arm64", "manylinux-aarch64"),
            ("macos", "x86_64") => ("x86_64-apple-darwin", "darwin", "x64", "macosx_10_12_x86_64"),
            ("macos", "aarch64") => ("aarch64-apple-darwin", "darwin", "arm64", "macosx_11_0_arm64"),
            (os, cpu) => {
                let only = "packages are made on Linux and macOS, on x86-64 and arm64";
                return Err(format!("{only}, not on {os} on {cpu}").into());
            }
        };
        Ok(Self { target, os, cpu, tag })
    }

    /// The name used in file names.
    fn name(&self) -> String {
        format!("{}-{}", self.os, self.cpu)
    }
}

struct Sources {
    root: PathBuf,
    system: System,
    binary: PathBuf,
    version: String,
    /// The texts of licences.
    notices: PathBuf,
    bill: PathBuf,
    /// The modification time of every file, in Unix seconds.
    epoch: i64,
    work: TempDir,
    out: PathBuf,
}

/// Makes packages, by default all for this system, and returns the checksums of all files in the folder. Without a program, `cargo` builds
/// one if a package contains it.
///
/// # Errors
/// If something is missing or a command fails.
pub fn make(out: &Path, binary: Option<&Path>, parts: &[Part]) -> Result<String> {
    let mut every = vec![Part::Archive, Part::Npm, Part::Quotes, Part::Wheel, Part::Mcp];
    if consts::OS == "linux" {
        every.push(Part::Image);
    }
    let parts = if parts.is_empty() { &every } else { parts };
    let sources = Sources::prepare(out, binary, parts)?;
    for part in parts {
        match part {
            Part::Archive => archive(&sources)?,
            Part::Npm => npm::command(&sources)?,
            Part::Quotes => npm::quotes(&sources)?,
            Part::Wheel => wheel::make(&sources)?,
            Part::Mcp => mcp::make(&sources)?,
            Part::Image => image::make(&sources)?,
        }
    }
    release::checksums(out)
}

impl Sources {
    fn prepare(out: &Path, binary: Option<&Path>, parts: &[Part]) -> Result<Self> {
        let system = System::current()?;
        let root = fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))?;
        let epoch = env::var("SOURCE_DATE_EPOCH").map_or(Ok(0), |seconds| seconds.parse())?;
        let work = tempfile::tempdir()?;
        let (notices, bill) = (work.path().join("THIRD-PARTY.txt"), work.path().join("bill.spdx.json"));
        let (program, mut version) = (work.path().join("slipway"), env!("CARGO_PKG_VERSION").to_owned());
        // The quotes have a build of their own.
        if parts.iter().any(|part| *part != Part::Quotes) {
            let given = match binary {
                Some(binary) => binary.to_owned(),
                None => built(&root)?,
            };
            fs::copy(given, &program)?;
            // Symbols are for debuggers; without `strip` the package is only larger.
            drop(Command::new("strip").arg(&program).stderr(Stdio::null()).status());
            permit(&program, 0o755)?;
            let said = output(Command::new(&program).arg("--version"))?;
            said.trim().trim_start_matches("slipway ").clone_into(&mut version);
            notices::write(&root, system.target, "slipway-cli", epoch, &notices, &bill)?;
        }
        fs::create_dir_all(out)?;
        Ok(Self { root, system, binary: program, version, notices, bill, epoch, work, out: out.to_owned() })
    }

    /// Creates a folder for the content of a package.
    fn stage(&self, name: &str) -> Result<PathBuf> {
        let folder = self.work.path().join("stages").join(name);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    fn licences(&self, folder: &Path) -> Result<()> {
        for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
            fs::copy(self.root.join(name), folder.join(name))?;
        }
        Ok(())
    }

    /// A file next to this crate's manifest.
    fn template(&self, name: &str) -> PathBuf {
        self.root.join("harness/packages").join(name)
    }
}

fn archive(sources: &Sources) -> Result<()> {
    let name = format!("slipway-{}-{}", sources.version, sources.system.target);
    fs::copy(&sources.bill, sources.out.join(format!("{name}.spdx.json")))?;
    let folder = sources.stage(&name)?;
    sources.licences(&folder)?;
    fs::copy(&sources.notices, folder.join("THIRD-PARTY.txt"))?;
    fs::copy(&sources.binary, folder.join("slipway"))?;
    fs::copy(sources.root.join("README.md"), folder.join("README.md"))?;
    fs::create_dir(folder.join("completions"))?;
    for (shell, file) in [("bash", "slipway.bash"), ("zsh", "_slipway"), ("fish", "slipway.fish")] {
        let script = output(Command::new(&sources.binary).args(["completions", shell]))?;
        fs::write(folder.join("completions").join(file), script)?;
    }
    fs::create_dir(folder.join("man"))?;
    output(Command::new(&sources.binary).arg("man").arg(folder.join("man")))?;
    pack::tar_gz(&folder, &name, sources.epoch, &sources.out.join(format!("{name}.tar.gz")))
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// The target folder of `cargo`.
fn target_folder(root: &Path) -> Result<PathBuf> {
    let described = output(cargo(root).args(["metadata", "--no-deps", "--format-version", "1", "--locked"]))?;
    let described: Value = serde_json::from_str(&described)?;
    Ok(described["target_directory"].as_str().ok_or("cargo names no target folder")?.into())
}

/// Builds the program from this commit.
fn built(root: &Path) -> Result<PathBuf> {
    // Capabilities report it as the build.
    let commit =
        output(Command::new("git").args(["rev-parse", "HEAD"]).current_dir(root)).unwrap_or_default();
    let mut build = cargo(root);
    build.args(["build", "--release", "--locked", "-p", "slipway-cli"]).env("SLIPWAY_COMMIT", commit.trim());
    output(&mut build)?;
    Ok(target_folder(root)?.join("release/slipway"))
}

/// The standard output of a command; its errors stay visible.
fn output(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?} ends with {}", output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn permit(path: &Path, mode: u32) -> Result<()> {
    Ok(fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?)
}

fn sha256(path: &Path) -> Result<String> {
    let mut digest = Sha256::new();
    std::io::copy(&mut fs::File::open(path)?, &mut digest)?;
    Ok(format!("{:x}", digest.finalize()))
}
