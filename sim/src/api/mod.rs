//! Queries and commands over the platform, shared by all services; independent of HTTP and JSON-RPC.
pub(crate) mod access;
pub(crate) mod account;
pub mod activity;
pub(crate) mod block;
pub(crate) mod capabilities;
mod captcha;
pub(crate) mod chat;
pub mod decimal;
pub(crate) mod decoder;
pub(crate) mod emperor;
pub(crate) mod exchange;
pub(crate) mod explain;
pub(crate) mod holding;
pub(crate) mod leaderboard;
pub(crate) mod picture;
pub(crate) mod proof;
pub(crate) mod quote;
pub(crate) mod referral;
pub(crate) mod refusal;
pub(crate) mod schema;
pub mod tokens;
pub(crate) mod transfer_slots;
pub(crate) mod upload;

use std::sync::Arc;

use alloy::primitives::Address;
use parking_lot::{RwLock, RwLockReadGuard};

use crate::clock::Clock;
use crate::fact::Fact;
use crate::faults::Faults;
use crate::journal::Journal;
use crate::journal::exchange::Exchanges;
use crate::state::State;
use crate::store::Store;
use activity::Untold;
use capabilities::Registry;
use decoder::Decoder;
use refusal::Refusal;
use transfer_slots::TransferSlots;

// Values of the layers below that the API hands out: services import them from here.
pub(crate) use crate::chain::ChainError;
pub(crate) use crate::engine::Done;
pub(crate) use crate::engine::{
    Engine, EngineError, Exporter, SLIPPAGE_BPS, TradeCall, TradeMarket, TradeOrder,
};
pub(crate) use crate::indexer::{Heights, Rewind};
pub(crate) use crate::store::{Message, RateLimit, RateLimitStatus};

/// What the services work on: everything that a query reads and a command changes.
#[derive(Debug)]
pub struct Api {
    pub(crate) clock: Clock,
    /// The launches of both chains.
    pub(crate) state: Arc<RwLock<State>>,
    /// The off-chain facts.
    pub(crate) store: Store,
    /// Folds stored facts into the state, and reads the chains.
    pub(crate) engine: Engine,
    /// The record of answered requests.
    pub(crate) journal: Journal,
    /// What was sent and answered lately.
    pub(crate) exchanges: Exchanges,
    /// What is to be told of the chains once somebody wants to know.
    pub(crate) untold: Untold,
    pub(crate) faults: Arc<Faults>,
    pub(crate) deployments: Registry,
    /// Build of this platform.
    pub(crate) release_commit: String,
    /// Origin of the URLs of uploaded images.
    pub(crate) image_origin: String,
    pub(crate) decoder: Decoder,
    /// Limit on upload forms and images in memory.
    pub(crate) transfer_slots: TransferSlots,
    pub(crate) operator_key: String,
    /// Whether the caller's address is taken from `X-Forwarded-For`.
    pub(crate) trust_forwarded: bool,
    /// The rate limit on reads that have no other, if there is one.
    pub(crate) standard_limit: Option<RateLimit>,
}

impl Api {
    /// The launches of both chains, for the length of one query.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read()
    }

    /// Hides a token, or shows it again; every process over the database has applied it when this returns.
    pub(crate) async fn set_disabled(&self, token: Address, disabled: bool) -> Result<(), Refusal> {
        self.record(&Fact::TokenDisabled { token, disabled }, None).await?;
        self.engine.everywhere().await;
        Ok(())
    }

    /// Stores a fact and folds it, unless a fact with the same name was stored before; returns whether it was stored.
    pub(crate) async fn record(&self, fact: &Fact, once: Option<&str>) -> Result<bool, Refusal> {
        let mut transaction = self.store.write(self.clock.now()).await?;
        let number = transaction.append(fact, once).await?;
        transaction.commit().await?;
        self.engine.catch_up_facts().await?;
        Ok(number.is_some())
    }
}

#[cfg(test)]
impl Api {
    /// A platform without chains whose clock is stopped.
    pub(crate) async fn for_test(state: State, now: u64) -> Arc<Self> {
        let engine = Engine::without_chains(state, now).await;
        Arc::new(Self {
            clock: engine.clock().clone(),
            state: engine.state(),
            store: engine.store().clone(),
            faults: Arc::clone(engine.faults()),
            untold: Untold::from_now(&engine),
            engine,
            journal: Journal::default(),
            exchanges: Exchanges::default(),
            deployments: Registry::default(),
            release_commit: "0000000".into(),
            image_origin: "http://images.invalid".into(),
            decoder: Decoder::default(),
            transfer_slots: TransferSlots::default(),
            operator_key: "operator".into(),
            trust_forwarded: false,
            standard_limit: None,
        })
    }
}
