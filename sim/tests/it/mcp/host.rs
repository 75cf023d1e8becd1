//! A chain and a service in one HTTP server, answering from a script and remembering what they were asked.
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use alloy::consensus::{Transaction as _, TxEnvelope};
use alloy::eips::eip2718::Decodable2718 as _;
use alloy::primitives::{Address, B256, Bytes, U256, address};
use alloy::sol_types::{SolCall as _, SolEvent as _, SolValue as _};
use axum::extract::{ConnectInfo, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use slipway_contracts::bindings::{ILaunchHook, LaunchConfig};
use tokio::task::JoinHandle;

pub(super) const HOOK: Address = address!("00000000000000000000000000000000000023c4");
pub(super) const TOKEN: Address = address!("00000000000000000000000000000000000070cE");
pub(super) const NOW: u64 = 1_800_000_000;

/// One request to the chain.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) method: String,
    pub(super) params: Value,
    pub(super) peer: SocketAddr,
}

/// Overrides what the chain answers: nothing falls back to the honest answer.
pub(super) type ChainScript = Box<dyn Fn(&str, &Value, &[Asked]) -> Option<Value> + Send + Sync>;
/// Overrides what the service answers.
pub(super) type ServiceScript = Box<dyn Fn(&Uri) -> Option<Response> + Send + Sync>;

struct Shared {
    asked: Mutex<Vec<Asked>>,
    sent: Mutex<Vec<Bytes>>,
    chain: ChainScript,
    service: ServiceScript,
}

/// Serves until it is dropped.
pub(super) struct Host {
    pub(super) address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl Host {
    pub(super) async fn honest() -> Self {
        Self::scripted(Box::new(|_, _, _| None), Box::new(|_| None)).await
    }

    pub(super) async fn chain(
        script: impl Fn(&str, &Value, &[Asked]) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        Self::scripted(Box::new(script), Box::new(|_| None)).await
    }

    pub(super) async fn service(script: impl Fn(&Uri) -> Option<Response> + Send + Sync + 'static) -> Self {
        Self::scripted(Box::new(|_, _, _| None), Box::new(script)).await
    }

    pub(super) async fn scripted(chain: ChainScript, service: ServiceScript) -> Self {
        let shared = Arc::new(Shared { asked: Mutex::default(), sent: Mutex::default(), chain, service });
        let router = Router::new()
            .route("/rpc", post(chain_answer))
            .route("/rpc/{key}", post(chain_answer))
            .fallback(any(service_answer))
            .with_state(Arc::clone(&shared));
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move {
            axum::serve(listener, router.into_make_service_with_connect_info::<SocketAddr>()).await.unwrap();
        });
        Self { address, shared, task }
    }

    pub(super) fn rpc_url(&self) -> String {
        format!("http://{}/rpc", self.address)
    }

