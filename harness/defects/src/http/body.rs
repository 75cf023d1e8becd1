//! Bodies on their way through the proxy: streamed, never collected; a body announced with `Expect: 100-continue` waits for permission.
use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, BodyStream, Full, StreamBody};
use hyper::body::{Body, Frame, Incoming};
use tokio::sync::watch;

/// A body passing through the proxy.
pub type ProxyBody = UnsyncBoxBody<Bytes, BodyError>;

/// Why a body broke off.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The peer that sends it failed.
    #[error(transparent)]
    Peer(#[from] hyper::Error),
    /// The response came without a permission to continue.
    #[error("the request's body was not wanted")]
    NotWanted,
    /// The proxy broke it off.
    #[error("broken off")]
    BrokenOff,
}

/// A body that the proxy can pass on.
pub trait Source: Body<Data = Bytes, Error: Into<BodyError>> + Send + 'static {}

impl<B: Body<Data = Bytes, Error: Into<BodyError>> + Send + 'static> Source for B {}

/// Boxes a body of any kind.
pub fn boxed(body: impl Source) -> ProxyBody {
    body.map_err(Into::into).boxed_unsync()
}

/// A body of these bytes.
pub fn full(bytes: impl Into<Bytes>) -> ProxyBody {
    boxed(Full::new(bytes.into()))
}

/// A body that breaks off after these bytes.
pub fn broken_off(bytes: impl Into<Bytes>) -> ProxyBody {
    boxed(StreamBody::new(stream::iter([Ok(Frame::data(bytes.into())), Err(BodyError::BrokenOff)])))
}

/// The whole body; one of more than `limit` bytes is returned as a body that includes the bytes already read.
///
/// # Errors
/// If the body breaks off.
pub async fn read(mut body: Incoming, limit: usize) -> hyper::Result<Result<Bytes, ProxyBody>> {
    let mut bytes = Vec::new();
    while bytes.len() <= limit && body.size_hint().lower() <= limit as u64 {
        match body.frame().await.transpose()? {
            None => return Ok(Ok(bytes.into())),
            Some(frame) => bytes.extend_from_slice(frame.data_ref().map_or(&[][..], |data| data)),
        }
    }
    let begun = stream::iter([Ok(Frame::data(bytes.into()))]);
    Ok(Err(boxed(StreamBody::new(begun.chain(BodyStream::new(body))))))
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

/// Whether a body may be sent; the first decision counts.
#[derive(Clone, Debug)]
pub(in crate::http) struct Gate(watch::Sender<Permission>);

impl Gate {
    pub(in crate::http) fn closed() -> Self {
        Self(watch::Sender::new(Permission::Pending))
    }

    /// Lets the body pass.
    pub(in crate::http) fn grant(&self) {
        self.decide(Permission::Granted);
    }

    fn decide(&self, permission: Permission) {
        self.0.send_if_modified(|state| {
            let pending = *state == Permission::Pending;
            *state = if pending { permission } else { *state };
            pending
        });
    }

    /// Holds a request body until the gate opens, so that the client does not get `100 Continue` before the service sends it.
    pub(in crate::http) fn hold(&self, body: impl Source) -> ProxyBody {
        let mut decided = self.0.subscribe();
        let frames = async move {
            let permission = decided.wait_for(|permission| *permission != Permission::Pending).await;
            match permission.map(|permission| *permission) {
                Ok(Permission::Granted) => Ok(BodyStream::new(boxed(body))),
                _ => Err(BodyError::NotWanted),
            }
        };
        boxed(StreamBody::new(stream::once(frames).try_flatten()))
    }

    /// Closes the gate once the response body is read or dropped, so that nothing waits for permission afterwards.
    pub(in crate::http) fn close_with(self, body: impl Source) -> ProxyBody {
        let closing = Closing(self);
        boxed(body.map_frame(move |frame| {
            let Closing(_) = &closing;
            frame
        }))
    }
}

struct Closing(Gate);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.decide(Permission::Refused);
    }
}
