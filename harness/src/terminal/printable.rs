//! The output of a command that judges something, and its exit code.
use serde::Serialize;
use serde_json::Value;

use crate::exit::Exit;
use crate::terminal::colour::Colour;

/// The result of a command that judges something: for people, for programs, and as an exit code.
pub(crate) trait Printable {
    fn text(&self, colour: Colour) -> String;

    fn json(&self) -> Value;

    fn exit(&self) -> Exit;
}

/// The JSON of a report that consists of texts, numbers and lists.
pub(crate) fn serialized(report: &impl Serialize) -> Value {
    serde_json::to_value(report).expect("texts, numbers and lists are JSON")
}
