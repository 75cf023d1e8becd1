//! Seeded cases on both curves, and the contracts' answers to them from an in-process EVM. The mathematics itself is in `slipway_math`.
pub mod cases;
pub mod evm;
pub mod v1_cases;
