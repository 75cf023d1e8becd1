//! The start: tools, the seeded genesis from the cache or new, nodes, index, services; ready only when all respond.
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use futures::future::try_join_all;
use slipway_contracts::ChainId;
use slipway_contracts::deploy::{Deployment, Role};
use slipway_contracts::node::{Node, NodeError, NodeOptions};
use slipway_contracts::toolchain::{Progress, Toolchain};
use tokio::net::TcpListener;
use tokio::task::spawn_blocking;

use super::config::{Attach, AttachedChain};
use super::error::StartError;
use super::import;
use super::node_filter::{Archive, Origin, filter};
use super::ready::PROTOCOL;
use super::serve::{Port, Services, url};
use super::services::{AllServices, services};
use super::{Config, Platform, Ready, ReadyChain, ReadyIndex};
use crate::account::{self, USERS};
use crate::cache::{Cache, CachePolicy, Entry};
use crate::chain::Chain;
use crate::clock::{Clock, ClockMode, LATEST_TIME};
use crate::engine::export::{ExportError, Exported};
use crate::engine::{Engine, EngineError, Exporter, Parts, Placed};
use crate::genesis::{self, ChainGenesis, Recipe};
use crate::indexer::{EventLog, Folds, Following, Indexer};
use crate::market::{PROGRESS, SeededMessage};
use crate::state::{Ground, State};
use crate::store::{Store, StoreError};

struct Started {
    /// Absent when the chain belongs to another platform.
    node: Option<Node>,
    chain: Chain,
    genesis: ChainGenesis,
    /// Time to read its index.
    reading: Duration,
    /// The states of its seeded blocks, if they can be made again.
    archive: Option<Archive>,
}

/// The assembled parts and their initial state.
struct Assembled {
    engine: Engine,
    following: Following,
    nodes: Vec<(Node, Option<Archive>)>,
    indexed: ReadyIndex,
}

pub(super) async fn start(mut config: Config) -> Result<Platform, StartError> {
    if let Some(attach) = &config.attach {
        config.seed = attach.seed;
        config.operator_key = Some(attach.operator_key.clone());
        // Only the platform that owns the chains and the clock may move them.
        config.control = false;
    }
    let imported = config.import.as_deref().map(import::read).transpose()?;
    if let Some(imported) = &imported {
        config.seed = imported.seed;
        config.operator_key = Some(imported.operator_key.clone());
        config.clock =
            imported.clock_mode().map_err(|error| config.not_imported(ExportError::from(error).into()))?;
    }
    let ports = config.ports;
    config.control_token = config.control_token();
    let port = |part, number| Port { part, host: config.host, number };
    let rest = port("the service", ports.rest).listen().await?;
    let swap = port("the swap service", ports.swap).listen().await?;
    let control =
        if config.control { Some(port("the control plane", ports.control).listen().await?) } else { None };
    let mut node_listeners = Vec::new();
    if config.attach.is_none() {
        for number in [ports.primary_chain, ports.second_chain] {
            node_listeners.push(port("a chain", number).listen().await?);
        }
    }
    let (store, chains) = if config.attach.is_some() {
        let store = Store::open(config.backend()).await?;
        let clock = store.progress().await?.clock.and_then(|text| text.parse::<Clock>().ok());
        config.clock = clock.ok_or(StartError::NoClock)?.mode();
        (store, begin_chains(&config, imported.as_ref()).await?)
    } else {
        // The store opens while the nodes start.
        let open = async { Ok(Store::open(config.backend()).await?) };
        tokio::try_join!(open, begin_chains(&config, imported.as_ref()))?
    };
    if let Some(imported) = &imported {
        store.fill(&imported.store).await.map_err(|error| config.not_imported(error.into()))?;
    }
    let Assembled { engine, following, nodes, indexed } =
        assemble(&config, store, chains, imported.as_ref()).await?;
    let node_urls = node_urls(&config, &node_listeners)?;
    let ready = Ready {
        protocol: PROTOCOL,
        pid: std::process::id(),
        seed: config.seed,
        clock: engine.clock().mode(),
        base_url: url(&rest)?,
        swap_base_url: url(&swap)?,
        control_url: control.as_ref().map(url).transpose()?,
        control_token: config.control_token.clone(),
        operator_key: config.operator_key(),
        chains: ChainId::ALL
            .iter()
            .map(|id| ready_chain(&engine, id.0, &node_urls))
            .collect::<Result<_, _>>()?,
        accounts: engine.accounts().to_vec(),
        indexed,
    };
    let exporter = Exporter {
        engine: engine.clone(),
        seed: config.seed,
        operator_key: ready.operator_key.clone(),
        file: config.export.clone(),
        folder: config.export_folder(),
    };
    let AllServices { api, rest: rest_service, swap: swap_service, control: control_service } =
        services(&config, &engine, exporter.clone(), &ready, node_urls)?;
    if let Some(imported) = imported {
        engine.resume(imported).await;
    }
    let page_port = rest.local_addr().map_err(StartError::Listener)?.port();
    let mut served = vec![(rest, rest_service), (swap, swap_service)];
    served.extend(control.map(|control| (control, control_service)));
    let (nodes, archives): (Vec<Node>, Vec<Option<Archive>>) = nodes.into_iter().unzip();
    for ((listener, node), archive) in node_listeners.into_iter().zip(&nodes).zip(archives) {
        let (chain, _) = engine.chain(node.chain().0)?;
        let access = config.node_access(page_port);
        served.push((listener, filter(access, node.rpc_url(), archive, &engine, chain)?));
    }
    let services = Services::start(config.listener_limits, served);
    Ok(Platform { ready, api, engine, services, nodes, following, exporter })
}

