//! WebSockets through a proxy in front of a node: calls, batches and subscriptions, changed as over HTTP.
use std::collections::BTreeMap;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use slipway_defects::http::{Addresses, HostHeader, Listeners, Ports, Proxies};
use slipway_defects::{Defects, catalogue, variants};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, accept_async, connect_async};
use url::Url;

type Client = WebSocketStream<MaybeTlsStream<TcpStream>>;

fn block(number: u64) -> Value {
    json!({
        "number": format!("{number:#x}"), "hash": format!("0x{number:064x}"), "parentHash": format!("0x{:064x}", number - 1),
        "gasUsed": "0x5208", "withdrawals": [], "transactions": ["0xaa"],
    })
}

fn answer(call: &Value) -> Value {
    let result = match call["method"].as_str().unwrap() {
        "eth_chainId" => json!("0xded1"),
        "eth_getBlockByNumber" => {
            block(u64::from_str_radix(&call["params"][0].as_str().unwrap()[2..], 16).unwrap())
        }
        "eth_subscribe" => json!("0x1"),
        _ => Value::Null,
    };
    json!({ "jsonrpc": "2.0", "id": call["id"], "result": result })
}

/// A node that answers calls and batches, and notifies of block 7 once somebody has subscribed.
async fn node() -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut socket = accept_async(stream).await.unwrap();
                while let Some(Ok(Message::Text(text))) = socket.next().await {
                    let asked: Value = serde_json::from_str(&text).unwrap();
                    let answered = match &asked {
                        Value::Array(calls) => calls.iter().rev().map(answer).collect(),
                        call => answer(call),
                    };
                    socket.send(Message::text(answered.to_string())).await.unwrap();
                    if asked["method"] == "eth_subscribe" {
                        let mut header = block(7);
                        header.as_object_mut().unwrap().remove("transactions");
                        let params = json!({ "subscription": "0x1", "result": header });
                        let news =
                            json!({ "jsonrpc": "2.0", "method": "eth_subscription", "params": params });
                        socket.send(Message::text(news.to_string())).await.unwrap();
                    }
                }
            });
        }
    });
    url
}

async fn stage() -> (Proxies, Client) {
    let addresses = Addresses { rpc: BTreeMap::from([(57073, node().await)]), ..Addresses::default() };
    let listeners = Listeners::bind(Ports::default().with_rpc(&addresses)).await.unwrap();
    let proxies = listeners.start(addresses, HostHeader::Client, Defects::default()).await.unwrap();
    let url = proxies.addresses().rpc[&57073].as_str().replacen("http", "ws", 1);
    let (client, _) = connect_async(url).await.unwrap();
    (proxies, client)
}

async fn received(client: &mut Client) -> Value {
    serde_json::from_str(client.next().await.unwrap().unwrap().to_text().unwrap()).unwrap()
}

async fn asked(client: &mut Client, body: Value) -> Value {
    client.send(Message::text(body.to_string())).await.unwrap();
    received(client).await
}

fn call(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

#[tokio::test]
async fn websockets_pass_and_defects_change_their_messages() {
    let (proxies, mut client) = stage().await;
    let chain_id = call(1, "eth_chainId", &json!([]));
    assert_eq!(asked(&mut client, chain_id.clone()).await["result"], "0xded1", "nothing is selected");
    let defect = catalogue().iter().find(|defect| defect.id == "node-other-chain-id").unwrap();
    proxies.switch(defect, true).await.unwrap();
    assert_eq!(asked(&mut client, chain_id.clone()).await["result"], "0xded2", "the socket was open already");
    let batch = json!([call(2, "eth_chainId", &json!([])), call(3, "eth_subscribe", &json!(["newHeads"]))]);
    let answered = asked(&mut client, batch).await;
    let of = |id| answered.as_array().unwrap().iter().find(|one| one["id"] == id).unwrap()["result"].clone();
    assert_eq!((of(2), of(3)), (json!("0xded2"), json!("0x1")));
    proxies.switch(defect, false).await.unwrap();
    assert_eq!(asked(&mut client, chain_id).await["result"], "0xded1");
    // Open sockets do not keep the proxies from ending.
    proxies.stop().await;
    assert!(!matches!(client.next().await, Some(Ok(Message::Text(_)))));
}

#[tokio::test]
async fn variants_change_answers_and_notifications() {
    let (proxies, mut client) = stage().await;
    let variant = variants::catalogue().iter().find(|variant| variant.id == "node-op-stack").unwrap();
    proxies.vary(&[variant]);
    assert_eq!(asked(&mut client, call(1, "eth_subscribe", &json!(["newHeads"]))).await["result"], "0x1");
    let news = received(&mut client).await;
    assert_eq!(news["method"], "eth_subscription");
    let header = &news["params"]["result"];
    assert!(header["requestsHash"].is_string() && header["number"] == "0x7", "{header}");
    let block =
        asked(&mut client, call(2, "eth_getBlockByNumber", &json!(["0x7", false]))).await["result"].clone();
    assert_eq!(block["withdrawalsRoot"], header["withdrawalsRoot"], "one block, one header");
    let deposit = &block["transactions"][0];
    assert_eq!((&block["transactions"][1], deposit.as_str().unwrap().len()), (&json!("0xaa"), 66));
    let found = asked(&mut client, call(3, "eth_getTransactionByHash", &json!([deposit]))).await;
    let found = &found["result"];
    assert_eq!(
        (&found["hash"], &found["type"], &found["blockHash"]),
        (deposit, &json!("0x7e"), &block["hash"])
    );
    proxies.stop().await;
}
