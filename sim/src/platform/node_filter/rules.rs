//! Judges calls to a node: which methods a caller has, what only the platform may do, and how much work one call may cause.
use alloy::primitives::U256;
use serde_json::{Map, Value};

use super::call::{Call, INVALID_PARAMS, LIMIT_EXCEEDED, NO_METHOD, Refused, SERVER_ERROR};
use super::values;
use crate::chain::{BLOCK_GAS, MOST_BLOCK_GAS};
use crate::engine::Effect;

/// Gas limit of a call that is not mined: the default of go-ethereum's `--rpc.gascap`.
const CALL_GAS: u64 = 50_000_000;
/// Gas limit of a call whose trace is returned: the node keeps each step in memory, and holds its chain for a time that grows with the square
/// of the number of calls, some ten seconds at this limit.
const TRACE_GAS: u64 = 3_000_000;
/// Minimum gas limit of a block, as the Yellow Paper has it, section 4.4.4. After a block without gas the node cannot say how full it was, and no
/// client can then estimate a fee.
const LEAST_BLOCK_GAS: u64 = 5_000;
/// Maximum number of blocks in one simulation, the same as go-ethereum's.
const SIMULATED_BLOCKS: usize = 256;
/// Maximum number of blocks that one call mines.
const MINED_BLOCKS: u64 = 10_000;
/// Times above this are milliseconds, as the node reads them.
const MILLISECONDS: u64 = 1_000_000_000_000;
/// Methods in `eth_*` that send or sign on behalf of an account.
const WITHOUT_SIGNATURE: [&str; 3] = ["eth_sendTransaction", "eth_sendUnsigned", "eth_sign"];
/// Namespaces in which a node offers its own methods, most of them in several.
const OWN_SPACES: [&str; 4] = ["anvil", "evm", "hardhat", "tenderly"];
/// Methods with large answers or much work: few of them run at a time.
const LARGE: [&str; 11] = [
    "eth_getLogs",
    "eth_getFilterLogs",
    "eth_getFilterChanges",
    "eth_newFilter",
    "eth_getBlockReceipts",
    "eth_simulateV1",
    "eth_estimateGas",
    "anvil_dumpState",
    "hardhat_dumpState",
    "txpool_content",
    "txpool_inspect",
];
/// A node's own methods with no effect that outlives its process.
const READS: [&str; 7] =
    ["nodeInfo", "metadata", "dumpState", "snapshot", "setLoggingEnabled", "enableTraces", "log"];
/// A node's own methods that change its settings, not its state.
const SETTINGS: [&str; 6] = [
    "setAutomine",
    "setIntervalMining",
    "setMinGasPrice",
    "autoImpersonateAccount",
    "impersonateAccount",
    "stopImpersonatingAccount",
];
const LARGE_SPACES: [&str; 3] = ["debug_", "trace_", "ots_"];

/// The way in which a call is carried out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// By the node alone.
    Pass,
    /// By the platform's one clock.
    Clock(ClockCall),
    /// With the key of an account.
    Owned(Owned),
}

/// An action that needs an account's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owned {
    List,
    /// Fill in, sign and send a transaction.
    Send,
    /// Fill in and sign a transaction.
    SignTransaction,
    /// Sign a message, the parameter at this position; the account is the other one.
    SignMessage(usize),
    SignTyped,
}

impl Owned {
    /// The action of a method that needs an account's key.
    pub(super) fn of(method: &str) -> Option<Self> {
        Some(match method {
            "eth_accounts" | "eth_requestAccounts" => Self::List,
            "eth_sendTransaction" | "eth_sendTransactionSync" => Self::Send,
            "eth_signTransaction" => Self::SignTransaction,
            "personal_sign" => Self::SignMessage(0),
            "eth_sign" => Self::SignMessage(1),
            "eth_signTypedData" | "eth_signTypedData_v3" | "eth_signTypedData_v4" => Self::SignTyped,
            _ => return None,
        })
    }
}

/// A call that moves the time of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClockCall {
    /// Forward by some seconds.
    Skip(u64),
    /// To a time.
    Set(u64),
    /// To a time, which the next block gets exactly.
    Next(u64),
    /// By the node itself: with a block of this time, with blocks at an interval, or back to an earlier block.
    Led { timestamp: Option<u64>, interval: Option<u64>, blocks: u64 },
}

