//! The target under test: only the addresses and credentials that the caller gives.
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use url::Url;

use crate::model::conventions::Conventions;

/// The primary chain.
pub const PRIMARY: u64 = 57073;
/// The second chain.
pub const SECOND: u64 = 4663;
/// Both supported chains.
pub(crate) const CHAINS: [u64; 2] = [PRIMARY, SECOND];

/// A platform under test, as seen from outside.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// The REST service.
    pub base_url: Option<Url>,
    /// The swap service.
    pub swap_url: Option<Url>,
    /// Chain RPC addresses by chain id.
    pub rpc_urls: BTreeMap<u64, Url>,
    /// The control plane, if the target has one.
    pub control_url: Option<Url>,
    /// Bearer token of the control plane, if it requires one; never printed.
    pub control_token: Option<PrivateKey>,
    /// The operator's credential for chat.
    pub operator_key: Option<String>,
    /// Private keys (hex) of accounts with funds on the chains; never printed.
    pub private_keys: Vec<PrivateKey>,
    /// The command that starts a tool server on stdio.
    pub tool_server: Option<ToolServerCommand>,
    /// How clients handle its limits.
    pub rate_policy: RatePolicy,
    /// How it fills the gaps of the interface.
    pub conventions: Conventions,
}

/// A command with its arguments and the names of the variables it reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolServerCommand {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Variables that the server knows under another name: the interface's name to the server's.
    pub variables: BTreeMap<String, String>,
}

impl ToolServerCommand {
    /// Returns the server's name for a variable of the interface.
    pub fn variable<'a>(&'a self, name: &'a str) -> &'a str {
        self.variables.get(name).map_or(name, String::as_str)
    }
}

/// A private key whose `Debug` output is hidden.
#[derive(Clone, PartialEq, Eq)]
pub struct PrivateKey(String);

impl PrivateKey {
    /// Wraps a hexadecimal key.
    pub fn new(hex: impl Into<String>) -> Self {
        Self(hex.into())
    }

    /// Generates 32 unpredictable bytes.
    pub fn random() -> Self {
        Self(alloy::hex::encode(alloy::signers::local::PrivateKeySigner::random().to_bytes()))
    }

    /// Returns the key itself, for signing.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PrivateKey(hidden)")
    }
}

/// How a client handles the limits of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatePolicy {
    /// Longest total wait of one request after refusals with 429.
    pub max_wait: Duration,
    /// Most requests a second to each origin; unlimited if `None`.
    pub requests_per_second: Option<NonZeroU32>,
}

/// Waits long enough for any limit of one minute.
impl Default for RatePolicy {
    fn default() -> Self {
        Self { max_wait: Duration::from_secs(120), requests_per_second: None }
    }
}

/// An endpoint or credential that a check requires; it is skipped if the target lacks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// The REST service.
    Rest,
    /// The contract that takes launches, named by a REST service or the target file.
    LaunchHook,
    /// The swap service.
    Swap,
    /// The RPC of the primary chain, 57073.
    PrimaryChain,
    /// The RPC of the second chain, 4663.
    SecondChain,
    /// Funded accounts to sign with.
    Accounts,
    /// The control plane.
    Control,
    /// A command that starts the stdio tool server.
    ToolServer,
}

impl Need {
    /// Returns why a check is skipped without it.
    pub fn reason_to_skip(self) -> String {
        format!("the target has not been given {self}")
    }
}

impl fmt::Display for Need {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Rest => "the REST service (--base-url)",
            Self::LaunchHook => "the launch hook (--base-url, or [target.conventions] hook)",
            Self::Swap => "the swap service (--swap-url)",
            Self::PrimaryChain => "the RPC of chain 57073 (--rpc-url 57073=URL)",
            Self::SecondChain => "the RPC of chain 4663 (--rpc-url 4663=URL)",
            Self::Accounts => "funded accounts (--private-keys)",
            Self::Control => "the control plane (--control-url)",
            Self::ToolServer => "a tool server command (--mcp)",
        })
    }
}
