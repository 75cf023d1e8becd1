//! The control plane under `/_sim`: everything reserved to an operator of the platform, and its page, the console at `/`. It refuses
//! requests from other web pages; its refusals have the same body as the services' refusals. `docs/reference/control.md` describes every
//! call.
mod actions;
mod console;
mod described;
mod faults;
mod records;
mod switches;
mod time;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{FromRef, FromRequest, Request, State};
use axum::http::Method;
use axum::http::header::{self, HeaderValue};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post, put};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use console::Console;
pub(crate) use console::PublicPages;
use serde_json::{Map, Value};

use super::body;
use super::elsewhere::Elsewhere;
use super::guard::Guard;
use super::http::{Cause, layers};
use super::input::{self, Declared};
use super::kept::{Answer, Passing};
use super::openapi::{self, Path, Service};
use crate::api::Api;
use crate::api::proof::is_secret;
use crate::api::record::{Entry, RequestId};
use crate::api::refusal::Refusal;

/// Largest body that is read, in bytes.
const BODY_LIMIT: usize = 16 * 1024;

const SERVICE: Service = Service {
    title: "Control plane",
    description: "Time, checkpoints, credentials, switches, faults and the journal of a platform on this machine.",
    limited: false,
    cross_origin: false,
    security: || serde_json::json!({}),
};

/// The OpenAPI document of the control plane at an address.
#[must_use]
pub fn document(server: &str) -> Value {
    let mut document = openapi::document(&SERVICE, server, &paths(server));
    // Only the control plane returns refusals by contracts.
    document["components"]["schemas"]["Refusal"]["properties"]["revert"] = described::contract_error();
    document
}

#[derive(Clone, Debug)]
struct ControlState {
    api: Arc<Api>,
    /// The ready line.
    line: Arc<Value>,
}

impl FromRef<ControlState> for Arc<Api> {
    fn from_ref(control: &ControlState) -> Self {
        Self::clone(&control.api)
    }
}

fn paths(server: &str) -> Vec<Path<ControlState>> {
    let path = |path, methods, operations| Path { path, methods, operations };
    let faults_methods = get(faults::one).put(faults::set).delete(faults::withdraw);
    let disabled = put(switches::disable).delete(switches::enable);
    let paused = put(switches::pause).delete(switches::resume);
    vec![
        path("/_sim/ready", get(time::ready), vec![described::ready]),
        path("/_sim/platform", get(time::platform), vec![described::platform]),
        path("/_sim/conventions", get(switches::conventions), vec![described::conventions]),
        path("/_sim/clock", get(time::read), vec![described::clock]),
        path("/_sim/clock/advance", post(time::advance), vec![described::advance]),
        path("/_sim/clock/set", post(time::set), vec![described::set_clock]),
        path(
            "/_sim/checkpoints",
            get(time::checkpoints).post(time::checkpoint),
            vec![described::checkpoints, described::checkpoint],
        ),
        path("/_sim/checkpoints/{id}", delete(time::discard), vec![described::discard]),
        path("/_sim/checkpoints/{id}/revert", post(time::revert), vec![described::revert]),
        path("/_sim/export", post(time::export), vec![described::export]),
        path("/_sim/indexed", get(time::indexed), vec![described::indexed]),
        path("/_sim/accounts", get(actions::accounts), vec![described::accounts]),
        path("/_sim/launches", post(actions::launch), vec![described::launch]),
        path("/_sim/trades", post(actions::trade), vec![described::trade]),
        path("/_sim/tokens/{address}/graduate", post(actions::graduate), vec![described::graduate]),
        path("/_sim/faucet", post(actions::faucet), vec![described::faucet]),
        path("/_sim/bearers", post(switches::bearer), vec![described::bearer]),
        path("/_sim/captchas", post(switches::captcha), vec![described::captcha]),
        path("/_sim/captcha-auths", post(switches::captcha_auth), vec![described::captcha_auth]),
        path("/_sim/tokens/{address}/disabled", disabled, vec![described::disable, described::enable]),
        path("/_sim/creation-paused", paused, vec![described::pause, described::resume]),
        path("/_sim/journal", get(records::journal), vec![described::journal]),
        path("/_sim/transactions/{hash}", get(records::transaction), vec![described::transaction]),
        path("/_sim/faults", get(faults::all), vec![described::all_faults]),
        path(
            "/_sim/faults/{name}",
            faults_methods,
            vec![described::one_fault, described::set_fault, described::remove_fault],
        ),
        openapi::document_path(document, server),
    ]
}

