//! Launching through the tool server: its arguments, defaults, permissions, caps and results.
use alloy::consensus::Transaction;
use alloy::primitives::Bytes;
use alloy::rpc::types::TransactionReceipt;
use alloy::sol_types::SolCall;

use num_rational::BigRational;
use num_traits::{Signed as _, Zero as _};

use super::calldata::params;
use super::fixture::{Session, ToolReply, ToolServerFixture, WRITES, confirmed, with};
use super::strict::MCP_STRICT;
use crate::client::wire::{LaunchConfig, LaunchHook};
use crate::fake_servers::rpc::Reply;
use crate::model::figure::{Figure, decimal};
use crate::prelude::*;
use crate::sections::chain::launch_fixture::LaunchFixture;

clause! {
    MCP_LAUNCH_ARGS = "MCP-LAUNCH-ARGS" (S240, S241, S242, S243, S244, S247, S249, S250, S251, S252, S254, S257, S324): "Each launch argument passes at its bound and fails beyond it.";
    check!("tool-server-arguments" [Write; ToolServer, Rest, PrimaryChain, Accounts] arguments_are_bounded:
        "every bound passes and one past it fails");
}
pub(super) async fn arguments_are_bounded(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(2), &[WRITES]).await?;
    let no_links = json!({"messenger": "", "microblog": "", "website": ""});
    session.previews(&no_links, "every argument is within its bounds").await?;
    // The latest time of a start is left open.
    let tomorrow = session.chain.head().await?.header.timestamp + 86_400;
    // Each argument with valid and invalid values.
    for (name, within, beyond) in [
        ("name", json!(["n", "é".repeat(48)]), json!(["", "n".repeat(49), 7])),
        ("ticker", json!(["T", "T".repeat(12)]), json!(["", "T".repeat(13), "$PRB", "P$"])),
        ("description", json!(["d", "d".repeat(500)]), json!(["", "d".repeat(501)])),
        ("imageUrl", json!([]), json!([""])),
        ("targetRaiseEth", json!([1, 5, 1.5]), json!([0.999_999, 5.000_001, 0, -1, "many"])),
        ("curveGainMultiplier", json!([1, 21]), json!([0.999, 21.001, -6])),
        ("creatorFeeSplitBps", json!([0, 10000]), json!([-1, 10001, 1.5])),
        ("antiSnipeSeconds", json!([0]), json!([1.5])),
        ("startTimestamp", json!([0, tomorrow]), json!([])),
        ("prebuyEth", json!([0, 0.1]), json!([-0.01])),
        (
            "referralCode",
            json!(["a", "aZ09-_".repeat(10), "r".repeat(64)]),
            json!(["r".repeat(65), "has space", "dot.dot"]),
        ),
    ] {
        for value in within.as_array().into_iter().flatten() {
            session.previews(&json!({ name: value }), "every argument is within its bounds").await?;
        }
        for value in beyond.as_array().into_iter().flatten() {
            let why = format!("{name} {value} is out of bounds");
            session.refuses_both(&confirmed(&json!({ name: value })), &why).await?;
        }
    }
    for missing in ["name", "ticker", "description", "imageUrl", "targetRaiseEth"] {
        let mut arguments = confirmed(&json!({}));
        arguments.as_object_mut().expect("arguments are an object").remove(missing);
        session.refuses_both(&arguments, &format!("{missing} is required")).await?;
    }
    // Arguments at their bounds launch successfully, and the texts reach the chain.
    let longest = json!({
        "name": "é".repeat(48), "ticker": "T".repeat(12), "description": "d".repeat(500), "targetRaiseEth": 5,
        "curveGainMultiplier": 21, "creatorFeeSplitBps": 10000, "referralCode": "r".repeat(64),
    });
    let (reply, _, receipt) = session.launches(&longest, "every argument is at its bound").await?;
    let state = state_of(trial, &session, &reply, &receipt).await?;
    let truths = (U256::from(state.targetRaise), state.creatorFeeSplitBps, state.antiSnipeDuration);
    session.require_equal(&reply, "what reached the chain", &(ether(5), 10_000, 0), &truths)
}

