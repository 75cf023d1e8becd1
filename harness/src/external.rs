//! An external target, read from the command line: addresses, or an image that is started.
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use slipway_contracts::ChainId;
use slipway_scenarios::Target;
use slipway_scenarios::client::stdio::TOOL_SERVER_VARIABLES;
use slipway_scenarios::target::{PrivateKey, ToolServerCommand};
use url::Url;

use crate::arguments::{LaneArgument, TargetArguments};
use crate::container::{self, ContainerPlatform};
use crate::error::{CommandError, UsageError};
use crate::wait;

/// An external target, with its container where this run has started one.
pub(crate) struct External {
    /// The target as checks see it.
    pub(crate) target: Target,
    /// Pairs of an address that is valid only during this run and the one to write in its place.
    pub(crate) lasting: Vec<(String, String)>,
    container: Option<ContainerPlatform>,
}

/// Starts a container if the target needs one, and waits as long as the arguments allow until it answers.
pub(crate) async fn start(arguments: &TargetArguments) -> Result<External, CommandError> {
    if let Some(image) = &arguments.image {
        let (container, target, lasting) = container::start(image, arguments).await?;
        return Ok(External { target, lasting, container: Some(container) });
    }
    let target = target(arguments)?;
    if let Some(seconds) = arguments.wait {
        wait::until_ready(&target, Duration::from_secs(seconds)).await?;
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
fn target(arguments: &TargetArguments) -> Result<Target, UsageError> {
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
    })
}

/// The private keys of the command line or the target file.
pub(crate) fn given_keys(arguments: &TargetArguments) -> Result<Option<Vec<PrivateKey>>, UsageError> {
    let read = match &arguments.private_keys {
        Some(path) => Some(read(path, "the file of private keys")?),
        None => arguments.private_keys_text.clone(),
    };
    let keys = |text: String| {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(PrivateKey::new).collect()
    };
    Ok(read.map(keys))
}

/// The text of a file that the command line names.
pub(crate) fn read(path: &Path, what: &'static str) -> Result<String, UsageError> {
    std::fs::read_to_string(path).map_err(|source| UsageError::File {
        what,
        path: path.display().to_string(),
        source,
    })
}

/// The tool server of the command line or the target file.
pub(crate) fn given_tool_server(
    arguments: &TargetArguments,
) -> Result<Option<ToolServerCommand>, UsageError> {
    arguments.mcp.as_deref().map(|text| tool_server(text, variables(arguments)?)).transpose()
}

fn optional(option: &'static str, text: Option<&str>) -> Result<Option<Url>, UsageError> {
    text.map(|text| address(text).ok_or_else(|| UsageError::Address { option, value: text.to_owned() }))
        .transpose()
}

pub(crate) fn address(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

fn rpc_url(text: &str) -> Result<(u64, Url), UsageError> {
    let wrong = || UsageError::RpcUrl { value: text.to_owned() };
    let (chain, url) = text.split_once('=').ok_or_else(wrong)?;
    let known = ChainId::named(chain).ok_or_else(wrong)?;
    Ok((known.0, address(url).ok_or_else(wrong)?))
}

pub(crate) fn tool_server(
    text: &str,
    variables: BTreeMap<String, String>,
) -> Result<ToolServerCommand, UsageError> {
    let mut words = shlex::split(text).unwrap_or_default().into_iter();
    let program = words.next().ok_or_else(|| UsageError::ToolServerCommand { value: text.to_owned() })?;
    Ok(ToolServerCommand { program, arguments: words.collect(), variables })
}

/// The names from the file, overridden by those on the command line.
pub(crate) fn variables(arguments: &TargetArguments) -> Result<BTreeMap<String, String>, UsageError> {
    let mut variables =
        arguments.mcp_variables_file.as_deref().map_or_else(|| Ok(BTreeMap::new()), variables_file)?;
    for text in &arguments.mcp_variables {
        let (ours, theirs) = variable(text)?;
        variables.insert(ours, theirs);
    }
    Ok(variables)
}

/// A renamed variable, written as OURS=THEIRS.
pub(crate) fn variable(text: &str) -> Result<(String, String), UsageError> {
    let wrong = || UsageError::Variable { value: text.to_owned() };
    let (ours, theirs) = text.split_once('=').ok_or_else(wrong)?;
    renamed(ours.to_owned(), theirs.to_owned())
}

fn variables_file(path: &Path) -> Result<BTreeMap<String, String>, UsageError> {
    let text = read(path, "the file of variables")?;
    let failed = |source| UsageError::VariablesTable { path: path.display().to_string(), source };
    let table: BTreeMap<String, String> = toml::from_str(&text).map_err(failed)?;
    table.into_iter().map(|(ours, theirs)| renamed(ours, theirs)).collect()
}

/// A variable that checks set, and the name the server reads instead. A misspelt variable would silently set nothing.
fn renamed(ours: String, theirs: String) -> Result<(String, String), UsageError> {
    if !TOOL_SERVER_VARIABLES.contains(&ours.as_str()) {
        return Err(UsageError::VariableUnknown { name: ours });
    }
    if theirs.is_empty() || theirs.contains(['=', '\0']) {
        return Err(UsageError::Variable { value: format!("{ours}={theirs}") });
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

    fn named(options: &[&str], file: Option<&Path>) -> Result<BTreeMap<String, String>, UsageError> {
        variables(&TargetArguments {
            mcp_variables: options.iter().map(ToString::to_string).collect(),
            mcp_variables_file: file.map(Path::to_owned),
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
    fn variable_names_from_file_and_option_are_validated() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("variables.toml");
        std::fs::write(&path, "# theirs\nSERVICE_BASE_URL = \"A\"\nSERVICE_MCP_RPC_URL = \"B\"\n").unwrap();
        let found = named(&["SERVICE_BASE_URL=C"], Some(&path)).unwrap();
        assert_eq!(found["SERVICE_BASE_URL"], "C");
        assert_eq!(found["SERVICE_MCP_RPC_URL"], "B");
        for wrong in ["OTHER=NAME", "SERVICE_BASE_URL", "SERVICE_BASE_URL=", "=A"] {
            assert!(named(&[wrong], None).is_err(), "{wrong}");
        }
        for wrong in [
            "SERVICE_BASE_URI = \"A\"",
            "SERVICE_BASE_URL = 7",
            "SERVICE_BASE_URL = \"a=b\"",
            "SERVICE_BASE_URL = \"A\"\nSERVICE_BASE_URL = \"B\"",
            "not toml",
        ] {
            std::fs::write(&path, wrong).unwrap();
            assert!(named(&[], Some(&path)).is_err(), "{wrong}");
        }
        assert!(named(&[], Some(Path::new("/nonexistent/variables.toml"))).is_err());
    }
}