/// Judges a call, and limits the gas of one that is executed without being mined.
pub(super) fn judge(call: &mut Call, is_trusted: bool) -> Result<Verdict, Refused> {
    if !is_trusted && !is_public(&call.method) {
        return Err(Refused::new(
            NO_METHOD,
            "this method is not available on a public node without the control token",
        ));
    }
    values::check(call)?;
    if is_trusted && let Some(owned) = Owned::of(&call.method) {
        return Ok(Verdict::Owned(owned));
    }
    if let Some(name) = own_name(&call.method).map(str::to_owned) {
        return own(call, &name);
    }
    match call.method.as_str() {
        // A WebSocket passes on those that are messages of their own.
        "eth_subscribe" | "eth_unsubscribe" => {
            let message =
                format!("{} takes a WebSocket, and a message of its own there, no batch", call.method);
            return Err(Refused::new(NO_METHOD, message));
        }
        "eth_call" | "eth_createAccessList" | "trace_call" => bound_first(call, CALL_GAS, true),
        "debug_traceCall" => bound_first(call, TRACE_GAS, true),
        "eth_estimateGas" => bound_first(call, CALL_GAS, false),
        "eth_simulateV1" => bound_simulation(call)?,
        _ => {}
    }
    Ok(Verdict::Pass)
}

/// Whether a public node offers a method: reads, and sending signed transactions.
pub(super) fn is_public(method: &str) -> bool {
    let is_read = ["eth_", "net_", "web3_"].iter().any(|known| method.starts_with(known));
    is_read && !WITHOUT_SIGNATURE.iter().any(|withheld| method.starts_with(withheld))
}

/// Whether a method can have a large answer or cause much work.
pub(super) fn is_large(method: &str) -> bool {
    LARGE.contains(&method) || LARGE_SPACES.iter().any(|space| method.starts_with(space))
}

/// Whether a method is one of the node's own, which may change the state without a block.
pub(super) fn is_own(method: &str) -> bool {
    own_name(method).is_some()
}

/// Whether a method takes a snapshot of the node.
pub(super) fn is_snapshot(method: &str) -> bool {
    own_name(method) == Some("snapshot")
}

/// Whether a method orders blocks from the node.
pub(super) fn mines(method: &str) -> bool {
    own_name(method).is_some_and(|name| name.starts_with("mine"))
}

/// Whether a method reverts the node to a snapshot.
pub(super) fn is_revert(method: &str) -> bool {
    own_name(method) == Some("revert")
}

/// The part of the node that a call changes without a block, if any; only for calls that the node alone handles.
pub(super) fn effect(method: &str) -> Option<Effect> {
    let name = own_name(method)?;
    if READS.contains(&name) || name.starts_with("get") || name.starts_with("mine") {
        return None;
    }
    Some(match name {
        _ if SETTINGS.contains(&name) => Effect::Setting,
        "dropTransaction" | "dropAllTransactions" | "removePoolTransactions" => Effect::Waiting,
        _ => Effect::State,
    })
}

/// The name of a node's own method, without its namespace.
pub(super) fn own_name(method: &str) -> Option<&str> {
    let (space, name) = method.split_once('_')?;
    OWN_SPACES.contains(&space).then_some(name)
}

fn own(call: &Call, name: &str) -> Result<Verdict, Refused> {
    let time = || number(&call.parameter(0)).ok_or_else(|| needs_number(name));
    let led = ClockCall::Led { timestamp: None, interval: None, blocks: 0 };
    Ok(Verdict::Clock(match name {
        "reset" | "loadState" | "setChainId" | "setRpcUrl" => return Err(of_the_platform(&call.method)),
        "setBlockTimestampInterval" | "removeBlockTimestampInterval" => {
            return Err(of_the_clock(&call.method));
        }
        "increaseTime" => ClockCall::Skip(time()?),
        "setTime" => {
            let time = time()?;
            ClockCall::Set(if time > MILLISECONDS { time / 1_000 } else { time })
        }
        "setNextBlockTimestamp" => ClockCall::Next(time()?),
        "revert" | "rollback" | "reorg" => led,
        "mine" | "mine_detailed" => return mine(call, name),
        "setBlockGasLimit" if time()? > MOST_BLOCK_GAS => {
            return Err(Refused::new(
                LIMIT_EXCEEDED,
                format!(
                    "a block may have {MOST_BLOCK_GAS} gas here, so that no transaction stops the platform"
                ),
            ));
        }
        "setBlockGasLimit" if time()? < LEAST_BLOCK_GAS => {
            let message = format!("a block has at least {LEAST_BLOCK_GAS} gas");
            return Err(Refused::new(INVALID_PARAMS, message));
        }
        _ => return Ok(Verdict::Pass),
    }))
}