clause! {
    MCP_DEFAULTS = "MCP-DEFAULTS" (S248, S250, S252, S253, S254): "Omitted arguments reach the chain as their defaults.";
    check!("tool-server-defaults" [Write; ToolServer, Rest, PrimaryChain, Accounts] defaults_reach_the_chain:
        "what is left out reaches the chain as documented");
}
pub(super) async fn defaults_reach_the_chain(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES]).await?;
    let (reply, _, receipt) = session.launches(&json!({}), "only what is required was given").await?;
    let state = state_of(trial, &session, &reply, &receipt).await?;
    let mined = session.chain.time_of(&receipt).await?;
    let figures = (state.creatorFeeSplitBps, state.antiSnipeDuration, state.launchTime, state.sold);
    session.require_equal(&reply, "split, snipe, start, sold", &(5_000, 0, mined, 0), &figures)?;
    let six = json!({ "curveGainMultiplier": 6 });
    let (six, _, receipt) = session.launches(&six, "a multiplier of 6 is within its bounds").await?;
    let given = state_of(trial, &session, &six, &receipt).await?;
    session.require_equal(&reply, "gain, the same as of a given 6", &given.gainBps, &state.gainBps)?;
    let values: Vec<U256> = session.sent().iter().map(Transaction::value).collect();
    session.require_equal(&reply, "values of what was sent", &vec![U256::ZERO; 2], &values)?;
    // Values that replace defaults reach the chain too.
    let start = mined + 86_400;
    let seconds = accepted_protection(&mut session).await?;
    let given = json!({
        "curveGainMultiplier": 2.5, "creatorFeeSplitBps": 1234, "antiSnipeSeconds": seconds, "startTimestamp": start,
        "prebuyEth": 0.05, "targetRaiseEth": 1.25, "website": session.link("site"),
    });
    let (reply, _, receipt) = session.launches(&given, "everything was given").await?;
    let state = state_of(trial, &session, &reply, &receipt).await?;
    let figures = (state.creatorFeeSplitBps, state.antiSnipeDuration, state.launchTime);
    session.require_equal(&reply, "split, snipe, start", &(1_234, seconds, start), &figures)?;
    let raise = U256::from(state.targetRaise);
    session.require_equal(&reply, "target", &(ether(5) / U256::from(4)), &raise)?;
    let value = session.sent().last().map(Transaction::value);
    session.require_equal(&reply, "value of what was sent", &Some(U256::from(ETHER / 20)), &value)
}

/// Lengths of a protected time that are tried, in seconds.
const PROTECTIONS: [u32; 6] = [40, 60, 30, 20, 120, 10];

/// Returns the first length of a protected time that the tool server previews, because the accepted ones are left open; zero if it accepts
/// none of these.
pub(super) async fn accepted_protection(session: &mut Session<'_>) -> Verdict<u32> {
    for seconds in PROTECTIONS {
        let arguments = with(&json!({ "antiSnipeSeconds": seconds }));
        if !session.call("preview_launch", &arguments).await?.is_error() {
            return Ok(seconds);
        }
    }
    Ok(0)
}

clause! {
    MCP_CONFIRM = "MCP-CONFIRM" (S232, S246, S280): "Without the literal confirmation nothing is launched.";
    check!("tool-server-confirm" [Write; ToolServer, Rest, PrimaryChain, Accounts] only_yes_confirms:
        "only the literal text YES confirms");
}
pub(super) async fn only_yes_confirms(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES]).await?;
    session.refuses("launch_token", &with(&json!({})), "confirm is missing").await?;
    let wrong = json!([
        "yes", "Yes", "YES ", " YES", "YES!", "Y", "", "true", true, 1, null, ["YES"], {"YES": "YES"},
    ]);
    for wrong in wrong.as_array().into_iter().flatten() {
        let why = format!("confirm is {wrong}");
        session.refuses("launch_token", &with(&json!({"confirm": wrong})), &why).await?;
    }
    session.launches(&json!({}), "confirm is YES").await.map(drop)
}

clause! {
    MCP_WRITES = "MCP-WRITES" (S232, S273, S279): "Without writes enabled nothing is launched.";
    check!("tool-server-writes" [Write; ToolServer, Rest, PrimaryChain, Accounts] writes_are_off_by_default:
        "launches are off unless one of three spellings permits them");
}
pub(super) async fn writes_are_off_by_default(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, ether(1)).await?;
    for off in ["", "false", "0", "no", "off", "2", "y", "t", "truee", "yes please", "enabled"] {
        let mut session = fixture.open(&[(WRITES.0, off)]).await?;
        session.refuses_launch(&json!({}), "writes are not enabled").await?;
    }
    for on in ["true", "1", "yes"] {
        let mut session = fixture.open(&[(WRITES.0, on)]).await?;
        session.launches(&json!({}), "writes are enabled").await?;
    }
    Ok(())
}

