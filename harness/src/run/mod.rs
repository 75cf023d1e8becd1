//! A run of checks: the selection, the order, the known failures, and when to run again.
pub(crate) mod baseline;
pub(crate) mod runner;
pub(crate) mod selector;
pub(crate) mod watch;
