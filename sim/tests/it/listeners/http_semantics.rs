//! HTTP semantics on both services: media types, lengths, encodings, conditions, and unusual requests.
use slipway_sim::{ListenerLimits, Platform};

use super::wire::{Reply, Wire};
use super::{FORM, JSON, ask, form, gif, refused, start};
use crate::platform::ordered;

const BATCH: &str = "POST /api/tokens/batch";
const ZERO: &str = "0x0000000000000000000000000000000000000000";

#[tokio::test(flavor = "multi_thread")]
async fn services_follow_http_semantics() {
    let platform = start(ListenerLimits::default()).await;
    let ready = platform.ready().clone();
    for (origin, path) in [(&ready.base_url, "/api/tokens"), (&ready.swap_base_url, "/api/pairs")] {
        heads_and_packing(origin, path).await;
        ids(origin, path).await;
        pipelines(origin, path).await;
        preflights(origin, path).await;
        targets(origin, path).await;
        heads_too_large(origin, path).await;
        broken_requests(origin, path).await;
    }
    bodies(&ready.base_url).await;
    lengths(&ready.base_url).await;
    objects(&ready.base_url).await;
    pictures(&platform).await;
    chunks_at_a_node(&ready.chains[0].rpc_url).await;
    // None of this has harmed the services.
    for (origin, path) in [(&ready.base_url, "/api/tokens"), (&ready.swap_base_url, "/api/pairs")] {
        assert_eq!(ask(origin, &format!("GET {path}"), &[], b"").await.status, 200);
    }
    platform.stop().await;
}

/// The headers that must not depend on whether the body is sent.
fn lasting(reply: &Reply) -> Vec<(String, String)> {
    let mut headers: Vec<_> = reply
        .headers
        .iter()
        .filter(|(name, _)| !["date", "x-request-id", "transfer-encoding"].contains(&name.as_str()))
        .cloned()
        .collect();
    headers.sort();
    headers
}

async fn heads_and_packing(origin: &str, path: &str) {
    for accepted in ["identity", "gzip", "br;q=1, gzip;q=0.5", "gzip;q=0", "nonsense"] {
        let headers = [("accept-encoding", accepted)];
        let get = ask(origin, &format!("GET {path}"), &headers, b"").await;
        let mut wire = Wire::to(origin).await;
        wire.request(&format!("HEAD {path}"), &headers, b"").await;
        let head = wire.answer(true).await.unwrap();
        assert_eq!((get.status, head.status), (200, 200));
        assert_eq!(lasting(&get), lasting(&head), "{accepted}");
        // If the first answer had a body, it would be read as the head of the second one.
        wire.request(&format!("HEAD {path}"), &headers, b"").await;
        assert_eq!(wire.answer(true).await.unwrap().status, 200);
        let packed = accepted.contains("gzip") && !accepted.ends_with("q=0");
        let expected = if packed { "gzip" } else { "" };
        assert_eq!(get.header("content-encoding"), expected, "{accepted}");
        assert!(get.header("vary").contains("accept-encoding"), "{accepted}");
        assert_eq!(get.body.starts_with(&[0x1f, 0x8b]), packed, "{accepted}");
    }
}

async fn ids(origin: &str, path: &str) {
    for (sent, kept) in [
        ("mine-7", true),
        ("0123456789abcdef/#?!", true),
        ("two words", false),
        ("tab\there", false),
        (&"x".repeat(128), true),
        (&"x".repeat(129), false),
        ("näive", false),
        ("", false),
    ] {
        let reply = ask(origin, &format!("GET {path}"), &[("x-request-id", sent)], b"").await;
        let id = reply.header("x-request-id");
        assert_eq!(id == sent, kept, "{sent:?}: {id:?}");
        assert!(!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_graphic()));
    }
}

async fn pipelines(origin: &str, path: &str) {
    let mut wire = Wire::to(origin).await;
    let mut bytes = Vec::new();
    for (number, line) in ["GET", "HEAD", "DELETE", "GET"].iter().enumerate() {
        bytes.extend(
            format!("{line} {path} HTTP/1.1\r\nhost: h\r\nx-request-id: {number}\r\n\r\n").into_bytes(),
        );
    }
    wire.send(&bytes).await;
    for (number, status) in [200, 200, 405, 200].into_iter().enumerate() {
        let reply = wire.answer(number == 1).await.unwrap();
        let reported = (reply.status, reply.header("x-request-id"));
        assert_eq!(reported, (status, number.to_string()));
    }
    wire.request(&format!("GET {path}"), &[("connection", "close")], b"").await;
    let last = wire.answer(false).await.unwrap();
    assert_eq!((last.status, last.header("connection").as_str()), (200, "close"));
    assert!(wire.ends().await);
}

