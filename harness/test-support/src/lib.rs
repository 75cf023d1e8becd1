//! What tests of several crates share: PostgreSQL servers of a test's own, relays, running platforms, and the settings that a
//! platform is checked in. A machine that lacks what a test needs fails the test.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

pub mod database;
pub mod relay;
pub mod settings;
pub mod up;
