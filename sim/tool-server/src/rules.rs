//! Rules for a launch beyond the bounds of its arguments: the operator's caps, secrets, and links.
use crate::config::ToolServerConfig;
use crate::decimal;
use crate::ensure::ensure;
use crate::input::LaunchRequest;
use crate::link::LinkRules;
use crate::refusal::Refusal;

/// Refuses a launch that breaks a rule. Looks up the hosts of its links again.
pub(crate) async fn check(
    config: &ToolServerConfig,
    links: &LinkRules,
    request: &LaunchRequest,
) -> Result<(), Refusal> {
    require_caps(config, request)?;
    require_no_key(config, request)?;
    for (argument, link) in request.links() {
        links.check(argument, link).await?;
    }
    Ok(())
}

/// Clause: MCP-CAP-RAISE, MCP-CAP-PREBUY, MCP-STRICT
fn require_caps(config: &ToolServerConfig, request: &LaunchRequest) -> Result<(), Refusal> {
    let (raise, prebuy) = (request.raise(), request.prebuy);
    ensure(raise <= config.max_raise, Refusal::RaiseOverCap { cap: decimal::ether(config.max_raise) })?;
    ensure(prebuy <= raise, Refusal::PrebuyOverRaise)?;
    ensure(prebuy <= config.max_prebuy, Refusal::PrebuyOverCap { cap: decimal::ether(config.max_prebuy) })
}

/// Refuses a launch whose texts contain the private key, since a launch is public.
///
/// Clause: MCP-SECRETS
fn require_no_key(config: &ToolServerConfig, request: &LaunchRequest) -> Result<(), Refusal> {
    match request.texts().find(|(_, text)| config.key_detector.finds_secret(text)) {
        Some((argument, _)) => Err(Refusal::ArgumentSecret { argument }),
        None => Ok(()),
    }
}
