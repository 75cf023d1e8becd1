//! Requirements on a tool server when the RPC lies, changes its answers or falls silent.
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alloy::consensus::Transaction;
use num_traits::Signed as _;

use super::fixture::{
    LONGEST_RECEIPT_WAIT, SHORT_RECEIPT_WAIT, Session, ToolReply, ToolServerFixture, WRITES, confirmed,
};
use crate::fake_servers::rpc::{Reply, RpcCall};
use crate::model::figure::rational;
use crate::model::shown::readable;
use crate::prelude::*;

const GIGAWEI: u128 = 1_000_000_000;
/// The gas price of an inflating RPC, in wei.
const INFLATED: u128 = 700 * GIGAWEI;
/// Accepted duration of a launch without a receipt, with the short wait.
const SHORT: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(6);
/// Accepted duration with the interface's wait.
const LONG: RangeInclusive<Duration> = Duration::from_secs(115)..=LONGEST_RECEIPT_WAIT;

clause! {
    MCP_CAP_GAS = "MCP-CAP-GAS" (S276, S281): "The gas fee never exceeds its cap, whatever the node asks.";
    check!("tool-server-gas-cap" [Write; ToolServer, Rest, PrimaryChain, Accounts] gas_price_is_capped:
        "no transaction offers more than the cap, whatever the RPC asks for");
}
pub(super) async fn gas_price_is_capped(trial: &Trial<'_>) -> Verdict {
    let fixture = ToolServerFixture::new(trial, ether(6)).await?;
    for (cap, wei) in [("", 100 * GIGAWEI), ("40", 40 * GIGAWEI), ("3", 3 * GIGAWEI)] {
        let mut session = fixture.open(&[WRITES, ("SERVICE_MCP_MAX_GAS_GWEI", cap)]).await?;
        // First tips and suggested prices are inflated, then the base fee too.
        for with_base in [false, true] {
            fixture.rpc.follow(move |call, _| inflate(call, with_base));
            let reply = session.call("launch_token", &confirmed(&json!({}))).await?;
            within(&fixture, &reply, wei)?;
            fixture.tool_error(&reply, "the RPC took no transaction")?;
        }
        fixture.rpc.be_honest();
        let (reply, ..) = session.launches(&json!({}), "the RPC asks for little").await?;
        within(&fixture, &reply, wei)?;
    }
    Ok(())
}

fn inflate(call: &RpcCall, with_base: bool) -> Reply {
    match call.method.as_str() {
        "eth_gasPrice" | "eth_maxPriorityFeePerGas" => Reply::Result(inflated()),
        "eth_feeHistory" => Reply::Change(|mut history| {
            for field in ["baseFeePerGas", "reward"] {
                inflate_all(&mut history[field]);
            }
            history
        }),
        "eth_getBlockByNumber" | "eth_getBlockByHash" if with_base => Reply::Change(|mut block| {
            block["baseFeePerGas"] = inflated();
            block
        }),
        "eth_sendRawTransaction" | "eth_sendRawTransactionSync" => Reply::Error("not today".into()),
        _ => Reply::Forward,
    }
}

fn inflate_all(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(inflate_all),
        value => *value = inflated(),
    }
}

fn inflated() -> Value {
    json!(format!("{INFLATED:#x}"))
}

fn within(fixture: &ToolServerFixture<'_>, reply: &ToolReply, cap: u128) -> Verdict {
    for sent in fixture.sent() {
        let offered = sent.max_fee_per_gas();
        let expected = format!("maxFeePerGas of at most {cap} wei");
        fixture.require_or(reply, offered <= cap, &expected, || format!("{offered} wei"))?;
    }
    Ok(())
}

