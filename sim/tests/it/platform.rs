//! A platform for a test: free ports, stopped time, one seeded market for the whole run; and helpers for tests.
use slipway_contracts::ChainId;
use slipway_test_support::database::Server;
use std::fmt::Display;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use alloy::network::{EthereumWallet, TransactionBuilder};
use alloy::primitives::{Address, U256};
use alloy::providers::{DynProvider, Provider, ProviderBuilder};
use alloy::rpc::types::{TransactionReceipt, TransactionRequest};
use alloy::signers::SignerSync as _;
use alloy::signers::local::PrivateKeySigner;
use alloy::sol_types::SolCall;
use reqwest::{Client, Url};
use serde_json::{Value, json};
use slipway_contracts::bindings::{CreateLaunchParams, ILaunchHook};
use slipway_sim::cache::CachePolicy;
use slipway_sim::clock::ClockMode;
use slipway_sim::{Config, MarketPlan, Platform};

pub(crate) const PRIMARY: u64 = ChainId::PRIMARY.0;
/// The second chain.
pub(crate) const SECOND: u64 = ChainId::SECOND.0;

/// The cache shared by the tests of one run, so that only the first of them seeds a market.
static CACHE: LazyLock<PathBuf> = LazyLock::new(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache"));

pub(crate) fn config() -> Config {
    Config { clock: ClockMode::Manual, cache_dir: Some(CACHE.clone()), ..Config::default() }
}

/// A config with this market, built anew.
pub(crate) fn sized(market: MarketPlan) -> Config {
    Config { market, cache: CachePolicy::Off, ..config() }
}

/// A config over a separate database of the test, so that other processes can share it.
pub(crate) fn shared(server: &Server) -> Config {
    Config { database_url: Some(server.url()), ..config() }
}

/// A config of a platform that serves in parallel with this one and shares its chains and database.
pub(crate) fn beside(platform: &Platform, shared: Config) -> Config {
    let ready = serde_json::to_string(platform.ready()).unwrap();
    Config { attach: Some(serde_json::from_str(&ready).unwrap()), ..shared }
}

/// Kills the node of the second chain, as the system might.
pub(crate) fn kill_second_node(platform: &Platform) {
    let pid = platform.node_pids()[1].to_string();
    send("-9", &pid);
}

/// Sends a signal to every node: after `-STOP` it does not respond until `-CONT`.
pub(crate) fn signal_nodes(platform: &Platform, signal: &str) {
    for pid in platform.node_pids() {
        send(signal, &pid.to_string());
    }
}

/// Uses the shell, whose `kill` needs no package.
fn send(signal: &str, pid: &str) {
    let status = Command::new("sh").args(["-c", "kill \"$0\" \"$1\"", signal, pid]).status().unwrap();
    assert!(status.success(), "kill {signal} {pid}");
}

pub(crate) async fn start() -> Platform {
    Platform::start(config()).await.unwrap()
}

/// Reads from the REST service.
pub(crate) async fn get(platform: &Platform, path: &str) -> Value {
    let url = format!("{}{path}", platform.ready().base_url);
    let answer = reqwest::get(url).await.unwrap().error_for_status().unwrap();
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

/// A client without certificates, since reading them takes longer than most requests.
pub(crate) fn client() -> Client {
    slipway_contracts::http_client(&Url::parse("http://127.0.0.1").unwrap()).build().unwrap()
}

/// Sends an order to the control plane, such as `POST /_sim/clock/advance`; returns the status and the answer.
pub(crate) async fn order(platform: &Platform, line: &str, body: impl Display) -> (u16, Value) {
    let (method, path) = line.split_once(' ').unwrap();
    let url = format!("{}{path}", platform.ready().control_url.as_ref().unwrap());
    let request = client().request(method.parse().unwrap(), url).body(body.to_string());
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap())
}

pub(crate) async fn ordered(platform: &Platform, line: &str, body: impl Display) -> Value {
    let (status, answer) = order(platform, line, body).await;
    assert_eq!(status, 200, "{line}: {answer}");
    answer
}

/// Number of tokens that a search finds.
pub(crate) async fn found(platform: &Platform, words: &str) -> u64 {
    get(platform, &format!("/api/tokens?search={words}")).await["totalCount"].as_u64().unwrap()
}

/// A provider that signs as the first user.
pub(crate) fn provider(platform: &Platform, chain_id: u64) -> DynProvider {
    let ready = platform.ready();
    let chain = ready.chains.iter().find(|chain| chain.chain_id == chain_id).unwrap();
    let signer = PrivateKeySigner::from_bytes(&ready.accounts[0].private_key).unwrap();
    let wallet = EthereumWallet::from(signer);
    ProviderBuilder::new().wallet(wallet).connect_http(chain.rpc_url.parse().unwrap()).erased()
}

/// Sends an unsigned transaction of any account, waits until it is mined and indexed, and returns whether it succeeded.
pub(crate) async fn act(
    platform: &Platform,
    chain_id: u64,
    from: Address,
    to: Address,
    value: u128,
    call: &impl SolCall,
) -> bool {
    let node = platform.engine().chain(chain_id).unwrap().0.provider();
    let _: Value = node.raw_request("anvil_autoImpersonateAccount".into(), (true,)).await.unwrap();
    let request = TransactionRequest::default()
        .with_from(from)
        .with_to(to)
        .with_value(U256::from(value))
        .with_gas_limit(6_000_000)
        .with_input(call.abi_encode());
    let receipt: TransactionReceipt =
        node.raw_request("eth_sendTransactionSync".into(), (request,)).await.unwrap();
    let block = receipt.block_number.unwrap();
    reached(platform, chain_id, |height| height >= block).await;
    receipt.status()
}

pub(crate) fn hook(platform: &Platform, chain_id: u64) -> Address {
    platform.ready().chains.iter().find(|chain| chain.chain_id == chain_id).unwrap().hook
}

/// A launch with this name that raises one ether.
pub(crate) fn launch_params(name: &str) -> CreateLaunchParams {
    CreateLaunchParams {
        name: name.to_owned(),
        ticker: "TEST".to_owned(),
        description: "A launch of a test.".to_owned(),
        imageUrl: "https://example.org/images/test.png".to_owned(),
        messenger: String::new(),
        microblog: String::new(),
        website: String::new(),
        creatorFeeSplitBps: 5_000,
        gainBps: 50_000,
        targetRaise: U256::from(10).pow(U256::from(18)).to(),
        antiSnipeDuration: 0,
        startTime: 0,
    }
}

/// Launches a token with this name as the first user and waits until it is indexed; returns its block.
pub(crate) async fn launch(platform: &Platform, chain_id: u64, name: &str) -> u64 {
    let hook = ILaunchHook::new(hook(platform, chain_id), provider(platform, chain_id));
    let receipt = hook.createLaunch(launch_params(name)).send().await.unwrap().get_receipt().await.unwrap();
    assert!(receipt.status());
    let block = receipt.block_number.unwrap();
    reached(platform, chain_id, |height| height >= block).await;
    block
}

/// Waits until the indexed height of a chain satisfies a condition.
pub(crate) async fn reached(platform: &Platform, chain_id: u64, there: impl Fn(u64) -> bool) {
    let mut heights = platform.engine().heights();
    heights.wait_for(|heights| there(heights[&chain_id])).await.unwrap();
}

/// The timestamp of the latest block of each chain, the primary first.
pub(crate) async fn latest_times(platform: &Platform) -> [u64; 2] {
    let [primary, second] = [PRIMARY, SECOND].map(|chain_id| async move {
        let block = provider(platform, chain_id).get_block(alloy::eips::BlockId::latest()).await.unwrap();
        block.unwrap().header.timestamp
    });
    let (primary, second) = tokio::join!(primary, second);
    [primary, second]
}

/// Posts a message about a token; returns the status.
pub(crate) async fn say(
    platform: &Platform,
    signer: &PrivateKeySigner,
    token: Address,
    captcha: String,
    message: String,
) -> u16 {
    let text = format!("Launch platform chat\nToken: {token:#x}\nCaptcha: {captcha}\nMessage: {message}");
    let signature = signer.sign_message_sync(text.as_bytes()).unwrap().to_string();
    let body = json!({ "token": captcha, "tokenAddress": token, "message": message, "signature": signature });
    let ready = platform.ready();
    let post = client().post(format!("{}/api/chat", ready.base_url)).body(body.to_string());
    let post = post.header("x-operator-key", &ready.operator_key).header("content-type", "application/json");
    post.send().await.unwrap().status().as_u16()
}
