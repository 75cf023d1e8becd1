//! How a check ends: its verdict, its failure or differences, and the outcome of its run.
use std::fmt;

use parking_lot::Mutex;

/// `Ok` if everything that the check tested holds.
pub type Verdict<T = ()> = Result<T, Stop>;

/// Why a check ended early.
#[derive(Debug)]
pub enum Stop {
    /// The target broke a clause.
    Failed(Box<Failure>),
    /// The target lacks a requirement of the check; the reason.
    Skipped(String),
    /// The target could not be reached, or the check itself could not continue: no verdict on the clause.
    Inconclusive(Inconclusive),
}

/// A broken clause, and how to reproduce it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Id of the broken clause.
    pub clause: &'static str,
    /// Which platforms it binds.
    pub binding: Binding,
    /// The demand of the clause.
    pub expected: String,
    /// The behaviour of the target.
    pub actual: String,
    /// A command line or tool call that reproduces it.
    pub reproduce: String,
    /// Number of the exchange that shows it, if exchanges are recorded.
    pub exchange: Option<u64>,
    /// The answer that shows it, if that is an answer of a service.
    pub answered: Option<Answered>,
}

/// A request and the status of its answer, without the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Method and path.
    pub request: String,
    /// The HTTP status.
    pub status: u16,
}

/// The outcome of a run of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything that it tested holds.
    Passed,
    /// The target broke a clause.
    Failed(Failure),
    /// The target differs where the interface leaves a choice; this does not bind it.
    Difference(Failure),
    /// It did not run; the reason.
    Skipped(String),
    /// It ran and reached no verdict; the reason.
    Inconclusive(String),
}

impl Outcome {
    /// Whether the outcome is a verdict on the clause.
    pub fn is_decided(&self) -> bool {
        !matches!(self, Self::Skipped(_) | Self::Inconclusive(_))
    }

    /// Returns the outcome of a check of this clause. A breach outweighs every difference. In a strict run a difference fails, first one of
    /// the check's own clause. If a choice was seen to differ, a lack of further test material no longer matters.
    pub(crate) fn of(
        verdict: Verdict,
        differences: &[Failure],
        (clause, binding): (&str, Binding),
        strict: bool,
    ) -> Self {
        let own = differences.iter().find(|difference| difference.clause == clause);
        let difference = own.or(differences.first()).cloned();
        match (verdict, difference) {
            (Err(Stop::Failed(failure)), _) => Self::Failed(*failure),
            (Ok(()), None) => Self::Passed,
            (_, Some(difference)) if strict => Self::Failed(difference),
            (Ok(()), Some(difference)) => Self::Difference(difference),
            (Err(Stop::Inconclusive(reason)), Some(difference))
                if reason.is_of_the_target() && own.is_some() && binding == Binding::Choice =>
            {
                Self::Difference(difference)
            }
            (Err(Stop::Skipped(reason)), _) => Self::Skipped(cut_to(reason, LONGEST_REASON)),
            // This project's own platform has everything that the checks need, so a strict run stays inconclusive.
            (Err(Stop::Inconclusive(reason)), _) if reason.is_of_the_target() && !strict => {
                Self::Skipped(cut_to(reason.to_string(), LONGEST_REASON))
            }
            (Err(Stop::Inconclusive(reason)), _) => Self::Inconclusive(cut(reason.to_string())),
        }
    }
}

/// The reason why a check reached no verdict.
#[derive(Debug, thiserror::Error)]
pub enum Inconclusive {
    /// An endpoint could not be reached, or the connection broke.
    #[error("{endpoint} is out of reach: {reason}")]
    Unreachable {
        /// The endpoint.
        endpoint: &'static str,
        /// The error of the transport.
        reason: String,
    },
    /// An address did not answer at all: the connection was refused or timed out.
    #[error("{endpoint} is out of reach: {reason}")]
    Silent {
        /// The endpoint.
        endpoint: &'static str,
        /// The address and the error of the transport.
        reason: String,
    },
    /// An address took a request and closed the connection without an answer.
    #[error("{address} closed the connection without an answer")]
    Dropped {
        /// The address, without a path.
        address: String,
    },
    /// An answer exceeds a bound of the client, which no clause forbids.
    #[error("{address} sends too much: {reason}")]
    TooLarge {
        /// The address, without a path.
        address: String,
        /// The exceeded bound.
        reason: String,
    },
    /// An address left too many requests unanswered.
    #[error("{address} is given up: {reason}")]
    GivenUp {
        /// The address, without a path.
        address: String,
        /// The reason.
        reason: String,
    },
    /// The control plane does not have a call; checks that need it are skipped.
    #[error("the control plane has no {call}")]
    NoCall {
        /// Method and path of the call.
        call: String,
    },
    /// The target's rate limit refused a request, and the limit was not waited out.
    #[error("{url} limits how often it may be asked: {reason}")]
    RateLimited {
        /// The URL of the request.
        url: String,
        /// Why the limit was not waited out.
        reason: String,
    },
    /// The target holds nothing that the check could be tested on.
    #[error("the target has no data to test this with: {reason}")]
    NoMaterial {
        /// The missing material.
        reason: String,
    },
    /// What the check has to read first is not as it must be, which other checks judge.
    #[error("{reason}")]
    Prerequisite {
        /// What was read, and what is wrong with it.
        reason: String,
    },
    /// The harness itself failed.
    #[error("the check itself failed: {reason}")]
    Harness {
        /// The error.
        reason: String,
    },
}

impl Inconclusive {
    /// Whether the target gives nothing to test; otherwise the check itself did not get that far.
    fn is_of_the_target(&self) -> bool {
        matches!(self, Self::NoMaterial { .. } | Self::Prerequisite { .. })
    }
}

