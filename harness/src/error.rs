//! Why a command failed, and its exit code.
use slipway_defects::tool::WrapperError;
use slipway_scenarios::client::stdio::TOOL_SERVER_VARIABLES;

use crate::baseline::BaselineError;
use crate::bench::QuoterError;
use crate::container::error::ContainerError;
use crate::exit::Exit;
use crate::proof::ProofError;
use crate::rehearse::operator::OperatorError;
use crate::report::ReportError;
use crate::selector::NoMatch;
use crate::target_file::TargetFileError;

/// What is wrong with the command line, or with a file to which it refers.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UsageError {
    #[error(
        "no check, clause, defect or statement has the id {id:?}; `slipway list` and `slipway interface` print them all"
    )]
    UnknownId { id: String },
    #[error("the interface has no statement {id:?}; `slipway interface` prints them all")]
    UnknownStatement { id: String },
    #[error("{option} takes an absolute http or https address such as http://127.0.0.1:4700, not {value:?}")]
    Address { option: &'static str, value: String },
    #[error(
        "--public-url takes SERVICE=URL with `rest` or `swap` and an origin (http or https, a host, no path), not {value:?}"
    )]
    PublicUrl { value: String },
    #[error(
        "--defect serves on a loopback address only: its proxies demand no token; leave --host out or give 127.0.0.1"
    )]
    DefectHost,
    #[error("--rpc-url takes CHAIN=URL with chain 57073 or 4663, not {value:?}")]
    RpcUrl { value: String },
    #[error("--mcp takes a shell-quoted command, not {value:?}")]
    ToolServerCommand { value: String },
    #[error("a variable of the tool server is renamed as OURS=THEIRS, not {value:?}")]
    Variable { value: String },
    #[error("the tool server has no variable {name:?}; there are {}", TOOL_SERVER_VARIABLES.join(", "))]
    VariableUnknown { name: String },
    #[error("the file of variables {path} is no TOML table of names: {source}")]
    VariablesTable { path: String, source: toml::de::Error },
    #[error("--embedded starts its own platform, and {variable} names another: use only one of the two")]
    EmbeddedAddress { variable: &'static str },
    #[error("{option} goes with the local platform only, and an external target was given")]
    LocalOnly { option: &'static str },
    #[error("{option} goes with an external target only: give --base-url or --swap-url")]
    ExternalOnly { option: &'static str },
    #[error("{what} {path} cannot be read: {source}")]
    File { what: &'static str, path: String, source: std::io::Error },
    #[error("there are not five ports from {base} on")]
    PortRange { base: u16 },
    #[error("{option} goes with `slipway drill`, not with `slipway matrix`")]
    NotOfMatrix { option: &'static str },
    #[error("a proof has all variants: `--variants --proof` takes no --only")]
    WholeProof,
    #[error("--sample makes entries of a proof again: name its folder with --proof")]
    SampleOfNothing,
    #[error("a drill switches the defects itself: choose among them with --only")]
    DrillDefect,
    #[error("no contract is named {name:?}: give one of {known}")]
    UnknownContract { name: String, known: String },
    #[error("line {number} is no case of this kind: {line}")]
    Case { number: u64, line: String },
    #[error("{fault} {} --agent", if *.is_agent { "goes without" } else { "goes with" })]
    NotOfRehearsal { fault: &'static str, is_agent: bool },
}

/// One variant per situation.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error(transparent)]
    Usage(#[from] UsageError),
    #[error(transparent)]
    NoMatch(#[from] NoMatch),
    #[error(transparent)]
    UnknownDefect(#[from] slipway_defects::UnknownDefect),
    #[error(transparent)]
    TargetFile(#[from] TargetFileError),
    #[error("{part} at {url} did not answer within {seconds} s: {reason}")]
    NotReady { part: String, url: String, seconds: u64, reason: String },
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Proof(#[from] ProofError),
    #[error("the platform did not start: {error}{remedy}", error = .0, remedy = remedy(.0))]
    Start(#[from] slipway_sim::StartError),
    #[error(transparent)]
    Export(#[from] slipway_sim::engine::ExportFileError),
    #[error(transparent)]
    ProxyListeners(#[from] slipway_defects::http::ListenersError),
    #[error("the proxies did not start: {0}")]
    Proxies(#[from] slipway_defects::http::StartError),
    #[error(transparent)]
    Container(#[from] ContainerError),
    #[error("the tool server in its container: {reason}")]
    Inside { reason: String },
    #[error("the wrapper of the tool server: {0}")]
    Wrapper(#[from] WrapperError),
    #[error("the platform ended by itself: {reason}")]
    Died { reason: String },
    #[error("the path of this program is unknown: {source}")]
    OwnPath { source: std::io::Error },
    #[error("the command {program:?} cannot be run: {source}; give the path of a program, or one on PATH")]
    Spawn { program: String, source: std::io::Error },
    #[error("the folder {path} cannot be written: {source}")]
    Folder { path: String, source: std::io::Error },
    #[error("no `slipway up` of this user runs on the ports from {port} on; start one, or give --ready-file")]
    NotRunning { port: u16 },
    #[error("the ready file {path} cannot be written or read: {source}")]
    ReadyFile { path: String, source: std::io::Error },
    #[error("cannot start the async runtime: {0}")]
    Runtime(#[source] std::io::Error),
    #[error("standard output is closed: {source}")]
    Output { source: std::io::Error },
    #[error("the run cannot begin: {0}")]
    ListenerLimits(#[from] slipway_scenarios::verdict::Inconclusive),
    #[error("the tool server cannot start: {0}")]
    ToolServerSettings(#[from] slipway_tool_server::ConfigError),
    #[error("the tool server: {0}")]
    ToolServer(#[from] slipway_tool_server::ServeError),
    #[error("the ABI of {name} cannot be read: {source}")]
    Abi { name: String, source: serde_json::Error },
    #[error(transparent)]
    Toolchain(#[from] slipway_contracts::toolchain::ToolchainError),
    #[error(transparent)]
    Deploy(#[from] slipway_contracts::deploy::DeployError),
    #[error(transparent)]
    Quoter(#[from] QuoterError),
    #[error("the tool server of the rehearsal at {address} does not answer: {source}")]
    Relay { address: String, source: std::io::Error },
    #[error("the rehearsal cannot go on: {reason}")]
    Rehearsal { reason: String },
    #[error("the rehearsal cannot go on: {0}")]
    Operator(#[from] OperatorError),
    #[error("the defect {id:?} cannot be switched: {reason}")]
    Switch { id: String, reason: String },
}

impl CommandError {
    /// A wrong command line is a usage error; everything else is inconclusive.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage(_)
            | Self::NoMatch(_)
            | Self::UnknownDefect(_)
            | Self::Wrapper(WrapperError::Unknown(_) | WrapperError::OtherLayer { .. })
            | Self::TargetFile(_)
            | Self::Baseline(_)
            | Self::Proof(ProofError::Unreadable { .. })
            | Self::Report(ReportError::Unreadable { .. } | ReportError::Malformed { .. }) => Exit::Usage,
            Self::Container(error) if error.is_usage() => Exit::Usage,
            Self::Quoter(QuoterError::Command { .. }) | Self::ToolServerSettings(_) => Exit::Usage,
            _ => Exit::Inconclusive,
        }
    }
}

/// The remedy if the platform does not start, unless the cause contains it.
fn remedy(error: &slipway_sim::StartError) -> &'static str {
    use slipway_sim::StartError;
    use slipway_sim::store::StoreError;
    match error {
        StartError::Port { .. } => "; `--port` takes five other ports, `--port 0` free ones",
        StartError::Store(StoreError::Unreachable { .. } | StoreError::Address) => {
            "; `--database-url` or `SLIPWAY_DATABASE_URL` names it, as in postgres://USER:PASSWORD@HOST:5432/DATABASE: \
             start that server, correct the address, or leave it out to keep the facts in memory"
        }
        StartError::Import(_) => "; docs/reference/export.md says how such a file is made",
        _ => "",
    }
}
