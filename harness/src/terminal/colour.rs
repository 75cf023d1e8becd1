//! Colours and width of terminal output.
use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use rustix::termios::tcgetwinsize;

use crate::report::events::Word;

/// Whether output is coloured, and how wide the terminal is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Colour {
    is_on: bool,
    width: Option<u16>,
}

impl Colour {
    /// For standard output, coloured if it supports colours.
    pub(crate) fn of_stdout() -> Self {
        let width = tcgetwinsize(std::io::stdout()).ok().map(|size| size.ws_col).filter(|width| *width > 0);
        Self { width, ..Self::on(&std::io::stdout()) }
    }

    /// For standard error, coloured if it supports colours.
    pub(crate) fn of_stderr() -> Self {
        Self::on(&std::io::stderr())
    }

    fn on(stream: &impl RawStream) -> Self {
        Self { is_on: AutoStream::choice(stream) != ColorChoice::Never, width: None }
    }

    pub(crate) fn is_on(self) -> bool {
        self.is_on
    }

    /// Columns of the terminal; `None` for a file or a pipe, whose lines may have any length.
    pub(crate) fn width(self) -> Option<u16> {
        self.width
    }

    pub(crate) fn strong(self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    /// For a file.
    pub(crate) fn never() -> Self {
        Self { is_on: false, width: None }
    }

    fn paint(self, style: Style, text: &str) -> String {
        if self.is_on { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.paint(AnsiColor::Green.on_default(), text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.paint(AnsiColor::Red.on_default().bold(), text)
    }

    pub(crate) fn doubtful(self, text: &str) -> String {
        self.paint(AnsiColor::Yellow.on_default(), text)
    }

    pub(crate) fn of(self, word: Word, text: &str) -> String {
        match word {
            Word::Failed => self.bad(text),
            Word::Passed => self.good(text),
            Word::Skipped => text.to_owned(),
            Word::Inconclusive | Word::Known | Word::Difference => self.doubtful(text),
        }
    }
}
