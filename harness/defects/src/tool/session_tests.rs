//! A conversation through the wrapper, with the server in the hands of the test.
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf,
    WriteHalf, duplex, split,
};
use tokio::task::JoinHandle;

use super::effect::Plan;
use super::environment::{Environment, Secrets};
use super::session::{BANNER, INVALID_PARAMS, Proxies, Streams, converse, line_of};

/// Room of a pipe, in bytes.
const ROOM: usize = 64 * 1024;

/// A peer and a server with the wrapper between them.
struct Wrapped {
    peer: BufReader<ReadHalf<DuplexStream>>,
    to_wrapper: Option<WriteHalf<DuplexStream>>,
    server: BufReader<ReadHalf<DuplexStream>>,
    from_server: Option<WriteHalf<DuplexStream>>,
    conversation: JoinHandle<()>,
}

impl Wrapped {
    fn by(defects: &[&str]) -> Self {
        let defects: Vec<String> = defects.iter().map(|id| (*id).to_owned()).collect();
        let plan = Plan::of(&defects).unwrap();
        let (peer, outer) = duplex(ROOM);
        let (server, inner) = duplex(ROOM);
        let (from_peer, to_peer) = split(outer);
        let (from_server, to_server) = split(inner);
        let streams = Streams { from_peer, to_peer, from_server, to_server };
        let conversation = tokio::spawn(converse(
            plan,
            Environment::default(),
            Secrets::default(),
            Proxies::default(),
            streams,
        ));
        let (peer, to_wrapper) = split(peer);
        let (server, from_server) = split(server);
        Self {
            peer: BufReader::new(peer),
            to_wrapper: Some(to_wrapper),
            server: BufReader::new(server),
            from_server: Some(from_server),
            conversation,
        }
    }

    async fn ask(&mut self, message: Value) {
        self.to_wrapper.as_mut().unwrap().write_all(&line_of(&message)).await.unwrap();
    }

    async fn answer(&mut self, message: Value) {
        self.from_server.as_mut().unwrap().write_all(&line_of(&message)).await.unwrap();
    }

    async fn server_reads(&mut self) -> Value {
        let mut line = String::new();
        self.server.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"))
    }

    async fn peer_reads(&mut self) -> Value {
        let mut line = String::new();
        self.peer.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"))
    }
}

