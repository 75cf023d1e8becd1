//! Formats an activity as one line of parts: a terminal colours them, a page marks them.
use alloy::primitives::Address;
use jiff::Timestamp;

use super::{Activity, Answered, Change, CheckpointChange, ClockMove, Mined};
use crate::address;

/// The emphasis of a part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// No emphasis.
    Plain,
    /// Bold.
    Strong,
    /// De-emphasized.
    Faint,
    /// Marked as a success.
    Good,
    /// Marked as a failure.
    Bad,
    /// Marked as a warning.
    Doubtful,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinePart {
    /// The part's emphasis.
    pub tone: Tone,
    /// Its text.
    pub text: String,
    /// The subject, if it has a page.
    pub about: Option<Subject>,
}

/// The subject of a part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A block.
    Block {
        /// Its chain.
        chain_id: u64,
        /// Its number.
        number: u64,
    },
    /// An account or contract.
    Account(Address),
    /// A launched token.
    Token {
        /// Its chain.
        chain_id: u64,
        /// Its address.
        token: Address,
    },
}

impl LinePart {
    const fn of(tone: Tone, text: String) -> Self {
        Self { tone, text, about: None }
    }

    fn about(tone: Tone, text: String, subject: impl Into<Option<Subject>>) -> Self {
        Self { tone, text, about: subject.into() }
    }
}

type Parts = Vec<LinePart>;

impl Activity {
    /// Formats an activity as the parts of a line, to be joined by spaces.
    #[must_use]
    pub fn line(&self) -> Vec<LinePart> {
        match self {
            Self::Request(answered) => request(answered),
            Self::Transaction(mined) => transaction(mined),
            Self::Clock(moved) => clock(moved),
            Self::Checkpoint(changed) => checkpoint(changed),
        }
    }
}

/// `POST /api/chat 429 chat-rate 3 ms`
fn request(answered: &Answered) -> Parts {
    let Answered { method, target, status, cause, microseconds, .. } = answered;
    let tone = if *status >= 400 { Tone::Bad } else { Tone::Good };
    let mut parts = vec![
        LinePart::of(Tone::Plain, format!("{} {}", plain(method), plain(target))),
        LinePart::of(tone, status.to_string()),
    ];
    parts.extend(cause.map(|cause| LinePart::of(Tone::Doubtful, cause.to_owned())));
    parts.push(LinePart::of(Tone::Faint, format!("{} ms", microseconds.div_ceil(1_000))));
    parts
}

/// `57073 #512 buy 0x9300…07B2 0.05 ETH → 12.4 M CETHI`, `57073 #513 createLaunch 0x9300…07B2 REVERTED RaiseOutOfRange()`
fn transaction(mined: &Mined) -> Parts {
    let Mined { chain_id, block, from, function, token, paid, got, error, .. } = mined;
    let (chain_id, number) = (*chain_id, *block);
    let mut parts = vec![
        LinePart::about(Tone::Faint, format!("{chain_id} #{block}"), Subject::Block { chain_id, number }),
        LinePart::of(Tone::Strong, plain(function)),
        LinePart::about(Tone::Faint, address::short(*from), Subject::Account(*from)),
    ];
    let [paid, got] = [paid, got].map(|amount| amount.as_deref().map(|amount| short(&plain(amount))));
    let moved = match (paid, got) {
        (Some(paid), Some(got)) => Some(format!("{paid} → {got}")),
        (Some(paid), None) => Some(paid),
        (None, Some(got)) => Some(format!("→ {got}")),
        (None, None) => None,
    };
    match error {
        Some(error) => parts.push(LinePart::of(Tone::Bad, format!("REVERTED {}", plain(error)))),
        None => {
            let token = token.map(|token| Subject::Token { chain_id, token });
            parts.extend(moved.map(|moved| LinePart::about(Tone::Plain, moved, token)));
        }
    }
    parts
}

/// `clock +1 h → 2026-03-04T13:00:00Z`, preceded by the chain if it was moved at a node
fn clock(moved: &ClockMove) -> Parts {
    let ClockMove { at, seconds, chain_id } = *moved;
    let now = i64::try_from(at).ok().and_then(|at| Timestamp::from_second(at).ok()).unwrap_or(Timestamp::MAX);
    let at_node = chain_id.map(|chain_id| LinePart::of(Tone::Faint, chain_id.to_string()));
    let moved = format!("+{} → {now}", span(seconds));
    let clock = [LinePart::of(Tone::Strong, "clock".to_owned()), LinePart::of(Tone::Plain, moved)];
    at_node.into_iter().chain(clock).collect()
}

