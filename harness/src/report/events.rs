//! The stream of events of a run: one JSON object per line, from which every report is made. This module defines the content; writing it is
//! elsewhere.
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Version of the stream; it rises when a reader of the previous one would misread it.
pub(crate) const VERSION: u32 = 2;

/// One line of the stream. The first is `run`, the last `end`; a run that was cut off has no `end`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "camelCase")]
pub(crate) enum Event {
    /// The program, the target and the selection of checks.
    Run(Box<Run>),
    /// A request was made, and answered or not.
    Exchange(Box<Exchange>),
    /// A check has ended.
    Verdict(Box<Verdict>),
    /// The run has ended.
    End(End),
}

/// The program, the target and the selection of checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Run {
    /// Version of this stream.
    pub(crate) version: u32,
    /// The program that ran.
    pub(crate) tool: Tool,
    /// SHA-256 of the ids, the texts and the bindings of all clauses.
    pub(crate) interface: String,
    /// The target.
    pub(crate) target: TargetInfo,
    /// What the checks were allowed to do: `read` or `write`.
    pub(crate) lane: String,
    /// The seed of everything generated.
    pub(crate) seed: u64,
    /// Whether the target is held to this project's choices too.
    pub(crate) strict: bool,
    /// The command line that repeats the run, without its selection of checks.
    pub(crate) replay: String,
    /// When it began, in Unix milliseconds; 0 in the events of earlier releases.
    #[serde(default)]
    pub(crate) started: u64,
    /// The selected checks, by section, in the order of the interface.
    pub(crate) sections: Vec<Section>,
    /// How many statements the interface has.
    pub(crate) statements: usize,
    /// How many of them can be tested; all of them in the events of earlier releases.
    #[serde(default)]
    pub(crate) testable: Option<usize>,
    /// The statements that no selected check judges, each with the reason.
    #[serde(default)]
    pub(crate) not_judged: BTreeMap<String, String>,
    /// The parts of the interface, each with the number of its checks that bind every platform.
    pub(crate) parts: BTreeMap<String, usize>,
    /// The parts that must be judged in full.
    pub(crate) required: Vec<String>,
}

/// The program that ran the checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Tool {
    /// Its name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
}

/// The platform under test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TargetInfo {
    /// Whether it was started for the run; its addresses are then those of a plain `slipway up`.
    pub(crate) local: bool,
    /// The REST service.
    pub(crate) rest: Option<String>,
    /// The swap service.
    pub(crate) swap: Option<String>,
    /// The control plane.
    pub(crate) control: Option<String>,
    /// The RPCs by chain id.
    pub(crate) rpc: BTreeMap<String, String>,
    /// Whether a tool server was given.
    pub(crate) tool_server: bool,
}

/// A section of the interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Section {
    /// Its title.
    pub(crate) title: String,
    /// Its clauses with a selected check.
    pub(crate) clauses: Vec<ClauseInfo>,
}

/// A clause with its selected checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClauseInfo {
    /// Its id.
    pub(crate) id: String,
    /// The text of its statement.
    pub(crate) text: String,
    /// `interface`, `standard` or `choice`.
    pub(crate) binding: String,
    /// The statements that it rests on.
    pub(crate) statements: Vec<String>,
    /// File and line of its declaration.
    pub(crate) location: String,
    /// Its selected checks.
    pub(crate) checks: Vec<CheckInfo>,
    /// The seeded defects that prove its checks.
    pub(crate) proven_by: Vec<DefectInfo>,
}

/// A selected check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckInfo {
    /// Its id.
    pub(crate) id: String,
    /// Its summary.
    pub(crate) summary: String,
    /// The part of the interface that it belongs to.
    pub(crate) part: String,
    /// The statements that it tests; those of its clause in the events of earlier releases.
    #[serde(default)]
    pub(crate) statements: Vec<String>,
    /// File and line of its declaration.
    pub(crate) location: String,
    /// Its proof when this program was built.
    pub(crate) proof: Option<ProofInfo>,
    /// Seeded defects of its clause under which it failed.
    pub(crate) kills: Vec<String>,
}

/// The proof of a check: a seeded defect under which it failed, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ProofInfo {
    /// Id of the defect.
    pub(crate) defect: String,
    /// The requirement of the clause; empty in the events of earlier releases.
    #[serde(default)]
    pub(crate) expected: String,
    /// What the broken platform did.
    #[serde(default)]
    pub(crate) actual: String,
}

