//! The command as its users meet it: every test runs the built `slipway` program.
#![expect(clippy::unwrap_used, reason = "a test fails where it stands")]
mod browser;
mod check;
mod containers;
mod drill;
mod durable;
mod exec;
mod fuzz;
mod green;
mod host;
mod list;
mod mcp;
mod packages;
mod previous;
mod program;
mod proof;
mod registries;
mod report;
mod shards;
mod target_file;
mod up;
mod uploads;
mod variants;
mod wire;
mod workflows;
mod wrapper;
