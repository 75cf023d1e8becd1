//! `launch_status`: the stored state of a launch, read from the hook.
use alloy::primitives::{Bytes, U256};
use alloy::sol_types::{SolCall as _, SolError as _};
use serde_json::json;
use slipway_contracts::bindings::{ILaunchHook, LaunchConfig};

use crate::config::ToolServerConfig;
use crate::decimal;
use crate::ensure::ensure;
use crate::output::StatusOutput;
use crate::preflight;
use crate::refusal::Refusal;
use crate::rpc::{self, RpcError};
use crate::sent::SentLaunches;
use crate::service::Service;

/// Reads a launch.
///
/// Clause: MCP-STATUS, MCP-STATUS-FIGURES
pub(crate) async fn status(
    config: &ToolServerConfig,
    service: &Service,
    sent: &SentLaunches,
    id: U256,
) -> Result<StatusOutput, Refusal> {
    let method = "eth_call";
    let rpc = config.rpc();
    preflight::require_chain(&rpc).await?;
    let hook = service.reading_hook().await?;
    let data: Bytes = ILaunchHook::getLaunchStateCall { launchId: id }.abi_encode().into();
    let result = rpc.request(method, json!([{ "to": hook, "data": data }, "latest"])).await;
    let result = result.map_err(|error| match &error {
        RpcError::Refused { data: Some(data), .. }
            if data.starts_with(&ILaunchHook::UnknownLaunch::SELECTOR) =>
        {
            Refusal::LaunchUnknown
        }
        _ => rpc::failed(method, &error),
    })?;
    let malformed = Refusal::ResponseMalformed { method };
    let bytes: Bytes = result.as_str().and_then(|text| text.parse().ok()).ok_or(malformed.clone())?;
    let state = ILaunchHook::getLaunchStateCall::abi_decode_returns(&bytes).map_err(|_| malformed)?;
    ensure(!state.token.is_zero(), Refusal::LaunchUnknown)?;
    Ok(StatusOutput {
        launch_id: id.to_string(),
        funding_progress: progress(&state),
        status: if state.finalized { "live" } else { "funding" },
        net_contributions_wei: state.netContributions.to_string(),
        target_raise_wei: state.targetRaise.to_string(),
        sold: state.sold.to_string(),
        sale_supply: state.saleSupply.to_string(),
        token_address: state.token.to_checksum(None),
        creator: state.creator.to_checksum(None),
        launch_time: state.launchTime,
        trade_url: config.trade_url(state.token),
        sent_launches: sent.list(config, &rpc).await,
    })
}

/// The JSON number nearest to contributions over target; 1 is reserved for launches that are fully funded.
fn progress(state: &LaunchConfig) -> f64 {
    const LARGEST_BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;
    let target = U256::from(state.targetRaise);
    if state.finalized || target.is_zero() {
        return 1.0;
    }
    let places = decimal::ETHER;
    let scaled = U256::from(state.netContributions) * U256::from(10).pow(U256::from(places)) / target;
    let nearest: f64 = decimal::format(scaled, places).parse().unwrap_or_default();
    nearest.min(LARGEST_BELOW_ONE)
}
