//! The file of `--market`: read, and judged before anything is started.
use std::path::{Path, PathBuf};

use schemars::schema_for;
use slipway_sim::{Config, MarketFile};

use crate::error::Fatal;
use crate::exit::Exit;
use crate::located;

/// The most bytes of such a file.
const LONGEST: u64 = 4 << 20;

/// Why a market file is not used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MarketFileError {
    #[error("the market file {} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{}:{line}: {reason}; docs/how-to/market.md says what the file may say", path.display())]
    Malformed { path: PathBuf, line: usize, reason: String },
}

impl Fatal for MarketFileError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}

/// JSON Schema of the file.
pub(crate) fn schema() -> serde_json::Value {
    schema_for!(MarketFile).to_value()
}

/// The configuration with the market of a file, which can be made.
pub(crate) fn with(config: Config, path: &Path) -> Result<Config, MarketFileError> {
    let malformed = |(line, reason)| MarketFileError::Malformed { path: path.to_owned(), line, reason };
    let text = slipway_contracts::read_text(path, LONGEST)
        .map_err(|source| MarketFileError::Unreadable { path: path.to_owned(), source })?;
    let file: MarketFile =
        toml::from_str(&text).map_err(|error| malformed(located::place(&text, &error, &schema())))?;
    let config = Config { market: file.into(), ..config };
    config
        .check_market()
        .map_err(|error| malformed((located::line_of(&text, error.path()), error.to_string())))?;
    Ok(config)
}
