//! The genesis of a platform: both chains deployed and seeded once, as files that every later start loads.
use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::sync::Arc;

use alloy::consensus::Header;
use alloy::primitives::{B256, U64};
use flate2::read::GzDecoder;
use serde_json::value::{RawValue, to_raw_value};
use slipway_contracts::ChainId;
use slipway_contracts::artifacts::{ArtifactError, Artifacts};
use slipway_contracts::deploy::{self, DeployError, Deployment};
use slipway_contracts::node::{Node, NodeError, NodeOptions};
use slipway_contracts::toolchain::{Published, Toolchain, ToolchainError};

use crate::account::{self, USERS};
use crate::chain::{Chain, ChainError};
use crate::event::Event;
use crate::fact::Fact;
use crate::indexer::{EventLog, Folds, IndexError, IndexedBlock, Indexer, Watched};
use crate::market::{
    self, ExchangeVenue, Market, MarketError, MarketPlan, PlanError, Records, SeededMessage, TokenCodes,
    Venue,
};
use crate::store::{Backend, Store, StoreError};

/// Incremented whenever the format of the genesis files changes.
const FORM: u32 = 4;
/// Time from the genesis block to the beginning of the market, seconds.
const GENESIS_BEFORE: u64 = 3_600;
/// The balance of each user account, in ether.
const WEALTH: u64 = 10_000;
/// Past states that a node keeps while it creates a chain: few, since they are not read and each is a whole copy.
const KEPT_STATES: u16 = 2;

/// Limit on the states of all nodes together, decompressed, in bytes.
pub(crate) const LARGEST_STATE: u64 = 2 << 30;

/// The genesis could not be created.
#[derive(Debug, thiserror::Error)]
pub enum GenesisError {
    /// A node failed.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// A chain failed.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The contracts could not be deployed.
    #[error(transparent)]
    Deploy(#[from] DeployError),
    /// One of our contract artifacts is missing.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The published contracts cannot be read.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// The market could not be created.
    #[error(transparent)]
    Market(#[from] MarketError),
    /// The market's file is refused.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The chain could not be indexed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A deployment lacks a contract that the market needs.
    #[error("the deployment of chain {chain} has no {name}")]
    NoContract {
        /// The chain.
        chain: ChainId,
        /// The contract.
        name: &'static str,
    },
    /// A node's state cannot be read.
    #[error("the state of chain {chain} cannot be taken")]
    State {
        /// The chain.
        chain: ChainId,
        /// The cause.
        source: io::Error,
    },
}

/// A seeded chain, on the node that made it.
#[derive(Debug)]
pub(crate) struct Seeded {
    pub(crate) node: Node,
    pub(crate) chain: Chain,
    pub(crate) deployment: Deployment,
    pub(crate) records: Records,
}

/// Everything that determines a genesis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe<'a> {
    pub(crate) seed: u64,
    pub(crate) market: &'a MarketPlan,
    /// End of the market, Unix seconds.
    pub(crate) end: u64,
    pub(crate) toolchain: &'a Toolchain,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct ChainGenesis {
    pub(crate) deployment: Deployment,
    pub(crate) head: B256,
    pub(crate) facts: Vec<Fact>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) messages: Vec<SeededMessage>,
    /// The number of the market's last block; absent in a file of an earlier version.
    #[serde(default)]
    pub(crate) market: Option<u64>,
    blocks: Vec<BlockLine>,
    events: Vec<Event>,
}

/// A block without its events.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct BlockLine(B256, u64);

