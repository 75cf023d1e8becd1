//! The common parts of every HTTP service: response bodies, refusals, request ids, CORS, the journal, and panic recovery. It has
//! no endpoint.
use std::borrow::Cow;
use std::fmt::Write;
use std::future::ready;
use std::io;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, FromRequestParts, Path, Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode, Version};
use axum::middleware::{self, Next, map_request};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use bytes::{Bytes, BytesMut};
use futures::{FutureExt, stream};
use tokio::sync::watch;
use tower_http::compression::CompressionLayer;

use super::elsewhere::Elsewhere;
use super::guard::{FOREIGN_PAGE, Guard, names_host, permit_private_network};
use super::kept::{Answer, Passing};
use super::refusal::refused;
use crate::api::Api;
use crate::api::faults::Effect;
use crate::api::limits::RateLimitStatus;
use crate::api::record::{Entry, RequestId};
use crate::api::refusal::{Reason, Refusal, STORE_OUT_OF_REACH};

/// Longest accepted request target (path and query), in bytes.
pub(crate) const TARGET_LIMIT: usize = 16 * 1024;

/// Maximum length of a request target that the journal keeps whole, in bytes: it keeps ten thousand of them.
const JOURNALED: usize = 2 * 1024;

/// Bytes of most short answers: those of quotes, counts and refusals.
const USUAL_ANSWER: usize = 1024;

/// Header for the id of a request; a caller's id is kept if it is well formed.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Response headers that a browser script may read in addition to the safelisted ones.
const EXPOSED: &str = "x-request-id, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after, \
                       x-service-image-storage";

/// Cause id of a refusal, as a response extension: for the journal, never sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cause(pub &'static str);

/// Marks a page, or a resource that a page loads, as a response extension: for the journal, never sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfPages;

/// The result of a handler.
pub(crate) type Served = Result<Response, Refusal>;

/// An answer with a JSON body: every operation has one type for its answer, whatever the request.
///
/// Clause: SVC-JSON
/// Clause: SVC-FORM, SVC-CHOSEN
pub(crate) fn json<T: serde::Serialize + ?Sized>(body: &T) -> Response {
    let mut bytes = Vec::with_capacity(USUAL_ANSWER);
    match serde_json::to_writer(&mut bytes, body) {
        Ok(()) => json_bytes(StatusCode::OK, bytes),
        Err(error) => {
            tracing::error!(%error, "an answer could not be written as JSON");
            Refusal::internal("serialize", "internal error").into_response()
        }
    }
}

/// An answer whose body is already JSON.
pub(crate) fn json_bytes(status: StatusCode, bytes: impl Into<Body>) -> Response {
    let mut response = Response::new(bytes.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Writes the `X-RateLimit-*` headers.
pub(crate) fn insert_rate_limit_headers(headers: &mut HeaderMap, status: RateLimitStatus) {
    let RateLimitStatus { limit, remaining, reset } = status;
    headers.insert("x-ratelimit-limit", HeaderValue::from(limit));
    headers.insert("x-ratelimit-remaining", HeaderValue::from(remaining));
    headers.insert("x-ratelimit-reset", HeaderValue::from(reset));
}

/// The `Allow` header of a path that only reads.
pub(crate) const GET: &str = "GET, HEAD, OPTIONS";

/// Completes the methods of one path: OPTIONS returns 204 and any other method 405, both with `allow`.
///
/// `allow` is the full list for the header, OPTIONS included.
///
/// Clause: SVC-METHOD
pub(crate) fn endpoint<S: Clone + Send + Sync + 'static>(
    methods: MethodRouter<S>,
    allow: &str,
) -> MethodRouter<S> {
    let allow = HeaderValue::try_from(allow).expect("methods are visible ASCII");
    let options = allow.clone();
    methods.options(async move || (StatusCode::NO_CONTENT, [(header::ALLOW, options.clone())])).fallback(
        async move || {
            let refusal = Refusal::new(Reason::WrongMethod, "method", "this path does not take that method");
            ([(header::ALLOW, allow.clone())], refusal.into_response())
        },
    )
}

/// The only parameter of a path, decoded; a NUL in it is refused, as is anything that is not percent-encoded UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathParameter(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathParameter {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let part = Path::<String>::from_request_parts(parts, state).await;
        part.ok().map(|Path(part)| part).filter(|part| !part.contains('\0')).map(Self).ok_or_else(|| {
            Refusal::bad_input(
                "path-encoding",
                "the path is not percent-encoded UTF-8 without a NUL character",
            )
        })
    }
}

