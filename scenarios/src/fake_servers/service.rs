//! A REST proxy between a tool server and a real service: it records every request and answers some of them itself.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::uri::PathAndQuery;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use futures::stream;
use parking_lot::Mutex;
use tokio::time::MissedTickBehavior;
use url::Url;

use super::http::{Listening, json, listen};
use crate::client::http::Http;
use crate::client::message::Request;
use crate::model::verdict::Inconclusive;

/// Time between two bytes of a drip.
const DRIP_PACE: Duration = Duration::from_millis(10);
/// Size of one piece of a flood, in bytes.
const PIECE: usize = 64 * 1024;

/// Builds the answer of a path.
type Responder = Arc<dyn Fn() -> Response + Send + Sync>;

/// The service; dropping it ends it.
pub(crate) struct FakeService {
    listening: Listening,
    shared: Arc<Shared>,
}

struct Shared {
    http: Http,
    real: Url,
    /// Paths that it answers itself.
    reported: Mutex<BTreeMap<String, Responder>>,
    targets: Mutex<Vec<String>>,
    flooded: Arc<AtomicUsize>,
}

impl FakeService {
    /// Starts a proxy that forwards everything to a real service.
    pub(crate) async fn start(http: Http, real: Url) -> Result<Self, Inconclusive> {
        let shared = Arc::new(Shared {
            http,
            real,
            reported: Mutex::default(),
            targets: Mutex::default(),
            flooded: Arc::default(),
        });
        let answering = Arc::clone(&shared);
        let listening = listen(async move |method: Method, uri: Uri, body: Bytes| {
            answering.answer(method, uri.path_and_query().map_or("/", PathAndQuery::as_str), body).await
        })
        .await?;
        Ok(Self { listening, shared })
    }

    /// Returns its origin, without a trailing slash.
    pub(crate) fn origin(&self) -> String {
        self.listening.origin.as_str().trim_end_matches('/').to_owned()
    }

    /// Answers a path with this status and body from now on.
    pub(crate) fn serve(&self, path: &str, status: u16, body: String) {
        let status = StatusCode::from_u16(status).unwrap_or_default();
        self.answer_by(path, move || json(status, body.clone()));
    }

    /// Answers a path with an endless drip of white space from now on.
    pub(crate) fn drip(&self, path: &str) {
        self.answer_by(path, || json(StatusCode::OK, drip()));
    }

    /// Answers a path with this JSON after this many bytes of white space from now on.
    pub(crate) fn flood(&self, path: &str, bytes: usize, body: String) {
        let counted = Arc::clone(&self.shared.flooded);
        let flood = move || flood(bytes, body.clone(), Arc::clone(&counted));
        self.answer_by(path, move || json(StatusCode::OK, flood()));
    }

    /// Returns how many bytes of floods were taken, as seen by the server.
    pub(crate) fn flooded(&self) -> usize {
        self.shared.flooded.load(Ordering::Relaxed)
    }

    fn answer_by(&self, path: &str, responder: impl Fn() -> Response + Send + Sync + 'static) {
        self.shared.reported.lock().insert(path.to_owned(), Arc::new(responder));
    }

    /// Returns the paths and queries of the requests, in order.
    pub(crate) fn targets(&self) -> Vec<String> {
        self.shared.targets.lock().clone()
    }
}

impl Shared {
    async fn answer(&self, method: Method, target: &str, body: Bytes) -> Response {
        self.targets.lock().push(target.to_owned());
        let path = target.split('?').next().unwrap_or_default();
        let responder = self.reported.lock().get(path).cloned();
        match responder {
            Some(responder) => responder(),
            None => self
                .forward(method, target, body)
                .await
                .unwrap_or_else(|| json(StatusCode::BAD_GATEWAY, "{}")),
        }
    }

    async fn forward(&self, method: Method, target: &str, body: Bytes) -> Option<Response> {
        let ask = Request {
            method,
            url: self.real.join(target).ok()?,
            headers: vec![("content-type".into(), "application/json".into())],
            body: (!body.is_empty()).then(|| body.to_vec()),
        };
        let answer = self.http.send(ask).await.ok()?;
        let kind = answer.headers.get(CONTENT_TYPE).cloned();
        Some((answer.status, kind.map(|kind| [(CONTENT_TYPE, kind)]), answer.body).into_response())
    }
}

/// Returns an endless body that is sent at a fixed pace.
fn drip() -> Body {
    let mut pace = tokio::time::interval(DRIP_PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    Body::from_stream(stream::unfold(pace, async |mut pace| {
        pace.tick().await;
        Some((Ok::<_, std::io::Error>(Bytes::from_static(b" ")), pace))
    }))
}

/// Returns a body of white space in pieces, counted as they are taken, followed by `body`.
fn flood(bytes: usize, body: String, counted: Arc<AtomicUsize>) -> Body {
    Body::from_stream(stream::unfold((bytes, Some(body)), move |(left, body)| {
        let counted = Arc::clone(&counted);
        async move {
            if left == 0 {
                let body = Bytes::from(body?);
                return Some((Ok::<_, std::io::Error>(body), (0, None)));
            }
            let piece = left.min(PIECE);
            counted.fetch_add(piece, Ordering::Relaxed);
            Some((Ok(Bytes::from(vec![b' '; piece])), (left - piece, body)))
        }
    }))
}
