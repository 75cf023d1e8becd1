//! The command as its users meet it: every test runs the built `slipway` program.
#![expect(clippy::unwrap_used, reason = "a test fails where it stands")]
mod check;
mod drill;
mod exec;
mod list;
mod mcp;
mod program;
mod up;