clause! {
    MCP_CAP_PREBUY = "MCP-CAP-PREBUY" (S255, S256, S274, S281):
        "No first buy above its cap or above the raise is sent.";
    check!("tool-server-prebuy-cap" [Write; ToolServer, Rest, PrimaryChain, Accounts] prebuy_is_capped:
        "asks for a prebuy over its cap or over the raise, and looks at what is sent");
}
pub(super) async fn prebuy_is_capped(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, ether(3)).await?;
    // The cap, the prebuy above it and the raise, the cap in ETH, and the most wei that may be sent.
    let cases: [(&str, [f64; 2], f64, u64); 3] = [
        ("", [0.100_001, 1.0], 0.1, ETHER / 10),
        ("0.05", [0.050_001, 0.1], 0.05, ETHER / 20),
        ("3", [1.000_001, 2.0], 1.0, ETHER),
    ];
    for (cap, beyond, most, wei) in cases {
        let mut session = fixture.open(&[WRITES, ("SERVICE_MCP_MAX_PREBUY_ETH", cap)]).await?;
        for prebuy in beyond {
            // A real node would refuse some of these; here it accepts all.
            fixture.rpc.answer(&[
                ("eth_estimateGas", Reply::Result(json!("0x300000"))),
                ("eth_call", Reply::Result(json!(format!("0x{}", "0".repeat(64))))),
                ("eth_sendRawTransaction", Reply::Error("not today".into())),
                ("eth_sendRawTransactionSync", Reply::Error("not today".into())),
            ]);
            let reply = session.call("launch_token", &confirmed(&json!({"prebuyEth": prebuy}))).await?;
            let sent = fixture.sent();
            let within = sent.iter().all(|sent| sent.value() <= U256::from(wei));
            capped(&fixture, &reply, within, "a prebuy over its cap or over the raise")?;
        }
        fixture.rpc.be_honest();
        session.launches(&json!({"prebuyEth": most}), "the prebuy is at its bound").await?;
    }
    Ok(())
}

/// Nothing beyond a cap is sent; that the call is refused instead of reduced to the cap is a choice.
fn capped(fixture: &ToolServerFixture<'_>, reply: &ToolReply, within: bool, what: &str) -> Verdict {
    fixture.require_or(reply, within, &format!("{what} is not sent"), || "it is".to_owned())?;
    let refused = reply.is_error() && fixture.rpc.broadcasts().is_empty();
    fixture.by(&MCP_STRICT).require(reply, refused, &format!("a tool error, and nothing is sent: {what}"))
}

clause! {
    MCP_CAP_RAISE = "MCP-CAP-RAISE" (S245, S275, S281): "No raise above its cap is sent.";
    check!("tool-server-raise-cap" [Write; ToolServer, Rest, PrimaryChain, Accounts] raise_is_capped:
        "asks for a raise over its cap, and looks at what is sent");
}
pub(super) async fn raise_is_capped(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, ether(1)).await?;
    for (cap, beyond, most) in [("2", &[2.000_001, 5.0][..], 2_u64), ("", &[5.000_001], 5)] {
        let mut session = fixture.open(&[WRITES, ("SERVICE_MCP_MAX_RAISE_ETH", cap)]).await?;
        for raise in beyond {
            fixture.rpc.be_honest();
            let reply = session.call("launch_token", &confirmed(&json!({"targetRaiseEth": raise}))).await?;
            let sent: Vec<_> =
                fixture.sent().iter().map(|sent| params(sent.input())).collect::<Verdict<_>>()?;
            let within = sent.iter().all(|params| U256::from(params.targetRaise) <= ether(most));
            capped(&fixture, &reply, within, "a raise over its cap")?;
        }
        fixture.rpc.be_honest();
        session.launches(&json!({"targetRaiseEth": most}), "the raise is at its cap").await?;
    }
    Ok(())
}

clause! {
    MCP_REFERRAL = "MCP-REFERRAL" (S231): "A referral code decides which of the two creation functions is called.";
    check!("tool-server-referral" [Write; ToolServer, Rest, PrimaryChain, Accounts] referral_chooses_the_function:
        "an empty code calls the plain function, another is passed and emitted");
}
pub(super) async fn referral_chooses_the_function(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES]).await?;
    let hook = LaunchFixture::open(trial, PRIMARY).await?;
    for (arguments, code) in
        [(json!({}), ""), (json!({"referralCode": ""}), ""), (json!({"referralCode": "Ref-1_x"}), "Ref-1_x")]
    {
        session.rpc.be_honest();
        let (reply, _, receipt) = session.launches(&arguments, "the arguments are right").await?;
        let sent = session.sent();
        let called = sent.first().and_then(|sent| sent.input().get(..4)).map(Bytes::copy_from_slice);
        let (plain, with_code) =
            (LaunchHook::createLaunchCall::SELECTOR, LaunchHook::createLaunchWithReferralCall::SELECTOR);
        let expected = Some(Bytes::from(if code.is_empty() { plain } else { with_code }));
        session.require_equal(&reply, "function that was called", &expected, &called)?;
        let emitted = hook.events::<LaunchHook::Referral>(&receipt).into_iter();
        let emitted: Vec<String> = emitted.map(|event| event.referralCode).collect();
        let expected: Vec<String> = (!code.is_empty()).then(|| code.to_owned()).into_iter().collect();
        session.require_equal(&reply, "codes that were emitted", &expected, &emitted)?;
    }
    Ok(())
}

