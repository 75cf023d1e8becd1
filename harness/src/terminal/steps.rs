//! The steps of a first start on a terminal: the current step with its progress, and a tick with the time for each finished one.
use std::fmt::Debug;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use crate::terminal::colour::Colour;
use crate::terminal::output::narrate;

/// The target of the platform's events about its start; each names its step.
pub(crate) const TARGET: &str = "slipway_sim::progress";

/// Interval of the spinner of the current step.
const TURN: Duration = Duration::from_millis(120);

/// Shows the steps; a layer of the log.
#[derive(Debug, Default)]
pub(crate) struct Steps(Mutex<Shown>);

#[derive(Debug, Default)]
struct Shown {
    step: Option<Step>,
    /// Whether another bar uses the terminal.
    is_hushed: bool,
}

#[derive(Debug)]
struct Step {
    name: String,
    begun: Instant,
    bar: ProgressBar,
}

/// The content of an event.
#[derive(Debug, Default)]
struct Said {
    step: Option<String>,
    message: String,
    is_over: bool,
    hush: Option<bool>,
}

impl Visit for Said {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "step" {
            self.step = Some(value.to_owned());
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.is_over |= field.name() == "over" && value;
        if field.name() == "hush" {
            self.hush = Some(value);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }
}

/// Ends the start: no step is shown afterwards.
pub(crate) fn over() {
    tracing::info!(target: TARGET, over = true);
}

/// Hides the steps while another bar uses the terminal.
pub(crate) fn hush(hush: bool) {
    tracing::info!(target: TARGET, hush);
}

impl Steps {
    /// Shows an event, and returns the lines that stay.
    fn tell(&self, said: &Said, colour: Colour) -> Vec<String> {
        let mut shown = self.0.lock();
        let mut lines = Vec::new();
        shown.is_hushed = said.hush.unwrap_or(shown.is_hushed);
        if shown.is_hushed || said.hush.is_some() {
            return lines;
        }
        let goes_on = shown.step.as_ref().is_some_and(|step| said.step.as_ref() == Some(&step.name));
        if (said.is_over || said.step.is_some())
            && !goes_on
            && let Some(step) = shown.step.take()
        {
            step.bar.finish_and_clear();
            lines.push(step.done(colour));
        }
        match &said.step {
            Some(name) => {
                let step = shown.step.get_or_insert_with(|| Step::begin(name));
                step.bar.set_message(format!("{name}: {}", said.message));
            }
            None if said.is_over => {}
            None => lines.push(said.message.clone()),
        }
        lines
    }
}

impl Step {
    fn begin(name: &str) -> Self {
        let style = ProgressStyle::with_template("{spinner} {wide_msg}");
        let bar = ProgressBar::new_spinner().with_style(style.expect("the template is constant and valid"));
        bar.enable_steady_tick(TURN);
        Self { name: name.to_owned(), begun: Instant::now(), bar }
    }

    fn done(&self, colour: Colour) -> String {
        let took = self.begun.elapsed();
        let took = format!("({}.{} s)", took.as_secs(), took.subsec_millis() / 100);
        format!("{} {} {}", colour.good("✓"), self.name, colour.faint(&took))
    }
}

impl<S: Subscriber> Layer<S> for Steps {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut said = Said::default();
        event.record(&mut said);
        for line in self.tell(&said, Colour::of_stderr()) {
            narrate(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    fn said(step: Option<&str>, message: &str) -> Said {
        Said { step: step.map(str::to_owned), message: message.to_owned(), ..Said::default() }
    }

    #[test]
    fn a_step_that_is_done_has_a_tick_and_its_time() {
        let steps = Steps::default();
        let tell = |said: Said| steps.tell(&said, Colour::never());
        assert!(tell(said(Some("chain tools"), "installing")).is_empty());
        assert!(tell(said(Some("chain tools"), "verifying")).is_empty());
        let done = tell(said(Some("market"), "chain 57073: 25 %"));
        assert!(
            done.len() == 1 && done[0].starts_with("✓ chain tools (") && done[0].ends_with(" s)"),
            "{done:?}"
        );
        assert_eq!(tell(said(None, "a remark")), ["a remark"]);
        let over = || Said { is_over: true, ..Said::default() };
        assert!(tell(over())[0].starts_with("✓ market ("));
        assert!(tell(over()).is_empty());
        let hush = |hush| Said { hush: Some(hush), ..Said::default() };
        for (said, lines) in [
            (hush(true), 0),
            (said(Some("market"), "made again"), 0),
            (said(None, "a remark"), 0),
            (over(), 0),
            (hush(false), 0),
            (said(None, "a remark"), 1),
        ] {
            assert_eq!(tell(said).len(), lines);
        }
    }

    /// The platform's events are understood as they are sent.
    #[test]
    fn events_name_their_step() {
        let subscriber = tracing_subscriber::registry().with(Steps::default());
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!(target: TARGET, step = "market", "chain {}: {} %", 57073, 25);
            tracing::dispatcher::get_default(|dispatch| {
                let steps = dispatch.downcast_ref::<Steps>().unwrap();
                let shown = steps.0.lock();
                let step = shown.step.as_ref().unwrap();
                assert_eq!(
                    (step.name.as_str(), step.bar.message().as_str()),
                    ("market", "market: chain 57073: 25 %")
                );
            });
            over();
            tracing::dispatcher::get_default(|dispatch| {
                assert!(dispatch.downcast_ref::<Steps>().unwrap().0.lock().step.is_none());
            });
        });
    }
}