fn call(id: u64, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

fn served(id: u64, value: &Value) -> Value {
    let content = json!([{"type": "text", "text": value.to_string()}]);
    json!({"jsonrpc": "2.0", "id": id, "result": {"structuredContent": value, "content": content}})
}

fn ping(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
}

#[tokio::test]
async fn arguments_and_results_are_rewritten() {
    let mut wrapped = Wrapped::by(&["mcp-name-length", "mcp-result-token", "mcp-preview-confirm"]);
    wrapped.ask(call(1, "launch_token", json!({"name": "n".repeat(60)}))).await;
    assert_eq!(wrapped.server_reads().await["params"]["arguments"]["name"], "n".repeat(12));
    wrapped.answer(served(1, &json!({"tokenAddress": "0xabc"}))).await;
    let answer = wrapped.peer_reads().await;
    assert_eq!(answer["result"]["structuredContent"]["tokenAddress"], format!("0x{}", "11".repeat(20)));
    wrapped.ask(call(2, "preview_launch", json!({"name": "n"}))).await;
    wrapped.server_reads().await;
    wrapped.answer(served(2, &json!({}))).await;
    assert_eq!(wrapped.peer_reads().await["result"]["isError"], true);
}

#[tokio::test]
async fn calls_queue_and_pings_pass() {
    let mut wrapped = Wrapped::by(&["mcp-calls-queue"]);
    for message in [call(1, "wallet_info", json!({})), call(2, "wallet_info", json!({})), ping(3)] {
        wrapped.ask(message).await;
    }
    assert_eq!(wrapped.server_reads().await["id"], 1);
    assert_eq!(wrapped.server_reads().await["id"], 3);
    wrapped.to_wrapper.take().unwrap().shutdown().await.unwrap();
    wrapped.answer(served(1, &json!({}))).await;
    assert_eq!(wrapped.server_reads().await["id"], 2);
    let mut rest = Vec::new();
    wrapped.server.read_to_end(&mut rest).await.unwrap();
    assert!(rest.is_empty());
}

#[tokio::test]
async fn cancelled_call_does_not_block_others() {
    let mut wrapped = Wrapped::by(&["mcp-calls-queue"]);
    let cancelled =
        |id: u64| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    for id in 1..=3 {
        wrapped.ask(call(id, "wallet_info", json!({}))).await;
    }
    wrapped.ask(cancelled(2)).await;
    wrapped.ask(cancelled(1)).await;
    for expected in
        [call(1, "wallet_info", json!({})), cancelled(2), cancelled(1), call(3, "wallet_info", json!({}))]
    {
        assert_eq!(wrapped.server_reads().await, expected);
    }
}

#[tokio::test]
async fn malformed_lines_and_cancellations_are_dropped() {
    let mut wrapped = Wrapped::by(&["mcp-garbage-ignored", "mcp-cancel-deaf"]);
    wrapped.to_wrapper.as_mut().unwrap().write_all(b"{no\n[1]\n\xff\n").await.unwrap();
    wrapped
        .ask(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    wrapped.ask(ping(1)).await;
    assert_eq!(wrapped.server_reads().await, ping(1));
}

#[tokio::test]
async fn calls_are_answered_by_the_wrapper() {
    let mut wrapped = Wrapped::by(&[
        "mcp-stdout-banner",
        "mcp-read-needs-writes",
        "mcp-version-refused",
        "mcp-wallet-panics",
    ]);
    let mut banner = vec![0; BANNER.len()];
    wrapped.peer.read_exact(&mut banner).await.unwrap();
    assert_eq!(banner, BANNER);
    let older = json!({"protocolVersion": "2024-11-05"});
    wrapped.ask(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": older})).await;
    assert_eq!(wrapped.peer_reads().await["error"]["code"], INVALID_PARAMS);
    wrapped.ask(call(2, "preview_launch", json!({}))).await;
    assert_eq!(wrapped.peer_reads().await["result"]["isError"], true);
    wrapped.ask(call(3, "launch_token", json!({}))).await;
    assert_eq!(wrapped.server_reads().await["id"], 3);
}

#[tokio::test]
async fn launch_response_waits_for_second_launch() {
    let mut wrapped = Wrapped::by(&["mcp-launches-race"]);
    wrapped.ask(call(1, "launch_token", json!({}))).await;
    wrapped.server_reads().await;
    wrapped.answer(served(1, &json!({}))).await;
    wrapped.ask(ping(9)).await;
    wrapped.server_reads().await;
    wrapped.answer(json!({"jsonrpc": "2.0", "id": 9, "result": {}})).await;
    assert_eq!(wrapped.peer_reads().await["id"], 9);
    wrapped.ask(call(2, "launch_token", json!({}))).await;
    assert_eq!(wrapped.peer_reads().await["id"], 1);
}

#[tokio::test]
async fn links_are_remembered_once_served() {
    let mut wrapped = Wrapped::by(&["mcp-url-remembered"]);
    let link = json!({"imageUrl": "https://a.dev/a.png"});
    for (id, expected) in [(1, "https://a.dev/a.png"), (2, "https://1.1.1.1/logo.png")] {
        wrapped.ask(call(id, "preview_launch", link.clone())).await;
        assert_eq!(wrapped.server_reads().await["params"]["arguments"]["imageUrl"], expected);
        wrapped.answer(served(id, &json!({}))).await;
        wrapped.peer_reads().await;
    }
}

/// Lines that no effect of the plan below concerns, and bytes that are no lines.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    let message = prop_oneof![
        "[ -~]{0,40}",
        "\\PC{0,20}",
        (0_u8..4, "[a-z/]{1,12}").prop_map(|(id, method)| json!({"id": id, "method": method}).to_string()),
        (0_u8..4).prop_map(|id| format!("{{ \"result\" : {{}}, \"id\":{id}  }}")),
        (0_u8..4).prop_map(|id| call(id.into(), "wallet_info", json!({"x": 1.50})).to_string()),
    ];
    let bytes = prop_oneof![
        8 => message.prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..40),
        1 => (1_usize..100_000).prop_map(|length| vec![b'x'; length]),
    ];
    let end = prop_oneof![6 => Just(&b"\n"[..]), 1 => Just(&b"\r\n"[..]), 1 => Just(&b""[..])];
    prop::collection::vec((bytes, end), 0..12)
        .prop_map(|lines| lines.into_iter().flat_map(|(bytes, end)| [&bytes, end].concat()).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn unaffected_lines_pass_unchanged(input in lines()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let output = runtime.block_on(async {
            let mut wrapped = Wrapped::by(&["mcp-name-length", "mcp-result-token", "mcp-tool-missing"]);
            // A server that says what it hears.
            let (mut hears, mut says) = (wrapped.server, wrapped.from_server.take().unwrap());
            let server = tokio::spawn(async move {
                tokio::io::copy(&mut hears, &mut says).await.unwrap();
                says.shutdown().await.unwrap();
            });
            let (mut peer, mut to_wrapper) = (wrapped.peer, wrapped.to_wrapper.take().unwrap());
            let bytes = input.clone();
            let writing = tokio::spawn(async move {
                to_wrapper.write_all(&bytes).await.unwrap();
                to_wrapper.shutdown().await.unwrap();
            });
            let mut output = Vec::new();
            peer.read_to_end(&mut output).await.unwrap();
            writing.await.unwrap();
            server.await.unwrap();
            wrapped.conversation.await.unwrap();
            output
        });
        prop_assert_eq!(output, input);
    }
}
