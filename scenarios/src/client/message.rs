//! Requests as they are sent, and exactly what came back.
use std::fmt::Write as _;
use std::time::Duration;

use axum::body::Bytes;
use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode};
use serde_json::Value;
use url::Url;

use crate::evidence::Evidence;
use crate::target::PrivateKey;

/// Longest body that a reproduction repeats, in bytes.
const SHOWN_BODY: usize = 8_192;
/// A node, or a proxy in front of it, accepts no more calls for now; of a request for logs, also that it asks for too many (EIP-1474).
pub(super) const LIMIT_EXCEEDED: i64 = -32005;
/// How old an answer of a cache may be to be waited for: for so long it is asked for again until it was made after the last write.
pub(super) const MOST_AGE: Duration = Duration::from_secs(10);

/// A request as it will be sent.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The whole address.
    pub url: Url,
    /// Extra headers.
    pub headers: Vec<(String, String)>,
    /// The body, if any.
    pub body: Option<Vec<u8>>,
}

/// What came back, with the request that caused it.
#[derive(Clone, Debug)]
pub struct Response {
    /// The request.
    pub request: Request,
    /// The status code.
    pub status: StatusCode,
    /// All headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
    /// Number of the exchange, where it was recorded.
    pub exchange: Option<u64>,
}

impl Request {
    /// A GET of a path under an origin, with query parameters encoded.
    pub fn get(origin: &Url, path: &str, query: &[(&str, &str)]) -> Self {
        let mut url = under(origin, path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Self { method: Method::GET, url, headers: Vec::new(), body: None }
    }

    /// A POST of a JSON body.
    pub fn post_json(origin: &Url, path: &str, body: &Value) -> Self {
        Self {
            method: Method::POST,
            url: under(origin, path),
            headers: vec![("content-type".into(), "application/json".into())],
            body: Some(body.to_string().into_bytes()),
        }
    }

    /// The same request with one header more.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same request with a credential, where there is one.
    pub fn bearer(self, credential: Option<&PrivateKey>) -> Self {
        match credential {
            Some(credential) => self.header("authorization", &format!("Bearer {}", credential.expose())),
            None => self,
        }
    }

    /// A `curl` line that sends the same request.
    pub fn reproduce(&self) -> String {
        let mut line = String::from("curl -sS -i");
        if self.method != Method::GET {
            let _ = write!(line, " -X {}", self.method);
        }
        for (name, value) in &self.headers {
            let _ = write!(line, " -H {}", quote(&format!("{name}: {value}")));
        }
        if let Some(body) = &self.body {
            let text = String::from_utf8(body.clone()).ok();
            let shown = text.filter(|text| text.len() <= SHOWN_BODY);
            // What is not text, or long, is named by its length; a check's seed makes it again.
            let shown = shown.map_or_else(|| format!("@{}-bytes.bin", body.len()), |text| quote(&text));
            let _ = write!(line, " --data-binary {shown}");
        }
        let _ = write!(line, " {}", quote(self.url.as_str()));
        line
    }
}

impl Response {
    /// The JSON body of the request; null where it has none.
    pub fn asked(&self) -> Value {
        self.request.body.as_deref().and_then(|body| serde_json::from_slice(body).ok()).unwrap_or_default()
    }

    /// Bytes of its headers and its body.
    pub(crate) fn size(&self) -> usize {
        let headers = self.headers.iter().map(|(name, value)| name.as_str().len() + value.len());
        headers.sum::<usize>() + self.body.len()
    }

    /// The status code as a number.
    pub fn code(&self) -> u16 {
        self.status.as_u16()
    }

    /// Whether a node refused a call for its rate. A request for logs is left out: the range may be what is too much.
    pub(super) fn exceeds_a_limit(&self) -> bool {
        let is_short = self.body.len() <= SHOWN_BODY;
        let answer = if is_short { self.json().unwrap_or_default() } else { Value::Null };
        answer["error"]["code"] == LIMIT_EXCEEDED && self.asked()["method"] != "eth_getLogs"
    }

    /// Whether a cache made it before something that was so long ago (RFC 9111 §5.1), but not so long before that waiting is in
    /// vain. A cache counts whole seconds.
    pub(super) fn is_older_than(&self, past: Duration) -> bool {
        let age = self.header_number("age").filter(|_| self.request.method == Method::GET);
        let made = age.map(|age| Duration::from_secs(age.saturating_add(1)));
        made.is_some_and(|made| past < made && made <= MOST_AGE)
    }

    /// The body as JSON, or nothing where it is none.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// A header's value as a whole number.
    pub(crate) fn header_number(&self, name: &str) -> Option<u64> {
        self.header(name)?.parse().ok()
    }

    /// Status and body as text, shortened for a report.
    pub fn excerpt(&self) -> String {
        let text: String = String::from_utf8_lossy(&self.body).chars().take(400).collect();
        format!("{} {text}", self.code())
    }

    /// A header's value as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

impl Evidence for Response {
    fn reproduce(&self) -> String {
        self.request.reproduce()
    }

    fn excerpt(&self) -> String {
        Self::excerpt(self)
    }

    fn exchange(&self) -> Option<u64> {
        self.exchange
    }
}

/// A part of a form: its name, the name of its file, and its bytes.
pub(crate) type FormPart<'a> = (&'a str, Option<&'a str>, Vec<u8>);

/// The media type and the bytes of a form (RFC 7578).
pub(crate) fn form(parts: &[FormPart<'_>]) -> (String, Vec<u8>) {
    const BOUNDARY: &str = "----------------boundary7MA4YWxkTrZu0gW";
    let mut body = Vec::new();
    for (name, file, bytes) in parts {
        let file = file.map(|file| format!("; filename=\"{file}\"\r\ncontent-type: image/png"));
        let file = file.unwrap_or_default();
        let head = format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"{file}\r\n\r\n");
        body.extend([head.as_bytes(), bytes, b"\r\n"].concat());
    }
    body.extend(format!("--{BOUNDARY}--\r\n").into_bytes());
    (format!("multipart/form-data; boundary={BOUNDARY}"), body)
}

/// `path` below an origin that may itself have a path.
fn under(origin: &Url, path: &str) -> Url {
    let mut url = origin.clone();
    url.set_path(&format!("{}{path}", origin.path().trim_end_matches('/')));
    url
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
