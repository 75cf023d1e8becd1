//! Commands that start this program as a tool server, or as the wrapper around one.
use slipway_defects::wire::Mutant;
use slipway_scenarios::target::ToolServerCommand;

use crate::error::CommandError;

/// Path of this program.
pub(crate) fn this_program() -> Result<String, CommandError> {
    let program = std::env::current_exe().map_err(|source| CommandError::OwnPath { source })?;
    Ok(program.display().to_string())
}

/// A tool server inside the wrapper that carries these defects.
pub(crate) fn wrapped(
    inner: &ToolServerCommand,
    defects: &[&str],
) -> Result<ToolServerCommand, CommandError> {
    in_wrapper(inner, defects.iter().flat_map(|id| ["--defect".to_owned(), (*id).to_owned()]))
}

/// A tool server inside the wrapper that carries these mutants.
pub(crate) fn mutated(
    inner: &ToolServerCommand,
    mutants: &[&Mutant],
) -> Result<ToolServerCommand, CommandError> {
    let text = |mutant: &&Mutant| serde_json::to_string(mutant).expect("a mutant is texts");
    in_wrapper(inner, mutants.iter().flat_map(|mutant| ["--mutant".to_owned(), text(mutant)]))
}

fn in_wrapper(
    inner: &ToolServerCommand,
    options: impl Iterator<Item = String>,
) -> Result<ToolServerCommand, CommandError> {
    let mut arguments = vec!["wrap-tool-server".to_owned()];
    arguments.extend(options);
    let renamed = inner.variables.iter().map(|(ours, theirs)| format!("{ours}={theirs}"));
    arguments.extend(renamed.flat_map(|pair| ["--variable".to_owned(), pair]));
    arguments.extend(["--".to_owned(), inner.program.clone()]);
    arguments.extend(inner.arguments.iter().cloned());
    Ok(ToolServerCommand { program: this_program()?, arguments, variables: inner.variables.clone() })
}
