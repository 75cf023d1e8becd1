//! A proxy of the wrapper: it listens on this machine, and sends requests on to the address the server was given.
use std::future::Future;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::Response;
use futures::stream;
use reqwest::redirect;
use tokio::net::TcpListener;
use url::Url;

use super::WrapperError;

/// Largest request that is sent on, in bytes.
const LARGEST_REQUEST: usize = 64 * 1024 * 1024;
/// Headers that belong to one connection, not to the message.
const OF_CONNECTION: [HeaderName; 5] =
    [header::CONNECTION, header::CONTENT_LENGTH, header::HOST, header::TRANSFER_ENCODING, header::UPGRADE];

/// Where requests are sent on to.
#[derive(Clone, Debug)]
pub(super) struct Upstream {
    client: reqwest::Client,
    url: Url,
}

/// An exchange with it came to nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct BrokenOff;

impl Upstream {
    pub(super) fn new(url: Url) -> Result<Self, WrapperError> {
        let client = slipway_contracts::http_client(&url).redirect(redirect::Policy::none()).build();
        let client = client.map_err(|error| WrapperError::Proxy { reason: error.to_string() })?;
        Ok(Self { client, url })
    }

    pub(super) async fn send(&self, request: Request) -> Result<reqwest::Response, BrokenOff> {
        let (parts, body) = request.into_parts();
        let mut url = self.url.clone();
        url.set_path(parts.uri.path());
        url.set_query(parts.uri.query());
        let body = to_bytes(body, LARGEST_REQUEST).await.map_err(|_| BrokenOff)?;
        let request = self.client.request(parts.method, url).headers(of_message(&parts.headers)).body(body);
        request.send().await.map_err(|_| BrokenOff)
    }

    /// Posts a JSON text to its address.
    pub(super) async fn post(
        &self,
        headers: &HeaderMap,
        body: String,
    ) -> Result<reqwest::Response, BrokenOff> {
        let mut headers = of_message(headers);
        headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
        self.client.post(self.url.clone()).headers(headers).body(body).send().await.map_err(|_| BrokenOff)
    }
}

fn of_message(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    for name in OF_CONNECTION {
        headers.remove(name);
    }
    headers
}

/// A response with the status and headers of another, and a body of its own.
pub(super) fn with_body(status: StatusCode, headers: &HeaderMap, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = of_message(headers);
    response
}

/// The body of a response as it comes.
pub(super) fn passed(response: reqwest::Response) -> Body {
    Body::new(axum::http::Response::from(response).into_body())
}

/// A response that is promised and breaks off before its first byte.
fn broken_off() -> Response {
    let broken = std::future::ready(Err::<Bytes, _>(std::io::Error::other("broken off")));
    Response::new(Body::from_stream(stream::once(broken)))
}

/// Serves on a free port before an address, until the process ends; answers the address there.
pub(super) async fn listen<F>(
    url: &Url,
    serve: impl Fn(Request) -> F + Clone + Send + Sync + 'static,
) -> Result<Url, WrapperError>
where
    F: Future<Output = Result<Response, BrokenOff>> + Send,
{
    let failed = |error: std::io::Error| WrapperError::Proxy { reason: error.to_string() };
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
    let proxy = listener.local_addr().map_err(failed)?;
    let answer = async move |request: Request| serve(request).await.unwrap_or_else(|_| broken_off());
    let router = Router::new().fallback(answer);
    tokio::spawn(async move {
        // Serving has no end of its own.
        drop(axum::serve(listener, router).await);
    });
    let mut local = url.clone();
    // An http address with a host takes another one.
    let _ = local
        .set_scheme("http")
        .and_then(|()| local.set_ip_host(proxy.ip()))
        .and_then(|()| local.set_port(Some(proxy.port())));
    Ok(local)
}
