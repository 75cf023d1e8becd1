//! Exact mathematics of the curve, its fees and the exchange: pure integers, no input or output, no floats.
//!
//! Units are part of the names: `wei` is the smallest unit of the quote asset, token amounts are in units of 1e-18 token. A name that ends
//! in `_up` or `_down` says how the last unit is rounded.
pub mod curve;
pub mod exchange;
pub mod exponential;
pub mod fees;
pub mod pool;
pub mod split;
pub mod wide;
