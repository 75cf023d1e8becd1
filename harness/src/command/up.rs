//! `slipway up`: the platform, until a shutdown signal.
use std::path::{Path, PathBuf};
use std::pin::pin;

use slipway_contracts::write_whole;
use slipway_scenarios::client::chain::Chain;
use slipway_scenarios::client::http::Http;
use slipway_scenarios::model::verdict::Inconclusive;
use slipway_sim::ports::Ports;
use slipway_sim::{Attach, PublicUrls, Ready, ReadyIndex};
use tokio::io::AsyncReadExt as _;
use url::Url;

use super::live;
use crate::arguments::{LogArgument, UpArguments};
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::report::count::counted;
use crate::target::address::address;
use crate::target::local;
use crate::target::local::Front;
use crate::terminal::colour::Colour;
use crate::terminal::output;
use crate::terminal::signals::shutdown_signal;
use crate::terminal::table::columns;

/// Why a platform cannot be started or announced.
#[derive(Debug, thiserror::Error)]
enum UpError {
    #[error("the five ports from {base} on are out of range")]
    PortRange { base: u16 },
    #[error(
        "--public-url takes SERVICE=URL with `rest` or `swap` and an origin (http or https, a host, no path), not {value:?}"
    )]
    PublicUrl { value: String },
    #[error("the ready file {path} cannot be written: {source}")]
    ReadyFile { path: String, source: std::io::Error },
    #[error("{option}: {path} cannot be written: {source}")]
    Unwritable { option: &'static str, path: String, source: std::io::Error },
    #[error("the ready file {path} cannot be read: {source}")]
    Attached { path: String, source: std::io::Error },
}

impl Fatal for UpError {
    fn exit(&self) -> Exit {
        if let Self::ReadyFile { source, .. } = self { Exit::of_unwritable(source) } else { Exit::Usage }
    }
}

pub(super) async fn run(arguments: UpArguments) -> Result<Exit, CommandError> {
    let front = Front::of(&arguments.serve.platform)?;
    let mut config = local::served(arguments.serve)?;
    // A platform that only this machine can reach keeps no secret from its user: the keys hold test money and are derived from the seed.
    let with_keys = config.host.is_loopback();
    let base = arguments.port;
    config.ports = Ports::from_base(base).ok_or(UpError::PortRange { base })?;
    config.public = public_urls(&arguments.public_urls)?;
    config.control_token = arguments.control_token;
    config.state_dir = arguments.state;
    config.database_url = arguments.database_url;
    let (file, folder) = exports(arguments.export);
    config.export.clone_from(&file);
    config.export_dir = folder;
    can_be_written("--export", file.as_deref())?;
    can_be_written("--ready-file", arguments.ready_file.as_deref())?;
    config.attach = arguments.attach.as_deref().map(attached).transpose()?;
    config.trust_forwarded = arguments.trust_forwarded;
    config.standard_limit = arguments.standard_limit;
    config.control = !arguments.no_control;
    config.operator_key = arguments.operator_key;
    let mut stop = pin!(shutdown_signal());
    let platform = tokio::select! {
        platform = local::start(config, front) => platform?,
        () = &mut stop => return Ok(Exit::Interrupted),
    };
    let line =
        serde_json::to_string(platform.ready()).expect("the ready line holds only strings and numbers");
    if let Some(path) = &arguments.ready_file {
        write_whole(path, line.as_bytes())
            .map_err(|source| UpError::ReadyFile { path: path.display().to_string(), source })?;
    }
    let text = if arguments.print.json {
        format!("{line}\n")
    } else {
        shown(&spoken(platform.ready(), with_keys).await?, Colour::of_stdout())
    };
    output::judged(&text, Exit::Conformant)?;
    let log = arguments.log.or((!arguments.print.json && !arguments.quiet).then_some(LogArgument::Text));
    if let Some(log) = log {
        live::print(platform.follow(), log);
    }
    let ended = tokio::select! {
        () = &mut stop => Ok(Exit::Conformant),
        () = end_of_input(), if arguments.until_eof => Ok(Exit::Conformant),
        // A launcher needs only the ready line; any other reader has disconnected.
        () = output::reader_gone(), if !arguments.print.json || log.is_some() => Ok(Exit::Conformant),
        error = platform.died() => Err(error),
    };
    let exported = match (&ended, &file) {
        (Ok(_), Some(file)) => platform.export(file).await,
        _ => Ok(()),
    };
    platform.stop().await;
    Ok(exported.and(ended)?)
}

/// The public addresses of the services.
fn public_urls(given: &[String]) -> Result<PublicUrls, UpError> {
    let mut public = PublicUrls::default();
    for value in given {
        let (part, text) = match value.split_once('=') {
            Some(("swap", text)) => (&mut public.swap, text),
            Some(("rest", text)) => (&mut public.rest, text),
            _ => (&mut public.rest, value.as_str()),
        };
        let url = address(text).filter(|url| {
            url.path() == "/"
                && url.query().is_none()
                && url.fragment().is_none()
                && url.username().is_empty()
        });
        let url = url.ok_or_else(|| UpError::PublicUrl { value: value.clone() })?;
        *part = Some(url.as_str().trim_end_matches('/').to_owned());
    }
    Ok(public)
}

/// The file of the final export, or the folder for exports that the control plane names.
fn exports(given: Option<PathBuf>) -> (Option<PathBuf>, Option<PathBuf>) {
    let is_folder = |path: &PathBuf| path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
    match given {
        Some(path) if is_folder(&path) => (None, Some(path)),
        file => (file, None),
    }
}

