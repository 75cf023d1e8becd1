//! What the measurements share: fixed inputs, equal in every run, and the questions that are asked of
//! them; medians and charts.

pub mod chart;
pub mod curve;
pub mod exchange;
pub mod timing;
pub mod tokens;
