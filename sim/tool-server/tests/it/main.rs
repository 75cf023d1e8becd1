//! The tool server through its public API, without a chain and without a service.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod arguments;
mod chain;
mod configuration;
mod ending;
mod identity;
mod peer;
mod preview;
mod protocol;
mod reverted;
mod sent;
mod starting;
