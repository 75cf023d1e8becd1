//! The protocol itself: versions, garbage, bounds, cancellation, the end.
use serde_json::{Value, json};

use super::client::{Client, Environment, launch, public_names};
use super::host::Host;

const TOOLS: [&str; 5] =
    ["launch_token", "preview_launch", "wallet_info", "recent_launches", "launch_status"];

async fn environment() -> (Environment, Host, super::names::Names) {
    let (host, names) = (Host::honest().await, public_names().await);
    (Environment::of(&host, &names), host, names)
}

#[tokio::test]
async fn every_version_with_a_handshake_is_spoken() {
    let (environment, _host, _names) = environment().await;
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::start(&environment);
        let answer = client.initialize(version).await;
        assert_eq!(answer["result"]["protocolVersion"], version);
        assert_eq!(answer["result"]["serverInfo"]["name"], "slipway");
        let tools = client.request("tools/list", json!({})).await;
        assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 5);
    }
    let mut client = Client::start(&environment);
    let answer = client.initialize("1999-01-01").await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn the_newest_version_needs_no_handshake() {
    let (environment, _host, _names) = environment().await;
    let mut client = Client::start(&environment);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let discovered = client.request("server/discover", json!({ "_meta": meta })).await;
    let versions = discovered["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{discovered}");
    let tools = client.request("tools/list", json!({ "_meta": meta })).await;
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 5);
    let call = json!({ "name": "wallet_info", "arguments": {}, "_meta": meta });
    let wallet = client.request("tools/call", call).await;
    assert_eq!(wallet["result"]["structuredContent"]["chainId"], 57073);
}

#[tokio::test]
async fn five_tools_say_their_constraints() {
    let (environment, _host, _names) = environment().await;
    let mut client = Client::open(&environment).await;
    let listed = client.request("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, TOOLS);
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{}", tool["name"]);
        assert!(tool["inputSchema"]["properties"].is_object());
        assert!(!tool["inputSchema"].to_string().contains("\\n"), "descriptions are single lines");
        assert_eq!(tool["outputSchema"]["type"], "object");
        assert_eq!(tool["annotations"]["readOnlyHint"], tool["name"] != "launch_token");
        assert_eq!(tool["annotations"]["destructiveHint"], tool["name"] == "launch_token");
    }
    let launch = &tools[0]["inputSchema"];
    let property = |name: &str| launch["properties"][name].clone();
    let bound = |name: &str, keyword: &str| property(name)[keyword].clone();
    assert_eq!((bound("name", "minLength"), bound("name", "maxLength")), (json!(1), json!(48)));
    assert_eq!((bound("ticker", "maxLength"), bound("description", "maxLength")), (json!(12), json!(500)));
    assert_eq!(
        (bound("targetRaiseEth", "minimum"), bound("targetRaiseEth", "maximum")),
        (json!(1), json!(5))
    );
    assert_eq!(
        (bound("curveGainMultiplier", "maximum"), bound("curveGainMultiplier", "default")),
        (json!(21), json!(6))
    );
    assert_eq!(
        (bound("creatorFeeSplitBps", "maximum"), bound("creatorFeeSplitBps", "default")),
        (json!(10_000), json!(5_000))
    );
    assert_eq!(bound("antiSnipeSeconds", "enum"), json!([0, 20, 40, 60]));
    assert_eq!((bound("prebuyEth", "default"), bound("startTimestamp", "default")), (json!(0), json!(0)));
    assert_eq!((bound("referralCode", "maxLength"), bound("confirm", "const")), (json!(64), json!("YES")));
    let required: Vec<&str> =
        launch["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(required, ["name", "ticker", "description", "imageUrl", "targetRaiseEth", "confirm"]);
    let preview = &tools[1]["inputSchema"];
    assert!(preview["properties"].get("confirm").is_none());
    assert_eq!(preview["properties"].as_object().unwrap().len(), 14);
}

#[tokio::test]
async fn results_are_structured_beside_their_text() {
    let (environment, _host, _names) = environment().await;
    let mut client = Client::open(&environment).await;
    let result = client.call("wallet_info", json!({})).await;
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
}

#[tokio::test]
async fn garbage_is_answered_and_survived() {
    let (environment, _host, _names) = environment().await;
    let mut client = Client::open(&environment).await;
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
        client.send_bytes(bytes).await;
        let answer = client.line().await.unwrap();
        let shown = String::from_utf8_lossy(bytes);
        assert_eq!(answer["error"]["code"], *code, "{shown}: {answer}");
        assert_eq!(answer["id"], *id, "{shown}: {answer}");
    }
    client.send_bytes(b"\n\r\n  \n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}\n").await;
    client.send_bytes(&["[".repeat(100_000).as_bytes(), b"\n"].concat()).await;
    assert_eq!(client.line().await.unwrap()["error"]["code"], -32700);
    client.result("wallet_info", json!({})).await;
}

