//! A check and what can come of it; how checks are scheduled and reported is the caller's.
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use crate::clause::{Binding, Clause, Location};
use crate::lock;
use crate::trial::Trial;
use crate::world::World;

/// What a check may do to the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// Reads only: safe against any target, and in parallel with other reads.
    Read,
    /// Sends transactions or stores facts, but disturbs no reader: may run in parallel with others.
    Write,
    /// Moves the clock, pauses creation, walks a limit or uses checkpoints: runs alone.
    Exclusive,
}

/// An endpoint or right that a check cannot do without; what a target lacks makes the check skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// The REST service.
    Rest,
    /// The swap service.
    Swap,
    /// The RPC of the primary chain, 57073.
    PrimaryChain,
    /// The RPC of the second chain, 4663.
    SecondChain,
    /// Funded accounts to sign with.
    Accounts,
    /// The control plane.
    Control,
    /// A command that starts the stdio tool server.
    ToolServer,
}

impl fmt::Display for Need {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Rest => "the REST service (--base-url)",
            Self::Swap => "the swap service (--swap-url)",
            Self::PrimaryChain => "the RPC of chain 57073 (--rpc-url 57073=URL)",
            Self::SecondChain => "the RPC of chain 4663 (--rpc-url 4663=URL)",
            Self::Accounts => "funded accounts (--private-key)",
            Self::Control => "the control plane (--control-url)",
            Self::ToolServer => "a tool server command (--mcp)",
        })
    }
}

/// What must be given of a target so that a check can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Profile {
    /// The REST service alone.
    Rest,
    /// The swap service, and its quotes compared with the chain.
    Swap,
    /// The chains: contracts, and what the REST service reports compared with them.
    Chain,
    /// The tool server.
    Tools,
}

/// A part of a profile: a profile and what its checks do to the target. Written `rest`, `rest+write`, `rest+limits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    pub(crate) profile: Profile,
    /// What its checks do.
    pub access: Access,
}

/// What the checks of a part do to the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// They read.
    Read,
    /// They send transactions, which takes keys.
    Write,
    /// They move the clock and walk limits, which takes a control plane.
    Limits,
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self.profile {
            Profile::Rest => "rest",
            Profile::Swap => "swap",
            Profile::Chain => "chain",
            Profile::Tools => "tools",
        })?;
        formatter.write_str(match self.access {
            Access::Read => "",
            Access::Write => "+write",
            Access::Limits => "+limits",
        })
    }
}

/// What came of one run of a check.
#[derive(Debug)]
pub struct Outcome {
    /// Whether everything that binds the target held.
    pub verdict: Verdict,
    /// Where the target differs from what this project chose, in the order in which it was seen.
    pub differences: Vec<Failure>,
}

/// Collects the differences of one run that are choices of the target.
#[derive(Debug, Default)]
pub(crate) struct Differences(Mutex<Vec<Failure>>);

impl Differences {
    /// Adds a difference unless an equal one of the same clause is there.
    pub(crate) fn add(&self, failure: Failure) {
        let mut found = lock(&self.0);
        let known = found.iter().any(|one| one.clause == failure.clause && one.expected == failure.expected);
        if !known {
            found.push(failure);
        }
    }

