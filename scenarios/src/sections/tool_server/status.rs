//! `launch_status`: the reported state of a launch equals the contract's.
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed as _, Zero as _};

use super::fixture::{Session, ToolReply, ToolServerFixture};
use super::hostile_rpc::leaves;
use super::strict::MCP_STRICT;
use crate::client::wire::LaunchConfig;
use crate::model::figure::{Figure, rational};
use crate::prelude::*;
use crate::truth::reference::integer;

clause! {
    MCP_STATUS = "MCP-STATUS" (S228, S239, S261): "Funding progress is what the contract reports.";
    check!("tool-server-status" [Write; ToolServer, Rest, PrimaryChain, Accounts] status_equals_the_state:
        "the reported progress is that of the stored state");
}
pub(super) async fn status_equals_the_state(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, ether(4)).await?;
    let mut choices = trial.choices("status");
    let (hook, launched) = fixture.plain_launch(&mut choices).await?;
    let mut session = fixture.open(&[]).await?;
    let tools = session.tools().await?;
    let chosen = choices.between(ether(1) / U256::from(5), ether(1) / U256::from(2));
    for buys in [None, Some(chosen), Some(ether(2))] {
        if let Some(value) = buys {
            hook.buy(&fixture.account, launched.id, value).await?;
        }
        let state = hook.state(launched.id).await?;
        let raise = integer(U256::from(state.targetRaise));
        let exact = BigRational::new(BigInt::from(state.netContributions), raise);
        let reply = status(&mut session, &tools, launched.id).await?;
        let value = fixture.served(&reply, "the launch exists")?;
        let right = reports_progress(&value, &exact);
        fixture.require_or(&reply, right, &format!("a funding progress of {exact}"), || value.to_string())?;
        figures_hold(&fixture.by(&MCP_STATUS_FIGURES), &reply, &value, launched.id, &state)?;
    }
    let reply = status(&mut session, &tools, U256::from(u64::MAX)).await?;
    fixture.by(&MCP_STRICT).require(&reply, reply.is_error(), "a tool error: there is no such launch")
}

/// Whether a status reports this share: in each member with "progress" in its name, else anywhere.
fn reports_progress(value: &Value, exact: &BigRational) -> bool {
    let members = value.as_object().into_iter().flatten();
    let named: Vec<(&String, &Value)> = members
        .filter(|(name, member)| name.to_lowercase().contains("progress") && !member.is_object())
        .collect();
    if named.is_empty() {
        return leaves(value).iter().any(|text| shows(text, exact));
    }
    let unit = |name: &str| match name.to_lowercase() {
        name if name.contains("percent") || name.contains("pct") => 100,
        name if name.contains("bps") => 10_000,
        _ => 1,
    };
    named.iter().all(|(name, member)| {
        let scaled = exact * BigRational::from_integer(unit(name).into());
        leaves(member).iter().all(|text| shows(text, &scaled) || shows(text, exact))
    })
}

clause! {
    MCP_STATUS_FIGURES = "MCP-STATUS-FIGURES" (choice S239):
        "Every figure of a status matches the stored state of the launch.";
    check!("tool-server-status-figures" [Write; ToolServer, Rest, PrimaryChain, Accounts] status_equals_the_state:
        "compares every figure of a status with the stored state, before and after purchases");
}

/// Members with this project's names equal the stored state; absent members are skipped.
fn figures_hold(
    trial: &Trial<'_>,
    reply: &ToolReply,
    value: &Value,
    launch: U256,
    state: &LaunchConfig,
) -> Verdict {
    let status = if state.finalized { "live" } else { "funding" };
    for (name, stored) in [
        ("launchId", launch.to_string()),
        ("status", status.to_owned()),
        ("netContributionsWei", state.netContributions.to_string()),
        ("targetRaiseWei", state.targetRaise.to_string()),
        ("sold", state.sold.to_string()),
        ("saleSupply", state.saleSupply.to_string()),
        ("tokenAddress", state.token.to_string()),
        ("creator", state.creator.to_string()),
        ("launchTime", state.launchTime.to_string()),
    ] {
        let Some(reported) = leaves(&value[name]).pop() else { continue };
        let same = reported.eq_ignore_ascii_case(&stored);
        trial.require_or(reply, same, &format!("{name} = {stored}"), || format!("{name} = {reported}"))?;
    }
    Ok(())
}

/// Whether a text is this share, exact to its last place, with at least four places; or as a percentage with at least two.
fn shows(text: &str, exact: &BigRational) -> bool {
    let Some(reply) = rational(text.trim_end_matches('%')) else {
        return false;
    };
    let last_place = Figure::parse(text.trim_end_matches('%')).map(|figure| figure.last_place());
    // Trailing zeros are not written, so a figure may have more places than it shows.
    let near = |off: BigRational, most: &str| {
        off.abs()
            <= last_place
                .clone()
                .zip(rational(most))
                .map_or_else(BigRational::zero, |(place, most)| place.min(most))
    };
    let percent = exact * BigRational::from_integer(100.into());
    near(exact - &reply, "1e-4") || (text.ends_with('%') && near(percent - reply, "1e-2"))
}

/// Requests the status of a launch with the argument that the schema requires.
pub(super) async fn status(
    session: &mut Session<'_>,
    tools: &ToolReply,
    launch: U256,
) -> Result<ToolReply, Stop> {
    let schema = &tools.tool("launch_status")["inputSchema"];
    let name = schema["required"][0].as_str().unwrap_or("launchId").to_owned();
    let as_text = schema["properties"][&name]["type"] == "string";
    let id = if as_text { json!(launch.to_string()) } else { json!(launch.saturating_to::<u64>()) };
    session.call("launch_status", &json!({ name: id })).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_right_to_its_last_place() {
        let exact = rational("0.425091234567").unwrap();
        for (text, fits) in [
            ("0.425091234567", true),
            ("0.4251", true),
            ("0.425", true),
            ("42.51%", true),
            ("42.5091%", true),
            ("42.50%", true),
            ("42.49%", false),
            ("0.426", false),
            ("0.42509122", false),
            ("42.51", false),
            ("43%", false),
        ] {
            assert_eq!(shows(text, &exact), fits, "{text}");
        }
        assert!(shows("0", &BigRational::zero()) && shows("0.00%", &BigRational::zero()));
    }
}
