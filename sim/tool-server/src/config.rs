//! Configuration from environment variables: each is read once, checked, and never quoted in an error.
use std::ffi::OsString;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, B256, U256};
use slipway_redaction::Redactor;
use slipway_redaction::address::path_secrets;
use url::Url;

use crate::decimal::{self, Wei};
use crate::ensure::ensure;
use crate::http::Limits;
use crate::redaction::MARK;
use crate::rpc::Rpc;
use crate::signing_key::{self, SigningKey};
use crate::start::Addresses;

const RECEIPT_WAIT: Duration = Duration::from_secs(120);
/// The launch service of a plain `slipway up`.
pub const DEFAULT_BASE_URL: &str = "http://127.0.0.1:4700";
/// The RPC of chain 57073 of a plain `slipway up`.
pub const DEFAULT_RPC_URL: &str = "http://127.0.0.1:4703";
/// The configuration of one tool server: its key, its permissions and caps, and the addresses of chain and service.
pub struct ToolServerConfig {
    pub(crate) key: SigningKey,
    pub(crate) writes_enabled: bool,
    /// Cap on the value of a launch.
    pub(crate) max_prebuy: Wei,
    pub(crate) max_raise: Wei,
    /// Cap on the fee per gas, in wei.
    pub(crate) max_fee_wei: u128,
    pub(crate) rpc_url: Url,
    pub(crate) base_url: Url,
    /// Origin of the links in results, if people reach the service at another address than its base URL.
    pub(crate) public_url: Option<Url>,
    pub(crate) name_server: Option<SocketAddr>,
    pub(crate) receipt_wait: Duration,
    pub(crate) http_limits: Limits,
    /// Knows every secret of this tool server.
    pub(crate) redactor: Arc<Redactor>,
    /// Knows only the private key: launch arguments are public, and refused if they contain it.
    pub(crate) key_detector: Redactor,
}

impl std::fmt::Debug for ToolServerConfig {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ToolServerConfig")
            .field("address", &self.key.address())
            .field("writes_enabled", &self.writes_enabled)
            .finish_non_exhaustive()
    }
}

