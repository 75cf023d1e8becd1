//! A request and its response, taken apart so that a mutation changes one part and leaves the rest untouched.
use bytes::{Bytes, BytesMut};
use futures::stream;
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::{Body, Frame, Incoming};
use hyper::header::{
    ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING,
};
use hyper::http::uri::PathAndQuery;
use hyper::http::{request, response};
use hyper::{Method, Request, Response, StatusCode, Uri};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::str::FromStr;
use url::form_urlencoded;

use super::body::{ProxyBody, boxed, full, read};
use super::upstream::ExchangeError;

/// Largest request body read into memory, in bytes; a larger one passes unchanged.
const BODY_LIMIT: usize = 1 << 23;
/// Bytes per chunk of a chunked body.
const CHUNK: usize = 700;

/// Decoded query parameters in order.
pub(crate) type Query = Vec<(String, String)>;

/// A request whose body has been read.
#[derive(Clone)]
pub struct RequestParts {
    pub(crate) path: String,
    pub(crate) query: Query,
    /// Null if the body is not JSON.
    pub body: Value,
    parts: request::Parts,
    /// The body as it was sent.
    pub bytes: Bytes,
    sent_query: Query,
    sent_body: Value,
}

impl RequestParts {
    /// Reads a request; one whose body is too large is returned whole.
    ///
    /// # Errors
    /// If its body breaks off.
    pub async fn read(request: Request<Incoming>) -> hyper::Result<Result<Self, Request<ProxyBody>>> {
        let (parts, body) = request.into_parts();
        Ok(match read(body, BODY_LIMIT).await? {
            Ok(bytes) => Ok(Self::new(parts, bytes)),
            Err(body) => Err(Request::from_parts(parts, body)),
        })
    }

    /// A request with this head and body.
    pub fn new(mut parts: request::Parts, bytes: Bytes) -> Self {
        // A mutation needs the uncompressed response.
        parts.headers.remove(ACCEPT_ENCODING);
        let query: Query =
            form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()).into_owned().collect();
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let path = parts.uri.path().to_owned();
        Self { path, sent_query: query.clone(), query, sent_body: body.clone(), body, parts, bytes }
    }

    /// Builds the request in its current state.
    pub fn request(&self) -> Request<ProxyBody> {
        let mut parts = self.parts.clone();
        if self.query != self.sent_query {
            let text = form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.query).finish();
            if let Ok(target) = PathAndQuery::try_from(format!("{}?{text}", self.path)) {
                parts.uri = Uri::from(target);
            }
        }
        if self.body != self.sent_body {
            parts.headers.remove(CONTENT_LENGTH);
            parts.headers.remove(TRANSFER_ENCODING);
        }
        Request::from_parts(parts, full(self.written()))
    }

    /// The bytes of the body in its current state.
    pub(in crate::http) fn written(&self) -> Bytes {
        if self.body == self.sent_body { self.bytes.clone() } else { self.body.to_string().into() }
    }

    /// Whether it differs from the request as sent.
    pub(crate) fn is_changed(&self) -> bool {
        self.query != self.sent_query || self.body != self.sent_body
    }

    /// Path and query as they were sent.
    pub fn target(&self) -> &str {
        self.parts.uri.path_and_query().map_or("/", PathAndQuery::as_str)
    }

    /// Its method.
    pub fn method(&self) -> &Method {
        &self.parts.method
    }

    /// Its headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    pub(crate) fn headers_mut(&mut self) -> &mut HeaderMap {
        &mut self.parts.headers
    }

    /// The first value of a query parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The path and query as sent, with one more parameter.
    pub(crate) fn target_with(&self, name: &str, value: &str) -> String {
        let joint = if self.parts.uri.query().is_some_and(|query| !query.is_empty()) { "&" } else { "" };
        format!("{}?{}{joint}{name}={value}", self.path, self.parts.uri.query().unwrap_or_default())
    }

    /// Sets a query parameter to this single value, at the end.
    pub(crate) fn set(&mut self, name: &str, value: impl Into<String>) {
        self.query.retain(|(key, _)| key != name);
        self.query.push((name.to_owned(), value.into()));
    }

    pub(crate) fn drop(&mut self, name: &str) {
        self.query.retain(|(key, _)| key != name);
    }

    /// Changes the value of a query parameter that is present.
    pub(crate) fn change(&mut self, name: &str, change: impl FnOnce(&str) -> String) {
        if let Some(value) = self.get(name) {
            let changed = change(value);
            self.set(name, changed);
        }
    }

    /// Changes the value of a numeric query parameter.
    pub(crate) fn change_number<N: FromStr + PartialEq + Copy + ToString>(
        &mut self,
        name: &str,
        change: impl FnOnce(N) -> N,
    ) {
        self.change(name, |text| match text.parse().map(|number| (number, change(number))) {
            Ok((number, changed)) if changed != number => changed.to_string(),
            _ => text.to_owned(),
        });
    }

    /// The query with this single value of a parameter, at the end.
    pub(crate) fn query_with(&self, name: &str, value: impl Into<String>) -> Query {
        let others = self.query.iter().filter(|(key, _)| key != name).cloned();
        others.chain([(name.to_owned(), value.into())]).collect()
    }
}

/// A response whose body has been read; `body` is null if it is not JSON.
#[derive(Clone)]
pub struct ProxiedResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as JSON.
    pub body: Value,
    parts: response::Parts,
    bytes: Bytes,
    sent_body: Value,
    /// Functions that rewrite the text of its JSON, applied in order.
    spellings: Vec<fn(&str) -> String>,
    /// Whether its body is sent in chunks, without its length.
    chunked: bool,
}

