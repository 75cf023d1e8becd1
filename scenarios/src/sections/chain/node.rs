//! The chains behave as chains: time never runs backwards, a block shown as safe has its state, and the wrapped coin accepts plain ether.
//! Knows nothing of launches.
use std::collections::BTreeSet;

use alloy::primitives::U64;
use alloy::rpc::types::Block;

use super::creation::chains;
use crate::client::chain::{Chain, RpcResult, Sending};
use crate::client::wire::Token;
use crate::prelude::*;
use crate::sections::swap::market::SwapFixture;

/// Blocks at either end of a chain that are read, and the number of samples in between.
const LOOKED_AT: u64 = 32;
/// Tags of blocks that are not expected to be reorganised.
const SETTLED: [&str; 2] = ["safe", "finalized"];
/// Wei sent to the wrapped coin.
const DEPOSIT: u64 = 1_000_000_007;

clause! {
    NODE_TIME = "NODE-TIME" (standard "Ethereum Yellow Paper section 4.4.4, header validity: the timestamp; rollups permit equal ones"):
        "The time of a block is not below that of its parent.";
    check!("node-time" [Read; PrimaryChain] time_never_runs_back:
        "reads the headers of the first and the newest blocks and of some in between");
}
pub(super) async fn time_never_runs_back(trial: &Trial<'_>) -> Verdict {
    for chain_id in chains(trial) {
        let chain = trial.chain(chain_id)?;
        let head = chain.head().await?.header.number;
        let mut choices = trial.choices(&format!("node-time-{chain_id}"));
        let mut numbers: BTreeSet<u64> =
            (0..=head.min(LOOKED_AT)).chain(head.saturating_sub(LOOKED_AT)..=head).collect();
        for _ in 0..LOOKED_AT {
            let chosen = choices.below(U256::from(head + 1)).to::<u64>();
            numbers.extend(chosen..=head.min(chosen + 1));
        }
        let blocks = headers(chain, &numbers).await?;
        for pair in blocks.windows(2) {
            let [parent, block] = pair else { continue };
            let (parent, block) = (&parent.header, &block.header);
            if parent.number + 1 != block.number {
                continue;
            }
            let evidence = format!("cast block {} --rpc-url '{}'", block.number, chain.url());
            trial.require_or(
                &evidence,
                parent.timestamp <= block.timestamp,
                &format!(
                    "a time of block {} that is not below {}, the time of its parent",
                    block.number, parent.timestamp
                ),
                || block.timestamp.to_string(),
            )?;
        }
    }
    Ok(())
}

/// Returns the blocks of these numbers that the node has, in order.
async fn headers(chain: &Chain, numbers: &BTreeSet<u64>) -> Verdict<Vec<Block>> {
    let params: Vec<Value> = numbers.iter().map(|number| json!([U64::from(*number), false])).collect();
    let found: Vec<RpcResult<Option<Block>>> = chain.batch("eth_getBlockByNumber", &params).await?;
    Ok(found.into_iter().filter_map(|block| block.ok().flatten()).collect())
}

clause! {
    NODE_STATE = "NODE-STATE" (standard "Ethereum execution APIs, block tags safe and finalized"):
        "A node that shows a safe or a finalized block reads the state after it as it reads that of the block's number.";
    check!("node-state" [Read; PrimaryChain] settled_blocks_have_their_state:
        "reads a balance at each tag and at the number of its block");
}
pub(super) async fn settled_blocks_have_their_state(trial: &Trial<'_>) -> Verdict {
    for chain_id in chains(trial) {
        let chain = trial.chain(chain_id)?;
        for tag in SETTLED {
            has_its_state(trial, chain, tag).await?;
        }
    }
    Ok(())
}

/// The state by tag equals the state by number. A node may lack the tagged block, or may have dropped its state.
async fn has_its_state(trial: &Trial<'_>, chain: &Chain, tag: &str) -> Verdict {
    let shown = async || {
        let block = chain.rpc::<Option<Block>>("eth_getBlockByNumber", json!([tag, false])).await?;
        Verdict::Ok(block.ok().flatten().map(|block| block.header.number))
    };
    let read = async |block: Value| {
        let whose = Address::ZERO;
        Verdict::Ok(chain.rpc::<U256>("eth_getBalance", json!([whose, block])).await?)
    };
    let Some(number) = shown().await? else { return Ok(()) };
    let (by_tag, by_number) = (read(json!(tag)).await?, read(json!(U64::from(number))).await?);
    // The tag may have moved in the meantime.
    if shown().await? != Some(number) {
        return Ok(());
    }
    let Ok(expected) = by_number else { return Ok(()) };
    let evidence = format!("cast balance {} --block {tag} --rpc-url '{}'", Address::ZERO, chain.url());
    let expected_text = format!("{expected} wei at `{tag}`, as at block {number} that it names");
    trial.require_or(&evidence, by_tag.as_ref() == Ok(&expected), &expected_text, || match by_tag {
        Ok(wei) => format!("{wei} wei"),
        Err(error) => error.to_string(),
    })
}

clause! {
    NODE_WRAPPED = "NODE-WRAPPED" (standard "WETH9, the published wrapped coin: its fallback function deposits"):
        "Ether that is sent to the wrapped coin without a call is deposited for its sender.";
    check!("node-wrapped" [Write; Swap, PrimaryChain, Accounts] plain_ether_is_deposited:
        "sends a little ether to the router's wrapped coin and reads the sender's balance of it");
}
pub(super) async fn plain_ether_is_deposited(trial: &Trial<'_>) -> Verdict {
    let market = SwapFixture::open(trial).await?;
    let (chain, wrapped) = (market.chain, market.wrapped);
    let sender = trial.account(PRIMARY, &mut trial.choices("node-wrapped"), ether(1)).await?;
    let evidence = format!("cast send {wrapped} --value {DEPOSIT} --rpc-url '{}'", chain.url());
    let held = async || {
        let call = Token::balanceOfCall { account: sender.address() };
        let answered = chain.call(wrapped, &call).await?;
        answered
            .map_err(|error| trial.failure(&evidence, "the wrapped coin tells a balance", error.to_string()))
    };
    let before = held().await?;
    let sending = Sending { to: Some(wrapped), value: U256::from(DEPOSIT), ..Sending::default() };
    let outcome = chain.send(&sender, sending).await?;
    if outcome.success().is_none() {
        return Err(trial.failure(&evidence, "ether without a call is taken", outcome.describe()));
    }
    let gained = held().await?.checked_sub(before);
    trial.require_or(
        &evidence,
        gained == Some(U256::from(DEPOSIT)),
        &format!("{DEPOSIT} units of the wrapped coin more"),
        || gained.map_or_else(|| "fewer than before".to_owned(), |units| format!("{units} units more")),
    )
}