/// Becomes true when the platform shuts down, as a request extension: it ends responses that otherwise never end.
#[derive(Clone, Debug)]
pub(crate) struct Shutdown(pub watch::Receiver<bool>);

/// The layers around every service: request id, CORS, faults, panic recovery and journal.
#[derive(Clone, Debug)]
struct ServiceLayers {
    api: Arc<Api>,
    service: &'static str,
    /// `None` for the public services, which pages of any origin may call, and whose requests are journaled.
    guard: Option<Guard>,
    /// `None` if the service has no pages.
    page: Option<RefusalPage>,
    issued: Arc<AtomicU64>,
}

/// Wraps a service: unknown paths become 404, every answer has a request id and CORS headers, and a panic becomes a
/// 500 with the error body. Pages of any origin may call services without a guard, and their requests are journaled.
pub(crate) fn layers(
    router: Router,
    api: Arc<Api>,
    service: &'static str,
    guard: Option<Guard>,
    page: Option<RefusalPage>,
    elsewhere: Elsewhere,
) -> Router {
    // Each process of a platform has its own range of request ids, so that an id never finds the entry of another request.
    let issued = Arc::new(AtomicU64::new(api.process() << 32));
    let layers = ServiceLayers { api, service, guard, page, issued };
    router
        .fallback(async move |request: Request| {
            // RFC 9110, section 9.3.7: an asterisk asks about "the server in general", and is useful "as a "ping"".
            if request.method() == Method::OPTIONS && request.uri().path() == "*" {
                return StatusCode::NO_CONTENT.into_response();
            }
            let told = elsewhere.told(service, request.uri().path());
            shown(Refusal::not_found("path", told), page, request.method(), request.headers())
        })
        .layer(middleware::from_fn_with_state(layers, apply_layers))
}

/// Compresses answers for callers that accept gzip; the outermost layer of a service. All other callers get an uncompressed answer, even
/// those that accept neither: a request that was carried out must not end in a refusal.
pub(crate) fn with_compression(router: Router) -> Router {
    router.layer(CompressionLayer::new()).layer(map_request(async |mut request: Request| {
        let accepts = accepts_gzip(request.headers());
        request.headers_mut().remove(header::ACCEPT_ENCODING);
        if accepts {
            request.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        }
        request
    }))
}

/// Whether a caller prefers gzip to no compression, or accepts nothing else (RFC 9110, section 12.5.3).
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut weights = [None; 3];
    for coding in values.flat_map(|value| value.split(',')) {
        let (name, parameters) = coding.split_once(';').unwrap_or((coding, ""));
        let known =
            ["gzip", "identity", "*"].iter().position(|known| known.eq_ignore_ascii_case(name.trim()));
        let known = known.or(name.trim().eq_ignore_ascii_case("x-gzip").then_some(0));
        if let Some(known) = known {
            weights[known] = Some(weight(parameters));
        }
    }
    let [gzip, identity, any] = weights;
    let gzip = gzip.or(any).unwrap_or_default();
    gzip > 0 && gzip >= identity.unwrap_or_default()
}

/// A weight in thousandths; 0 if malformed.
fn weight(parameters: &str) -> u16 {
    let Some((name, value)) = parameters.split_once('=') else { return 1000 };
    let (whole, fraction) = value.trim().split_once('.').unwrap_or((value.trim(), ""));
    let is_weight =
        name.trim().eq_ignore_ascii_case("q") && matches!(whole, "0" | "1") && fraction.len() <= 3;
    let thousandths = format!("{whole}{fraction:0<3}").parse::<u16>().ok();
    thousandths.filter(|weight| is_weight && *weight <= 1000).unwrap_or_default()
}