/// The variables do not describe a valid tool server. No message contains a value.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// No key is configured.
    #[error("no key: set SERVICE_MCP_PRIVATE_KEY_FILE (preferred) or SERVICE_MCP_PRIVATE_KEY")]
    KeyMissing,
    /// The key file cannot be read.
    #[error("the file named by SERVICE_MCP_PRIVATE_KEY_FILE cannot be read: {0}")]
    KeyFileUnreadable(std::io::ErrorKind),
    /// There is no key file.
    #[error("there is no file of the name that SERVICE_MCP_PRIVATE_KEY_FILE gives")]
    KeyFileAbsent,
    /// The key file is a directory, a pipe or a device.
    #[error("SERVICE_MCP_PRIVATE_KEY_FILE does not name a regular file")]
    KeyFileKind,
    /// The key file belongs neither to this user nor to root.
    #[error(
        "the file named by SERVICE_MCP_PRIVATE_KEY_FILE belongs to user {0}; it must belong to this user or to root"
    )]
    KeyFileOwner(u32),
    /// Other users may read or change the key file.
    #[error("the file named by SERVICE_MCP_PRIVATE_KEY_FILE has mode {0:04o}; run chmod 600 on it")]
    KeyFileMode(u32),
    /// The key file is empty.
    #[error("the file named by SERVICE_MCP_PRIVATE_KEY_FILE is empty")]
    KeyFileEmpty,
    /// The key is not 64 hexadecimal digits.
    #[error("{0} does not give a private key of 64 hexadecimal digits")]
    KeyMalformed(&'static str),
    /// The key is zero or not below the order of the curve.
    #[error("{0} gives a number that is no private key of the curve")]
    KeyOutOfRange(&'static str),
    /// A value is not Unicode.
    #[error("{0} is not valid Unicode")]
    NotUnicode(&'static str),
    /// A cap is not a decimal amount.
    #[error("{0} must be a decimal number such as 0.5, with at most {1} decimal places")]
    Amount(&'static str, usize),
    /// An address is not an http or https URL.
    #[error("{0} is not an http or https URL")]
    UrlMalformed(&'static str),
    /// The RPC URL contains a user name or password.
    #[error("SERVICE_MCP_RPC_URL must not contain a user name or password")]
    RpcUserinfo,
    /// The RPC URL contains a query.
    #[error("SERVICE_MCP_RPC_URL must not contain a query")]
    RpcQuery,
    /// The RPC URL contains a fragment.
    #[error("SERVICE_MCP_RPC_URL must not contain a fragment")]
    RpcFragment,
    /// An address is more than an origin.
    #[error("{0} must be an origin: scheme, host and port, without path, query, fragment or credentials")]
    NotOrigin(&'static str),
    /// A server address is not an IP address and a port.
    #[error("{0} must be an IP address and a port")]
    Address(&'static str),
    /// A wait is not between a millisecond and the maximum.
    #[error("{variable} must be from 0.001 to {longest}, in milliseconds at the finest")]
    Wait {
        /// The variable.
        variable: &'static str,
        /// The maximum wait, which is also the default, in seconds.
        longest: u64,
    },
}

pub(crate) struct Variables<'lookup> {
    lookup: &'lookup dyn Fn(&str) -> Option<OsString>,
}

impl Variables<'_> {
    /// The value; an empty one counts as absent.
    pub(crate) fn raw(&self, variable: &'static str) -> Option<OsString> {
        (self.lookup)(variable).filter(|value| !value.is_empty())
    }

    pub(crate) fn text(&self, variable: &'static str) -> Result<Option<String>, ConfigError> {
        self.raw(variable)
            .map(|value| value.into_string().map_err(|_| ConfigError::NotUnicode(variable)))
            .transpose()
    }

    fn ether(&self, variable: &'static str, default: &str) -> Result<Wei, ConfigError> {
        Ok(Wei(U256::from(self.amount(variable, default, decimal::ETHER)?)))
    }

    fn amount(&self, variable: &'static str, default: &str, places: usize) -> Result<u128, ConfigError> {
        let text = self.text(variable)?.unwrap_or_else(|| default.to_owned());
        decimal::exact(&text, places).map_err(|_| ConfigError::Amount(variable, places))
    }
}

impl ToolServerConfig {
    /// Replaces the addresses by those of a platform.
    pub(crate) fn at(mut self, addresses: Addresses) -> Self {
        (self.rpc_url, self.base_url) = (addresses.rpc_url, addresses.base_url);
        self
    }

    /// Opens a connection to the RPC. A launch uses one connection from its first request to its last.
    pub(crate) fn rpc(&self) -> Rpc {
        Rpc::new(self.rpc_url.clone(), self.http_limits, Arc::clone(&self.redactor))
    }

    pub(crate) fn trade_url(&self, token: Address) -> String {
        format!("{}/trade/{}", self.origin(), token.to_checksum(None))
    }

    pub(crate) fn explorer_url(&self, transaction: B256) -> String {
        format!("{}/tx/{transaction}", self.origin())
    }

    fn origin(&self) -> &str {
        self.public_url.as_ref().unwrap_or(&self.base_url).as_str().trim_end_matches('/')
    }

    /// Reads variables from any source: the `SERVICE_*` variables of the tool server, `SLIPWAY_DNS_SERVER` (an IP address and a port, used
    /// instead of the system's name servers), `SLIPWAY_RECEIPT_WAIT_SECONDS` (at most 120), `SLIPWAY_ANSWER_WAIT_SECONDS` (at most 10, for
    /// one response of service or chain), and `SLIPWAY_PUBLIC_URL` (the origin of links in results, if people reach the service at another
    /// address than its base URL).
    ///
    /// # Errors
    /// [`ConfigError`] names the invalid variable.
    pub fn from_variables(lookup: &dyn Fn(&str) -> Option<OsString>) -> Result<Self, ConfigError> {
        let variables = Variables { lookup };
        let (redactor, key_detector) = (Arc::new(Redactor::new(MARK)), Redactor::new(MARK));
        let key = signing_key::load(&variables)?;
        key.teach(&redactor);
        key.teach(&key_detector);
        let rpc_url = rpc_url(&variables)?;
        let base_url = base_url(&variables)?;
        for secret in path_secrets(rpc_url.path()) {
            redactor.learn_text(secret);
        }
        Ok(Self {
            key,
            writes_enabled: writes_enabled(variables.text("SERVICE_MCP_ENABLE_WRITES")?.as_deref()),
            max_prebuy: variables.ether("SERVICE_MCP_MAX_PREBUY_ETH", "0.1")?,
            max_raise: variables.ether("SERVICE_MCP_MAX_RAISE_ETH", "5")?,
            max_fee_wei: variables.amount("SERVICE_MCP_MAX_GAS_GWEI", "100", decimal::GWEI)?,
            rpc_url,
            public_url: origin(&variables, "SLIPWAY_PUBLIC_URL")?,
            base_url,
            name_server: address(&variables, "SLIPWAY_DNS_SERVER")?,
            receipt_wait: wait(&variables, "SLIPWAY_RECEIPT_WAIT_SECONDS", RECEIPT_WAIT)?,
            http_limits: http_limits(&variables)?,
            redactor,
            key_detector,
        })
    }

    /// Maximum wait of a launch for its receipt.
    pub fn receipt_wait(&self) -> Duration {
        self.receipt_wait
    }
}

/// Whether a value is one of the three that permit `launch_token`.
///
/// Clause: MCP-WRITES
fn writes_enabled(value: Option<&str>) -> bool {
    matches!(value, Some("true" | "1" | "yes"))
}

/// User name, password and host in the text of a URL, after any number of slashes.
fn authority(text: &str) -> &str {
    let rest = text.split_once(':').map_or("", |(_, rest)| rest).trim_start_matches(['/', '\\']);
    rest.split(['/', '\\', '?', '#']).next().unwrap_or_default()
}

fn http_url(variable: &'static str, text: &str) -> Result<Url, ConfigError> {
    let malformed = ConfigError::UrlMalformed(variable);
    if text.chars().any(|character| character.is_control() || character.is_whitespace()) {
        return Err(malformed);
    }
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        _ => Err(malformed),
    }
}

/// Clause: MCP-RPC-URL
fn rpc_url(variables: &Variables<'_>) -> Result<Url, ConfigError> {
    let text = variables.text("SERVICE_MCP_RPC_URL")?.unwrap_or_else(|| DEFAULT_RPC_URL.to_owned());
    let url = http_url("SERVICE_MCP_RPC_URL", &text)?;
    ensure(!authority(&text).contains('@'), ConfigError::RpcUserinfo)?;
    ensure(url.query().is_none(), ConfigError::RpcQuery)?;
    ensure(url.fragment().is_none(), ConfigError::RpcFragment)?;
    Ok(url)
}

/// Clause: MCP-BASE-URL
fn base_url(variables: &Variables<'_>) -> Result<Url, ConfigError> {
    let given = origin(variables, "SERVICE_BASE_URL")?;
    Ok(given.unwrap_or_else(|| DEFAULT_BASE_URL.parse().expect("the default is an origin")))
}

fn origin(variables: &Variables<'_>, variable: &'static str) -> Result<Option<Url>, ConfigError> {
    let Some(text) = variables.text(variable)? else { return Ok(None) };
    let url = http_url(variable, &text)?;
    let origin = url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && !authority(&text).contains('@');
    ensure(origin, ConfigError::NotOrigin(variable))?;
    Ok(Some(url))
}

fn address(variables: &Variables<'_>, variable: &'static str) -> Result<Option<SocketAddr>, ConfigError> {
    let text = variables.text(variable)?;
    text.map(|text| text.parse().map_err(|_| ConfigError::Address(variable))).transpose()
}

/// Reads a time limit, which can be shortened but never extended.
fn wait(
    variables: &Variables<'_>,
    variable: &'static str,
    longest: Duration,
) -> Result<Duration, ConfigError> {
    let Some(text) = variables.text(variable)? else {
        return Ok(longest);
    };
    let wait = decimal::seconds(&text).filter(|wait| !wait.is_zero() && *wait <= longest);
    wait.ok_or(ConfigError::Wait { variable, longest: longest.as_secs() })
}

fn http_limits(variables: &Variables<'_>) -> Result<Limits, ConfigError> {
    let defaults = Limits::default();
    Ok(Limits { timeout: wait(variables, "SLIPWAY_ANSWER_WAIT_SECONDS", defaults.timeout)?, ..defaults })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_address_a_local_platform() {
        let key = |variable: &str| (variable == "SERVICE_MCP_PRIVATE_KEY").then(|| "11".repeat(32).into());
        let config = ToolServerConfig::from_variables(&key).unwrap();
        assert_eq!(config.rpc_url.as_str(), format!("{DEFAULT_RPC_URL}/"));
        assert_eq!(config.base_url.as_str(), format!("{DEFAULT_BASE_URL}/"));
        assert!(!config.writes_enabled);
    }
}
