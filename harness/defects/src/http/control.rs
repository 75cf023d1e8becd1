//! `/_sim/defects`: which defects are on, and the switches of those that can change while the platform runs.
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::header::{ALLOW, HeaderValue, ORIGIN};
use hyper::{Method, Request, Response, StatusCode};
use serde_json::{Value, json};

use super::body::{ProxyBody, boxed};
use super::server::{Shared, json_response};
use crate::{Defect, Layer, catalogue};

const ALL: &str = "/_sim/defects";
const READ: &str = "GET, HEAD, OPTIONS";
const SWITCH: &str = "GET, HEAD, PUT, DELETE, OPTIONS";

/// The response to a request about defects; none to any other request.
pub(in crate::http) async fn answer(
    shared: &Shared,
    request: &Request<Incoming>,
) -> Option<Response<ProxyBody>> {
    let rest = request.uri().path().strip_prefix(ALL)?;
    // Scripts of web pages have no business here, as on the rest of the control plane.
    if request.headers().contains_key(ORIGIN) {
        return Some(refusal(StatusCode::FORBIDDEN, "the control plane takes no requests from web pages"));
    }
    let id = match rest.strip_prefix('/') {
        Some(id) => Some(id),
        None if rest.is_empty() => None,
        None => return None,
    };
    Some(match id {
        None => answer_all(shared, request.method()),
        Some(id) => match catalogue().iter().find(|defect| defect.id == id) {
            Some(defect) => answer_one(shared, defect, request.method()).await,
            None => refusal(StatusCode::NOT_FOUND, "no defect has this id"),
        },
    })
}

fn answer_all(shared: &Shared, method: &Method) -> Response<ProxyBody> {
    match *method {
        Method::GET | Method::HEAD => {
            let rows: Vec<Value> = catalogue().iter().map(|defect| row(shared, defect)).collect();
            json_response(StatusCode::OK, &json!({ "defects": rows }))
        }
        _ => other_method(method, READ),
    }
}

async fn answer_one(shared: &Shared, defect: &Defect, method: &Method) -> Response<ProxyBody> {
    let selected = match *method {
        Method::GET | Method::HEAD => return json_response(StatusCode::OK, &row(shared, defect)),
        Method::PUT => true,
        Method::DELETE => false,
        _ => return other_method(method, SWITCH),
    };
    match shared.turn(defect, selected).await {
        Ok(()) => json_response(StatusCode::OK, &row(shared, defect)),
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

fn row(shared: &Shared, defect: &Defect) -> Value {
    json!({
        "id": defect.id,
        "layer": defect.layer.name(),
        "summary": defect.summary,
        "clauses": defect.clauses,
        "on": shared.is_on(defect),
    })
}

/// A defect cannot be switched while the platform runs.
#[derive(Debug, thiserror::Error)]
pub enum SwitchError {
    /// The tool server is started with its wrapper, or without.
    #[error("a defect of the tool server is chosen when its wrapper starts")]
    ToolServer,
    /// No proxy stands in front of the RPC.
    #[error("the RPC is proxied only when a defect of the node is selected at the start")]
    NoRpcProxy,
    /// The contracts could not be changed.
    #[error(transparent)]
    Chain(#[from] crate::chain::ChainError),
}

impl Shared {
    /// Switches a defect on or off.
    pub(in crate::http) async fn turn(&self, defect: &Defect, selected: bool) -> Result<(), SwitchError> {
        match defect.layer {
            Layer::Rest | Layer::Swap => {}
            Layer::Node if self.rpc_proxied => {}
            Layer::Node => return Err(SwitchError::NoRpcProxy),
            Layer::Chain if selected => self.mutants.put(defect).await?,
            Layer::Chain => self.mutants.restore(defect).await?,
            Layer::ToolServer => return Err(SwitchError::ToolServer),
        }
        self.selection.turn(defect, selected);
        Ok(())
    }

    fn is_on(&self, defect: &Defect) -> bool {
        self.selection.contains(defect)
    }
}
