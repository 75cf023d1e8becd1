//! A hostile host for tool servers: an RPC that lies, delays and records, a service that does, and a scripted name server.
//! Everything listens on a free port of this machine and ends with its handle.
pub mod dns;
mod http;
pub mod rpc;
pub mod service;
