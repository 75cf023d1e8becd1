//! The launch platform on one machine: chains, indexer, state and services; set up by a `Config`, controlled through a handle.
mod account;
mod activity;
mod address;
pub mod api;
pub mod cache;
mod chain;
pub mod clock;
mod credential;
mod detached;
pub mod engine;
pub mod event;
pub mod fact;
mod faults;
mod genesis;
mod indexer;
mod journal;
mod market;
mod node_calls;
mod platform;
mod pool_calls;
pub mod ports;
mod services;
pub mod state;
pub mod store;
pub mod vectors;

pub use account::Account;
pub use activity::{Activity, Answered, Change, CheckpointChange, ClockMove, LinePart, Mined, Subject, Tone};
pub use credential::is_credential;
pub use market::{
    AssetKind, AssetRow, AuctionDay, AuctionRow, ChatRow, DrawRow, LaunchOutcome, LaunchRow, LaunchVersion,
    MOST_LAUNCHES, MarketFile, MarketPlan, PairRow, ParseMarketError, PlanError, ReferralRow, TradeRow,
};
pub use platform::{
    Attach, AttachedChain, Config, ImportError, ImportFailure, ListenerLimits, MARKET_END, Platform,
    PublicUrls, Ready, ReadyChain, ReadyIndex, StartError,
};
pub use services::control::document as control_document;
pub use services::rest::document as rest_document;
pub use services::swap::document as swap_document;
pub use slipway_contracts::{Quantity, Span};
