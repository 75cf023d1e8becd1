//! Starts chains, store, index and services; ready only when all respond.
use std::collections::BTreeMap;
use std::time::Instant;

use futures::FutureExt as _;
use slipway_contracts::ChainId;
use slipway_contracts::deploy::{Deployment, Role};
use slipway_contracts::node::Node;
use tokio::net::TcpListener;

use super::chains::{Started, begin_chains};
use super::error::StartError;
use super::import;
use super::live::Live;
use super::node_filter::{Archive, filter};
use super::ready::PROTOCOL;
use super::serve::{Port, Services, url};
use super::services::{AllServices, services};
use super::{Config, Platform, Ready, ReadyChain, ReadyIndex};
use crate::account::{self, USERS};
use crate::chain::Chain;
use crate::clock::{Clock, ClockMode, LATEST_TIME};
use crate::engine::export::{ExportError, Exported};
use crate::engine::{
    Engine, EngineError, Exporter, Keep, Kept, KeptReadError, Parts, Placed, StateError, is_damage,
};
use crate::genesis;
use crate::indexer::{EventLog, Folds, Following, Indexer};
use crate::market::SeededMessage;
use crate::state::{Ground, State};
use crate::store::{Store, StoreError};

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
        // Only the platform that owns the chains and the clock may move them; it alone knows the nonces of the market's accounts.
        config.control = false;
        config.live = None;
    }
    config.require_credentials()?;
    let imported = config.import.as_deref().map(import::read).transpose()?;
    let before = Before::open(&config).await?;
    before.decide(&mut config, imported.is_some())?;
    if let Some(imported) = &imported {
        config.seed = imported.seed;
        config.operator_key = Some(imported.operator_key.clone());
        config.clock =
            imported.clock_mode().map_err(|error| config.not_imported(ExportError::from(error).into()))?;
    }
    let ports = config.ports;
    config.control_token = config.control_token();
    let port = |part, number| Port { part, host: config.host, number };
    let rest = port("the REST service", ports.rest).listen().await?;
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
        (store, begin_chains(&config, imported.as_ref(), None).await?)
    } else {
        // The store opens while the nodes start.
        let open = async {
            match before.store {
                Some(open) => Ok(open),
                None => Ok(Store::open(config.backend()).await?),
            }
        };
        tokio::try_join!(open, begin_chains(&config, imported.as_ref(), before.kept.as_ref()))?
    };
    if let Some(imported) = &imported {
        store.fill(&imported.store).await.map_err(|error| config.not_imported(error.into()))?;
    }
    let Assembled { engine, mut following, nodes, indexed } =
        assemble(&config, store, chains, imported.as_ref(), before.kept).await?;
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
    if let Some(rate) = config.live {
        following.also(
            Live::new(config.seed, engine.clone(), ready.operator_key.clone(), rest_service.clone())
                .run(rate),
        );
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

/// The content of a folder from an earlier run.
#[derive(Default)]
struct Before {
    store: Option<Store>,
    kept: Option<Kept>,
    clock: Option<Clock>,
}

impl Before {
    async fn open(config: &Config) -> Result<Self, StartError> {
        let Some(folder) = config.kept_folder() else { return Ok(Self::default()) };
        let store = Store::open(config.backend()).await?;
        let kept = match Kept::read(folder, &store).await {
            // This start imports again.
            Err(KeptReadError::State(StateError::Importing { .. })) if config.import.is_some() => None,
            kept => kept?,
        };
        let clock = store.progress().await?.clock.map(|text| text.parse::<Clock>()).transpose();
        let clock = clock.map_err(|error| StateError::Damaged {
            folder: folder.display().to_string(),
            reason: error.to_string(),
        })?;
        Ok(Self { store: Some(store), kept, clock })
    }

    /// Takes seed, clock and operator's credential from the platform in the folder.
    fn decide(&self, config: &mut Config, is_import: bool) -> Result<(), StartError> {
        let Some(kept) = &self.kept else { return Ok(()) };
        if is_import {
            return Err(config.not_imported(StoreError::NotEmpty.into()).into());
        }
        config.seed = kept.seed;
        config.operator_key = Some(kept.operator_key.clone());
        config.clock = self.clock.as_ref().map_or(config.clock, Clock::mode);
        Ok(())
    }
}

/// Assembles the parts and brings them to the same time.
async fn assemble(
    config: &Config,
    store: Store,
    started: Vec<Started>,
    imported: Option<&Exported>,
    kept: Option<Kept>,
) -> Result<Assembled, StartError> {
    let (mut nodes, mut chains, mut followed) = (Vec::new(), BTreeMap::new(), Vec::new());
    let (mut log, mut facts, mut messages) = (EventLog::default(), Vec::new(), Vec::new());
    let mut indexing = started.iter().map(|chain| chain.reading).max().unwrap_or_default();
    for Started { node, chain, mut genesis, reading: _, archive } in started {
        nodes.extend(node.map(|node| (node, archive)));
        followed.push((chain.clone(), genesis::watched(&genesis.deployment)));
        facts.append(&mut genesis.facts);
        messages.append(&mut genesis.messages);
        let placed =
            Placed { chain: chain.clone(), deployment: genesis.deployment.clone(), market: genesis.market };
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
    // The clock may have been moved ahead of the host's clock.
    let ahead = stated.as_ref().filter(|_| kept.is_some() && config.clock == ClockMode::Real).map(Clock::now);
    // The time of a used store continues: its limits and captchas depend on it.
    let beginning = match imported {
        Some(imported) if config.clock != ClockMode::Real => imported.now,
        // The clock may have been moved ahead of the host's clock.
        Some(imported) => config.beginning().max(imported.now),
        None => config.beginning().max(store.last_time().await?).max(ahead.unwrap_or_default()),
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
        keep: config.kept_folder().map(|folder| Keep::new(folder, kept, || first(config, imported))),
    });
    let later = engine.play_again().boxed().await.map_err(|error| match config.kept_folder() {
        Some(folder) if is_damage(&error) => {
            let folder = folder.display().to_string();
            StartError::State(StateError::Damaged { folder, reason: error.to_string() })
        }
        _ => error.into(),
    })?;
    if config.attach.is_none() {
        engine.align().await?;
    }
    engine.wait_again(later).boxed().await?;
    engine.catch_up().await?;
    indexing += begun.elapsed();
    let each: Vec<Chain> = engine.chains().map(|(chain, _)| chain.clone()).collect();
    let mut following = Following::start(&indexer, &each);
    if config.trailing_blocks && config.attach.is_none() {
        each.into_iter().for_each(|chain| following.also(engine.clone().lengthen(chain)));
    }
    if engine.is_kept() {
        following.also(engine.clone().shorten_journal());
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

/// The folder's description of a platform that begins in it.
fn first(config: &Config, imported: Option<&Exported>) -> Kept {
    let mut kept = Kept::new(config.seed, config.operator_key());
    if let Some(imported) = imported {
        kept.captchas = imported.captchas;
        kept.last_checkpoint = imported.last_checkpoint;
        kept.checkpoints.clone_from(&imported.checkpoints);
        kept.faults = imported.faults[0].clone();
    }
    kept
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

/// URL of each node for callers: its filter, or the address stored by the other platform.
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
