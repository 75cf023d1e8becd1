//! The warnings of a preview compared with the refusal of the launch.
use super::fixture::{Session, ToolReply, WRITES, with};
use crate::fake_servers::rpc::Reply;
use crate::model::shown::readable;
use crate::prelude::*;

/// A base fee above the cap of this check, in wei.
const BASE_FEE: u64 = 700_000_000_000;
/// Revert data of a purchase without an authorisation: `CaptchaRequired()`.
const CAPTCHA_REQUIRED: &str = "0xd36d42c7";
/// A cap below that base fee, in gigawei.
const GAS_CAP: (&str, &str) = ("SERVICE_MCP_MAX_GAS_GWEI", "40");

clause! {
    MCP_PREVIEW_REAL = "MCP-PREVIEW-REAL" (choice S233):
        "A preview warns of everything for which the launch would be refused at that moment, and of nothing else.";
    check!("tool-server-preview-warns" [Write; ToolServer, Rest, PrimaryChain, Accounts] warns_of_every_refusal:
        "previews what is then launched where wallet, settings, contract, chain and service refuse it, and where nothing does");
}
pub(super) async fn warns_of_every_refusal(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES, GAS_CAP]).await?;
    // The contract's least purchase is above any amount of this size.
    for prebuy in ["1e-6", "1e-18"] {
        let prebuy: Value = serde_json::from_str(prebuy).expect("a JSON number");
        let arguments = json!({ "prebuyEth": prebuy });
        warns(&mut session, &arguments, "the first purchase is below the least one").await?;
    }
    for (why, replies) in obstacles() {
        session.rpc.answer(&replies);
        warns(&mut session, &json!({}), why).await?;
    }
    session.rpc.be_honest();
    let mut reader = session.fixture.open(&[]).await?;
    warns(&mut reader, &json!({}), "launching is switched off").await?;
    let empty = Account::fresh(&mut trial.choices("a wallet without ether"));
    let mut poor =
        session.fixture.open(&[WRITES, ("SERVICE_MCP_PRIVATE_KEY", session.key_of(&empty).expose())]).await?;
    warns(&mut poor, &json!({ "prebuyEth": 0.05 }), "the wallet cannot pay the purchase").await?;
    warned(&mut poor, &json!({}), "the wallet cannot pay the gas").await?;
    nothing_to_warn_of(&mut session).await?;
    session.rpc.be_honest();
    session.service.serve("/api/capabilities", 503, r#"{"error":"closed"}"#.to_owned());
    warns(&mut session, &json!({}), "the service gives no capabilities").await
}

/// Returns the obstacles that the RPC presents to a launch.
fn obstacles() -> [(&'static str, Vec<(&'static str, Reply)>); 6] {
    let above = Reply::Change(|mut block| {
        block["baseFeePerGas"] = json!(format!("{BASE_FEE:#x}"));
        block
    });
    [
        (
            "the base fee is above the cap",
            vec![
                ("eth_getBlockByNumber", above.clone()),
                ("eth_getBlockByHash", above),
                ("eth_gasPrice", Reply::Result(json!(format!("{BASE_FEE:#x}")))),
                ("eth_feeHistory", Reply::Error("no history today".into())),
            ],
        ),
        (
            "the RPC serves another chain",
            vec![("eth_chainId", Reply::Result(json!("0x1"))), ("net_version", Reply::Result(json!("1")))],
        ),
        (
            "there is no contract behind the hook's address",
            vec![
                ("eth_getCode", Reply::Result(json!("0x"))),
                ("eth_call", Reply::Result(json!("0x"))),
                ("eth_estimateGas", Reply::Error("nothing to estimate".into())),
            ],
        ),
        (
            "the contract refuses the launch",
            ["eth_call", "eth_estimateGas"].map(|method| (method, Reply::Revert(CAPTCHA_REQUIRED))).into(),
        ),
        ("the RPC estimates no gas", vec![("eth_estimateGas", Reply::Error("no estimate today".into()))]),
        (
            "the RPC does not count the wallet's transactions",
            vec![("eth_getTransactionCount", Reply::Error("no count today".into()))],
        ),
    ]
}

/// The launch is refused and sends nothing, and the preview warned of it in the same words.
async fn warns(session: &mut Session<'_>, arguments: &Value, why: &str) -> Verdict {
    let (warnings, refused) = warned(session, arguments, why).await?;
    let reported = text(&refused.message);
    let warned = warnings.iter().any(|warning| reported.contains(warning.as_str()));
    let seen = || format!("{reported}; the preview warned of {}", readable(&warnings));
    session.require_or(&refused, warned, &format!("a refusal that the preview warned of: {why}"), seen)
}

/// The launch is refused and sends nothing, and the preview warned; returns its warnings and the refusal.
async fn warned(
    session: &mut Session<'_>,
    arguments: &Value,
    why: &str,
) -> Verdict<(Vec<String>, ToolReply)> {
    let previewed = session.call("preview_launch", &with(arguments)).await?;
    let warnings = warnings(&previewed);
    let refused = session.refuses_launch(arguments, why).await?;
    session
        .require_or(&previewed, !warnings.is_empty(), &format!("a warning: {why}"), || previewed.excerpt())?;
    Ok((warnings, refused))
}

/// If nothing prevents a launch, its preview has no warnings.
async fn nothing_to_warn_of(session: &mut Session<'_>) -> Verdict {
    let arguments = json!({ "prebuyEth": 0.01 });
    let (previewed, _) = session.previews(&arguments, "the arguments are right").await?;
    session.launches(&arguments, "the arguments are right").await?;
    session.require_equal(
        &previewed,
        "warnings of a launch that went through",
        &Vec::new(),
        &warnings(&previewed),
    )
}

/// Returns the messages of a preview's warnings; a refused preview counts as a warning.
fn warnings(previewed: &ToolReply) -> Vec<String> {
    let Some(value) = previewed.value() else {
        return vec![text(&previewed.message)];
    };
    let warnings = value["warnings"].as_array().into_iter().flatten();
    warnings
        .map(|warning| warning["message"].as_str().or(warning.as_str()).unwrap_or_default().to_owned())
        .collect()
}

/// Returns the text of an answer.
fn text(message: &Value) -> String {
    let words = message["result"]["content"][0]["text"].as_str().or(message["error"]["message"].as_str());
    words.unwrap_or_default().to_owned()
}
