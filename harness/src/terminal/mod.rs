//! The terminal: output, colours, tables, progress, signals, and suggestions for unknown names.
pub(crate) mod alike;
pub(crate) mod colour;
pub(crate) mod output;
pub(crate) mod printable;
pub(crate) mod progress;
pub(crate) mod secrets;
pub(crate) mod signals;
pub(crate) mod steps;
pub(crate) mod table;
pub(crate) mod wrap;
