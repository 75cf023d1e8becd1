//! Acts of variants of the RPC of a chain: nodes, rollups, providers and gateways that speak JSON-RPC and the execution API in their own
//! way. Each is consistent in itself: what one call shows, the others show too.
pub(super) mod gateway;
pub(super) mod logs;
pub(super) mod methods;
pub(super) mod rollups;
pub(super) mod spelling;
