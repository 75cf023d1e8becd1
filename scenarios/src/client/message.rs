//! Requests as they are sent, and exactly what came back.
use std::fmt::Write as _;
use std::time::Duration;

use axum::body::Bytes;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode};
use serde_json::Value;
use url::Url;

use crate::model::evidence::Evidence;
use crate::model::shown;
use crate::model::target::PrivateKey;

/// Longest body that a reproduction repeats, in bytes.
const SHOWN_BODY: usize = 4_096;
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
        let body = self.body.as_deref().unwrap_or_default();
        if body.len() > SHOWN_BODY {
            let hash = alloy::primitives::keccak256(body);
            return format!(
                "{} {} with a body of {} bytes (Keccak-256 {hash}), which the replay sends again",
                self.method,
                self.url,
                body.len()
            );
        }
        let text = std::str::from_utf8(body);
        let mut line = match text {
            Ok(_) => String::new(),
            Err(_) => format!("printf %s '{}' | base64 -d | ", STANDARD.encode(body)),
        };
        line.push_str("curl -sS -i");
        if self.method != Method::GET {
            let _ = write!(line, " -X {}", self.method);
        }
        for (name, value) in &self.headers {
            let _ = write!(line, " -H {}", quote(&format!("{name}: {value}")));
        }
        if self.body.is_some() {
            let data = match text {
                // Curl reads a file where the data begin so.
                Ok(text) if text.starts_with('@') => format!("--data-raw {}", quote(text)),
                Ok(text) => format!("--data-binary {}", quote(text)),
                Err(_) => "--data-binary @-".to_owned(),
            };
            let _ = write!(line, " {data}");
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
        self.excerpt_about("")
    }

    /// The same around the member that a demand speaks of.
    pub(crate) fn excerpt_about(&self, demand: &str) -> String {
        let body = std::str::from_utf8(&self.body)
            .map_or_else(|_| shown::bytes(&self.body), |text| shown::around_member(text, demand));
        format!("{} {body}", self.code())
    }

    /// The same around a place of the body.
    pub(crate) fn excerpt_at(&self, place: usize) -> String {
        let body = std::str::from_utf8(&self.body)
            .map_or_else(|_| shown::bytes(&self.body), |text| shown::around(text, place));
        format!("{} {body}", self.code())
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

    fn excerpt_about(&self, demand: &str) -> String {
        Self::excerpt_about(self, demand)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_reproduced_by_a_line_that_needs_no_file() {
        let line = |body: &[u8]| {
            let mut request = Request::post_json(&"http://a".parse().unwrap(), "/b", &Value::Null);
            (request.headers, request.body) = (Vec::new(), Some(body.to_vec()));
            request.reproduce()
        };
        assert_eq!(line(b"{}"), "curl -sS -i -X POST --data-binary '{}' 'http://a/b'");
        assert_eq!(line(b"@x"), "curl -sS -i -X POST --data-raw '@x' 'http://a/b'");
        let bytes = line(&[0xff, 0x00]);
        assert_eq!(bytes, "printf %s '/wA=' | base64 -d | curl -sS -i -X POST --data-binary @- 'http://a/b'");
        let long = line(&[b'a'; SHOWN_BODY + 1]);
        assert!(
            long.starts_with("POST http://a/b with a body of 4097 bytes") && !long.contains('@'),
            "{long}"
        );
    }
}
