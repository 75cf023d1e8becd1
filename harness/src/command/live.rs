//! What happens on a platform, a line each, while `slipway up` runs: for people, and as JSON for programs.
use std::io::Write as _;
use std::thread;

use slipway_sim::{Activity, LinePart, Tone};
use tokio::sync::mpsc::Receiver;

use crate::arguments::LogArgument;
use crate::terminal::colour::Colour;

/// Prints what happens until the platform ends. A thread does: a terminal that stands still must not stop the platform.
pub(super) fn print(mut happens: Receiver<Activity>, log: LogArgument) {
    let colour = Colour::of_stdout();
    thread::spawn(move || {
        let mut group = "";
        while let Some(what) = happens.blocking_recv() {
            let line = match log {
                LogArgument::Text if is_of_a_page(&what) => continue,
                LogArgument::Json => serde_json::to_string(&what).expect("texts and numbers are JSON"),
                LogArgument::Text => {
                    // What belongs together stands together: an empty line where chains and services alternate.
                    let now = if matches!(what, Activity::Transaction(_)) { "chains" } else { "services" };
                    let apart = if colour.is_on() && group != now { "\n" } else { "" };
                    group = now;
                    format!("{apart}{}", text(&what, colour))
                }
            };
            if writeln!(anstream::stdout(), "{line}").is_err() {
                return;
            }
        }
    });
}

/// Whether it is a request for a part of a page or for its stream, which would hide the rest.
fn is_of_a_page(what: &Activity) -> bool {
    let Activity::Request(answered) = what else { return false };
    ["/assets/", "/live"].iter().any(|part| answered.target.starts_with(part))
}

fn text(what: &Activity, colour: Colour) -> String {
    let painted = |LinePart { tone, text, .. }: LinePart| match tone {
        Tone::Plain => text,
        Tone::Strong => colour.strong(&text),
        Tone::Faint => colour.faint(&text),
        Tone::Good => colour.good(&text),
        Tone::Bad => colour.bad(&text),
        Tone::Doubtful => colour.doubtful(&text),
    };
    what.line().into_iter().map(painted).collect::<Vec<_>>().join(" ")
}
