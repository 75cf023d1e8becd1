//! A proxy with nothing selected changes no byte in either direction and buffers nothing.
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use slipway_defects::catalogue;
use tokio::time::timeout;
use url::Url;

use crate::wire::{Message, Stage, Wire, in_front_of};

/// How the length of a body is announced.
#[derive(Clone, Debug)]
enum Framing {
    None,
    Length,
    Chunks(usize),
}

/// A message as it goes over the wire.
#[derive(Clone, Debug)]
struct Sent {
    first_line: String,
    fields: Vec<(String, String)>,
    body: Vec<u8>,
    framing: Framing,
}

impl Sent {
    fn bytes(&self) -> Vec<u8> {
        let mut head = format!("{}\r\n", self.first_line);
        for (name, value) in &self.fields {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut bytes = head.into_bytes();
        match self.framing {
            Framing::None => bytes.extend(b"\r\n"),
            Framing::Length => {
                bytes.extend(format!("Content-Length: {}\r\n\r\n", self.body.len()).bytes());
                bytes.extend(&self.body);
            }
            Framing::Chunks(size) => {
                bytes.extend(b"Transfer-Encoding: chunked\r\n\r\n");
                for chunk in self.body.chunks(size) {
                    bytes.extend(format!("{:x}\r\n", chunk.len()).bytes());
                    bytes.extend(chunk);
                    bytes.extend(b"\r\n");
                }
                bytes.extend(b"0\r\n\r\n");
            }
        }
        bytes
    }

    /// The message that the other end must read.
    fn message(&self) -> Message {
        let bytes = self.bytes();
        let end = bytes.windows(4).position(|part| part == b"\r\n\r\n").unwrap() + 4;
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let body = if matches!(self.framing, Framing::None) { Vec::new() } else { self.body.clone() };
        Message { head, body }
    }
}

fn fields() -> impl Strategy<Value = Vec<(String, String)>> {
    let name = prop_oneof![
        Just("Accept-Encoding".to_owned()),
        Just("If-None-Match".to_owned()),
        Just("ETag".to_owned()),
        Just("content-ENCODING".to_owned()),
        Just("Date".to_owned()),
        Just("Server".to_owned()),
        Just("Via".to_owned()),
        "[xX]-[a-zA-Z0-9]{1,12}",
    ];
    let value = prop_oneof!["[!-~]{1,20}", "[!-~]{1,5} [!-~]{1,5}", Just("gzip".to_owned())];
    // The library writes the space before an empty value, so the value has none. Each name appears once: the library decides the order of
    // different names and of repeated ones.
    prop::collection::vec((name, value), 0..8).prop_map(|mut fields| {
        let mut seen = std::collections::BTreeSet::new();
        fields.retain(|(name, _)| seen.insert(name.to_ascii_lowercase()));
        fields
    })
}

fn framing() -> impl Strategy<Value = Framing> {
    prop_oneof![Just(Framing::None), Just(Framing::Length), (1_usize..70_000).prop_map(Framing::Chunks)]
}

fn body() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 1..64),
        (1_usize..400_000, any::<u8>()).prop_map(|(length, byte)| vec![byte; length]),
    ]
}

fn exchange() -> impl Strategy<Value = (Sent, Sent, bool)> {
    let method = prop_oneof![
        Just("GET"),
        Just("HEAD"),
        Just("POST"),
        Just("PUT"),
        Just("DELETE"),
        Just("OPTIONS"),
        Just("PROPFIND")
    ];
    let target = prop_oneof![
        "/[a-zA-Z0-9/._~%-]{0,30}".prop_map(|path| path.replace('%', "%41")),
        "/api/tokens\\?[a-z]{1,5}=[a-zA-Z0-9+.]{0,10}&&b",
        Just("//double//slash?".to_owned()),
    ];
    let status = prop_oneof![
        Just("200 OK"),
        Just("200 Fine"),
        Just("204 No Content"),
        Just("304 Not Modified"),
        Just("404 Not Found"),
        Just("418 I'm a teapot"),
        Just("503 Service Unavailable"),
        Just("599 Own"),
    ];
    let parts = (method, target, fields(), body(), framing(), status, fields(), body(), framing());
    parts.prop_map(|(method, target, sent, body, framing, status, answered, answer, answer_framing)| {
        let mut request = vec![("Host".to_owned(), "platform.invalid".to_owned())];
        request.extend(sent);
        let bodiless = status.starts_with("204") || status.starts_with("304");
        let has_body = method != "HEAD" && !bodiless;
        let answer_framing = match answer_framing {
            Framing::None | Framing::Chunks(_) if !has_body => Framing::None,
            // Without a length the end of the connection would be the end of the body.
            Framing::None => Framing::Length,
            _ if bodiless => Framing::None,
            other => other,
        };
        let takes_body = matches!(method, "POST" | "PUT" | "PROPFIND");
        let request = Sent {
            first_line: format!("{method} {target} HTTP/1.1"),
            fields: request,
            body,
            framing: if takes_body { framing } else { Framing::None },
        };
        let response = Sent {
            first_line: format!("HTTP/1.1 {status}"),
            fields: answered,
            body: answer,
            framing: answer_framing,
        };
        (request, response, has_body)
    })
}

