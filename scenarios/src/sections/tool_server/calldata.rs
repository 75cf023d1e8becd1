//! The call that a launch sends, decoded and compared with the arguments; and conditions that prevent sending.
use alloy::consensus::Transaction as _;
use alloy::sol_types::SolInterface as _;

use super::fixture::{Session, ToolReply, WRITES};
use super::launching::accepted_protection;
use crate::answers::reads::CAPABILITIES;
use crate::client::wire::CreateLaunchParams;
use crate::client::wire::LaunchHook::LaunchHookCalls as Calls;
use crate::prelude::*;

/// Selects a text of the call.
type Place = fn(&CreateLaunchParams) -> &String;

clause! {
    MCP_CALL = "MCP-CALL" (S226, S229, S240, S241, S242, S243, S244, S247, S250, S252, S253, S282):
        "The texts and figures of a launch reach the contract unchanged, signed for chain 57073.";
    check!("tool-server-calldata" [Write; ToolServer, Rest, PrimaryChain, Accounts] arguments_are_sent:
        "seven different texts and five figures of a launch are those of the call that is sent");
}
pub(super) async fn arguments_are_sent(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES]).await?;
    let start = session.chain.head().await?.header.timestamp + 86_400;
    let seconds = accepted_protection(&mut session).await?;
    let link = |path: &str| session.link(path);
    let texts: [(&str, String, Place); 7] = [
        ("name", "Forty-eight letters, which is the most for a name".chars().take(48).collect(), |sent| {
            &sent.name
        }),
        ("ticker", "APARTOFTWELV".to_owned(), |sent| &sent.ticker),
        ("description", "abcdefghi ".repeat(49) + "the end it", |sent| &sent.description),
        ("imageUrl", link("Image.PNG"), |sent| &sent.imageUrl),
        ("messenger", link("Messenger"), |sent| &sent.messenger),
        ("microblog", link("Microblog"), |sent| &sent.microblog),
        ("website", link("Website/A"), |sent| &sent.website),
    ];
    for code in ["", "Sent-1"] {
        let mut arguments = json!({
            "targetRaiseEth": 1.23456789, "creatorFeeSplitBps": 1234, "antiSnipeSeconds": seconds, "startTimestamp": start,
            "curveGainMultiplier": 2.5, "prebuyEth": 0.01234567, "referralCode": code,
        });
        for (name, text, _) in &texts {
            arguments[*name] = json!(text);
        }
        session.rpc.be_honest();
        let (reply, ..) = session.launches(&arguments, "the arguments are right").await?;
        let sent = session.sent();
        let Some(sent) = sent.first() else {
            return Err(session.failure(&reply, "a signed transaction left the tool server", "none"));
        };
        session.require_equal(&reply, "chain id of what was sent", &Some(57_073), &sent.chain_id())?;
        let prebuy = U256::from(12_345_670_000_000_000_u64);
        session.require_equal(&reply, "value of what was sent", &prebuy, &sent.value())?;
        let params = params(sent.input())?;
        for (name, given, reached) in &texts {
            session.require_equal(&reply, &format!("{name} in the call"), given, reached(&params))?;
        }
        let expected = (U256::from(1_234_567_890_000_000_000_u64), 1_234, seconds, start);
        let reached = (
            U256::from(params.targetRaise),
            params.creatorFeeSplitBps,
            params.antiSnipeDuration,
            params.startTime,
        );
        session.require_equal(&reply, "raise, split, snipe and start in the call", &expected, &reached)?;
        session.by(&MCP_GAIN).require_equal(&reply, "gain in the call", &15_000, &params.gainBps)?;
    }
    Ok(())
}

clause! {
    MCP_GAIN = "MCP-GAIN" (choice S248, S249):
        "A multiplier of m reaches the contract as (m - 1) times 10,000 basis points.";
    check!("tool-server-gain" [Write; ToolServer, Rest, PrimaryChain, Accounts] gains_are_basis_points:
        "the smallest, a broken and the largest multiplier reach the contract in basis points");
}
pub(super) async fn gains_are_basis_points(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES]).await?;
    for (multiplier, basis_points) in [("1", 0_u32), ("3.1415", 21_415), ("21", 200_000)] {
        let multiplier: Value = serde_json::from_str(multiplier).unwrap_or_default();
        session.rpc.be_honest();
        let more = json!({ "curveGainMultiplier": multiplier });
        let (reply, ..) = session.launches(&more, "the multiplier is within its bounds").await?;
        let sent = session.sent();
        let gain = sent.first().map(|sent| params(sent.input())).transpose()?.map(|params| params.gainBps);
        session.require_equal(&reply, "gain in the call", &Some(basis_points), &gain)?;
    }
    Ok(())
}