impl Recipe<'_> {
    /// Text that is equal exactly if the genesis is equal.
    pub(crate) fn key(&self) -> Result<String, GenesisError> {
        let [primary, second] = ChainId::ALL.map(|chain| deploy::fingerprint(chain, self.toolchain));
        let (primary, second) = (primary?, second?);
        let numbers = [self.seed, self.end, u64::from(market::VERSION), u64::from(FORM)]
            .map(|number| number.to_string());
        let mut parts: Vec<&str> = numbers.iter().map(String::as_str).chain([self.market.key()]).collect();
        parts.extend([primary.as_str(), second.as_str()]);
        Ok(crate::cache::key(&parts))
    }

    /// Deploys and seeds both chains; returns the files that a start needs.
    pub(crate) async fn make(&self) -> Result<BTreeMap<String, Vec<u8>>, GenesisError> {
        tracing::info!(target: market::PROGRESS, step = market::STEP, "made once for this seed and market");
        self.market.check(self.seed, self.end)?;
        let [primary, second] = ChainId::ALL.map(|chain| self.make_files(chain));
        let (primary, second) = tokio::try_join!(primary, second)?;
        Ok(primary.into_iter().chain(second).collect())
    }

    async fn make_files(&self, chain_id: ChainId) -> Result<Vec<(String, Vec<u8>)>, GenesisError> {
        let Seeded { node, chain, deployment, records } = self.seeded(chain_id, KEPT_STATES).await?;
        tracing::info!(target: market::PROGRESS, step = market::STEP, "chain {chain_id}: indexing");
        let genesis = indexed(&chain, deployment, records).await?;
        let state = state_of(&chain).await?;
        node.stop().await;
        let genesis = serde_json::to_vec(&genesis).expect("a beginning has only string keys");
        Ok(vec![(state_file(chain_id), state), (genesis_file(chain_id), genesis)])
    }

    /// Deploys and seeds a chain on a new node, which keeps the states of its latest `kept_states` blocks.
    pub(crate) async fn seeded(&self, chain_id: ChainId, kept_states: u16) -> Result<Seeded, GenesisError> {
        let options = NodeOptions {
            genesis_time: Some(self.end - market::DURATION - GENESIS_BEFORE),
            unlimited_blocks: true,
            kept_states,
            ..NodeOptions::hidden(chain_id)
        };
        let node = Node::start(self.toolchain.anvil(), &options).await?;
        let chain = Chain::connect(chain_id.0, node.rpc_url())?;
        chain.stand_at(self.end - market::DURATION - GENESIS_BEFORE).await?;
        tracing::info!(target: market::PROGRESS, step = market::STEP, "chain {chain_id}: deploying the contracts");
        let deployment = deploy::deploy(&node, self.toolchain).await?;
        let users: Vec<_> = account::users(self.seed, USERS).iter().map(|user| user.address).collect();
        chain.fund(&users, market::ether(WEALTH)).await?;
        let schedule = self.market.schedule(self.seed, chain_id, self.end)?;
        let market = Market::new(&chain, venue(&deployment)?, self.seed, schedule);
        let token_codes = TokenCodes {
            mintable: Artifacts::sound().contract("MintableToken")?.bytecode,
            deflating: self.toolchain.published(Published::DeflatingErc20)?.creation,
        };
        let records = market.endowing(users).run(&token_codes).await?;
        Ok(Seeded { node, chain, deployment, records })
    }
}

/// The end of the market on a chain whose first block has this time, Unix seconds.
pub(crate) fn market_end(first_block: u64) -> u64 {
    first_block + GENESIS_BEFORE + market::DURATION
}

/// Name of the file with the state that a node loads.
pub(crate) fn state_file(chain: ChainId) -> String {
    format!("state-{chain}.json")
}

/// Name of the file with all other data of a chain.
pub(crate) fn genesis_file(chain: ChainId) -> String {
    format!("genesis-{chain}.json")
}

impl ChainGenesis {
    pub(crate) fn new(
        deployment: Deployment,
        facts: Vec<Fact>,
        market: Option<u64>,
        blocks: &[Arc<IndexedBlock>],
    ) -> Self {
        Self {
            deployment,
            head: blocks.last().map(|block| block.hash).unwrap_or_default(),
            facts,
            messages: Vec::new(),
            market,
            blocks: blocks.iter().map(|block| BlockLine(block.hash, block.timestamp)).collect(),
            events: blocks.iter().flat_map(|block| block.events.iter().cloned()).collect(),
        }
    }

    /// The hash of the first block.
    pub(crate) fn first_block(&self) -> B256 {
        self.blocks.first().map(|block| block.0).unwrap_or_default()
    }

    /// The number of the last block.
    pub(crate) fn height(&self) -> u64 {
        (self.blocks.len() as u64).saturating_sub(1)
    }

