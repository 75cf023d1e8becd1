//! Queries and commands over the platform, shared by all services; independent of HTTP and JSON-RPC.
//!
//! Code outside this folder cannot reach the layers below the API through it: the fields are private, and each query and command is a
//! method in the file of its subject.
pub(crate) mod access;
pub(crate) mod account;
pub(crate) mod actions;
pub mod activity;
pub(crate) mod block;
pub(crate) mod capabilities;
pub(crate) mod captcha;
pub(crate) mod chat;
pub(crate) mod checkpoints;
pub mod decimal;
mod decoder;
mod deployments;
pub(crate) mod emperor;
pub(crate) mod exchange;
pub(crate) mod explain;
pub(crate) mod faults;
pub(crate) mod holding;
pub(crate) mod leaderboard;
pub(crate) mod limits;
pub(crate) mod market;
pub(crate) mod picture;
pub(crate) mod proof;
pub(crate) mod quote;
pub(crate) mod record;
pub(crate) mod referral;
pub(crate) mod refusal;
pub(crate) mod schema;
pub(crate) mod status;
pub mod tokens;
pub(crate) mod transfer_slots;
pub(crate) mod upload;

use std::sync::Arc;

use parking_lot::{RwLock, RwLockReadGuard};

use crate::clock::Clock;
use crate::engine::{Engine, Exporter, Stay};
use crate::fact::Fact;
use crate::faults::Faults;
use crate::journal::record::Record;
use crate::state::State;
use crate::store::{Store, Transaction};
use activity::Untold;
use decoder::Decoder;
use deployments::{Deployments, Registry};
use limits::RateLimit;
use refusal::Refusal;
use transfer_slots::TransferSlots;

// Figures are part of every answer: services import them from here.
pub(crate) use crate::state::figure;

/// Everything that queries read and commands change; shared by the services.
#[derive(Debug)]
pub struct Api {
    clock: Clock,
    /// The launches of both chains.
    state: Arc<RwLock<State>>,
    /// The off-chain facts.
    store: Store,
    /// Folds stored facts into the state, and reads the chains.
    engine: Engine,
    exporter: Exporter,
    /// The answered requests to the services.
    requests: Record,
    /// The completed orders of the control plane.
    orders: Record,
    /// The chains' activities that have not been announced, since nobody follows them yet.
    untold: Untold,
    faults: Arc<Faults>,
    deployments: Registry,
    decoder: Decoder,
    /// Limit on upload forms and images in memory.
    transfer_slots: TransferSlots,
    settings: Settings,
}

/// The start options on which the services' answers depend.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Build of this platform.
    pub(crate) release_commit: String,
    /// Origin of the URLs of uploaded images.
    pub(crate) image_origin: String,
    pub(crate) operator_key: String,
    /// Whether the caller's address is taken from `X-Forwarded-For`.
    pub(crate) trust_forwarded: bool,
    /// The rate limit on reads that have no other, if any.
    pub(crate) standard_limit: Option<RateLimit>,
}

impl Api {
    pub(crate) fn new(engine: &Engine, exporter: Exporter, settings: Settings) -> Self {
        let deployments =
            engine.placed().map(|placed| (placed.chain.id(), Deployments::of(&placed.deployment)));
        Self {
            clock: engine.clock().clone(),
            state: engine.state(),
            store: engine.store().clone(),
            exporter,
            requests: Record::default(),
            orders: Record::default(),
            untold: Untold::from_now(engine),
            faults: Arc::clone(engine.faults()),
            deployments: deployments.collect(),
            decoder: Decoder::default(),
            transfer_slots: TransferSlots::default(),
            settings,
            engine: engine.clone(),
        }
    }

    /// The platform's time, Unix seconds.
    pub(crate) fn now(&self) -> u64 {
        self.clock.now()
    }

    /// Locks the launches of both chains for one query.
    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read()
    }

    /// Stores and folds a fact, unless a fact with the name `once` was stored before; returns whether it was stored.
    async fn record(&self, stay: &Stay<'_>, fact: &Fact, once: Option<&str>) -> Result<bool, Refusal> {
        let transaction = self.engine.write(stay, self.clock.now()).await?;
        self.record_in(transaction, fact, once).await
    }

    /// Like [`Self::record`], within a write that has read what the fact depends on.
    async fn record_in(
        &self,
        mut write: Transaction,
        fact: &Fact,
        once: Option<&str>,
    ) -> Result<bool, Refusal> {
        let number = write.append(fact, once).await?;
        write.commit().await?;
        self.engine.catch_up_facts().await?;
        Ok(number.is_some())
    }
}

#[cfg(test)]
impl Api {
    /// A platform without chains, with a stopped clock.
    pub(crate) async fn for_test(state: State, now: u64) -> Arc<Self> {
        Self::with_settings(state, now, Settings::for_test()).await
    }

    /// A platform without chains, with a stopped clock and other settings.
    pub(crate) async fn with_settings(state: State, now: u64, settings: Settings) -> Arc<Self> {
        let engine = Engine::without_chains(state, now).await;
        let exporter = Exporter {
            engine: engine.clone(),
            seed: 0,
            operator_key: settings.operator_key.clone(),
            file: None,
            folder: None,
        };
        Arc::new(Self::new(&engine, exporter, settings))
    }

    /// Moves the stopped clock.
    pub(crate) fn show_time(&self, now: u64) {
        self.clock.show(now);
    }

    /// Whether no picture is being decoded.
    pub(crate) fn decodes_nothing(&self) -> bool {
        self.decoder.is_free()
    }
}

#[cfg(test)]
impl Settings {
    pub(crate) fn for_test() -> Self {
        Self {
            release_commit: "0000000".into(),
            image_origin: "http://images.invalid".into(),
            operator_key: "operator".into(),
            trust_forwarded: false,
            standard_limit: None,
        }
    }
}
