//! The stdio tool server for editors and agents. It knows a launch service and a chain RPC by their URLs, and nothing about
//! the platform behind them.
mod book;
mod config;
mod decimal;
mod ensure;
mod guide;
mod handler;
mod http;
mod id;
mod input;
mod launch;
mod link;
mod log;
mod message;
mod output;
mod preflight;
mod preview;
mod public_ip;
mod recent;
mod redaction;
mod reference;
mod refusal;
mod repeated;
mod rpc;
mod rules;
mod schema;
mod sent;
mod service;
mod signing_key;
mod start;
mod status;
mod tools;
mod transport;

use std::pin::Pin;
use std::sync::Arc;

use futures::FutureExt as _;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

pub use config::{ConfigError, DEFAULT_BASE_URL, DEFAULT_RPC_URL, ToolServerConfig};
pub use log::{Log, log};
pub use reference::reference;
pub use start::{Addresses, Start, StartFailed};
pub use transport::Stop;

use guide::Guide;
use handler::{ToolHandler, Tools};
use refusal::Refusal;
use tools::ToolSet;
use transport::{LineTransport, Writer};

/// A byte stream with the requests of a peer.
pub type Input = Box<dyn AsyncRead + Send + Unpin>;
/// A byte stream for the responses to a peer.
pub type Output = Box<dyn AsyncWrite + Send + Unpin>;
/// One conversation with a peer, as a boxed future, so that its code is generated in this crate.
pub type Serving = Pin<Box<dyn Future<Output = Result<(), ServeError>> + Send>>;

/// The conversation failed; a peer that disconnects is not a failure.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The peer violated the initialization of the protocol.
    #[error("the peer did not initialize the protocol")]
    Initialization,
    /// The task that serves the protocol panicked or was aborted.
    #[error("the protocol task failed")]
    Task,
}

/// Serves on standard input and output until the peer disconnects or `stop` resolves; every open request is answered before the end.
///
/// From then on [`log()`] redacts the secrets of `config`, and panics are reported there. Standard output contains only
/// the protocol. A blocked read of standard input can outlive the future: exit the process by `std::process::exit`, or
/// shut the runtime down in the background.
///
/// Clause: MCP-PROTO, MCP-FORM, MCP-SECRETS
///
/// # Errors
/// [`ServeError`] if the conversation cannot be opened or its task fails.
#[inline(never)]
#[must_use]
pub fn serve(config: ToolServerConfig, stop: Stop) -> Serving {
    let (input, output) = standard_pipes(&config);
    let (transport, writer, guide) = opened(&config, input, output, stop);
    conversing(config, guide, transport, writer)
}

/// Like [`serve`], for a platform that is still starting. The addresses in `config` are ignored. Only tool calls wait for the platform, and
/// are refused if the start has failed.
#[inline(never)]
#[must_use]
pub fn serve_starting(config: ToolServerConfig, start: Start, stop: Stop) -> Serving {
    let (input, output) = standard_pipes(&config);
    serve_starting_on(config, start, input, output, stop)
}

fn standard_pipes(config: &ToolServerConfig) -> (Input, Output) {
    log::redact_with(&config.redactor);
    std::panic::set_hook(Box::new(|panic| log::report_panic(&mut log(), panic)));
    let (input, output) = rmcp::transport::stdio_pipes();
    (Box::new(input), Box::new(output))
}

/// Serves on a pair of byte streams until the peer disconnects. Leaves the log and the panic hook of the process alone.
///
/// # Errors
/// Like [`serve`].
#[inline(never)]
#[must_use]
pub fn serve_on(config: ToolServerConfig, input: Input, output: Output) -> Serving {
    let (transport, writer, guide) = opened(&config, input, output, std::future::pending().boxed());
    conversing(config, guide, transport, writer)
}

fn conversing(
    config: ToolServerConfig,
    guide: Guide,
    transport: LineTransport<Input>,
    writer: Writer,
) -> Serving {
    let tools = std::future::ready(Ok(Arc::new(ToolSet::new(config)))).boxed().shared();
    Box::pin(converse(ToolHandler::new(guide, tools), transport, writer))
}

/// Like [`serve_starting`], on a pair of byte streams. Leaves the log and the panic hook of the process alone.
#[inline(never)]
#[must_use]
pub fn serve_starting_on(
    config: ToolServerConfig,
    start: Start,
    input: Input,
    output: Output,
    stop: Stop,
) -> Serving {
    let (transport, writer, guide) = opened(&config, input, output, stop);
    let tools: Tools = async {
        let addresses = start.await.map_err(|failed| Refusal::PlatformFailed { problem: failed.problem })?;
        Ok(Arc::new(ToolSet::new(config.at(addresses))))
    }
    .boxed()
    .shared();
    Box::pin(converse(ToolHandler::new(guide, tools), transport, writer))
}

fn opened(
    config: &ToolServerConfig,
    input: Input,
    output: Output,
    stop: Stop,
) -> (LineTransport<Input>, Writer, Guide) {
    let (transport, writer) = LineTransport::new(input, output, Arc::clone(&config.redactor), stop);
    (transport, writer, Guide::new(config))
}

/// Serves until the end, and returns once the last line is written.
async fn converse(
    handler: ToolHandler,
    transport: LineTransport<Input>,
    writer: Writer,
) -> Result<(), ServeError> {
    let served = match handler.serve(transport).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|_| ServeError::Task),
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(_) => Err(ServeError::Initialization),
    };
    writer.finish().await;
    served
}