async fn begin_chains(config: &Config, imported: Option<&Exported>) -> Result<Vec<Started>, StartError> {
    let toolchain = locate(config).await?;
    match imported {
        Some(imported) => begin_from(config, &toolchain, imported).await,
        None => begin(config, &toolchain).await,
    }
}

/// Finds the chain tools, and installs them when they are absent.
async fn locate(config: &Config) -> Result<Toolchain, StartError> {
    let report = |progress| {
        let text = match progress {
            Progress::WaitingForOther => "another process installs the chain tools; waiting for it",
            Progress::Installing => "installing the chain tools, once for this machine",
            Progress::Verifying => "verifying the chain tools",
        };
        tracing::info!(target: PROGRESS, step = "chain tools", "{text}");
    };
    Ok(Toolchain::locate(&config.toolchain, &report).await?)
}

/// Starts both chains from the cached genesis; a genesis that does not match is created again once.
async fn begin(config: &Config, toolchain: &Toolchain) -> Result<Vec<Started>, StartError> {
    let end = match &config.attach {
        Some(attach) => attached_market_end(attach).await?,
        None => config.market_end(),
    };
    let recipe = Recipe { seed: config.seed, market: &config.market, end, toolchain };
    let origin =
        Origin { seed: config.seed, market: config.market.clone(), end, toolchain: toolchain.clone() };
    let key = recipe.key()?;
    // Without the cache the files exist only until the nodes have loaded them.
    let folder = tempfile::tempdir().map_err(StartError::Listener)?;
    let passing = Cache::new(folder.path().to_owned());
    let cache = match config.cache {
        CachePolicy::Use | CachePolicy::Refresh => Cache::new(cache_folder(config)?),
        CachePolicy::Off => passing.clone(),
    };
    if config.cache == CachePolicy::Use
        && let Some(entry) = cache.find(&key)
    {
        match load(config, toolchain, &entry, Some(&origin)).await {
            Err(error @ (StartError::Node(_) | StartError::Head { .. } | StartError::Unreadable(_))) => {
                tracing::warn!(%error, "a cached beginning does not load and is made again");
            }
            answer => return answer,
        }
    }
    cache.drop_entry(&key);
    let files = recipe.make().await?;
    // A container's cache may be read-only, and the market in its image may have ended an hour ago or more.
    let kept = match cache.keep(&key, &files) {
        Ok(()) => &cache,
        Err(error) => {
            tracing::warn!(%error, "later starts make the market again");
            passing.keep(&key, &files)?;
            &passing
        }
    };
    let entry = kept.find(&key).ok_or(StartError::Unreadable(ChainId::PRIMARY))?;
    load(config, toolchain, &entry, Some(&origin)).await
}

