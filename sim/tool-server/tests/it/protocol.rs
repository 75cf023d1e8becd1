//! Error codes of the protocol, limits of lines, and how a conversation begins and ends.
use serde_json::{Value, json};

use crate::peer::{Peer, code};

#[tokio::test]
async fn malformed_messages_get_standard_error_codes() {
    let mut peer = Peer::initialized().await;
    let cases: &[(&[u8], i64, Value)] = &[
        (b"not json\n", -32700, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\n", -32700, Value::Null),
        (b"\xff\xfe{}\n", -32700, Value::Null),
        (b"\0\0\0\n", -32700, Value::Null),
        (b"[]\n", -32600, Value::Null),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n", -32600, Value::Null),
        (b"7\n", -32600, Value::Null),
        (b"{}\n", -32600, Value::Null),
        (b"{\"id\":5,\"method\":\"ping\"}\n", -32600, json!(5)),
        (b"{\"jsonrpc\":\"1.0\",\"id\":\"a\",\"method\":\"ping\"}\n", -32600, json!("a")),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}\n", -32600, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n", -32600, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":7}\n", -32600, json!(6)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7}\n", -32600, json!(7)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{\"name\":\"no_such\"}}\n", -32602, json!(8)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":7}}\n", -32602, json!(9)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"tools/call\",\"params\":{\"name\":\"wallet_info\",\"arguments\":[]}}\n", -32602, json!(10)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":11,\"method\":\"no/such\"}\n", -32601, json!(11)),
    ];
    for (bytes, code, id) in cases {
        peer.send_bytes(bytes).await;
        let response = peer.line().await.unwrap();
        let shown = String::from_utf8_lossy(bytes);
        assert_eq!(response["error"]["code"], *code, "{shown}: {response}");
        assert_eq!(response["id"], *id, "{shown}: {response}");
    }
    peer.send_bytes(b"\n\r\n  \n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}\n").await;
    peer.send_bytes(&["[".repeat(100_000).as_bytes(), b"\n"].concat()).await;
    assert_eq!(peer.line().await.unwrap()["error"]["code"], -32700);
    assert!(peer.request("ping", json!({})).await["result"].is_object());
}

#[tokio::test]
async fn lines_are_limited_to_four_mebibytes() {
    let mut peer = Peer::initialized().await;
    let mut oversized = vec![b'x'; 10 * 1024 * 1024];
    oversized.push(b'\n');
    peer.send_bytes(&oversized).await;
    assert_eq!(peer.line().await.unwrap()["error"]["code"], -32600);
    let mut longest =
        json!({ "jsonrpc": "2.0", "id": 77, "method": "ping", "params": { "_meta": { "x": "" } } });
    let rest = 4 * 1024 * 1024 - longest.to_string().len() - 1;
    longest["params"]["_meta"]["x"] = json!("y".repeat(rest));
    peer.send(&longest).await;
    assert_eq!(peer.line().await.unwrap()["id"], 77);
}

#[tokio::test]
async fn messages_before_initialize_are_ignored_or_refused() {
    let mut peer = Peer::connect();
    peer.send_bytes(b"garbage\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").await;
    assert_eq!(peer.line().await.unwrap()["error"]["code"], -32700);
    peer.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n").await;
    let early = peer.request("tools/list", json!({})).await;
    assert!(early.get("error").is_some(), "{early}");
    assert_eq!(peer.initialize("2025-06-18").await["result"]["protocolVersion"], "2025-06-18");
}

/// MCP 2025-11-25, lifecycle: the revision of a session is the one that the server has answered with, also if it is greeted again: `ping` is
/// gone in 2026-07-28, which has no greeting, and is answered in every revision that has one.
#[tokio::test]
async fn a_second_greeting_agrees_on_a_revision_like_the_first() {
    let mut peer = Peer::connect();
    for asked in ["2026-07-28", "2026-07-28", "2025-06-18", "2999-01-01"] {
        let greeting = peer.initialize(asked).await;
        let agreed = greeting["result"]["protocolVersion"].as_str().unwrap();
        assert!(agreed <= "2025-11-25", "{greeting}");
        assert!(peer.request("ping", json!({})).await["result"].is_object(), "{asked}");
        let unknown = peer.request("resources/read", json!({ "uri": "slipway://none" })).await;
        assert_eq!(unknown["error"]["code"], -32002, "{asked}: {unknown}");
    }
}

#[tokio::test]
async fn unreachable_services_are_errors_of_the_tool() {
    let mut peer = Peer::initialized().await;
    for (tool, expected) in [
        (r#"{"name":"wallet_info","arguments":{}}"#, "rpc-failed"),
        (r#"{"name":"recent_launches","arguments":{}}"#, "service-failed"),
        (r#"{"name":"launch_status","arguments":{"launchId":1}}"#, "rpc-failed"),
        (r#"{"name":"wallet_info","arguments":{"key":true}}"#, "argument-unknown"),
        (r#"{"name":"recent_launches","arguments":{"limit":51}}"#, "limit-range"),
        (r#"{"name":"launch_status","arguments":{"launchId":0}}"#, "launch-id-shape"),
        (r#"{"name":"launch_status","arguments":{"launchId":1.5}}"#, "launch-id-shape"),
        (r#"{"name":"launch_status","arguments":{"launchId":"0x1"}}"#, "launch-id-shape"),
        (r#"{"name":"launch_status","arguments":{}}"#, "argument-missing"),
    ] {
        let result = peer.call_raw(tool).await;
        assert_eq!(code(&result), expected, "{tool}");
        assert!(result["content"][0]["text"].as_str().unwrap().contains("Next: "), "{result}");
    }
}
