//! A launch from its parameters to its receipt: checked, priced, signed once, sent once, awaited for a bounded time.
use std::time::Duration;

use alloy::consensus::{SignableTransaction as _, TxEip1559, TxEnvelope};
use alloy::eips::eip2718::Encodable2718 as _;
use alloy::primitives::{Address, B256, Bytes, TxKind, U256};
use alloy::sol_types::{SolCall as _, SolEvent as _};
use serde_json::json;
use slipway_contracts::bindings::ILaunchHook;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::arguments::LaunchRequest;
use crate::config::ToolServerConfig;
use crate::decimal;
use crate::ensure;
use crate::refusal::Refusal;
use crate::revert;
use crate::rpc::{self, Receipt, Rpc, RpcError};
use crate::schema_types::LaunchOutput;
use crate::service::{CHAIN_ID, Service};

/// More gas than this no transaction may use.
const LARGEST_GAS_LIMIT: u64 = 16_777_216;
/// First pause between two looks for the receipt; each next one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// Longest pause between two looks.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// What a launch costs at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fees {
    max_fee_wei: u128,
    priority_fee_wei: u128,
}

/// Launches, one at a time: two of them would take the same nonce.
pub(crate) struct Launcher {
    turn: Mutex<()>,
}

impl Launcher {
    pub(crate) fn new() -> Self {
        Self { turn: Mutex::new(()) }
    }

    /// Sends the launch and waits until it is mined.
    pub(crate) async fn launch(
        &self,
        config: &ToolServerConfig,
        service: &Service,
        request: &LaunchRequest,
    ) -> Result<LaunchOutput, Refusal> {
        let rpc = connect(config);
        hold_chain(&rpc).await?;
        let hook = service.creation_hook().await?;
        ensure(rpc.has_code(hook).await?, Refusal::HookWithoutCode)?;
        let hash = {
            let _turn = self.turn.lock().await;
            let transaction = prepare(config, &rpc, hook, request).await?;
            send(config, &rpc, transaction).await?
        };
        tracing::info!(%hash, "launch sent");
        let receipt = receipt(config, &rpc, hash).await?;
        outcome(config, hook, &receipt)
    }
}

/// A connection of its own, so that the chain id and the signature concern the same peer.
pub(crate) fn connect(config: &ToolServerConfig) -> Rpc {
    Rpc::new(config.rpc_url.clone(), config.http_limits, config.redactor.clone())
}

/// Refuses any chain but the one launches are for.
pub(crate) async fn hold_chain(rpc: &Rpc) -> Result<(), Refusal> {
    let found = rpc.chain_id().await?;
    ensure(found == CHAIN_ID, Refusal::WrongChain { found })
}

/// Refuses a start that has passed by the chain's own clock.
pub(crate) fn hold_start(request: &LaunchRequest, now: u64) -> Result<(), Refusal> {
    let start = request.parameters.startTime;
    ensure(start == 0 || start >= now, Refusal::StartPast { now })
}

/// The call as it goes to the hook: without a referral code it is the plain one.
pub(crate) fn encode(request: &LaunchRequest) -> (&'static str, Bytes) {
    let params = request.parameters.clone();
    match &request.referral_code {
        None => ("createLaunch", ILaunchHook::createLaunchCall { params }.abi_encode().into()),
        Some(code) => {
            let call = ILaunchHook::createLaunchWithReferralCall { params, referralCode: code.clone() };
            ("createLaunchWithReferral", call.abi_encode().into())
        }
    }
}

async fn prepare(
    config: &ToolServerConfig,
    rpc: &Rpc,
    hook: Address,
    request: &LaunchRequest,
) -> Result<TxEip1559, Refusal> {
    let from = config.key.address();
    let nonce = rpc.pending_nonce(from).await?;
    let head = rpc.head().await?;
    hold_start(request, head.timestamp)?;
    let fees = fees(config, head.base_fee_wei, rpc.priority_fee().await?)?;
    let (value, (_, input)) = (U256::from(request.prebuy_wei), encode(request));
    let balance = rpc.balance(from).await?;
    hold_balance(balance, value)?;
    let gas_limit = gas_limit(rpc, from, hook, value, &input).await?;
    let gas_cost = U256::from(gas_limit).saturating_mul(U256::from(fees.max_fee_wei));
    hold_balance(balance, value.saturating_add(gas_cost))?;
    Ok(TxEip1559 {
        chain_id: CHAIN_ID,
        nonce,
        gas_limit,
        max_fee_per_gas: fees.max_fee_wei,
        max_priority_fee_per_gas: fees.priority_fee_wei,
        to: TxKind::Call(hook),
        value,
        access_list: Default::default(),
        input,
    })
}