/// `evm_mine` takes a time or an object with one; the others take a number of blocks and the seconds between them.
fn mine(call: &Call, name: &str) -> Result<Verdict, Refused> {
    let (first, second) = (call.parameter(0), call.parameter(1));
    let (timestamp, blocks, interval) = match &first {
        Value::Object(options) => {
            let blocks = options.get("blocks").filter(|value| !value.is_null());
            (options.get("timestamp").cloned().unwrap_or_default(), blocks.cloned(), Value::Null)
        }
        _ if call.method.starts_with("evm_") || name == "mine_detailed" => (first, None, Value::Null),
        _ => (Value::Null, Some(first).filter(|value| !value.is_null()), second),
    };
    let stated = |value: &Value| {
        let stated = (!value.is_null()).then(|| number(value).ok_or_else(|| needs_number(name)));
        stated.transpose()
    };
    let blocks = blocks.map_or(Ok(Some(1)), |blocks| stated(&blocks))?.unwrap_or(1);
    if blocks > MINED_BLOCKS {
        return Err(Refused::new(LIMIT_EXCEEDED, format!("a call may mine {MINED_BLOCKS} blocks here")));
    }
    match (stated(&timestamp)?, stated(&interval)?) {
        (None, None) => Ok(Verdict::Pass),
        (timestamp, interval) => Ok(Verdict::Clock(ClockCall::Led { timestamp, interval, blocks })),
    }
}

fn of_the_platform(method: &str) -> Refused {
    Refused::new(
        SERVER_ERROR,
        format!(
            "{method} would replace the chain under the platform: \
             POST /_sim/checkpoints/{{id}}/revert of the control plane returns to a checkpoint"
        ),
    )
}

fn of_the_clock(method: &str) -> Refused {
    Refused::new(
        SERVER_ERROR,
        format!(
            "{method} would part the chain's time from the platform's clock: \
             POST /_sim/clock/advance of the control plane moves both"
        ),
    )
}

fn needs_number(name: &str) -> Refused {
    Refused::new(INVALID_PARAMS, format!("{name} takes whole numbers"))
}

/// Parses a number as the node does: plain, decimal or hexadecimal; larger values saturate.
pub(super) fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.parse::<U256>().ok().map(|number| number.saturating_to()),
        _ => None,
    }
}

/// Limits the gas of the transaction in the first parameter. If it gives none, the node uses the gas limit of a block, which the caller can
/// override in the same call.
fn bound_first(call: &mut Call, most: u64, always: bool) {
    let Some(mut values) = call.list() else { return };
    let overrides = values.get(3).is_some_and(|block| !block.is_null());
    let Some(Value::Object(transaction)) = values.first_mut() else { return };
    if bound(transaction, most, (always || overrides).then_some(BLOCK_GAS.min(most))) {
        call.set_params(&values);
    }
}

/// Limits the gas of a transaction; returns whether that changed it.
fn bound(transaction: &mut Map<String, Value>, most: u64, absent: Option<u64>) -> bool {
    let gas = match transaction.get("gas") {
        None | Some(Value::Null) => absent,
        // The node refuses anything but a number.
        Some(gas) => number(gas).filter(|gas| *gas > most).map(|_| most),
    };
    if let Some(gas) = gas {
        transaction.insert("gas".to_owned(), Value::String(format!("{gas:#x}")));
    }
    gas.is_some()
}

/// Limits the gas of all calls of a simulation together; calls that give none share what the others leave.
fn bound_simulation(call: &mut Call) -> Result<(), Refused> {
    let Some(mut values) = call.list() else { return Ok(()) };
    let blocks = values.first_mut().and_then(|payload| payload.get_mut("blockStateCalls"));
    let Some(Value::Array(blocks)) = blocks else { return Ok(()) };
    if blocks.len() > SIMULATED_BLOCKS {
        return Err(Refused::new(LIMIT_EXCEEDED, format!("a simulation may have {SIMULATED_BLOCKS} blocks")));
    }
    let calls = blocks.iter_mut().filter_map(|block| block.get_mut("calls")?.as_array_mut()).flatten();
    let mut calls: Vec<&mut Map<String, Value>> = calls.filter_map(Value::as_object_mut).collect();
    let stated: Vec<Option<u64>> =
        calls.iter().map(|call| call.get("gas").and_then(number).map(|gas| gas.min(CALL_GAS))).collect();
    let used = stated.iter().flatten().fold(0_u64, |sum, gas| sum.saturating_add(*gas));
    let Some(left) = MOST_BLOCK_GAS.checked_sub(used) else {
        return Err(Refused::new(
            LIMIT_EXCEEDED,
            format!("the calls of a simulation may have {MOST_BLOCK_GAS} gas together"),
        ));
    };
    let absent = stated.iter().filter(|gas| gas.is_none()).count() as u64;
    let share = (left / absent.max(1)).min(BLOCK_GAS);
    for call in &mut calls {
        bound(call, CALL_GAS, Some(share));
    }
    call.set_params(&values);
    Ok(())
}

#[cfg(test)]
mod tests;
