//! The target of a check: addresses or an image, and how to treat its limits.
use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use slipway_scenarios::Lane;
use slipway_scenarios::model::conventions::Conventions;
use slipway_scenarios::model::target::RatePolicy;

use crate::files::target_file::ContainerTable;

/// An external target; the local platform is started when neither these nor a file `slipway.toml` names one.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Target")]
pub(crate) struct TargetArguments {
    /// Container image of a platform: it is started, reached as its labels `io.slipway.*` or `slipway.toml` say, and removed afterwards.
    #[arg(
        long,
        value_name = "NAME",
        conflicts_with_all = ["base_url", "swap_url", "rpc_urls", "control_url"]
    )]
    pub(crate) image: Option<String>,
    /// The container, from the target file.
    #[arg(skip)]
    pub(crate) container: ContainerTable,
    /// How the target does what the interface leaves open, as the target file declares it.
    #[arg(skip)]
    pub(crate) conventions: Conventions,
    /// Address of the REST service.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Address of the swap service.
    #[arg(long, value_name = "URL")]
    pub(crate) swap_url: Option<String>,
    /// Chain RPC address as CHAIN=URL (repeatable).
    #[arg(long = "rpc-url", value_name = "CHAIN=URL")]
    pub(crate) rpc_urls: Vec<String>,
    /// Address of the control plane.
    #[arg(long, value_name = "URL")]
    pub(crate) control_url: Option<String>,
    /// Token that the control plane requires.
    #[arg(long, value_name = "TOKEN", env = "SLIPWAY_CONTROL_TOKEN", hide_env_values = true)]
    pub(crate) control_token: Option<String>,
    /// Operator key: the credential that chat messages require.
    #[arg(long, env = "SLIPWAY_OPERATOR_KEY", hide_env_values = true)]
    pub(crate) operator_key: Option<String>,
    /// File with private keys of funded accounts, one hexadecimal key per line.
    #[arg(long, value_name = "FILE")]
    pub(crate) private_keys: Option<PathBuf>,
    /// Private keys given otherwise than by a file on the command line.
    #[arg(skip)]
    pub(crate) private_keys_text: Option<String>,
    /// Wait up to this many seconds until every part of the target answers.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) wait: Option<u64>,
    /// File that describes the target (default: `slipway.toml` in this folder or in one above), or `none`; options override it.
    #[arg(long, value_name = "FILE")]
    pub(crate) target_file: Option<PathBuf>,
    /// Command that starts a tool server on stdio, quoted as one shell argument; `check` of it alone starts a platform that it works with.
    #[arg(long, value_name = "COMMAND")]
    pub(crate) mcp: Option<String>,
    /// Names that the tool server reads in place of variables of ours, as OURS=THEIRS, as the target file declares them.
    #[arg(skip)]
    pub(crate) mcp_variables: Vec<String>,
    #[command(flatten)]
    pub(crate) rate: RateArguments,
}

/// How the limits of a target are treated.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Limits of the target")]
pub(crate) struct RateArguments {
    /// Most requests per second to each address of the target (default: unlimited).
    #[arg(long, value_name = "COUNT")]
    pub(crate) requests_per_second: Option<NonZeroU32>,
}

impl RateArguments {
    /// The policy of a client for limits.
    pub(crate) fn policy(&self) -> RatePolicy {
        RatePolicy { requests_per_second: self.requests_per_second, ..RatePolicy::default() }
    }
}

impl TargetArguments {
    /// The first option of the command line that means nothing without an address. A variable may hold that of a platform in a shell.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let is_option = |value: &Option<String>, variable: &str| {
            value.is_some() && std::env::var(variable).ok() != *value
        };
        let options = [
            ("--wait", self.wait.is_some()),
            ("--private-keys", self.private_keys.is_some()),
            ("--operator-key", is_option(&self.operator_key, "SLIPWAY_OPERATOR_KEY")),
            ("--control-token", is_option(&self.control_token, "SLIPWAY_CONTROL_TOKEN")),
        ];
        options.into_iter().find_map(|(option, is_given)| is_given.then_some(option))
    }

    /// Whether any part of an external target was given.
    pub(crate) fn is_external(&self) -> bool {
        self.image.is_some() || self.has_address() || self.mcp.is_some()
    }

    /// Whether only a tool server was given: it is checked with a platform of ours.
    pub(crate) fn is_tool_server_alone(&self) -> bool {
        self.mcp.is_some() && self.image.is_none() && !self.has_address()
    }

    /// Whether an address was given.
    pub(crate) fn has_address(&self) -> bool {
        self.base_url.is_some()
            || self.swap_url.is_some()
            || !self.rpc_urls.is_empty()
            || self.control_url.is_some()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LaneArgument {
    /// Only checks that read.
    Read,
    /// All checks.
    Write,
}

impl LaneArgument {
    pub(crate) fn word(self) -> &'static str {
        if self == Self::Write { "write" } else { "read" }
    }

    /// The most disruptive lane that may run.
    pub(crate) fn most(self) -> Lane {
        if self == Self::Write { Lane::Exclusive } else { Lane::Read }
    }
}

#[derive(Args, Debug)]
pub(crate) struct ExecInContainerArguments {
    /// Id of the container.
    #[arg(long, value_name = "ID")]
    pub(crate) container: String,
    /// Address of this machine as the container sees it.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) gateway: Option<String>,
    /// Port of this machine that leads to a port of the container (repeatable).
    #[arg(long, value_name = "OUTSIDE=INSIDE", value_parser = ports)]
    pub(crate) mapped: Vec<(u16, u16)>,
    /// Name that the tool server reads in place of a variable of the interface, as OURS=THEIRS (repeatable).
    #[arg(long = "variable", value_name = "OURS=THEIRS")]
    pub(crate) variables: Vec<String>,
    /// The command of the tool server.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// Two ports, written as OUTSIDE=INSIDE.
fn ports(text: &str) -> Result<(u16, u16), String> {
    let pair = text
        .split_once('=')
        .and_then(|(outside, inside)| Some((outside.parse().ok()?, inside.parse().ok()?)));
    pair.ok_or_else(|| "not two ports, written as OUTSIDE=INSIDE".to_owned())
}
