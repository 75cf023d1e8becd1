//! Seeded cases on both curves, and the contracts' answers to them from an in-process EVM. Leaves out the mathematics itself: that is `slipway_math`.
pub mod cases;
pub mod evm;
pub mod v1_cases;
