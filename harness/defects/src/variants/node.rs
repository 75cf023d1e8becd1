//! Variants of the RPC of a chain: nodes, rollups, providers and gateways that speak JSON-RPC and the execution API in their own way.
//! Each is consistent in itself: what one call shows, the others show too.
pub(crate) mod calls;
mod gateway;
mod logs;
mod methods;
mod rollups;
mod spelling;

use super::VariantRow;

/// The tables of this layer.
pub(super) const TABLES: &[&[VariantRow]] =
    &[rollups::ROWS, logs::ROWS, methods::ROWS, gateway::ROWS, spelling::ROWS];
