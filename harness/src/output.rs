//! Writing: data to standard output, narration to standard error.
use std::io::Write as _;

use crate::colour::Colour;
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::printable::Printable;
use crate::report::escape::{visible, visible_coloured, visible_json};

#[derive(Debug, thiserror::Error)]
#[error("standard output is closed: {source}")]
pub(crate) struct OutputError {
    pub(crate) source: std::io::Error,
}

impl Fatal for OutputError {}

/// Writes a result as text, or as one JSON document.
pub(crate) fn print(result: &impl Printable, as_json: bool) -> Result<Exit, CommandError> {
    let text = if as_json {
        visible_json(&format!("{:#}\n", result.json()))
    } else {
        visible_coloured(&result.text(Colour::of_stdout()))
    };
    data(&text)?;
    Ok(result.exit())
}

/// Writes data and flushes it; a closed pipe is an error the caller must see.
pub(crate) fn data(text: &str) -> Result<(), OutputError> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|source| OutputError { source })
}

/// Writes the data of a command that cannot fail any more.
pub(crate) fn done(text: &str) -> Result<Exit, CommandError> {
    data(text)?;
    Ok(Exit::Conformant)
}

/// Writes to standard error; a closed one is ignored.
pub(crate) fn narrate(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Reports why the command failed.
pub(crate) fn complain(error: &CommandError) {
    // It may quote a target.
    narrate(&visible(&format!("error: {}", error.told())));
}
