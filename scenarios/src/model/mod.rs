//! The shared vocabulary of the crate: targets, verdicts and their evidence, statements of the interface, and exact values.
pub(crate) mod bounds;
pub mod conventions;
pub(crate) mod evidence;
pub(crate) mod figure;
pub mod interface;
pub(crate) mod moment;
pub mod seed;
pub(crate) mod shown;
pub mod target;
pub mod verdict;
