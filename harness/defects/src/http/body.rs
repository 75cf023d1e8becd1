//! Bodies on their way through the proxy: streamed, never collected; a body announced by `Expect: 100-continue` waits for its permission.
use bytes::Bytes;
use futures::TryStreamExt as _;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, BodyStream, StreamBody};
use hyper::body::Body;
use tokio::sync::watch;

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

/// A body that can pass.
pub(in crate::http) trait Source:
    Body<Data = Bytes, Error: Into<BodyError>> + Send + 'static
{
}

impl<B: Body<Data = Bytes, Error: Into<BodyError>> + Send + 'static> Source for B {}

pub(in crate::http) fn boxed(body: impl Source) -> ProxyBody {
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

    /// A request body that is first read when the gate opens, so that the client does not get `100 Continue` before the service sends it.
    pub(in crate::http) fn hold(&self, body: impl Source) -> ProxyBody {
        let mut decided = self.0.subscribe();
        let frames = async move {
            let permission = decided.wait_for(|permission| *permission != Permission::Pending).await;
            match permission.map(|permission| *permission) {
                Ok(Permission::Granted) => Ok(BodyStream::new(boxed(body))),
                _ => Err(BodyError::NotWanted),
            }
        };
        boxed(StreamBody::new(futures::stream::once(frames).try_flatten()))
    }

    /// A response body that ends the request's: once it is read or dropped, nothing waits for a permission any more.
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
