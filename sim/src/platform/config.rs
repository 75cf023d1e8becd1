//! The configuration of a platform.
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};

use alloy::hex;
use alloy::primitives::keccak256;
use alloy::signers::local::PrivateKeySigner;
use slipway_contracts::toolchain::ToolchainOptions;

use super::ListenerLimits;
use super::error::StartError;
use super::import::{ImportError, ImportFailure};
use super::node_filter::Access;
use crate::cache::CachePolicy;
use crate::clock::{ClockMode, host_seconds};
use crate::credential::is_credential;
use crate::market::{MarketPlan, PlanError};
use crate::ports::Ports;
use crate::store::Backend;

/// End of the seeded market unless the clock follows the host: 2026-03-04T12:00:00Z. It begins two days before.
pub const MARKET_END: u64 = 1_772_625_600;
const HOUR: u64 = 60 * 60;

/// The configuration of a platform; the default is a platform on free ports.
#[derive(Clone, Debug)]
pub struct Config {
    /// Determines the market, the accounts and every random draw.
    pub seed: u64,
    /// The market to begin with.
    pub market: MarketPlan,
    /// Number of actions per minute by the market's accounts while the platform runs, in real time whatever the clock. `None` for no
    /// actions; a platform attached to another one takes none.
    pub live: Option<NonZeroU16>,
    /// The clock's mode.
    pub clock: ClockMode,
    /// Whether empty blocks follow a block with transactions, for clients that wait for confirmations.
    pub trailing_blocks: bool,
    /// Address on which every part listens, including the nodes. If other machines can reach it, the nodes offer only the methods of a
    /// public node, except to callers with the control token.
    pub host: IpAddr,
    /// Port of each part; 0 for a free port.
    pub ports: Ports,
    /// Origins of the services for callers, if they differ from the ones on which they listen.
    pub public: PublicUrls,
    /// Additional origins whose pages may call the nodes, in the browser's spelling.
    pub allow_origins: Vec<String>,
    /// Whether the control plane is served.
    pub control: bool,
    /// Token for callers of the control plane; if absent, one is generated on an address that other machines can reach.
    pub control_token: Option<String>,
    /// Credential of the operator; derived from the seed if absent.
    pub operator_key: Option<String>,
    /// Options for finding the chain tools.
    pub toolchain: ToolchainOptions,
    /// Use of the cache of seeded chains.
    pub cache: CachePolicy,
    /// Folder of the cache; the user's cache folder if absent.
    pub cache_dir: Option<PathBuf>,
    /// Folder that keeps the whole platform: chains, store, clock and checkpoints; in memory if absent.
    pub state_dir: Option<PathBuf>,
    /// PostgreSQL database of the store, which several platforms may share; it overrides the folder.
    pub database_url: Option<String>,
    /// File of an export without a file name.
    pub export: Option<PathBuf>,
    /// Folder of exports with a file name; `exports` in the folder of the store if absent.
    pub export_dir: Option<PathBuf>,
    /// The export to start from, instead of the seeded market; seed, clock and operator's credential come from it.
    pub import: Option<PathBuf>,
    /// The platform whose chains, clock and database are used.
    pub attach: Option<Attach>,
    /// Whether the address of a caller is taken from `X-Forwarded-For`, as is right behind our own proxy.
    pub trust_forwarded: bool,
    /// Reads per minute and address; unlimited if absent.
    pub standard_limit: Option<u32>,
    /// Limits of the listeners.
    pub listener_limits: ListenerLimits,
}

/// Public origins without a final slash; absent if callers use the address on which a service listens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublicUrls {
    /// The REST service: the origin in the URLs of uploaded images and in its document.
    pub rest: Option<String>,
    /// The swap service: the origin in its document.
    pub swap: Option<String>,
}

/// A running platform to attach to, from its ready line.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attach {
    /// Its seed.
    pub seed: u64,
    /// Credential of the operator.
    pub operator_key: String,
    /// The chains.
    pub chains: Vec<AttachedChain>,
}

