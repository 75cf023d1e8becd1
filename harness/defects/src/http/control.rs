//! `/_sim/defects`: which defects are on, and switches for those that can change while the platform runs; also served as a panel of the
//! console.
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::header::{ALLOW, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};
use url::{Host, Url};

use super::body::{ProxyBody, boxed};
use super::server::json_response;
use super::switch::Switch;
use crate::{Defect, catalogue};

const ALL: &str = "/_sim/defects";
/// Additional panels that the console shows.
const PANELS: &str = "/_sim/panels";
const READ: &str = "GET, HEAD, OPTIONS";
const SWITCH: &str = "GET, HEAD, PUT, DELETE, OPTIONS";

/// The response to a request about defects; `None` for any other request.
pub(in crate::http) async fn answer(
    switch: &Switch,
    request: &Request<Incoming>,
) -> Option<Response<ProxyBody>> {
    let path = request.uri().path();
    let is_panel = path == PANELS;
    let rest = if is_panel { "" } else { path.strip_prefix(ALL)? };
    // Scripts of other origins are refused, as on the rest of the control plane.
    if !comes_from_here(request.headers()) {
        let message = "the control plane takes no requests from web pages of other origins";
        return Some(refusal(StatusCode::FORBIDDEN, message));
    }
    if is_panel {
        return Some(answer_panel(switch, request.method()));
    }
    let id = match rest.strip_prefix('/') {
        Some(id) => Some(id),
        None if rest.is_empty() => None,
        None => return None,
    };
    Some(match id {
        None => answer_all(switch, request.method()),
        Some(id) => match catalogue().iter().find(|defect| defect.id == id) {
            Some(defect) => answer_one(switch, defect, request.method()).await,
            None => refusal(StatusCode::NOT_FOUND, "no defect has this id"),
        },
    })
}

/// Whether a request was sent to a loopback address or `localhost`, and not by a page of another origin.
fn comes_from_here(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let Some(host) = text(HOST) else {
        return !headers.contains_key(ORIGIN);
    };
    let is_local = match Url::parse(&format!("http://{host}/")).ok().as_ref().and_then(Url::host) {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    is_local && text(ORIGIN).is_none_or(|origin| origin.strip_prefix("http://") == Some(host))
}

/// The panel that the console shows, with a switch for every defect.
fn answer_panel(switch: &Switch, method: &Method) -> Response<ProxyBody> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return other_method(method, READ);
    }
    let switches = catalogue().iter().map(|defect| {
        json!({
            "path": format!("{ALL}/{}", defect.id),
            "summary": format!("{} ({}): {}", defect.id, defect.layer.name(), defect.summary),
            "on": switch.is_on(defect),
            "can": switch.can_turn(defect),
        })
    });
    let panel = json!({ "title": "Seeded defects", "switches": switches.collect::<Vec<_>>() });
    json_response(StatusCode::OK, &json!({ "panels": [panel] }))
}

fn answer_all(switch: &Switch, method: &Method) -> Response<ProxyBody> {
    match *method {
        Method::GET | Method::HEAD => {
            let rows: Vec<Value> = catalogue().iter().map(|defect| row(switch, defect)).collect();
            json_response(StatusCode::OK, &json!({ "defects": rows }))
        }
        _ => other_method(method, READ),
    }
}

async fn answer_one(switch: &Switch, defect: &Defect, method: &Method) -> Response<ProxyBody> {
    let selected = match *method {
        Method::GET | Method::HEAD => return json_response(StatusCode::OK, &row(switch, defect)),
        Method::PUT => true,
        Method::DELETE => false,
        _ => return other_method(method, SWITCH),
    };
    match switch.turn(defect, selected).await {
        Ok(()) => json_response(StatusCode::OK, &row(switch, defect)),
        Err(error) => refusal(StatusCode::CONFLICT, &error.to_string()),
    }
}

fn other_method(method: &Method, allow: &'static str) -> Response<ProxyBody> {
    let mut response = if *method == Method::OPTIONS {
        let mut response = Response::new(boxed(Empty::new()));
        *response.status_mut() = StatusCode::NO_CONTENT;
        response
    } else {
        refusal(StatusCode::METHOD_NOT_ALLOWED, "this path does not take that method")
    };
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
    response
}

fn refusal(status: StatusCode, message: &str) -> Response<ProxyBody> {
    json_response(status, &json!({ "error": message, "status": status.as_u16() }))
}

fn row(switch: &Switch, defect: &Defect) -> Value {
    json!({
        "id": defect.id,
        "layer": defect.layer.name(),
        "summary": defect.summary,
        "clauses": defect.clauses,
        "on": switch.is_on(defect),
    })
}
