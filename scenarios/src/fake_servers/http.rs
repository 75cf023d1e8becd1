//! The smallest HTTP server that a host needs: every request goes to one function.
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::check::Inconclusive;
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::response::Response;
use reqwest::Method;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use url::Url;

/// Largest request body that is read.
const LARGEST_BODY: usize = 32 * 1024 * 1024;

/// A request as it came.
#[derive(Clone, Debug)]
pub(super) struct Incoming {
    pub(super) method: Method,
    pub(super) target: String,
    pub(super) body: Bytes,
}

/// The answer to one request.
pub(super) type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A running server; it ends with this.
#[derive(Debug)]
pub(super) struct Listening {
    pub(super) origin: Url,
    task: JoinHandle<()>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves on a free port.
pub(super) async fn listen(
    answer: impl Fn(Incoming) -> Answering + Send + Sync + 'static,
) -> Result<Listening, Inconclusive> {
    let failed =
        |error: std::io::Error| Inconclusive::Harness { reason: format!("no server of our own: {error}") };
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let answer = Arc::new(answer);
    let router = Router::new().fallback(move |request: Request| {
        let answer = Arc::clone(&answer);
        async move { answer(incoming(request).await).await }
    });
    let task = tokio::spawn(async move {
        // Serving ends only when the task is aborted.
        let _ = axum::serve(listener, router).await;
    });
    let origin = Url::parse(&format!("http://{address}/")).expect("an address with a port is an origin");
    Ok(Listening { origin, task })
}

async fn incoming(request: Request) -> Incoming {
    let (parts, body) = request.into_parts();
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    Incoming {
        method: parts.method,
        target: target.to_owned(),
        body: to_bytes(body, LARGEST_BODY).await.unwrap_or_default(),
    }
}

/// An answer that is promised and breaks off before its first byte.
pub(super) fn broken_off() -> Response {
    let parts = futures::stream::once(async { Err::<Bytes, _>(std::io::Error::other("broken off")) });
    streamed(Body::from_stream(parts))
}

/// A JSON answer whose body comes as it may.
pub(super) fn streamed(body: Body) -> Response {
    let mut response = Response::new(body);
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/json"));
    response
}

/// An answer of a status and a JSON text.
pub(super) fn json(status: u16, body: String) -> Response {
    Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .body(Body::from(body))
        .expect("a status and a body make an answer")
}
