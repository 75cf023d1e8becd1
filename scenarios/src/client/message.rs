//! Requests as they are sent, and answers exactly as they came.
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
use crate::model::verdict::Answered;

/// Statuses by which a service says that it does not have an endpoint.
pub const ABSENT: [u16; 3] = [404, 405, 501];
/// The media type of JSON.
const JSON: &str = "application/json";
/// Longest body that a reproduce command contains, in bytes.
const SHOWN_BODY: usize = 4_096;
/// A node, or a proxy in front of it, refuses further calls for now; for a request for logs also: the range is too large (EIP-1474).
pub(super) const LIMIT_EXCEEDED: i64 = -32005;
/// Oldest cached answer that is requested again until it is newer than the last write; an older one is accepted.
pub(super) const MOST_AGE: Duration = Duration::from_secs(10);

/// A request to be sent.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The URL.
    pub url: Url,
    /// Extra headers.
    pub headers: Vec<(String, String)>,
    /// The body, if any.
    pub body: Option<Vec<u8>>,
}

/// An answer with its request.
#[derive(Clone, Debug)]
pub struct Response {
    /// The request that it answers.
    pub request: Request,
    /// The HTTP status.
    pub status: StatusCode,
    /// All headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
    /// Number of the exchange, if it was recorded.
    pub exchange: Option<u64>,
}

impl Request {
    /// Builds a GET of a path under an origin, with encoded query parameters.
    pub fn get(origin: &Url, path: &str, query: &[(&str, &str)]) -> Self {
        let mut url = under(origin, path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Self { method: Method::GET, url, headers: Vec::new(), body: None }
    }

    /// Builds a POST of a JSON body.
    pub fn post_json(origin: &Url, path: &str, body: &Value) -> Self {
        Self {
            method: Method::POST,
            url: under(origin, path),
            headers: vec![("content-type".into(), "application/json".into())],
            body: Some(body.to_string().into_bytes()),
        }
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a bearer credential, if given.
    pub fn bearer(self, credential: Option<&PrivateKey>) -> Self {
        match credential {
            Some(credential) => self.header("authorization", &format!("Bearer {}", credential.expose())),
            None => self,
        }
    }

    /// Returns a `curl` command that sends the same request.
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
                // Curl would read a file if the data begin with `@`.
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
    /// Returns the JSON body of the request; null if it has none.
    pub fn asked(&self) -> Value {
        self.request.body.as_deref().and_then(|body| serde_json::from_slice(body).ok()).unwrap_or_default()
    }

    /// Returns the size of headers and body in bytes.
    pub(crate) fn size(&self) -> usize {
        let headers = self.headers.iter().map(|(name, value)| name.as_str().len() + value.len());
        headers.sum::<usize>() + self.body.len()
    }

    /// Returns the status code as a number.
    pub fn code(&self) -> u16 {
        self.status.as_u16()
    }

    /// Whether a node refused a call because of its rate. Excludes requests for logs, whose range may be too large instead.
    pub(super) fn exceeds_a_limit(&self) -> bool {
        let is_short = self.body.len() <= SHOWN_BODY;
        let answer = if is_short { self.json().unwrap_or_default() } else { Value::Null };
        answer["error"]["code"] == LIMIT_EXCEEDED && self.asked()["method"] != "eth_getLogs"
    }

    /// Whether a cache made the answer before an event this long ago (RFC 9111 §5.1), but recently enough that waiting for a newer one
    /// helps. A cache counts whole seconds.
    pub(super) fn is_older_than(&self, past: Duration) -> bool {
        let age = self.header_number("age").filter(|_| self.request.method == Method::GET);
        let made = age.map(|age| Duration::from_secs(age.saturating_add(1)));
        made.is_some_and(|made| past < made && made <= MOST_AGE)
    }

    /// Parses the body as JSON.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// Returns a header's value as a whole number.
    pub(crate) fn header_number(&self, name: &str) -> Option<u64> {
        self.header(name)?.parse().ok()
    }

    /// Returns status and body as text, shortened for a report.
    pub fn excerpt(&self) -> String {
        self.excerpt_about("")
    }

    /// Like [`Self::excerpt`], around the member that a demand mentions.
    pub(crate) fn excerpt_about(&self, demand: &str) -> String {
        let body = std::str::from_utf8(&self.body)
            .map_or_else(|_| shown::bytes(&self.body), |text| shown::around_member(text, demand));
        format!("{} {body}", self.code())
    }

    /// Like [`Self::excerpt`], around a byte offset of the body.
    pub(crate) fn excerpt_at(&self, place: usize) -> String {
        let body = std::str::from_utf8(&self.body)
            .map_or_else(|_| shown::bytes(&self.body), |text| shown::around(text, place));
        format!("{} {body}", self.code())
    }

    /// Whether the content type is that of JSON, or of a format that is written in it (RFC 6839 §3.1).
    pub(crate) fn is_json(&self) -> bool {
        let kind = self.header("content-type").unwrap_or_default().to_lowercase();
        let essence = kind.split(';').next().unwrap_or_default().trim();
        essence == JSON || (essence.contains('/') && essence.ends_with("+json"))
    }

    /// Returns the members of a header that is a list, in small letters; several lines are one list (RFC 9110 §5.3).
    pub(crate) fn listed(&self, name: &str) -> Vec<String> {
        let lines = self.headers.get_all(name).into_iter().filter_map(|line| line.to_str().ok());
        lines.flat_map(|line| line.split(',')).map(|one| one.trim().to_lowercase()).collect()
    }

    /// Whether a header that is a list has all of these members.
    pub(crate) fn lists(&self, name: &str, members: &[&str]) -> bool {
        let listed = self.listed(name);
        members.iter().all(|member| listed.iter().any(|one| one == member))
    }

    /// Returns a header's value as text.
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

    fn answered(&self) -> Option<Answered> {
        let request = format!("{} {}", self.request.method, self.request.url.path());
        Some(Answered { request, status: self.code() })
    }

    fn exchange(&self) -> Option<u64> {
        self.exchange
    }
}

/// A part of a form: its name, its file name and its bytes.
pub(crate) type FormPart<'a> = (&'a str, Option<&'a str>, Vec<u8>);

/// Encodes a form; returns its media type and its bytes (RFC 7578).
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

/// Joins `path` to an origin that may itself have a path.
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
