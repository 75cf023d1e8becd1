//! The node's own word of new blocks: over its local socket, or over a WebSocket where another process has the node.
use alloy::providers::{IpcConnect, Provider, ProviderBuilder, RootProvider};
use alloy::rpc::types::Header;
use alloy::transports::{TransportError, TransportErrorKind};
use futures::stream::{self, BoxStream};
use futures::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

use super::{Chain, ChainError, Head};

const SUBSCRIBE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}"#;

/// A message of a subscription to new heads.
#[derive(Deserialize)]
struct Notified {
    params: Subscribed,
}

#[derive(Deserialize)]
struct Subscribed {
    result: Header,
}

impl Chain {
    /// The heads of new blocks as the node reports them, until the connection ends; silent when neither socket is known.
    pub(crate) async fn new_heads(&self) -> Result<BoxStream<'static, Head>, ChainError> {
        let failed = |source| self.failed("eth_subscribe", source);
        if let Some(url) = &self.inner.socket_url {
            return heads_of(url).await.map_err(failed);
        }
        let Some(path) = &self.inner.ipc_path else {
            return Ok(stream::pending().boxed());
        };
        let connect = IpcConnect::new(path.clone());
        let provider: RootProvider = ProviderBuilder::default().connect_ipc(connect).await.map_err(failed)?;
        let heads = provider.subscribe_blocks().await.map_err(failed)?.into_stream();
        // The subscription ends with the last copy of its provider, so the stream holds one.
        Ok(heads.map(move |header| (Head::from(header), &provider).0).boxed())
    }
}

async fn heads_of(url: &str) -> Result<BoxStream<'static, Head>, TransportError> {
    let (mut socket, _) = connect_async(url).await.map_err(TransportErrorKind::custom)?;
    socket.send(Message::text(SUBSCRIBE)).await.map_err(TransportErrorKind::custom)?;
    let heads = stream::unfold(socket, async |mut socket| {
        while let Some(Ok(message)) = socket.next().await {
            // The first message is the number of the subscription.
            if let Ok(Notified { params }) = serde_json::from_slice(&message.into_data()) {
                return Some((Head::from(params.result), socket));
            }
        }
        None
    });
    Ok(heads.boxed())
}

impl From<Header> for Head {
    fn from(header: Header) -> Self {
        Self {
            number: header.number,
            hash: header.hash,
            parent: header.parent_hash,
            timestamp: header.timestamp,
            is_empty: header.gas_used == 0,
        }
    }
}
