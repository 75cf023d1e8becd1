//! The node's own word of new blocks, over its local socket.
use alloy::providers::{IpcConnect, Provider, ProviderBuilder, RootProvider};
use alloy::rpc::types::Header;
use futures::StreamExt;
use futures::stream::{self, BoxStream};

use super::{Chain, ChainError, Head};

impl Chain {
    /// The heads of new blocks as the node tells of them; silent when the node is reached by HTTP alone.
    pub(crate) async fn new_heads(&self) -> Result<BoxStream<'static, Head>, ChainError> {
        let Some(path) = &self.inner.ipc_path else {
            return Ok(stream::pending().boxed());
        };
        let failed = |source| self.failed("eth_subscribe", source);
        let connect = IpcConnect::new(path.clone());
        let provider: RootProvider = ProviderBuilder::default().connect_ipc(connect).await.map_err(failed)?;
        let heads = provider.subscribe_blocks().await.map_err(failed)?.into_stream();
        // The subscription ends with the last copy of its provider, so the stream holds one.
        Ok(heads.map(move |header| (Head::from(header), &provider).0).boxed())
    }
}

impl From<Header> for Head {
    fn from(header: Header) -> Self {
        Self {
            number: header.number,
            hash: header.hash,
            parent: header.parent_hash,
            timestamp: header.timestamp,
        }
    }
}