/// Builds the control plane of a platform. If there is a token, callers must send it: a program as a bearer token, a browser as the
/// password that the user enters. `line` is the ready line.
pub(crate) fn router(
    api: &Arc<Api>,
    line: Value,
    pages: PublicPages,
    token: Option<&str>,
    elsewhere: Elsewhere,
) -> Router {
    let page_token: Arc<str> = console::token().into();
    let console = Console::new(api, Arc::clone(&page_token), token.is_some(), &line, pages);
    let control = ControlState { api: Arc::clone(api), line: Arc::new(line) };
    let paths = openapi::routed(paths("/")).with_state(control);
    let recorder = middleware::from_fn_with_state(Arc::clone(api), recorded);
    let mut paths = paths.layer(recorder).merge(console::paths(console));
    if let Some(token) = token {
        paths = paths.layer(middleware::from_fn_with_state(Arc::<str>::from(token), authorized));
    }
    let guard = Guard { page_token, is_loopback_only: token.is_none() };
    layers(paths, Arc::clone(api), "control", Some(guard), Some(console::refused), elsewhere)
}

/// Records completed orders.
async fn recorded(State(api): State<Arc<Api>>, request: Request, next: Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let (method, target) = (request.method().to_string(), request.uri().path().to_owned());
    let begun = Instant::now();
    let (request, passing) = Passing::of(request);
    let (response, answer) = Answer::of(passing.collect(next.run(request)).await).await;
    let entry = Entry {
        number: 0,
        at: api.now(),
        service: "control",
        method: Cow::Owned(method),
        target,
        status: response.status().as_u16(),
        cause: response.extensions().get::<Cause>().map(|cause| cause.0),
        request_id: RequestId::Issued { service: "control", number: api.recorded().orders + 1 },
        microseconds: u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX),
        is_page: false,
    };
    api.record_order(entry, |entry| passing.ended(entry, &response, answer));
    response
}

/// Accepts only requests with the token. Which paths exist is no secret: the documentation lists them all.
async fn authorized(State(token): State<Arc<str>>, request: Request, next: Next) -> Response {
    let shown = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if shown.and_then(shown_token).is_some_and(|shown| is_secret(&shown, &token)) {
        return next.run(request).await;
    }
    let refusal = Refusal::unauthenticated(
        "control-token",
        "the control plane demands its token: Authorization: Bearer <token>",
    );
    let mut response = refusal.into_response();
    for scheme in ["Bearer", "Basic realm=\"slipway: the control token is the password\""] {
        response.headers_mut().append(header::WWW_AUTHENTICATE, HeaderValue::from_static(scheme));
    }
    response
}

/// The token of an `Authorization` header: a bearer token, or the password with any user name.
pub(crate) fn shown_token(authorization: &str) -> Option<String> {
    let (scheme, credential) = authorization.split_once(' ')?;
    // RFC 9110, section 11.1: a scheme is a case-insensitive token.
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(credential.to_owned());
    }
    let is_basic = scheme.eq_ignore_ascii_case("basic");
    let decoded = BASE64_STANDARD.decode(credential).ok().filter(|_| is_basic)?;
    let pair = String::from_utf8(decoded).ok()?;
    pair.split_once(':').map(|(_, password)| password.to_owned())
}

/// A body with exactly the fields of a structure; an empty body counts as an empty object, and the media type is ignored.
struct Order<T>(T);

impl<S: Send + Sync, T: Declared> FromRequest<S> for Order<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &S) -> Result<Self, Refusal> {
        let bytes = body::read_bounded(request.into_body(), BODY_LIMIT).await?;
        let members = if bytes.is_empty() { Map::new() } else { body::object(&bytes)? };
        input::strict("", members).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::shown_token;

    #[test]
    fn programs_and_browsers_show_the_control_token() {
        assert_eq!(shown_token("Bearer a:b").as_deref(), Some("a:b"));
        // Any user name, password "of:it".
        assert_eq!(shown_token("Basic bWU6b2Y6aXQ=").as_deref(), Some("of:it"));
        assert_eq!(shown_token("bearer a").as_deref(), Some("a"));
        assert_eq!(shown_token("BASIC bWU6b2Y6aXQ=").as_deref(), Some("of:it"));
        for other in ["", "Bearer", "Wallet a", "Basic", "Basic ?", "Basic bWU=", "of:it"] {
            assert_eq!(shown_token(other), None, "{other}");
        }
    }
}
