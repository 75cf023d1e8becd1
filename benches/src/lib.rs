//! Shared by the measurements: fixed inputs, equal in every run, questions about them, processes and requests that load a server, and
//! medians.

pub mod curve;
pub mod exchange;
pub mod http;
pub mod process;
pub mod tokens;