impl From<Inconclusive> for Stop {
    fn from(reason: Inconclusive) -> Self {
        match reason {
            Inconclusive::NoCall { .. } => Self::Skipped(reason.to_string()),
            _ => Self::Inconclusive(reason),
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(Box::new(failure))
    }
}

/// Returns the stop of a check whose target holds nothing to test it on.
pub(crate) fn no_material(reason: impl Into<String>) -> Stop {
    Inconclusive::NoMaterial { reason: reason.into() }.into()
}

/// Ends the check without a verdict unless the target holds the material for it.
pub(crate) fn need_material(found: bool, reason: impl Into<String>) -> Verdict {
    if found { Ok(()) } else { Err(no_material(reason)) }
}

/// Most characters of a target's text that a verdict keeps.
const LONGEST_TEXT: usize = 8_000;

/// Most characters of the reason why a check was skipped.
const LONGEST_REASON: usize = 240;

/// Truncates a target's text for reports.
pub fn cut(text: String) -> String {
    cut_to(text, LONGEST_TEXT)
}

fn cut_to(mut text: String, most: usize) -> String {
    if let Some((at, _)) = text.char_indices().nth(most) {
        text.truncate(at);
        text.push('…');
        text.shrink_to_fit();
    }
    text
}

/// The platforms that a clause binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Every platform, because the interface says so.
    Interface,
    /// Every platform, because a public standard that the interface builds on says so.
    Standard,
    /// This project's platform only, which fills a gap of the interface. A target that chose otherwise is reported as a difference and
    /// fails only in a strict run.
    Choice,
}

impl Binding {
    /// Whether a breach fails a third-party platform.
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

/// Most differences that are kept of one clause: further ones are redundant.
const MOST_OF_A_CLAUSE: usize = 20;

/// The differences of one run, which are choices of the target.
#[derive(Debug, Default)]
pub(crate) struct Differences(Mutex<Vec<Failure>>);

impl Differences {
    /// Adds a difference unless the clause already has an equal one, or too many.
    pub(crate) fn add(&self, failure: Failure) {
        let mut found = self.0.lock();
        let of_clause = found.iter().filter(|one| one.clause == failure.clause);
        let is_known = of_clause.clone().any(|one| one.expected == failure.expected);
        if !is_known && of_clause.count() < MOST_OF_A_CLAUSE {
            found.push(failure);
        }
    }

    /// Returns the collected differences.
    pub(crate) fn into_inner(self) -> Vec<Failure> {
        self.0.into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::{
        Binding, Differences, Failure, Inconclusive, LONGEST_REASON, LONGEST_TEXT, MOST_OF_A_CLAUSE, Outcome,
        Stop, cut, no_material,
    };

    fn failure(id: &'static str, expected: usize) -> Failure {
        Failure {
            clause: id,
            binding: Binding::Choice,
            expected: expected.to_string(),
            actual: String::new(),
            reproduce: String::new(),
            exchange: None,
            answered: None,
        }
    }

    #[test]
    fn an_outcome_follows_from_verdict_and_differences() {
        let (bound, chosen) = (("QUOTE-RATES", Binding::Interface), ("OWNER-BAD", Binding::Choice));
        let (other, own) = (failure("SVC-ERR", 1), failure("OWNER-BAD", 1));
        let breach = failure("QUOTE-RATES", 1);
        let nothing = || Err(no_material("no token"));
        let broken = || Err(Stop::Inconclusive(Inconclusive::Harness { reason: "x".to_owned() }));
        let reason = "the target has no data to test this with: no token";
        let both = [other.clone(), own.clone()];
        for (outcome, expected) in [
            (Outcome::of(Ok(()), &[], bound, true), Outcome::Passed),
            (Outcome::of(Err(breach.clone().into()), &both, bound, false), Outcome::Failed(breach)),
            (Outcome::of(Ok(()), &both, bound, false), Outcome::Difference(other.clone())),
            (Outcome::of(Ok(()), &both, chosen, false), Outcome::Difference(own.clone())),
            (Outcome::of(Ok(()), &both, chosen, true), Outcome::Failed(own.clone())),
            (Outcome::of(nothing(), &both, chosen, true), Outcome::Failed(own.clone())),
            (Outcome::of(nothing(), &both, chosen, false), Outcome::Difference(own)),
            (
                Outcome::of(nothing(), std::slice::from_ref(&other), bound, false),
                Outcome::Skipped(reason.to_owned()),
            ),
            (Outcome::of(nothing(), &[], bound, true), Outcome::Inconclusive(reason.to_owned())),
            (
                Outcome::of(Err(Stop::Skipped("x".repeat(1_000))), &[], bound, false),
                Outcome::Skipped("x".repeat(LONGEST_REASON) + "…"),
            ),
            (
                Outcome::of(broken(), &both, chosen, false),
                Outcome::Inconclusive("the check itself failed: x".to_owned()),
            ),
        ] {
            assert_eq!(outcome, expected);
        }
    }

    #[test]
    fn differences_of_a_clause_are_bounded() {
        let differences = Differences::default();
        for number in 0..100 {
            differences.add(failure("OWNER-BAD", number));
            differences.add(failure("SVC-ERR", 1));
        }
        assert_eq!(differences.into_inner().len(), MOST_OF_A_CLAUSE + 1);
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("é".repeat(LONGEST_TEXT)).chars().count(), LONGEST_TEXT);
        assert_eq!(cut("é".repeat(LONGEST_TEXT + 1)).chars().count(), LONGEST_TEXT + 1);
        assert!(cut("é".repeat(LONGEST_TEXT + 1)).ends_with("é…"));
    }
}