clause! {
    MCP_CHAIN_ID = "MCP-CHAIN-ID" (S282): "Nothing is sent to a node of another chain.";
    check!("tool-server-chain-id" [Write; ToolServer, Rest, PrimaryChain, Accounts] other_chains_get_nothing:
        "an RPC of another chain gets no transaction");
    check!("tool-server-chain-change" [Write; ToolServer, Rest, PrimaryChain, Accounts] changed_chain_gets_nothing:
        "an RPC that becomes another chain before the signature gets no transaction");
}
pub(super) async fn other_chains_get_nothing(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES]).await?;
    for other in ["0x1", "0x1237", "0xdef2", "0xdef0"] {
        session.rpc.answer(&[
            ("eth_chainId", Reply::Result(json!(other))),
            ("net_version", Reply::Result(json!("1"))),
        ]);
        session.refuses_launch(&json!({}), "the RPC reports another chain").await?;
    }
    session.rpc.answer(&[("eth_chainId", Reply::Error("no answer today".into()))]);
    session.refuses_launch(&json!({}), "the RPC reports no chain id").await?;
    session.rpc.be_honest();
    session.launches(&json!({}), "the RPC reports the primary chain").await.map(drop)
}

pub(super) async fn changed_chain_gets_nothing(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES]).await?;
    session.rpc.follow(|call, before| {
        let last = ["eth_getTransactionCount", "eth_estimateGas"];
        let changed = before.iter().any(|call| last.contains(&call.method.as_str()));
        match call.method.as_str() {
            "eth_chainId" if changed => Reply::Result(json!("0x1")),
            _ => Reply::Forward,
        }
    });
    session.refuses_launch(&json!({}), "the RPC became another chain before the signature").await?;
    session.rpc.be_honest();
    session.launches(&json!({}), "the RPC stays the primary chain").await.map(drop)
}

clause! {
    MCP_NONCE = "MCP-NONCE" (S283): "The nonce is the count of pending transactions, taken once.";
    check!("tool-server-nonce" [Write; ToolServer, Rest, PrimaryChain, Accounts] nonce_is_the_pending_count:
        "the nonce is the pending count, fixed once");
}
pub(super) async fn nonce_is_the_pending_count(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES]).await?;
    session.rpc.follow(|call, before| match call.method.as_str() {
        "eth_getTransactionCount" if call.params[1] == json!("pending") => {
            let asked = before.iter().filter(|earlier| *earlier == call).count();
            Reply::Result(json!(format!("{:#x}", 7 + asked)))
        }
        "eth_getTransactionCount" => Reply::Result(json!("0x3")),
        "eth_sendRawTransaction" | "eth_sendRawTransactionSync" => Reply::Error("not today".into()),
        _ => Reply::Forward,
    });
    let reply = session.call("launch_token", &confirmed(&json!({}))).await?;
    session.tool_error(&reply, "the RPC took no transaction")?;
    let nonces: Vec<u64> = session.sent().iter().map(Transaction::nonce).collect();
    session.require_equal(&reply, "nonces of what was sent", &vec![7], &nonces)?;
    session.rpc.be_honest();
    let (reply, _, receipt) = session.launches(&json!({}), "the RPC is honest").await?;
    session.require_equal(&reply, "sender", &session.account.address(), &receipt.from)
}

