//! The input of the state's fold: decoded logs of both chains, in the order in which their blocks were indexed.
use std::sync::Arc;

use alloy::primitives::{Address, B256, U256};

/// One decoded log with its position on its chain.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Event {
    /// Chain id.
    pub chain_id: u64,
    /// Block number on that chain.
    pub block: u64,
    /// Block timestamp, Unix seconds.
    pub timestamp: u64,
    /// Transaction that emitted the log.
    pub transaction: B256,
    /// Position of the log in its block.
    pub log_index: u64,
    /// Contract that emitted the log: the hook, a token, the pool manager, a pair.
    pub emitter: Address,
    /// The content of the log.
    pub kind: EventKind,
}

/// The side of a trade on the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Side {
    /// Quote asset in, tokens out.
    Buy,
    /// Tokens in, quote asset out.
    Sell,
}

impl Side {
    /// What the trader paid or got on a curve, whose events include the fee on both sides.
    #[must_use]
    pub fn settled(self, gross: U256, fee: U256) -> U256 {
        match self {
            Self::Buy => gross,
            Self::Sell => gross.saturating_sub(fee),
        }
    }
}

/// The content of a log; amounts are in the smallest unit of their asset.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[expect(missing_docs, reason = "fields carry the names of the contract's event parameters")]
pub enum EventKind {
    /// A launch exists; the hook is the emitter.
    LaunchCreated { launch_id: u64, creator: Address, token: Address, target_raise: u128 },
    /// Texts and links of a launch.
    LaunchMetadata { launch_id: u64, metadata: Arc<Metadata> },
    /// Curve and schedule of a launch.
    LaunchConfigured {
        launch_id: u64,
        quote_asset: Address,
        sale_supply: u128,
        liquidity_supply: u128,
        gain_bps: u32,
        creator_fee_split_bps: u16,
        anti_snipe_duration: u32,
        launch_time: u64,
    },
    /// A trade on a V1 or launch curve; `quote_amount` is gross of `fee`.
    Trade {
        launch_id: u64,
        trader: Address,
        side: Side,
        price_after: U256,
        market_cap: U256,
        quote_amount: U256,
        token_amount: U256,
        fee: U256,
        refund: U256,
    },
    /// A trade or launch used a referral code.
    Referral { launch_id: u64, trader: Address, referral_code: String },
    /// The curve is full and the pool is open.
    LaunchFinalized { launch_id: u64, pool_id: B256, quote_seeded: U256, tokens_seeded: U256 },
    /// The creator changed the split of the variable fee.
    CreatorFeeSplitUpdated { launch_id: u64, new_bps: u16 },
    /// Accumulated fees bought tokens and burned them.
    BuybackExecuted { launch_id: u64, quote_amount: U256, tokens_burned: U256, from_pool: bool },
    /// An account withdrew its whole balance from the emitting hook.
    FeesWithdrawn { account: Address, amount: U256 },
    /// A V1 token exists; the factory is the emitter and `launch_id` the index among the factory's
    /// tokens, from 1. Its trades are [`EventKind::Trade`].
    TokenCreated { launch_id: u64, creator: Address, token: Address, pair: Address, metadata: Arc<Metadata> },
    /// A V1 token left its curve for its pair.
    TokenGraduated { launch_id: u64, pair: Address, quote_seeded: U256, tokens_seeded: U256 },
    /// A bid won the epoch after `epoch` for a token.
    BidWon { epoch: u64, token: Address, bidder: Address, amount: U256, start_bid: U256 },
    /// Creation of launches on the emitting hook was paused or resumed.
    CreationPaused { paused: bool },
    /// A launch token moved; the token is the emitter.
    Transfer { from: Address, to: Address, amount: U256 },
    /// A swap in a v4 pool; `sender` called the pool manager, and amounts are signed from its perspective (negative: paid in).
    PoolSwap { pool_id: B256, sender: Address, amount0: i128, amount1: i128, sqrt_price_x96: U256 },
    /// The exchange has a new pair; the descriptions were read from the tokens when it was indexed.
    PairCreated { pair: Address, token0: ExchangeToken, token1: ExchangeToken },
    /// A pair's reserves after a change; the pair is the emitter.
    Sync { reserve0: u128, reserve1: u128 },
    /// A token of a pair charges a fee on transfers, detected when its first pair was funded; the token is the emitter.
    FeeOnTransfer,
    /// A swap in a pair; the pair is the emitter.
    PairSwap { amount0_in: U256, amount1_in: U256, amount0_out: U256, amount1_out: U256 },
}

/// Texts and links from the creation; an empty link means none.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[expect(missing_docs, reason = "fields carry the names of the contract's event parameters")]
pub struct Metadata {
    pub name: String,
    pub ticker: String,
    pub description: String,
    pub image_url: String,
    pub messenger: String,
    pub microblog: String,
    pub website: String,
}

/// A token of the exchange as described by its contract.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[expect(missing_docs, reason = "fields carry the names of the ERC-20 metadata functions")]
pub struct ExchangeToken {
    pub address: Address,
    pub name: String,
    pub symbol: String,
    pub decimals: u8,
}