async fn preflights(origin: &str, path: &str) {
    let headers = [
        ("origin", "https://page.invalid"),
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", "x-request-id, authorization"),
    ];
    let reply = ask(origin, &format!("OPTIONS {path}"), &headers, b"").await;
    assert_eq!((reply.status, reply.body.len()), (204, 0));
    for (name, value) in [
        ("access-control-allow-origin", "*"),
        ("access-control-allow-methods", "GET, HEAD, OPTIONS"),
        ("access-control-allow-headers", "x-request-id, authorization"),
        ("access-control-max-age", "600"),
    ] {
        assert_eq!(reply.header(name), value, "{name}");
    }
    assert!(reply.header("vary").contains("access-control-request-headers"));
    let unknown = ask(origin, "OPTIONS /nowhere", &headers, b"").await;
    refused(&unknown, 404, "a preflight of nothing");
    // RFC 9110, section 9.3.7: `OPTIONS *` "does nothing beyond allowing the client to test the capabilities of the server".
    let ping = ask(origin, "OPTIONS *", &[], b"").await;
    assert_eq!((ping.status, ping.body.len()), (204, 0));
    refused(&ask(origin, "GET *", &[], b"").await, 404, "a resource without a path");
    let read = ask(origin, &format!("GET {path}"), &headers[..1], b"").await;
    assert_eq!(read.header("access-control-allow-origin"), "*");
    assert!(read.header("access-control-expose-headers").contains("x-request-id"));
}

async fn targets(origin: &str, path: &str) {
    // Unknown parameters are ignored in any form.
    for query in ["?", "?&&&", "?=", "?x", "?x=1&x=2", "?x=%2500", "?%F0%9F%98%80=1"] {
        let reply = ask(origin, &format!("GET {path}{query}"), &[], b"").await;
        assert_eq!(reply.status, 200, "{query}: {reply:?}");
    }
    let absolute = ask(origin, &format!("GET http://elsewhere.invalid{path}"), &[], b"").await;
    assert_eq!(absolute.status, 200);
    let long = ask(origin, &format!("GET {path}?x={}", "y".repeat(16 * 1024)), &[], b"").await;
    refused(&long, 414, "a long query");
    if path == "/api/pairs" {
        return;
    }
    for name in ["%00.png", "%ff.png", "a%00.png"] {
        let reply = ask(origin, &format!("GET /cdn/{name}"), &[], b"").await;
        refused(&reply, 400, name);
    }
    for name in
        ["%", "%zz", "x", "x.png", ".", "..%2f..%2fetc%2fpasswd", "%2e%2e", "a%2Fb.png", &"f".repeat(9_000)]
    {
        let reply = ask(origin, &format!("GET /cdn/{name}"), &[], b"").await;
        refused(&reply, 404, name);
    }
}

async fn heads_too_large(origin: &str, path: &str) {
    let get = format!("GET {path}");
    let many: Vec<(String, String)> = (0..101).map(|number| (format!("x-{number}"), "1".into())).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(ask(origin, &get, &many, b"").await.status, 431);
    assert_eq!(ask(origin, &get, &[("x-long", &"x".repeat(1_000_000))], b"").await.status, 431);
    let endless = ask(origin, &format!("GET {path}?{}", "x".repeat(1_000_000)), &[], b"").await;
    assert!([414, 431].contains(&endless.status), "{endless:?}");
}

