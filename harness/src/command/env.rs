//! `slipway env`: the variables of `exec`, for the shell of a user whose platform already runs.
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, test_kill_process};
use serde_json::Value;
use slipway_contracts::toolchain::ToolchainOptions;

use crate::arguments::EnvArguments;
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::output;
use crate::variables::environment;

/// Why there are no variables.
#[derive(Debug, thiserror::Error)]
pub(super) enum EnvError {
    #[error(
        "no `slipway up` of this user runs on the ports from {port} on; start one, or give its ready file"
    )]
    NotRunning { port: u16 },
    #[error("the ready file {path} cannot be read: {source}")]
    Unreadable { path: String, source: std::io::Error },
}

impl Fatal for EnvError {}

pub(super) fn run(arguments: &EnvArguments) -> Result<Exit, CommandError> {
    output::done(&exports(&environment(&described(arguments)?)))
}

/// The ready line that a file has, or that of the platform on the ports.
fn described(arguments: &EnvArguments) -> Result<Value, EnvError> {
    let Some(path) = &arguments.ready_file else { return running(arguments.ports.port) };
    let text = slipway_contracts::read_text(path, slipway_contracts::WRITTEN);
    serde_json::from_str(&text.map_err(|source| unreadable(path, source))?)
        .map_err(|error| unreadable(path, error.into()))
}

/// The ready line of the platform that this user runs on the ports from this one on.
pub(super) fn running(port: u16) -> Result<Value, EnvError> {
    let absent = || EnvError::NotRunning { port };
    let path = ready_file(port).ok_or_else(absent)?;
    let text = slipway_contracts::read_text(&path, slipway_contracts::WRITTEN).map_err(|_| absent())?;
    let ready: Value = serde_json::from_str(&text).map_err(|error| unreadable(&path, error.into()))?;
    if is_alive(&ready["pid"]) { Ok(ready) } else { Err(absent()) }
}

fn unreadable(path: &Path, source: std::io::Error) -> EnvError {
    EnvError::Unreadable { path: path.display().to_string(), source }
}

/// Where `slipway up` stores the ready line of the platform on these ports while it runs; only its user can read it.
pub(super) fn ready_file(port: u16) -> Option<PathBuf> {
    let folder = ToolchainOptions::from_environment().cache_folder()?;
    Some(folder.join("ready").join(format!("{port}.json")))
}

/// Whether the process that wrote a file still exists; a killed one leaves its file behind.
fn is_alive(pid: &Value) -> bool {
    let pid = pid.as_i64().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    pid.is_some_and(|pid| test_kill_process(pid).is_ok())
}

/// Lines that a shell evaluates.
fn exports(variables: &[(String, String)]) -> String {
    let mut text = String::new();
    for (name, value) in variables {
        // Only a text with a zero byte cannot be quoted, and our JSON has none.
        let quoted = shlex::try_quote(value).unwrap_or_default();
        let _ = writeln!(text, "export {name}={quoted}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::exports;

    #[test]
    fn values_are_quoted_for_the_shell() {
        let hostile = "x y'\"$(touch z)`touch z`\\";
        let lines = exports(&[("A".to_owned(), hostile.to_owned()), ("B".to_owned(), "1".to_owned())]);
        assert_eq!(lines.lines().count(), 2, "{lines}");
        let script = "eval \"$0\"; printf %s \"$A$B\"";
        let output = std::process::Command::new("sh").args(["-c", script, &lines]).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{hostile}1"));
    }
}
