//! `slipway env`: prints the variables of `exec` for a user's shell, for a platform that already runs.
use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use slipway_scenarios::client::http::Http;
use slipway_scenarios::client::message::Request;
use slipway_sim::ports::Ports;
use url::Url;

use crate::arguments::{EnvArguments, PortArgument};
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::target::variables::environment;
use crate::terminal::output;

/// The variable with the token of a control plane that requires one.
const TOKEN: &str = "SLIPWAY_CONTROL_TOKEN";

/// The variable with the ready line, which `exec` sets.
const READY: &str = "SLIPWAY_READY";

/// Why there are no variables.
#[derive(Debug, thiserror::Error)]
pub(super) enum EnvError {
    #[error(
        "no control plane answers on port {control}, where that of `slipway up --port {port}` is: {reason}; start a platform, \
         or name one elsewhere: by --port, or by its ready file with `eval \"$(slipway env READY_FILE)\"`"
    )]
    NotRunning { port: u16, control: u16, reason: String },
    #[error("the platform on the ports from {port} on demands the token of its control plane; set {TOKEN}")]
    Token { port: u16 },
    #[error("port {control} is answered by something other than the control plane of a platform")]
    NotOurs { control: u16 },
    #[error("{reason}; {READY} names it: unset it, or give --port")]
    Gone { reason: String },
    #[error("the ready file {path} cannot be read: {source}; `slipway up --ready-file FILE` writes one")]
    Unreadable { path: String, source: std::io::Error },
}

impl Fatal for EnvError {
    fn exit(&self) -> Exit {
        if matches!(self, Self::Unreadable { .. }) { Exit::Usage } else { Exit::Inconclusive }
    }
}

pub(super) async fn run(arguments: &EnvArguments) -> Result<Exit, CommandError> {
    let ready = match &arguments.ready_file {
        Some(path) => read(path)?,
        None => running(arguments.ports.base()).await?,
    };
    output::done(&exports(&environment(&ready)))
}

/// Reads the ready line in a file.
pub(super) fn read(path: &Path) -> Result<Value, EnvError> {
    let failed = |source| EnvError::Unreadable { path: path.display().to_string(), source };
    let text = slipway_contracts::read_text(path, slipway_contracts::WRITTEN).map_err(failed)?;
    serde_json::from_str(&text).map_err(|error| failed(error.into()))
}

/// The ready line of the platform on the given ports; without a port that of the surrounding `exec`, or of the platform on the usual ports.
pub(super) async fn given_or_running(ports: PortArgument) -> Result<Value, CommandError> {
    let named = std::env::var(READY).ok().filter(|_| ports.port.is_none());
    let Some(ready) = named.and_then(|line| serde_json::from_str::<Value>(&line).ok()) else {
        return running(ports.base()).await;
    };
    if let Some(control) = ready["controlUrl"].as_str().and_then(|url| Url::parse(url).ok()) {
        // Any answer will do: it shows that the platform still runs.
        let answer = Http::new()?.send_once(Request::get(&control, "/_sim/platform", &[])).await;
        answer.map_err(|error| EnvError::Gone { reason: error.to_string() })?;
    }
    Ok(ready)
}

/// The ready line of the platform on the ports from `port` on, from its control plane, with the addresses used to reach it: the platform
/// itself may be behind proxies.
async fn running(port: u16) -> Result<Value, CommandError> {
    let ports = Ports::from_base(port).expect("the command line demands a port with four above it");
    let address = |port: u16| format!("http://127.0.0.1:{port}");
    let control: Url = address(ports.control).parse().expect("an address with a port is an address");
    let mut request = Request::get(&control, "/_sim/platform", &[]);
    if let Ok(token) = std::env::var(TOKEN) {
        request.headers.push(("authorization".to_owned(), format!("Bearer {token}")));
    }
    let answer = Http::new()?.send_once(request).await.map_err(|error| EnvError::NotRunning {
        port,
        control: ports.control,
        reason: error.to_string(),
    })?;
    if answer.code() == 401 {
        return Err(EnvError::Token { port }.into());
    }
    let ready = answer.json().filter(|ready: &Value| answer.code() == 200 && ready["chains"].is_array());
    let mut ready = ready.ok_or(EnvError::NotOurs { control: ports.control })?;
    ready["baseUrl"] = address(ports.rest).into();
    ready["swapBaseUrl"] = address(ports.swap).into();
    ready["controlUrl"] = address(ports.control).into();
    let chains = ready["chains"].as_array_mut().into_iter().flatten();
    for (chain, port) in chains.zip([ports.primary_chain, ports.second_chain]) {
        chain["rpcUrl"] = address(port).into();
    }
    Ok(ready)
}

/// Lines that a shell evaluates.
fn exports(variables: &[(String, String)]) -> String {
    let mut text = String::new();
    for (name, value) in variables {
        // Only a text with a zero byte cannot be quoted; our JSON contains none.
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
