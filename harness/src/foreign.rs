//! A foreign target, read from the command line.
use std::collections::BTreeMap;
use std::path::Path;

use slipway_scenarios::Target;
use slipway_scenarios::target::{PrivateKey, ToolServerCommand};
use url::Url;

use crate::arguments::TargetArguments;
use crate::error::CommandError;

/// The target the arguments describe.
pub(crate) fn target(arguments: &TargetArguments) -> Result<Target, CommandError> {
    Ok(Target {
        base_url: optional("--base-url", arguments.base_url.as_deref())?,
        swap_url: optional("--swap-url", arguments.swap_url.as_deref())?,
        rpc_urls: arguments
            .rpc_urls
            .iter()
            .map(|text| rpc_url(text))
            .collect::<Result<BTreeMap<_, _>, _>>()?,
        control_url: optional("--control-url", arguments.control_url.as_deref())?,
        operator_key: arguments.operator_key.clone(),
        private_keys: arguments
            .private_keys
            .as_deref()
            .map_or_else(|| Ok(Vec::new()), private_keys)?,
        tool_server: arguments
            .mcp
            .as_deref()
            .map(|text| tool_server(text, &arguments.mcp_variables))
            .transpose()?,
    })
}

fn optional(option: &'static str, text: Option<&str>) -> Result<Option<Url>, CommandError> {
    text.map(|text| {
        address(text).ok_or_else(|| CommandError::Address {
            option,
            value: text.to_owned(),
        })
    })
    .transpose()
}

fn address(text: &str) -> Option<Url> {
    Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

fn rpc_url(text: &str) -> Result<(u64, Url), CommandError> {
    let wrong = || CommandError::RpcUrl {
        value: text.to_owned(),
    };
    let (chain, url) = text.split_once('=').ok_or_else(wrong)?;
    let chain = match chain {
        "57073" => 57073,
        "4663" => 4663,
        _ => return Err(wrong()),
    };
    Ok((chain, address(url).ok_or_else(wrong)?))
}

fn private_keys(path: &Path) -> Result<Vec<PrivateKey>, CommandError> {
    let text = std::fs::read_to_string(path).map_err(|source| CommandError::PrivateKeys {
        path: path.display().to_string(),
        source,
    })?;
    Ok(text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(PrivateKey::new)
        .collect())
}

fn tool_server(text: &str, variables: &[String]) -> Result<ToolServerCommand, CommandError> {
    let mut words = shlex::split(text).unwrap_or_default().into_iter();
    let variables = variables
        .iter()
        .map(|text| renamed(text))
        .collect::<Result<_, _>>()?;
    let program = words.next().ok_or_else(|| CommandError::ToolServerCommand {
        value: text.to_owned(),
    })?;
    Ok(ToolServerCommand {
        program,
        arguments: words.collect(),
        variables,
    })
}

/// `OURS=THEIRS`: the variable of the interface and the name the server reads instead.
fn renamed(text: &str) -> Result<(String, String), CommandError> {
    match text.split_once('=') {
        Some((ours, theirs)) if ours.starts_with("SERVICE_") && !theirs.is_empty() => {
            Ok((ours.to_owned(), theirs.to_owned()))
        }
        _ => Err(CommandError::Variable {
            value: text.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_and_addresses_are_taken_only_when_well_formed() {
        assert_eq!(rpc_url("57073=http://127.0.0.1:1").unwrap().0, 57073);
        for wrong in [
            "http://127.0.0.1:1",
            "1=http://127.0.0.1:1",
            "4663=ftp://host",
            "4663=",
        ] {
            assert!(rpc_url(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_command_is_split_as_a_shell_would() {
        let command = tool_server(
            "node 'my server.js' --flag",
            &["SERVICE_BASE_URL=LAUNCH_BASE_URL".to_owned()],
        )
        .unwrap();
        assert_eq!(command.arguments, ["my server.js", "--flag"]);
        assert_eq!(command.variables["SERVICE_BASE_URL"], "LAUNCH_BASE_URL");
        assert!(tool_server("node", &["OTHER=NAME".to_owned()]).is_err());
        assert!(tool_server("", &[]).is_err());
        assert!(tool_server("unclosed 'quote", &[]).is_err());
    }
}