/// Anything that is not an HTTP/1 request gets 400, and the connection closes.
async fn broken_requests(origin: &str, path: &str) {
    // A truncated request line is not a request, and HTTP/2 is not supported.
    for bytes in [format!("GET {path}"), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned()] {
        let mut wire = Wire::to(origin).await;
        wire.send(bytes.as_bytes()).await;
        wire.finish().await;
        assert!(wire.answer(false).await.is_none(), "{bytes:?}");
    }
    for bytes in [
        "\0\0\0\0\r\n\r\n".to_owned(),
        format!("GET {path} HTTP/3.0\r\nhost: h\r\n\r\n"),
        format!("GET {path} HTTP/1.1\r\nhost h\r\n\r\n"),
        format!("GET {path} HTTP/1.1\r\nhost: h\r\nx : 1\r\n\r\n"),
        format!("GET {path}\0 HTTP/1.1\r\nhost: h\r\n\r\n"),
        format!("GET {path} x HTTP/1.1\r\nhost: h\r\n\r\n"),
        format!("GET  {path} HTTP/1.1\r\nhost: h\r\n\r\n"),
        format!("POST {path} HTTP/1.1\r\nhost: h\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"),
        format!("POST {path} HTTP/1.1\r\nhost: h\r\ncontent-length: -1\r\n\r\n"),
        format!("POST {path} HTTP/1.1\r\nhost: h\r\ncontent-length: 0x1\r\n\r\na"),
        format!("POST {path} HTTP/1.1\r\nhost: h\r\ncontent-length: 99999999999999999999\r\n\r\n"),
        format!("POST {path} HTTP/1.1\r\nhost: h\r\ntransfer-encoding: gzip\r\n\r\n"),
    ] {
        let mut wire = Wire::to(origin).await;
        wire.send(bytes.as_bytes()).await;
        wire.finish().await;
        let reply = wire.answer(false).await.unwrap_or_else(|| panic!("no answer to {bytes:?}"));
        assert_eq!(reply.status, 400, "{bytes:?}: {reply:?}");
        assert!(wire.ends().await);
    }
    // RFC 9112, section 6.1: a transfer coding that is not understood is 501.
    for codings in ["gzip, chunked", "gzip,Chunked", "gzip\r\ntransfer-encoding: chunked"] {
        let mut wire = Wire::to(origin).await;
        let head = format!("POST {path} HTTP/1.1\r\nhost: h\r\ntransfer-encoding: {codings}\r\n\r\n");
        wire.send(head.as_bytes()).await;
        wire.send(b"2\r\n{}\r\n0\r\n\r\n").await;
        assert_eq!(wire.answer(false).await.unwrap().status, 501, "{codings}");
        assert!(wire.ends().await);
    }
    let mut wire = Wire::to(origin).await;
    wire.send(format!("GET {path}?x=").as_bytes()).await;
    wire.send(b"\xff\xfe HTTP/1.1\r\nhost: h\r\n\r\n").await;
    let raw = wire.answer(false).await.unwrap();
    assert_eq!(raw.status, 400, "bytes that are no text: {raw:?}");
}

fn addresses(count: usize) -> String {
    serde_json::json!({ "addresses": vec![ZERO; count] }).to_string()
}

async fn bodies(origin: &str) {
    let body = addresses(2);
    let length = ("content-length", &*body.len().to_string());
    let good = ask(origin, BATCH, &[JSON, length], body.as_bytes()).await;
    assert_eq!(good.status, 200);
    for (name, value) in [
        ("content-type", "text/plain"),
        ("content-type", "application/jsonp"),
        ("content-type", ""),
        ("x-none", ""),
    ] {
        let reply = ask(origin, BATCH, &[(name, value), length], body.as_bytes()).await;
        refused(&reply, 415, value);
    }
    for packing in ["gzip", "identity, gzip", "aes128gcm"] {
        let headers = [JSON, ("content-encoding", packing), length];
        refused(&ask(origin, BATCH, &headers, body.as_bytes()).await, 415, packing);
    }
    let typed = ("content-type", "Application/JSON; charset=utf-8");
    let plain = [typed, ("content-encoding", "identity"), length];
    assert_eq!(ask(origin, BATCH, &plain, body.as_bytes()).await.status, 200);
}

/// RFC 9112, sections 6.3 and 7.1: a body that breaks off, or whose chunks have no length or another one, is a bad request; it is not too large.
async fn chunks_at_a_node(url: &str) {
    for body in ["zz\r\n{}\r\n0\r\n\r\n", "1\r\n{}\r\n0\r\n\r\n", "9\r\n{}"] {
        let mut wire = Wire::to(url).await;
        wire.request("POST /", &[JSON, ("transfer-encoding", "chunked")], body.as_bytes()).await;
        wire.finish().await;
        let reply = wire.answer(false).await.unwrap();
        assert_eq!(reply.status, 400, "{body:?}: {reply:?}");
        assert!(reply.json()["error"]["message"].is_string());
    }
}

