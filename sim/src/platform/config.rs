//! What a platform is started with.
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use alloy::hex;
use alloy::primitives::keccak256;
use alloy::signers::local::PrivateKeySigner;
use slipway_contracts::toolchain::ToolchainOptions;

use super::ListenerLimits;
use super::import::{ImportError, ImportFailure};
use super::node_filter::Access;
use crate::cache::CachePolicy;
use crate::clock::{ClockMode, host_seconds};
use crate::market::MarketSize;
use crate::ports::Ports;
use crate::services::documents::Documents;
use crate::store::Backend;

/// When the seeded market ends unless the clock is the host's: 2026-03-04T12:00:00Z. It begins two days before.
pub const MARKET_END: u64 = 1_772_625_600;
const HOUR: u64 = 60 * 60;

/// What a platform is started with; the default is a platform on free ports.
#[derive(Clone, Debug)]
pub struct Config {
    /// Decides the market, the accounts and every draw.
    pub seed: u64,
    /// How much the seeded market has.
    pub market: MarketSize,
    /// How time passes.
    pub clock: ClockMode,
    /// Whether empty blocks follow a block with transactions, for clients that wait for confirmations.
    pub trailing_blocks: bool,
    /// Address on which every part listens, the nodes included. Where other machines reach it, the nodes take the methods of a public
    /// node only, except from callers that show the control token.
    pub host: IpAddr,
    /// Where each part listens; 0 for a free port.
    pub ports: Ports,
    /// Origins under which callers reach the services, where those are not the ones they listen on.
    pub public: PublicUrls,
    /// Origins besides the platform's own whose pages may call the nodes, as browsers write them.
    pub allow_origins: Vec<String>,
    /// Whether the control plane is served.
    pub control: bool,
    /// What the control plane serves under `/docs/`.
    pub documents: Documents,
    /// What callers of the control plane must show; on an address that other machines reach one is made when it is absent.
    pub control_token: Option<String>,
    /// Credential of the operator; drawn from the seed when absent.
    pub operator_key: Option<String>,
    /// Where the chain tools are.
    pub toolchain: ToolchainOptions,
    /// What to do with the cache of seeded chains.
    pub cache: CachePolicy,
    /// Folder of the cache; the user's own when absent.
    pub cache_dir: Option<PathBuf>,
    /// Folder of the store; in memory when absent.
    pub state_dir: Option<PathBuf>,
    /// PostgreSQL database of the store, which several platforms may share; it overrides the folder.
    pub database_url: Option<String>,
    /// Where an export goes that names no file.
    pub export: Option<PathBuf>,
    /// Folder of the exports that name a file; `exports` in the folder of the store when absent.
    pub export_dir: Option<PathBuf>,
    /// The export to begin with, in place of the seeded market; seed, clock and operator's credential are those in it.
    pub import: Option<PathBuf>,
    /// The platform whose chains and clock are used instead of own ones; it shares its database.
    pub attach: Option<Attach>,
    /// Whether the address of a caller is taken from `X-Forwarded-For`, as behind a proxy of our own.
    pub trust_forwarded: bool,
    /// Reads a minute that each address may make; without a limit when absent.
    pub standard_limit: Option<u32>,
    /// Bounds of the listeners.
    pub listener_limits: ListenerLimits,
}

/// Origins without a final slash, as callers know them; absent where callers use the address a service listens on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublicUrls {
    /// The REST service: uploaded images are read under it, and its document names it.
    pub rest: Option<String>,
    /// The swap service: its document names it.
    pub swap: Option<String>,
}

/// A running platform to attach to, as its ready line describes it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attach {
    /// The seed in force.
    pub seed: u64,
    /// Credential of the operator.
    pub operator_key: String,
    /// The chains.
    pub chains: Vec<AttachedChain>,
}

/// One chain of such a platform.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachedChain {
    /// Chain id.
    pub chain_id: u64,
    /// Where its node answers.
    pub rpc_url: String,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            seed: 0,
            market: MarketSize::default(),
            clock: ClockMode::default(),
            trailing_blocks: false,
            host: Ipv4Addr::LOCALHOST.into(),
            ports: Ports::default(),
            public: PublicUrls::default(),
            allow_origins: Vec::new(),
            control: true,
            documents: Documents::default(),
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
    /// When the market of this platform ends, Unix seconds: where the host's clock rules the last full hour, so that the starts
    /// of an hour share one seeded market.
    pub(super) fn market_end(&self) -> u64 {
        match self.clock {
            ClockMode::Running | ClockMode::Manual => MARKET_END,
            ClockMode::Real => host_now() / HOUR * HOUR,
        }
    }

    /// The operator's credential: the one that was given, or the seed's.
    pub(super) fn operator_key(&self) -> String {
        let drawn = || hex::encode(&keccak256(format!("slipway operator key {}", self.seed))[..16]);
        self.operator_key.clone().unwrap_or_else(drawn)
    }

    /// What callers of the control plane must show: what was given, or on an address that other machines reach a fresh token.
    pub(super) fn control_token(&self) -> Option<String> {
        let is_needed = self.control && (self.control_token.is_some() || !self.host.is_loopback());
        let fresh = || hex::encode(PrivateKeySigner::random().to_bytes());
        is_needed.then(|| self.control_token.clone().unwrap_or_else(fresh))
    }

    /// Who may call the nodes, besides the pages at this port.
    pub(super) fn node_access(&self, page_port: u16) -> Access {
        Access {
            origins: self.allow_origins.iter().chain(&self.public.rest).cloned().collect(),
            page_port,
            is_public: !self.host.is_loopback(),
            token: self.control_token.clone(),
        }
    }

    /// Where the facts are kept.
    pub(super) fn backend(&self) -> Backend<'_> {
        match (&self.database_url, &self.state_dir) {
            (Some(address), _) => Backend::Server(address),
            (None, Some(folder)) => Backend::Folder(folder),
            (None, None) => Backend::Memory,
        }
    }

    /// Where exports go that name a file.
    pub(super) fn export_folder(&self) -> Option<PathBuf> {
        self.export_dir.clone().or_else(|| Some(self.state_dir.as_ref()?.join("exports")))
    }

    /// Why the export is not taken over.
    pub(super) fn not_imported(&self, source: ImportFailure) -> ImportError {
        let path = self.import.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        ImportError { path, source }
    }

    /// What the clock shows first.
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
