//! What the environment says: every variable read once, checked, and never repeated in an error.
use std::ffi::OsString;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use url::Url;

use super::amount::{self, AmountError};
use super::faults::Faults;
use super::guards::{Guards, Raised};
use super::http::Bounds;
use super::key::{self, SigningKey};
use super::redact::Redactor;
use crate::defect::Defects;
use crate::ports::{self, Ports};

/// Longest wait for a receipt.
const RECEIPT_WAIT: Duration = Duration::from_secs(120);
/// Longer path segments of the RPC address can be keys.
const SHORTEST_PATH_SECRET: usize = 6;

/// Everything the tool server is told at its start.
pub struct McpConfig {
    pub(crate) key: SigningKey,
    pub(crate) writes_enabled: bool,
    pub(crate) max_prebuy_wei: u128,
    pub(crate) max_raise_wei: u128,
    pub(crate) max_fee_wei: u128,
    pub(crate) rpc_url: Url,
    pub(crate) base_url: Url,
    pub(crate) name_server: Option<SocketAddr>,
    pub(crate) receipt_wait: Duration,
    pub(crate) bounds: Bounds,
    pub(crate) redactor: Arc<Redactor>,
    pub(crate) guards: Guards,
    pub(crate) faults: Faults,
}

impl std::fmt::Debug for McpConfig {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("McpConfig")
            .field("address", &self.key.address())
            .field("writes_enabled", &self.writes_enabled)
            .finish_non_exhaustive()
    }
}

/// The environment does not describe a tool server that may start. No message repeats a value.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// No key at all.
    #[error("no key: set SERVICE_MCP_PRIVATE_KEY_FILE (preferred) or SERVICE_MCP_PRIVATE_KEY")]
    KeyMissing,
    /// The key file cannot be read.
    #[error("the file named by SERVICE_MCP_PRIVATE_KEY_FILE cannot be read: {reason}")]
    KeyFileUnreadable {
        /// The kind of the failure, without the path.
        reason: std::io::ErrorKind,
    },
    /// The key file is a symbolic link.
    #[error("SERVICE_MCP_PRIVATE_KEY_FILE names a symbolic link; name the file itself")]
    KeyFileLink,
    /// The key file is a directory, a pipe or a device.
    #[error("SERVICE_MCP_PRIVATE_KEY_FILE does not name a regular file")]
    KeyFileKind,
    /// Others may read or change the key file.
    #[error("the file named by SERVICE_MCP_PRIVATE_KEY_FILE has mode {mode:04o}; run chmod 600 on it")]
    KeyFileMode {
        /// Permission bits found.
        mode: u32,
    },
    /// The key file holds nothing.
    #[error("the file named by SERVICE_MCP_PRIVATE_KEY_FILE is empty")]
    KeyFileEmpty,
    /// The key is not 64 hexadecimal digits.
    #[error("{variable} does not give a private key of 64 hexadecimal digits")]
    KeyMalformed {
        /// The variable that gave it.
        variable: &'static str,
    },
    /// The key is zero or beyond the order of the curve.
    #[error("{variable} gives a number that is no private key of the curve")]
    KeyOutOfRange {
        /// The variable that gave it.
        variable: &'static str,
    },
    /// A value is not Unicode.
    #[error("{variable} is not valid Unicode")]
    NotUnicode {
        /// The variable.
        variable: &'static str,
    },
    /// A cap is not a decimal amount.
    #[error("{variable} is not a plain decimal amount that can be used exactly")]
    Amount {
        /// The variable.
        variable: &'static str,
    },
    /// An address is not an http or https URL.
    #[error("{variable} is not an http or https URL")]
    UrlMalformed {
        /// The variable.
        variable: &'static str,
    },
    /// The RPC address carries a user name or password.
    #[error("SERVICE_MCP_RPC_URL must not contain a user name or password")]
    RpcUserinfo,
    /// The RPC address carries a query.
    #[error("SERVICE_MCP_RPC_URL must not contain a query")]
    RpcQuery,
    /// The RPC address carries a fragment.
    #[error("SERVICE_MCP_RPC_URL must not contain a fragment")]
    RpcFragment,
    /// The service address is more than an origin.
    #[error(
        "SERVICE_BASE_URL must be an origin: scheme, host and port, without path, query, fragment or credentials"
    )]
    BaseNotOrigin,
    /// The name server is not an address and a port.
    #[error("SLIPWAY_DNS_SERVER must be an IP address and a port")]
    NameServer,
    /// A wait is not between one second and the longest there is.
    #[error("{variable} must be from 1 to {longest}")]
    Wait {
        /// The variable.
        variable: &'static str,
        /// The longest wait, which is also the usual one, in seconds.
        longest: u64,
    },
}