clause! {
    MCP_RECEIPT = "MCP-RECEIPT" (S284, S285, S325):
        "Waiting for the receipt ends after 120 seconds and nothing is sent again.";
    check!("tool-server-receipt" [Write; ToolServer, Rest, PrimaryChain, Accounts] receipt_wait_ends:
        "the wait for a receipt ends and nothing is sent again");
}
pub(super) async fn receipt_wait_ends(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES, SHORT_RECEIPT_WAIT]).await?;
    for (hangs, breaks_off) in [(false, false), (true, false), (false, true)] {
        session.rpc.follow(move |call, _| match call.method.as_str() {
            "eth_sendRawTransactionSync" => Reply::Error("there is no such method".into()),
            "eth_sendRawTransaction" if breaks_off => Reply::BreakOff,
            "eth_sendRawTransaction" => Reply::Result(json!(hash_of(call))),
            "eth_getTransactionReceipt" | "eth_getTransactionByHash" if hangs => Reply::Silence,
            "eth_getTransactionReceipt" | "eth_getTransactionByHash" => Reply::Result(Value::Null),
            _ => Reply::Forward,
        });
        let started = Instant::now();
        let reply = session.call_within("launch_token", &confirmed(&json!({})), LONGEST_RECEIPT_WAIT).await?;
        let took = started.elapsed();
        let Some(reply) = reply else {
            let asked = "tool call launch_token on an RPC that knows no receipt";
            let expected = "an answer after 120 seconds at most";
            return Err(session.failure(asked, expected, format!("none in {}", readable(&took))));
        };
        session.tool_error(&reply, "there is no receipt")?;
        // If the response to the broadcast was lost, no wait is required.
        let in_time = breaks_off && took < *SHORT.start() || SHORT.contains(&took) || LONG.contains(&took);
        let expected = "the wait for a receipt ends at 120 seconds, or at the set one";
        session.require_or(&reply, in_time, expected, || format!("it ends after {}", readable(&took)))?;
        let sent = session.rpc.broadcasts().len();
        session.require_equal(&reply, "transactions that were sent", &1, &sent)?;
    }
    session.rpc.be_honest();
    // A real receipt may take longer than the short wait that was set above.
    let mut session = session.fixture.open(&[WRITES]).await?;
    let (reply, ..) = session.launches(&json!({}), "the receipt comes").await?;
    let sent = session.rpc.broadcasts().len();
    session.require_equal(&reply, "transactions that were sent", &1, &sent)
}

/// Returns the hash of a sent transaction, as a node would.
pub(super) fn hash_of(call: &RpcCall) -> String {
    let raw = call.params[0].as_str().unwrap_or_default();
    let bytes = raw.parse::<alloy::primitives::Bytes>().unwrap_or_default();
    alloy::primitives::keccak256(bytes).to_string()
}

clause! {
    MCP_WALLET = "MCP-WALLET" (S234): "The tool returns the wallet's address, balance and chain.";
    check!("tool-server-wallet" [Read; ToolServer, Rest, PrimaryChain] wallet_is_told:
        "address, balance and chain id are returned, and on an RPC of another chain no other id than that chain's");
}
/// The wallet shows the balance that the RPC reports, which occurs nowhere else.
pub(super) async fn wallet_is_told(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, U256::ZERO, &[]).await?;
    for balance in [0_u128, 1_234_567_890_123_456_789, 98_765_432_100_000_000_000_000] {
        session.rpc.answer(&[("eth_getBalance", Reply::Result(json!(format!("{balance:#x}"))))]);
        let (reply, value) = session.serves("wallet_info", &json!({}), "the wallet can be returned").await?;
        let texts = leaves(&value);
        let address = session.account.address().to_string().to_lowercase();
        for (what, reported) in [
            ("the address", texts.iter().any(|text| text.to_lowercase() == address)),
            ("the chain id", texts.iter().any(|text| text == "57073")),
            ("the balance", texts.iter().any(|text| tells(text, balance))),
        ] {
            let expected = format!("{what} of {address} holding {balance} wei");
            session.require_or(&reply, reported, &expected, || value.to_string())?;
        }
        let other = other_balance(&value, balance);
        let expected = format!("every balance in ETH is {balance} wei");
        session.require_or(&reply, other.is_none(), &expected, || readable(&other))?;
    }
    other_chains_are_told(&session.fixture).await
}

