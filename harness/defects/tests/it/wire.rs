//! A client and a service that read and write bytes, with no HTTP library between them.
use std::collections::BTreeMap;

use slipway_defects::Defects;
use slipway_defects::http::{Addresses, HostHeader, Listeners, Ports, Proxies};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

/// A message: its head as sent, its body with the chunks joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

/// One end of a connection.
pub(crate) struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Wire {
    pub(crate) fn new(stream: TcpStream) -> Self {
        Self { stream, buffer: Vec::new() }
    }

    pub(crate) async fn connect(url: &Url) -> Self {
        let address = (url.host_str().unwrap(), url.port().unwrap());
        Self::new(TcpStream::connect(address).await.unwrap())
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// Reads more; returns whether there was any.
    async fn more(&mut self) -> bool {
        self.buffer.reserve(64 * 1024);
        self.stream.read_buf(&mut self.buffer).await.unwrap() > 0
    }

    /// Reads up to and including `end`.
    pub(crate) async fn until(&mut self, end: &[u8]) -> Vec<u8> {
        loop {
            if let Some(at) = self.buffer.windows(end.len()).position(|part| part == end) {
                return self.buffer.drain(..at + end.len()).collect();
            }
            assert!(self.more().await, "the peer closed: {:?}", String::from_utf8_lossy(&self.buffer));
        }
    }

    async fn exactly(&mut self, count: usize) -> Vec<u8> {
        while self.buffer.len() < count {
            assert!(self.more().await, "the peer closed");
        }
        self.buffer.drain(..count).collect()
    }

    pub(crate) async fn head(&mut self) -> String {
        String::from_utf8(self.until(b"\r\n\r\n").await).unwrap()
    }

    pub(crate) async fn chunk(&mut self) -> Vec<u8> {
        let size = String::from_utf8(self.until(b"\r\n").await).unwrap();
        let size = usize::from_str_radix(size.trim_end(), 16).unwrap();
        let chunk = self.exactly(size).await;
        self.until(b"\r\n").await;
        chunk
    }

    /// Reads a whole message; a response to `HEAD`, or with a status that has no body, has none.
    pub(crate) async fn message(&mut self, has_body: bool) -> Message {
        let head = self.head().await;
        let field = |name: &str| {
            let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with(name));
            line.map(|line| line[name.len()..].trim().to_owned())
        };
        let mut body = Vec::new();
        if !has_body {
        } else if let Some(length) = field("content-length:") {
            body = self.exactly(length.parse().unwrap()).await;
        } else if field("transfer-encoding:").is_some() {
            loop {
                let chunk = self.chunk().await;
                if chunk.is_empty() {
                    break;
                }
                body.extend(chunk);
            }
        }
        Message { head, body }
    }
}

/// A service played by the test, and a proxy in front of it.
pub(crate) struct Stage {
    pub(crate) service: TcpListener,
    pub(crate) proxy: Url,
    pub(crate) proxies: Proxies,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        let service = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let rest = Url::parse(&format!("http://{}", service.local_addr().unwrap())).unwrap();
        let (proxy, proxies) = in_front_of(rest).await;
        Self { service, proxy, proxies }
    }

    pub(crate) async fn accept(&self) -> Wire {
        Wire::new(self.service.accept().await.unwrap().0)
    }
}

/// Starts a proxy with nothing selected.
pub(crate) async fn in_front_of(rest: Url) -> (Url, Proxies) {
    let addresses = Addresses { rest: Some(rest), rpc: BTreeMap::new(), ..Addresses::default() };
    let listeners = Listeners::bind(Ports::free(&addresses)).await.unwrap();
    let proxy = listeners.addresses().rest.unwrap();
    (proxy, listeners.start(addresses, HostHeader::Client, Defects::default()).await.unwrap())
}
