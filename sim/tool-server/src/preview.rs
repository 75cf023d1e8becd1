//! `preview_launch`: the call of a launch, its fees, and every current obstacle to it.
use alloy::primitives::Address;

use crate::config::ToolServerConfig;
use crate::input::LaunchRequest;
use crate::output::{FeeMath, PreviewOutput, PreviewParameters, Warning};
use crate::preflight;
use crate::refusal::Refusal;
use crate::rpc::{Head, Rpc};
use crate::service::{CHAIN_ID, Service};

/// Previews a launch whose arguments satisfy the rules. A start in the past is refused like any other bad argument; every other reason for
/// which `launch_token` would refuse it now becomes a warning.
///
/// Clause: MCP-PREVIEW, MCP-PREVIEW-REAL
pub(crate) async fn preview(
    config: &ToolServerConfig,
    service: &Service,
    request: &LaunchRequest,
) -> Result<PreviewOutput, Refusal> {
    let rpc = config.rpc();
    let (hook, chain) = tokio::join!(service.creation_hook(), async {
        preflight::require_chain(&rpc).await?;
        rpc.head().await
    });
    let mut warnings = Warnings::default();
    if !config.writes_enabled {
        warnings.push(Refusal::WritesDisabled);
    }
    let head = warnings.keep(chain);
    let hook = warnings.keep(hook);
    if let Some(head) = head {
        preflight::require_start(request, head.timestamp)?;
        rehearse(config, &rpc, hook, request, head, &mut warnings).await;
    }
    Ok(output(request, hook, warnings.0))
}

/// Takes every step of a launch before its signature, and continues after a failure if the next step does not need the result.
async fn rehearse(
    config: &ToolServerConfig,
    rpc: &Rpc,
    hook: Option<Address>,
    request: &LaunchRequest,
    head: Head,
    warnings: &mut Warnings,
) {
    let from = config.key.address();
    warnings.keep(rpc.pending_nonce(from).await);
    let priority_fee_wei = warnings.keep(rpc.priority_fee(head.base_fee_wei).await);
    let fees =
        warnings.keep(preflight::fees(config, head.base_fee_wei, priority_fee_wei.unwrap_or_default()));
    let balance = warnings.keep(rpc.balance(from).await);
    if let Some(balance) = balance
        && warnings.keep(preflight::require_balance(balance, request.prebuy)).is_none()
    {
        // A node does not run a call whose value exceeds the sender's balance.
        return;
    }
    let Some(hook) = hook else { return };
    if warnings.keep(preflight::require_code(rpc, hook).await).is_none() {
        return;
    }
    let call = preflight::LaunchCall::new(from, hook, request);
    if warnings.keep(preflight::simulate(rpc, &call).await).is_none() {
        return;
    }
    let gas_limit = warnings.keep(preflight::gas_limit(rpc, &call).await);
    if let (Some(gas_limit), Some(fees), Some(balance)) = (gas_limit, fees, balance) {
        warnings.keep(preflight::require_balance(balance, preflight::cost(request, gas_limit, fees)));
    }
}

/// Refusals of a launch, in the order of its steps.
#[derive(Default)]
struct Warnings(Vec<Warning>);

impl Warnings {
    fn push(&mut self, refusal: Refusal) {
        self.0.push(Warning { code: refusal.code(), message: refusal.to_string(), next: refusal.next() });
    }

    /// Unwraps the value of a step; a refusal becomes a warning.
    fn keep<T>(&mut self, step: Result<T, Refusal>) -> Option<T> {
        step.map_err(|refusal| self.push(refusal)).ok()
    }
}

fn output(request: &LaunchRequest, hook: Option<Address>, warnings: Vec<Warning>) -> PreviewOutput {
    let parameters = request.parameters.clone();
    let (function, calldata) = preflight::encode(request);
    PreviewOutput {
        chain_id: CHAIN_ID,
        hook: hook.map(|hook| hook.to_checksum(None)),
        function,
        value_wei: request.prebuy.to_string(),
        fee_math: fee_math(parameters.creatorFeeSplitBps),
        params: PreviewParameters {
            creator_fee_split_bps: parameters.creatorFeeSplitBps,
            gain_bps: parameters.gainBps,
            target_raise: parameters.targetRaise.to_string(),
            anti_snipe_duration: parameters.antiSnipeDuration,
            start_time: parameters.startTime,
            name: parameters.name,
            ticker: parameters.ticker,
            description: parameters.description,
            image_url: parameters.imageUrl,
            messenger: parameters.messenger,
            microblog: parameters.microblog,
            website: parameters.website,
        },
        referral_code: request.referral_code.clone(),
        calldata: calldata.to_string(),
        warnings,
    }
}

/// Computes the fees: one percent of the volume goes to the protocol; another is the variable fee, of which the creator gets a share.
/// Relative to the 99 % that remain after the protocol's fee, the variable fee is slightly more than one percent.
fn fee_math(split_bps: u16) -> FeeMath {
    FeeMath {
        creator_earnings_as_pct_of_volume: f64::from(split_bps) / 10_000.0,
        protocol_fee_pct: 1,
        variable_fee_pct_of_after_protocol: 100.0 / 99.0,
    }
}
