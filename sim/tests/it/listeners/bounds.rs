//! Slow peers, many peers, and shutdown: each costs a limited time and a limited share of the machine.
use std::time::Duration;

use futures::future::join_all;
use slipway_sim::ListenerLimits;
use tokio::net::TcpStream;

use super::wire::Wire;
use super::{FORM, JSON, ask, form, refused, start};
use crate::platform::ordered;

const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_secs(600);

#[tokio::test(flavor = "multi_thread")]
async fn slow_headers_and_bodies_time_out() {
    let platform =
        start(ListenerLimits { header_timeout: SHORT, body_timeout: SHORT, ..ListenerLimits::default() })
            .await;
    let ready = platform.ready();
    for origin in [&ready.base_url, &ready.swap_base_url, ready.control_url.as_ref().unwrap()] {
        for begun in ["", "G", "GET /api/tokens HTTP/1.1\r\nhost: h\r\nx-long: "] {
            let mut wire = Wire::to(origin).await;
            wire.send(begun.as_bytes()).await;
            assert!(wire.ends().await, "{origin}: {begun:?}");
        }
        // A connection that was used before is not kept forever either.
        let mut wire = Wire::to(origin).await;
        wire.request("GET /api/tokens", &[], b"").await;
        wire.answer(false).await.unwrap();
        assert!(wire.ends().await);
    }
    for (line, kind) in
        [("POST /api/tokens/batch", JSON), ("POST /api/referral/register", JSON), ("POST /api/upload", FORM)]
    {
        for length in [("content-length", "1000"), ("transfer-encoding", "chunked")] {
            let mut wire = Wire::to(&ready.base_url).await;
            wire.request(line, &[kind, length], b"5\r\n{\"add").await;
            // An upload has no status of its own for this.
            let status = if line == "POST /api/upload" { 400 } else { 408 };
            refused(&wire.answer(false).await.unwrap(), status, line);
            assert!(wire.ends().await);
        }
    }
    let mut wire = Wire::to(ready.control_url.as_ref().unwrap()).await;
    wire.request("POST /_sim/clock/advance", &[("content-length", "9")], b"{").await;
    refused(&wire.answer(false).await.unwrap(), 408, "a slow order");
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn excess_connection_waits_for_a_free_slot() {
    let platform =
        start(ListenerLimits { connections: 3, header_timeout: SHORT, ..ListenerLimits::default() }).await;
    let origin = platform.ready().base_url.clone();
    let delay = r#"{"path": "/api/koti", "times": 3, "effect": {"delayMilliseconds": 700}}"#;
    ordered(&platform, "PUT /_sim/faults/slow", delay).await;
    let slow = join_all((0..3).map(|_| async {
        let mut wire = Wire::to(&origin).await;
        wire.request("GET /api/koti", &[], b"").await;
        wire
    }))
    .await;
    while ordered(&platform, "GET /_sim/faults/slow", "").await["matched"] != 3 {}
    let mut waiting = Wire::to(&origin).await;
    waiting.request("GET /api/tokens", &[], b"").await;
    let first = futures::future::select_all(slow.into_iter().map(|mut wire| {
        Box::pin(async move {
            let reply = wire.answer(false).await.unwrap();
            (wire, reply.status)
        })
    }));
    // In this order: on a busy machine both may have been answered by now, one after the other.
    tokio::select! {
        biased;
        ((_wire, status), _, _) = first => assert_eq!(status, 200),
        _ = waiting.answer(false) => panic!("a fourth connection was served beside three"),
    }
    // The three are idle or closed by now, and idle connections are not kept.
    assert_eq!(waiting.answer(false).await.unwrap().status, 200);
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_connections_make_way_for_those_that_ask() {
    const CONNECTIONS: usize = 8;
    let platform = start(ListenerLimits {
        connections: CONNECTIONS,
        header_timeout: LONG,
        body_timeout: LONG,
        write_timeout: LONG,
        ..ListenerLimits::default()
    })
    .await;
    let ready = platform.ready();
    for origin in [&ready.base_url, &ready.swap_base_url, ready.control_url.as_ref().unwrap()] {
        let mut silent = Vec::new();
        for begun in ["", "GET /api/to"].into_iter().cycle().take(2 * CONNECTIONS) {
            let mut wire = Wire::to(origin).await;
            wire.send(begun.as_bytes()).await;
            silent.push(wire);
        }
        // Each of these takes the place of the one that has been silent longest.
        for _ in 0..CONNECTIONS {
            assert_eq!(ask(origin, "GET /nowhere", &[("connection", "close")], b"").await.status, 404);
        }
        assert!(silent.remove(0).ends().await);
    }
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_forms_do_not_keep_an_upload_out() {
    let platform = start(ListenerLimits::default()).await;
    let origin = platform.ready().base_url.clone();
    let mut slow = Vec::new();
    for number in 0..64 {
        let mut wire = Wire::to(&origin).await;
        // Half of them send enough to get a place.
        let begun = vec![b'x'; if number % 2 == 0 { 3 } else { 16 * 1024 }];
        wire.request("POST /api/upload", &[FORM, ("content-length", "1000000")], &begun).await;
        slow.push(wire);
    }
    let captcha = ordered(&platform, "POST /_sim/captchas", "").await["token"].as_str().unwrap().to_owned();
    let body = form(&captcha, &super::gif(), 0xae);
    let length = ("content-length", &*body.len().to_string());
    let begun = std::time::Instant::now();
    let stored = ask(&origin, "POST /api/upload", &[FORM, length], &body).await;
    assert_eq!(stored.status, 200, "{stored:?}");
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn non_reading_peer_is_disconnected() {
    let platform = start(ListenerLimits {
        connections: 1,
        header_timeout: LONG,
        body_timeout: LONG,
        write_timeout: SHORT,
        ..ListenerLimits::default()
    })
    .await;
    let origin = platform.ready().base_url.clone();
    let mut deaf = Wire::to(&origin).await;
    let request = b"GET /api/tokens HTTP/1.1\r\nhost: h\r\n\r\n";
    deaf.send(&request.repeat(2_000)).await;
    // A connection that was never answered would have to make way at once.
    assert_eq!(deaf.answer(false).await.unwrap().status, 200);
    // The only slot is occupied until the unread answers are abandoned.
    let reply = ask(&origin, "GET /api/koti", &[("connection", "close")], b"").await;
    assert_eq!(reply.status, 200);
    let mut answered = 1;
    while deaf.answer(false).await.is_some() {
        answered += 1;
    }
    assert!((1..2_000).contains(&answered), "{answered}");
    platform.stop().await;
}

/// Opens a stream of events as this caller; `None` if it is refused, in which case its connection closes.
async fn stream(origin: &str, caller: &str) -> Option<Wire> {
    let mut wire = Wire::to(origin).await;
    wire.request("GET /live", &[("x-forwarded-for", caller)], b"").await;
    match wire.status().await {
        Some(200) => Some(wire),
        Some(status) => {
            assert_eq!(status, 503);
            assert!(wire.ends().await);
            None
        }
        // With more connections than places, the one that has been silent longest makes way.
        None => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_readers_of_events_keep_nobody_out() {
    const READERS: usize = 1024;
    let platform = start(ListenerLimits::default()).await;
    let trusting = slipway_sim::Config { trust_forwarded: true, ..crate::platform::config() };
    let behind_proxy = slipway_sim::Platform::start(trusting).await.unwrap();
    for (platform, callers, admitted) in [(&platform, 1, 8), (&behind_proxy, 128, 64)] {
        let origin = &platform.ready().base_url;
        let readers = (0..READERS)
            .map(async |number| stream(origin, &format!("198.51.100.{}", number % callers)).await);
        let ordinary = (0..32).map(async |_| {
            for _ in 0..8 {
                assert_eq!(ask(origin, "GET /api/koti", &[("connection", "close")], b"").await.status, 200);
            }
        });
        let (readers, _) = tokio::join!(join_all(readers), join_all(ordinary));
        let mut open: Vec<Wire> = readers.into_iter().flatten().collect();
        assert_eq!(open.len(), admitted);
        // When a reader leaves, another is accepted.
        drop(open.pop());
        while open.len() < admitted {
            open.extend(stream(origin, "198.51.100.0").await);
        }
    }
    platform.stop().await;
    behind_proxy.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn graceful_shutdown_drains_then_aborts() {
    let platform =
        start(ListenerLimits { drain_timeout: Duration::from_secs(3), ..ListenerLimits::default() }).await;
    let origin = platform.ready().base_url.clone();
    for (name, path, milliseconds) in [("short", "/api/koti", 500), ("long", "/api/tokens", 60_000)] {
        let fault = format!(r#"{{"path": "{path}", "effect": {{"delayMilliseconds": {milliseconds}}}}}"#);
        ordered(&platform, &format!("PUT /_sim/faults/{name}"), &fault).await;
    }
    let mut idle = Wire::to(&origin).await;
    idle.request("GET /nowhere", &[], b"").await;
    assert_eq!(idle.answer(false).await.unwrap().status, 404);
    let mut sending = Wire::to(&origin).await;
    sending.request("POST /api/upload", &[FORM, ("content-length", "1000")], b"--b").await;
    let (mut short, mut long) = (Wire::to(&origin).await, Wire::to(&origin).await);
    short.request("GET /api/koti", &[], b"").await;
    long.request("GET /api/tokens", &[], b"").await;
    for name in ["short", "long"] {
        while ordered(&platform, &format!("GET /_sim/faults/{name}"), "").await["matched"] != 1 {}
    }
    let stopped = tokio::spawn(platform.stop());
    assert!(idle.ends().await);
    assert!(TcpStream::connect(origin.strip_prefix("http://").unwrap()).await.is_err());
    let reply = short.answer(false).await.unwrap();
    assert_eq!((reply.status, reply.header("connection").as_str()), (200, "close"));
    assert!(long.answer(false).await.is_none());
    assert!(sending.answer(false).await.is_none());
    stopped.await.unwrap();
}
