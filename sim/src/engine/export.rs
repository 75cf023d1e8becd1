//! Exports a whole platform as one text, for a file that another start can import: a header line with the version and the hash of the rest,
//! then a JSON line for each part. Where the text is stored is up to the caller.
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::Ordering;

use alloy::primitives::{B256, Bytes};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use slipway_contracts::ChainId;

use super::checkpoint::TRIES;
use super::kept::{CheckpointRecord, Checkpoints};
use super::order::{Turn, each};
use super::{Engine, EngineError, Placed};
use crate::clock::{Clock, ClockMode, LATEST_TIME, ParseClockError};
use crate::credential::is_credential;
use crate::faults::Ordered;
use crate::genesis::{self, ChainGenesis};
use crate::store::Dump;

/// Incremented whenever the format of the parts changes.
pub(crate) const VERSION: u64 = 3;
const FORMAT: &str = "slipway-export";

/// More than any platform counts, and far from where numbers end.
pub(super) const MOST_COUNTED: u64 = 1 << 53;

/// First line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    format: String,
    version: u64,
    /// Hash of everything after this line, hexadecimal.
    sha256: String,
}

/// The parts of a platform, apart from its code.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Exported {
    pub(crate) seed: u64,
    pub(crate) operator_key: String,
    /// The clock as text; `now` is its time, Unix seconds.
    pub(crate) clock: String,
    pub(crate) now: u64,
    /// Number of captchas signed.
    pub(crate) captchas: u64,
    pub(crate) last_checkpoint: u64,
    pub(crate) checkpoints: Vec<CheckpointRecord>,
    /// The configured faults, in a list with one element.
    #[serde(rename = "parts")]
    pub(crate) faults: [BTreeMap<String, Ordered>; 1],
    pub(crate) store: Dump,
    /// By chain id.
    pub(crate) chains: BTreeMap<u64, ExportedChain>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ExportedChain {
    pub(crate) genesis: ChainGenesis,
    /// The node's state, compressed with gzip.
    pub(crate) state: Bytes,
}

