//! Raw requests and whole answers over a persistent connection. Supports only what a measured server needs.
use std::ops::Range;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::process::Failure;

/// Longest answer that is read, in bytes.
const ANSWER: usize = 1024 * 1024;

/// A request without a body.
#[must_use]
pub fn get(target: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nhost: localhost\r\naccept: */*\r\n\r\n").into_bytes()
}

/// A request with a JSON body.
#[must_use]
pub fn post(target: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let length = body.len();
    format!("POST {target} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}")
        .into_bytes()
}

/// A connection that is reused for the next request.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    /// Opens a connection to the host and port of an origin.
    pub async fn open(origin: &str) -> Result<Self, Failure> {
        let stream = TcpStream::connect(origin.trim_start_matches("http://")).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: vec![0; ANSWER] })
    }

    /// Sends a request; returns the status and the body of the answer, which states its length.
    pub async fn ask(&mut self, request: &[u8]) -> Result<(u16, &[u8]), Failure> {
        self.stream.write_all(request).await?;
        let mut filled = 0;
        loop {
            let read = self.stream.read(&mut self.buffer[filled..]).await?;
            if read == 0 {
                return Err("the server hung up".into());
            }
            filled += read;
            let answer = body_of(&self.buffer[..filled])?;
            if let Some((status, body)) = answer.filter(|(_, body)| filled >= body.end) {
                return Ok((status, &self.buffer[body]));
            }
        }
    }
}

/// The status of an answer and the range of its body, once its head is complete.
fn body_of(read: &[u8]) -> Result<Option<(u16, Range<usize>)>, Failure> {
    let Some(head) = read.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(None);
    };
    let text = std::str::from_utf8(&read[..head])?;
    let status = text.split(' ').nth(1).ok_or("an answer without a status")?.parse()?;
    let length = text
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok())
        .unwrap_or(0);
    Ok(Some((status, head + 4..head + 4 + length)))
}

/// The JSON of one answer of status 200, over a separate connection.
pub async fn ask(origin: &str, request: &[u8]) -> Result<Value, Failure> {
    match Connection::open(origin).await?.ask(request).await? {
        (200, body) => Ok(serde_json::from_slice(body)?),
        (status, _) => Err(format!("the server refused: {status}").into()),
    }
}