/// `checkpoint 3 taken`, `checkpoint 4 (before) reverted to`
fn checkpoint(changed: &CheckpointChange) -> Parts {
    let CheckpointChange { id, name, change, .. } = changed;
    let name = name.as_ref().map(|name| format!(" ({})", plain(name))).unwrap_or_default();
    let done = match change {
        Change::Taken => "taken",
        Change::Reverted => "reverted to",
        Change::Discarded => "discarded",
    };
    let done = format!("{id}{name} {done}");
    vec![LinePart::of(Tone::Strong, "checkpoint".to_owned()), LinePart::of(Tone::Plain, done)]
}

/// Formats seconds in larger units: `1 d 2 h`, `90 s` as `1 min 30 s`.
fn span(seconds: u64) -> String {
    let units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let mut rest = seconds;
    let mut parts = Vec::new();
    for (size, unit) in units {
        if rest >= size {
            parts.push(format!("{} {unit}", rest / size));
            rest %= size;
        }
    }
    parts.join(" ")
}

/// Puts an external text on one line.
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

    use super::{Activity, Answered, Change, CheckpointChange, ClockMove, Mined, Subject, Tone, short};

    fn text(what: &Activity) -> String {
        what.line().into_iter().map(|part| part.text).collect::<Vec<_>>().join(" ")
    }

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
        assert_eq!(text(&request(429, Some("chat-rate"))), "POST /api/chat 429 chat-rate 3 ms");
        assert_eq!(text(&request(200, None)), "POST /api/chat 200 3 ms");
        let tones = |what: &Activity| what.line().iter().map(|part| part.tone).collect::<Vec<_>>();
        assert_eq!(tones(&request(400, Some("chat"))), [Tone::Plain, Tone::Bad, Tone::Doubtful, Tone::Faint]);
        assert_eq!(tones(&request(399, None)), [Tone::Plain, Tone::Good, Tone::Faint]);
        let mined = Mined {
            at: 7,
            chain_id: 57_073,
            block: 512,
            hash: B256::ZERO,
            from: address!("9300000000000000000000000000000000000002"),
            function: "buy".into(),
            token: Some(address!("00000000000000000000000000000000000000aa")),
            paid: Some("0.05 ETH".into()),
            got: Some("12400000 CE\u{1b}THI".into()),
            error: None,
        };
        let from = format!("{}…0002", &mined.from.to_checksum(None)[..6]);
        let line = |mined: Mined| text(&Activity::Transaction(Box::new(mined)));
        assert_eq!(line(mined.clone()), format!("57073 #512 buy {from} 0.05 ETH → 12.4 M CE\u{fffd}THI"));
        let about: Vec<_> = Activity::Transaction(Box::new(mined.clone()))
            .line()
            .into_iter()
            .map(|part| part.about)
            .collect();
        let (chain_id, token) = (mined.chain_id, mined.token.unwrap());
        let block = Subject::Block { chain_id, number: 512 };
        let moved = Subject::Token { chain_id, token };
        assert_eq!(about, [Some(block), None, Some(Subject::Account(mined.from)), Some(moved)]);
        let unpaid = Mined { paid: None, ..mined.clone() };
        assert_eq!(line(unpaid), format!("57073 #512 buy {from} → 12.4 M CE\u{fffd}THI"));
        let failed = Mined { error: Some("RaiseOutOfRange()".into()), ..mined };
        assert_eq!(line(failed), format!("57073 #512 buy {from} REVERTED RaiseOutOfRange()"));
    }

    #[test]
    fn moves_of_the_clock_and_checkpoints_are_lines() {
        let moved =
            |seconds, chain_id| text(&Activity::Clock(ClockMove { at: 1_772_629_200, seconds, chain_id }));
        assert_eq!(moved(3_600, None), "clock +1 h → 2026-03-04T13:00:00Z");
        assert_eq!(moved(93_690, Some(4_663)), "4663 clock +1 d 2 h 1 min 30 s → 2026-03-04T13:00:00Z");
        let changed = |name: Option<&str>, change| {
            let name = name.map(str::to_owned);
            text(&Activity::Checkpoint(CheckpointChange { at: 7, id: 3, name, change }))
        };
        assert_eq!(changed(None, Change::Taken), "checkpoint 3 taken");
        assert_eq!(changed(Some("be\nfore"), Change::Reverted), "checkpoint 3 (be\u{fffd}fore) reverted to");
        assert_eq!(changed(None, Change::Discarded), "checkpoint 3 discarded");
    }
}
