//! The file of `--market`: reads and validates it before anything is started.
use std::path::Path;

use schemars::schema_for;
use slipway_sim::{Config, MarketFile};

use crate::files::form::{FileError, Form};
use crate::files::located;

const FORM: Form = Form {
    name: "market file",
    described: "`slipway show schema market` prints its form",
    longest: 4 << 20,
    schema,
};

/// JSON Schema of the file.
pub(crate) fn schema() -> serde_json::Value {
    schema_for!(MarketFile).to_value()
}

/// The configuration with the market of a file, validated.
pub(crate) fn with(config: Config, path: &Path) -> Result<Config, FileError> {
    let (text, file) = FORM.read::<MarketFile>(path)?;
    let config = Config { market: file.into(), ..config };
    config
        .check_market()
        .map_err(|error| FORM.wrong(path, (located::line_of(&text, error.path()), error.to_string())))?;
    Ok(config)
}
