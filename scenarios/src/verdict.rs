//! What can come of a check: a verdict, the failure that it found, and why there is none.
use std::fmt;

use parking_lot::Mutex;

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
    /// Which platforms it binds.
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

/// Which platforms a clause binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Every platform: the interface says so.
    Interface,
    /// Every platform: a public standard that the interface rests on says so.
    Standard,
    /// This project's platform only, which chose where the interface leaves something open. An external target that
    /// chose otherwise is reported as a difference, and fails only in a strict run.
    Choice,
}

impl Binding {
    /// Whether a breach fails a platform that is not this project's.
    pub fn binds_every_platform(self) -> bool {
        self != Self::Choice
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Interface => "interface",
            Self::Standard => "standard",
            Self::Choice => "choice",
        })
    }
}

/// Collects the differences of one run that are choices of the target.
#[derive(Debug, Default)]
pub(crate) struct Differences(Mutex<Vec<Failure>>);

impl Differences {
    /// Adds a difference unless an equal one of the same clause is there.
    pub(crate) fn add(&self, failure: Failure) {
        let mut found = self.0.lock();
        let known = found.iter().any(|one| one.clause == failure.clause && one.expected == failure.expected);
        if !known {
            found.push(failure);
        }
    }

    /// What was collected.
    pub(crate) fn into_inner(self) -> Vec<Failure> {
        self.0.into_inner()
    }
}