    /// What was collected.
    pub(crate) fn into_inner(self) -> Vec<Failure> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The future of the body of a check.
pub(crate) type Run<'a> = Pin<Box<dyn Future<Output = Verdict> + Send + 'a>>;

/// One executable check of a clause.
#[derive(Clone, Copy)]
pub struct Check {
    /// Stable id; never reused.
    pub id: &'static str,
    /// The clause it checks.
    pub clause: &'static Clause,
    /// What it tries, in one sentence.
    pub summary: &'static str,
    /// What it may do to the target.
    pub lane: Lane,
    /// What it cannot do without.
    pub needs: &'static [Need],
    /// Whether it judges what all others have seen, and runs after them.
    pub after_all: bool,
    /// Where it is declared.
    pub location: Location,
    pub(crate) body: fn(Trial<'_>) -> Run<'_>,
}

impl Check {
    /// The part of a profile that it belongs to.
    pub fn part(&self) -> Part {
        let needs = |need: Need| self.needs.contains(&need);
        let profile = if needs(Need::ToolServer) {
            Profile::Tools
        } else if needs(Need::Swap) {
            Profile::Swap
        } else if needs(Need::PrimaryChain) || needs(Need::SecondChain) {
            Profile::Chain
        } else {
            Profile::Rest
        };
        let access = if needs(Need::Control) {
            Access::Limits
        } else if needs(Need::Accounts) || self.lane > Lane::Read {
            Access::Write
        } else {
            Access::Read
        };
        Part { profile, access }
    }

    /// Runs it once against a world. Differences that are choices of the target do not end it: they are collected, and
    /// reported next to a verdict that does not rest on them.
    pub async fn run(&'static self, world: &World) -> Outcome {
        let differences = Differences::default();
        let verdict = (self.body)(Trial::new(world, self).collecting(&differences)).await;
        let mut differences = differences.into_inner();
        let verdict = match verdict {
            Err(Stop::Failed(failure)) if !failure.binding.binds_every_platform() => {
                differences.push(*failure);
                Ok(())
            }
            verdict => verdict,
        };
        Outcome { verdict, differences }
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Check")
            .field("id", &self.id)
            .field("clause", &self.clause.id)
            .finish_non_exhaustive()
    }
}

/// `Ok` when everything the check tried held.
pub type Verdict<T = ()> = Result<T, Stop>;

/// Why a check ended before its end.
#[derive(Debug)]
pub enum Stop {
    /// The target broke a clause.
    Failed(Box<Failure>),
    /// The target lacks what the check needs; with the reason.
    Skipped(String),
    /// The target could not be reached, or the check itself could not go on: no verdict about the clause.
    Inconclusive(Inconclusive),
}

/// The clause that was broken, and how to see it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Id of the broken clause.
    pub clause: &'static str,
    /// Whom it binds.
    pub binding: Binding,
    /// What the clause demands here.
    pub expected: String,
    /// What the target did.
    pub actual: String,
    /// A command line or tool call that shows it again.
    pub reproduce: String,
    /// Number of the exchange that shows it, where exchanges are recorded.
    pub exchange: Option<u64>,
}

/// A check that could not reach a verdict.
#[derive(Debug, thiserror::Error)]
pub enum Inconclusive {
    /// An endpoint could not be reached, or the connection broke.
    #[error("{endpoint} is out of reach: {reason}")]
    Unreachable {
        /// Which one.
        endpoint: &'static str,
        /// What the transport said.
        reason: String,
    },
    /// The target limits how often it may be asked, and the limit was not waited for.
    #[error("{url} limits how often it may be asked: {reason}")]
    RateLimited {
        /// What was asked.
        url: String,
        /// Why it was not waited for.
        reason: String,
    },
    /// The target holds nothing the check could be tried on.
    #[error("the target offers nothing to try this on: {reason}")]
    NoMaterial {
        /// What is missing.
        reason: String,
    },
    /// The harness itself failed.
    #[error("the check itself failed: {reason}")]
    Harness {
        /// What went wrong.
        reason: String,
    },
}

impl From<Inconclusive> for Stop {
    fn from(reason: Inconclusive) -> Self {
        Self::Inconclusive(reason)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(Box::new(failure))
    }
}

/// The target holds nothing the check could be tried on.
pub(crate) fn no_material(reason: impl Into<String>) -> Stop {
    Inconclusive::NoMaterial { reason: reason.into() }.into()
}

/// Ends the check without a verdict unless the target holds what it is tried on.
pub(crate) fn need_material(found: bool, reason: impl Into<String>) -> Verdict {
    if found { Ok(()) } else { Err(no_material(reason)) }
}
