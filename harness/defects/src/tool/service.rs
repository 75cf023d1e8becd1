//! The service as the server hears it: its pages of recent launches are recorded, read to their end, or watched.
use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt as _, stream};
use http_body_util::{BodyExt as _, BodyStream, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::CONTENT_LENGTH;
use hyper::{Request, Response};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::watch;

use super::effect::{CapabilitiesChange, QueryChange};
use super::http::promised;
use crate::http::body::{ProxyBody, boxed, full, read};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::http::{ExchangeError, Link, Rule};

/// Where recent launches are listed.
const PAGE: &str = "/api/tokens/recent-v2";
const CAPABILITIES: &str = "/api/capabilities";
/// Larger pages are not recorded, in bytes.
const LARGEST_PAGE: usize = 4 * 1024 * 1024;
/// As little as a slow service has said, in bytes.
const LITTLE: usize = 64 * 1024;

/// What is done with a page.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mode {
    /// Pages pass as they are; capabilities are changed.
    Capabilities(CapabilitiesChange),
    /// The query by which it is asked for is changed.
    Query(QueryChange),
    /// It is recorded before the server gets it.
    Record,
    /// It is read to its end before the server gets it, without the white space before it.
    ReadAll,
    /// It is only known how far it came.
    Watch,
}

/// A proxy before the service.
pub(super) struct Service {
    mode: Mode,
    page: Mutex<Value>,
    progress: Mutex<Progress>,
    reading: watch::Sender<usize>,
}

/// How far the last page came.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    open: bool,
    passed: usize,
}

impl Rule for Service {
    async fn exchange(
        self: &Arc<Self>,
        request: Request<Incoming>,
        service: &Link,
    ) -> Result<Response<ProxyBody>, ExchangeError> {
        promised(self.served(request, service).await)
    }
}

impl Service {
    pub(super) fn new(mode: Mode) -> Self {
        Self { mode, page: Mutex::default(), progress: Mutex::default(), reading: watch::Sender::new(0) }
    }

    async fn served(
        self: &Arc<Self>,
        request: Request<Incoming>,
        service: &Link,
    ) -> Result<Response<ProxyBody>, ExchangeError> {
        let path = request.uri().path();
        let is_page = path == PAGE;
        if !is_page && path != CAPABILITIES {
            return service.pass(request).await;
        }
        let mut request = match RequestParts::read(request).await? {
            Ok(request) => request,
            Err(request) => return Ok(service.send(request).await?.map(boxed)),
        };
        if let (Mode::Query(change), true) = (self.mode, is_page) {
            change(&mut request.query);
        }
        let response = service.send(request.request()).await?;
        match self.mode {
            Mode::Capabilities(change) if !is_page => {
                let mut response = ProxiedResponse::read_json(response).await?;
                change(&mut response.status, &mut response.body);
                Ok(response.response(request.method()))
            }
            Mode::Record if is_page => self.record(response).await,
            Mode::ReadAll if is_page => Ok(self.read_all(response).await),
            Mode::Watch if is_page => Ok(self.watch(response)),
            _ => Ok(response.map(boxed)),
        }
    }

    async fn record(&self, response: Response<Incoming>) -> Result<Response<ProxyBody>, ExchangeError> {
        let (parts, body) = response.into_parts();
        let body = match read(body, LARGEST_PAGE).await? {
            Ok(page) => {
                *self.page.lock() = serde_json::from_slice(&page).unwrap_or_default();
                full(page)
            }
            Err(body) => body,
        };
        Ok(Response::from_parts(parts, body))
    }

    /// Goes on when the server has left.
    async fn read_all(self: &Arc<Self>, response: Response<Incoming>) -> Response<ProxyBody> {
        let (mut parts, mut body) = response.into_parts();
        parts.headers.remove(CONTENT_LENGTH);
        self.reading.send_modify(|reading| *reading += 1);
        let service = Arc::clone(self);
        let reading = tokio::spawn(async move {
            let mut read = Vec::new();
            while let Some(Ok(frame)) = body.frame().await {
                let piece = frame.into_data().unwrap_or_default();
                read.extend_from_slice(if read.is_empty() { piece.trim_ascii_start() } else { &piece });
            }
            service.reading.send_modify(|reading| *reading -= 1);
            read
        });
        // The task neither panics nor is aborted.
        Response::from_parts(parts, full(reading.await.unwrap_or_default()))
    }

    fn watch(self: &Arc<Self>, response: Response<Incoming>) -> Response<ProxyBody> {
        *self.progress.lock() = Progress { open: true, passed: 0 };
        let (passing, ended) = (Arc::clone(self), Arc::clone(self));
        let (mut parts, body) = response.into_parts();
        // The end of a body of known length would not be asked for.
        parts.headers.remove(CONTENT_LENGTH);
        let watched = BodyStream::new(body).map(move |frame| {
            let mut progress = passing.progress.lock();
            progress.passed += frame.as_ref().ok().and_then(Frame::data_ref).map_or(0, Bytes::len);
            progress.open &= frame.is_ok();
            frame
        });
        let end = stream::once(async move {
            ended.progress.lock().open = false;
            Ok(Frame::data(Bytes::new()))
        });
        Response::from_parts(parts, boxed(StreamBody::new(watched.chain(end))))
    }

    /// The page that was answered last.
    pub(super) fn page(&self) -> Value {
        self.page.lock().clone()
    }

    /// Whether the last page has only begun.
    pub(super) fn has_only_begun(&self) -> bool {
        let progress = self.progress.lock();
        progress.open && progress.passed < LITTLE
    }

    /// Waits until every page is read.
    pub(super) async fn all_read(&self) {
        // The sender is ours: it does not end.
        drop(self.reading.subscribe().wait_for(|reading| *reading == 0).await);
    }
}

/// Replaces a value that is there.
pub(super) fn replace(body: &mut Value, pointer: &str, value: Value) {
    if let Some(place) = body.pointer_mut(pointer) {
        *place = value;
    }
}