impl ProxiedResponse {
    /// Reads a response.
    ///
    /// # Errors
    /// If its body breaks off, or is longer than [`crate::LARGEST_RESPONSE`].
    pub async fn read<B>(response: Response<B>) -> Result<Self, ExchangeError>
    where
        B: Body<Data = Bytes, Error: Into<ExchangeError>> + Unpin,
    {
        let (parts, mut body) = response.into_parts();
        let mut bytes = BytesMut::new();
        while let Some(frame) = body.frame().await {
            let Ok(piece) = frame.map_err(Into::into)?.into_data() else { continue };
            if bytes.len() + piece.len() > crate::LARGEST_RESPONSE {
                return Err(ExchangeError::TooLarge);
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(Self::new(parts, bytes.freeze()))
    }

    /// A message of a WebSocket, which has no head.
    pub fn of_message(bytes: Bytes) -> Self {
        Self::new(Response::new(()).into_parts().0, bytes)
    }

    pub(crate) fn new(parts: response::Parts, bytes: Bytes) -> Self {
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let (status, headers) = (parts.status, parts.headers.clone());
        let (spellings, chunked) = (Vec::new(), false);
        Self { status, headers, sent_body: body.clone(), body, parts, bytes, spellings, chunked }
    }

    /// Reads a response that must be JSON.
    pub(crate) async fn read_json(response: Response<Incoming>) -> Result<Self, ExchangeError> {
        let response = Self::read(response).await?;
        if response.body.is_null() { Err(ExchangeError::NotJson) } else { Ok(response) }
    }

    /// Builds a response without a service.
    pub fn of(status: StatusCode, body: &Value) -> Self {
        let mut parts = Response::new(()).into_parts().0;
        parts.status = status;
        parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Self::new(parts, body.to_string().into())
    }

    /// Builds a refusal with the usual body, without a service.
    pub fn refusal(status: StatusCode, message: &str) -> Self {
        Self::of(status, &json!({ "error": message, "status": status.as_u16() }))
    }

    /// Sets a header, replacing any other of this name.
    pub(crate) fn header(&mut self, name: &'static str, value: &'static str) {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }

    /// Changes how the JSON of the body is written, after all other changes.
    pub(crate) fn spell(&mut self, spelling: fn(&str) -> String) {
        self.spellings.push(spelling);
    }

    pub(crate) fn chunk(&mut self) {
        self.chunked = true;
    }

    /// The bytes of the body in its current state.
    pub fn written(&self) -> Bytes {
        if self.body == self.sent_body && (self.spellings.is_empty() || self.body.is_null()) {
            return self.bytes.clone();
        }
        // A body of text in a form other than JSON.
        let plain = !self.headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().ends_with(b"json"));
        match &self.body {
            Value::String(text) if plain => text.clone().into(),
            body => self.spellings.iter().fold(body.to_string(), |text, spelling| spelling(&text)).into(),
        }
    }

    /// Whether it differs from the response of the service.
    pub(crate) fn is_changed(&self) -> bool {
        self.chunked
            || self.status != self.parts.status
            || self.headers != self.parts.headers
            || self.written() != self.bytes
    }

    /// Builds the response in its current state; one to `HEAD` keeps its length and has no body.
    pub fn response(mut self, method: &Method) -> Response<ProxyBody> {
        let is_head = *method == Method::HEAD;
        let bytes = if is_head { self.bytes.clone() } else { self.written() };
        if bytes != self.bytes || (self.chunked && !is_head) {
            self.headers.remove(CONTENT_LENGTH);
            self.headers.remove(TRANSFER_ENCODING);
        }
        self.parts.status = self.status;
        self.parts.headers = self.headers;
        let body = if self.chunked && !is_head { boxed(in_chunks(bytes)) } else { full(bytes) };
        Response::from_parts(self.parts, body)
    }

    pub(crate) fn is_ok(&self) -> bool {
        self.status == StatusCode::OK
    }

    pub(crate) fn is_refusal(&self) -> bool {
        self.status.is_client_error() || self.status.is_server_error()
    }

    /// Turns the response into a success with this body.
    pub(crate) fn succeed(&mut self, body: Value) {
        self.status = StatusCode::OK;
        self.body = body;
    }

    /// Turns the response into a refusal with the usual body.
    pub(crate) fn refuse(&mut self, status: StatusCode, message: &str) {
        self.status = status;
        self.body = json!({ "error": message, "status": status.as_u16() });
    }

    /// The token objects of a response, if it has any.
    pub(crate) fn tokens(&mut self) -> Option<&mut Vec<Value>> {
        self.body.get_mut("tokens")?.as_array_mut()
    }
}

/// A body without a stated length, in pieces.
fn in_chunks(mut bytes: Bytes) -> impl Body<Data = Bytes, Error = Infallible> + Send + 'static {
    let pieces = std::iter::from_fn(move || {
        let length = bytes.len().min(CHUNK);
        (length > 0).then(|| Ok(Frame::data(bytes.split_to(length))))
    });
    StreamBody::new(stream::iter(pieces))
}

/// Takes a field out of a JSON object.
pub(crate) fn remove(object: &mut Value, field: &str) {
    if let Some(object) = object.as_object_mut() {
        object.shift_remove(field);
    }
}
