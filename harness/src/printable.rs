//! What a command that judges something prints, and its exit code.
use serde_json::Value;

use crate::colour::Colour;
use crate::exit::Exit;

/// The result of a command that judges something: for people, for programs, and as an exit code.
pub(crate) trait Printable {
    fn text(&self, colour: Colour) -> String;

    fn json(&self) -> Value;

    fn exit(&self) -> Exit;
}
