//! Launches whose call is cancelled while the chain has not yet answered.
use alloy::consensus::Transaction;
use tokio::sync::watch;

use super::conventions::{asked_for, cancel};
use super::fixture::{Session, WRITES, confirmed};
use crate::client::stdio::PATIENCE;
use crate::fake_servers::rpc::Reply;
use crate::model::shown::readable;
use crate::prelude::*;

/// Number of calls during which a launch that does not wait would be sent.
const CALLS_MEANWHILE: usize = 20;

clause! {
    MCP_SENT = "MCP-SENT" (choice):
        "A launch that was signed is logged and listed, also when its call is cancelled, and no other launch takes its nonce.";
    check!("tool-server-cancelled-broadcast" [Write; ToolServer, Rest, PrimaryChain, Accounts] cancelled_broadcasts_are_not_lost:
        "a launch cancelled during its broadcast keeps its nonce and is logged and listed");
}
pub(super) async fn cancelled_broadcasts_are_not_lost(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES, ("RUST_LOG", "info")]).await?;
    let (answering, answered) = watch::channel(false);
    session.rpc.follow(move |call, before| match call.method.as_str() {
        "eth_sendRawTransactionSync" => Reply::Error("there is no such method".into()),
        "eth_sendRawTransaction" if before.iter().all(|earlier| earlier.method != call.method) => {
            Reply::ForwardOnce(answered.clone())
        }
        _ => Reply::Forward,
    });
    let [launch, next] = ["First of two", "Second of two"].map(|name| confirmed(&json!({ "name": name })));
    let first = session.begin("launch_token", &launch).await?;
    asked_for(&mut session, "eth_sendRawTransaction").await?;
    cancel(&mut session, first).await?;
    let second = session.begin("launch_token", &next).await?;
    for _ in 0..CALLS_MEANWHILE {
        session.serves("wallet_info", &json!({}), "another call was cancelled, not this one").await?;
    }
    let shown = "launch_token while the broadcast of a cancelled launch has no response";
    let early = session.rpc.broadcasts().len();
    session.require_or(shown, early == 1, "the next launch waits for the outcome", || {
        format!("{early} transactions")
    })?;
    answering.send_replace(true);
    let reply = session.answered(second, "launch_token", &next, PATIENCE).await?;
    let (value, _) = session.launched(&reply, "the launch before has its outcome").await?;
    is_found_again(session, &value).await
}

/// The first launch is mined and the second has the next nonce; the second's status lists the first, and the log has it.
async fn is_found_again(mut session: Session<'_>, second: &Value) -> Verdict {
    let sent = session.sent();
    let nonces: Vec<u64> = sent.iter().map(Transaction::nonce).collect();
    let shown = "two launches, the first cancelled during its broadcast";
    let in_order = matches!(nonces[..], [first, second] if second == first + 1);
    session
        .require_or(shown, in_order, "two transactions, one nonce after the other", || readable(&nonces))?;
    let Some(first) = sent.first() else { return Ok(()) };
    let hash = *first.tx_hash();
    let receipt = session.chain.receipt_of_mined(hash).await?;
    let mined = receipt.is_some_and(|receipt| receipt.status());
    session.require_or(shown, mined, "the first one is mined", || format!("no receipt of {hash}"))?;
    let reply = session.call("launch_status", &json!({"launchId": second["launchId"]})).await?;
    let listed = session.served(&reply, "the launch exists")?.to_string().contains(&hash.to_string());
    session.require_or(&reply, listed, "the cancelled launch is listed", || reply.excerpt())?;
    session.stdio.close_input();
    session.stdio.ended(PATIENCE).await;
    let log = String::from_utf8_lossy(&session.stdio.errors()?).into_owned();
    session.require_or(shown, log.contains(&hash.to_string()), "its hash is in the log", || log.clone())
}
