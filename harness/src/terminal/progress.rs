//! Progress on standard error: a bar on a terminal, a line now and then elsewhere.
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;
use tokio::task::JoinHandle;

use crate::run::runner::{Finished, Outcome};
use crate::terminal::colour::Colour;
use crate::terminal::output::narrate;
use crate::terminal::steps;

/// How often a line is written if standard error is not a terminal.
const PACE: Duration = Duration::from_secs(15);

/// A bar over a known number of steps.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// What is running, in the order of its start.
    running: Arc<Mutex<Vec<&'static str>>>,
    /// The task that writes the lines.
    lines: Option<JoinHandle<()>>,
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(lines) = &self.lines {
            lines.abort();
        }
        self.clear();
    }
}

impl Progress {
    /// A bar for this many steps; hidden if standard error is not a terminal.
    pub(crate) fn new(all: usize, what: &'static str) -> Self {
        steps::hush(true);
        let bar = ProgressBar::new(all as u64);
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}")
            .expect("the template is constant and valid");
        bar.set_style(style);
        // The time on the bar advances even while one check takes long.
        bar.enable_steady_tick(Duration::from_secs(1));
        let has_lines = all > 0 && !std::io::stderr().is_terminal();
        let running = Arc::<Mutex<Vec<&'static str>>>::default();
        let lines = has_lines.then(|| tokio::spawn(lines(bar.clone(), what, Arc::clone(&running))));
        Self { bar, running, lines }
    }

    /// One check has begun.
    pub(crate) fn begun(&self, what: &'static str) {
        self.running.lock().push(what);
    }

    /// One check has ended.
    pub(crate) fn finished(&self, finished: &Finished) {
        self.bar.inc(1);
        self.running.lock().retain(|running| *running != finished.check.id);
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
    }

    /// One step that is not a check has ended.
    pub(crate) fn step(&self, what: &'static str) {
        self.bar.inc(1);
        self.bar.set_message(what);
    }

    /// Removes the bar.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
        steps::hush(false);
    }
}

/// The first few that are running; empty if it is not known.
fn told(running: &[&str]) -> String {
    const MOST: usize = 3;
    let first = &running[..running.len().min(MOST)];
    match running.len() - first.len() {
        _ if first.is_empty() => String::new(),
        0 => format!("; running: {}", first.join(", ")),
        more => format!("; running: {} and {more} more", first.join(", ")),
    }
}

/// Writes the number of finished steps at intervals, and what is running.
async fn lines(bar: ProgressBar, what: &'static str, running: Arc<Mutex<Vec<&'static str>>>) {
    let (begun, all) = (Instant::now(), bar.length().unwrap_or_default());
    loop {
        tokio::time::sleep(PACE).await;
        let running = told(&running.lock());
        narrate(&format!(
            "{} of {all} {what} after {} s{running}",
            bar.position(),
            begun.elapsed().as_secs()
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::told;

    #[test]
    fn the_first_three_that_run_are_named() {
        assert_eq!(told(&[]), "");
        assert_eq!(told(&["a", "b", "c"]), "; running: a, b, c");
        assert_eq!(told(&["a", "b", "c", "d", "e"]), "; running: a, b, c and 2 more");
    }
}
