//! The service as the server hears it: its pages of recent launches are recorded, read to their end, or watched.
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::response::Response;
use futures::{StreamExt as _, stream};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::watch;
use url::{Url, form_urlencoded};

use super::WrapperError;
use super::effect::{CapabilitiesChange, QueryChange};
use super::http::{BrokenOff, Upstream, listen, passed, with_body};

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
    upstream: Upstream,
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

impl Service {
    /// Listens before the service at `url`; returns it with its own address.
    pub(super) async fn listen(url: &Url, mode: Mode) -> Result<(Arc<Self>, Url), WrapperError> {
        let service = Arc::new(Self {
            upstream: Upstream::new(url.clone())?,
            mode,
            page: Mutex::default(),
            progress: Mutex::default(),
            reading: watch::Sender::new(0),
        });
        let serving = Arc::clone(&service);
        let own = listen(url, move |request| Arc::clone(&serving).serve(request)).await?;
        Ok((service, own))
    }

    async fn serve(self: Arc<Self>, request: Request) -> Result<Response, BrokenOff> {
        let path = request.uri().path();
        let (is_page, are_capabilities) = (path == PAGE, path == CAPABILITIES);
        let request = match self.mode {
            Mode::Query(change) if is_page => with_query(request, change),
            _ => request,
        };
        let response = self.upstream.send(request).await?;
        let (mut status, headers) = (response.status(), response.headers().clone());
        let body = match self.mode {
            Mode::Capabilities(change) if are_capabilities => {
                let read = response.bytes().await.map_err(|_| BrokenOff)?;
                let mut capabilities = serde_json::from_slice(&read).map_err(|_| BrokenOff)?;
                change(&mut status, &mut capabilities);
                Body::from(capabilities.to_string())
            }
            Mode::Capabilities(_) | Mode::Query(_) => passed(response),
            _ if !is_page => passed(response),
            Mode::Record => self.record(response).await?,
            Mode::ReadAll => self.read_all(response).await?,
            Mode::Watch => self.watch(response),
        };
        Ok(with_body(status, &headers, body))
    }

    async fn record(&self, mut response: reqwest::Response) -> Result<Body, BrokenOff> {
        let mut read = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|_| BrokenOff)? {
            read.extend_from_slice(&piece);
            if read.len() > LARGEST_PAGE {
                let first = stream::once(std::future::ready(Ok(Bytes::from(read))));
                return Ok(Body::from_stream(first.chain(passed(response).into_data_stream())));
            }
        }
        *self.page.lock() = serde_json::from_slice(&read).unwrap_or_default();
        Ok(Body::from(read))
    }

    /// Goes on when the server has left.
    async fn read_all(self: Arc<Self>, mut response: reqwest::Response) -> Result<Body, BrokenOff> {
        self.reading.send_modify(|reading| *reading += 1);
        let reading = tokio::spawn(async move {
            let mut read = Vec::new();
            while let Ok(Some(piece)) = response.chunk().await {
                let piece: &[u8] = if read.is_empty() { piece.trim_ascii_start() } else { &piece };
                read.extend_from_slice(piece);
            }
            self.reading.send_modify(|reading| *reading -= 1);
            read
        });
        Ok(Body::from(reading.await.map_err(|_| BrokenOff)?))
    }

    fn watch(self: Arc<Self>, response: reqwest::Response) -> Body {
        *self.progress.lock() = Progress { open: true, passed: 0 };
        let ended = Arc::clone(&self);
        let watched = passed(response).into_data_stream().map(move |piece| {
            let mut progress = self.progress.lock();
            progress.passed += piece.as_ref().map_or(0, Bytes::len);
            progress.open &= piece.is_ok();
            piece
        });
        let end = stream::once(async move {
            ended.progress.lock().open = false;
            Ok(Bytes::new())
        });
        Body::from_stream(watched.chain(end))
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

/// The same request with its query changed.
fn with_query(request: Request, change: QueryChange) -> Request {
    let (mut parts, body) = request.into_parts();
    let query = parts.uri.query().unwrap_or_default();
    let mut pairs = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    change(&mut pairs);
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    if let Ok(target) = format!("{}?{query}", parts.uri.path()).parse() {
        parts.uri = target;
    }
    Request::from_parts(parts, body)
}

/// Replaces a value that is there.
pub(super) fn replace(body: &mut Value, pointer: &str, value: Value) {
    if let Some(place) = body.pointer_mut(pointer) {
        *place = value;
    }
}
