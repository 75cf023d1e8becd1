//! The proxies as their clients and services see them, byte by byte.
#![expect(clippy::unwrap_used, reason = "a test fails at its line")]
mod chain;
mod transparency;
mod websocket;
mod wire;