    pub(super) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Requests to the chain, in order.
    pub(super) fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().unwrap().clone()
    }

    pub(super) fn count(&self, method: &str) -> usize {
        self.asked().iter().filter(|asked| asked.method == method).count()
    }

    /// The raw transactions that were sent.
    pub(super) fn sent(&self) -> Vec<Bytes> {
        self.shared.sent.lock().unwrap().clone()
    }

    /// The only transaction that was sent.
    pub(super) fn only_transaction(&self) -> TxEnvelope {
        let sent = self.sent();
        assert_eq!(sent.len(), 1, "exactly one transaction");
        decode(&sent[0])
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn decode(raw: &Bytes) -> TxEnvelope {
    TxEnvelope::decode_2718(&mut raw.as_ref()).unwrap()
}

async fn chain_answer(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Json(request): Json<Value>,
) -> Response {
    let (method, params) = (request["method"].as_str().unwrap().to_owned(), request["params"].clone());
    let before = shared.asked.lock().unwrap().clone();
    shared.asked.lock().unwrap().push(Asked { method: method.clone(), params: params.clone(), peer });
    if method == "eth_sendRawTransaction" {
        shared.sent.lock().unwrap().push(params[0].as_str().unwrap().parse().unwrap());
    }
    let answer = match (shared.chain)(&method, &params, &before) {
        Some(answer) => answer,
        None => json!({ "result": honest(&shared, &method, &params) }),
    };
    if answer == json!("hang") {
        std::future::pending::<()>().await;
    }
    if let Some(raw) = answer.get("raw").and_then(Value::as_str) {
        return raw.to_owned().into_response();
    }
    let mut body = json!({ "jsonrpc": "2.0", "id": request["id"] });
    for (name, value) in answer.as_object().unwrap() {
        body[name] = value.clone();
    }
    Json(body).into_response()
}

fn honest(shared: &Shared, method: &str, params: &Value) -> Value {
    match method {
        "eth_chainId" => json!("0xdef1"),
        "eth_getBalance" => json!("0x8ac7230489e80001"),
        "eth_getTransactionCount" => json!(if params[1] == "pending" { "0x9" } else { "0x4" }),
        "eth_getCode" => json!("0x6001"),
        "eth_getBlockByNumber" => json!({ "timestamp": format!("{NOW:#x}"), "baseFeePerGas": "0x3b9aca00" }),
        "eth_maxPriorityFeePerGas" => json!("0x5f5e100"),
        "eth_estimateGas" => json!("0x2dc6c0"),
        "eth_call" => json!(launch_state(params)),
        "eth_sendRawTransaction" => {
            let raw: Bytes = params[0].as_str().unwrap().parse().unwrap();
            json!(decode(&raw).hash())
        }
        "eth_getTransactionReceipt" => receipt(shared),
        other => panic!("nobody should ask for {other}"),
    }
}

/// Launch 1 is half-way, launch 2 is funded, launch 3 lacks one wei; others do not exist.
fn launch_state(params: &Value) -> Bytes {
    let data: Bytes = params[0]["data"].as_str().unwrap().parse().unwrap();
    let id = ILaunchHook::getLaunchStateCall::abi_decode(&data).unwrap().launchId;
    let ether = 1_000_000_000_000_000_000_u128;
    let contributions = match u64::try_from(id).unwrap() {
        1 => ether,
        2 => 2 * ether,
        3 => 2 * ether - 1,
        _ => 0,
    };
    let state = LaunchConfig {
        creator: Address::repeat_byte(0xcc),
        token: if contributions == 0 { Address::ZERO } else { TOKEN },
        quoteAsset: Address::ZERO,
        saleSupply: 800,
        liquiditySupply: 200,
        sold: 500,
        targetRaise: U256::from(2 * ether).to(),
        netContributions: contributions,
        gainBps: 50_000,
        creatorFeeSplitBps: 5_000,
        antiSnipeDuration: 0,
        launchTime: NOW,
        finalized: contributions == 2 * ether,
        poolId: B256::ZERO,
    };
    state.abi_encode().into()
}

/// Who signed a transaction.
pub(super) fn signer(transaction: &TxEnvelope) -> Address {
    transaction.signature().recover_address_from_prehash(&transaction.signature_hash()).unwrap()
}

/// The receipt of the last transaction, with an event of a stranger before the hook's.
fn receipt(shared: &Shared) -> Value {
    let raw = shared.sent.lock().unwrap().last().cloned().unwrap();
    let transaction = decode(&raw);
    let creator = signer(&transaction);
    let event = ILaunchHook::LaunchCreated {
        launchId: U256::from(42),
        creator,
        token: TOKEN,
        targetRaise: U256::from(1).to(),
    };
    let log = event.encode_log_data();
    let lie = ILaunchHook::LaunchCreated { token: Address::repeat_byte(0xee), ..event }.encode_log_data();
    json!({
        "transactionHash": transaction.hash(),
        "status": "0x1",
        "logs": [
            { "address": Address::repeat_byte(0xaa), "topics": lie.topics(), "data": lie.data },
            { "address": transaction.to(), "topics": log.topics(), "data": log.data },
        ],
    })
}

async fn service_answer(State(shared): State<Arc<Shared>>, uri: Uri) -> Response {
    if let Some(response) = (shared.service)(&uri) {
        return response;
    }
    match uri.path() {
        "/api/capabilities" => Json(capabilities()).into_response(),
        "/api/tokens/recent-v2" => {
            Json(json!({ "chainId": 57073, "tokens": [], "nextOffset": null })).into_response()
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

pub(super) fn capabilities() -> Value {
    json!({
        "chainId": 57073,
        "flags": { "create": true },
        "activeCreationDeployment": { "hook": HOOK, "status": "active" },
    })
}
