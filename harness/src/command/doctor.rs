//! `slipway doctor`: what this machine offers a platform and its checks, on one screen, each gap with its remedy.
use std::collections::BTreeMap;
use std::iter;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::json;
use slipway_contracts::ChainId;
use slipway_contracts::toolchain::{TESTED_ANVIL, Toolchain, ToolchainOptions, program};
use slipway_scenarios::Target;
use slipway_sim::ports::Ports;

use super::packaging::FolderError;
use crate::arguments::DoctorArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::report::count::counted;
use crate::target::holder::holder;
use crate::target::wait;
use crate::terminal::colour::Colour;
use crate::terminal::output;
use crate::terminal::table::columns;

const DATABASE_PROGRAMS: [&str; 3] = ["initdb", "postgres", "pg_isready"];

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Grade {
    /// Present.
    Ok,
    /// Missing, and needed by some commands or tests only.
    Optional,
    /// Missing, and `slipway up` and `slipway check` cannot start without it.
    Missing,
}

/// The remedy for a cache that cannot be written.
const WRITABLE: &str = "let this user write there, or set XDG_CACHE_HOME to another folder";

/// One line of the screen.
#[derive(Serialize)]
struct Finding {
    part: &'static str,
    #[serde(rename = "state")]
    grade: Grade,
    found: String,
    remedy: Option<String>,
}

impl Finding {
    fn ok(part: &'static str, found: impl Into<String>) -> Self {
        Self { part, grade: Grade::Ok, found: found.into(), remedy: None }
    }

    fn gap(part: &'static str, grade: Grade, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { part, grade, found: found.into(), remedy: Some(remedy.into()) }
    }
}

pub(super) async fn run(arguments: DoctorArguments) -> Result<Exit, CommandError> {
    if let Some(folder) = &arguments.install {
        // Before anything is installed.
        std::fs::create_dir_all(folder).map_err(FolderError::of(folder))?;
        let options =
            ToolchainOptions { offline: arguments.tools.offline, ..ToolchainOptions::from_environment() };
        Toolchain::locate(&options, &|_| {}).await?.export(folder)?;
        return Ok(Exit::Conformant);
    }
    if let Some(seconds) = arguments.wait {
        wait::until_ready(&local(arguments.ports.base()), Duration::from_secs(seconds)).await?;
        return Ok(Exit::Conformant);
    }
    let mut findings = vec![Finding::ok("slipway", env!("CARGO_PKG_VERSION"))];
    findings.extend(tools().await);
    findings.extend(ports(arguments.ports.base()));
    findings.push(engine());
    findings.push(database());
    findings.push(cache());
    let text = if arguments.print.json { format!("{:#}\n", json!(findings)) } else { as_text(&findings) };
    let can_start = findings.iter().all(|finding| finding.grade != Grade::Missing);
    output::judged(&text, if can_start { Exit::Conformant } else { Exit::Inconclusive })
}

/// Anvil and the published contracts, located as `up` does; npm only if it is needed to install them.
async fn tools() -> Vec<Finding> {
    let options = ToolchainOptions { offline: true, ..ToolchainOptions::from_environment() };
    match Toolchain::locate(&options, &|_| {}).await {
        Ok(tools) => {
            let anvil = format!(
                "{} (from {}{}; tested: {} to {})",
                tools.anvil().display(),
                tools.anvil_source(),
                tools
                    .untested_anvil()
                    .map(|version| format!("; version {version} is not tested"))
                    .unwrap_or_default(),
                TESTED_ANVIL.start(),
                TESTED_ANVIL.end()
            );
            let contracts = tools.node_modules().display().to_string();
            vec![Finding::ok("anvil", anvil), Finding::ok("contracts", contracts)]
        }
        Err(slipway_contracts::toolchain::ToolchainError::NotInstalledOffline { .. }) => {
            let folder = options.cache_folder();
            if let Some(folder) = folder.filter(|folder| !is_writable(folder)) {
                let found = format!("not installed, and cannot be installed into {}", folder.display());
                return vec![Finding::gap("anvil", Grade::Missing, found, WRITABLE)];
            }
            if let Some(npm) = on_path("npm") {
                let found = format!("not installed yet; {} installs them at the first run", npm.display());
                return vec![Finding::ok("anvil", found)];
            }
            let remedy = "install Node.js (npm), or set SLIPWAY_TOOLCHAIN to a folder made by `slipway doctor --install DIR`";
            vec![Finding::gap(
                "anvil",
                Grade::Missing,
                "not installed, and npm, which installs it at the first run, is not on PATH".to_owned(),
                remedy,
            )]
        }
        Err(error) => {
            let remedy = format!(
                "unset ANVIL and SLIPWAY_TOOLCHAIN, or let them name an anvil of version {} or newer (tested up to {}) and a folder made by `slipway doctor --install DIR`",
                TESTED_ANVIL.start(),
                TESTED_ANVIL.end()
            );
            vec![Finding::gap("anvil", Grade::Missing, error.to_string(), remedy)]
        }
    }
}