/// A seeded defect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct DefectInfo {
    /// Its id.
    pub(crate) id: String,
    /// The fault.
    pub(crate) summary: String,
    /// File and line of its declaration.
    pub(crate) location: String,
}

/// A request, and its response or the reason why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Exchange {
    /// Its number in the run, from 1.
    pub(crate) number: u64,
    /// The check that made it.
    pub(crate) check: String,
    /// The peer.
    pub(crate) kind: ExchangeKind,
    /// Microseconds from the start of the run to the start of the exchange.
    pub(crate) at: u64,
    /// Microseconds it took.
    pub(crate) took: u64,
    /// The request.
    pub(crate) request: Message,
    /// The response.
    pub(crate) response: Option<Message>,
    /// Why there is no response.
    pub(crate) error: Option<String>,
}

/// The peer of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ExchangeKind {
    /// A service or the control plane.
    Http,
    /// The RPC of a chain.
    Rpc,
    /// The tool server.
    Tool,
}

/// One direction of an exchange, without secrets and of bounded length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Message {
    /// Method and address of a request, or status of a response; empty for a tool server.
    pub(crate) head: String,
    /// Headers in order.
    pub(crate) headers: Vec<(String, String)>,
    /// The body as text, shortened; a body that is not text is only named.
    pub(crate) body: String,
    /// Bytes of the whole body.
    pub(crate) bytes: u64,
}

/// A check has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Verdict {
    /// Id of the check.
    pub(crate) check: String,
    /// The result.
    pub(crate) verdict: Word,
    /// Microseconds from the start of the run to its end.
    pub(crate) at: u64,
    /// Microseconds it took.
    pub(crate) took: u64,
    /// How many exchanges it made.
    pub(crate) exchanges: u64,
    /// The failure that decided the verdict.
    pub(crate) failure: Option<Broken>,
    /// Differences from choices of this project, in the order in which they were seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) differences: Vec<Broken>,
    /// The statements on which it reached a verdict; all of its clause in the events of earlier releases.
    #[serde(default)]
    pub(crate) statements: Option<Vec<String>>,
    /// What the target was not given, without which the check judged less.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) lacking: Vec<String>,
    /// Why it was skipped, or reached no verdict.
    pub(crate) reason: Option<String>,
    /// The entry of the baseline that names it.
    pub(crate) known: Option<Known>,
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Word {
    /// The target broke a clause.
    Failed,
    /// It ran and reached no verdict.
    Inconclusive,
    /// It failed, and the baseline lists it.
    Known,
    /// The target differs in something that the interface leaves open, which does not bind it.
    Difference,
    /// Everything it tried held.
    Passed,
    /// It did not run.
    Skipped,
}

impl Word {
    /// Its name in every report.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Inconclusive => "inconclusive",
            Self::Known => "known",
            Self::Difference => "difference",
            Self::Passed => "passed",
            Self::Skipped => "skipped",
        }
    }
}

/// A broken clause, and how to reproduce the failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Broken {
    /// Id of the broken clause.
    pub(crate) clause: String,
    /// Whom that clause binds: `interface`, `standard` or `choice`.
    pub(crate) binding: String,
    /// The requirement.
    pub(crate) expected: String,
    /// What the target did.
    pub(crate) actual: String,
    /// A command line or tool call that reproduces it.
    pub(crate) reproduce: String,
    /// The command line that runs the check again.
    pub(crate) replay: String,
    /// Number of the exchange that shows it.
    pub(crate) exchange: Option<u64>,
}

/// An entry of a baseline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Known {
    /// Why it is forgiven.
    pub(crate) reason: String,
    /// Date since when it fails.
    pub(crate) since: Option<String>,
    /// Last date on which it is forgiven.
    pub(crate) until: Option<String>,
}

/// The run has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct End {
    /// Microseconds the run took.
    pub(crate) took: u64,
    /// Entries of the baseline that no longer hold.
    pub(crate) stale: Vec<String>,
    /// Entries of the baseline whose end date has passed; they forgive nothing.
    pub(crate) expired: Vec<String>,
}

/// SHA-256 of the ids, the texts and the bindings of all clauses.
pub(crate) fn interface() -> String {
    let mut hash = Sha256::new();
    for clause in slipway_scenarios::clauses() {
        hash.update(format!("{}\0{}\0{}\0", clause.id, clause.text, clause.binding()));
    }
    format!("{:x}", hash.finalize())
}
