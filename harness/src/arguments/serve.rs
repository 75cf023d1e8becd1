//! Arguments of the commands that run a platform: `up`, `exec`, `play`, `env`, `mcp` and `rehearse`.
use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;
use slipway_sim::{MarketPlan, ParseMarketError};

use super::{OfflineArgument, PlatformArguments, PortArgument, PrintArguments};
use crate::rehearse::Fault;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ClockArgument {
    /// The real clock, or ahead of it once the control plane moved it.
    Real,
    /// Starts at 2026-03-04T12:00:00Z, where the seeded market ends, and runs at real speed.
    Running,
    /// Starts there too, and stops until the control plane moves it.
    Fixed,
}

/// The market of a platform.
#[derive(Clone, Debug)]
pub(crate) enum MarketArgument {
    /// One of the known ones.
    Known(MarketPlan),
    /// That of a file.
    File(PathBuf),
}

impl MarketArgument {
    pub(crate) fn parse(text: &str) -> Result<Self, ParseMarketError> {
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.".contains(&byte));
        match text.parse() {
            Ok(market) => Ok(Self::Known(market)),
            Err(error) if is_number(text) => Err(error),
            Err(_) => Ok(Self::File(text.into())),
        }
    }
}

/// How `up` writes what happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogArgument {
    /// A line for people.
    Text,
    /// A JSON object a line.
    Json,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct TimeArguments {
    /// How time passes.
    #[arg(help_heading = "Local platform", long, value_enum, default_value = "real")]
    pub(crate) clock: ClockArgument,
}

