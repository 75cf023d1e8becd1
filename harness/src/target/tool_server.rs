//! Commands that start this program as a tool server, or as the wrapper around one.
use std::path::Path;

use slipway_scenarios::model::target::ToolServerCommand;

use crate::error::Fatal;

#[derive(Debug, thiserror::Error)]
#[error("the path of this program is unknown: {source}")]
pub(crate) struct OwnPathError {
    source: std::io::Error,
}

impl Fatal for OwnPathError {}

pub(crate) fn this_program() -> Result<String, OwnPathError> {
    let program = std::env::current_exe().map_err(|source| OwnPathError { source })?;
    Ok(program.display().to_string())
}

/// A command that runs a tool server inside the wrapper that injects these defects.
pub(crate) fn wrapped(
    inner: &ToolServerCommand,
    defects: &[&str],
    changes: Option<&Path>,
) -> Result<ToolServerCommand, OwnPathError> {
    let mut arguments = vec!["wrap-tool-server".to_owned()];
    arguments.extend(defects.iter().flat_map(|id| ["--defect".to_owned(), (*id).to_owned()]));
    arguments.extend(changes.iter().flat_map(|path| ["--changes".to_owned(), path.display().to_string()]));
    let renamed = inner.variables.iter().map(|(ours, theirs)| format!("{ours}={theirs}"));
    arguments.extend(renamed.flat_map(|pair| ["--variable".to_owned(), pair]));
    arguments.extend(["--".to_owned(), inner.program.clone()]);
    arguments.extend(inner.arguments.iter().cloned());
    Ok(ToolServerCommand { program: this_program()?, arguments, variables: inner.variables.clone() })
}