/// Starts both chains from the exported ones.
async fn begin_from(
    config: &Config,
    toolchain: &Toolchain,
    imported: &Exported,
) -> Result<Vec<Started>, StartError> {
    const KEY: &str = "imported";
    let files = import::beginning(imported).map_err(|error| config.not_imported(error.into()))?;
    // The files exist only until the nodes have loaded them.
    let passing = tempfile::tempdir().map_err(StartError::Listener)?;
    let cache = Cache::new(passing.path().to_owned());
    cache.keep(KEY, &files)?;
    let entry = cache.find(KEY).ok_or(StartError::Unreadable(ChainId::PRIMARY))?;
    load(config, toolchain, &entry, None).await.map_err(|error| {
        let (chain, reason) = match error {
            StartError::Node(NodeError::Exited(exit)) => {
                tracing::debug!(%exit, "a node does not load an imported state");
                (exit.chain, "its state is not one that the node loads".to_owned())
            }
            StartError::Head { chain, expected, found } => {
                (chain, format!("it ends with block {found} instead of {expected}"))
            }
            StartError::Unreadable(chain) => (chain, "a part of it is missing or cannot be read".to_owned()),
            other => return other,
        };
        config.not_imported(ExportError::Chain { chain_id: chain.0, reason }.into()).into()
    })
}

/// Loads both chains; with the origin of their market, if it is known.
async fn load(
    config: &Config,
    toolchain: &Toolchain,
    entry: &Entry,
    origin: Option<&Origin>,
) -> Result<Vec<Started>, StartError> {
    if let Some(attach) = &config.attach {
        return try_join_all(attach.chains.iter().map(|chain| attach_chain(entry, chain))).await;
    }
    let load = |id| load_chain(toolchain, entry, id, origin);
    let (primary, second) = tokio::try_join!(load(ChainId::PRIMARY), load(ChainId::SECOND))?;
    Ok(vec![primary, second])
}

/// End of another platform's market, which may have been in another hour.
async fn attached_market_end(attach: &Attach) -> Result<u64, StartError> {
    let chain = attach.chains.first().ok_or(StartError::Unreadable(ChainId::PRIMARY))?;
    let first = Chain::attend(chain.chain_id, &chain.rpc_url)?.head_at(0).await?;
    Ok(genesis::market_end(first.timestamp))
}

/// Connects to a chain of another platform with the same genesis as this one would have.
async fn attach_chain(entry: &Entry, attached: &AttachedChain) -> Result<Started, StartError> {
    let id = ChainId(attached.chain_id);
    let (genesis, reading) = read_genesis(entry, id).await?;
    let chain = Chain::attend(id.0, &attached.rpc_url)?;
    let found = chain.head_at(genesis.height()).await?.hash;
    if found != genesis.head {
        return Err(StartError::Head { chain: id, expected: genesis.head, found });
    }
    Ok(Started { node: None, chain, genesis, reading, archive: None })
}

/// Reads the index of a chain, and checks that its node loads the state that was cached with it.
/// Also returns how long that took.
async fn read_genesis(entry: &Entry, id: ChainId) -> Result<(ChainGenesis, Duration), StartError> {
    let (entry, begun) = (entry.clone(), Instant::now());
    let reading = spawn_blocking(move || {
        entry.file(&genesis::state_file(id))?;
        serde_json::from_slice(&entry.file(&genesis::genesis_file(id))?).ok()
    });
    let read = reading.await.expect("reading a file does not panic");
    Ok((read.ok_or(StartError::Unreadable(id))?, begun.elapsed()))
}

