//! The chains of a platform: newly made, from the cache, from an export, from a folder, or shared with another platform.
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use futures::future::try_join_all;
use slipway_contracts::ChainId;
use slipway_contracts::node::{KEPT_STATES, Node, NodeError, NodeOptions};
use slipway_contracts::toolchain::{Progress, Toolchain};
use tokio::task::spawn_blocking;

use super::Config;
use super::config::{Attach, AttachedChain};
use super::error::StartError;
use super::node_filter::{Archive, End, Origin};
use crate::cache::{Cache, CachePolicy, Entry};
use crate::chain::Chain;
use crate::clock::ClockMode;
use crate::engine::export::{self, ExportError, Exported};
use crate::engine::{Kept, StateError, keep_first};
use crate::genesis::{self, ChainGenesis, Recipe};
use crate::market::PROGRESS;

pub(super) struct Started {
    /// `None` if the chain belongs to another platform.
    pub(super) node: Option<Node>,
    pub(super) chain: Chain,
    pub(super) genesis: ChainGenesis,
    /// Time to read its index.
    pub(super) reading: Duration,
    /// The states of its past blocks, if they can be made again.
    pub(super) archive: Option<Archive>,
}

/// Starts both chains.
pub(super) async fn begin_chains(
    config: &Config,
    imported: Option<&Exported>,
    kept: Option<&Kept>,
) -> Result<Vec<Started>, StartError> {
    let toolchain = locate(config).await?;
    match (imported, kept, config.kept_folder()) {
        (_, Some(kept), Some(folder)) => go_on(config, &toolchain, kept, folder).await,
        (Some(imported), ..) => begin_from(config, &toolchain, imported).await,
        _ => begin(config, &toolchain).await,
    }
}

/// Starts both chains from the state in a folder.
async fn go_on(
    config: &Config,
    toolchain: &Toolchain,
    kept: &Kept,
    folder: &Path,
) -> Result<Vec<Started>, StartError> {
    let damaged = |reason: String| StateError::Damaged { folder: folder.display().to_string(), reason };
    let entry = kept.files(folder)?;
    let entry = entry.ok_or_else(|| damaged("the state of its chains is missing".to_owned()))?;
    load(config, toolchain, &entry).await.map_err(|error| match not_loaded(error) {
        Ok((chain, reason)) => damaged(format!("of chain {chain} {reason}")).into(),
        Err(other) => other,
    })
}

/// Loads both chains, and keeps their files in the folder of the platform, if any.
async fn load_first(
    config: &Config,
    toolchain: &Toolchain,
    entry: &Entry,
) -> Result<Vec<Started>, StartError> {
    let started = load(config, toolchain, entry).await?;
    if let Some(folder) = config.kept_folder() {
        let (folder, entry) = (folder.to_owned(), entry.clone());
        let kept = spawn_blocking(move || {
            let files = entry.files().ok_or(StartError::Unreadable(ChainId::PRIMARY))?;
            Ok::<_, StartError>(keep_first(&folder, &files)?)
        });
        kept.await.expect("copying files does not panic")?;
    }
    Ok(started)
}

/// Finds the chain tools, and installs them if they are missing.
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
    let key = recipe.key()?;
    // Without the cache the files exist only until the nodes have loaded them.
    let (_folder, passing) = Cache::passing()?;
    let cache = match config.cache {
        CachePolicy::Use | CachePolicy::Refresh => Cache::new(cache_folder(config)?),
        CachePolicy::Off => passing.clone(),
    };
    if config.cache == CachePolicy::Use
        && let Some(entry) = cache.find(&key)
    {
        match load_first(config, toolchain, &entry).await {
            Err(error @ (StartError::Node(_) | StartError::Head { .. } | StartError::Unreadable(_))) => {
                tracing::warn!(%error, "a cached beginning does not load and is made again");
            }
            answer => return answer,
        }
    }
    cache.drop_entry(&key);
    let files = recipe.make().await?;
    // A container's cache may be read-only, and the market in its image may have ended an hour or more ago.
    let kept = match cache.keep(&key, &files) {
        Ok(()) => &cache,
        Err(error) => {
            tracing::warn!(%error, "later starts make the market again");
            passing.keep(&key, &files)?;
            &passing
        }
    };
    let entry = kept.find(&key).ok_or(StartError::Unreadable(ChainId::PRIMARY))?;
    load_first(config, toolchain, &entry).await
}