impl Raised for ConfigError {
    fn guard(&self) -> &'static str {
        match self {
            Self::KeyFileMode { .. } => "key-file-mode",
            Self::KeyFileLink => "key-file-link",
            Self::RpcUserinfo => "rpc-userinfo",
            Self::RpcQuery => "rpc-query",
            Self::RpcFragment => "rpc-fragment",
            Self::BaseNotOrigin => "base-not-origin",
            _ => "config",
        }
    }
}

/// Reads variables one by one.
pub(crate) struct Variables<'lookup> {
    lookup: &'lookup dyn Fn(&str) -> Option<OsString>,
}

impl Variables<'_> {
    /// The value; an empty one counts as absent.
    pub(crate) fn raw(&self, variable: &'static str) -> Option<OsString> {
        (self.lookup)(variable).filter(|value| !value.is_empty())
    }

    /// The value as text.
    pub(crate) fn text(&self, variable: &'static str) -> Result<Option<String>, ConfigError> {
        self.raw(variable)
            .map(|value| value.into_string().map_err(|_| ConfigError::NotUnicode { variable }))
            .transpose()
    }

    fn amount(&self, variable: &'static str, default: &str, places: usize) -> Result<u128, ConfigError> {
        let text = self.text(variable)?.unwrap_or_else(|| default.to_owned());
        amount::exact(&text, places).map_err(|_: AmountError| ConfigError::Amount { variable })
    }
}

impl McpConfig {
    /// Reads the environment of this process.
    pub fn from_env(defects: &Defects) -> Result<Self, ConfigError> {
        Self::from_variables(&|variable| std::env::var_os(variable), defects)
    }

    /// Reads variables from anywhere: the SERVICE_* variables of the tool server, `SLIPWAY_DNS_SERVER` (an address and a
    /// port, asked instead of the system's name servers), `SLIPWAY_RECEIPT_WAIT_SECONDS` (to wait less than 120) and
    /// `SLIPWAY_ANSWER_WAIT_SECONDS` (to wait less than 10 for one answer of service or chain).
    pub fn from_variables(
        lookup: &dyn Fn(&str) -> Option<OsString>,
        defects: &Defects,
    ) -> Result<Self, ConfigError> {
        let variables = Variables { lookup };
        let faults = Faults::new(defects);
        let guards = faults.guards();
        let redactor = Arc::new(faults.redactor());
        let key = key::load(&variables, &guards, &faults)?;
        key.teach(&redactor);
        let rpc_url = rpc_url(&variables, &guards)?;
        learn_path(&redactor, &rpc_url);
        let mut config = Self {
            key,
            writes_enabled: writes_enabled(variables.text("SERVICE_MCP_ENABLE_WRITES")?.as_deref()),
            max_prebuy_wei: variables.amount("SERVICE_MCP_MAX_PREBUY_ETH", "0.1", amount::ETHER)?,
            max_raise_wei: variables.amount("SERVICE_MCP_MAX_RAISE_ETH", "5", amount::ETHER)?,
            max_fee_wei: variables.amount("SERVICE_MCP_MAX_GAS_GWEI", "100", amount::GWEI)?,
            rpc_url,
            base_url: base_url(&variables, &guards)?,
            name_server: name_server(&variables)?,
            receipt_wait: wait(&variables, "SLIPWAY_RECEIPT_WAIT_SECONDS", RECEIPT_WAIT)?,
            bounds: bounds(&variables)?,
            redactor,
            guards,
            faults,
        };
        Faults::configure(&mut config);
        Ok(config)
    }

    /// How long a launch waits for its receipt.
    pub fn receipt_wait(&self) -> Duration {
        self.receipt_wait
    }
}