/// Requires, before anything starts, that a file can be written at the end.
fn can_be_written(option: &'static str, path: Option<&Path>) -> Result<(), UpError> {
    let Some(path) = path else { return Ok(()) };
    slipway_contracts::require_writable_whole(path).map_err(|source| UpError::Unwritable {
        option,
        path: path.display().to_string(),
        source,
    })
}

/// The platform that a ready file describes.
fn attached(path: &Path) -> Result<Attach, UpError> {
    let failed = |source| UpError::Attached { path: path.display().to_string(), source };
    let line = slipway_contracts::read_text(path, slipway_contracts::WRITTEN).map_err(failed)?;
    serde_json::from_str(&line).map_err(|error| failed(error.into()))
}

async fn end_of_input() {
    let mut input = tokio::io::stdin();
    let mut sink = [0; 1024];
    while matches!(input.read(&mut sink).await, Ok(count) if count > 0) {}
}

/// A group of lines of the text output: a title, and rows of cells.
struct Group {
    title: String,
    rows: Vec<Vec<String>>,
}

impl Group {
    fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), rows: Vec::new() }
    }

    fn add(&mut self, label: &str, value: impl Into<String>) {
        self.rows.push(vec![label.to_owned(), value.into()]);
    }
}

/// The text output: what to open, the accounts and their keys, what was indexed, and the addresses, last so that they stay on the screen.
async fn spoken(ready: &Ready, with_keys: bool) -> Result<Vec<Group>, Inconclusive> {
    let mut groups = vec![next_steps(ready), accounts(ready, with_keys).await?];
    if with_keys {
        groups.push(keys(ready));
    }
    let mut market = Group::new("Market");
    let ReadyIndex { launches, blocks, events, milliseconds, .. } = ready.indexed;
    market.add(
        "indexed",
        format!(
            "{launches} launch{}, {}, {} in {milliseconds} ms",
            if launches == 1 { "" } else { "es" },
            counted(blocks, "block"),
            counted(events, "event")
        ),
    );
    market.add("seed", ready.seed.to_string());
    market.add("clock", format!("{}: {}", ready.clock.name(), ready.clock.rule()));
    groups.extend([market, addresses(ready)]);
    Ok(groups)
}

fn next_steps(ready: &Ready) -> Group {
    let mut next = Group::new("Next steps");
    next.add("open", format!("{}  tokens, trading, transactions", ready.base_url));
    if let Some(control) = &ready.control_url {
        next.add("", format!("{control}  console"));
    }
    next.add("try", format!("curl -s '{}/api/tokens?sortBy=mcap-high'", ready.base_url));
    if let Some(control) = &ready.control_url {
        let token = if ready.control_token.is_some() { "H 'authorization: Bearer TOKEN'" } else { "" };
        next.add("", format!("curl -s{token} {control}/_sim/clock"));
    }
    next.add("stop", "Ctrl-C");
    next
}

/// Each account with its balance on each chain. Nodes that other machines reach sign for nobody.
async fn accounts(ready: &Ready, are_unlocked: bool) -> Result<Group, Inconclusive> {
    let ids: Vec<String> = ready.chains.iter().map(|chain| chain.chain_id.to_string()).collect();
    let unlocked = if are_unlocked { ", unlocked at the nodes" } else { "" };
    let mut group = Group::new(format!("Funded accounts{unlocked}; ETH on {}", ids.join(" and ")));
    let http = Http::new()?;
    for (number, account) in ready.accounts.iter().enumerate() {
        let mut row = vec![number.to_string(), account.address.to_string()];
        for chain in &ready.chains {
            let rpc = Url::parse(&chain.rpc_url).expect("the platform's own addresses are well-formed");
            let balance = Chain::new(http.clone(), rpc, chain.chain_id).balance(account.address).await?;
            row.push(ether(&balance.to_string()));
        }
        group.rows.push(row);
    }
    Ok(group)
}

fn keys(ready: &Ready) -> Group {
    let mut group = Group::new("Their private keys, and the operator's");
    for (number, account) in ready.accounts.iter().enumerate() {
        group.add(&number.to_string(), account.private_key.to_string());
    }
    group.add("operator", &ready.operator_key);
    group
}

fn addresses(ready: &Ready) -> Group {
    let mut group = Group::new("Addresses");
    group.add("REST", &ready.base_url);
    group.add("swap", &ready.swap_base_url);
    if let Some(control) = &ready.control_url {
        group.add("control", control);
    }
    if let Some(token) = &ready.control_token {
        group.add("token", token);
        group.add("", "for the control plane, as Authorization: Bearer");
    }
    for chain in &ready.chains {
        group.add(&format!("chain {}", chain.chain_id), &chain.rpc_url);
        group.add("", format!("hook {}", chain.hook));
    }
    group
}

/// The groups with their titles; lines have at most 80 columns.
fn shown(groups: &[Group], colour: Colour) -> String {
    let text = |group: &Group| {
        let rows = columns(group.rows.iter().cloned(), None);
        let rows: String = rows.lines().map(|row| format!("  {row}\n")).collect();
        format!("{}\n{rows}", colour.strong(&group.title))
    };
    groups.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// Wei as ether, truncated to three decimals.
fn ether(wei: &str) -> String {
    let digits = format!("{wei:0>19}");
    let (whole, part) = digits.split_at(digits.len() - 18);
    format!("{whole}.{}", &part[..3])
}

#[cfg(test)]
mod tests {
    use super::ether;

    #[test]
    fn wei_are_shown_as_ether() {
        assert_eq!(ether("0"), "0.000");
        assert_eq!(ether("999999999999999"), "0.000");
        assert_eq!(ether("1500000000000000000"), "1.500");
        assert_eq!(ether("12345678900000000000000"), "12345.678");
    }
}
