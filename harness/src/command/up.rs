//! `slipway up`: the platform, until a shutdown signal.
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::pin::pin;

use slipway_contracts::write_whole;
use slipway_scenarios::client::chain::Chain;
use slipway_scenarios::client::http::Http;
use slipway_scenarios::verdict::Inconclusive;
use slipway_sim::ports::Ports;
use slipway_sim::{Attach, PublicUrls, Ready, ReadyIndex};
use tokio::io::AsyncReadExt as _;
use url::Url;

use super::{env, live, shutdown_signal};
use crate::arguments::{LogArgument, UpArguments};
use crate::colour::Colour;
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::external::address;
use crate::local::Front;
use crate::{local, output};

/// Why no platform is started, or not announced.
#[derive(Debug, thiserror::Error)]
enum UpError {
    #[error("there are not five ports from {base} on")]
    PortRange { base: u16 },
    #[error(
        "--public-url takes SERVICE=URL with `rest` or `swap` and an origin (http or https, a host, no path), not {value:?}"
    )]
    PublicUrl { value: String },
    #[error("the ready file {path} cannot be written or read: {source}")]
    ReadyFile { path: String, source: std::io::Error },
}

impl Fatal for UpError {
    fn exit(&self) -> Exit {
        if matches!(self, Self::ReadyFile { .. }) { Exit::Inconclusive } else { Exit::Usage }
    }
}

pub(super) async fn run(arguments: UpArguments) -> Result<Exit, CommandError> {
    let front = Front::of(&arguments.serve.platform)?;
    let mut config = local::served(arguments.serve);
    // What only this machine reaches has no secret from its user: the keys are those of test money, derived from the seed.
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
    let _shown =
        (base != 0).then(|| env::ready_file(base)).flatten().and_then(|path| Shown::leave(path, &line));
    output::data(&if arguments.print.json {
        format!("{line}\n")
    } else {
        let groups = spoken(platform.ready(), with_keys).await?;
        if std::io::stdout().is_terminal() { shown(&groups, Colour::of_stdout()) } else { plain(&groups) }
    })?;
    let log = arguments.log.or((!arguments.print.json && !arguments.quiet).then_some(LogArgument::Text));
    if let Some(log) = log {
        live::print(platform.follow(), log);
    }
    let ended = tokio::select! {
        () = &mut stop => Ok(Exit::Conformant),
        () = end_of_input(), if arguments.until_eof => Ok(Exit::Conformant),
        error = platform.died() => Err(error),
    };
    let exported = match (&ended, &file) {
        (Ok(_), Some(file)) => platform.export(file).await,
        _ => Ok(()),
    };
    platform.stop().await;
    Ok(exported.and(ended)?)
}

/// The ready line where `slipway env` looks for it; removed when dropped.
struct Shown(PathBuf);

impl Shown {
    /// A platform still runs if its user has no folder for caches.
    fn leave(path: PathBuf, line: &str) -> Option<Self> {
        std::fs::create_dir_all(path.parent()?).ok()?;
        write_whole(&path, line.as_bytes()).ok()?;
        Some(Self(path))
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The addresses at which callers reach the services.
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

/// The file of the export at the end, or the folder of those that the control plane names.
fn exports(given: Option<PathBuf>) -> (Option<PathBuf>, Option<PathBuf>) {
    let is_folder = |path: &PathBuf| path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
    match given {
        Some(path) if is_folder(&path) => (None, Some(path)),
        file => (file, None),
    }
}

/// The platform that a ready file describes.
fn attached(path: &Path) -> Result<Attach, UpError> {
    let failed = |source| UpError::ReadyFile { path: path.display().to_string(), source };
    let line = slipway_contracts::read_text(path, slipway_contracts::WRITTEN).map_err(failed)?;
    serde_json::from_str(&line).map_err(|error| failed(error.into()))
}

async fn end_of_input() {
    let mut input = tokio::io::stdin();
    let mut sink = [0; 1024];
    while matches!(input.read(&mut sink).await, Ok(count) if count > 0) {}
}

/// Lines of the text output that belong together: a title for people, and values with their labels.
type Group = (&'static str, Vec<(&'static str, String)>);

/// The text output: addresses, accounts with balances, what was indexed, next steps.
async fn spoken(ready: &Ready, with_keys: bool) -> Result<Vec<Group>, Inconclusive> {
    let mut addresses = vec![("REST", ready.base_url.clone()), ("swap", ready.swap_base_url.clone())];
    addresses.extend(ready.control_url.clone().map(|control| ("control", control)));
    let token = |token| format!("{token}  (Authorization: Bearer, for the control plane)");
    addresses.extend(ready.control_token.as_ref().map(|shown| ("token", token(shown))));
    for chain in &ready.chains {
        addresses.push(("chain", format!("{:<6}{}  hook {}", chain.chain_id, chain.rpc_url, chain.hook)));
    }
    let mut accounts = Vec::new();
    let http = Http::new()?;
    for account in &ready.accounts {
        let mut line = account.address.to_string();
        for chain in &ready.chains {
            let rpc = Url::parse(&chain.rpc_url).expect("the platform's own addresses are well-formed");
            let balance = Chain::new(http.clone(), rpc, chain.chain_id).balance(account.address).await?;
            let _ = write!(line, "  {} ETH on {}", ether(&balance.to_string()), chain.chain_id);
        }
        accounts.push(("account", line));
    }
    let mut keys = Vec::new();
    if with_keys {
        keys.extend(ready.accounts.iter().map(|account| ("key", account.private_key.to_string())));
        keys.push(("operator", ready.operator_key.clone()));
    }
    let ReadyIndex { launches, blocks, events, milliseconds, events_per_second } = ready.indexed;
    let indexed = format!(
        "{launches} launches, {blocks} blocks, {events} events in {milliseconds} ms ({events_per_second} events a second)"
    );
    let clock = format!("{}: {}", ready.clock.name(), ready.clock.rule());
    let mut next = vec![("open", format!("{}  tokens, trading, transactions", ready.base_url))];
    next.extend(ready.control_url.iter().map(|control| ("", format!("{control}  console"))));
    next.push(("try", format!("curl -s '{}/api/tokens?sortBy=mcap-high'", ready.base_url)));
    next.extend(ready.control_url.iter().map(|control| ("", format!("curl -s {control}/_sim/clock"))));
    next.push(("stop", "Ctrl-C".to_owned()));
    Ok(vec![
        ("Addresses", addresses),
        ("Funded accounts, unlocked at the nodes", accounts),
        ("Their private keys, in the same order", keys),
        ("Market", vec![("indexed", indexed), ("seed", ready.seed.to_string()), ("clock", clock)]),
        ("Next steps", next),
    ])
}

/// The text for programs and files: one line per value, and the next steps after an empty line.
fn plain(groups: &[Group]) -> String {
    let text = |(_, lines): &Group| {
        lines.iter().map(|(label, value)| format!("{label:<10}{value}\n")).collect::<String>()
    };
    let (next, facts) = groups.split_last().expect("there are groups");
    format!("{}\n{}", facts.iter().map(text).collect::<String>(), text(next))
}

/// The text for a terminal: groups with titles.
fn shown(groups: &[Group], colour: Colour) -> String {
    let mut text = String::new();
    for (title, lines) in groups.iter().filter(|(_, lines)| !lines.is_empty()) {
        let _ = writeln!(text, "\n{}", colour.strong(title));
        for (label, value) in lines {
            let _ = writeln!(text, "  {}{value}", colour.faint(&format!("{label:<10}")));
        }
    }
    text
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
