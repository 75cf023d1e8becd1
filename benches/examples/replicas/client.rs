//! One caller on one connection, and many of them at once.
use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::Failure;

/// What a caller asks for.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    method: Method,
    target: String,
    headers: Vec<(&'static str, String)>,
    body: Bytes,
}

impl Ask {
    pub(crate) fn get(target: impl Into<String>) -> Self {
        Self { method: Method::GET, target: target.into(), headers: Vec::new(), body: Bytes::new() }
    }

    pub(crate) fn post(target: impl Into<String>, body: &Value) -> Self {
        let body = Bytes::from(body.to_string());
        Self { method: Method::POST, body, ..Self::get(target) }.header("content-type", "application/json")
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// Status and body.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Bytes,
}

impl Answer {
    /// The body of a success.
    pub(crate) fn json(&self) -> Result<Value, Failure> {
        if self.status != 200 {
            return Err(format!("{}: {}", self.status, String::from_utf8_lossy(&self.body)).into());
        }
        Ok(serde_json::from_slice(&self.body)?)
    }
}

/// A connection that is kept from one request to the next. Its task ends with the connection.
pub(crate) struct Connection {
    host: String,
    sender: SendRequest<Full<Bytes>>,
}

impl Connection {
    pub(crate) async fn open(origin: &str) -> Result<Self, Failure> {
        let host = origin.trim_start_matches("http://").to_owned();
        let stream = TcpStream::connect(&host).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self { host, sender })
    }

    /// Asks, and reads the whole answer. An error is one of the connection: an answer of any status is none.
    pub(crate) async fn ask(&mut self, ask: &Ask) -> Result<Answer, hyper::Error> {
        let mut request = Request::new(Full::new(ask.body.clone()));
        *request.method_mut() = ask.method.clone();
        *request.uri_mut() = ask.target.parse().expect("a target of ours is one");
        let own = [("host", &self.host)];
        for (name, value) in own.into_iter().chain(ask.headers.iter().map(|(name, value)| (*name, value))) {
            request.headers_mut().insert(name, value.parse().expect("a header of ours is one"));
        }
        self.sender.ready().await?;
        let answer = self.sender.send_request(request).await?;
        let status = answer.status().as_u16();
        Ok(Answer { status, body: answer.into_body().collect().await?.to_bytes() })
    }

    /// Asks for something that has to succeed.
    pub(crate) async fn expect(&mut self, ask: &Ask) -> Result<Value, Failure> {
        let answer = self.ask(ask).await?.json();
        Ok(answer.map_err(|error| format!("{} {}: {error}", ask.method, ask.target))?)
    }
}

/// What all callers have done, once each has ended.
pub(crate) async fn all<T: Send + 'static>(
    mut callers: JoinSet<Result<T, Failure>>,
) -> Result<Vec<T>, Failure> {
    let mut done = Vec::new();
    while let Some(one) = callers.join_next().await {
        done.push(one??);
    }
    Ok(done)
}
