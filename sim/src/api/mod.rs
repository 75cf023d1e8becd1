//! One vocabulary of queries and commands over the platform; it knows neither HTTP nor JSON-RPC.
pub(crate) mod access;
pub mod address;
pub mod capabilities;
mod captcha;
pub mod chat;
pub mod decimal;
pub(crate) mod decoder;
pub mod emperor;
pub mod exchange;
pub(crate) mod facts;
pub mod journal;
pub mod leaderboard;
pub mod picture;
pub mod proof;
pub mod quote;
pub mod referral;
pub mod refusal;
pub mod schema;
pub mod tokens;
pub(crate) mod transfer_slots;
pub mod upload;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use crate::clock::Clock;
#[cfg(test)]
use crate::clock::ClockMode;
use crate::faults::Faults;
use crate::state::State;
#[cfg(test)]
use crate::store::Backend;
use crate::store::{RateLimit, Store};
use capabilities::{CodeReader, Registry};
use decoder::Decoder;
use facts::Folding;
use journal::Journal;
use transfer_slots::TransferSlots;

/// What the services work on: everything that a query reads and a command changes.
#[derive(Debug)]
pub struct Api {
    /// The platform's one clock.
    pub(crate) clock: Clock,
    /// The launches of both chains.
    pub(crate) state: Arc<RwLock<State>>,
    /// The off-chain facts.
    pub(crate) store: Store,
    /// Brings the state up to the facts.
    pub(crate) folding: Arc<dyn Folding>,
    /// The record of answered requests.
    pub(crate) journal: Journal,
    /// The faults that are ordered.
    pub(crate) faults: Arc<Faults>,
    /// What is deployed on each chain.
    pub(crate) deployments: Registry,
    /// Reads the code of what is deployed.
    pub(crate) code: Arc<dyn CodeReader>,
    /// Build that answers.
    pub(crate) release_commit: String,
    /// Origin under which uploaded images are read.
    pub(crate) image_origin: String,
    /// Decodes images.
    pub(crate) decoder: Decoder,
    /// Bound on upload forms and images in memory.
    pub(crate) transfer_slots: TransferSlots,
    /// Credential of the operator.
    pub(crate) operator_key: String,
    /// Whether the caller's address is taken from `X-Forwarded-For`.
    pub(crate) trust_forwarded: bool,
    /// The limit on reads that have none of their own, when there is one.
    pub(crate) standard_limit: Option<RateLimit>,
}

impl Api {
    /// The launches of both chains, for the length of one query.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
impl Api {
    /// A platform without chains that stands at a time.
    pub(crate) async fn for_test(state: State, now: u64) -> Arc<Self> {
        let state = Arc::new(RwLock::new(state));
        let store = Store::open(Backend::Memory).await.expect("memory is at hand");
        Arc::new(Self {
            clock: Clock::starting_at(ClockMode::Manual, now),
            folding: Arc::new(facts::direct::Direct {
                store: store.clone(),
                state: Arc::clone(&state),
                last: Default::default(),
            }),
            state,
            store,
            journal: Journal::default(),
            faults: Arc::default(),
            deployments: Registry::default(),
            code: Arc::new(capabilities::fixed::FixedCode),
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
