//! Checks of the chain before a launch is signed, shared by launch and preview.
use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall as _;
use serde_json::{Value, json};
use slipway_contracts::bindings::ILaunchHook;

use crate::config::ToolServerConfig;
use crate::decimal::{self, Wei};
use crate::ensure::ensure;
use crate::input::LaunchRequest;
use crate::refusal::Refusal;
use crate::rpc::{self, Rpc, RpcError};
use crate::service::CHAIN_ID;

/// Largest gas limit of a transaction (EIP-7825).
const MAX_GAS_LIMIT: u64 = 16_777_216;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fees {
    pub(crate) max_fee_wei: u128,
    pub(crate) priority_fee_wei: u128,
}

#[derive(Clone, Debug)]
pub(crate) struct LaunchCall {
    from: Address,
    to: Address,
    value: Wei,
    pub(crate) input: Bytes,
}

impl LaunchCall {
    pub(crate) fn new(from: Address, hook: Address, request: &LaunchRequest) -> Self {
        Self { from, to: hook, value: request.prebuy, input: encode(request).1 }
    }

    fn json(&self) -> Value {
        json!({ "from": self.from, "to": self.to, "value": self.value.0, "data": self.input })
    }
}

/// Encodes the call of a launch, and names its function: the plain one without a referral code.
///
/// Clause: MCP-REFERRAL
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

/// Refuses any chain except the one for launches.
///
/// Clause: MCP-CHAIN-ID, MCP-PRECHECK
pub(crate) async fn require_chain(rpc: &Rpc) -> Result<(), Refusal> {
    let found = rpc.chain_id().await?;
    ensure(found == CHAIN_ID, Refusal::WrongChain { found })
}

pub(crate) async fn require_code(rpc: &Rpc, hook: Address) -> Result<(), Refusal> {
    ensure(rpc.has_code(hook).await?, Refusal::HookWithoutCode)
}

/// Refuses a start in the past by the clock of the chain.
pub(crate) fn require_start(request: &LaunchRequest, now: u64) -> Result<(), Refusal> {
    let start = request.parameters.startTime;
    ensure(start == 0 || start >= now, Refusal::StartPast { now })
}

/// Refuses a balance that is too low.
pub(crate) fn require_balance(balance: Wei, needed: Wei) -> Result<(), Refusal> {
    ensure(balance >= needed, Refusal::BalanceShort { needed: decimal::ether(needed) })
}

/// Twice the base fee plus the suggested priority fee, limited by the cap. A base fee above the cap would never be mined.
///
/// Clause: MCP-CAP-GAS
pub(crate) fn fees(
    config: &ToolServerConfig,
    base_fee_wei: u128,
    suggested_wei: u128,
) -> Result<Fees, Refusal> {
    let cap = decimal::format(U256::from(config.max_fee_wei), decimal::GWEI);
    ensure(base_fee_wei <= config.max_fee_wei, Refusal::BaseFeeOverCap { cap })?;
    let max_fee_wei = base_fee_wei.saturating_mul(2).saturating_add(suggested_wei).min(config.max_fee_wei);
    Ok(Fees { max_fee_wei, priority_fee_wei: suggested_wei.min(max_fee_wei) })
}

/// The maximum cost of a launch: its value and all of its gas.
pub(crate) fn cost(request: &LaunchRequest, gas_limit: u64, fees: Fees) -> Wei {
    let gas = U256::from(gas_limit).saturating_mul(U256::from(fees.max_fee_wei));
    Wei(request.prebuy.0.saturating_add(gas))
}

/// Simulates the call on the latest state, from the signer and with its value.
pub(crate) async fn simulate(rpc: &Rpc, call: &LaunchCall) -> Result<(), Refusal> {
    let method = "eth_call";
    let result = rpc.request(method, json!([call.json(), "latest"])).await;
    result.map(drop).map_err(|error| call_failure(method, &error))
}

/// The node's estimate plus a quarter. It fails for a launch that the contract would refuse.
pub(crate) async fn gas_limit(rpc: &Rpc, call: &LaunchCall) -> Result<u64, Refusal> {
    let method = "eth_estimateGas";
    let result =
        rpc.request(method, json!([call.json()])).await.map_err(|error| call_failure(method, &error))?;
    let estimate: Option<U256> = result.as_str().and_then(|text| text.parse().ok());
    let estimate = estimate.ok_or(Refusal::ResponseMalformed { method })?;
    let found = u64::try_from(estimate).unwrap_or(u64::MAX);
    ensure(found <= MAX_GAS_LIMIT, Refusal::GasLimit { found })?;
    Ok(found.saturating_add(found / 4).min(MAX_GAS_LIMIT))
}

/// The reason why a mined launch reverted: the same call fails on the state after its block, unless the cause is gone by then.
pub(crate) async fn reason(rpc: &Rpc, call: &LaunchCall, block: Option<U256>) -> String {
    let block = block.map_or_else(|| json!("latest"), |block| json!(block));
    match rpc.request("eth_call", json!([call.json(), block])).await {
        Err(RpcError::Refused { data: Some(_), message, .. }) => message,
        _ => "the RPC does not tell why".to_owned(),
    }
}

/// Classifies a failed call: with revert data the contract refused it; any other failure comes from the RPC.
fn call_failure(method: &'static str, error: &RpcError) -> Refusal {
    match error {
        RpcError::Refused { data: Some(_), message, .. } => Refusal::WouldRevert { reason: message.clone() },
        _ => rpc::failed(method, error),
    }
}
