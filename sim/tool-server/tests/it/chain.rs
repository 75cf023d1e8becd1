//! A scripted chain and service.
use alloy::primitives::Address;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

pub(crate) const HOOK: Address = Address::repeat_byte(0xc4);

/// Serves chain and service at one address until the test ends. Given method and parameters, the script returns the response of the RPC,
/// `result` or `error`; `null` means no response.
pub(crate) async fn serve(
    script: impl Fn(&str, &Value) -> Option<Value> + Clone + Send + Sync + 'static,
) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            tokio::spawn(respond(connection, script.clone()));
        }
    });
    format!("http://{address}")
}

async fn respond(mut connection: TcpStream, script: impl Fn(&str, &Value) -> Option<Value>) -> Option<()> {
    let mut received = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&received).into_owned();
        let request = text.split_once("\r\n\r\n").and_then(|(head, body)| {
            let length =
                head.to_lowercase().split_once("content-length: ").map_or("0", |(_, rest)| rest).to_owned();
            let length: usize = length.split("\r\n").next()?.parse().ok()?;
            (body.len() >= length).then(|| (head.to_owned(), body.to_owned()))
        });
        let Some((head, body)) = request else {
            if connection.read_buf(&mut received).await.ok()? == 0 {
                return None;
            }
            continue;
        };
        received.clear();
        let response = if head.starts_with("GET") { capabilities() } else { chain(&body, &script) };
        if response.is_null() {
            std::future::pending::<()>().await;
        }
        let response = response.to_string();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            response.len()
        );
        connection.write_all(format!("{head}{response}").as_bytes()).await.ok()?;
    }
}

fn capabilities() -> Value {
    json!({
        "chainId": 57073, "flags": { "create": true },
        "activeCreationDeployment": { "hook": HOOK.to_checksum(None).to_lowercase(), "status": "active" },
    })
}

fn chain(body: &str, script: &impl Fn(&str, &Value) -> Option<Value>) -> Value {
    let request: Value = serde_json::from_str(body).unwrap();
    let method = request["method"].as_str().unwrap();
    let sound = || match method {
        "eth_chainId" => json!({ "result": "0xdef1" }),
        "eth_getBalance" => json!({ "result": "0x8ac7230489e80000" }),
        "eth_getCode" => json!({ "result": "0x6001" }),
        "eth_getBlockByNumber" => {
            json!({ "result": { "timestamp": "0x6b49d200", "baseFeePerGas": "0x3b9aca00" } })
        }
        "eth_estimateGas" => json!({ "result": "0x2dc6c0" }),
        "eth_getTransactionCount" | "eth_maxPriorityFeePerGas" | "eth_call" => json!({ "result": "0x1" }),
        other => panic!("no test expects {other}"),
    };
    let mut response = script(method, &request["params"]).unwrap_or_else(sound);
    if response.is_null() {
        return response;
    }
    response["jsonrpc"] = json!("2.0");
    response["id"] = request["id"].clone();
    response
}