    /// When its market ended, Unix seconds, and the number and the hash of the last block of it, if they are known.
    pub(crate) fn end_of_market(&self) -> Option<(u64, u64, B256)> {
        let number = self.market?;
        let last = self.blocks.get(usize::try_from(number).ok()?)?;
        Some((market_end(self.blocks.first()?.1), number, last.0))
    }

    pub(crate) fn blocks(self) -> impl Iterator<Item = IndexedBlock> {
        let mut events = self.events.into_iter().peekable();
        (0_u64..).zip(self.blocks).map(move |(number, BlockLine(hash, timestamp))| {
            let mut own = Vec::new();
            while let Some(event) = events.next_if(|event| event.block == number) {
                own.push(event);
            }
            IndexedBlock { number, hash, timestamp, events: own }
        })
    }
}

pub(crate) fn watched(deployment: &Deployment) -> Watched {
    Watched {
        hooks: deployment.hooks().collect(),
        pool_manager: deployment.contract("PoolManager").unwrap_or_default(),
        pair_factory: deployment.contract("UniswapV2Factory"),
        token_factory: deployment.token_factory(),
        auction: deployment.auction(),
        ..Watched::default()
    }
}

fn venue(deployment: &Deployment) -> Result<Venue, GenesisError> {
    let chain = deployment.chain;
    let contract = |name| deployment.contract(name).ok_or(GenesisError::NoContract { chain, name });
    let exchange = match deployment.contract("UniswapV2Factory") {
        Some(factory) => Some(ExchangeVenue { factory, router: contract("UniswapV2Router02")? }),
        None => None,
    };
    Ok(Venue {
        hook: deployment.hook,
        wrapped: contract("WETH9")?,
        universal_router: contract("UniversalRouter")?,
        permit2: contract("Permit2")?,
        exchange,
        quote_assets: deployment.quote_assets.clone(),
        token_factory: deployment.token_factory(),
        auction: deployment.auction(),
    })
}

/// Indexes a whole chain with the same indexer that follows it later.
async fn indexed(
    chain: &Chain,
    deployment: Deployment,
    records: Records,
) -> Result<ChainGenesis, GenesisError> {
    let followed = vec![(chain.clone(), watched(&deployment))];
    let store = Store::open(Backend::Memory).await?;
    let indexer = Indexer::new(followed, store, 0, Folds::default(), EventLog::default());
    indexer.catch_up(chain.id(), None).await?;
    let Records { facts, messages } = records;
    let blocks = indexer.blocks(chain.id());
    let market = (blocks.len() as u64).checked_sub(1);
    let genesis = ChainGenesis::new(deployment, facts, market, &blocks);
    Ok(ChainGenesis { messages, ..genesis })
}

/// Reads the node's state as a file that a node can load, without the traces of past transactions, which are half of it.
async fn state_of(chain: &Chain) -> Result<Vec<u8>, GenesisError> {
    let failed = |source| GenesisError::State { chain: ChainId(chain.id()), source };
    let state = unpacked(&chain.state().await?, LARGEST_STATE).map_err(failed)?;
    without_traces(&state).map_err(|error| failed(error.into()))
}

/// Decompresses a node's gzipped state of at most `most` bytes into the format of a state file.
pub(crate) fn unpacked(packed: &[u8], most: u64) -> io::Result<Vec<u8>> {
    // Measured first: a few megabytes may decompress to more than fits in memory.
    let size = io::copy(&mut GzDecoder::new(packed).take(most + 1), &mut io::sink())?;
    if size > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than a state may be"));
    }
    let mut state = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    GzDecoder::new(packed).read_to_end(&mut state)?;
    Ok(state)
}

/// The state with no other block of number 0 than this one. A node keeps the first block that it began with beside the one that it loads, and
/// gives both in its state; a node that loads both has either at number 0.
pub(crate) fn with_one_first_block(state: Vec<u8>, first: B256) -> serde_json::Result<Vec<u8>> {
    let mut parts: BTreeMap<String, &RawValue> = serde_json::from_slice(&state)?;
    let Some(blocks) = parts.get("blocks") else { return Ok(state) };
    let all: Vec<&RawValue> = serde_json::from_str(blocks.get())?;
    let mut of_chain = Vec::with_capacity(all.len());
    for block in &all {
        if is_of_chain(block, first)? {
            of_chain.push(block);
        }
    }
    if of_chain.len() == all.len() {
        return Ok(state);
    }
    let blocks = to_raw_value(&of_chain)?;
    parts.insert("blocks".to_owned(), &blocks);
    serde_json::to_vec(&parts)
}

