//! A request and its answer, taken apart so that a defect can change a piece and the rest stays as it was.
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, HeaderMap};
use axum::http::uri::PathAndQuery;
use axum::http::{Method, StatusCode, Uri, request, response};
use axum::response::Response;
use serde_json::{Value, json};
use url::form_urlencoded;

/// Largest request body that is looked into; larger ones pass as they are.
const BODY_LIMIT: usize = 1 << 23;

/// Decoded parameters in order.
pub(super) type Query = Vec<(String, String)>;

/// A request.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) path: String,
    pub(super) query: Query,
    pub(super) body: Value,
    pub(super) now: u64,
    parts: request::Parts,
    bytes: Vec<u8>,
    sent_query: Query,
    sent_body: Value,
}

impl Asked {
    /// Takes a request apart; gives back one whose body is announced as too large to look into.
    pub(super) async fn of(request: Request, now: u64) -> Result<Self, Box<Request>> {
        let announced =
            request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        if announced.is_some_and(|length: usize| length > BODY_LIMIT) {
            return Err(Box::new(request));
        }
        let (parts, body) = request.into_parts();
        let bytes = to_bytes(body, BODY_LIMIT).await.map(Vec::from).unwrap_or_default();
        let query: Vec<_> =
            form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let path = parts.uri.path().to_owned();
        Ok(Self { path, sent_query: query.clone(), query, sent_body: body.clone(), body, now, parts, bytes })
    }

    /// The request as it is now.
    pub(super) fn request(&self) -> Request {
        let mut parts = self.parts.clone();
        if self.query != self.sent_query {
            let text = form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.query).finish();
            if let Ok(target) = PathAndQuery::try_from(format!("{}?{text}", self.path)) {
                parts.uri = Uri::from(target);
            }
        }
        let bytes = if self.body == self.sent_body {
            self.bytes.clone()
        } else {
            parts.headers.remove(CONTENT_LENGTH);
            self.body.to_string().into_bytes()
        };
        Request::from_parts(parts, Body::from(bytes))
    }

    /// The body as it was sent.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn method(&self) -> &Method {
        &self.parts.method
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    pub(super) fn headers_mut(&mut self) -> &mut HeaderMap {
        &mut self.parts.headers
    }

    /// The first value of a query parameter.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Gives a query parameter a value, in place or at the end.
    pub(super) fn set(&mut self, name: &str, value: impl Into<String>) {
        self.query.retain(|(key, _)| key != name);
        self.query.push((name.to_owned(), value.into()));
    }

    pub(super) fn drop(&mut self, name: &str) {
        self.query.retain(|(key, _)| key != name);
    }

    /// Changes the value of a query parameter that is there.
    pub(super) fn change(&mut self, name: &str, change: impl FnOnce(&str) -> String) {
        if let Some(value) = self.get(name) {
            let changed = change(value);
            self.set(name, changed);
        }
    }

    /// The query with some parameters left out.
    pub(super) fn query_without(&self, names: &[&str]) -> Query {
        self.query.iter().filter(|(key, _)| !names.contains(&key.as_str())).cloned().collect()
    }
}

/// An answer; `body` is null when it is not JSON.
pub(super) struct Told {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
    parts: response::Parts,
    bytes: Vec<u8>,
    sent_body: Value,
}

impl Told {
    pub(super) async fn of(response: Response) -> Self {
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.map(Vec::from).unwrap_or_default();
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let (status, headers) = (parts.status, parts.headers.clone());
        Self { status, headers, sent_body: body.clone(), body, parts, bytes }
    }

    pub(super) fn response(mut self) -> Response {
        let bytes = if self.body == self.sent_body {
            self.bytes
        } else {
            self.headers.remove(CONTENT_LENGTH);
            self.body.to_string().into_bytes()
        };
        self.parts.status = self.status;
        self.parts.headers = self.headers;
        Response::from_parts(self.parts, Body::from(bytes))
    }

    pub(super) fn is_ok(&self) -> bool {
        self.status == StatusCode::OK
    }

    pub(super) fn is_refusal(&self) -> bool {
        self.status.is_client_error() || self.status.is_server_error()
    }

    /// Replaces the answer with a served one.
    pub(super) fn serve(&mut self, body: Value) {
        self.status = StatusCode::OK;
        self.body = body;
    }

    /// Replaces the answer with a refusal in the usual form.
    pub(super) fn refuse(&mut self, status: StatusCode, message: &str) {
        self.status = status;
        self.body = json!({ "error": message, "status": status.as_u16() });
    }

    /// The token objects of an answer that has them.
    pub(super) fn tokens(&mut self) -> Option<&mut Vec<Value>> {
        self.body.get_mut("tokens")?.as_array_mut()
    }

    /// Takes a field out of an object inside the body.
    pub(super) fn remove(object: &mut Value, field: &str) {
        if let Some(object) = object.as_object_mut() {
            object.shift_remove(field);
        }
    }
}
