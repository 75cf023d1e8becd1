//! A minimal HTTP server: every request goes to one handler.
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::DefaultBodyLimit;
use axum::handler::Handler;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use url::Url;

use crate::model::verdict::Inconclusive;

/// Largest request body that is read.
const LARGEST_BODY: usize = 32 * 1024 * 1024;

/// A running server; dropping it ends it.
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
pub(super) async fn listen<T: 'static>(answer: impl Handler<T, ()>) -> Result<Listening, Inconclusive> {
    let failed =
        |error: std::io::Error| Inconclusive::Harness { reason: format!("no server of our own: {error}") };
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let router = Router::new().fallback(answer).layer(DefaultBodyLimit::max(LARGEST_BODY));
    let task = tokio::spawn(async move {
        // Serving ends only when the task is aborted.
        let _ = axum::serve(listener, router).await;
    });
    let origin = Url::parse(&format!("http://{address}/")).expect("an address with a port is an origin");
    Ok(Listening { origin, task })
}

/// Returns an answer that breaks off before the first byte of its body.
pub(super) fn broken_off() -> Response {
    let parts = futures::stream::once(async { Err::<Bytes, _>(std::io::Error::other("broken off")) });
    json(StatusCode::OK, Body::from_stream(parts))
}

/// Returns a JSON answer with any body.
pub(super) fn json(status: StatusCode, body: impl Into<Body>) -> Response {
    (status, [(CONTENT_TYPE, "application/json")], body.into()).into_response()
}