#[test]
fn untouched_exchanges_keep_every_byte() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let stage = runtime.block_on(Stage::new());
    let mut runner = TestRunner::new(Config { cases: 96, failure_persistence: None, ..Config::default() });
    let ran = runner.run(&exchange(), |(request, response, has_body)| {
        runtime.block_on(async {
            let mut client = Wire::connect(&stage.proxy).await;
            let service = async {
                let mut service = stage.accept().await;
                let received = service.message(true).await;
                let mut bytes = response.bytes();
                if !has_body {
                    bytes.truncate(response.message().head.len());
                }
                service.write(bytes).await;
                (service, received)
            };
            let answered = async {
                client.write(request.bytes()).await;
                client.message(has_body).await
            };
            let ((_service, received), answered) =
                timeout(Duration::from_secs(20), async { tokio::join!(service, answered) }).await.unwrap();
            prop_assert_eq!(received, request.message());
            let expected = response.message();
            prop_assert_eq!(
                answered,
                if has_body { expected } else { Message { body: Vec::new(), ..expected } }
            );
            Ok(())
        })
    });
    runtime.block_on(stage.proxies.stop());
    ran.unwrap();
}

#[tokio::test]
async fn streams_both_ways_without_buffering() {
    let stage = Stage::new().await;
    let mut client = Wire::connect(&stage.proxy).await;
    client.write("POST /stream HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n").await;
    let mut service = stage.accept().await;
    service.head().await;
    service.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").await;
    client.head().await;
    for part in ["one", "another"] {
        let chunk = format!("{:x}\r\n{part}\r\n", part.len());
        // Each chunk is read at the other end before the next is written.
        client.write(&chunk).await;
        assert_eq!(service.chunk().await, part.as_bytes());
        service.write(&chunk).await;
        assert_eq!(client.chunk().await, part.as_bytes());
    }
    stage.proxies.stop().await;
}

#[tokio::test]
async fn expect_continue_is_answered_by_the_service() {
    let stage = Stage::new().await;
    let head = "POST /api/upload HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n";
    let mut client = Wire::connect(&stage.proxy).await;
    client.write(head).await;
    let mut service = stage.accept().await;
    service.head().await;
    service.write("HTTP/1.1 100 Continue\r\n\r\n").await;
    assert!(client.head().await.starts_with("HTTP/1.1 100 "));
    client.write("body").await;
    assert_eq!(service.until(b"body").await, b"body");
    service.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    assert!(client.head().await.starts_with("HTTP/1.1 200 "));

    let mut refused = Wire::connect(&stage.proxy).await;
    refused.write(head).await;
    let mut service = stage.accept().await;
    service.head().await;
    service.write("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n").await;
    assert!(refused.head().await.starts_with("HTTP/1.1 417 "), "a body that is not wanted is not asked for");
    stage.proxies.stop().await;
}

#[tokio::test]
async fn an_unreachable_service_is_502() {
    let (proxy, proxies) = in_front_of(Url::parse("http://127.0.0.1:1").unwrap()).await;
    let mut client = Wire::connect(&proxy).await;
    client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n").await;
    let answered = client.message(true).await;
    assert!(answered.head.starts_with("HTTP/1.1 502 "), "{answered:?}");
    let body: serde_json::Value = serde_json::from_slice(&answered.body).unwrap();
    assert_eq!(body["status"], 502);
    proxies.stop().await;
}

/// Control of the tests above: a selected defect does change its path, and nothing else.
#[tokio::test]
async fn selected_defect_changes_only_its_path() {
    let stage = Stage::new().await;
    let defect = catalogue().iter().find(|defect| defect.id == "list-pages-rounded-down").unwrap();
    let response = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 33\r\n\r\n{\"totalCount\":44, \"totalPages\":3}\n";
    let mut bodies = Vec::new();
    for (on, path) in [(true, "/api/tokens"), (true, "/api/token"), (false, "/api/tokens")] {
        stage.proxies.switch(defect, on).await.unwrap();
        let mut client = Wire::connect(&stage.proxy).await;
        client.write(format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n")).await;
        let mut service = stage.accept().await;
        service.head().await;
        service
            .write(&response.replace("33", &response.split("\r\n\r\n").nth(1).unwrap().len().to_string()))
            .await;
        bodies.push(String::from_utf8(client.message(true).await.body).unwrap());
    }
    assert_eq!(bodies[0], "{\"totalCount\":44,\"totalPages\":2}");
    assert_eq!(bodies[1], "{\"totalCount\":44, \"totalPages\":3}\n");
    assert_eq!(bodies[2], bodies[1]);
    stage.proxies.stop().await;
}