fn five(base: u16) -> Ports {
    Ports::from_base(base).expect("the command line demands a port with four above it")
}

/// The platform on these ports, without its control plane, which may be off.
fn local(base: u16) -> Target {
    let address = |port: u16| format!("http://127.0.0.1:{port}").parse().ok();
    let ports = five(base);
    let chains = [(ChainId::PRIMARY, ports.primary_chain), (ChainId::SECOND, ports.second_chain)];
    Target {
        base_url: address(ports.rest),
        swap_url: address(ports.swap),
        rpc_urls: chains.into_iter().filter_map(|(chain, port)| Some((chain.0, address(port)?))).collect(),
        ..Target::default()
    }
}

fn ports(base: u16) -> Vec<Finding> {
    let ports = five(base);
    let all = [ports.rest, ports.swap, ports.control, ports.primary_chain, ports.second_chain];
    let mut taken = BTreeMap::<_, Vec<String>>::new();
    for port in all.into_iter().filter(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_err()) {
        taken.entry(holder(port)).or_default().push(port.to_string());
    }
    if taken.is_empty() {
        return vec![Finding::ok("ports", format!("{base} to {} are free", ports.second_chain))];
    }
    let by = |(holder, ports): (&Option<String>, &Vec<String>)| {
        let holder = holder.as_ref().map(|holder| format!(" by {holder}")).unwrap_or_default();
        format!("{}{holder}", ports.join(", "))
    };
    let found = format!("in use: {}", taken.iter().map(by).collect::<Vec<_>>().join("; "));
    let remedy = "a platform that runs already, or another program; `slipway up --port N` moves all five, `--port 0` takes free ones";
    vec![Finding::gap("ports", Grade::Optional, found, remedy)]
}

/// Whether something listens on the socket of a container engine.
fn engine() -> Finding {
    let given = std::env::var("DOCKER_HOST").ok().filter(|host| !host.is_empty());
    let host = given.unwrap_or_else(|| "unix:///var/run/docker.sock".to_owned());
    let answers = match host.split_once("://") {
        Some(("unix", path)) => UnixStream::connect(path).is_ok(),
        Some((_, address)) => TcpStream::connect(address).is_ok(),
        None => false,
    };
    if answers {
        return Finding::ok("engine", format!("a container engine listens on {host}"));
    }
    let remedy = "needed for images only (`slipway check --image`): apt-get install docker.io and start it, or set DOCKER_HOST";
    Finding::gap("engine", Grade::Optional, format!("none listens on {host}"), remedy)
}

fn database() -> Finding {
    let missing: Vec<&str> =
        DATABASE_PROGRAMS.into_iter().filter(|name| database_program(name).is_none()).collect();
    if missing.is_empty() {
        let place = database_program("postgres").unwrap_or_default();
        return Finding::ok("database", place.display().to_string());
    }
    let remedy = "needed by nothing but a PostgreSQL server of your own (`--database-url`): apt-get install postgresql";
    Finding::gap("database", Grade::Optional, format!("not on PATH: {}", missing.join(", ")), remedy)
}

/// Debian installs the server's programs outside the search path.
fn database_program(name: &str) -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok();
    let packaged =
        versions.into_iter().flatten().flatten().map(|version| version.path().join("bin").join(name));
    on_path(name).or_else(|| packaged.filter(|path| path.is_file()).max())
}

fn cache() -> Finding {
    let Some(folder) = ToolchainOptions::from_environment().cache_folder() else {
        let remedy = "set HOME or XDG_CACHE_HOME";
        return Finding::gap("cache", Grade::Missing, "this user has no folder for caches", remedy);
    };
    let count = |name| std::fs::read_dir(folder.join(name)).map_or(0, Iterator::count);
    let markets = counted(count("markets") + count("hourly-markets"), "seeded market");
    let shown = folder.display();
    if is_writable(&folder) {
        Finding::ok("cache", format!("{shown}, {markets}"))
    } else {
        Finding::gap("cache", Grade::Optional, format!("{shown} is not writable, {markets}"), WRITABLE)
    }
}

/// Whether a file can be created in a folder, or in the nearest one above it that exists.
fn is_writable(folder: &Path) -> bool {
    let existing = folder.ancestors().find(|folder| folder.is_dir());
    existing.is_some_and(|folder| tempfile::tempfile_in(folder).is_ok())
}

fn on_path(name: &str) -> Option<PathBuf> {
    program(&std::env::var_os("PATH")?, name)
}

fn word(grade: Grade) -> &'static str {
    match grade {
        Grade::Ok => "ok",
        Grade::Optional => "optional",
        Grade::Missing => "missing",
    }
}

fn as_text(findings: &[Finding]) -> String {
    let rows = findings.iter().flat_map(|finding| {
        let found = [word(finding.grade).to_owned(), finding.part.to_owned(), finding.found.clone()];
        let remedy = finding.remedy.as_ref();
        let remedy = remedy.map(|remedy| [String::new(), String::new(), format!("remedy: {remedy}")]);
        iter::once(found).chain(remedy)
    });
    columns(rows, Colour::of_stdout().width())
}
