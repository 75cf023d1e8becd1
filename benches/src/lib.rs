//! Shared by the measurements: fixed inputs, equal in every run, the questions about them, the processes and requests
//! of those that load a server, medians and charts.

pub mod chart;
pub mod curve;
pub mod exchange;
pub mod http;
pub mod process;
pub mod tokens;
