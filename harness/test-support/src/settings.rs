//! Settings that differ most from the one that other tests check. A platform is checked in each by its addresses, with all options:
//! everything must be green.
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;
use tempfile::NamedTempFile;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::database::Server;
use crate::relay::spread;
use crate::up::{Up, external_options};

/// Checks that leave launches, trades, bids, messages, images and registrations behind.
const USING: [&str; 5] = ["CH-*", "EOTI-*", "CHAT-*", "UP-*", "REF-*"];

/// A setting of a platform.
#[derive(Clone, Copy, Debug)]
pub enum Setting {
    /// `--no-control`.
    NoControl,
    /// `--state DIR` of a platform already used by checks, with `--clock running`.
    UsedState,
    /// Four processes over one database, behind proxies that hand each request to the next process.
    Spread,
}

impl Setting {
    /// Starts a platform in this setting and checks it; an error lists everything that was not green.
    pub async fn check(self, program: &Path) -> Result<(), String> {
        match self {
            Self::NoControl => Up::start(program, &["--no-control"]).check().await,
            Self::UsedState => {
                let folder = tempfile::tempdir().unwrap();
                let state = ["--state", folder.path().to_str().unwrap()];
                let used = [&state[..], &["--clock", "running"]].concat();
                Up::start(program, &used).checks(&USING).await?;
                Up::start(program, &state).check().await
            }
            Self::Spread => check_spread(program).await,
        }
    }
}

/// Checks four processes over one database behind proxies that spread the requests over all of them.
async fn check_spread(program: &Path) -> Result<(), String> {
    let database = Server::start().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ready.json");
    let (url, file) = (database.url(), file.to_str().unwrap());
    let listeners =
        [TcpListener::bind("127.0.0.1:0").await.unwrap(), TcpListener::bind("127.0.0.1:0").await.unwrap()];
    let origins = listeners.each_ref().map(|listener| format!("http://{}", listener.local_addr().unwrap()));
    // Uploads are read at the address that reaches all processes.
    let public = format!("rest={}", origins[0]);
    let start = |option| Up::start(program, &["--database-url", &url, "--public-url", &public, option, file]);
    let mut first = start("--ready-file");
    let others = [start("--attach"), start("--attach"), start("--attach")];
    let mut proxies = JoinSet::new();
    for ((service, listener), origin) in ["baseUrl", "swapBaseUrl"].into_iter().zip(listeners).zip(origins) {
        let all = std::iter::once(&first).chain(&others);
        let behind = all.map(|one| one.ready[service].as_str().unwrap().to_owned()).collect();
        proxies.spawn(spread(listener, behind));
        first.ready[service] = origin.into();
    }
    first.check().await
}

impl Up<'_> {
    /// Checks it by its addresses with all options. Only checks that need the missing control plane may be skipped.
    async fn check(self) -> Result<(), String> {
        self.checks(&[]).await
    }

    /// Checks it likewise, with only these checks if any are given.
    async fn checks(self, only: &[&str]) -> Result<(), String> {
        let keys = NamedTempFile::new().unwrap();
        let server = format!("{} mcp", self.program.to_str().unwrap());
        let mut command = tokio::process::Command::new(self.program);
        command.args(["check", "--json", "--strict", "--lane", "write", "--mcp", &server]);
        command.args(external_options(&self.ready, keys.path()));
        command.args(only.iter().flat_map(|id| ["--only", id]));
        let output = command.stdin(Stdio::null()).kill_on_drop(true).output().await.unwrap();
        verdict(&output, self.ready["controlUrl"].is_string())
    }
}

fn verdict(output: &Output, controlled: bool) -> Result<(), String> {
    let said = || String::from_utf8_lossy(&output.stderr).into_owned();
    let report: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("{error}: {}", said()))?;
    let is_green = |row: &&Value| match row["verdict"].as_str() {
        Some("passed") => true,
        Some("skipped") => {
            !controlled && row["reason"].as_str().unwrap_or_default().contains("--control-url")
        }
        _ => false,
    };
    let red: Vec<&Value> = report["checks"].as_array().unwrap().iter().filter(|row| !is_green(row)).collect();
    if red.is_empty() && output.status.success() {
        return Ok(());
    }
    Err(format!("{}\n{red:#?}\n{}", output.status, said()))
}