async fn apply_layers(State(layers): State<ServiceLayers>, request: Request, next: Next) -> Response {
    let context = layers.context(&request);
    let fault = layers.fault(&request);
    if let Some(Effect::DelayMilliseconds(milliseconds)) = fault {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    }
    let (request, passing) = Passing::of(request);
    let mut response = match (layers.reject(&request), fault) {
        (Some(refusal), _) if layers.is_public() => refusal.into_response(),
        (Some(refusal), _) => shown(refusal, layers.page, request.method(), request.headers()),
        (None, Some(Effect::Status(status))) => {
            refused(&Refusal::internal("fault", "an ordered fault"), status)
        }
        (None, _) => {
            let answer = passing.collect(AssertUnwindSafe(next.run(request)).catch_unwind()).await;
            answer.unwrap_or_else(|_| {
                tracing::error!(service = layers.service, "a handler panicked");
                Refusal::internal("panic", "internal error").into_response()
            })
        }
    };
    if fault == Some(Effect::Cut(true)) {
        *response.body_mut() =
            Body::from_stream(stream::once(ready(Err::<Bytes, _>(io::Error::other("cut")))));
    }
    let (response, answer) = Answer::of(response).await;
    layers.finish(context, response, passing, answer)
}

/// Renders a refusal for a browser.
pub(crate) type RefusalPage = fn(&Refusal) -> Response;

/// Shows a refusal that comes from no endpoint: as a page to a browser if the service has pages, as JSON otherwise.
fn shown(refusal: Refusal, page: Option<RefusalPage>, method: &Method, headers: &HeaderMap) -> Response {
    match page {
        Some(page) if is_for_browser(method, headers) => page(&refusal),
        _ => refusal.into_response(),
    }
}

/// Whether a browser requests a page to show: it names HTML first.
fn is_for_browser(method: &Method, headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|accepted| accepted.to_str().ok());
    matches!(*method, Method::GET | Method::HEAD)
        && accepted.is_some_and(|accepted| accepted.trim_start().starts_with("text/html"))
}

/// The data of a request that its response needs.
struct RequestContext {
    id: RequestId,
    method: Method,
    target: Option<String>,
    preflight: Option<HeaderMap>,
    begun: Instant,
}

impl ServiceLayers {
    fn is_public(&self) -> bool {
        self.guard.is_none()
    }

    fn context(&self, request: &Request) -> RequestContext {
        RequestContext {
            id: self.request_id(request.headers()),
            method: request.method().clone(),
            target: self.is_public().then(|| target(request)),
            preflight: preflight(request),
            begun: Instant::now(),
        }
    }

    fn finish(
        &self,
        context: RequestContext,
        mut response: Response,
        passing: Passing,
        answer: Answer,
    ) -> Response {
        let RequestContext { id, method, target, preflight, begun } = context;
        if self.is_public() {
            allow_origins(response.headers_mut(), preflight);
        } else if response.extensions().get() == Some(&Cause(FOREIGN_PAGE)) {
            // The page may read why it is refused, and nothing else.
            response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        }
        response.headers_mut().insert(REQUEST_ID, id_header(&id));
        response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if let Some(target) = target {
            let entry = self.entry(&method, target, id, begun, &response);
            self.api.record_request(entry, |entry| passing.ended(entry, &response, answer));
        }
        response
    }

    /// The configured fault for this call.
    fn fault(&self, request: &Request) -> Option<Effect> {
        let (method, path) = (request.method().as_str(), request.uri().path());
        self.is_public().then(|| self.api.meet_fault(self.service, method, path)).flatten()
    }

