//! Where the seeded defects of the tool server reach its code: a few hooks that return what they were given.
use std::collections::BTreeSet;
use std::time::Duration;

use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};

use super::config::McpConfig;
use super::defects::{Effect, SEEDED};
use super::guards::Guards;
use super::redact::Redactor;
use crate::defect::Defects;

/// Misbehaviour of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    ToolMissing,
    SchemaUnbounded,
    DefaultGain,
    DefaultSplit,
    GasCapIgnored,
    NonceLatest,
    WaitTenfold,
    BroadcastTwice,
    ReferralDropped,
    ResultToken,
    PreviewFees,
    WalletBalance,
    StatusProgress,
    RecentRaw,
    SecretsShown,
    ReadNeedsWrites,
    GarbageIgnored,
    StdoutBanner,
}

/// The hooks. Without a defect each of them returns what it was given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    active: BTreeSet<Fault>,
    guards_off: BTreeSet<&'static str>,
}

impl Faults {
    /// The effects of the selected defects of this layer.
    pub(crate) fn new(defects: &Defects) -> Self {
        let mut faults = Self::default();
        for seeded in SEEDED.iter().filter(|seeded| defects.on(seeded.id)) {
            match seeded.effect {
                Effect::GuardsOff(guards) => faults.guards_off.extend(guards),
                Effect::Fault(fault) => {
                    faults.active.insert(fault);
                }
            }
        }
        faults
    }

    fn on(&self, fault: Fault) -> bool {
        !self.active.is_empty() && self.active.contains(&fault)
    }

    /// The guards that stand.
    pub(crate) fn guards(&self) -> Guards {
        Guards::without(self.guards_off.clone())
    }

    /// A redactor, seeing or blind.
    pub(crate) fn redactor(&self) -> Redactor {
        if self.on(Fault::SecretsShown) {
            Redactor::blind()
        } else {
            Redactor::default()
        }
    }

    /// Last word on the configuration.
    pub(crate) fn configure(config: &mut McpConfig) {
        if config.faults.on(Fault::GasCapIgnored) {
            config.max_fee_wei = u128::MAX;
        }
        if config.faults.on(Fault::WaitTenfold) {
            config.receipt_wait = Duration::from_secs(config.receipt_wait.as_secs() * 10);
        }
    }

    /// Last word on the list of tools.
    pub(crate) fn tools(&self, mut tools: Vec<Tool>) -> Vec<Tool> {
        if self.on(Fault::ToolMissing) {
            tools.retain(|tool| tool.name != "wallet_info");
        }
        if self.on(Fault::SchemaUnbounded) {
            for tool in &mut tools {
                let mut schema = Value::Object(tool.input_schema.as_ref().clone());
                strip_bounds(&mut schema);
                if let Value::Object(schema) = schema {
                    tool.input_schema = schema.into();
                }
            }
        }
        tools
    }

    /// First word on the arguments of a call.
    pub(crate) fn arguments(&self, mut arguments: JsonObject, tool: &str) -> JsonObject {
        if !matches!(tool, "launch_token" | "preview_launch") {
            return arguments;
        }
        if self.on(Fault::DefaultGain) {
            arguments.entry("curveGainMultiplier").or_insert(json!(5));
        }
        if self.on(Fault::DefaultSplit) {
            arguments.entry("creatorFeeSplitBps").or_insert(json!(10_000));
        }
        if self.on(Fault::ReferralDropped) {
            arguments.remove("referralCode");
        }
        arguments
    }

    /// Last word on the parameters of a request to the chain.
    pub(crate) fn parameters(&self, method: &str, mut parameters: Value) -> Value {
        if self.on(Fault::NonceLatest) && method == "eth_getTransactionCount" {
            parameters[1] = json!("latest");
        }
        parameters
    }

    /// How often a request to the chain is sent.
    pub(crate) fn sendings(&self, method: &str) -> usize {
        if self.on(Fault::BroadcastTwice) && method == "eth_sendRawTransaction" {
            2
        } else {
            1
        }
    }

    /// Last word on a result.
    pub(crate) fn result(&self, mut result: Value) -> Value {
        if self.on(Fault::ResultToken) && result.get("transactionHash").is_some() {
            result["tokenAddress"] = json!(alloy::primitives::Address::repeat_byte(0x11).to_checksum(None));
        }
        if self.on(Fault::PreviewFees)
            && let Some(percent) = result
                .pointer("/feeMath/creatorEarningsAsPctOfVolume")
                .and_then(Value::as_f64)
        {
            result["feeMath"]["creatorEarningsAsPctOfVolume"] = json!(percent * 2.0);
        }
        if self.on(Fault::WalletBalance) && result.get("balanceWei").is_some() {
            result["balanceWei"] = json!(format!("1{}", result["balanceWei"].as_str().unwrap_or_default()));
            result["balanceEth"] = json!(format!("1{}", result["balanceEth"].as_str().unwrap_or_default()));
        }
        if self.on(Fault::StatusProgress)
            && let Some(progress) = result.get("fundingProgress").and_then(Value::as_f64)
        {
            result["fundingProgress"] = json!(progress / 2.0 + 0.001);
        }
        result
    }

    /// Whether rows of the service pass as they are.
    pub(crate) fn passes_rows(&self) -> bool {
        self.on(Fault::RecentRaw)
    }

    /// Whether a tool counts as a writing one.
    pub(crate) fn writes(&self, writes: bool) -> bool {
        writes || self.on(Fault::ReadNeedsWrites)
    }

    /// Whether a malformed message is answered.
    pub(crate) fn complains(&self) -> bool {
        !self.on(Fault::GarbageIgnored)
    }

    /// What is printed before the protocol begins.
    pub(crate) fn banner(&self) -> Option<&'static str> {
        self.on(Fault::StdoutBanner).then_some("tool server ready\n")
    }
}

/// Removes every bound from a schema.
fn strip_bounds(schema: &mut Value) {
    const BOUNDS: [&str; 8] = [
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "pattern",
        "enum",
        "const",
        "format",
    ];
    match schema {
        Value::Object(members) => {
            members.retain(|name, _| !BOUNDS.contains(&name.as_str()));
            members.values_mut().for_each(strip_bounds);
        }
        Value::Array(items) => items.iter_mut().for_each(strip_bounds),
        _ => {}
    }
}
