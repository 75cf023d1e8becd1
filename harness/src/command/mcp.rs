//! `slipway mcp`: the tool server on this process's standard input and output.
use slipway_sim::defect::Defects;
use slipway_sim::mcp::{self, McpConfig};

use crate::arguments::McpArguments;
use crate::error::CommandError;
use crate::exit::Exit;

pub(super) async fn run(arguments: &McpArguments) -> Result<Exit, CommandError> {
    let config = McpConfig::from_env(&Defects::select(&arguments.defects)?)?;
    mcp::serve(config).await?;
    Ok(Exit::Conformant)
}
