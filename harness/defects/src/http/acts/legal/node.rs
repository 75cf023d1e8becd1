//! Acts of variants of a chain's RPC: nodes, rollups, providers and gateways with their own dialects of JSON-RPC and of the execution API.
//! Each is self-consistent: all calls agree.
pub(super) mod balancer;
pub(super) mod gateway;
pub(super) mod logs;
pub(super) mod methods;
pub(super) mod rollups;
pub(super) mod spelling;