async fn load_chain(
    toolchain: &Toolchain,
    entry: &Entry,
    id: ChainId,
    origin: Option<&Origin>,
) -> Result<Started, StartError> {
    let state = entry.path(&genesis::state_file(id));
    let bytes = std::fs::metadata(&state).map_or(0, |file| file.len());
    let options = NodeOptions {
        kept_states: kept_states(bytes),
        state: Some(state),
        accounts: 0,
        ..NodeOptions::hidden(id)
    };
    let starting = async { Ok(Node::start(toolchain.anvil(), &options).await?) };
    let (node, (genesis, reading)) = tokio::try_join!(starting, read_genesis(entry, id))?;
    let chain = Chain::attend(id.0, node.rpc_url())?;
    let found = chain.head().await?.hash;
    if found != genesis.head {
        return Err(StartError::Head { chain: id, expected: genesis.head, found });
    }
    chain.bound_gas().await?;
    chain.rests_with(found);
    let origin = origin.filter(|_| is_kept_whole(genesis.height(), bytes));
    let archive = origin.map(|origin| Archive::new(origin.clone(), id, genesis.height(), found));
    Ok(Started { node: Some(node), chain, genesis, reading, archive })
}

/// How many past states a node keeps for a state file of this size: the larger, the fewer.
fn kept_states(bytes: u64) -> u16 {
    const BYTES: u64 = 2 << 30;
    u16::try_from(BYTES / bytes.max(1)).unwrap_or(u16::MAX).clamp(2, 64)
}

/// Whether a node can keep the states of so many blocks, the last of which has a state file of this size. A state in memory is a twentieth
/// of the file, which has the blocks too, and on average half as large as the last one.
fn is_kept_whole(blocks: u64, bytes: u64) -> bool {
    const BYTES: u64 = 1 << 30;
    blocks < u64::from(u16::MAX) - 2 && blocks.saturating_mul(bytes / 40) <= BYTES
}

/// Assembles the parts and brings them to the same time.
async fn assemble(
    config: &Config,
    store: Store,
    started: Vec<Started>,
    imported: Option<&Exported>,
) -> Result<Assembled, StartError> {
    let (mut nodes, mut chains, mut followed) = (Vec::new(), BTreeMap::new(), Vec::new());
    let (mut log, mut facts, mut messages) = (EventLog::default(), Vec::new(), Vec::new());
    let mut indexing = started.iter().map(|chain| chain.reading).max().unwrap_or_default();
    for Started { node, chain, mut genesis, reading: _, archive } in started {
        nodes.extend(node.map(|node| (node, archive)));
        followed.push((chain.clone(), genesis::watched(&genesis.deployment)));
        facts.append(&mut genesis.facts);
        messages.append(&mut genesis.messages);
        let placed = Placed { chain: chain.clone(), deployment: genesis.deployment.clone() };
        genesis.blocks().for_each(|block| log.push(chain.id(), block.into()));
        chains.insert(chain.id(), placed);
    }
    let known = store.facts_after(0).await?;
    facts.retain(|fact| config.attach.is_none() && !known.iter().any(|(_, known)| fact.restates(known)));
    if !facts.is_empty() {
        let mut transaction = store.write(config.beginning()).await?;
        for fact in &facts {
            transaction.append(fact, None).await?;
        }
        transaction.commit().await?;
    }
    if config.attach.is_none() {
        post(&store, messages).await?;
    }
    let progress = store.progress().await?;
    let stated = progress.clock.and_then(|text| text.parse::<Clock>().ok());
    // The time of a used store continues: its limits and captchas depend on it.
    let beginning = match imported {
        Some(imported) if config.clock != ClockMode::Real => imported.now,
        // The clock may have been moved ahead of the host's clock.
        Some(imported) => config.beginning().max(imported.now),
        None => config.beginning().max(store.last_time().await?),
    }
    .min(LATEST_TIME);
    let begun = Instant::now();
    let indexer = Indexer::new(followed, store.clone(), progress.rollbacks, blank(&chains), log);
    let engine = Engine::new(Parts {
        clock: stated
            .filter(|_| config.attach.is_some())
            .unwrap_or_else(|| Clock::starting_at(config.clock, beginning)),
        follows_clock: config.attach.is_some(),
        indexer: indexer.clone(),
        store: store.clone(),
        accounts: account::users(config.seed, USERS),
        captcha_signer: Role::CaptchaSigner.signer(),
        owner: Role::Owner.signer(),
        chains,
    });
    if config.attach.is_none() {
        engine.align().await?;
    }
    engine.catch_up().await?;
    indexing += begun.elapsed();
    let each: Vec<Chain> = engine.chains().map(|(chain, _)| chain.clone()).collect();
    let mut following = Following::start(&indexer, &each);
    if config.trailing_blocks && config.attach.is_none() {
        each.into_iter().for_each(|chain| following.also(engine.clone().lengthen(chain)));
    }
    if let Some(inbox) = engine.join().await? {
        following.also(engine.clone().keep_up(inbox));
    }
    let indexed = ReadyIndex::of(indexer.counts(), indexing);
    Ok(Assembled { engine, following, nodes, indexed })
}