    fn request_id(&self, headers: &HeaderMap) -> RequestId {
        let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(|text| {
            (1..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
        });
        match given {
            Some(text) => RequestId::Given(text.into()),
            None => RequestId::Issued {
                service: self.service,
                number: self.issued.fetch_add(1, Ordering::Relaxed) + 1,
            },
        }
    }

    fn reject(&self, request: &Request) -> Option<Refusal> {
        if !names_one_host(request) {
            let message = "a request names its host in one Host header";
            return Some(Refusal::bad_input("host", message));
        }
        if let Some(refusal) = self.guard.as_ref().and_then(|guard| guard.refusal(request.headers())) {
            return Some(refusal);
        }
        if self.is_public() && !self.api.is_current() {
            return Some(Refusal::unavailable("store-out-of-reach", STORE_OUT_OF_REACH));
        }
        let length = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
        (length > TARGET_LIMIT).then(|| {
            Refusal::new(
                Reason::TargetTooLong,
                "url-length",
                format!("the request target is longer than {TARGET_LIMIT} bytes"),
            )
        })
    }

    fn entry(
        &self,
        method: &Method,
        target: String,
        request_id: RequestId,
        begun: Instant,
        response: &Response,
    ) -> Entry {
        Entry {
            number: 0,
            at: self.api.now(),
            service: self.service,
            method: if method == Method::GET { Cow::Borrowed("GET") } else { Cow::Owned(method.to_string()) },
            target,
            status: response.status().as_u16(),
            cause: response.extensions().get::<Cause>().map(|cause| cause.0),
            request_id,
            microseconds: u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX),
            is_page: response.extensions().get::<OfPages>().is_some(),
        }
    }
}

/// Whether a request has the `Host` that its version of HTTP requires. RFC 9112, section 3.2: "A server MUST respond with a 400 (Bad
/// Request) status code to any HTTP/1.1 request message that lacks a Host header field and to any request message that contains more than
/// one Host header field line or a Host header field with an invalid field value."
fn names_one_host(request: &Request) -> bool {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        // A request without a connection is not an HTTP message.
        (None, _) => {
            let is_message = request.extensions().get::<ConnectInfo<SocketAddr>>().is_some();
            !is_message || request.version() != Version::HTTP_11
        }
        (Some(host), None) => host.is_empty() || names_host(host),
        _ => false,
    }
}

fn id_header(id: &RequestId) -> HeaderValue {
    let mut text = BytesMut::with_capacity(32);
    write!(text, "{id}").expect("memory takes every text");
    HeaderValue::from_maybe_shared(text.freeze()).expect("ids are visible ASCII")
}

fn target(request: &Request) -> String {
    let mut target = request.uri().path_and_query().map_or("/", |target| target.as_str()).to_owned();
    target.truncate(target.floor_char_boundary(JOURNALED));
    target
}

/// The headers of a preflight, if the request is one.
fn preflight(request: &Request) -> Option<HeaderMap> {
    let headers = request.headers();
    (request.method() == Method::OPTIONS && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD))
        .then(|| headers.clone())
}

/// Clause: SVC-CORS
fn allow_origins(headers: &mut HeaderMap, preflight: Option<HeaderMap>) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    let Some(asked) = preflight else {
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
        return;
    };
    if let Some(allow) = headers.get(header::ALLOW).cloned() {
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, allow);
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    }
    permit_private_network(&asked, headers);
    if let Some(requested) = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned() {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, requested);
        headers.insert(header::VARY, HeaderValue::from_static("access-control-request-headers"));
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};

    /// RFC 9110, section 12.5.3: a coding is acceptable unless its weight is 0; no coding at all is acceptable unless `identity`, or `*`
    /// without `identity`, has weight 0.
    #[test]
    fn gzip_is_chosen_where_it_is_accepted_and_nothing_is_refused() {
        for (value, expected) in [
            ("gzip", true),
            ("GZIP;Q=0.5", true),
            ("x-gzip", true),
            ("*", true),
            ("br, *;q=0.1", true),
            ("identity;q=0, gzip", true),
            ("gzip;q=0.5, identity;q=0.4", true),
            ("gzip;q=0.001", true),
            ("gzip;q=0.5, identity", false),
            ("gzip;q=0", false),
            ("gzip;q=0, *", false),
            ("identity;q=0", false),
            ("*;q=0", false),
            ("deflate, identity;q=0", false),
            ("br", false),
            ("gzip;q=2", false),
            ("gzip;x=1", false),
            ("", false),
        ] {
            let headers = [(header::ACCEPT_ENCODING, HeaderValue::from_static(value))];
            assert_eq!(super::accepts_gzip(&headers.into_iter().collect()), expected, "{value}");
        }
        assert!(!super::accepts_gzip(&HeaderMap::new()));
    }
}
