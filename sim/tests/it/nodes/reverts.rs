//! The error of a contract in an answer of a node has its name, over HTTP, in a batch and over a WebSocket.
use alloy::primitives::U256;
use alloy::sol_types::{SolCall as _, SolError as _};
use slipway_contracts::bindings::ILaunchHook;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_a_contract_is_named_wherever_a_node_answers() {
    let nodes = Nodes::behind(config()).await;
    let ready = nodes.platform.ready();
    let buy =
        ILaunchHook::buyCall { launchId: U256::MAX, minTokensOut: U256::ZERO, auth: Default::default() };
    let data = alloy::hex::encode_prefixed(buy.abi_encode());
    let sent = json!([{ "from": ready.accounts[0].address, "to": ready.chains[0].hook, "data": data, "value": "0x1" }]);
    let selector = alloy::hex::encode_prefixed(ILaunchHook::UnknownLaunch::SELECTOR);
    let expected = json!({ "code": 3, "message": "execution reverted: UnknownLaunch()", "data": selector });
    for method in ["eth_call", "eth_estimateGas"] {
        assert_eq!(nodes.ask(method, sent.clone()).await["error"], expected, "{method}");
    }
    let batch = json!([call("eth_chainId", json!([])), call("eth_call", sent.clone())]);
    assert_eq!(nodes.post(&[], &batch).await.2[1]["error"], expected);
    let (mut socket, _) = connect_async(nodes.url.replace("http", "ws")).await.unwrap();
    socket.send(Message::text(call("eth_call", sent).to_string())).await.unwrap();
    let answer = timeout(Duration::from_secs(60), socket.next()).await.unwrap().unwrap().unwrap();
    assert_eq!(serde_json::from_str::<Value>(answer.to_text().unwrap()).unwrap()["error"], expected);
    nodes.platform.stop().await;
}
