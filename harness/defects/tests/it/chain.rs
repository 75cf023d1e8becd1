//! Mutated contracts on a real node: installed through its RPC, found through the contracts that the service names, and removed again.
use std::collections::BTreeMap;

use alloy::primitives::{Address, Bytes};
use alloy::providers::Provider as _;
use serde_json::json;
use slipway_contracts::ChainId;
use slipway_contracts::bindings::ILaunchHook;
use slipway_contracts::deploy::{Deployment, deploy};
use slipway_contracts::node::{Node, NodeOptions};
use slipway_contracts::toolchain::{Toolchain, ToolchainOptions};
use slipway_defects::http::{Addresses, HostHeader, Listeners, Ports, Proxies};
use slipway_defects::{Defect, Defects, catalogue};
use tokio::net::TcpListener;
use url::Url;

use crate::wire::Wire;

/// A service that lists its contracts and nothing else.
async fn naming(deployment: &Deployment) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let body = json!({
        "activeCreationDeployment": { "hook": deployment.hook },
        "tradeableDeployments": [{ "hook": deployment.token_factory() }],
        "emperorAuction": null,
    })
    .to_string();
    tokio::spawn(async move {
        loop {
            let mut client = Wire::new(listener.accept().await.unwrap().0);
            client.head().await;
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            client.write(head + &body).await;
        }
    });
    url
}

async fn proxies(rest: Option<Url>, rpc: BTreeMap<u64, Url>) -> Proxies {
    let addresses = Addresses { rest, rpc, ..Addresses::default() };
    let listeners = Listeners::bind(Ports::free(&addresses)).await.unwrap();
    listeners.start(addresses, HostHeader::Client, Defects::default()).await.unwrap()
}

fn defect(id: &str) -> &'static Defect {
    catalogue().iter().find(|defect| defect.id == id).unwrap()
}

#[tokio::test]
async fn mutated_code_keeps_immutables_and_is_restored() {
    let tools = Toolchain::locate(&ToolchainOptions::from_environment(), &|_| {}).await.unwrap();
    let node = Node::start(tools.anvil(), &NodeOptions::new(ChainId::PRIMARY)).await.unwrap();
    let deployment = deploy(&node, &tools).await.unwrap();
    let code = async |address: Address| -> Bytes { node.provider().get_code_at(address).await.unwrap() };
    let hook = ILaunchHook::new(deployment.hook, node.provider().clone());
    let (viewer, module) = (hook.viewer().call().await.unwrap(), hook.tradingModule().call().await.unwrap());
    let sound = [code(deployment.hook).await, code(module).await];
    let rpc = BTreeMap::from([(57073, Url::parse(node.rpc_url()).unwrap())]);
    let proxies = proxies(Some(naming(&deployment).await), rpc).await;

    proxies.switch(defect("chain-launch-target-off"), true).await.unwrap();
    assert_ne!(code(deployment.hook).await, sound[0]);
    assert_eq!(code(module).await, sound[1]);
    assert_eq!(hook.viewer().call().await.unwrap(), viewer);
    proxies.switch(defect("chain-sell-pays-less"), true).await.unwrap();
    assert_ne!(code(module).await, sound[1]);
    proxies.switch(defect("chain-launch-target-off"), false).await.unwrap();
    assert_eq!(code(deployment.hook).await, sound[0]);
    assert_ne!(code(module).await, sound[1], "the other defect stays");
    // The proxies leave no mutated code behind.
    proxies.stop().await;
    assert_eq!([code(deployment.hook).await, code(module).await], sound);
}

#[tokio::test]
async fn unsupported_mutation_is_an_error_with_reason() {
    let unreachable = BTreeMap::from([(57073, Url::parse("http://127.0.0.1:1").unwrap())]);
    let defect = defect("chain-launch-target-off");
    for (rest, rpc, reason) in [
        (None, unreachable.clone(), "without the address of the service"),
        (Some(Url::parse("http://127.0.0.1:1").unwrap()), BTreeMap::new(), "without the address of an RPC"),
        (Some(Url::parse("http://127.0.0.1:1").unwrap()), unreachable, "does not name its contracts"),
    ] {
        let proxies = proxies(rest, rpc).await;
        let error = proxies.switch(defect, true).await.unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        proxies.stop().await;
    }
}
