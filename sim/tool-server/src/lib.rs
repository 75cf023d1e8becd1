//! The stdio tool server for editors and agents. It knows a launch service and a chain RPC by their addresses, and nothing of
//! the platform behind them.
mod config;
mod decimal;
mod handler;
mod http;
mod input;
mod launch;
mod link;
mod log;
mod output;
mod preflight;
mod preview;
mod public_ip;
mod recent;
mod redaction;
mod refusal;
mod revert;
mod rpc;
mod rules;
mod sent;
mod service;
mod signing_key;
mod status;
mod tools;
mod transport;
mod unescape;

use std::pin::Pin;
use std::sync::Arc;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

pub use config::{ConfigError, DEFAULT_BASE_URL, DEFAULT_RPC_URL, ToolServerConfig};
pub use log::{Log, log};

use handler::ToolHandler;
use tools::ToolSet;
use transport::LineTransport;

/// A byte stream that carries the requests of a peer.
pub type Input = Box<dyn AsyncRead + Send + Unpin>;
/// A byte stream that carries the responses to a peer.
pub type Output = Box<dyn AsyncWrite + Send + Unpin>;
/// One conversation with a peer, as a future whose code is generated in this crate.
pub type Serving = Pin<Box<dyn Future<Output = Result<(), ServeError>> + Send>>;

/// The conversation failed; a peer that leaves is not a failure.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The peer broke the initialization of the protocol.
    #[error("the peer did not initialize the protocol")]
    Initialization,
    /// The task that serves the protocol panicked or was aborted.
    #[error("the protocol task failed")]
    Task,
}

/// Serves on standard input and output until the peer leaves.
///
/// From then on [`log()`] redacts the secrets of `config`, and a panic is reported there. Standard output carries the protocol
/// and nothing else. A blocked read of standard input can outlive the future: leave the process by `std::process::exit`, or
/// shut the runtime down in the background.
///
/// Clause: MCP-PROTO, MCP-FORM, MCP-SECRETS
///
/// # Errors
/// [`ServeError`] when the conversation cannot be opened or its task fails.
#[inline(never)]
#[must_use]
pub fn serve(config: ToolServerConfig) -> Serving {
    log::redact_with(&config.redactor);
    std::panic::set_hook(Box::new(|panic| log::report_panic(&mut log(), panic)));
    let (input, output) = rmcp::transport::stdio_pipes();
    serve_on(config, Box::new(input), Box::new(output))
}

/// Serves on a pair of byte streams until the peer leaves. Leaves the log and the panic hook of the process alone.
///
/// # Errors
/// As [`serve`].
#[inline(never)]
#[must_use]
pub fn serve_on(config: ToolServerConfig, input: Input, output: Output) -> Serving {
    Box::pin(converse(config, input, output))
}

async fn converse(config: ToolServerConfig, input: Input, output: Output) -> Result<(), ServeError> {
    let transport = LineTransport::new(input, output, Arc::clone(&config.redactor));
    let running = match ToolHandler::new(ToolSet::new(config)).serve(transport).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(_) => return Err(ServeError::Initialization),
    };
    running.waiting().await.map(drop).map_err(|_| ServeError::Task)
}

/// Returns `error` unless `condition` holds.
fn ensure<E>(condition: bool, error: E) -> Result<(), E> {
    if condition { Ok(()) } else { Err(error) }
}
