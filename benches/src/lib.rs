//! What the measurements share: fixed inputs, equal in every run, and the questions that are asked of them. Leaves out how they are measured.

pub mod chart;
pub mod curve;
pub mod exchange;
pub mod tokens;