/// Options of the platform that `up` and `exec` start.
#[derive(Args, Debug)]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    pub(crate) platform: PlatformArguments,
    #[command(flatten)]
    pub(crate) time: TimeArguments,
    /// Mine no empty blocks after a block with transactions: clients that wait for more than one confirmation then hang.
    #[arg(help_heading = "Local platform", long)]
    pub(crate) no_trailing_blocks: bool,
    /// Tokens to begin with: `empty`, `default`, a number of launches on chain 57073 up to 10000, besides the rest of `default`, or a
    /// file that lists them (see `slipway show schema market`).
    #[arg(
        help_heading = "Local platform",
        long,
        value_name = "empty|default|LAUNCHES|FILE",
        default_value = "default",
        value_hint = clap::ValueHint::AnyPath,
        value_parser = MarketArgument::parse
    )]
    pub(crate) market: MarketArgument,
    /// Let the market's accounts take up to this many actions a minute, from 1 to 600, drawn from the seed: trades, launches, chats, bids,
    /// referrals and swaps.
    #[arg(
        help_heading = "Local platform",
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=600)
    )]
    pub(crate) live: Option<u16>,
    /// Begin with a file that `up --export` wrote instead of the seeded market; its seed, clock and operator key apply.
    #[arg(help_heading = "State", long, value_name = "FILE", conflicts_with_all = ["defects", "market"])]
    pub(crate) import: Option<PathBuf>,
    /// Address on which everything listens, the nodes included (0.0.0.0 or [::] for every interface). Where other machines reach it,
    /// the control plane requires its token, and without that token the nodes accept only the methods of a public node.
    #[arg(help_heading = "Network", long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = host)]
    pub(crate) host: IpAddr,
    /// Origin whose pages may call the nodes, such as https://app.example or chrome-extension://ID (repeatable). Without it the platform's
    /// own pages may, and unless `--host` is an address that other machines reach, those of loopback names and browser extensions.
    #[arg(help_heading = "Network", long = "allow-origin", value_name = "ORIGIN", value_parser = origin)]
    pub(crate) allow_origins: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct UpArguments {
    #[command(flatten)]
    pub(crate) serve: ServeArguments,
    /// Public URL of a service, as SERVICE=URL with `rest` or `swap`; without SERVICE= that of `rest` (repeatable). Uploads, OpenAPI
    /// documents and links contain it.
    #[arg(
        help_heading = "Network",
        long = "public-url",
        value_name = "SERVICE=URL",
        env = "SLIPWAY_PUBLIC_URLS",
        value_delimiter = ','
    )]
    pub(crate) public_urls: Vec<String>,
    /// First of five ports: REST, swap, control, chain 57073, chain 4663; 0 takes free ones.
    #[arg(
        help_heading = "Network",
        long,
        default_value_t = slipway_sim::ports::BASE,
        value_parser = clap::value_parser!(u16).range(0..=65_531)
    )]
    pub(crate) port: u16,
    /// Keep the whole platform in this folder: chains, off-chain data, clock and checkpoints; continue the one that is there, with its seed,
    /// market, clock and operator key.
    #[arg(help_heading = "State", long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,

    /// Export everything to this file at the end, and when the control plane asks for it; into a folder (one that exists, or a path that
    /// ends with /) only what the control plane asks for by a file name (default: `exports` in the folder of `--state`).
    #[arg(help_heading = "State", long, value_name = "FILE|DIR/", conflicts_with = "attach")]
    pub(crate) export: Option<PathBuf>,

    /// Keep the off-chain facts in this PostgreSQL database, which several platforms may share.
    #[arg(
        help_heading = "State",
        long,
        value_name = "URL",
        conflicts_with = "state",
        env = "SLIPWAY_DATABASE_URL",
        hide_env_values = true
    )]
    pub(crate) database_url: Option<String>,
    /// Share the chains, clock and database of a running platform: the file of its ready line.
    #[arg(
        help_heading = "State",
        long,
        value_name = "READY_FILE",
        requires = "database_url",
        conflicts_with_all = ["defects", "import", "live"]
    )]
    pub(crate) attach: Option<PathBuf>,
    /// Identify callers by the last address of X-Forwarded-For; only behind your own proxy.
    #[arg(help_heading = "Network", long)]
    pub(crate) trust_forwarded: bool,
    /// Requests per minute that each client address may send to read endpoints that have no other limit (default: none).
    #[arg(help_heading = "Network", long, value_name = "COUNT")]
    pub(crate) standard_limit: Option<u32>,
    /// Do not serve the control plane.
    #[arg(help_heading = "Control plane", long)]
    pub(crate) no_control: bool,
    /// Token that callers of the control plane must send (default: none on a loopback address, otherwise generated and printed).
    #[arg(
        help_heading = "Control plane",
        long,
        value_name = "TOKEN",
        env = "SLIPWAY_CONTROL_TOKEN",
        hide_env_values = true
    )]
    pub(crate) control_token: Option<String>,
    /// Operator key: the credential that chat messages require (default: derived from the seed and printed).
    #[arg(
        help_heading = "Control plane",
        long,
        env = "SLIPWAY_OPERATOR_KEY",
        hide_env_values = true,
        conflicts_with = "import"
    )]
    pub(crate) operator_key: Option<String>,
    #[command(flatten)]
    pub(crate) print: PrintArguments,
    /// Print a line for each request, order, transaction and revert, as text or as JSON (default: text, and nothing with `--json`).
    #[arg(help_heading = "Output", long, value_enum)]
    pub(crate) log: Option<LogArgument>,
    /// Print no activity.
    #[arg(help_heading = "Output", long, conflicts_with = "log")]
    pub(crate) quiet: bool,
    /// Also write that JSON line to this file, atomically.
    #[arg(help_heading = "Output", long, value_name = "FILE")]
    pub(crate) ready_file: Option<PathBuf>,
    /// Stop when standard input is closed.
    #[arg(help_heading = "Output", long)]
    pub(crate) until_eof: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ExecArguments {
    #[command(flatten)]
    pub(crate) serve: ServeArguments,
    /// The command and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Args, Debug)]
#[command(mut_arg("clock", |clock| clock.default_value("fixed").conflicts_with("attach")))]
#[command(mut_args(not_attached))]
#[command(mut_arg("port", |port| port.requires("attach")))]
pub(crate) struct PlayArguments {
    /// The play (see `slipway show schema play`).
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Tokens to begin with, as `up` takes them (default: the `market` of the play, else `empty`).
    #[arg(
        help_heading = "Local platform",
        long,
        value_name = "empty|default|LAUNCHES|FILE",
        value_parser = MarketArgument::parse
    )]
    pub(crate) market: Option<MarketArgument>,
    /// Play on a running platform, whose state stays as the play leaves it: that of this ready file, else of `--port`, else of
    /// SLIPWAY_READY, which `exec` sets, else the one on the usual ports.
    #[arg(long, value_name = "READY_FILE", num_args = 0..=1, require_equals = true)]
    pub(crate) attach: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub(crate) ports: PortArgument,
    #[command(flatten)]
    pub(crate) print: PrintArguments,
    #[command(flatten)]
    pub(crate) time: TimeArguments,
    #[command(flatten)]
    pub(crate) platform: PlatformArguments,
}

/// Options that describe a platform to start conflict with attaching to a running one.
fn not_attached(option: clap::Arg) -> clap::Arg {
    let is_of_a_start = ["market", "seed", "defects", "offline"].contains(&option.get_id().as_str());
    if is_of_a_start { option.conflicts_with("attach") } else { option }
}

