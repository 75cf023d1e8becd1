//! How an agent under rehearsal finds its tool server: a configuration in the format of MCP clients, and the equivalent command line.
use std::sync::Arc;

use serde_json::json;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::RehearseError;
use super::stage::Stage;
use super::tools::Tools;
use crate::error::CommandError;
use crate::target::tool_server::this_program;

/// What an agent is given; dropping it ends its tool servers.
pub(super) struct Agent {
    /// Contain the path of the configuration, and the command line.
    pub(super) variables: Vec<(String, String)>,
    task: JoinHandle<()>,
    _folder: TempDir,
}

impl Agent {
    pub(super) async fn start(stage: &Stage) -> Result<Self, CommandError> {
        let failed = |source| RehearseError::ToolServer { source };
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?.to_string();
        let program = this_program()?;
        let command = [program.as_str(), "relay-tools", &address];
        let server = json!({ "command": program, "args": &command[1..], "env": {} });
        let folder = tempfile::tempdir().map_err(failed)?;
        let file = folder.path().join("mcp.json");
        let config = json!({ "mcpServers": { "slipway": server } });
        std::fs::write(&file, format!("{config:#}\n")).map_err(failed)?;
        let variables = vec![
            ("SLIPWAY_MCP_CONFIG".to_owned(), file.display().to_string()),
            ("SLIPWAY_MCP_COMMAND".to_owned(), shlex::try_join(command).unwrap_or_default()),
        ];
        let tools = Arc::new(Tools::new(Arc::clone(&stage.shared), program, &stage.ready));
        Ok(Self { variables, task: tokio::spawn(tools.serve(listener)), _folder: folder })
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.task.abort();
    }
}
