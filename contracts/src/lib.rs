//! What is on the chain and how to reach it. Leaves out every decision of the platform: nothing here knows a surface, a store or a clock.

pub mod artifacts;
pub mod bindings;
pub mod compile;
pub mod deploy;
pub mod node;
pub mod toolchain;
pub mod units;
