//! Where the seeded defects of the tool server reach its code: a few hooks that return what they were given.
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{InitializeRequestParams, JsonObject, ProtocolVersion, Tool};
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
    VersionRefused,
    HintsMissing,
    OutputUnstated,
    OutputUntrue,
    AdviceMissing,
    ErrorStructured,
    DefaultGain,
    DefaultSplit,
    DefaultSnipe,
    DefaultPrebuy,
    GasCapIgnored,
    NonceLatest,
    NonceTwice,
    LaunchesRace,
    WaitTenfold,
    BroadcastTwice,
    BroadcastAgain,
    ReferralDropped,
    ResultToken,
    ResultUrls,
    PreviewFees,
    PreviewGain,
    PreviewVariable,
    PreviewCall,
    PreviewConfirm,
    WalletBalance,
    WalletPanics,
    StatusProgress,
    RecentRaw,
    RecentLinks,
    RecentClip,
    RecentMarks,
    RecentEndless,
    RecentPatient,
    DotForgotten,
    HostAsWritten,
    OneIsEnough,
    LinksRemembered,
    SharedPublic,
    LocalSixPublic,
    MappedPublic,
    TranslatedPublic,
    KeyFallback,
    KeyRawFirst,
    SecretsShown,
    LogRaw,
    EscapesUnread,
    ReadNeedsWrites,
    GarbageIgnored,
    StdoutBanner,
    CallsQueue,
    CancelDeaf,
}

/// The hooks. Without a defect each of them returns what it was given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    active: BTreeSet<Fault>,
    guards_off: BTreeSet<&'static str>,
    /// Links that were judged well, for the fault that remembers them.
    remembered: Arc<Mutex<BTreeSet<String>>>,
    /// Where calls wait for each other, for the fault that makes them.
    queue: Arc<tokio::sync::Mutex<()>>,
}

