//! The chains and the launch contracts: nodes, creation, curve, graduation, protected time.
pub(super) mod creation;
pub(super) mod curve;
mod graduation;
pub(crate) mod launch_fixture;
mod node;
mod pool;
mod previews;
mod snipe;
mod solvency;
mod v1;

use crate::prelude::*;

section! {
    creation::CH_ID, creation::CH_LAUNCH, creation::CH_REFERRAL, creation::CH_LIMITS, creation::CH_BOUNDS,
    curve::CH_CURVE, solvency::CH_SOLVENT, graduation::CH_GRADUATE, graduation::CH_AFTER, snipe::CH_SNIPE, v1::CH_V1, v1::CH_V1_CLOSED,
    node::NODE_TIME, node::NODE_STATE, node::NODE_WRAPPED,
}
