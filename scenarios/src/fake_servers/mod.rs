//! A hostile host for tool servers: an RPC that lies, delays and records, a service that does, a scripted name server, and a clock
//! that runs ahead.
//! Everything listens on a free port of this machine and ends with its handle.
pub mod clock;
pub mod dns;
mod http;
pub mod rpc;
pub mod service;
