//! The launch platform on one machine: chains, indexer, state and services, behind a config, a start and a handle.
mod account;
pub mod api;
pub mod cache;
pub mod chain;
pub mod clock;
pub mod defect;
pub mod event;
mod genesis;
pub mod indexer;
pub mod machine;
mod market;
pub mod math;
mod platform;
pub mod ports;
pub mod state;
pub mod store;
pub mod surface;

pub use account::Account;
pub use platform::{
    Attach, AttachedChain, Config, Doors, MARKET_END, Platform, Ready, ReadyChain, StartError,
};
pub use surface::mcp;
pub use surface::rest::document as rest_document;
pub use surface::swap::document as swap_document;
