//! Shared by tests of several crates: PostgreSQL servers for one test, relays, running platforms, the settings that a platform is checked
//! in, and skipping a test whose programs are missing ([`need`]).
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

pub mod database;
pub mod disk;
mod generated;
mod need;
mod node;
pub mod relay;
pub mod settings;
pub mod up;

pub use generated::is_current;
pub use need::{TestBrowser, Tool, need, need_browser, skip, take_skipped};
pub use node::{node, node_path};

/// How many times a test repeats something: `few`, or `many` if `SLIPWAY_THOROUGH` is set.
pub fn times(few: u64, many: u64) -> u64 {
    if std::env::var_os("SLIPWAY_THOROUGH").is_some() { many } else { few }
}
