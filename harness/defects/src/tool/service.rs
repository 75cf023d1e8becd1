//! The service as the server sees it: its pages of recent launches are recorded, read to their end, or watched.
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

use super::http::promised;
use crate::changes::{Change, Step};
use crate::http::act::{Act, Context, Form};
use crate::http::body::{ProxyBody, boxed, full, read};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::http::{ExchangeError, Link, Rule};

/// The path of the recent launches.
const PAGE: &str = "/api/tokens/recent-v2";
/// Largest page recorded, in bytes.
const LARGEST_PAGE: usize = 4 * 1024 * 1024;
/// A page below this size, in bytes, has only begun.
const LITTLE: usize = 64 * 1024;

/// How a page is handled.
pub(super) enum Mode {
    /// Requests and answers are changed.
    Change(Vec<&'static Change>),
    /// Records it before the server gets it.
    Record,
    /// Reads it to its end before the server gets it, and strips leading white space.
    ReadAll,
    /// Records only how much of it has passed.
    Watch,
}

/// A proxy in front of the service.
pub(super) struct Service {
    mode: Mode,
    page: Mutex<Value>,
    progress: Mutex<Progress>,
    reading: watch::Sender<usize>,
}

/// How much of the last page has passed.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    open: bool,
    passed: usize,
}

impl Rule for Service {
    type Kept = ();

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
        match &self.mode {
            Mode::Change(changes) if changes.iter().any(|change| change.concerns(path)) => {
                self.change(changes, request, service).await
            }
            Mode::Record if path == PAGE => self.record(service.send(request.map(boxed)).await?).await,
            Mode::ReadAll if path == PAGE => Ok(self.read_all(service.send(request.map(boxed)).await?).await),
            Mode::Watch if path == PAGE => Ok(self.watch(service.send(request.map(boxed)).await?)),
            _ => service.pass(request).await,
        }
    }

    async fn change(
        &self,
        changes: &[&'static Change],
        request: Request<Incoming>,
        service: &Link,
    ) -> Result<Response<ProxyBody>, ExchangeError> {
        let mut request = match RequestParts::read(request).await? {
            Ok(request) => request,
            Err(request) => return Ok(service.send(request).await?.map(boxed)),
        };
        let (sent, memory) = (request.clone(), Mutex::default());
        let context = Context::new(&sent, 0, &memory);
        let changes = changes.iter().filter(|change| change.on.request(&sent));
        for (change, step) in
            changes.clone().flat_map(|change| change.steps.iter().map(move |step| (change, step)))
        {
            step.change_request(&change.on, &mut request);
        }
        let response = service.send(request.request()).await?;
        if changes.clone().all(|change| change.steps.iter().all(Step::is_of_request)) {
            return Ok(response.map(boxed));
        }
        let mut answer = ProxiedResponse::read_json(response).await?;
        for change in changes.filter(|change| change.on.answer(&answer)).collect::<Vec<_>>() {
            for step in &change.steps {
                match step {
                    Step::Act(Act { form: Form::After(change), .. }) => change(&context, &mut answer),
                    step => step.change_answer(&change.on, &sent, &mut answer),
                }
            }
        }
        Ok(answer.response(sent.method()))
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

    /// Continues after the server has disconnected.
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
        // The end of a body of known length would not be read.
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

    /// The last page.
    pub(super) fn page(&self) -> Value {
        self.page.lock().clone()
    }

    /// Whether the last page is open and has only begun.
    pub(super) fn has_only_begun(&self) -> bool {
        let progress = self.progress.lock();
        progress.open && progress.passed < LITTLE
    }

    /// Waits until every page is read to its end.
    pub(super) async fn all_read(&self) {
        // The sender is ours and does not end.
        drop(self.reading.subscribe().wait_for(|reading| *reading == 0).await);
    }
}
