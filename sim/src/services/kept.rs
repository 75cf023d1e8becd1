//! Copies requests and answers as they pass, for the console.
use std::sync::Arc;
use std::time::SystemTime;

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::header::{self, HeaderMap};
use axum::response::Response;
use futures::{TryStreamExt, stream};
use parking_lot::Mutex;

use crate::api::record::{Entry, Exchange, Message};
use crate::node_calls::NodeCalls;

/// Maximum length of an answer's body that is read, in bytes; of a longer one only the size is known.
const LOOKED_AT: usize = 4 << 20;

fn message(headers: &HeaderMap) -> Message {
    Message::with_headers(headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())))
}

/// A request in progress.
pub(super) struct Passing {
    began: SystemTime,
    request: Arc<Mutex<Message>>,
    calls: NodeCalls,
}

impl Passing {
    /// Wraps a request so that its body is copied while it is read.
    pub(super) fn of(request: Request) -> (Request, Self) {
        let (parts, body) = request.into_parts();
        let kept = Arc::new(Mutex::new(message(&parts.headers)));
        let passing =
            Self { began: SystemTime::now(), request: Arc::clone(&kept), calls: NodeCalls::default() };
        if body.is_end_stream() {
            passing.request.lock().size = Some(0);
            return (Request::from_parts(parts, body), passing);
        }
        let body = body.into_data_stream().inspect_ok(move |part| kept.lock().add(part));
        (Request::from_parts(parts, Body::from_stream(body)), passing)
    }

    /// Carries out the request and collects its node calls.
    pub(super) async fn collect<T>(&self, work: impl Future<Output = T>) -> T {
        self.calls.clone().collect(work).await
    }

    /// Builds the exchange from the answer as it is sent.
    pub(super) fn ended(self, entry: Entry, response: &Response, answer: Answer) -> Exchange {
        let mut kept = message(response.headers());
        kept.size = answer.size;
        if let Some(text) = answer.text {
            kept.size = None;
            kept.add(&text);
        }
        Exchange {
            entry,
            began: self.began,
            request: std::mem::take(&mut self.request.lock()),
            response: kept,
            calls: self.calls.take(),
        }
    }
}

/// The body of an answer: its size if known, and its text.
#[derive(Default)]
pub(super) struct Answer {
    size: Option<usize>,
    text: Option<Bytes>,
}

impl Answer {
    /// Copies a response's body. A body in memory is passed on unchanged; one that is streamed is not touched.
    pub(super) async fn of(response: Response) -> (Response, Self) {
        let size = response.body().size_hint().exact().and_then(|size| usize::try_from(size).ok());
        let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let is_text =
            kind.is_some_and(|kind| kind.starts_with("application/json") || kind.starts_with("text/"));
        if !is_text || size.is_none_or(|size| size == 0 || size > LOOKED_AT) {
            return (response, Self { size, text: None });
        }
        let (parts, body) = response.into_parts();
        match to_bytes(body, LOOKED_AT).await {
            Ok(text) => {
                let body = Body::from(text.clone());
                (Response::from_parts(parts, body), Self { size, text: Some(text) })
            }
            Err(error) => {
                let broken = Body::from_stream(stream::iter([Err::<Bytes, _>(error)]));
                (Response::from_parts(parts, broken), Self::default())
            }
        }
    }
}
