//! An external target from the command line: addresses, or an image to start.
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use slipway_contracts::ChainId;
use slipway_scenarios::Target;
use slipway_scenarios::client::account::Account;
use slipway_scenarios::client::stdio::TOOL_SERVER_VARIABLES;
use slipway_scenarios::model::target::{PrivateKey, ToolServerCommand};
use slipway_sim::is_credential;
use url::Url;

use crate::arguments::{LaneArgument, TargetArguments};
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::target::address::address;
use crate::target::container::{self, ContainerPlatform};
use crate::target::wait;

/// An error in the command line's description of a target.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TargetError {
    #[error("{option} takes an absolute http or https address such as http://127.0.0.1:4700, not {value:?}")]
    Address { option: &'static str, value: String },
    #[error("--rpc-url takes CHAIN=URL with chain 57073 or 4663, not {value:?}")]
    RpcUrl { value: String },
    #[error("--rpc-url {given}=…: that node is chain {actual}")]
    OtherChain { given: u64, actual: u64 },
    #[error("--mcp takes a shell-quoted command, not {value:?}")]
    ToolServerCommand { value: String },
    #[error("a variable of the tool server is renamed as OURS=THEIRS, not {value:?}")]
    Variable { value: String },
    #[error("the tool server has no variable {name:?}; there are {}", TOOL_SERVER_VARIABLES.join(", "))]
    VariableUnknown { name: String },
    #[error("{option} takes 1 to 256 visible ASCII characters: it is sent in a header")]
    Credential { option: &'static str },
    #[error(
        "line {line} of the private keys is not one: a key is 64 hexadecimal digits on a line of its own"
    )]
    PrivateKey { line: usize },
    #[error("{what} {path} cannot be read: {source}")]
    File { what: &'static str, path: String, source: std::io::Error },
}

impl Fatal for TargetError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}

/// An external target, with its container if this run has started one.
pub(crate) struct External {
    /// The target as checks see it.
    pub(crate) target: Target,
    /// Pairs of an address that is valid only during this run and the one to write instead.
    pub(crate) lasting: Vec<(String, String)>,
    container: Option<ContainerPlatform>,
}

/// Starts a container if the target needs one, and waits until it answers, up to the time limit of the arguments.
pub(crate) async fn start(arguments: &TargetArguments) -> Result<External, CommandError> {
    for (option, text) in
        [("--operator-key", &arguments.operator_key), ("--control-token", &arguments.control_token)]
    {
        if text.as_deref().is_some_and(|text| !is_credential(text)) {
            return Err(TargetError::Credential { option }.into());
        }
    }
    if let Some(image) = &arguments.image {
        let (container, target, lasting) = container::start(image, arguments).await?;
        return Ok(External { target, lasting, container: Some(container) });
    }
    let target = target(arguments)?;
    if let Some(seconds) = arguments.wait {
        wait::until_ready(&target, Duration::from_secs(seconds)).await?;
    }
    if let Some((given, actual)) = wait::other_chain(&target).await {
        return Err(TargetError::OtherChain { given, actual }.into());
    }
    Ok(External { target, lasting: Vec::new(), container: None })
}

impl External {
    /// The default lane: a container of this run has no other users.
    pub(crate) fn lane(&self) -> LaneArgument {
        if self.container.is_some() { LaneArgument::Write } else { LaneArgument::Read }
    }

    /// The result of the work, or an error if its container ends first.
    pub(crate) async fn alive<T>(
        &self,
        work: impl Future<Output = Result<T, CommandError>>,
    ) -> Result<T, CommandError> {
        let Some(container) = &self.container else { return work.await };
        tokio::select! {
            ended = work => ended,
            error = container.died() => Err(error),
        }
    }
}

/// The target that the addresses of the arguments describe.
fn target(arguments: &TargetArguments) -> Result<Target, TargetError> {
    Ok(Target {
        base_url: optional("--base-url", arguments.base_url.as_deref())?,
        swap_url: optional("--swap-url", arguments.swap_url.as_deref())?,
        rpc_urls: arguments
            .rpc_urls
            .iter()
            .map(|text| rpc_url(text))
            .collect::<Result<BTreeMap<_, _>, _>>()?,
        control_url: optional("--control-url", arguments.control_url.as_deref())?,
        control_token: arguments.control_token.clone().map(PrivateKey::new),
        operator_key: arguments.operator_key.clone(),
        private_keys: given_keys(arguments)?.unwrap_or_default(),
        tool_server: given_tool_server(arguments)?,
        rate_policy: arguments.rate.policy(),
        conventions: arguments.conventions.clone(),
    })
}

/// The private keys of the command line or the target file.
pub(crate) fn given_keys(arguments: &TargetArguments) -> Result<Option<Vec<PrivateKey>>, TargetError> {
    let read = match &arguments.private_keys {
        Some(path) => Some(read(path, "the file of private keys")?),
        None => arguments.private_keys_text.clone(),
    };
    read.map(|text| private_keys(text.lines())).transpose()
}