/// An address of a platform that runs here on its documented ports.
fn default_url(port: impl Fn(Ports) -> u16) -> String {
    let ports = Ports::from_base(ports::BASE).expect("the documented ports are ports");
    format!("http://127.0.0.1:{}", port(ports))
}

/// Only three spellings permit writing; anything else does not.
fn writes_enabled(value: Option<&str>) -> bool {
    matches!(value, Some("true" | "1" | "yes"))
}

/// The user name, password and host of a URL text, wherever its author put slashes.
fn authority(text: &str) -> &str {
    let rest = text.split_once(':').map_or("", |(_, rest)| rest).trim_start_matches(['/', '\\']);
    rest.split(['/', '\\', '?', '#']).next().unwrap_or_default()
}

fn http_url(variable: &'static str, text: &str) -> Result<Url, ConfigError> {
    let malformed = ConfigError::UrlMalformed { variable };
    if text.chars().any(|character| character.is_control() || character.is_whitespace()) {
        return Err(malformed);
    }
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        _ => Err(malformed),
    }
}

fn rpc_url(variables: &Variables<'_>, guards: &Guards) -> Result<Url, ConfigError> {
    let text =
        variables.text("SERVICE_MCP_RPC_URL")?.unwrap_or_else(|| default_url(|ports| ports.primary_chain));
    let url = http_url("SERVICE_MCP_RPC_URL", &text)?;
    guards.hold(!authority(&text).contains('@'), ConfigError::RpcUserinfo)?;
    guards.hold(url.query().is_none(), ConfigError::RpcQuery)?;
    guards.hold(url.fragment().is_none(), ConfigError::RpcFragment)?;
    Ok(url)
}

fn base_url(variables: &Variables<'_>, guards: &Guards) -> Result<Url, ConfigError> {
    let text = variables.text("SERVICE_BASE_URL")?.unwrap_or_else(|| default_url(|ports| ports.rest));
    let url = http_url("SERVICE_BASE_URL", &text)?;
    let origin = url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && !authority(&text).contains('@');
    guards.hold(origin, ConfigError::BaseNotOrigin)?;
    Ok(url)
}

fn name_server(variables: &Variables<'_>) -> Result<Option<SocketAddr>, ConfigError> {
    let text = variables.text("SLIPWAY_DNS_SERVER")?;
    text.map(|text| text.parse().map_err(|_| ConfigError::NameServer)).transpose()
}

/// A wait can be made shorter, never longer.
fn wait(
    variables: &Variables<'_>,
    variable: &'static str,
    longest: Duration,
) -> Result<Duration, ConfigError> {
    let Some(text) = variables.text(variable)? else {
        return Ok(longest);
    };
    let longest = longest.as_secs();
    let seconds = text.parse().ok().filter(|seconds| (1..=longest).contains(seconds));
    seconds.map(Duration::from_secs).ok_or(ConfigError::Wait { variable, longest })
}

fn bounds(variables: &Variables<'_>) -> Result<Bounds, ConfigError> {
    let usual = Bounds::default();
    Ok(Bounds { wait: wait(variables, "SLIPWAY_ANSWER_WAIT_SECONDS", usual.wait)?, ..usual })
}

/// RPC keys live in paths and in user names: both are secrets from here on.
fn learn_path(redactor: &Redactor, url: &Url) {
    let path = url.path().trim_end_matches('/');
    if path.len() >= SHORTEST_PATH_SECRET {
        redactor.learn_text(path);
    }
    let pieces = path
        .split('/')
        .chain(url.query())
        .chain(url.fragment())
        .chain([url.username()])
        .chain(url.password());
    for piece in pieces.filter(|piece| piece.len() >= SHORTEST_PATH_SECRET) {
        redactor.learn_text(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_addresses_the_platform_on_its_usual_ports_is_meant() {
        let key = |variable: &str| (variable == "SERVICE_MCP_PRIVATE_KEY").then(|| "11".repeat(32).into());
        let config = McpConfig::from_variables(&key, &Defects::default()).unwrap();
        assert_eq!(config.rpc_url.as_str(), "http://127.0.0.1:4703/");
        assert_eq!(config.base_url.as_str(), "http://127.0.0.1:4700/");
        assert!(!config.writes_enabled);
    }
}