/// Twice the base fee and the suggested tip, never above the cap; a base fee above the cap would never be mined.
fn fees(config: &ToolServerConfig, base_fee_wei: u128, suggested_wei: u128) -> Result<Fees, Refusal> {
    let cap = decimal::format(U256::from(config.max_fee_wei), decimal::GWEI);
    ensure(base_fee_wei <= config.max_fee_wei, Refusal::BaseFeeOverCap { cap })?;
    let max_fee_wei = base_fee_wei.saturating_mul(2).saturating_add(suggested_wei).min(config.max_fee_wei);
    Ok(Fees { max_fee_wei, priority_fee_wei: suggested_wei.min(max_fee_wei) })
}

fn hold_balance(balance: U256, needed: U256) -> Result<(), Refusal> {
    let refusal = Refusal::BalanceShort { needed: decimal::format(needed, decimal::ETHER) };
    ensure(balance >= needed, refusal)
}

/// The node's estimate with a quarter on top. It also says whether the contract would take the launch at all.
async fn gas_limit(
    rpc: &Rpc,
    from: Address,
    hook: Address,
    value: U256,
    input: &Bytes,
) -> Result<u64, Refusal> {
    let method = "eth_estimateGas";
    let call = json!({ "from": from, "to": hook, "value": value, "data": input });
    let answer = rpc.request(method, json!([call])).await.map_err(|error| match &error {
        RpcError::Refused { data: Some(data), message, .. } => {
            let reason = revert::error_name(data).map_or_else(|| message.clone(), str::to_owned);
            Refusal::WouldRevert { reason }
        }
        _ => rpc::failed(method, &error),
    })?;
    let estimate: Option<U256> = answer.as_str().and_then(|text| text.parse().ok());
    let estimate = estimate.ok_or(Refusal::AnswerMalformed { method })?;
    let found = u64::try_from(estimate).unwrap_or(u64::MAX);
    ensure(found <= LARGEST_GAS_LIMIT, Refusal::GasLimit { found })?;
    Ok(found.saturating_add(found / 4).min(LARGEST_GAS_LIMIT))
}

/// Asks for the chain a last time, signs, and sends: exactly one broadcast, whatever comes back.
async fn send(config: &ToolServerConfig, rpc: &Rpc, transaction: TxEip1559) -> Result<B256, Refusal> {
    let found = rpc.chain_id().await?;
    ensure(found == CHAIN_ID, Refusal::ChainChanged { found })?;
    let signature = config.key.sign(&transaction.signature_hash());
    let signed = transaction.into_signed(signature);
    let hash = *signed.hash();
    let payload = TxEnvelope::from(signed).encoded_2718();
    config.redactor.learn_bytes(&payload);
    for half in [signature.r(), signature.s()] {
        config.redactor.learn_bytes(&half.to_be_bytes::<32>());
    }
    match rpc.request("eth_sendRawTransaction", json!([Bytes::from(payload)])).await {
        Ok(_) => Ok(hash),
        Err(error) => Err(broadcast_failure(hash, &error)),
    }
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

/// Looks for the receipt until the wait is over. Only looking is repeated.
async fn receipt(config: &ToolServerConfig, rpc: &Rpc, hash: B256) -> Result<Receipt, Refusal> {
    let deadline = Instant::now() + config.receipt_wait;
    let looking = async {
        let mut pause = FIRST_PAUSE;
        loop {
            if let Ok(Some(receipt)) = rpc.receipt(hash).await
                && receipt.transaction_hash == hash
            {
                return receipt;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    };
    let seconds = config.receipt_wait.as_secs();
    tokio::time::timeout_at(deadline, looking)
        .await
        .map_err(|_| Refusal::ReceiptTimeout { hash: hash.to_string(), seconds })
}

/// Reads the new token out of the receipt: the hook's own event about this wallet's launch.
fn outcome(config: &ToolServerConfig, hook: Address, receipt: &Receipt) -> Result<LaunchOutput, Refusal> {
    let hash = receipt.transaction_hash.to_string();
    if receipt.status != U256::ONE {
        return Err(Refusal::Reverted { hash });
    }
    let created = receipt.logs.iter().filter(|log| log.address == hook).find_map(|log| {
        let topics = log.topics.iter().copied();
        ILaunchHook::LaunchCreated::decode_raw_log_validate(topics, &log.data).ok()
    });
    let Some(created) = created.filter(|created| created.creator == config.key.address()) else {
        return Err(Refusal::EventMissing { hash });
    };
    Ok(LaunchOutput {
        trade_url: trade_url(config, created.token),
        explorer_url: format!("{}/tx/{hash}", origin(config)),
        transaction_hash: hash,
        token_address: created.token.to_checksum(None),
        launch_id: created.launchId.to_string(),
    })
}

fn origin(config: &ToolServerConfig) -> &str {
    config.base_url.as_str().trim_end_matches('/')
}

/// Where a token is traded.
pub(crate) fn trade_url(config: &ToolServerConfig, token: Address) -> String {
    format!("{}/trade/{}", origin(config), token.to_checksum(None))
}
