//! Every seeded defect of the drill, outside what it breaks. It knows a platform by its addresses, never by its code.
//!
//! A layer keeps all of its defects in one table and applies them in one place; this module names and selects them.
mod catalogue;
pub mod chain;
pub mod http;
pub mod tool;

pub use catalogue::{Defect, Defects, Layer, UnknownDefect, catalogue};