#[derive(Args, Debug)]
pub(crate) struct EnvArguments {
    #[command(flatten)]
    pub(crate) ports: PortArgument,
    /// The file that `slipway up --ready-file` wrote, for a platform on free ports.
    #[arg(value_name = "READY_FILE", conflicts_with = "port")]
    pub(crate) ready_file: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(mut_arg("clock", |clock| clock.default_value("running")))]
pub(crate) struct RehearseArguments {
    #[command(flatten)]
    pub(crate) time: TimeArguments,
    /// The client is an agent: give it a tool server (SLIPWAY_MCP_CONFIG, SLIPWAY_MCP_COMMAND) and the faults for agents.
    #[arg(long)]
    pub(crate) agent: bool,
    /// Inject only this fault, after a run without any (repeatable, or with commas).
    #[arg(long, value_name = "FAULT", value_delimiter = ',', value_parser = Fault::named)]
    pub(crate) only: Vec<&'static Fault>,
    /// Wait at most this many seconds for one run of the client.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) wait: u64,
    /// Run again whenever one of these files and folders, or a file among the words of the command, changes, until Ctrl-C.
    #[arg(long, value_name = "PATH", num_args = 0..)]
    pub(crate) watch: Option<Vec<PathBuf>>,
    #[command(flatten)]
    pub(crate) print: PrintArguments,
    /// The command of the client and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    #[command(flatten)]
    pub(crate) platform: PlatformArguments,
}

#[derive(Args, Debug)]
pub(crate) struct RelayArguments {
    /// Where the rehearsal listens.
    pub(crate) address: String,
}

#[derive(Args, Debug)]
#[command(mut_args(with_embedded))]
pub(crate) struct McpArguments {
    /// Start a platform for this tool server only; without a key it uses the first account of that platform.
    #[arg(long)]
    pub(crate) embedded: bool,
    /// Seed of the embedded platform's market and accounts (default: 1).
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) time: TimeArguments,
    #[command(flatten)]
    pub(crate) tools: OfflineArgument,
}

/// All other options describe the embedded platform.
fn with_embedded(option: clap::Arg) -> clap::Arg {
    if option.get_id() == "embedded" { option } else { option.requires("embedded") }
}

/// An origin as browsers write it; `null` is the origin of files and sandboxed frames, and extensions have schemes that only browsers know.
fn origin(text: &str) -> Result<String, String> {
    let parsed = url::Url::parse(text).ok().filter(|url| url.query().is_none() && url.fragment().is_none());
    let written = parsed.and_then(|url| {
        let is_web = matches!(url.scheme(), "http" | "https") && url.path() == "/";
        let is_extension = url.scheme().ends_with("-extension") && matches!(url.path(), "" | "/");
        let host = url.host_str().filter(|host| !host.contains('*'))?;
        match (is_web, is_extension) {
            (true, _) => Some(url.origin().ascii_serialization()),
            (_, true) => Some(format!("{}://{host}", url.scheme())),
            _ => None,
        }
    });
    let known = written.or_else(|| (text == "null").then(|| text.to_owned()));
    known.ok_or_else(|| {
        "not an origin: give scheme, host and port, as in http://localhost:5173 or chrome-extension://ID, without a wildcard".to_owned()
    })
}

/// An IP address, with or without brackets; `localhost` is accepted too.
fn host(text: &str) -> Result<IpAddr, String> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let known = if bare == "localhost" { "127.0.0.1" } else { bare };
    known.parse().map_err(|_| "not an IP address: give one of this machine's, or 0.0.0.0 for all".to_owned())
}

#[cfg(test)]
mod tests {
    use super::origin;

    #[test]
    fn origins_are_written_as_browsers_write_them() {
        for (given, written) in [
            ("HTTP://LocalHost:5173/", "http://localhost:5173"),
            ("https://app.example:443", "https://app.example"),
            (
                "chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn",
                "chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn",
            ),
            (
                "moz-extension://fb6f9b2d-51b4-4e2c-9d6c-8b6f5a7a7f3e/",
                "moz-extension://fb6f9b2d-51b4-4e2c-9d6c-8b6f5a7a7f3e",
            ),
            (
                "safari-web-extension://A1B2C3D4-0000-0000-0000-000000000000",
                "safari-web-extension://A1B2C3D4-0000-0000-0000-000000000000",
            ),
            ("null", "null"),
        ] {
            assert_eq!(origin(given).as_deref(), Ok(written), "{given}");
        }
        for given in [
            "http://*.example.com",
            "chrome-extension://*",
            "chrome-extension://",
            "app.example",
            "http://a/b",
            "http://a/?b",
            "file:///a",
            "",
        ] {
            assert!(origin(given).is_err(), "{given}");
        }
    }
}
