//! The launch contracts: creation, the curve, graduation, the protected time.
mod creation;
mod curve;
mod graduation;
mod launch_fixture;
mod pool;
mod previews;
mod snipe;
mod solvency;
mod v1;

use crate::prelude::*;

pub(crate) use creation::{TOKEN_AFTER_LAUNCH, named_hook_takes_launches};
pub(crate) use curve::gas_of;
pub(crate) use launch_fixture::{
    ETHER, LaunchFixture, Launched, buy_call, ether, events_of, plain_launch, speaks_ours,
};

section! {
    creation::CH_ID, creation::CH_LAUNCH, creation::CH_REFERRAL, creation::CH_LIMITS, creation::CH_BOUNDS,
    curve::CH_CURVE, solvency::CH_SOLVENT, graduation::CH_GRADUATE, graduation::CH_AFTER, snipe::CH_SNIPE, v1::CH_V1,
}