/// The text is not an export that this version can read.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("it is not an export of a platform: the first line is not an export header")]
    Form,
    #[error(
        "it has version {0}, and this program reads version {VERSION}: export it again with this program"
    )]
    Version(u64),
    #[error("it is damaged: its content has another hash than its header states")]
    Damaged,
    #[error("its content cannot be read: {0}")]
    Content(#[source] serde_json::Error),
    #[error("its clock cannot be read: {0}")]
    Clock(#[from] ParseClockError),
    #[error("operatorKey in it is not 1 to 256 visible ASCII characters")]
    Credential,
    #[error("{field} in it is a number that no platform has counted to")]
    Number { field: &'static str },
    #[error("{field} in it is {time}: the last time is {LATEST_TIME}")]
    Time { field: &'static str, time: u64 },
    #[error("the state of chain {chain_id} in it cannot be unpacked: {source}")]
    State { chain_id: u64, source: io::Error },
    #[error("a node cannot continue chain {chain_id} from it: {reason}")]
    Chain { chain_id: u64, reason: String },
}

impl Exported {
    pub(crate) fn clock_mode(&self) -> Result<ClockMode, ParseClockError> {
        self.clock.parse().map(|clock: Clock| clock.mode())
    }

    pub(crate) fn to_text(&self) -> String {
        let content = serde_json::to_string(self).expect("an export has only string keys") + "\n";
        let sha256 = alloy::hex::encode(Sha256::digest(&content));
        let header = Header { format: FORMAT.to_owned(), version: VERSION, sha256 };
        format!("{}\n{content}", serde_json::to_string(&header).expect("a header has only string keys"))
    }

    pub(crate) fn parse(text: &str) -> Result<Self, ExportError> {
        let (first, content) = text.split_once('\n').ok_or(ExportError::Form)?;
        let header: Header = serde_json::from_str(first).map_err(|_| ExportError::Form)?;
        if header.format != FORMAT {
            return Err(ExportError::Form);
        }
        if header.version != VERSION {
            return Err(ExportError::Version(header.version));
        }
        if alloy::hex::encode(Sha256::digest(content)) != header.sha256 {
            return Err(ExportError::Damaged);
        }
        let exported: Self = serde_json::from_str(content).map_err(ExportError::Content)?;
        exported.clock_mode()?;
        exported.require_usable()?;
        let checkpoints = exported.checkpoints.iter().map(|checkpoint| ("a checkpoint", checkpoint.at));
        let times = [("now", exported.now), ("the store's time", exported.store.last_time())];
        let beyond = times.into_iter().chain(checkpoints).find(|(_, time)| *time > LATEST_TIME);
        match beyond {
            Some((field, time)) => Err(ExportError::Time { field, time }),
            None => Ok(exported),
        }
    }

    /// Requires that callers can send the credential, and that everything can be counted on from here.
    fn require_usable(&self) -> Result<(), ExportError> {
        if !is_credential(&self.operator_key) {
            return Err(ExportError::Credential);
        }
        let last = self.last_checkpoint;
        let is_over = |checkpoint: &CheckpointRecord| checkpoint.id > last;
        let fields = [
            ("lastCheckpoint", last <= MOST_COUNTED),
            ("the id of a checkpoint", !self.checkpoints.iter().any(is_over)),
            ("captchas", self.captchas <= MOST_COUNTED),
            ("a number of the store", self.store.is_countable(MOST_COUNTED)),
        ];
        let wrong = fields.into_iter().find(|(_, is_countable)| !is_countable);
        wrong.map_or(Ok(()), |(field, _)| Err(ExportError::Number { field }))
    }
}

impl ExportedChain {
    /// The node's state, of at most `most` bytes.
    fn unpacked(&self, most: u64) -> io::Result<Vec<u8>> {
        let state = genesis::unpacked(&self.state, most)?;
        Ok(genesis::with_one_first_block(state, self.genesis.first_block())?)
    }
}

/// The chains as files that a start loads.
pub(crate) fn files(chains: &BTreeMap<u64, ExportedChain>) -> Result<BTreeMap<String, Vec<u8>>, ExportError> {
    let (mut files, mut left) = (BTreeMap::new(), genesis::LARGEST_STATE);
    for (&chain_id, chain) in chains {
        let state = chain.unpacked(left).map_err(|source| ExportError::State { chain_id, source })?;
        left -= state.len() as u64;
        let genesis = serde_json::to_vec(&chain.genesis).expect("a beginning has only string keys");
        files.insert(genesis::state_file(ChainId(chain_id)), state);
        files.insert(genesis::genesis_file(ChainId(chain_id)), genesis);
    }
    Ok(files)
}

impl Engine {
    /// Captures everything at one moment, without pending transactions.
    pub(crate) async fn export(&self, seed: u64, operator_key: &str) -> Result<Exported, EngineError> {
        let operator_key = operator_key.to_owned();
        self.order(async move |mut turn: Turn| {
            turn.repair().await?;
            let engine = turn.engine.clone();
            engine.at_rest(engine.whole(seed, operator_key, &turn.orders)).await
        })
        .await
    }

    /// Captures everything while no transaction is mined. If a caller makes a node mine a block meanwhile, the export starts again.
    async fn whole(
        &self,
        seed: u64,
        operator_key: String,
        orders: &Checkpoints,
    ) -> Result<Exported, EngineError> {
        for _ in 0..TRIES {
            let (heads, chains) = self.wholes().await?;
            // Within the store's lock, so that everything is from one moment.
            let mut held = self.inner.store.hold().await?;
            let store = held.dump().await?;
            let faults = [self.inner.faults.all()];
            let captchas = self.inner.captchas.load(Ordering::SeqCst);
            let now =
                each(self.all().map(async |chain| Ok::<_, EngineError>(chain.head().await?.hash))).await?;
            drop(held);
            if now == heads {
                let clock = &self.inner.clock;
                return Ok(Exported {
                    seed,
                    operator_key,
                    clock: clock.to_string(),
                    now: clock.now(),
                    captchas,
                    last_checkpoint: orders.last,
                    checkpoints: orders.all(),
                    faults,
                    store,
                    chains,
                });
            }
        }
        Err(EngineError::Restless)
    }

    /// The last block of each chain, and the chains exported up to it.
    pub(super) async fn wholes(&self) -> Result<(Vec<B256>, BTreeMap<u64, ExportedChain>), EngineError> {
        let (mut chains, mut heads) = (BTreeMap::new(), Vec::new());
        for placed in self.placed() {
            let (head, exported) = self.exported(placed).await?;
            heads.push(head);
            chains.insert(placed.chain.id(), exported);
        }
        Ok((heads, chains))
    }

    /// The last block of a chain, and the chain exported up to it.
    async fn exported(&self, placed: &Placed) -> Result<(B256, ExportedChain), EngineError> {
        let Placed { chain, deployment, market } = placed;
        let head = chain.head().await?.hash;
        let state = chain.state().await?;
        self.inner.indexer.catch_up(chain.id(), None).await?;
        let mut blocks = self.inner.indexer.blocks(chain.id());
        let last = blocks.iter().rposition(|block| block.hash == head);
        blocks.truncate(last.map_or(0, |last| last + 1));
        let genesis = ChainGenesis::new(deployment.clone(), Vec::new(), *market, &blocks);
        Ok((head, ExportedChain { genesis, state }))
    }

    /// Continues from an exported platform: checkpoint ids are not reused, and its faults are configured.
    pub(crate) async fn resume(&self, exported: Exported) {
        let mut orders = self.inner.orders.lock().await;
        self.inner.captchas.store(exported.captchas, Ordering::SeqCst);
        orders.last = exported.last_checkpoint;
        orders.imported = exported.checkpoints;
        let [faults] = exported.faults;
        self.inner.faults.restore(faults);
    }
}