/// One chain of the platform to attach to.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachedChain {
    /// Chain id.
    pub chain_id: u64,
    /// URL of its node.
    pub rpc_url: String,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            seed: 0,
            market: MarketPlan::default(),
            live: None,
            clock: ClockMode::default(),
            trailing_blocks: false,
            host: Ipv4Addr::LOCALHOST.into(),
            ports: Ports::default(),
            public: PublicUrls::default(),
            allow_origins: Vec::new(),
            control: true,
            control_token: None,
            operator_key: None,
            toolchain: ToolchainOptions::from_environment(),
            cache: CachePolicy::default(),
            cache_dir: None,
            state_dir: None,
            database_url: None,
            export: None,
            export_dir: None,
            import: None,
            attach: None,
            trust_forwarded: false,
            standard_limit: None,
            listener_limits: ListenerLimits::default(),
        }
    }
}

impl Config {
    /// Checks that the market can be made; takes milliseconds and starts nothing.
    ///
    /// # Errors
    /// With the first place in its file that the contracts would refuse.
    pub fn check_market(&self) -> Result<(), PlanError> {
        self.market.check(self.seed, self.market_end())
    }

    /// End of this platform's market, Unix seconds: the last full hour if the clock follows the host, so that starts in the same hour share
    /// one seeded market.
    pub(super) fn market_end(&self) -> u64 {
        match self.clock {
            ClockMode::Running | ClockMode::Manual => MARKET_END,
            ClockMode::Real => host_now() / HOUR * HOUR,
        }
    }

    /// Requires that callers can send the operator's credential and the token in a header.
    pub(super) fn require_credentials(&self) -> Result<(), StartError> {
        let given = [("--operator-key", &self.operator_key), ("--control-token", &self.control_token)];
        let wrong = given.iter().find(|(_, text)| text.as_deref().is_some_and(|text| !is_credential(text)));
        wrong.map_or(Ok(()), |(option, _)| Err(StartError::Credential { option }))
    }

    /// The operator's credential: the configured one, or one derived from the seed.
    pub(super) fn operator_key(&self) -> String {
        let drawn = || hex::encode(&keccak256(format!("slipway operator key {}", self.seed))[..16]);
        self.operator_key.clone().unwrap_or_else(drawn)
    }

    /// The control plane's token: the configured one, or a new one on an address that other machines can reach.
    pub(super) fn control_token(&self) -> Option<String> {
        let is_needed = self.control && (self.control_token.is_some() || !self.host.is_loopback());
        let fresh = || hex::encode(PrivateKeySigner::random().to_bytes());
        is_needed.then(|| self.control_token.clone().unwrap_or_else(fresh))
    }

    /// Access to the nodes, for pages on this port among others.
    pub(super) fn node_access(&self, page_port: u16) -> Access {
        Access {
            origins: self.allow_origins.iter().chain(&self.public.rest).cloned().collect(),
            page_port,
            is_public: !self.host.is_loopback(),
            token: self.control_token.clone(),
        }
    }

    /// The backend that stores the facts.
    pub(super) fn backend(&self) -> Backend<'_> {
        match (&self.database_url, &self.state_dir) {
            (Some(address), _) => Backend::Server(address),
            (None, Some(folder)) => Backend::Folder(folder),
            (None, None) => Backend::Memory,
        }
    }

    /// The folder that keeps the whole platform, if any.
    pub(super) fn kept_folder(&self) -> Option<&Path> {
        self.state_dir.as_deref().filter(|_| self.database_url.is_none() && self.attach.is_none())
    }

    /// Folder of exports with a file name.
    pub(super) fn export_folder(&self) -> Option<PathBuf> {
        self.export_dir.clone().or_else(|| Some(self.state_dir.as_ref()?.join("exports")))
    }

    pub(super) fn not_imported(&self, source: ImportFailure) -> ImportError {
        let path = self.import.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        ImportError { path, source }
    }

    /// The clock's time at the start.
    pub(super) fn beginning(&self) -> u64 {
        match self.clock {
            ClockMode::Running | ClockMode::Manual => MARKET_END,
            ClockMode::Real => host_now(),
        }
    }
}

fn host_now() -> u64 {
    u64::try_from(host_seconds()).unwrap_or_default()
}
