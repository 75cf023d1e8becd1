//! What is checked: the addresses and rights the caller has been given, and nothing else.
use std::collections::BTreeMap;

use url::Url;

use crate::client::rate_limit::RatePolicy;

/// A platform under test, as seen from outside.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// The REST service.
    pub base_url: Option<Url>,
    /// The swap service.
    pub swap_url: Option<Url>,
    /// Chain RPC addresses by chain id.
    pub rpc_urls: BTreeMap<u64, Url>,
    /// The control plane, where the target has one.
    pub control_url: Option<Url>,
    /// Credential of the control plane, where it demands one; never printed.
    pub control_token: Option<PrivateKey>,
    /// Credential for chat.
    pub operator_key: Option<String>,
    /// Private keys (hex) of accounts with funds on the chains; never printed.
    pub private_keys: Vec<PrivateKey>,
    /// The command that starts a tool server on stdio.
    pub tool_server: Option<ToolServerCommand>,
    /// How its limits are treated.
    pub rate_policy: RatePolicy,
}

/// A command with its arguments and the names of the variables it reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolServerCommand {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Names of environment variables that the server knows by another name: the interface's name to its own.
    pub variables: BTreeMap<String, String>,
}

impl ToolServerCommand {
    /// The name by which the server knows a variable of the interface.
    pub fn variable<'a>(&'a self, name: &'a str) -> &'a str {
        self.variables.get(name).map_or(name, String::as_str)
    }
}

/// A private key that does not show itself.
#[derive(Clone, PartialEq, Eq)]
pub struct PrivateKey(String);

impl PrivateKey {
    /// Wraps a hexadecimal key.
    pub fn new(hex: impl Into<String>) -> Self {
        Self(hex.into())
    }

    /// 32 bytes that cannot be guessed.
    pub fn random() -> Self {
        Self(alloy::hex::encode(alloy::signers::local::PrivateKeySigner::random().to_bytes()))
    }

    /// The key itself, to sign with.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for PrivateKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("PrivateKey(hidden)")
    }
}
