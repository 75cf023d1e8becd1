//! Progress on standard error: a bar on a terminal, nothing elsewhere.
use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::runner::{Finished, Outcome};

/// A bar over a known number of steps.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A bar for `steps` steps; hidden where standard error is no terminal.
    pub(crate) fn new(steps: usize) -> Self {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {wide_msg}")
            .expect("the template is constant and valid");
        bar.set_style(style);
        Self(bar)
    }

    /// One check has ended.
    pub(crate) fn finished(&self, finished: &Finished) {
        self.0.inc(1);
        match &finished.outcome {
            Outcome::Failed(failure) => {
                self.0.println(format!("FAILED {} ({})", finished.check.id, failure.clause));
            }
            Outcome::Inconclusive(_) => self.0.println(format!("INCONCLUSIVE {}", finished.check.id)),
            Outcome::Passed | Outcome::Difference(_) | Outcome::Skipped(_) => {
                self.0.set_message(finished.check.id);
            }
        }
    }

    /// One step that is no check has ended.
    pub(crate) fn step(&self, what: &'static str) {
        self.0.inc(1);
        self.0.set_message(what);
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}
