//! Adds the calls of a node to the record of the current request.
use std::task::{Context, Poll};
use std::time::Instant;

use alloy::rpc::json_rpc::{RequestPacket, ResponsePacket};
use alloy::transports::{TransportError, TransportFut};
use tower::{Layer, Service};

use crate::node_calls::{NodeCall, NodeCalls};

/// The transport layer for the node of this chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recording(pub(super) u64);

impl<S> Layer<S> for Recording {
    type Service = Recorded<S>;

    fn layer(&self, inner: S) -> Recorded<S> {
        Recorded { inner, chain_id: self.0 }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Recorded<S> {
    inner: S,
    chain_id: u64,
}

impl<S> Service<RequestPacket> for Recorded<S>
where
    S: Service<
            RequestPacket,
            Response = ResponsePacket,
            Error = TransportError,
            Future = TransportFut<'static>,
        >,
{
    type Response = ResponsePacket;
    type Error = TransportError;
    type Future = TransportFut<'static>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), TransportError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, packet: RequestPacket) -> TransportFut<'static> {
        let Some(calls) = NodeCalls::here() else { return self.inner.call(packet) };
        let begun = packet.requests().iter().map(|request| {
            let params = request.params().map_or("", |params| params.get());
            NodeCall::begun(self.chain_id, request.method(), params)
        });
        let begun: Vec<NodeCall> = begun.collect();
        let answer = self.inner.call(packet);
        Box::pin(async move {
            let start = Instant::now();
            let answer = answer.await;
            let microseconds = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
            let error = match &answer {
                Ok(packet) => packet.first_error_message().map(str::to_owned),
                Err(error) => Some(error.to_string()),
            };
            for call in begun {
                calls.add(NodeCall { microseconds, ..call }, error.as_deref());
            }
            answer
        })
    }
}
