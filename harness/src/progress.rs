//! Progress on standard error: a bar and finished sections on a terminal, a line now and then elsewhere.
use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;
use slipway_scenarios::Check;
use tokio::task::JoinHandle;

use crate::colour::Colour;
use crate::output::narrate;
use crate::runner::{Finished, Outcome};
use crate::selector::section;

/// How often a line is written where standard error is no terminal.
const PACE: Duration = Duration::from_secs(15);

/// A bar over a known number of steps.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Sections with unfinished checks.
    sections: Mutex<BTreeMap<&'static str, Tally>>,
    /// Writes the lines.
    lines: Option<JoinHandle<()>>,
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(lines) = &self.lines {
            lines.abort();
        }
    }
}

/// The results of a section's checks so far.
#[derive(Debug, Default)]
struct Tally {
    left: usize,
    passed: usize,
    failed: usize,
    other: usize,
}

impl Tally {
    fn add(&mut self, outcome: &Outcome) {
        self.left = self.left.saturating_sub(1);
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed(_) => self.failed += 1,
            Outcome::Inconclusive(_) | Outcome::Difference(_) | Outcome::Skipped(_) => self.other += 1,
        }
    }

    fn line(&self, title: &str, colour: Colour) -> String {
        let (mark, text) = if self.failed > 0 {
            (colour.bad("✕"), format!("{} failed, {} passed", self.failed, self.passed))
        } else {
            (colour.good("✓"), format!("{} passed", self.passed))
        };
        let other = if self.other > 0 { format!(", {} not judged", self.other) } else { String::new() };
        format!("{mark} {title:<34} {}", colour.faint(&format!("{text}{other}")))
    }
}

impl Progress {
    /// A bar for `steps` steps; hidden where standard error is no terminal.
    pub(crate) fn new(steps: usize) -> Self {
        let bar = ProgressBar::new(steps as u64);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}")
            .expect("the template is constant and valid");
        bar.set_style(style);
        // Time passes on the bar also while one check takes long.
        bar.enable_steady_tick(Duration::from_secs(1));
        Self { bar, sections: Mutex::default(), lines: None }
    }

    /// A bar for checks, which also prints each section when its last check has ended.
    pub(crate) fn of_checks(checks: &[&'static Check]) -> Self {
        let mut progress = Self::new(checks.len());
        let mut sections = BTreeMap::<_, Tally>::new();
        for check in checks {
            sections.entry(section(check)).or_default().left += 1;
        }
        progress.sections = Mutex::new(sections);
        if !checks.is_empty() && !std::io::stderr().is_terminal() {
            progress.lines = Some(tokio::spawn(lines(progress.bar.clone())));
        }
        progress
    }

    /// One check has ended.
    pub(crate) fn finished(&self, finished: &Finished) {
        self.bar.inc(1);
        let colour = Colour::of_stderr();
        match &finished.outcome {
            Outcome::Failed(failure) => {
                let word = colour.bad("FAILED");
                self.bar.println(format!("{word} {} ({})", finished.check.id, failure.clause));
            }
            Outcome::Inconclusive(_) => {
                self.bar.println(format!("{} {}", colour.doubtful("INCONCLUSIVE"), finished.check.id));
            }
            Outcome::Passed | Outcome::Difference(_) | Outcome::Skipped(_) => {
                self.bar.set_message(finished.check.id);
            }
        }
        let title = section(finished.check);
        let mut sections = self.sections.lock();
        if let Some(tally) = sections.get_mut(title) {
            tally.add(&finished.outcome);
            if tally.left == 0 {
                self.bar.println(tally.line(title, colour));
            }
        }
    }

    /// One step that is not a check has ended.
    pub(crate) fn step(&self, what: &'static str) {
        self.bar.inc(1);
        self.bar.set_message(what);
    }

    /// Removes the bar.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Writes how many steps are done, again and again.
async fn lines(bar: ProgressBar) {
    let (begun, all) = (Instant::now(), bar.length().unwrap_or_default());
    loop {
        tokio::time::sleep(PACE).await;
        narrate(&format!("{} of {all} checks after {} s", bar.position(), begun.elapsed().as_secs()));
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;
    use crate::colour::Colour;
    use crate::runner::Outcome;

    #[test]
    fn a_section_is_summed_up() {
        let mut tally = Tally { left: 2, ..Tally::default() };
        tally.add(&Outcome::Passed);
        tally.add(&Outcome::Skipped(String::new()));
        assert_eq!(tally.left, 0);
        let line = tally.line("Chat", Colour::never());
        assert!(line.starts_with("✓ Chat") && line.ends_with("1 passed, 1 not judged"), "{line}");
        let line = Tally { failed: 1, passed: 2, ..Tally::default() }.line("Chat", Colour::never());
        assert!(line.starts_with("✕ Chat") && line.ends_with("1 failed, 2 passed"), "{line}");
    }
}
