//! The file of `slipway play`: read, and judged before anything is started.
use std::path::{Path, PathBuf};

use schemars::schema_for;
use slipway_scenarios::play::PlayFile;

use crate::arguments::MarketArgument;
use crate::error::Fatal;
use crate::exit::Exit;
use crate::located;

/// The most bytes of such a file.
const LONGEST: u64 = 4 << 20;

/// Why a play file is not played.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlayFileError {
    #[error("the play {} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{}:{line}: {reason}; docs/how-to/play.md says what the file may say", path.display())]
    Malformed { path: PathBuf, line: usize, reason: String },
}

impl Fatal for PlayFileError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}

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
    /// Reads a play whose steps can be played.
    pub(crate) fn read(path: &Path) -> Result<Self, PlayFileError> {
        let malformed = |(line, reason)| PlayFileError::Malformed { path: path.to_owned(), line, reason };
        let text = slipway_contracts::read_text(path, LONGEST)
            .map_err(|source| PlayFileError::Unreadable { path: path.to_owned(), source })?;
        let file: PlayFile =
            toml::from_str(&text).map_err(|error| malformed(located::place(&text, &error, &schema())))?;
        file.check()
            .map_err(|error| malformed((located::line_of(&text, error.path()), error.to_string())))?;
        Ok(Self { path: path.to_owned(), text, file })
    }

    /// The market that it begins with; a file is named from its folder.
    pub(crate) fn market(&self) -> Result<MarketArgument, PlayFileError> {
        let named = self.file.market.as_deref().unwrap_or("empty");
        match MarketArgument::parse(named) {
            Ok(MarketArgument::File(market)) => {
                Ok(MarketArgument::File(self.path.parent().unwrap_or(Path::new("")).join(market)))
            }
            Ok(known) => Ok(known),
            Err(error) => Err(PlayFileError::Malformed {
                path: self.path.clone(),
                line: located::line_of(&self.text, std::iter::once("market".to_owned())),
                reason: format!("market: {error}"),
            }),
        }
    }

    /// The line on which a step begins, counted from 0.
    pub(crate) fn line(&self, index: usize) -> usize {
        located::line_of(&self.text, ["step".to_owned(), index.to_string()].into_iter())
    }
}