#[tokio::test]
async fn an_endless_line_is_dropped_and_answered() {
    let (environment, _host, _names) = environment().await;
    let mut client = Client::open(&environment).await;
    let mut long = vec![b'x'; 10 * 1024 * 1024];
    long.push(b'\n');
    client.send_bytes(&long).await;
    let answer = client.line().await.unwrap();
    assert_eq!(answer["error"]["code"], -32600);
    client.result("wallet_info", json!({})).await;
    let mut largest =
        json!({ "jsonrpc": "2.0", "id": 77, "method": "ping", "params": { "_meta": { "x": "" } } });
    let rest = 4 * 1024 * 1024 - largest.to_string().len() - 1;
    largest["params"]["_meta"]["x"] = json!("y".repeat(rest));
    client.send(&largest).await;
    assert_eq!(client.line().await.unwrap()["id"], 77, "a line of exactly 4 MiB is taken");
}

#[tokio::test]
async fn garbage_before_the_opening_does_not_end_the_conversation() {
    let (environment, _host, _names) = environment().await;
    let mut client = Client::start(&environment);
    client.send_bytes(b"garbage\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").await;
    assert_eq!(client.line().await.unwrap()["error"]["code"], -32700);
    client.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n").await;
    let early = client.request("tools/list", json!({})).await;
    assert!(early.get("error").is_some(), "{early}");
    let answer = client.initialize("2025-06-18").await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
}

#[tokio::test]
async fn leaving_early_is_no_error() {
    let (environment, _host, _names) = environment().await;
    Client::start(&environment).leave().await.unwrap();
    let mut client = Client::start(&environment);
    client.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"meth").await;
    client.leave().await.unwrap();
    Client::open(&environment).await.leave().await.unwrap();
    let mut client = Client::open(&environment).await;
    client.send_bytes(br#"{"jsonrpc":"2.0","id":50,"method":"ping"}"#).await;
    client.leave().await.unwrap();
}

#[tokio::test]
async fn a_cancelled_wait_stops_and_sends_nothing_more() {
    let host =
        Host::chain(|method, _, _| (method == "eth_getTransactionReceipt").then(|| json!("hang"))).await;
    let names = public_names().await;
    let mut client = Client::open(&Environment::of(&host, &names)).await;
    let id = client.post("tools/call", json!({ "name": "launch_token", "arguments": launch() })).await;
    while host.count("eth_getTransactionReceipt") == 0 {
        client.result("wallet_info", json!({})).await;
    }
    client
        .send(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }),
        )
        .await;
    client.result("wallet_info", json!({})).await;
    assert!(!client.said.contains(&format!("\"id\":{id},")), "a cancelled call has no answer");
    host.only_transaction();
    client.leave().await.unwrap();
}

#[tokio::test]
async fn calls_run_side_by_side() {
    let host = Host::chain(|method, _, before| {
        let first = before.iter().filter(|asked| asked.method == "eth_getBalance").count() == 0;
        (method == "eth_getBalance" && first).then(|| json!("hang"))
    })
    .await;
    let names = public_names().await;
    let mut client = Client::open(&Environment::of(&host, &names)).await;
    client.post("tools/call", json!({ "name": "wallet_info", "arguments": {} })).await;
    while host.count("eth_getBalance") == 0 {
        client.request("tools/list", json!({})).await;
    }
    client.result("wallet_info", json!({})).await;
}
