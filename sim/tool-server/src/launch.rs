//! `launch_token`: checks and prices a launch, signs and sends it only once, then waits for a limited time.
use std::sync::Arc;
use std::time::Duration;

use alloy::consensus::{SignableTransaction as _, TxEip1559, TxEnvelope};
use alloy::eips::eip2718::Encodable2718 as _;
use alloy::primitives::{Address, B256, Bytes, TxKind, U256};
use alloy::sol_types::SolEvent as _;
use serde_json::json;
use slipway_contracts::bindings::ILaunchHook;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;

use crate::book::Signed as Noted;
use crate::config::ToolServerConfig;
use crate::ensure::ensure;
use crate::input::LaunchRequest;
use crate::output::{LaunchOutput, LaunchState};
use crate::preflight::{self, Fees};
use crate::refusal::Refusal;
use crate::rpc::{Receipt, Rpc, RpcError};
use crate::sent::SentLaunches;
use crate::service::{CHAIN_ID, Service};

/// Time from the first receipt request to the second; the time doubles with every request.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// Longest time from one receipt request to the next.
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// Broadcasts one launch at a time: two at once would use the same nonce.
#[derive(Default)]
pub(crate) struct Launcher {
    turn: Arc<Mutex<()>>,
    sent: Arc<SentLaunches>,
}

/// A signed launch, ready for its broadcast.
struct Signed {
    hash: B256,
    payload: Bytes,
}

impl Launcher {
    pub(crate) fn sent(&self) -> &SentLaunches {
        &self.sent
    }

    /// Sends the launch and waits until it is mined.
    ///
    /// A call that is cancelled before the signature sends nothing. From the signature on, the broadcast is a separate task, which a
    /// cancellation does not stop; it keeps the turn until the RPC has responded or its time is over.
    pub(crate) async fn launch(
        &self,
        config: &ToolServerConfig,
        service: &Service,
        request: &LaunchRequest,
        noted: &Noted,
    ) -> Result<LaunchOutput, Refusal> {
        let rpc = Arc::new(config.rpc());
        preflight::require_chain(&rpc).await?;
        let hook = service.creation_hook().await?;
        preflight::require_code(&rpc, hook).await?;
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let transaction = prepare(config, &rpc, hook, request).await?;
        let nonce = transaction.nonce;
        // There is no await between the signature and the start of the task.
        let signed = sign(config, transaction);
        let hash = signed.hash;
        self.sent.begin(hash, nonce);
        noted.get_or_init(|| hash);
        let broadcast = broadcast(Arc::clone(&rpc), Arc::clone(&self.sent), signed, turn);
        tokio::spawn(broadcast).await.unwrap_or(Err(Refusal::Crashed))?;
        let receipt = receipt(config, &rpc, hash).await?;
        self.sent.mined(&receipt);
        if receipt.status != U256::ONE {
            let call = preflight::LaunchCall::new(config.key.address(), hook, request);
            let reason = preflight::reason(&rpc, &call, receipt.block_number).await;
            return Err(Refusal::Reverted { hash: hash.to_string(), reason });
        }
        outcome(config, hook, &receipt)
    }
}

/// Builds the transaction. Its nonce is the pending transaction count, requested once; the chain id is requested again at the end.
///
/// Clause: MCP-NONCE, MCP-CHAIN-ID
async fn prepare(
    config: &ToolServerConfig,
    rpc: &Rpc,
    hook: Address,
    request: &LaunchRequest,
) -> Result<TxEip1559, Refusal> {
    let from = config.key.address();
    let nonce = rpc.pending_nonce(from).await?;
    let head = rpc.head().await?;
    preflight::require_start(request, head.timestamp)?;
    let fees = preflight::fees(config, head.base_fee_wei, rpc.priority_fee(head.base_fee_wei).await?)?;
    let balance = rpc.balance(from).await?;
    preflight::require_balance(balance, request.prebuy)?;
    let call = preflight::LaunchCall::new(from, hook, request);
    let gas_limit = preflight::gas_limit(rpc, &call).await?;
    preflight::require_balance(balance, preflight::cost(request, gas_limit, fees))?;
    let Fees { max_fee_wei, priority_fee_wei } = fees;
    let found = rpc.chain_id().await?;
    ensure(found == CHAIN_ID, Refusal::ChainChanged { found })?;
    Ok(TxEip1559 {
        chain_id: CHAIN_ID,
        nonce,
        gas_limit,
        max_fee_per_gas: max_fee_wei,
        max_priority_fee_per_gas: priority_fee_wei,
        to: TxKind::Call(hook),
        value: request.prebuy.0,
        access_list: Default::default(),
        input: call.input,
    })
}

/// Signs the launch, and teaches the redactor the payload and its signature.
///
/// Clause: MCP-SECRETS
fn sign(config: &ToolServerConfig, transaction: TxEip1559) -> Signed {
    let signature = config.key.sign(&transaction.signature_hash());
    let signed = transaction.into_signed(signature);
    let hash = *signed.hash();
    let payload = TxEnvelope::from(signed).encoded_2718();
    config.redactor.learn_bytes(&payload);
    for half in [signature.r(), signature.s()] {
        config.redactor.learn_bytes(&half.to_be_bytes::<32>());
    }
    Signed { hash, payload: payload.into() }
}

