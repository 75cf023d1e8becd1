//! A run of checks: which ones, their order, what is known to fail, and when it is run again.
pub(crate) mod baseline;
pub(crate) mod runner;
pub(crate) mod selector;
pub(crate) mod watch;
