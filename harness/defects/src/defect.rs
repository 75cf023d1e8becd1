//! The definition of a defect: its layer, its fault, and the clauses that must catch it.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::changes::Change;

/// The layer in front of which a defect is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// The RPC of a chain: a proxy in front of it.
    Node,
    /// The contracts: the RPC replaces their code with mutated code.
    Chain,
    /// The REST service: a proxy in front of it.
    Rest,
    /// The swap service: a proxy in front of it.
    Swap,
    /// The stdio tool server: a wrapper around its process.
    ToolServer,
}

impl Layer {
    /// The layers whose defects the proxies apply, or install when they start.
    pub(crate) const PROXIED: [Self; 4] = [Self::Node, Self::Chain, Self::Rest, Self::Swap];

    /// The name in reports and answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Chain => "chain",
            Self::Rest => "rest",
            Self::Swap => "swap",
            Self::ToolServer => "tool-server",
        }
    }
}

/// One deliberate fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Stable id, given to `--defect`; never reused.
    pub id: &'static str,
    /// Where it is applied.
    pub layer: Layer,
    /// The fault, in one sentence.
    pub summary: &'static str,
    /// Clauses whose checks must fail.
    pub clauses: &'static [&'static str],
    /// Source file that defines it, relative to the workspace.
    pub file: &'static str,
    /// Line in that file.
    pub line: u32,
    /// Its change; `None` for a defect of the contracts, and for one that changes nothing.
    pub change: Option<&'static Change>,
}