/// Starts both chains from an export.
async fn begin_from(
    config: &Config,
    toolchain: &Toolchain,
    imported: &Exported,
) -> Result<Vec<Started>, StartError> {
    const KEY: &str = "imported";
    let files = export::files(&imported.chains).map_err(|error| config.not_imported(error.into()))?;
    // The files exist only until the nodes have loaded them.
    let (_folder, cache) = Cache::passing()?;
    cache.keep(KEY, &files)?;
    let entry = cache.find(KEY).ok_or(StartError::Unreadable(ChainId::PRIMARY))?;
    load_first(config, toolchain, &entry).await.map_err(|error| match not_loaded(error) {
        Ok((chain, reason)) => {
            let reason = format!("its {reason}");
            config.not_imported(ExportError::Chain { chain_id: chain.0, reason }.into()).into()
        }
        Err(other) => other,
    })
}

/// The reason why a node does not continue a chain, if its files are the cause; otherwise the error.
fn not_loaded(error: StartError) -> Result<(ChainId, String), StartError> {
    match error {
        StartError::Node(NodeError::Exited(exit)) => {
            tracing::debug!(%exit, "a node does not load a state");
            Ok((exit.chain, "state is not one that the node loads".to_owned()))
        }
        StartError::Head { chain, expected, found } => {
            Ok((chain, format!("state ends with block {found} instead of {expected}")))
        }
        StartError::Unreadable(chain) => Ok((chain, "state is missing in part or cannot be read".to_owned())),
        other => Err(other),
    }
}

/// Loads both chains.
async fn load(config: &Config, toolchain: &Toolchain, entry: &Entry) -> Result<Vec<Started>, StartError> {
    if let Some(attach) = &config.attach {
        return try_join_all(attach.chains.iter().map(|chain| attach_chain(entry, chain))).await;
    }
    let origin = Origin { seed: config.seed, market: config.market.clone(), toolchain: toolchain.clone() };
    let load = |id| load_chain(entry, id, &origin);
    let (primary, second) = tokio::try_join!(load(ChainId::PRIMARY), load(ChainId::SECOND))?;
    Ok(vec![primary, second])
}

/// End of another platform's market, which may have been in another hour.
async fn attached_market_end(attach: &Attach) -> Result<u64, StartError> {
    let chain = attach.chains.first().ok_or(StartError::Unreadable(ChainId::PRIMARY))?;
    let first = Chain::attend(chain.chain_id, &chain.rpc_url)?.head_at(0).await?;
    Ok(genesis::market_end(first.timestamp))
}

/// Connects to a chain of another platform, with the same genesis as this one would have.
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

async fn load_chain(entry: &Entry, id: ChainId, origin: &Origin) -> Result<Started, StartError> {
    let state = entry.path(&genesis::state_file(id));
    let bytes = std::fs::metadata(&state).map_or(0, |file| file.len());
    let kept_states = kept_states(bytes);
    let options = NodeOptions { kept_states, state: Some(state), accounts: 0, ..NodeOptions::hidden(id) };
    let starting = async { Ok(Node::start(origin.toolchain.anvil(), &options).await?) };
    let (node, (genesis, reading)) = tokio::try_join!(starting, read_genesis(entry, id))?;
    let chain = Chain::attend(id.0, node.rpc_url())?;
    chain.keeps_states(kept_states);
    let found = chain.head().await?.hash;
    if found != genesis.head {
        return Err(StartError::Head { chain: id, expected: genesis.head, found });
    }
    chain.bound_gas().await?;
    chain.rests_with(found);
    let archive = genesis.end_of_market().and_then(|(time, number, hash)| {
        let states = archived_states(number, bytes)?;
        Some(Archive::new(origin.clone(), id, End { time, number, hash }, states))
    });
    Ok(Started { node: Some(node), chain, genesis, reading, archive })
}

/// Number of past states that a node keeps, given the size of its state file: the larger the file, the fewer.
fn kept_states(bytes: u64) -> u16 {
    const BYTES: u64 = 2 << 30;
    u16::try_from(BYTES / bytes.max(1)).unwrap_or(u16::MAX).clamp(2, KEPT_STATES)
}

/// The number of states that an archive keeps of a chain whose market has `blocks` blocks and ends with a state file of this size; `None` if
/// those of the market are too large. A state in memory is a twentieth of the file, which also contains the blocks; those of the market are on
/// average half as large.
fn archived_states(blocks: u64, bytes: u64) -> Option<u16> {
    const BYTES: u64 = 1 << 30;
    let left = BYTES.checked_sub(blocks.saturating_mul(bytes / 40))?;
    // One more than there are blocks, so that none is dropped.
    let states = blocks + 2 + left / (bytes / 20).max(1);
    (blocks + 2 <= u64::from(u16::MAX)).then(|| u16::try_from(states).unwrap_or(u16::MAX))
}

fn cache_folder(config: &Config) -> Result<PathBuf, StartError> {
    let folder = config.cache_dir.clone().or_else(|| config.toolchain.cache_folder());
    // A market that is valid for an hour must not evict any other.
    let markets = if config.clock == ClockMode::Real { "hourly-markets" } else { "markets" };
    Ok(folder.ok_or(StartError::NoCacheFolder)?.join(markets))
}