async fn lengths(origin: &str) {
    // Declared too large: refused before any of it is read, with or without `Expect`.
    for expecting in [&[][..], &[("expect", "100-continue")]] {
        let headers = [&[JSON, ("content-length", "9999999999")], expecting].concat();
        refused(&ask(origin, BATCH, &headers, b"").await, 413, "an announced length");
    }
    let headers = [FORM, ("content-length", "9999999999")];
    refused(&ask(origin, "POST /api/upload", &headers, b"").await, 400, "an announced form");
    // With `Expect`: first 100 Continue, then the answer.
    let (mut wire, body) = (Wire::to(origin).await, addresses(1));
    let length = ("content-length", &*body.len().to_string());
    wire.request(BATCH, &[JSON, length, ("expect", "100-continue")], b"").await;
    assert_eq!(wire.answer(false).await.unwrap().status, 100);
    wire.send(body.as_bytes()).await;
    assert_eq!(wire.answer(false).await.unwrap().status, 200);
    // Endless chunks.
    let mut wire = Wire::to(origin).await;
    wire.request(BATCH, &[JSON, ("transfer-encoding", "chunked")], b"").await;
    let chunk = [b"1000\r\n".as_slice(), &[b' '; 0x1000], b"\r\n"].concat();
    for _ in 0..17 {
        wire.send(&chunk).await;
    }
    refused(&wire.answer(false).await.unwrap(), 413, "chunks without end");
    assert!(wire.ends().await);
    // Invalid chunks.
    let mut wire = Wire::to(origin).await;
    wire.request(BATCH, &[JSON, ("transfer-encoding", "chunked")], b"zz\r\n{}\r\n").await;
    refused(&wire.answer(false).await.unwrap(), 400, "a chunk without a length");
    // More is sent than declared: the rest is the next request, and an invalid one.
    let mut wire = Wire::to(origin).await;
    wire.request(BATCH, &[JSON, length], format!("{body}{body}").as_bytes()).await;
    assert_eq!(wire.answer(false).await.unwrap().status, 200);
    assert_eq!(wire.answer(false).await.unwrap().status, 400);
    assert!(wire.ends().await);
    // Less is sent than declared, and the sender leaves.
    let mut wire = Wire::to(origin).await;
    wire.request(BATCH, &[JSON, ("content-length", "500")], body.as_bytes()).await;
    wire.finish().await;
    refused(&wire.answer(false).await.unwrap(), 400, "a body that breaks off");
    assert!(wire.ends().await);
    // Two contradictory lengths: the chunks count, the connection closes, and the rest is never read as a request.
    let (length, chunked) = (("content-length", "4"), ("transfer-encoding", "chunked"));
    for lengths in [[length, chunked], [chunked, length]] {
        let mut wire = Wire::to(origin).await;
        let smuggled = "0\r\n\r\nGET /api/koti HTTP/1.1\r\nhost: h\r\nx-request-id: smuggled\r\n\r\n";
        wire.request(BATCH, &[&[JSON], &lengths[..]].concat(), smuggled.as_bytes()).await;
        let reply = wire.answer(false).await.unwrap();
        assert_eq!((reply.status, reply.header("connection").as_str()), (400, "close"));
        assert!(wire.answer(false).await.is_none());
    }
}