clause! {
    MCP_RESULT = "MCP-RESULT" (S260, S278): "What a launch answers is true on the chain.";
    check!("tool-server-result" [Write; ToolServer, Rest, PrimaryChain, Accounts] result_is_true:
        "the figures of a result are true on the chain");
}
pub(super) async fn result_is_true(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES]).await?;
    let hook = LaunchFixture::open(trial, PRIMARY).await?;
    let (reply, value, receipt) = session.launches(&json!({}), "the arguments are right").await?;
    let created = hook.only_event::<LaunchHook::LaunchCreated>(&receipt)?;
    let token: Option<Address> = parsed(&value["tokenAddress"]);
    session.require_equal(&reply, "tokenAddress", &Some(created.token), &token)?;
    session.require_equal(&reply, "creator", &session.account.address(), &created.creator)?;
    let base = session.service.origin().to_lowercase();
    let text = |field: &str| value[field].as_str().unwrap_or_default().to_lowercase();
    let trade = text("tradeUrl");
    let named = trade.starts_with(&base) && trade.contains(&created.token.to_string().to_lowercase());
    session.require_equal(&reply, "tradeUrl is under the service and names the token", &true, &named)?;
    let named = text("explorerUrl").contains(&receipt.transaction_hash.to_string())
        || text("explorerUrl").contains(&created.token.to_string().to_lowercase());
    session.require_equal(&reply, "explorerUrl names the transaction", &true, &named)
}

clause! {
    MCP_PREVIEW = "MCP-PREVIEW" (S233, S251, S258, S259):
        "A preview sends nothing, needs no consent, and its fee figures are right.";
    check!("tool-server-preview" [Read; ToolServer, Rest, PrimaryChain] preview_tells_the_fees:
        "a preview sends nothing, and the creator's part follows from the split and both fees");
    check!("tool-server-preview-reality" [Write; ToolServer, Rest, PrimaryChain, Accounts] super::reality::previews_come_true:
        "what was previewed is what the launch and its trades do, to the wei");
}
pub(super) async fn preview_tells_the_fees(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, U256::ZERO, &[]).await?;
    let whole = BigRational::from_integer(100.into());
    for split in [0_u32, 2_500, 5_000, 10_000] {
        let why = "a preview needs neither writes nor confirmation";
        let (reply, value) = session.previews(&json!({"creatorFeeSplitBps": split}), why).await?;
        let math = &value["feeMath"];
        let figure = |name: &str| {
            let shown = decimal(&math[name]).filter(|shown| *shown <= whole && !shown.is_negative());
            shown.ok_or_else(|| {
                session.failure(&reply, format!("feeMath.{name} is a percentage"), math.to_string())
            })
        };
        let (protocol, variable) = (figure("protocolFeePct")?, figure("variableFeePctOfAfterProtocol")?);
        let earned = figure("creatorEarningsAsPctOfVolume")?;
        let share = BigRational::new(split.into(), 10_000.into());
        let expected = share * variable * (&whole - protocol) / &whole;
        // The number of decimal places is left open: each figure may be off by one in its last place.
        let places = ["creatorEarningsAsPctOfVolume", "protocolFeePct", "variableFeePctOfAfterProtocol"];
        let slack: BigRational = places.iter().map(|name| last_place(&math[*name])).sum();
        let near = (&earned - &expected).abs() <= slack;
        let expected = format!("creatorEarningsAsPctOfVolume = {expected}");
        session.require_or(&reply, near, &expected, || math.to_string())?;
    }
    let sent = session.rpc.broadcasts().len();
    let seen = || format!("{sent} transactions");
    session.require_or("tool call preview_launch", sent == 0, "a preview sends nothing", seen)
}

/// Returns the tolerance of a figure: one in its last place, of which it must have at least two; whole numbers are exact.
pub(super) fn last_place(shown: &Value) -> BigRational {
    let hundredth = BigRational::new(1.into(), 100.into());
    let figure = Figure::parse(&shown.to_string()).filter(|figure| !figure.value().is_integer());
    figure.map_or_else(BigRational::zero, |figure| figure.last_place().min(hundredth))
}

/// Returns the stored state of the launch in a receipt.
async fn state_of(
    trial: &Trial<'_>,
    fixture: &ToolServerFixture<'_>,
    reply: &ToolReply,
    receipt: &TransactionReceipt,
) -> Result<LaunchConfig, Stop> {
    let hook = LaunchFixture::open(trial, PRIMARY).await?;
    match hook.events::<LaunchHook::LaunchCreated>(receipt).first() {
        Some(created) => hook.state(created.launchId).await,
        None => Err(fixture.failure(reply, "a launch on the active hook", reply.excerpt())),
    }
}
