//! The handshake and the end of a WebSocket, by RFC 6455.
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::Nodes;
use crate::platform::config;

const PATIENCE: Duration = Duration::from_secs(30);
const KEY: &str = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==";
const VERSION: &str = "sec-websocket-version: 13";
const UPGRADE: [&str; 2] = ["upgrade: websocket", "connection: keep-alive, Upgrade"];

/// Sends a request with these lines; returns the connection and the head of the answer.
async fn shaken(nodes: &Nodes, version: &str, lines: &[&str]) -> (TcpStream, String) {
    let host = nodes.url.strip_prefix("http://").unwrap().trim_end_matches('/');
    let mut stream = TcpStream::connect(host).await.unwrap();
    let head = format!("GET / {version}\r\nhost: {host}\r\n{}\r\n\r\n", lines.join("\r\n"));
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        answer.push(timeout(PATIENCE, stream.read_u8()).await.unwrap().unwrap());
    }
    (stream, String::from_utf8(answer).unwrap().to_lowercase())
}

#[tokio::test(flavor = "multi_thread")]
async fn handshakes_and_ends_of_websockets_follow_the_standard() {
    let nodes = Nodes::behind(config()).await;
    let [upgrade, connection] = UPGRADE;
    for (version, lines, status) in [
        ("HTTP/1.1", &[upgrade, connection, KEY, VERSION][..], "101"),
        ("HTTP/1.1", &[upgrade, connection, KEY, "sec-websocket-version: 12"], "426"),
        ("HTTP/1.1", &[upgrade, connection, KEY, "sec-websocket-version: 8"], "426"),
        ("HTTP/1.1", &[upgrade, connection, KEY], "426"),
        ("HTTP/1.1", &[upgrade, connection, VERSION], "400"),
        ("HTTP/1.1", &[upgrade, connection, VERSION, "sec-websocket-key: abc"], "400"),
        ("HTTP/1.1", &[upgrade, connection, VERSION, "sec-websocket-key: dGhlIHNhbXBsZQ=="], "400"),
        ("HTTP/1.1", &[upgrade, connection, VERSION, KEY, KEY], "400"),
        ("HTTP/1.1", &[upgrade, KEY, VERSION], "405"),
        ("HTTP/1.1", &["upgrade: h2c", connection, KEY, VERSION], "405"),
        ("HTTP/1.0", &[upgrade, connection, KEY, VERSION], "405"),
    ] {
        let (_, answer) = shaken(&nodes, version, lines).await;
        assert_eq!(answer.split(' ').nth(1), Some(status), "{version} {lines:?}: {answer}");
        if status == "426" {
            let offered = ["sec-websocket-version: 13", "upgrade: websocket", "connection: upgrade"];
            assert!(offered.iter().all(|line| answer.contains(line)), "{answer}");
        }
    }
    // An opcode that is reserved; text that is not UTF-8; a frame of 4 GiB. Frames of a client are masked, here with zeros.
    for (frame, code) in [
        (&[0x83, 0x80, 0, 0, 0, 0][..], 1002_u16),
        (&[0x81, 0x81, 0, 0, 0, 0, 0xff], 1007),
        (&[0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], 1009),
    ] {
        let (mut stream, _) = shaken(&nodes, "HTTP/1.1", &[upgrade, connection, KEY, VERSION]).await;
        stream.write_all(frame).await.unwrap();
        let mut close = [0; 4];
        timeout(PATIENCE, stream.read_exact(&mut close)).await.unwrap().unwrap();
        assert_eq!((close[0], u16::from_be_bytes([close[2], close[3]])), (0x88, code), "{close:x?}");
    }
    nodes.platform.stop().await;
}