clause! {
    MCP_PRECHECK = "MCP-PRECHECK" (S196):
        "Nothing is launched unless the capabilities succeed, are of the chain, permit creation and have an active deployment.";
    check!("tool-server-precheck" [Write; ToolServer, Rest, PrimaryChain, Accounts] capabilities_permit_launches:
        "capabilities that fail, or are of another chain, closed or not active, keep a launch from being sent");
    check!("tool-server-precheck-order" [Write; ToolServer, Rest, PrimaryChain, Accounts] capabilities_are_checked_in_order:
        "capabilities with two faults are not refused in the words of the later one");
}
pub(super) async fn capabilities_permit_launches(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES]).await?;
    let (_, sound) = trial.read_json(CAPABILITIES, &[param("chainId", "57073")]).await?;
    let (chain, create, status) = ("/chainId", "/flags/create", "/activeCreationDeployment/status");
    for (pointer, value) in [
        (chain, json!(4663)),
        (create, json!(false)),
        (create, json!(0)),
        (create, json!("")),
        (create, Value::Null),
        (status, json!("paused")),
        (status, json!("inactive")),
        (status, Value::Null),
    ] {
        let mut changed = sound.clone();
        let why = format!("the capabilities have {value} at {pointer}");
        let place = changed.pointer_mut(pointer);
        *place.ok_or_else(|| no_material(format!("the capabilities have no {pointer}")))? = value;
        session.service.serve(CAPABILITIES, 200, changed.to_string());
        session.refuses_launch(&json!({}), &why).await?;
    }
    session.service.serve(CAPABILITIES, 503, sound.to_string());
    session.refuses_launch(&json!({}), "the capabilities are an answer of 503").await?;
    session.service.serve(CAPABILITIES, 200, sound.to_string());
    session.launches(&json!({}), "the capabilities permit it").await.map(drop)
}

/// Changes the status and the body of the capabilities.
type Fault = fn(&mut u16, &mut Value);

/// Conditions that prevent a launch, in the order in which a client checks them.
const FAULTS: [(&str, Fault); 4] = [
    ("an answer of 503", |status, _| *status = 503),
    ("another chainId", |_, body| body["chainId"] = json!(4663)),
    ("no flags.create", |_, body| body["flags"]["create"] = json!(false)),
    ("another status", |_, body| body["activeCreationDeployment"]["status"] = json!("paused")),
];

/// Each server words its refusals differently, so the wording for each fault alone is read first. Faults with the same wording show no
/// order.
pub(super) async fn capabilities_are_checked_in_order(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES]).await?;
    let (_, sound) = trial.read_json(CAPABILITIES, &[param("chainId", "57073")]).await?;
    let mut words = Vec::new();
    for (name, fault) in FAULTS {
        words.push(refusal_of(&mut session, &sound, name, &[fault]).await?.1);
    }
    for (later, (second, other)) in FAULTS.into_iter().enumerate() {
        for (earlier, (first, one)) in FAULTS.into_iter().enumerate().take(later) {
            let both = format!("{first} and {second}");
            let (reply, message) = refusal_of(&mut session, &sound, &both, &[one, other]).await?;
            let in_order = message != words[later] || words[earlier] == words[later];
            session.require_or(&reply, in_order, &format!("of {both}, the first is refused"), || {
                message.clone()
            })?;
        }
    }
    Ok(())
}

/// Returns the words that refuse a launch when the capabilities have these faults.
async fn refusal_of(
    session: &mut Session<'_>,
    sound: &Value,
    name: &str,
    faults: &[Fault],
) -> Verdict<(ToolReply, String)> {
    let (mut status, mut body) = (200, sound.clone());
    faults.iter().for_each(|fault| fault(&mut status, &mut body));
    session.service.serve(CAPABILITIES, status, body.to_string());
    let reply = session.refuses_launch(&json!({}), &format!("the capabilities have {name}")).await?;
    let words = match &reply.message["error"] {
        Value::Null => reply.message["result"]["content"].to_string(),
        error => error.to_string(),
    };
    Ok((reply, words))
}

/// Decodes the parameters of a call that creates a launch.
pub(super) fn params(input: &[u8]) -> Verdict<CreateLaunchParams> {
    match Calls::abi_decode(input) {
        Ok(Calls::createLaunch(call)) => Ok(call.params),
        Ok(Calls::createLaunchWithReferral(call)) => Ok(call.params),
        _ => Err(Stop::Skipped("the contracts take launches in another layout".to_owned())),
    }
}
