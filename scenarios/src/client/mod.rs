//! Clients of a target: raw HTTP, raw stdio, chain RPC, control plane. They transport and do not judge.
pub mod account;
pub mod bounds;
pub mod calls;
pub mod chain;
pub mod control;
pub mod group;
pub mod http;
pub(crate) mod kept;
pub mod message;
mod numbers;
pub(crate) mod paths;
pub mod rate_limit;
pub mod record;
mod shared;
pub mod stdio;
mod transport;
pub(crate) mod wire;
