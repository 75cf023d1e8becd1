//! A client that sends arbitrary bytes over a connection and reads the responses one by one.
use std::io::ErrorKind;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// A test fails after this long without an answer.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct Wire {
    stream: TcpStream,
    host: String,
    /// Bytes that were read but do not belong to an answer yet.
    ahead: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Wire {
    pub(super) async fn to(origin: &str) -> Self {
        let host = origin.strip_prefix("http://").unwrap().to_owned();
        Self { stream: TcpStream::connect(&host).await.unwrap(), host, ahead: Vec::new() }
    }

    /// Sends bytes; if the other side has closed meanwhile, reading the answer shows it.
    pub(super) async fn send(&mut self, bytes: &[u8]) {
        match timeout(PATIENCE, self.stream.write_all(bytes)).await.unwrap() {
            Ok(()) => {}
            Err(error) => assert!(closed(error.kind()), "{error}"),
        }
    }

    /// Sends the head of a request, with a host and the given lines, and the bytes after it.
    pub(super) async fn request(&mut self, line: &str, headers: &[(&str, &str)], body: &[u8]) {
        let mut bytes = format!("{line} HTTP/1.1\r\nhost: {}\r\n", self.host).into_bytes();
        for (name, value) in headers {
            bytes.extend(format!("{name}: {value}\r\n").into_bytes());
        }
        bytes.extend(b"\r\n");
        bytes.extend(body);
        self.send(&bytes).await;
    }

    /// Closes the sending side.
    pub(super) async fn finish(&mut self) {
        self.stream.shutdown().await.unwrap();
    }

    /// The status of an answer with an unfinished body; `None` if the connection closed before it.
    pub(super) async fn status(&mut self) -> Option<u16> {
        let end = self.until(b"\r\n\r\n").await?;
        let head = String::from_utf8(self.ahead.drain(..end).collect()).unwrap();
        Some(head.split(' ').nth(1).unwrap().parse().unwrap())
    }

    /// The next answer; `None` if the connection closed before it was complete.
    pub(super) async fn answer(&mut self, to_head: bool) -> Option<Reply> {
        let end = self.until(b"\r\n\r\n").await?;
        let head = String::from_utf8(self.ahead.drain(..end).collect()).unwrap();
        let mut lines = head.trim_end().lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(':').unwrap())
            .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
            .collect();
        let mut reply = Reply { status, headers, body: Vec::new() };
        if !to_head && status >= 200 && status != 204 && status != 304 {
            reply.body = self.body(&reply).await?;
        }
        Some(reply)
    }

    /// Whether the other side closes the connection, whatever it sends before that.
    pub(super) async fn ends(&mut self) -> bool {
        while self.more().await {}
        true
    }

    async fn body(&mut self, reply: &Reply) -> Option<Vec<u8>> {
        if reply.header("transfer-encoding") != "chunked" {
            let length = reply.header("content-length").parse().unwrap();
            return self.take(length).await;
        }
        let mut body = Vec::new();
        loop {
            let end = self.until(b"\r\n").await?;
            let line: Vec<u8> = self.ahead.drain(..end).collect();
            let size = usize::from_str_radix(std::str::from_utf8(&line).unwrap().trim(), 16).unwrap();
            body.extend(self.take(size).await?);
            self.take(2).await?;
            if size == 0 {
                return Some(body);
            }
        }
    }

    async fn take(&mut self, count: usize) -> Option<Vec<u8>> {
        while self.ahead.len() < count {
            if !self.more().await {
                return None;
            }
        }
        Some(self.ahead.drain(..count).collect())
    }

    /// Reads until a delimiter arrives; returns the position after it.
    async fn until(&mut self, mark: &[u8]) -> Option<usize> {
        loop {
            let found = self.ahead.windows(mark.len()).position(|window| window == mark);
            if let Some(at) = found {
                return Some(at + mark.len());
            }
            if !self.more().await {
                return None;
            }
        }
    }

    async fn more(&mut self) -> bool {
        let mut bytes = [0; 16 * 1024];
        let read =
            timeout(PATIENCE, self.stream.read(&mut bytes)).await.expect("an answer or an end in time");
        match read {
            Ok(count) => {
                self.ahead.extend(&bytes[..count]);
                count > 0
            }
            Err(error) => {
                assert!(closed(error.kind()), "{error}");
                false
            }
        }
    }
}

fn closed(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted)
}

impl Reply {
    /// A header, empty if it is absent; several with one name are joined.
    pub(super) fn header(&self, name: &str) -> String {
        let values: Vec<&str> =
            self.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect();
        values.join(", ")
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {:?}", String::from_utf8_lossy(&self.body)))
    }
}
