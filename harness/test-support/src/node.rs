//! Node.js for tests: the machine's or, if that is missing or too old, the pinned npm package.
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::thread;

use slipway_contracts::toolchain::{Tool, ToolchainOptions, pinned_node};
use tokio::runtime::Runtime;

use crate::need::one_line;

/// The folder of the pinned programs if the machine's Node.js is insufficient; an error says why there is none.
pub(crate) fn folder() -> &'static Result<Option<PathBuf>, String> {
    static FOLDER: OnceLock<Result<Option<PathBuf>, String>> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let Err(reason) = Tool::Node.probe() else { return Ok(None) };
        // A separate thread, because the caller may be in a runtime already.
        let install = || Runtime::new().unwrap().block_on(pinned_node(&ToolchainOptions::from_environment()));
        let fetched = thread::spawn(install).join().unwrap();
        fetched.map(Some).map_err(|error| format!("{reason}, and none was fetched: {}", one_line(&error)))
    })
}

/// `PATH` for programs that run Node.js.
pub fn node_path() -> OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    match folder() {
        Ok(Some(folder)) => {
            env::join_paths([folder.clone()].into_iter().chain(env::split_paths(&path))).unwrap()
        }
        _ => path,
    }
}

/// `node`, `npm` or `npx`, for a test that needs [`Tool::Node`].
pub fn node(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env("PATH", node_path());
    command
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// The download for machines with an old Node.js also works on this one.
    #[tokio::test]
    async fn the_pinned_node_runs_with_its_npm() {
        let folder = pinned_node(&ToolchainOptions::from_environment()).await.unwrap();
        for (program, version) in [("node", "v22."), ("npm", "10."), ("npx", "10.")] {
            let path = format!("{}:/usr/bin:/bin", folder.display());
            let output = Command::new(program).arg("--version").env("PATH", path).output().unwrap();
            let said = String::from_utf8(output.stdout).unwrap();
            assert!(said.starts_with(version), "{program} {said}");
        }
    }
}