/// The private keys of these lines; empty ones are left out.
pub(crate) fn private_keys<'l>(lines: impl Iterator<Item = &'l str>) -> Result<Vec<PrivateKey>, TargetError> {
    let given = lines.map(str::trim).enumerate().filter(|(_, line)| !line.is_empty());
    let keys = given.map(|(at, line)| {
        let key = PrivateKey::new(line);
        Account::lent(&key).map(|_| key).map_err(|_| TargetError::PrivateKey { line: at + 1 })
    });
    keys.collect()
}

/// The text of a file that the command line names.
pub(crate) fn read(path: &Path, what: &'static str) -> Result<String, TargetError> {
    slipway_contracts::read_text(path, slipway_contracts::WRITTEN).map_err(|source| TargetError::File {
        what,
        path: path.display().to_string(),
        source,
    })
}

/// The tool server of the command line or the target file.
pub(crate) fn given_tool_server(
    arguments: &TargetArguments,
) -> Result<Option<ToolServerCommand>, TargetError> {
    arguments.mcp.as_deref().map(|text| tool_server(text, variables(arguments)?)).transpose()
}

fn optional(option: &'static str, text: Option<&str>) -> Result<Option<Url>, TargetError> {
    text.map(|text| address(text).ok_or_else(|| TargetError::Address { option, value: text.to_owned() }))
        .transpose()
}

fn rpc_url(text: &str) -> Result<(u64, Url), TargetError> {
    let wrong = || TargetError::RpcUrl { value: text.to_owned() };
    let (chain, url) = text.split_once('=').ok_or_else(wrong)?;
    let known = ChainId::named(chain).ok_or_else(wrong)?;
    Ok((known.0, address(url).ok_or_else(wrong)?))
}

pub(crate) fn tool_server(
    text: &str,
    variables: BTreeMap<String, String>,
) -> Result<ToolServerCommand, TargetError> {
    let mut words = shlex::split(text).unwrap_or_default().into_iter();
    let program = words.next().ok_or_else(|| TargetError::ToolServerCommand { value: text.to_owned() })?;
    Ok(ToolServerCommand { program, arguments: words.collect(), variables })
}

/// The names of the target file, overridden by those on the command line.
pub(crate) fn variables(arguments: &TargetArguments) -> Result<BTreeMap<String, String>, TargetError> {
    let mut variables = BTreeMap::new();
    for text in &arguments.mcp_variables {
        let (ours, theirs) = variable(text)?;
        variables.insert(ours, theirs);
    }
    Ok(variables)
}

/// A renamed variable, written as OURS=THEIRS.
pub(crate) fn variable(text: &str) -> Result<(String, String), TargetError> {
    let wrong = || TargetError::Variable { value: text.to_owned() };
    let (ours, theirs) = text.split_once('=').ok_or_else(wrong)?;
    renamed(ours.to_owned(), theirs.to_owned())
}

/// A variable that checks set, and the name the server reads instead. A misspelled variable would silently have no effect.
fn renamed(ours: String, theirs: String) -> Result<(String, String), TargetError> {
    if !TOOL_SERVER_VARIABLES.contains(&ours.as_str()) {
        return Err(TargetError::VariableUnknown { name: ours });
    }
    if theirs.is_empty() || theirs.contains(['=', '\0']) {
        return Err(TargetError::Variable { value: format!("{ours}={theirs}") });
    }
    Ok((ours, theirs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_chains_and_addresses_are_refused() {
        assert_eq!(rpc_url("57073=http://127.0.0.1:1").unwrap().0, ChainId::PRIMARY.0);
        for wrong in ["http://127.0.0.1:1", "1=http://127.0.0.1:1", "4663=ftp://host", "4663="] {
            assert!(rpc_url(wrong).is_err(), "{wrong}");
        }
    }

    fn named(options: &[&str]) -> Result<BTreeMap<String, String>, TargetError> {
        variables(&TargetArguments {
            mcp_variables: options.iter().map(ToString::to_string).collect(),
            ..TargetArguments::default()
        })
    }

    #[test]
    fn command_splits_like_a_shell() {
        let command = tool_server("node 'my server.js' --flag", BTreeMap::new()).unwrap();
        assert_eq!(command.program, "node");
        assert_eq!(command.arguments, ["my server.js", "--flag"]);
        assert!(tool_server("", BTreeMap::new()).is_err());
        assert!(tool_server("unclosed 'quote", BTreeMap::new()).is_err());
    }

    #[test]
    fn variable_names_are_validated() {
        // The names of the target file come first.
        let found = named(&["SERVICE_BASE_URL=A", "SERVICE_MCP_RPC_URL=B", "SERVICE_BASE_URL=C"]).unwrap();
        assert_eq!(found["SERVICE_BASE_URL"], "C");
        assert_eq!(found["SERVICE_MCP_RPC_URL"], "B");
        for wrong in ["OTHER=NAME", "SERVICE_BASE_URL", "SERVICE_BASE_URL=", "=A", "SERVICE_BASE_URL=a=b"] {
            assert!(named(&[wrong]).is_err(), "{wrong}");
        }
    }
}