async fn objects(origin: &str) {
    let deep = format!("{{\"addresses\": {}", "[".repeat(30_000));
    let nested = format!("{{\"addresses\": {}{}}}", "[".repeat(200), "]".repeat(200));
    for body in [
        "",
        "null",
        "[]",
        "\"addresses\"",
        "{",
        "{}{}",
        "{} x",
        "{\"addresses\": []",
        "{\"addresses\": null}",
        "{\"addresses\": {\"0\": \"x\"}}",
        "{\"addresses\": [1]}",
        "{\"addresses\": [], \"addresses\": []}",
        "{\"addresses\": [], \"\\u0061ddresses\": []}",
        "{\"addresses\": [], \"includeMetrics\": 1}",
        "{\"addresses\": [], \"includeMetrics\": \"true\"}",
        "{\"addresses\": [\"\\ud800\"]}",
        "{\"addresses\": [], \"x\": 1e999}",
        "{'addresses': []}",
        "\u{feff}{\"addresses\": []}",
        &deep,
        &nested,
        &addresses(51),
    ] {
        let headers = [JSON, ("content-length", &*body.len().to_string())];
        let shown: String = body.chars().take(60).collect();
        refused(&ask(origin, BATCH, &headers, body.as_bytes()).await, 400, &shown);
    }
    let headers = [JSON, ("content-length", "19")];
    let reply = ask(origin, BATCH, &headers, b"{\"addresses\":[\"\xff\"]}").await;
    refused(&reply, 400, "bytes that are no text");
    let odd = "{\"addresses\": [\"\\u0000\", \"0x\"], \"x\": -0.0e-9, \"y\": 18446744073709551616}";
    let headers = [JSON, ("content-length", &*odd.len().to_string())];
    let reply = ask(origin, BATCH, &headers, odd.as_bytes()).await;
    assert_eq!((reply.status, reply.json()["notFound"].as_array().unwrap().len()), (200, 2));
}

async fn pictures(platform: &Platform) {
    let origin = &platform.ready().base_url;
    let minted = ordered(platform, "POST /_sim/captchas", "").await;
    let picture = gif();
    // Bytes after the image in its file are dropped.
    let file = [&picture[..], &[0; 4_000]].concat();
    let body = form(minted["token"].as_str().unwrap(), &file, 0xab);
    let length = ("content-length", &*body.len().to_string());
    let stored = ask(origin, "POST /api/upload", &[FORM, length], &body).await;
    assert_eq!(stored.status, 200, "{stored:?}");
    let url = stored.json()["url"].as_str().unwrap().to_owned();
    let path = url.strip_prefix(origin).unwrap();
    let packed = [("accept-encoding", "gzip")];
    let get = ask(origin, &format!("GET {path}"), &packed, b"").await;
    assert_eq!((get.status, &get.body), (200, &picture));
    for (name, value) in [
        ("content-type", "image/gif"),
        ("content-encoding", ""),
        ("cache-control", "public, max-age=31536000, immutable"),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'; sandbox"),
        ("content-length", &picture.len().to_string()),
    ] {
        assert_eq!(get.header(name), value, "{name}");
    }
    let head = ask(origin, &format!("HEAD {path}"), &packed, b"").await;
    assert_eq!(lasting(&head), lasting(&get));
    let tag = get.header("etag");
    for (known, status) in [
        (tag.as_str(), 304),
        (&format!("W/{tag}"), 304),
        (&format!("\"x\", {tag}"), 304),
        ("*", 304),
        ("\"x\"", 200),
        (tag.trim_matches('"'), 200),
    ] {
        let reply = ask(origin, &format!("GET {path}"), &[("if-none-match", known)], b"").await;
        assert_eq!((reply.status, reply.header("etag")), (status, tag.clone()), "{known}");
        assert_eq!(reply.body.is_empty(), status == 304);
    }
    let part = ask(origin, &format!("GET {path}"), &[("range", "bytes=0-9")], b"").await;
    assert_eq!((part.status, &part.body), (200, &picture));
    let put = ask(origin, &format!("PUT {path}"), &[("content-length", "0")], b"").await;
    refused(&put, 405, "a picture is not replaced");
}

