//! Launches for real: a node, the deployed contracts, and what the chain says afterwards.
use alloy::primitives::{Address, B256, U256};
use alloy::providers::Provider as _;
use alloy::sol_types::SolEvent as _;
use axum::response::IntoResponse as _;
use serde_json::json;
use slipway_contracts::bindings::{ILaunchHook, ILaunchToken};
use slipway_contracts::deploy::deploy;
use slipway_contracts::node::{Node, NodeOptions};
use slipway_contracts::toolchain::{Toolchain, ToolchainOptions};
use slipway_contracts::units::ChainId;

use super::client::{Client, Environment, WALLET, launch, launch_with, public_names};
use super::host::Host;
use super::names::Names;

/// A chain with the contracts, a service that names the hook, and a funded wallet.
struct World {
    node: Node,
    hook: Address,
    host: Host,
    names: Names,
}

impl World {
    async fn start() -> Self {
        let toolchain = Toolchain::locate(&ToolchainOptions::from_environment(), &|_| {}).await.unwrap();
        let node = Node::start(toolchain.anvil(), &NodeOptions::new(ChainId::PRIMARY)).await.unwrap();
        let hook = deploy(&node, &toolchain).await.unwrap().hook;
        let wallet = WALLET.parse().unwrap();
        node.set_balance(wallet, U256::from(10).pow(U256::from(20))).await.unwrap();
        let host = Host::service(move |uri| {
            let deployment = json!({ "hook": hook, "status": "active" });
            let body = json!({ "chainId": 57073, "flags": { "create": true }, "activeCreationDeployment": deployment });
            (uri.path() == "/api/capabilities").then(|| axum::Json(body).into_response())
        })
        .await;
        Self { node, hook, host, names: public_names().await }
    }

    async fn client(&self) -> Client {
        let environment = Environment::of(&self.host, &self.names)
            .with("SERVICE_MCP_RPC_URL", self.node.rpc_url())
            .with("SERVICE_MCP_MAX_PREBUY_ETH", "1");
        Client::open(&environment).await
    }
}

#[tokio::test]
async fn a_launch_stands_on_the_chain_as_it_was_previewed() {
    let world = World::start().await;
    let mut client = world.client().await;
    let mut arguments = launch_with("prebuyEth", json!(0.25));
    arguments["referralCode"] = json!("REF-A");
    arguments["website"] = json!("https://images.public.dev/site");
    arguments["curveGainMultiplier"] = json!(3.5);
    let preview = client.result("preview_launch", arguments.clone()).await;
    let result = client.result("launch_token", arguments).await;

    let hash: B256 = result["transactionHash"].as_str().unwrap().parse().unwrap();
    let provider = world.node.provider();
    let transaction = provider.get_transaction_by_hash(hash).await.unwrap().unwrap();
    assert_eq!(alloy::consensus::Transaction::input(&transaction).to_string(), preview["calldata"]);
    assert_eq!(alloy::consensus::Transaction::value(&transaction).to_string(), preview["valueWei"]);
    let receipt = provider.get_transaction_receipt(hash).await.unwrap().unwrap();
    let metadata =
        receipt.logs().iter().find_map(|log| ILaunchHook::LaunchMetadata::decode_log(&log.inner).ok());
    let referral = receipt.logs().iter().find_map(|log| ILaunchHook::Referral::decode_log(&log.inner).ok());
    assert_eq!(metadata.unwrap().website, "https://images.public.dev/site");
    assert_eq!(referral.unwrap().referralCode, "REF-A");

    let id: U256 = result["launchId"].as_str().unwrap().parse().unwrap();
    let hook = ILaunchHook::new(world.hook, provider);
    let state = hook.getLaunchState(id).call().await.unwrap();
    assert_eq!(state.token.to_string(), result["tokenAddress"].as_str().unwrap());
    assert_eq!(state.creator.to_string(), WALLET);
    assert_eq!(state.gainBps, 25_000);
    assert_eq!(state.gainBps, preview["params"]["gainBps"]);
    assert_eq!(state.targetRaise.to_string(), preview["params"]["targetRaise"]);
    assert_eq!(state.netContributions, 245_000_000_000_000_000, "two percent of the prebuy are fees");
    let token = ILaunchToken::new(state.token, provider);
    assert_eq!(token.symbol().call().await.unwrap(), "SLIP");
    assert_eq!(token.balanceOf(WALLET.parse().unwrap()).call().await.unwrap(), U256::from(state.sold));

    let status = client.result("launch_status", json!({ "launchId": result["launchId"] })).await;
    assert_eq!(status["fundingProgress"], 0.245);
    assert_eq!(status["tokenAddress"], result["tokenAddress"]);
    assert_eq!(client.refusal("launch_status", json!({ "launchId": 99 })).await, "launch-unknown");
}

#[tokio::test]
async fn what_the_contract_refuses_is_named_and_nothing_is_sent() {
    let world = World::start().await;
    let wallet: Address = WALLET.parse().unwrap();
    let mut client = world.client().await;
    let before = world.node.provider().get_transaction_count(wallet).await.unwrap();
    let refused = client.call("launch_token", launch_with("prebuyEth", json!(1e-15))).await;
    assert_eq!(refused["_meta"]["slipway/error"]["code"], "would-revert", "{refused}");
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("BelowMinimumBuy"), "{refused}");
    assert_eq!(world.node.provider().get_transaction_count(wallet).await.unwrap(), before);
    client.result("launch_token", launch()).await;
    assert_eq!(world.node.provider().get_transaction_count(wallet).await.unwrap(), before + 1);
}
