//! A hostile environment for a tool server: an RPC and a service that lie, delay and record, and a scripted name server. All listen on free
//! local ports and end when dropped.
pub(crate) mod dns;
mod http;
pub(crate) mod rpc;
pub(crate) mod service;
