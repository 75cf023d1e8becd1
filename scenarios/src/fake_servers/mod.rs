//! Hostile surroundings of a tool server: an RPC and a service that lie, delay and record, and a scripted name server.
//! Everything listens on a free port of this machine and ends with its handle.
pub(crate) mod dns;
mod http;
pub(crate) mod rpc;
pub(crate) mod service;
