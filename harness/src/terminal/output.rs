//! Output: data to standard output, narration to standard error.
use std::io::{ErrorKind, Write as _};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::report::escape::{visible, visible_coloured, visible_json};
use crate::terminal::colour::Colour;
use crate::terminal::printable::Printable;
use crate::terminal::secrets::hidden;
use crate::terminal::wrap::wrapped;

/// Maximum characters of each end of an error.
const MOST_OF_ERROR: usize = 1000;

#[derive(Debug, thiserror::Error)]
#[error("standard output cannot be written: {source}")]
pub(crate) struct OutputError {
    pub(crate) source: std::io::Error,
}

impl Fatal for OutputError {
    fn is_end_of_reader(&self) -> bool {
        self.source.kind() == ErrorKind::BrokenPipe
    }
}

/// A JSON document as it is written.
pub(crate) fn document(value: &Value) -> String {
    visible_json(&format!("{value:#}\n"))
}

/// Writes a result as text, or as one JSON document.
pub(crate) fn print(result: &impl Printable, as_json: bool) -> Result<Exit, CommandError> {
    let text = if as_json {
        document(&result.json())
    } else {
        let colour = Colour::of_stdout();
        wrapped(&visible_coloured(&result.text(colour)), colour.width())
    };
    judged(&hidden(&text), result.exit())
}

/// Writes a text and returns the exit code, which stays the same even if the reader disconnects before the end.
pub(crate) fn judged(text: &str, exit: Exit) -> Result<Exit, CommandError> {
    match data(text) {
        Err(error) if error.is_end_of_reader() => {}
        written => written?,
    }
    Ok(exit)
}

/// Writes data and flushes it. If the reader has disconnected, as `head` does after its lines, the error ends the command silently.
pub(crate) fn data(text: &str) -> Result<(), OutputError> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|source| OutputError { source })
}

/// Resolves once nobody reads standard output any more; never for a file or a terminal.
pub(crate) async fn reader_gone() {
    let (gone, told) = oneshot::channel();
    thread::spawn(move || {
        let stdout = std::io::stdout();
        let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
        while poll(&mut watched, None) == Err(Errno::INTR) {}
        if watched[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
            let _ = gone.send(());
        }
    });
    if told.await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Writes the data of a command that can no longer fail.
pub(crate) fn done(text: &str) -> Result<Exit, CommandError> {
    judged(text, Exit::Conformant)
}

/// Writes a text for people, wrapped within the width of a terminal.
pub(crate) fn told(text: &str) -> Result<Exit, CommandError> {
    done(&wrapped(&visible_coloured(text), Colour::of_stdout().width()))
}

/// Writes to standard error; a closed one is ignored.
pub(crate) fn narrate(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", hidden(text));
}

/// Reports why the command failed.
pub(crate) fn complain(error: &CommandError) {
    // The error may quote a target, or a file of any size.
    narrate(&visible(&bounded(format!("error: {}", error.told()))));
}

/// The text, or the beginning and the end of a long one: what an error quotes stands between its cause and its remedy.
fn bounded(text: String) -> String {
    let start = text.char_indices().nth(MOST_OF_ERROR).map(|(at, _)| at);
    let end = text.char_indices().rev().nth(MOST_OF_ERROR).map(|(at, _)| at);
    match start.zip(end) {
        Some((start, end)) if start < end => format!("{} […] {}", &text[..start], &text[end..]),
        _ => text,
    }
}

/// Ends a run that was interrupted before its first check, defect or run of a client.
pub(crate) fn stopped_before(first: &str) -> Result<Exit, CommandError> {
    narrate(&format!("interrupted before the first {first}"));
    Ok(Exit::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::bounded;

    #[test]
    fn the_quotation_of_an_error_is_bounded_and_its_remedy_stays() {
        let short = "error: \u{1f4a5} `a`; do this".to_owned();
        assert_eq!(bounded(short.clone()), short);
        let long = bounded(format!("error: `{}`; do this", "\u{1f4a5}".repeat(10_000_000)));
        assert!(long.starts_with("error: `\u{1f4a5}") && long.ends_with("`; do this"));
        assert!(long.chars().count() < 2_100);
    }
}
