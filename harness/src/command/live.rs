//! What happens on a platform, a line each, while `slipway up` runs: for people, and as JSON for programs.
use std::io::Write as _;
use std::thread;

use slipway_sim::{Activity, Answered, Mined};
use tokio::sync::mpsc::Receiver;

use crate::arguments::LogArgument;
use crate::colour::Colour;

/// Prints what happens until the platform ends. A thread does: a terminal that stands still must not stop the platform.
pub(super) fn print(mut happens: Receiver<Activity>, log: LogArgument) {
    let colour = Colour::of_stdout();
    thread::spawn(move || {
        let mut group = "";
        while let Some(what) = happens.blocking_recv() {
            // The pages' own parts and streams would hide the rest.
            let is_own = |answered: &Answered| {
                ["/assets/", "/live"].iter().any(|own| answered.target.starts_with(own))
            };
            let line = match log {
                LogArgument::Text if matches!(&what, Activity::Request(answered) if is_own(answered)) => {
                    continue;
                }
                LogArgument::Json => serde_json::to_string(&what).expect("texts and numbers are JSON"),
                LogArgument::Text => {
                    // What belongs together stands together: an empty line where chains and services alternate.
                    let now = if matches!(what, Activity::Request(_)) { "services" } else { "chains" };
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

fn text(what: &Activity, colour: Colour) -> String {
    match what {
        Activity::Request(answered) => request(answered, colour),
        Activity::Transaction(mined) => transaction(mined, colour),
    }
}

/// `POST /api/chat 429 chat-rate 3 ms`
fn request(answered: &Answered, colour: Colour) -> String {
    let Answered { method, target, status, cause, microseconds, .. } = answered;
    let status = match status {
        400.. => colour.bad(&status.to_string()),
        _ => colour.good(&status.to_string()),
    };
    let cause = cause.map(|cause| format!(" {}", colour.doubtful(cause))).unwrap_or_default();
    let took = colour.faint(&format!("{} ms", microseconds.div_ceil(1_000)));
    format!("{method} {} {status}{cause} {took}", plain(target))
}

/// `57073 #512 buy 0x9300…07B2 0.05 ETH → 12.4 M CETHI`, `57073 #513 createLaunch 0x9300…07B2 REVERTED RaiseOutOfRange()`
fn transaction(mined: &Mined, colour: Colour) -> String {
    let Mined { chain_id, block, from, function, paid, got, error, .. } = mined;
    let from = from.to_checksum(None);
    let head = format!(
        "{} {} {}",
        colour.faint(&format!("{chain_id} #{block}")),
        colour.strong(function),
        colour.faint(&format!("{}…{}", &from[..6], &from[38..]))
    );
    if let Some(error) = error {
        return format!("{head} {}", colour.bad(&format!("REVERTED {}", plain(error))));
    }
    let [paid, got] = [paid, got].map(|amount| amount.as_deref().map(|amount| short(&plain(amount))));
    match (paid, got) {
        (Some(paid), Some(got)) => format!("{head} {paid} → {got}"),
        (Some(paid), None) => format!("{head} {paid}"),
        (None, Some(got)) => format!("{head} → {got}"),
        (None, None) => head,
    }
}

/// A text from outside in one line.
fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

/// An amount with three significant digits, rounded down: `12.4 M CETHI`.
fn short(amount: &str) -> String {
    const STEPS: [&str; 5] = ["", " k", " M", " B", " T"];
    let (number, symbol) = amount.split_once(' ').unwrap_or((amount, ""));
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let step = (whole.len() - 1) / 3;
    let written = match STEPS.get(step) {
        Some(_) if whole == "0" => {
            let zeros = part.len() - part.trim_start_matches('0').len();
            format!("0.{}", &part[..part.len().min(zeros + 3)])
        }
        Some(unit) => {
            let digits: String =
                whole.chars().chain(part.chars()).take(3.max(whole.len() - 3 * step)).collect();
            let (front, back) = digits.split_at(digits.len().min(whole.len() - 3 * step));
            let back = back.trim_end_matches('0');
            format!("{front}{}{back}{unit}", if back.is_empty() { "" } else { "." })
        }
        None => whole.to_owned(),
    };
    format!("{} {symbol}", written.trim_end_matches('.')).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{B256, address};

    use super::{Activity, Answered, Colour, Mined, short, text};

    #[test]
    fn amounts_have_three_significant_digits() {
        for (amount, written) in [
            ("0.05 ETH", "0.05 ETH"),
            ("0.0012345 ETH", "0.00123 ETH"),
            ("0 ETH", "0 ETH"),
            ("1 ETH", "1 ETH"),
            ("9.999 ETH", "9.99 ETH"),
            ("999.9 X", "999 X"),
            ("1000 X", "1 k X"),
            ("12400000.123 CETHI", "12.4 M CETHI"),
            ("1000000000 T", "1 B T"),
            ("123456789012345678 T", "123456789012345678 T"),
        ] {
            assert_eq!(short(amount), written, "{amount}");
        }
    }

    #[test]
    fn lines_name_what_happened() {
        let request = |status, cause| {
            Activity::Request(Answered {
                at: 7,
                service: "rest",
                method: "POST".into(),
                target: "/api/chat".into(),
                status,
                cause,
                microseconds: 2_001,
            })
        };
        assert_eq!(
            text(&request(429, Some("chat-rate")), Colour::never()),
            "POST /api/chat 429 chat-rate 3 ms"
        );
        assert_eq!(text(&request(200, None), Colour::never()), "POST /api/chat 200 3 ms");
        let mined = Mined {
            chain_id: 57_073,
            block: 512,
            hash: B256::ZERO,
            from: address!("9300000000000000000000000000000000000002"),
            function: "buy".into(),
            paid: Some("0.05 ETH".into()),
            got: Some("12400000 CE\u{1b}THI".into()),
            error: None,
        };
        let from = format!("{}…0002", &mined.from.to_checksum(None)[..6]);
        let line = |mined: &Mined| text(&Activity::Transaction(Box::new(mined.clone())), Colour::never());
        assert_eq!(line(&mined), format!("57073 #512 buy {from} 0.05 ETH → 12.4 M CE\u{fffd}THI"));
        let failed = Mined { error: Some("RaiseOutOfRange()".into()), ..mined };
        assert_eq!(line(&failed), format!("57073 #512 buy {from} REVERTED RaiseOutOfRange()"));
    }
}