impl Faults {
    /// The effects of the selected defects of this layer.
    pub(crate) fn new(defects: &Defects) -> Self {
        let mut faults = Self::default();
        for seeded in SEEDED.iter().filter(|seeded| defects.on(seeded.id)) {
            match seeded.effect {
                Effect::GuardsOff(guards) => faults.guards_off.extend(guards),
                Effect::Hook(fault) => {
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
        } else if self.on(Fault::EscapesUnread) {
            Redactor::shallow()
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
            config.receipt_wait *= 10;
        }
        if config.faults.on(Fault::RecentPatient) {
            config.bounds.wait *= 20;
        }
        if config.faults.on(Fault::RecentEndless) {
            config.bounds.largest_body = usize::MAX;
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
        for tool in &mut tools {
            if self.on(Fault::HintsMissing) {
                tool.annotations = None;
            }
            if self.on(Fault::OutputUnstated) {
                tool.output_schema = None;
            }
        }
        tools
    }

    /// Whether a peer is turned away by the version it speaks.
    pub(crate) fn turns_away(&self, greeting: &InitializeRequestParams) -> bool {
        self.on(Fault::VersionRefused)
            && greeting.protocol_version != ProtocolVersion::LATEST_WITH_INITIALIZE
            && greeting.protocol_version != ProtocolVersion::V_2025_06_18
    }

    /// Last word on what an error advises.
    pub(crate) fn advice(&self, next: &'static str) -> &'static str {
        if self.on(Fault::AdviceMissing) { "" } else { next }
    }

    /// Whether errors have structured content, which breaks the schema of the output.
    pub(crate) fn structures_errors(&self) -> bool {
        self.on(Fault::ErrorStructured)
    }

    /// What a call waits for before it begins.
    pub(crate) async fn admission(&self) -> Option<tokio::sync::OwnedMutexGuard<()>> {
        if self.on(Fault::CallsQueue) { Some(Arc::clone(&self.queue).lock_owned().await) } else { None }
    }

    /// Whether a cancellation ends the call it names.
    pub(crate) fn hears_cancellation(&self) -> bool {
        !self.on(Fault::CancelDeaf)
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
        if self.on(Fault::DefaultSnipe) {
            arguments.entry("antiSnipeSeconds").or_insert(json!(20));
        }
        if self.on(Fault::DefaultPrebuy) {
            arguments.entry("prebuyEth").or_insert(json!(0.01));
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

    /// Whether a request to the chain is made a second time.
    pub(crate) fn repeats(&self, method: &str, unanswered: bool) -> bool {
        match method {
            "eth_sendRawTransaction" => {
                self.on(Fault::BroadcastTwice) || (unanswered && self.on(Fault::BroadcastAgain))
            }
            "eth_getTransactionCount" => self.on(Fault::NonceTwice),
            _ => false,
        }
    }

    /// Whether launches wait for each other.
    pub(crate) fn takes_turns(&self) -> bool {
        !self.on(Fault::LaunchesRace)
    }

    /// Whether a preview must be confirmed.
    pub(crate) fn demands_confirmation(&self) -> bool {
        self.on(Fault::PreviewConfirm)
    }

    /// Ends a call badly, with a secret in the message.
    pub(crate) fn crash(&self, tool: &str, rpc_url: &url::Url) {
        assert!(
            !(self.on(Fault::WalletPanics) && tool == "wallet_info"),
            "nobody knows what to do with {rpc_url}"
        );
    }

    /// Last word on a result.
    pub(crate) fn result(&self, mut result: Value) -> Value {
        if self.on(Fault::ResultToken) && result.get("transactionHash").is_some() {
            result["tokenAddress"] = json!(alloy::primitives::Address::repeat_byte(0x11).to_checksum(None));
        }
        if self.on(Fault::ResultUrls) && result.get("tradeUrl").is_some() {
            result["tradeUrl"] = json!("https://elsewhere.dev/trade");
        }
        if self.on(Fault::PreviewGain)
            && let Some(gain) = result.pointer("/params/gainBps").and_then(Value::as_u64)
        {
            result["params"]["gainBps"] = json!(gain + 1);
        }
        if self.on(Fault::PreviewVariable) && result.get("feeMath").is_some() {
            result["feeMath"]["variableFeePctOfAfterProtocol"] = json!(1);
        }
        if self.on(Fault::PreviewCall) && result.get("calldata").is_some() {
            result["calldata"] = json!(format!("{}00", result["calldata"].as_str().unwrap_or_default()));
        }
        if self.on(Fault::OutputUntrue) && result.get("balanceWei").is_some() {
            result["chainId"] = json!(result["chainId"].to_string());
        }
        if self.on(Fault::PreviewFees)
            && let Some(percent) =
                result.pointer("/feeMath/creatorEarningsAsPctOfVolume").and_then(Value::as_f64)
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

    /// Whether links of the service pass unjudged.
    pub(crate) fn trusts_links(&self) -> bool {
        self.on(Fault::RecentLinks)
    }

    /// How long a text of the service may be.
    pub(crate) fn longest(&self, longest: usize) -> usize {
        if self.on(Fault::RecentClip) { usize::MAX } else { longest }
    }

    /// Whether characters that steer a reader pass.
    pub(crate) fn passes_marks(&self) -> bool {
        self.on(Fault::RecentMarks)
    }

    /// The name whose ending is judged: without its final dot, and as it was read, not as it was written.
    pub(crate) fn judged_name<'link>(&self, name: &'link str, authority: &'link str) -> &'link str {
        if self.on(Fault::HostAsWritten) {
            authority
        } else if self.on(Fault::DotForgotten) {
            name
        } else {
            name.trim_end_matches('.')
        }
    }

    /// Whether one public address makes a host public.
    pub(crate) fn one_is_enough(&self) -> bool {
        self.on(Fault::OneIsEnough)
    }

    /// Whether a link needs no judgement any more; otherwise it will need none from now on.
    pub(crate) fn remembers(&self, link: &str) -> bool {
        let known = || self.remembered.lock().unwrap_or_else(PoisonError::into_inner).contains(link);
        self.on(Fault::LinksRemembered) && known()
    }

    /// A link has been judged well.
    pub(crate) fn judged_well(&self, link: &str) {
        if self.on(Fault::LinksRemembered) {
            let mut remembered = self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
            remembered.insert(link.to_owned());
        }
    }

    /// Whether an address that is not public counts as one.
    pub(crate) fn takes_for_public(&self, address: IpAddr) -> bool {
        match address {
            IpAddr::V4(address) => {
                let [first, second, ..] = address.octets();
                self.on(Fault::SharedPublic) && first == 100 && (64..128).contains(&second)
            }
            IpAddr::V6(address) => {
                let first = address.segments()[0];
                let local = (first & 0xfe00) == 0xfc00 || (first & 0xffc0) == 0xfe80;
                (self.on(Fault::LocalSixPublic) && local)
                    || (self.on(Fault::MappedPublic) && address.to_ipv4_mapped().is_some())
                    || (self.on(Fault::TranslatedPublic) && address.segments()[..2] == [0x64, 0xff9b])
            }
        }
    }

    /// Whether the raw key stands in for a key file that cannot be used.
    pub(crate) fn falls_back(&self) -> bool {
        self.on(Fault::KeyFallback)
    }

    /// Whether the raw key comes before the file.
    pub(crate) fn prefers_raw(&self) -> bool {
        self.on(Fault::KeyRawFirst)
    }

    /// Whether the log passes the redactor.
    pub(crate) fn redacts_log(&self) -> bool {
        !self.on(Fault::LogRaw)
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
    const BOUNDS: [&str; 8] =
        ["minLength", "maxLength", "minimum", "maximum", "pattern", "enum", "const", "format"];
    match schema {
        Value::Object(members) => {
            members.retain(|name, _| !BOUNDS.contains(&name.as_str()));
            members.values_mut().for_each(strip_bounds);
        }
        Value::Array(items) => items.iter_mut().for_each(strip_bounds),
        _ => {}
    }
}