/// RFC 9112, section 3.2: "A server MUST respond with a 400 (Bad Request) status code to any HTTP/1.1 request message that lacks a Host header
/// field and to any request message that contains more than one Host header field line or a Host header field with an invalid field value."
/// Section 7.1: a chunk begins with its size in hexadecimal digits.
#[tokio::test(flavor = "multi_thread")]
async fn requests_without_one_valid_host_and_broken_chunks_are_bad() {
    let platform = start(ListenerLimits::default()).await;
    let ready = platform.ready().clone();
    let control = ready.control_url.clone().unwrap();
    for (origin, path) in
        [(&ready.base_url, "/api/tokens"), (&ready.swap_base_url, "/api/pairs"), (&control, "/_sim/ready")]
    {
        for hosts in [
            "",
            "host: a\r\nhost: a\r\n",
            "host: a b\r\n",
            "host: user@127.0.0.1\r\n",
            "host: a/\r\n",
            "host: a:b\r\n",
        ] {
            let mut wire = Wire::to(origin).await;
            wire.send(format!("GET {path} HTTP/1.1\r\n{hosts}\r\n").as_bytes()).await;
            refused(&wire.answer(false).await.unwrap(), 400, &format!("{path} with {hosts:?}"));
        }
        let mut wire = Wire::to(origin).await;
        wire.send(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).await;
        assert_eq!(wire.answer(false).await.unwrap().status, 200, "HTTP/1.0 demands no Host");
        assert_eq!(ask(origin, "GET /nowhere", &[], b"").await.header("x-content-type-options"), "nosniff");
    }
    // Section 3.2.2: "When an origin server receives a request with an absolute-form of request-target, the origin server MUST ignore the
    // received Host header field (if any) and instead use the host information of the request-target."
    for (named, host, status) in [
        ("127.0.0.1", "evil.example", 200),
        ("evil.example", "127.0.0.1", 403),
        ("evil.example", "a b", 400),
        ("user@127.0.0.1", "127.0.0.1", 400),
    ] {
        let mut wire = Wire::to(&control).await;
        let request = format!("GET http://{named}/_sim/ready HTTP/1.1\r\nhost: {host}\r\n\r\n");
        wire.send(request.as_bytes()).await;
        assert_eq!(wire.answer(false).await.unwrap().status, status, "{request}");
    }
    let chunked = ("transfer-encoding", "chunked");
    refused(
        &ask(&ready.base_url, BATCH, &[JSON, chunked], b"zz\r\nab\r\n").await,
        400,
        "a chunk without a size",
    );
    platform.stop().await;
}

/// RFC 9110, section 12.5.3: an origin server SHOULD send a response without any content coding if none of the codings is acceptable; the
/// status tells the outcome of the request.
#[tokio::test(flavor = "multi_thread")]
async fn no_accepted_encoding_turns_an_answer_into_a_refusal() {
    let platform = start(ListenerLimits::default()).await;
    let ready = platform.ready().clone();
    for value in ["identity;q=0", "*;q=0", "deflate, identity;q=0", "gzip;q=0, identity;q=0"] {
        let headers = [("accept-encoding", value)];
        for (origin, line, status) in [
            (&ready.base_url, "GET /api/tokens", 200),
            (&ready.base_url, "GET /nowhere", 404),
            (&ready.base_url, "GET /", 200),
            (&ready.swap_base_url, "GET /api/pairs", 200),
        ] {
            let reply = ask(origin, line, &headers, b"").await;
            assert_eq!(
                (reply.status, reply.header("content-encoding").as_str()),
                (status, ""),
                "{line}: {value}"
            );
        }
    }
    let body =
        form(ordered(&platform, "POST /_sim/captchas", "").await["token"].as_str().unwrap(), &gif(), 0xac);
    let length = ("content-length", &*body.len().to_string());
    let headers = [FORM, length, ("accept-encoding", "identity;q=0")];
    let stored = ask(&ready.base_url, "POST /api/upload", &headers, &body).await;
    assert_eq!(stored.status, 200, "{stored:?}");
    platform.stop().await;
}

/// RFC 7578, section 4.2, with RFC 2045, section 5.1: the names of parameters are not case-sensitive.
#[tokio::test(flavor = "multi_thread")]
async fn upload_takes_parameter_names_in_any_letter_case() {
    let platform = start(ListenerLimits::default()).await;
    let captcha = ordered(&platform, "POST /_sim/captchas", "").await["token"].as_str().unwrap().to_owned();
    let body = form(&captcha, &gif(), 0xad);
    let text = String::from_utf8_lossy(&body).into_owned();
    assert!(text.contains("; name=") && text.contains("; filename="));
    let mut upper = Vec::new();
    let mut rest = &body[..];
    while let Some(at) = rest.windows(6).position(|part| part == b"; name" || part == b"; file") {
        let end = at + rest[at..].iter().position(|byte| *byte == b'=').unwrap();
        upper.extend(&rest[..at]);
        upper.extend(rest[at..end].to_ascii_uppercase());
        rest = &rest[end..];
    }
    upper.extend(rest);
    let length = ("content-length", &*upper.len().to_string());
    let stored = ask(&platform.ready().base_url, "POST /api/upload", &[FORM, length], &upper).await;
    assert_eq!(stored.status, 200, "{stored:?}");
    platform.stop().await;
}
