//! The file of `slipway play`: reads and validates it before anything is started.
use std::path::{Path, PathBuf};

use schemars::schema_for;
use slipway_scenarios::play::PlayFile;

use crate::arguments::MarketArgument;
use crate::files::form::{FileError, Form};
use crate::files::located;

const FORM: Form =
    Form { name: "play", described: "`slipway show schema play` prints its form", longest: 4 << 20, schema };

/// JSON Schema of the file.
pub(crate) fn schema() -> serde_json::Value {
    schema_for!(PlayFile).to_value()
}

/// A play with the text of its file.
#[derive(Debug)]
pub(crate) struct WrittenPlay {
    pub(crate) path: PathBuf,
    text: String,
    pub(crate) file: PlayFile,
}

impl WrittenPlay {
    /// Reads a play and validates its steps.
    pub(crate) fn read(path: &Path) -> Result<Self, FileError> {
        let (text, file) = FORM.read::<PlayFile>(path)?;
        file.check()
            .map_err(|error| FORM.wrong(path, (located::line_of(&text, error.path()), error.to_string())))?;
        Ok(Self { path: path.to_owned(), text, file })
    }

    /// The market that it begins with; a file's path is relative to the play's folder.
    pub(crate) fn market(&self) -> Result<MarketArgument, FileError> {
        let named = self.file.market.as_deref().unwrap_or("empty");
        match MarketArgument::parse(named) {
            Ok(MarketArgument::File(market)) => {
                Ok(MarketArgument::File(self.path.parent().unwrap_or(Path::new("")).join(market)))
            }
            Ok(known) => Ok(known),
            Err(error) => {
                let line = located::line_of(&self.text, std::iter::once("market".to_owned()));
                Err(FORM.wrong(&self.path, (line, format!("market: {error}"))))
            }
        }
    }

    /// The line on which a step begins, counted from 0.
    pub(crate) fn line(&self, index: usize) -> usize {
        located::line_of(&self.text, ["step".to_owned(), index.to_string()].into_iter())
    }
}
