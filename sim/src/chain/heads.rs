//! New blocks as the node announces them over its WebSocket.
use alloy::rpc::types::Header;
use alloy::transports::TransportErrorKind;
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
    /// The heads of new blocks as the node announces them, until the connection ends.
    pub(crate) async fn new_heads(&self) -> Result<BoxStream<'static, Head>, ChainError> {
        let failed = |error| self.failed("eth_subscribe", TransportErrorKind::custom(error));
        let url = self.inner.rpc_url.replacen("http", "ws", 1);
        let (mut socket, _) = connect_async(url).await.map_err(failed)?;
        socket.send(Message::text(SUBSCRIBE)).await.map_err(failed)?;
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
