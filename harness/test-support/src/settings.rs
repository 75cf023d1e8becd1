//! Every setting in which a correct platform can run, and a whole check of it by its addresses with all options: in each,
//! everything is green.
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::Value;
use tempfile::NamedTempFile;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::database::Server;
use crate::relay::{relay, spread};
use crate::up::{Kept, Up, bound, external_options};

/// Checks that leave launches, trades, bids, messages, images and registrations behind.
const USING: [&str; 5] = ["CH-*", "EOTI-*", "CHAT-*", "UP-*", "REF-*"];

/// Processes that use all the processor time they get.
const BUSY: usize = 4;

/// A setting of a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// `--clock running`.
    Running,
    /// `slipway up`, which uses the clock of this machine.
    Real,
    /// `--clock fixed`.
    Fixed,
    /// `--no-control`.
    NoControl,
    /// `--standard-limit 30`.
    StandardLimit,
    /// `--state DIR`.
    State,
    /// `--state DIR` of a platform that was used by checks before, with `--clock running`.
    UsedState,
    /// `--database-url URL --attach FILE`, with the control plane of the platform it is attached to.
    Replica,
    /// Four processes over one database, behind proxies that hand each request to the next of them.
    Spread,
    /// Behind proxies that change no byte.
    Proxied,
    /// Next to processes that keep the machine busy.
    Busy,
}

impl Setting {
    /// All of them, with the names that select them.
    pub const ALL: [(&str, Self); 11] = [
        ("running", Self::Running),
        ("real", Self::Real),
        ("fixed", Self::Fixed),
        ("no-control", Self::NoControl),
        ("standard-limit", Self::StandardLimit),
        ("state", Self::State),
        ("used-state", Self::UsedState),
        ("replica", Self::Replica),
        ("spread", Self::Spread),
        ("proxied", Self::Proxied),
        ("busy", Self::Busy),
    ];

    /// Starts a platform in this setting and checks it; an error lists everything that was not green.
    pub async fn check(self, program: &Path) -> Result<(), String> {
        let up = |options: &[&str]| Up::start(program, options);
        match self {
            Self::Running => up(&["--clock", "running"]).check().await,
            Self::Real => up(&[]).check().await,
            Self::Fixed => up(&["--clock", "fixed"]).check().await,
            Self::NoControl => up(&["--no-control"]).check().await,
            Self::StandardLimit => up(&["--standard-limit", "30"]).check().await,
            Self::State | Self::UsedState => {
                let folder = tempfile::tempdir().unwrap();
                let options = ["--state", folder.path().to_str().unwrap()];
                if self == Self::UsedState {
                    up(&[options[0], options[1], "--clock", "running"]).checks(&USING).await?;
                }
                up(&options).check().await
            }
            Self::Replica => {
                let database = Server::start().await;
                let folder = tempfile::tempdir().unwrap();
                let file = folder.path().join("ready.json");
                let (url, file) = (database.url(), file.to_str().unwrap());
                let owner = up(&["--database-url", &url, "--ready-file", file]);
                let mut replica = up(&["--database-url", &url, "--attach", file]);
                replica.ready["controlUrl"] = owner.ready["controlUrl"].clone();
                replica.check().await
            }
            Self::Spread => check_spread(program).await,
            Self::Proxied => {
                let mut platform = up(&[]);
                let mut proxies = JoinSet::new();
                for address in platform.addresses_mut() {
                    *address = Value::from(proxied(address.as_str().unwrap(), &mut proxies).await);
                }
                platform.check().await
            }
            Self::Busy => {
                let _busy: Vec<Kept> = (0..BUSY).map(|_| busy()).collect();
                up(&[]).check().await
            }
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

fn busy() -> Kept {
    Kept::new(bound(OsStr::new("sh"), "KILL").args(["-c", "while :; do :; done"]).spawn().unwrap())
}

impl Up<'_> {
    /// The members of the ready line that are addresses of services.
    fn addresses_mut(&mut self) -> Vec<&mut Value> {
        let fields = self.ready.as_object_mut().unwrap();
        let mut addresses = Vec::new();
        for (name, value) in fields {
            match name.as_str() {
                "baseUrl" | "swapBaseUrl" | "controlUrl" => addresses.push(value),
                "chains" => {
                    addresses
                        .extend(value.as_array_mut().unwrap().iter_mut().map(|chain| &mut chain["rpcUrl"]));
                }
                _ => {}
            }
        }
        addresses
    }

    /// Checks it by its addresses with all options. Only checks that need a missing control plane may be skipped.
    async fn check(self) -> Result<(), String> {
        self.checks(&[]).await
    }

    /// The same with these checks only, where some are given.
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

/// The address of a proxy in front of another address; it changes no byte, and ends with the set.
async fn proxied(address: &str, proxies: &mut JoinSet<()>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    proxies.spawn(relay(listener, address.to_owned()));
    proxy
}
