//! Ids, batches, cursors and greetings, tested by the sentences of JSON-RPC 2.0 and of each revision of MCP.
use serde_json::{Value, json};

use crate::peer::Peer;

/// JSON-RPC 2.0, section 5: "It MUST be the same as the value of the id member in the Request Object"; MCP: "Requests MUST include a string
/// or integer ID".
#[tokio::test]
async fn ids_are_sent_back_as_they_were_written() {
    let mut peer = Peer::initialized().await;
    let digits = "9".repeat(400);
    for id in [
        "9223372036854775808",
        "18446744073709551616",
        "1.0",
        "-0",
        "1e3",
        "1e400",
        &digits,
        r#""\ud800""#,
        r#""\u0061""#,
    ] {
        peer.send_bytes(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n").as_bytes())
            .await;
        let line = peer.raw_line().await;
        assert!(line.contains(&format!("\"id\":{id},\"result\":{{}}")), "{id}: {line}");
    }
}

/// JSON-RPC 2.0, section 5: "If there was an error in detecting the id in the Request object (e.g. Parse error/Invalid Request), it MUST be
/// Null": only then. RFC 8259, sections 8.2 and 6: texts with lone surrogates and numbers of any size are JSON.
#[tokio::test]
async fn errors_have_the_id_wherever_it_can_be_read() {
    let mut peer = Peer::initialized().await;
    let long = "x".repeat(5 * 1024 * 1024);
    let deep = format!("{}{}", "[".repeat(130), "]".repeat(130));
    let digits = "9".repeat(400);
    for (members, code) in [
        (r#""params":{"name":"preview_launch","arguments":{"name":"\ud800"}}"#.to_owned(), -32602),
        (r#""params":{"name":"preview_launch","arguments":{"targetRaiseEth":1e400}}"#.to_owned(), -32602),
        (
            format!(r#""params":{{"name":"preview_launch","arguments":{{"targetRaiseEth":{digits}}}}}"#),
            -32602,
        ),
        (format!(r#""params":{{"name":"preview_launch","arguments":{{"name":{deep}}}}}"#), -32602),
        (format!(r#""params":{{"name":"{long}"}}"#), -32600),
    ] {
        for line in [
            format!(r#"{{"jsonrpc":"2.0","id":"a","method":"tools/call",{members}}}"#),
            format!(r#"{{"jsonrpc":"2.0","method":"tools/call",{members},"id":"a"}}"#),
        ] {
            peer.send_bytes(format!("{line}\n").as_bytes()).await;
            let answer = peer.line().await.unwrap();
            let shown: String = line.chars().take(120).collect();
            assert_eq!(
                (&answer["id"], &answer["error"]["code"]),
                (&json!("a"), &json!(code)),
                "{shown}: {answer}"
            );
        }
    }
    peer.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{\"x\":\"\xff\"}}\n")
        .await;
    assert_eq!(peer.line().await.unwrap()["id"], 7);
}

/// MCP 2025-11-25 has no null id: an error without an id lacks the member. JSON-RPC 2.0 has it, and so do the earlier revisions.
#[tokio::test]
async fn unknown_id_is_null_or_absent_by_the_revision() {
    for (revision, expected) in [("2025-06-18", Some(&Value::Null)), ("2025-11-25", None)] {
        let mut peer = Peer::connect();
        peer.initialize(revision).await;
        peer.send_bytes(b"no message\n").await;
        let line = peer.line().await.unwrap();
        assert_eq!(line["error"]["code"], -32700);
        assert_eq!(line.get("id"), expected, "{revision}");
    }
}

/// JSON-RPC 2.0, section 5: a response answers a request, and no rule allows an answer to a response.
#[tokio::test]
async fn responses_are_not_answered() {
    let mut peer = Peer::initialized().await;
    for response in [
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":3,"result":{}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}"#,
        r#"{"id":9223372036854775808,"result":null}"#,
    ] {
        peer.send_bytes(format!("{response}\n").as_bytes()).await;
        // The next line answers this request.
        assert!(peer.request("ping", json!({})).await["result"].is_object(), "{response}");
    }
}

/// MCP 2025-03-26, base protocol: "MCP implementations MAY support sending JSON-RPC batches, but MUST support receiving JSON-RPC batches."
/// JSON-RPC 2.0, section 6, gives the answers.
#[tokio::test]
async fn batches_are_answered_in_the_revisions_that_have_them() {
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#;
    let ping = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    for revision in ["2024-11-05", "2025-03-26"] {
        let mut peer = Peer::connect();
        assert_eq!(peer.initialize(revision).await["result"]["protocolVersion"], revision);
        peer.send_bytes(format!("[{},{notification},{},1,{{}}]\n", ping("1"), ping("\"b\"")).as_bytes())
            .await;
        let answers = peer.line().await.unwrap();
        let mut ids: Vec<String> =
            answers.as_array().unwrap().iter().map(|answer| answer["id"].to_string()).collect();
        ids.sort_unstable();
        assert_eq!(ids, ["\"b\"", "1", "null", "null"], "{answers}");
        let errors =
            answers.as_array().unwrap().iter().filter(|answer| answer["error"]["code"] == -32600).count();
        assert_eq!(errors, 2, "{answers}");
        // MCP 2025-03-26, lifecycle: "The initialize request MUST NOT be part of a JSON-RPC batch".
        let greeting = json!({ "jsonrpc": "2.0", "id": 3, "method": "initialize", "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "a", "version": "1" } } });
        peer.send(&json!([greeting])).await;
        let answers = peer.line().await.unwrap();
        assert_eq!(
            (&answers[0]["id"], &answers[0]["error"]["code"]),
            (&json!(3), &json!(-32600)),
            "{answers}"
        );
        // "The Server MUST NOT return an empty Array", and returns nothing for notifications alone.
        peer.send_bytes(format!("[{notification}]\n").as_bytes()).await;
        assert!(peer.request("ping", json!({})).await["result"].is_object());
        // "[…] the response from the Server MUST be a single Response object" for an empty array.
        for wrong in ["[]".to_owned(), format!("[{}]", vec![ping("1"); 101].join(","))] {
            peer.send_bytes(format!("{wrong}\n").as_bytes()).await;
            assert_eq!(peer.line().await.unwrap()["error"]["code"], -32600);
        }
    }
    for revision in ["2025-06-18", "2025-11-25"] {
        let mut peer = Peer::connect();
        peer.initialize(revision).await;
        peer.send_bytes(format!("[{}]\n", ping("1")).as_bytes()).await;
        assert_eq!(peer.line().await.unwrap()["error"]["code"], -32600);
    }
}

/// MCP 2025-03-26, base protocol: a request in a batch that is cancelled gets no response, and the others still do.
#[tokio::test]
async fn cancelled_part_of_a_batch_keeps_no_other_waiting() {
    let (announce, announced) = tokio::sync::oneshot::channel::<slipway_tool_server::Addresses>();
    let start = Box::pin(async { Ok::<_, slipway_tool_server::StartFailed>(announced.await.unwrap()) });
    let mut peer = Peer::connect_starting(&crate::peer::Environment::offline(), start);
    peer.initialize("2025-03-26").await;
    let call = |id: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"wallet_info"}}}}"#)
    };
    let ping = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
    // Cancelled by another spelling of the same integer.
    peer.send_bytes(format!("[{},{ping}]\n", call("9223372036854775808.0")).as_bytes()).await;
    assert!(peer.request("ping", json!({})).await["result"].is_object());
    let cancelled =
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9223372036854775808}}"#;
    peer.send_bytes(format!("{cancelled}\n").as_bytes()).await;
    assert_eq!(peer.line().await.unwrap(), json!([{ "jsonrpc": "2.0", "id": 2, "result": {} }]));
    drop(announce);
}

/// MCP, pagination: "Invalid cursors SHOULD result in an error with code -32602 (Invalid params)".
#[tokio::test]
async fn unknown_cursors_are_invalid_parameters() {
    let mut peer = Peer::initialized().await;
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        let error = peer.request(method, json!({ "cursor": "bogus" })).await["error"].clone();
        assert_eq!(error["code"], -32602, "{method}");
        assert!(error["message"].as_str().unwrap().contains("cursor"), "{method}: {error}");
        // A cursor is a string (schema, `Cursor`).
        for other in [json!(5), json!(true), json!([]), json!({})] {
            let error = peer.request(method, json!({ "cursor": other })).await["error"].clone();
            assert_eq!(error["code"], -32602, "{method} {other}");
        }
        assert!(peer.request(method, json!({})).await["result"].is_object(), "{method}");
    }
}

/// MCP, lifecycle: an `initialize` request contains protocol version, capabilities and client information.
#[tokio::test]
async fn greeting_that_lacks_a_member_is_refused_by_its_name() {
    let whole = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "a", "version": "1" } });
    for (pointer, named) in [
        ("clientInfo", "clientInfo"),
        ("capabilities", "capabilities"),
        ("protocolVersion", "protocolVersion"),
    ] {
        let mut peer = Peer::connect();
        let mut params = whole.clone();
        params.as_object_mut().unwrap().remove(pointer);
        let error = peer.request("initialize", params).await["error"].clone();
        assert_eq!(error["code"], -32602, "{pointer}: {error}");
        assert!(error["message"].as_str().unwrap().contains(named), "{pointer}: {error}");
        // The conversation is still open.
        assert!(peer.request("initialize", whole.clone()).await["result"].is_object());
    }
    let mut peer = Peer::connect();
    let mut params = whole;
    params["clientInfo"].as_object_mut().unwrap().remove("version");
    let error = peer.request("initialize", params).await["error"].clone();
    assert!(error["message"].as_str().unwrap().contains("clientInfo.version"), "{error}");
}
