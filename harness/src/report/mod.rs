//! What a run came to, and its forms: text for people, JSON and JUnit for machines.
pub(crate) mod json;
pub(crate) mod junit;
pub(crate) mod text;

use std::time::Duration;

use crate::exit::Exit;
use crate::runner::{Finished, Outcome};

/// A finished run.
pub(crate) struct Report {
    /// Every check, in registry order.
    pub(crate) finished: Vec<Finished>,
    /// Whether the baseline names what is no longer so.
    pub(crate) stale: Vec<String>,
    /// What replays the run, without the selection of checks.
    pub(crate) replay: String,
    /// Decides everything generated.
    pub(crate) seed: u64,
    /// Wall time of the checks.
    pub(crate) took: Duration,
}

/// How many checks came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
    pub(crate) inconclusive: usize,
    pub(crate) implementation_defined: usize,
    pub(crate) known: usize,
}

impl Report {
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for finished in &self.finished {
            match finished.outcome {
                Outcome::Passed => counts.passed += 1,
                Outcome::Failed(_) => counts.failed += 1,
                Outcome::ImplementationDefined(_) => counts.implementation_defined += 1,
                Outcome::Known(_) => counts.known += 1,
                Outcome::Skipped(_) => counts.skipped += 1,
                Outcome::Inconclusive(_) => counts.inconclusive += 1,
            }
        }
        counts
    }

    /// The exit code: a failure outweighs doubt, doubt outweighs a stale baseline, and nothing run is a failure.
    pub(crate) fn exit(&self) -> Exit {
        let counts = self.counts();
        if counts.failed > 0 {
            Exit::Failure
        } else if counts.inconclusive > 0 {
            Exit::Inconclusive
        } else if !self.stale.is_empty() {
            Exit::StaleBaseline
        } else if counts.passed + counts.implementation_defined + counts.known == 0 {
            Exit::Failure
        } else {
            Exit::Conformant
        }
    }

    /// The command line that runs one check again as it ran here.
    pub(crate) fn replay(&self, id: &str) -> String {
        format!("{} --only {id}", self.replay)
    }
}

impl Outcome {
    /// One word for the outcome, the same in every form.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed(_) => "failed",
            Self::ImplementationDefined(_) => "implementation-defined",
            Self::Known(_) => "known",
            Self::Skipped(_) => "skipped",
            Self::Inconclusive(_) => "inconclusive",
        }
    }
}

impl Report {
    /// The ports of a platform that was started for the run are gone with it: its addresses become those a plain `slipway up`
    /// listens on, so that a `reproduce` line works beside one.
    pub(crate) fn replace_addresses(&mut self, lasting: &[(String, String)]) {
        for finished in &mut self.finished {
            if let Outcome::Failed(failure)
            | Outcome::ImplementationDefined(failure)
            | Outcome::Known(failure) = &mut finished.outcome
            {
                for (passing, lasting) in lasting {
                    failure.reproduce = failure.reproduce.replace(passing.as_str(), lasting);
                }
            }
        }
    }
}