/// Whether a block of a state is the chain's first one, or a later one.
fn is_of_chain(block: &RawValue, first: B256) -> serde_json::Result<bool> {
    #[derive(serde::Deserialize)]
    struct Block<T> {
        header: T,
    }
    #[derive(serde::Deserialize)]
    struct Numbered {
        number: U64,
    }
    let Block { header: Numbered { number } } = serde_json::from_str(block.get())?;
    if !number.is_zero() {
        return Ok(true);
    }
    let Block::<Header> { header } = serde_json::from_str(block.get())?;
    Ok(header.hash_slow() == first)
}

/// Parses only the path to the traces: a tree of the whole document needs many times the memory of its text.
fn without_traces(state: &[u8]) -> serde_json::Result<Vec<u8>> {
    let mut parts: Parts = serde_json::from_slice(state)?;
    replace(&mut parts, "transactions", |transactions| {
        let mut transactions: Vec<Parts> = serde_json::from_str(transactions.get())?;
        for transaction in &mut transactions {
            replace(transaction, "info", |info| {
                let mut info: Parts = serde_json::from_str(info.get())?;
                replace(&mut info, "traces", |_| to_raw_value(&[(); 0]))?;
                to_raw_value(&info)
            })?;
        }
        to_raw_value(&transactions)
    })?;
    serde_json::to_vec(&parts)
}

/// The members of an object, unparsed.
type Parts = BTreeMap<String, Box<RawValue>>;

fn replace(
    parts: &mut Parts,
    name: &str,
    change: impl FnOnce(&RawValue) -> serde_json::Result<Box<RawValue>>,
) -> serde_json::Result<()> {
    if let Some(part) = parts.get_mut(name) {
        *part = change(part)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::{unpacked, with_one_first_block, without_traces};
    use alloy::consensus::Header;
    use flate2::{Compression, write::GzEncoder};
    use serde_json::{Value, json};

    #[test]
    fn states_are_unpacked_up_to_their_bound() {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&[7_u8; 100_000]).unwrap();
        let packed = packed.finish().unwrap();
        assert_eq!(unpacked(&packed, 100_000).unwrap(), [7_u8; 100_000]);
        assert_eq!(unpacked(&packed, 99_999).unwrap_err().kind(), std::io::ErrorKind::FileTooLarge);
        assert!(unpacked(&packed[..50], 100_000).is_err());
    }

    #[test]
    fn state_has_one_first_block() {
        let header = |number, timestamp| Header { number, timestamp, ..Header::default() };
        let own = header(0, 7);
        let block = |header: Header| json!({ "header": header, "transactions": [] });
        let state = |blocks: Vec<Value>| json!({ "accounts": { "0x01": {} }, "blocks": blocks });
        let loaded = |state: &Value| -> Value {
            let text = serde_json::to_vec(state).unwrap();
            serde_json::from_slice(&with_one_first_block(text, own.hash_slow()).unwrap()).unwrap()
        };
        let [first, other, second] = [own.clone(), header(0, 8), header(1, 8)].map(block);
        let sound = state(vec![second.clone(), first.clone()]);
        assert_eq!(loaded(&sound), sound);
        assert_eq!(loaded(&state(vec![other.clone(), second, other, first])), sound);
        assert_eq!(loaded(&json!({})), json!({}));
        assert!(with_one_first_block(b"{".to_vec(), own.hash_slow()).is_err());
    }

    #[test]
    fn state_keeps_everything_but_traces() {
        let state = |traces: Value| {
            json!({
                "accounts": { "0x01": { "balance": "0x1", "traces": [1] } },
                "transactions": [
                    { "info": { "gas_used": 7, "traces": traces }, "receipt": { "status": "0x1", "logs": [] } },
                ],
            })
        };
        let text = serde_json::to_vec(&state(json!([{ "trace": { "success": true } }]))).unwrap();
        let kept: Value = serde_json::from_slice(&without_traces(&text).unwrap()).unwrap();
        assert_eq!(kept, state(json!([])));
        assert!(without_traces(b"{").is_err());
    }
}
