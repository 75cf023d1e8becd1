//! The platform through its public API.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod aborted;
mod activity;
mod books;
mod control;
mod engine;
mod export;
mod in_process;
mod index;
mod kept;
mod listeners;
mod live;
mod market;
mod nodes;
mod orders;
mod outages;
mod pages;
mod platform;
mod refused;
mod reorganised;
mod replicas;
mod start;
mod store;
mod swap;
mod writers;