/// Sends exactly once, whatever the response; the next launch waits for the result.
///
/// Clause: MCP-RECEIPT, MCP-SENT
async fn broadcast(
    rpc: Arc<Rpc>,
    sent: Arc<SentLaunches>,
    signed: Signed,
    _turn: OwnedMutexGuard<()>,
) -> Result<(), Refusal> {
    let Signed { hash, payload } = signed;
    let answer = rpc.request("eth_sendRawTransaction", json!([payload])).await;
    let outcome = answer.map(drop).map_err(|error| broadcast_failure(hash, &error));
    sent.settle(
        hash,
        match &outcome {
            Ok(()) => LaunchState::Accepted,
            Err(Refusal::BroadcastRefused { .. }) => LaunchState::Refused,
            Err(_) => LaunchState::Unknown,
        },
    );
    outcome
}

fn broadcast_failure(hash: B256, error: &RpcError) -> Refusal {
    let (hash, problem) = (hash.to_string(), error.to_string());
    let refused = match error {
        RpcError::Refused { .. } => true,
        RpcError::Exchange(exchange) => exchange.was_never_sent(),
        RpcError::Malformed => false,
    };
    if refused {
        Refusal::BroadcastRefused { hash, problem }
    } else {
        Refusal::BroadcastUnknown { hash, problem }
    }
}

/// Requests the receipt until the wait is over. Only this request is retried.
///
/// Clause: MCP-RECEIPT
async fn receipt(config: &ToolServerConfig, rpc: &Rpc, hash: B256) -> Result<Receipt, Refusal> {
    let polling = async {
        let mut pause = FIRST_PAUSE;
        loop {
            let next = Instant::now() + pause;
            if let Ok(Some(receipt)) = rpc.receipt(hash).await
                && receipt.transaction_hash == hash
            {
                return receipt;
            }
            tokio::time::sleep_until(next).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    };
    let wait = config.receipt_wait;
    let receipt = tokio::time::timeout(wait, polling).await;
    receipt.map_err(|_| Refusal::ReceiptTimeout { hash: hash.to_string(), wait })
}

/// Reads the new token from the receipt of a successful launch: from the hook's own event about a launch of this wallet.
///
/// Clause: MCP-RESULT
fn outcome(config: &ToolServerConfig, hook: Address, receipt: &Receipt) -> Result<LaunchOutput, Refusal> {
    let hash = receipt.transaction_hash.to_string();
    let created = receipt.logs.iter().filter(|log| log.address == hook).find_map(|log| {
        let topics = log.topics.iter().copied();
        ILaunchHook::LaunchCreated::decode_raw_log_validate(topics, &log.data).ok()
    });
    let Some(created) = created.filter(|created| created.creator == config.key.address()) else {
        return Err(Refusal::EventMissing { hash });
    };
    Ok(LaunchOutput {
        trade_url: config.trade_url(created.token),
        explorer_url: config.explorer_url(receipt.transaction_hash),
        transaction_hash: hash,
        token_address: created.token.to_checksum(None),
        launch_id: created.launchId.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::ExchangeError;
    use crate::rpc::ReceiptLog;

    const HOOK: Address = Address::repeat_byte(0x23);

    fn config() -> ToolServerConfig {
        let key = |variable: &str| (variable == "SERVICE_MCP_PRIVATE_KEY").then(|| "11".repeat(32).into());
        ToolServerConfig::from_variables(&key).unwrap()
    }

    fn log(address: Address, creator: Address, token: Address) -> ReceiptLog {
        let event = ILaunchHook::LaunchCreated {
            launchId: U256::from(42),
            creator,
            token,
            targetRaise: U256::from(1).to(),
        };
        let data = event.encode_log_data();
        ReceiptLog { address, topics: data.topics().to_vec(), data: data.data.clone() }
    }

    #[test]
    fn receipt_is_read_from_the_hooks_own_event() {
        let config = config();
        let wallet = config.key.address();
        let (token, stranger) = (Address::repeat_byte(0x70), Address::repeat_byte(0xaa));
        let receipt = |logs: Vec<ReceiptLog>| Receipt {
            transaction_hash: B256::repeat_byte(1),
            block_number: None,
            status: U256::ONE,
            logs,
        };
        let hash = B256::repeat_byte(1).to_string();
        let logs = vec![log(stranger, wallet, stranger), log(HOOK, wallet, token)];
        let launched = outcome(&config, HOOK, &receipt(logs)).unwrap();
        assert_eq!(launched.token_address, token.to_checksum(None));
        assert_eq!(launched.launch_id, "42");
        for logs in [vec![], vec![log(stranger, wallet, token)], vec![log(HOOK, stranger, token)]] {
            let refusal = Refusal::EventMissing { hash: hash.clone() };
            assert_eq!(outcome(&config, HOOK, &receipt(logs)).unwrap_err(), refusal);
        }
    }

    #[test]
    fn broadcast_outcome_is_unknown_unless_refused_or_never_sent() {
        let code = |error: &RpcError| broadcast_failure(B256::ZERO, error).code();
        let refused = RpcError::Refused { code: -32000, message: "nonce too low".into(), data: None };
        assert_eq!(code(&refused), "broadcast-refused");
        assert_eq!(code(&ExchangeError::Unreachable.into()), "broadcast-refused");
        assert_eq!(code(&ExchangeError::Interrupted.into()), "broadcast-unknown");
        assert_eq!(
            code(&ExchangeError::TimedOut { limit: Duration::from_secs(10) }.into()),
            "broadcast-unknown"
        );
        assert_eq!(code(&RpcError::Malformed), "broadcast-unknown");
    }
}
