//! The local platform, started for a command, as a target like any other.
use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroU16;
use std::path::Path;

use slipway_contracts::ChainId;
use slipway_contracts::toolchain::{ToolchainError, ToolchainOptions};
use slipway_defects::http::{
    Addresses, HostHeader, Listeners, ListenersError, Ports, Proxies, StartError as ProxiesError,
};
use slipway_defects::{Defects, Layer, UnknownDefect};
use slipway_scenarios::Target;
use slipway_scenarios::model::conventions::Conventions;
use slipway_scenarios::model::target::{PrivateKey, RatePolicy, ToolServerCommand};
use slipway_sim::clock::ClockMode;
use slipway_sim::engine::ExportFileError;
use slipway_sim::store::StoreError;
use slipway_sim::{Activity, Config, ImportFailure, Platform, Ready, StartError, ports};
use tokio::sync::mpsc::Receiver;
use url::Url;

use crate::arguments::{ClockArgument, MarketArgument, PlatformArguments, ServeArguments};
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::files::form::FileError;
use crate::files::market_file;
use crate::target::holder::holder;
use crate::target::tool_server::{OwnPathError, this_program, wrapped};
use crate::terminal::steps;

/// Why the local platform could not be started or has died.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LocalError {
    #[error("the platform did not start: {error}{remedy}", error = .0, remedy = remedy(.0))]
    Start(#[from] StartError),
    #[error("{error}{remedy}", error = .0, remedy = other_ports(.0.port, &.0.source))]
    Listeners(#[from] ListenersError),
    #[error("the proxies did not start: {0}")]
    Proxies(#[from] ProxiesError),
    #[error(
        "--defect serves on a loopback address only: its proxies demand no token; leave --host out or give 127.0.0.1"
    )]
    DefectHost,
    #[error("the platform ended by itself: {reason}")]
    Died { reason: String },
    #[error(transparent)]
    Export(#[from] ExportFileError),
}

impl Fatal for LocalError {
    fn exit(&self) -> Exit {
        match self {
            Self::DefectHost | Self::Start(StartError::Credential { .. }) => Exit::Usage,
            Self::Start(StartError::Import(error)) if !matches!(error.source, ImportFailure::Store(_)) => {
                Exit::Usage
            }
            _ => Exit::Inconclusive,
        }
    }
}

impl Fatal for ListenersError {}

impl Fatal for ProxiesError {}

/// The remedy for a failed start, unless the cause contains it.
fn remedy(error: &StartError) -> String {
    let remedy = match error {
        StartError::Port { port, source, .. } => return other_ports(*port, source),
        StartError::Store(StoreError::Unreachable { .. } | StoreError::Address) => {
            "; `--database-url` or `SLIPWAY_DATABASE_URL` names it, as in postgres://USER:PASSWORD@HOST:5432/DATABASE: \
             start that server, correct the address, or leave it out to keep the facts in memory"
        }
        StartError::Toolchain(ToolchainError::NoTools { .. }) => {
            "; make them with `slipway doctor --install DIR`, or unset it"
        }
        StartError::Toolchain(ToolchainError::Permission { .. }) => {
            "; let this user write there, set XDG_CACHE_HOME to another folder, or SLIPWAY_TOOLCHAIN to one made by \
             `slipway doctor --install DIR`"
        }
        StartError::Import(_) => "; `POST /_sim/export` of a running platform makes such a file",
        _ => "",
    };
    remedy.to_owned()
}

/// Which process has the port, and how to use others.
fn other_ports(port: u16, error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::AddrNotAvailable {
        return "; `--host` takes an address of this machine".to_owned();
    }
    let holder = if error.kind() == io::ErrorKind::AddrInUse { holder(port) } else { None };
    let holder = holder.map(|holder| format!("; {holder} has it")).unwrap_or_default();
    format!("{holder}; `--port` takes five other ports, `--port 0` free ones")
}

impl From<ClockArgument> for ClockMode {
    fn from(argument: ClockArgument) -> Self {
        match argument {
            ClockArgument::Running => Self::Running,
            ClockArgument::Fixed => Self::Manual,
            ClockArgument::Real => Self::Real,
        }
    }
}

/// The configuration common to every command that starts the local platform.
pub(crate) fn config(arguments: &PlatformArguments, clock: ClockMode) -> Config {
    let mut toolchain = ToolchainOptions::from_environment();
    toolchain.offline = arguments.tools.offline;
    Config { seed: arguments.seed, clock, trailing_blocks: true, toolchain, ..Config::default() }
}

/// The configuration of a platform that is served to users.
pub(crate) fn served(arguments: ServeArguments) -> Result<Config, FileError> {
    let config = Config {
        trailing_blocks: !arguments.no_trailing_blocks,
        live: arguments.live.and_then(NonZeroU16::new),
        import: arguments.import,
        host: arguments.host,
        allow_origins: arguments.allow_origins,
        ..config(&arguments.platform, arguments.time.clock.into())
    };
    with_market(config, arguments.market)
}

/// The configuration with a market, validated.
pub(crate) fn with_market(config: Config, market: MarketArgument) -> Result<Config, FileError> {
    match market {
        MarketArgument::Known(market) => Ok(Config { market, ..config }),
        MarketArgument::File(path) => market_file::with(config, &path),
    }
}

/// The proxies in front of a local platform.
#[derive(Clone, Debug)]
pub(crate) enum Front {
    /// None: clients connect to the platform directly.
    Nothing,
    /// Proxies with these defects on its public ports.
    Proxies(Defects),
    /// Proxies for a drill, with no defect on yet; its RPCs are proxied at additional addresses.
    Drill,
}

impl Front {
    /// The proxies that the command line requires.
    pub(crate) fn of(arguments: &PlatformArguments) -> Result<Self, UnknownDefect> {
        let defects = Defects::select(&arguments.defects)?;
        Ok(if defects.is_empty() { Self::Nothing } else { Self::Proxies(defects) })
    }
}

pub(crate) struct LocalPlatform {
    platform: Platform,
    proxies: Option<Proxies>,
    ready: Ready,
    defects: Defects,
}

/// Starts it for checks: its clock is fixed until they move it, and equal seeds give equal blocks.
pub(crate) async fn start_for_checks(
    arguments: &PlatformArguments,
    front: Front,
) -> Result<LocalPlatform, LocalError> {
    start(Config { trailing_blocks: false, ..config(arguments, ClockMode::Manual) }, front).await
}

/// Starts it.
pub(crate) async fn start(mut config: Config, front: Front) -> Result<LocalPlatform, LocalError> {
    if matches!(front, Front::Proxies(_)) && !config.host.is_loopback() {
        return Err(LocalError::DefectHost);
    }
    let (defects, drill) = match front {
        Front::Nothing => {
            let platform = shown(Platform::start(config)).await?;
            let ready = platform.ready().clone();
            return Ok(LocalPlatform { platform, proxies: None, ready, defects: Defects::default() });
        }
        Front::Proxies(defects) => (defects, false),
        Front::Drill => (Defects::default(), true),
    };
    let public = config.ports;
    let node = defects.of_layer(Layer::Node).next().is_some();
    let chains = [(ChainId::PRIMARY.0, public.primary_chain), (ChainId::SECOND.0, public.second_chain)];
    let listeners = Listeners::bind(Ports {
        rest: Some(public.rest),
        swap: Some(public.swap),
        control: config.control.then_some(public.control),
        rpc: chains
            .into_iter()
            .filter(|_| node || drill)
            .map(|(id, port)| (id, if node { port } else { 0 }))
            .collect(),
    })
    .await?;
    config.ports.rest = 0;
    config.ports.swap = 0;
    config.ports.control = 0;
    if node {
        (config.ports.primary_chain, config.ports.second_chain) = (0, 0);
    }
    let addresses = listeners.addresses();
    config.public.rest = config.public.rest.or_else(|| addresses.rest.as_ref().map(text));
    let platform = shown(Platform::start(config)).await?;
    let proxies = listeners.start(addresses_of(platform.ready()), HostHeader::Client, defects.clone()).await;
    let proxies = match proxies {
        Ok(proxies) => proxies,
        Err(error) => {
            platform.stop().await;
            return Err(error.into());
        }
    };
    // Clients of a drill reach the RPCs of the platform itself.
    let rpc = if node { addresses.rpc } else { BTreeMap::new() };
    let ready = behind(platform.ready(), &Addresses { rpc, ..addresses });
    Ok(LocalPlatform { platform, proxies: Some(proxies), ready, defects })
}

/// Shows the steps of a start while it runs.
async fn shown(start: impl Future<Output = Result<Platform, StartError>>) -> Result<Platform, StartError> {
    let started = start.await;
    steps::over();
    started
}

/// The ready line of a platform behind proxies at these addresses; a part without a proxy keeps its own.
pub(crate) fn behind(ready: &Ready, proxies: &Addresses) -> Ready {
    let mut ready = ready.clone();
    ready.base_url = proxies.rest.as_ref().map(text).unwrap_or(ready.base_url);
    ready.swap_base_url = proxies.swap.as_ref().map(text).unwrap_or(ready.swap_base_url);
    ready.control_url = proxies.control.as_ref().map(text).or(ready.control_url);
    for chain in &mut ready.chains {
        chain.rpc_url = proxies.rpc.get(&chain.chain_id).map(text).unwrap_or_else(|| chain.rpc_url.clone());
    }
    ready
}

/// An origin as the platform writes it.
pub(crate) fn text(url: &Url) -> String {
    url.as_str().trim_end_matches('/').to_owned()
}

fn address(text: &str) -> Url {
    Url::parse(text).expect("the platform's own addresses are well-formed")
}

pub(crate) fn addresses_of(ready: &Ready) -> Addresses {
    Addresses {
        rest: Some(address(&ready.base_url)),
        swap: Some(address(&ready.swap_base_url)),
        control: ready.control_url.as_deref().map(address),
        rpc: ready.chains.iter().map(|chain| (chain.chain_id, address(&chain.rpc_url))).collect(),
    }
}

impl LocalPlatform {
    /// The addresses for clients.
    pub(crate) fn ready(&self) -> &Ready {
        &self.ready
    }

    /// Its own addresses, behind the proxies.
    pub(crate) fn own_addresses(&self) -> Addresses {
        addresses_of(self.platform.ready())
    }

    pub(crate) fn proxies(&self) -> Option<&Proxies> {
        self.proxies.as_ref()
    }

    /// Pairs of an address in use now and the address of the same part under a plain `slipway up`.
    pub(crate) fn lasting_addresses(&self) -> Vec<(String, String)> {
        let ready = &self.ready;
        let mut in_use =
            vec![Some(ready.base_url.clone()), Some(ready.swap_base_url.clone()), ready.control_url.clone()];
        in_use.extend(ready.chains.iter().map(|chain| Some(chain.rpc_url.clone())));
        let lasting = (ports::BASE..).map(|port| format!("http://127.0.0.1:{port}"));
        in_use.into_iter().zip(lasting).filter_map(|(now, later)| Some((now?, later))).collect()
    }

    /// Waits until a node has ended.
    pub(crate) async fn died(&self) -> LocalError {
        LocalError::Died { reason: self.platform.died().await.to_string() }
    }

    /// The result of the work, or an error if a node ends first.
    pub(crate) async fn alive<T>(
        &self,
        work: impl Future<Output = Result<T, CommandError>>,
    ) -> Result<T, CommandError> {
        tokio::select! {
            ended = work => ended,
            error = self.died() => Err(error.into()),
        }
    }

    /// Follows the platform's activity.
    pub(crate) fn follow(&self) -> Receiver<Activity> {
        self.platform.follow()
    }

    pub(crate) async fn export(&self, file: &Path) -> Result<(), LocalError> {
        self.platform.exporter().write(file).await?;
        Ok(())
    }

    /// Ends the proxies, then the platform.
    pub(crate) async fn stop(self) {
        if let Some(proxies) = self.proxies {
            proxies.stop().await;
        }
        self.platform.stop().await;
    }

    /// The platform as a target; its tool server is this same program, wrapped if a defect of that layer is selected.
    pub(crate) fn target(&self, rate_policy: RatePolicy) -> Result<Target, OwnPathError> {
        let Addresses { rest, swap, control, rpc } = addresses_of(&self.ready);
        let tool_server = ToolServerCommand {
            program: this_program()?,
            arguments: vec!["mcp".to_owned()],
            variables: BTreeMap::new(),
        };
        let image_cdn = rest.as_ref().and_then(|rest| rest.join("cdn/").ok());
        let selected: Vec<&str> = self.defects.of_layer(Layer::ToolServer).map(|defect| defect.id).collect();
        Ok(Target {
            base_url: rest,
            swap_url: swap,
            rpc_urls: rpc,
            control_url: control,
            control_token: self.ready.control_token.clone().map(PrivateKey::new),
            operator_key: Some(self.ready.operator_key.clone()),
            private_keys: self
                .ready
                .accounts
                .iter()
                .map(|account| PrivateKey::new(account.private_key.to_string()))
                .collect(),
            tool_server: Some(if selected.is_empty() {
                tool_server
            } else {
                wrapped(&tool_server, &selected, None)?
            }),
            rate_policy,
            conventions: Conventions { image_cdn, ..Conventions::default() },
        })
    }
}
