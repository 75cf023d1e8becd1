//! Bodies on their way through the proxy: streamed, never collected; a body announced by `Expect: 100-continue` waits for its permission.
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http_body_util::BodyExt as _;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::{Body, Frame, SizeHint};

pub(in crate::http) type ProxyBody = UnsyncBoxBody<Bytes, BodyError>;

/// Why a body broke off.
#[derive(Debug, thiserror::Error)]
pub(in crate::http) enum BodyError {
    /// The peer that sends it failed.
    #[error(transparent)]
    Peer(#[from] hyper::Error),
    /// The response came without a permission to continue.
    #[error("the request's body was not wanted")]
    NotWanted,
}

pub(in crate::http) fn boxed<B>(body: B) -> ProxyBody
where
    B: Body<Data = Bytes, Error: Into<BodyError>> + Send + 'static,
{
    body.map_err(Into::into).boxed_unsync()
}

impl From<std::convert::Infallible> for BodyError {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Permission {
    Pending,
    Granted,
    Refused,
}

/// Whether a body may be sent; the first decision stands.
#[derive(Clone, Debug)]
pub(in crate::http) struct Gate(Arc<Mutex<(Permission, Option<Waker>)>>);

impl Gate {
    pub(in crate::http) fn closed() -> Self {
        Self(Arc::new(Mutex::new((Permission::Pending, None))))
    }

    /// Lets the body pass.
    pub(in crate::http) fn grant(&self) {
        self.decide(Permission::Granted);
    }

    fn decide(&self, permission: Permission) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.0 == Permission::Pending {
            state.0 = permission;
            if let Some(waker) = state.1.take() {
                waker.wake();
            }
        }
    }

    fn poll(&self, context: &Context<'_>) -> Poll<bool> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.0 {
            Permission::Granted => Poll::Ready(true),
            Permission::Refused => Poll::Ready(false),
            Permission::Pending => {
                state.1 = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// A request body that is first read when its gate opens, so that the client does not get `100 Continue` before the service sends it.
pub(in crate::http) struct Gated<B> {
    pub(in crate::http) body: B,
    pub(in crate::http) gate: Gate,
}

impl<B: Body<Data = Bytes, Error: Into<BodyError>> + Unpin> Body for Gated<B> {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match self.gate.poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(false) => Poll::Ready(Some(Err(BodyError::NotWanted))),
            Poll::Ready(true) => Pin::new(&mut self.body)
                .poll_frame(context)
                .map(|frame| frame.map(|frame| frame.map_err(Into::into))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A response body that ends the request's: once it is read or dropped, nobody waits for a permission any more.
pub(in crate::http) struct Closing<B> {
    pub(in crate::http) body: B,
    pub(in crate::http) gate: Gate,
}

impl<B: Body<Data = Bytes, Error: Into<BodyError>> + Unpin> Body for Closing<B> {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        Pin::new(&mut self.body).poll_frame(context).map(|frame| frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> Drop for Closing<B> {
    fn drop(&mut self) {
        self.gate.decide(Permission::Refused);
    }
}
