//! Installs the tools of a language once into the target folder, and runs programs with them.
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use slipway_test_support::node_path;

use crate::program::succeeds;

pub(crate) const SLIPWAY: &str = env!("CARGO_BIN_EXE_slipway");

/// A file or folder of this crate.
pub(crate) fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Runs a command to success, with the program under test and the Node tools in the environment.
pub(crate) fn succeed(command: &mut Command) -> Output {
    if !command.get_envs().any(|(name, _)| name == "PATH") {
        command.env("PATH", node_path());
    }
    succeeds(command.env("SLIPWAY_BIN", SLIPWAY))
}

/// Compiles TypeScript strictly with this `--module` and further arguments.
pub(crate) fn compiles(folder: &Path, module: &str, arguments: &[&str]) {
    let mut compile = Command::new("npx");
    compile.args(["tsc", "--strict", "--skipLibCheck", "--target", "es2022", "--module", module]);
    succeed(compile.args(arguments).current_dir(folder));
}

/// Standard output of `slipway`.
pub(crate) fn slipway(arguments: &[&str]) -> String {
    String::from_utf8(succeed(Command::new(SLIPWAY).args(arguments)).stdout).unwrap()
}

/// A folder with the packages of a folder's lockfile, and copies of the folder's files next to them.
pub(crate) fn npm_folder(from: &str) -> PathBuf {
    let source = source(from);
    let lock = fs::read_to_string(source.join("package-lock.json")).unwrap();
    installed(&format!("npm-{}", from.replace('/', "-")), &lock, Some(&source), |folder| {
        succeed(
            Command::new("npm")
                .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
                .current_dir(folder),
        );
    })
}

/// The Python program of an environment with the packages of a requirements file.
pub(crate) fn python(requirements: &str) -> PathBuf {
    let source = source(requirements);
    let lock = fs::read_to_string(&source).unwrap();
    let name = format!("python-{}", requirements.replace('/', "-"));
    let folder = installed(&name, &lock, source.parent(), |folder| {
        succeed(Command::new("python3").args(["-m", "venv", "venv"]).current_dir(folder));
        // Most modules are never imported, so none is compiled ahead.
        let pip = ["-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check", "-r"];
        succeed(Command::new(folder.join("venv/bin/python")).args(pip).arg(&source).current_dir(folder));
    });
    folder.join("venv/bin/python")
}

/// A folder in the target folder with copies of another folder's files, and with packages that are reinstalled when the lock changes. One
/// process installs, others wait.
pub(crate) fn installed(
    name: &str,
    lock: &str,
    source: Option<&Path>,
    install: impl FnOnce(&Path),
) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let guard = File::create(folder.with_extension("lock")).unwrap();
    guard.lock().unwrap();
    let stamp = folder.join("installed.stamp");
    let is_installed = fs::read_to_string(&stamp).is_ok_and(|known| known == lock);
    if !is_installed {
        // The folder may not exist yet.
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).unwrap();
    }
    if let Some(source) = source {
        copy(source, &folder);
    }
    if !is_installed {
        install(&folder);
        fs::write(stamp, lock).unwrap();
    }
    folder
}

/// Copies the files and folders of a folder, except for installed packages.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_file() {
            let content = fs::read(entry.path()).unwrap();
            if fs::read(&target).ok().as_ref() != Some(&content) {
                fs::write(target, content).unwrap();
            }
        } else if !["node_modules", "venv", "__pycache__"].iter().any(|name| entry.file_name() == *name) {
            copy(&entry.path(), &target);
        }
    }
}
