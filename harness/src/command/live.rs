//! Activity of a platform while `slipway up` runs, one line each: text for people, JSON for programs.
use std::io::Write as _;
use std::thread;

use slipway_sim::{Activity, LinePart, Tone};
use tokio::sync::mpsc::Receiver;

use crate::arguments::LogArgument;
use crate::report::escape::{visible, visible_json};
use crate::terminal::colour::Colour;

/// Prints activity until the platform ends, on a separate thread: a terminal that blocks must not stop the platform.
pub(super) fn print(mut happens: Receiver<Activity>, log: LogArgument) {
    let colour = Colour::of_stdout();
    thread::spawn(move || {
        let mut group = "";
        while let Some(what) = happens.blocking_recv() {
            let line = match log {
                LogArgument::Text if is_of_a_page(&what) => continue,
                LogArgument::Json => {
                    visible_json(&serde_json::to_string(&what).expect("texts and numbers are JSON"))
                }
                LogArgument::Text => {
                    // Groups related lines: an empty line separates activity of chains from that of services.
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

/// Whether it is a request for a page's asset or event stream, which would hide the rest.
fn is_of_a_page(what: &Activity) -> bool {
    let Activity::Request(answered) = what else { return false };
    ["/assets/", "/live"].iter().any(|part| answered.target.starts_with(part))
}

fn text(what: &Activity, colour: Colour) -> String {
    let painted = |LinePart { tone, text, .. }: LinePart| {
        // It may be of a contract, or of a request.
        let text = visible(&text);
        match tone {
            Tone::Plain => text,
            Tone::Strong => colour.strong(&text),
            Tone::Faint => colour.faint(&text),
            Tone::Good => colour.good(&text),
            Tone::Bad => colour.bad(&text),
            Tone::Doubtful => colour.doubtful(&text),
        }
    };
    what.line().into_iter().map(painted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use slipway_sim::{Change, CheckpointChange};

    use super::{Activity, Colour, text};

    #[test]
    fn a_line_hides_no_letters_of_a_caller() {
        let name = Some("a\u{202e}\u{1b}[2Jb".to_owned());
        let what = Activity::Checkpoint(CheckpointChange { at: 0, id: 1, name, change: Change::Taken });
        let line = text(&what, Colour::never());
        assert!(line.contains(r"a\u{202e}"), "{line}");
        assert!(!line.contains(['\u{202e}', '\u{1b}']), "{line}");
    }
}