/// Posts the chat of the seeded market, once in the life of a store.
async fn post(store: &Store, mut messages: Vec<SeededMessage>) -> Result<(), StoreError> {
    messages.sort_by_key(|message| message.at);
    for SeededMessage { token, sender, text, at } in messages {
        let known = store.messages(token, 0, u64::from(u32::MAX)).await?;
        if !known.iter().any(|known| known.sender == sender && known.text == text) {
            let mut transaction = store.write(at).await?;
            transaction.add_message(token, sender, &text, at).await?;
            transaction.commit().await?;
        }
    }
    Ok(())
}

/// The folds before the first event.
fn blank(chains: &BTreeMap<u64, Placed>) -> Folds {
    let ground = |deployment: &Deployment| Ground {
        wrapped_native: deployment.contract("WETH9").unwrap_or_default(),
        pool_manager: deployment.contract("PoolManager").unwrap_or_default(),
        quote_assets: deployment.quote_assets.clone(),
    };
    let grounds = chains.iter().map(|(&id, placed)| (id, ground(&placed.deployment))).collect();
    Folds { state: State::new(grounds), ..Folds::default() }
}

fn cache_folder(config: &Config) -> Result<PathBuf, StartError> {
    let folder = config.cache_dir.clone().or_else(|| config.toolchain.cache_folder());
    // A market that is valid for an hour must not evict any other.
    let markets = if config.clock == ClockMode::Real { "hourly-markets" } else { "markets" };
    Ok(folder.ok_or(StartError::NoCacheFolder)?.join(markets))
}

/// URL of each node for callers: its filter, or the address that the other platform has stored.
fn node_urls(config: &Config, listeners: &[TcpListener]) -> Result<BTreeMap<u64, String>, StartError> {
    let own = listeners.iter().map(url).collect::<Result<Vec<_>, _>>()?;
    let attached = config.attach.iter().flat_map(|attach| &attach.chains);
    let given = attached.map(|chain| (chain.chain_id, chain.rpc_url.clone()));
    Ok(ChainId::ALL.map(|id| id.0).into_iter().zip(own).chain(given).collect())
}

fn ready_chain(
    engine: &Engine,
    chain_id: u64,
    node_urls: &BTreeMap<u64, String>,
) -> Result<ReadyChain, EngineError> {
    let (_, deployment) = engine.chain(chain_id)?;
    Ok(ReadyChain {
        chain_id,
        rpc_url: node_urls.get(&chain_id).cloned().unwrap_or_default(),
        hook: deployment.hook,
        contracts: deployment.contracts.clone(),
    })
}
