//! Shared by the measurements: fixed inputs, equal in every run, the questions about them, the processes and requests
//! of those that load a server, and medians.

pub mod curve;
pub mod exchange;
pub mod http;
pub mod process;
pub mod tokens;