/// On another chain a server refuses to start, ends the call with an error, or names the chain that its RPC reports.
async fn other_chains_are_told(fixture: &Arc<ToolServerFixture<'_>>) -> Verdict {
    const OTHER: u64 = 8_453;
    fixture.rpc.answer(&[
        ("eth_chainId", Reply::Result(json!(format!("{OTHER:#x}")))),
        ("net_version", Reply::Result(json!(OTHER.to_string()))),
    ]);
    let Ok(mut session) = fixture.try_open(&[]).await? else { return Ok(()) };
    let reply = session.call("wallet_info", &json!({})).await?;
    let texts = reply.value().map(|value| leaves(&value)).unwrap_or_default();
    let names = |chain: u64| texts.contains(&chain.to_string());
    let expected = format!("an error, or the chain id {OTHER} that the RPC reports");
    fixture.require_or(&reply, names(OTHER) || !names(PRIMARY), &expected, || format!("chain id {PRIMARY}"))
}

/// Whether a text is the balance: exactly in wei, or in ETH to at least four places if it has that many.
fn tells(text: &str, balance: u128) -> bool {
    text == balance.to_string()
        || is_in_ether(text, balance).is_some_and(|(fits, exact, places)| exact || (fits && places >= 4))
}

/// Returns whether a number is the balance in ETH to its last place, whether exactly, and how many places it has.
fn is_in_ether(text: &str, balance: u128) -> Option<(bool, bool, usize)> {
    let text = text.trim_end_matches(" ETH");
    let reply = rational(text)?;
    let places = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let exact = rational(&format!("{balance}e-18")).expect("a decimal");
    let step = rational(&format!("1e-{places}")).expect("a decimal");
    let off = (&exact - &reply).abs();
    Some((off < step, exact == reply, places))
}

/// Returns a member that is by its name the balance in ETH, but is another number.
fn other_balance(value: &Value, balance: u128) -> Option<&Value> {
    const NAMES: [&str; 4] = ["balanceeth", "ethbalance", "balanceinether", "balanceineth"];
    let is_other = |text: &str| is_in_ether(text, balance).is_some_and(|(fits, ..)| !fits);
    match value {
        Value::Array(items) => items.iter().find_map(|item| other_balance(item, balance)),
        Value::Object(members) => members.iter().find_map(|(name, member)| match member {
            Value::String(_) | Value::Number(_) => {
                let named = NAMES.contains(&name.to_lowercase().replace(['_', '-'], "").as_str());
                (named && leaves(member).iter().any(|text| is_other(text))).then_some(member)
            }
            _ => other_balance(member, balance),
        }),
        _ => None,
    }
}

/// Returns every text and number within a value, as text.
pub(super) fn leaves(value: &Value) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().flat_map(leaves).collect(),
        Value::Object(members) => members.values().flat_map(leaves).collect(),
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string()],
        Value::Null | Value::Bool(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{other_balance, tells};

    #[test]
    fn balance_in_wei_or_ether() {
        let balance = 1_234_567_890_123_456_789;
        for text in ["1234567890123456789", "1.234567890123456789", "1.2345 ETH", "1.2346"] {
            assert!(tells(text, balance), "{text}");
        }
        for text in ["11.234567890123456789", "1.2344", "1", "57073", "0x12"] {
            assert!(!tells(text, balance), "{text}");
        }
        assert!(tells("0", 0) && tells("0.0", 0));
    }

    #[test]
    fn a_balance_in_ether_is_that_of_the_wallet() {
        let other = |wallet: Value| other_balance(&wallet, 1_234_567_890_123_456_789).is_some();
        for right in [
            json!({ "balanceEth": "1.234567890123456789", "balanceWei": "1234567890123456789" }),
            json!({ "ethBalance": 1.2345678901234568, "balanceUsd": "4000", "wethBalance": "7" }),
            json!({ "eth_balance": "1.23 ETH", "decimals": 18 }),
            json!({ "ethBalance": { "value": "1.2346", "symbol": "ETH", "decimals": 18 } }),
        ] {
            assert!(!other(right.clone()), "{right}");
        }
        assert!(other(json!({ "balanceEth": "0", "balanceWei": "1234567890123456789" })));
        assert!(other(json!({ "wallet": [{ "eth_balance": 12 }] })));
    }
}
