//! The tool server for editors and agents, on standard input and output. It stands alone: it knows a service and an RPC by
//! their addresses, and nothing of the platform beside it.
mod addresses;
mod amount;
mod arguments;
mod config;
mod defects;
mod faults;
mod frame;
mod guards;
mod http;
mod key;
mod launch;
mod recent;
mod redact;
mod refusal;
mod reverts;
mod rpc;
mod server;
mod service;
mod spelling;
mod tools;
mod urls;
mod wire;

use std::sync::Arc;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

pub use config::{ConfigError, McpConfig};
pub(crate) use defects::DEFECTS;
pub use redact::{Log, log};

use frame::LineTransport;
use server::ToolServer;
use tools::ToolSet;

/// Serving ended otherwise than by the peer's leave.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The peer did not open the protocol properly.
    #[error("the peer did not open the protocol properly")]
    Opening,
    /// The service loop itself failed.
    #[error("the protocol loop failed")]
    Loop,
}

/// Serves on standard input and output until the peer leaves. Standard output carries the protocol and nothing else; a
/// panic of a tool is reported on standard error without secrets.
///
/// A blocked read of standard input can outlive this call: leave the process by `std::process::exit` or by shutting the
/// runtime down in the background.
pub async fn serve(config: McpConfig) -> Result<(), ServeError> {
    if config.faults.redacts_log() {
        redact::redact_log(&config.redactor);
    }
    std::panic::set_hook(Box::new(|panic| {
        // The hook has nowhere to report a failure of its own.
        drop(std::io::Write::write_all(&mut log(), format!("{panic}\n").as_bytes()));
    }));
    let (input, output) = rmcp::transport::stdio_pipes();
    serve_on(config, input, output).await
}

/// Serves on a pair of byte streams until the peer leaves.
pub async fn serve_on<R, W>(config: McpConfig, input: R, output: W) -> Result<(), ServeError>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let transport = LineTransport::new(input, output, Arc::clone(&config.redactor), config.faults.clone());
    let server = ToolServer::new(ToolSet::new(config));
    let running = match server.serve(transport).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(_) => return Err(ServeError::Opening),
    };
    running.waiting().await.map(drop).map_err(|_| ServeError::Loop)
}
