//! Indexing: everything that is reported as indexed can be read.
use alloy::network::TransactionBuilder;
use alloy::primitives::Address;
use alloy::providers::Provider;
use alloy::rpc::types::{TransactionReceipt, TransactionRequest};
use alloy::sol_types::{SolCall, SolEvent};
use futures::future::join_all;
use reqwest::Client;
use serde_json::Value;
use slipway_contracts::bindings::ILaunchHook;
use slipway_sim::Platform;

use crate::platform::{PRIMARY, hook, launch_params, provider, start};

/// Eight clients launch at the same time: whatever is reported as indexed can be read immediately, every time.
///
/// Clause: HIST-READ
#[tokio::test(flavor = "multi_thread")]
async fn launches_are_readable_once_indexed() {
    const CLIENTS: usize = 8;
    const LAUNCHES: usize = 75;
    let platform = start().await;
    let node = provider(&platform, PRIMARY);
    let _: Value = node.raw_request("anvil_autoImpersonateAccount".into(), (true,)).await.unwrap();
    let clients = (0..CLIENTS).map(|client| launch_and_read(&platform, client, LAUNCHES));
    let late: Vec<Address> = join_all(clients).await.into_iter().flatten().collect();
    assert!(late.is_empty(), "{late:?} were indexed and not there");
    platform.stop().await;
}

/// Launches one token after another from one account; returns those that were missing once they were indexed.
async fn launch_and_read(platform: &Platform, client: usize, launches: usize) -> Vec<Address> {
    let (ready, http) = (platform.ready(), Client::new());
    let (base, control) = (&ready.base_url, ready.control_url.as_ref().unwrap());
    let node = provider(platform, PRIMARY);
    let mut late = Vec::new();
    for number in 0..launches {
        let params = launch_params(&format!("Client {client} launch {number}"));
        let request = TransactionRequest::default()
            .with_from(ready.accounts[client].address)
            .with_to(hook(platform, PRIMARY))
            .with_gas_limit(4_000_000)
            .with_input(ILaunchHook::createLaunchCall { params }.abi_encode());
        let receipt: TransactionReceipt =
            node.raw_request("eth_sendTransactionSync".into(), (request,)).await.unwrap();
        let logs = receipt.inner.logs().iter();
        let mut created = logs.filter_map(|log| ILaunchHook::LaunchCreated::decode_log(&log.inner).ok());
        let token = created.next().unwrap().token;
        let block = receipt.block_number.unwrap();
        let indexed = format!("{control}/_sim/indexed?chainId={PRIMARY}&block={block}");
        http.get(indexed).send().await.unwrap().error_for_status().unwrap();
        let read = http.get(format!("{base}/api/token?address={token}")).send().await.unwrap();
        if read.status() != 200 {
            late.push(token);
        }
    }
    late
}
