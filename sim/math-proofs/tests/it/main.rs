//! The native curve against a slow reference, an in-process EVM, a node's answers and amounts really moved. One binary.
#![expect(clippy::unwrap_used, reason = "a test fails on the spot")]
mod edges;
mod eth_call;
mod laws;
mod local_chain;
mod million_states;
mod pool;
mod reference_model;
mod sequences;
mod trades;
mod v1;
