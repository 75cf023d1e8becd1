//! A REST service between a tool server and a real one: it records every request and answers some of them itself.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures::stream;
use tokio::time::MissedTickBehavior;
use url::Url;

use super::http::{Incoming, Listening, json, listen, streamed};
use crate::check::Inconclusive;
use crate::client::http::{Http, Request};
use crate::lock;

/// Time between two bytes of a drip.
const DRIP_PACE: Duration = Duration::from_millis(10);
/// Size of one piece of a flood, in bytes.
const PIECE: usize = 64 * 1024;

/// The service; it ends with this.
#[derive(Debug)]
pub(crate) struct FakeService {
    listening: Listening,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    http: Http,
    real: Url,
    reported: Mutex<BTreeMap<String, Telling>>,
    targets: Mutex<Vec<String>>,
    flooded: Arc<AtomicUsize>,
}

/// How a path is answered.
#[derive(Clone, Debug)]
enum Telling {
    /// With a status and a body.
    Body(u16, String),
    /// With a byte now and then, without an end.
    Drip,
    /// With that many bytes before the body begins.
    Flood(usize, String),
}

impl FakeService {
    /// An honest one before a real service.
    pub(crate) async fn start(http: Http, real: Url) -> Result<Self, Inconclusive> {
        let shared = Arc::new(Shared {
            http,
            real,
            reported: Mutex::default(),
            targets: Mutex::default(),
            flooded: Arc::default(),
        });
        let answering = Arc::clone(&shared);
        let listening = listen(move |request| {
            let shared = Arc::clone(&answering);
            Box::pin(async move { shared.answer(request).await })
        })
        .await?;
        Ok(Self { listening, shared })
    }

    /// Its origin, without a slash at the end.
    pub(crate) fn origin(&self) -> String {
        self.listening.origin.as_str().trim_end_matches('/').to_owned()
    }

    /// Answers a path with this status and body from now on.
    pub(crate) fn tell(&self, path: &str, status: u16, body: String) {
        self.answer_by(path, Telling::Body(status, body));
    }

    /// Answers a path with white space, byte by byte and without an end, from now on.
    pub(crate) fn drip(&self, path: &str) {
        self.answer_by(path, Telling::Drip);
    }

    /// Answers a path with this JSON behind so many bytes of white space from now on.
    pub(crate) fn flood(&self, path: &str, bytes: usize, body: String) {
        self.answer_by(path, Telling::Flood(bytes, body));
    }

    /// Bytes of floods that were taken, as far as a server can know.
    pub(crate) fn flooded(&self) -> usize {
        self.shared.flooded.load(Ordering::Relaxed)
    }

    fn answer_by(&self, path: &str, telling: Telling) {
        let mut reported = lock(&self.shared.reported);
        reported.insert(path.to_owned(), telling);
    }

    /// Paths and queries that were asked for, in order.
    pub(crate) fn targets(&self) -> Vec<String> {
        let targets = lock(&self.shared.targets);
        targets.clone()
    }
}

impl Shared {
    async fn answer(&self, request: Incoming) -> Response {
        let path = request.target.split('?').next().unwrap_or_default().to_owned();
        let reported = {
            let mut targets = lock(&self.targets);
            targets.push(request.target.clone());
            let reported = lock(&self.reported);
            reported.get(&path).cloned()
        };
        match reported {
            Some(Telling::Body(status, body)) => json(status, body),
            Some(Telling::Drip) => streamed(drip()),
            Some(Telling::Flood(bytes, body)) => streamed(flood(bytes, body, Arc::clone(&self.flooded))),
            None => self.forward(request).await,
        }
    }

    async fn forward(&self, request: Incoming) -> Response {
        let Ok(url) = self.real.join(&request.target) else {
            return json(502, "{}".into());
        };
        let ask = Request {
            method: request.method,
            url,
            headers: vec![("content-type".into(), "application/json".into())],
            body: (!request.body.is_empty()).then(|| request.body.to_vec()),
        };
        match self.http.send(ask).await {
            Ok(answer) => Response::builder()
                .status(answer.status)
                .header("content-type", answer.header("content-type").unwrap_or_default())
                .body(Body::from(answer.body))
                .unwrap_or_default(),
            Err(_) => json(502, "{}".into()),
        }
    }
}

/// Bytes at a pace, until the other side leaves.
fn drip() -> Body {
    let mut pace = tokio::time::interval(DRIP_PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    Body::from_stream(stream::unfold(pace, async |mut pace| {
        pace.tick().await;
        Some((Ok::<_, std::io::Error>(Bytes::from_static(b" ")), pace))
    }))
}

/// White space in pieces, counted as they are taken, and the body at last.
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
