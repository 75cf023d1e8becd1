//! The report of a measurement: a table, a chart, and both as data.
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::measure::{Measurement, Side, WrongAnswer};
use crate::exit::Exit;
use crate::report::escape::escaped;
use crate::terminal::colour::Colour;
use crate::terminal::printable::Printable;

const BAR: usize = 40;

impl Printable for Measurement {
    /// The table, with a bar for each side; a bar is one longer for each doubling of the rate.
    fn text(&self, _: Colour) -> String {
        let Self { cases, sides, .. } = self;
        let sides = match sides {
            Err(wrong) => return void(wrong),
            Ok(sides) => sides,
        };
        let kind = cases.kind.name();
        let rounds = sides.first().map_or(0, |side| side.rates.len());
        let mut text = format!(
            "{} cases of kind {kind}, every answer of every side exact; medians of {rounds} interleaved rounds\n\n\
             | side | quotes a second | relative to native | p50 | p90 | p99 | memory |\n|---|---|---|---|---|---|---|\n",
            cases.len()
        );
        let native = sides.first().map_or(1, Side::rate).max(1);
        for side in sides {
            let latency = |percent| side.latency(percent).map_or("-".to_owned(), duration);
            let memory = side.memory.map_or("-".to_owned(), |bytes| format!("{} MiB", bytes / (1 << 20)));
            let _ = writeln!(
                text,
                "| {} | {} | 1 / {} | {} | {} | {} | {memory} |",
                side.name.replace('|', "\\|"),
                grouped(side.rate()),
                hundredths(native * 100 / side.rate().max(1)),
                latency(50),
                latency(90),
                latency(99),
            );
        }
        text.push('\n');
        for side in sides {
            let _ = writeln!(text, "{:<BAR$} {}", "#".repeat(length(side.rate())), side.name);
        }
        if sides.iter().any(|side| side.latencies.is_empty()) {
            text.push_str(
                "\nA side without latency answers only at the end of its input; its rate includes its start.\n",
            );
        }
        text
    }

    fn json(&self) -> Value {
        let Self { cases, seed, sides } = self;
        let mut report = json!({ "kind": cases.kind.name(), "count": cases.len(), "seed": seed });
        match sides {
            Err(wrong) => report["void"] = json!(wrong),
            Ok(sides) => {
                let nanoseconds = |amount: Option<u128>| amount.and_then(|amount| u64::try_from(amount).ok());
                let side = |side: &Side| {
                    json!({
                        "name": side.name,
                        "quotesPerSecond": nanoseconds(Some(side.rate())),
                        "latencyNanoseconds": {
                            "p50": nanoseconds(side.latency(50)),
                            "p90": nanoseconds(side.latency(90)),
                            "p99": nanoseconds(side.latency(99)),
                        },
                        "memoryBytes": side.memory,
                    })
                };
                report["sides"] = sides.iter().map(side).collect();
            }
        }
        report
    }

    fn exit(&self) -> Exit {
        if self.sides.is_ok() { Exit::Conformant } else { Exit::Failure }
    }
}

impl Measurement {
    /// The chart.
    pub(crate) fn svg(&self) -> String {
        const ROW: usize = 44;
        const UNIT: usize = 12;
        let Self { cases, sides, .. } = self;
        let sides = sides.as_ref().map_or(&[][..], Vec::as_slice);
        let height = 50 + ROW * sides.len().max(1);
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" height=\"{height}\" font-family=\"sans-serif\" \
             font-size=\"14\">\n<rect width=\"720\" height=\"{height}\" fill=\"white\"/>\n\
             <text x=\"16\" y=\"26\" font-weight=\"bold\">Quotes a second, {} cases of kind {}, logarithmic</text>\n",
            cases.len(),
            cases.kind.name()
        );
        if sides.is_empty() {
            text.push_str("<text x=\"16\" y=\"60\" fill=\"#b00020\">void: an answer is wrong</text>\n");
        }
        for (at, side) in sides.iter().enumerate() {
            let (top, width) = (40 + ROW * at, UNIT * length(side.rate()));
            let color = if side.name.starts_with("native") { "#3b7a57" } else { "#c77b30" };
            let _ = writeln!(
                text,
                "<text x=\"16\" y=\"{}\">{}: {}</text>\n<rect x=\"16\" y=\"{}\" width=\"{width}\" height=\"14\" fill=\"{color}\"/>",
                top + 14,
                escaped(&side.name),
                grouped(side.rate()),
                top + 20
            );
        }
        text.push_str("</svg>\n");
        text
    }
}

fn void(wrong: &WrongAnswer) -> String {
    format!(
        "void: answer {} is wrong, so nothing was measured\n  case:     {}\n  expected: {} {}\n  actual:   {}\n",
        wrong.number, wrong.case, wrong.member, wrong.expected, wrong.actual
    )
}

/// Length of a bar, which grows by one for each doubling of the rate.
fn length(rate: u128) -> usize {
    let bits = u128::BITS - rate.leading_zeros();
    usize::try_from(bits).unwrap_or(BAR).min(BAR)
}

fn hundredths(value: u128) -> String {
    format!("{}.{:02}", grouped(value / 100), value % 100)
}

/// A number with its thousands apart: `20,705,321`.
fn grouped(value: u128) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn duration(nanoseconds: u128) -> String {
    match nanoseconds {
        0..10_000 => format!("{nanoseconds} ns"),
        10_000..10_000_000 => format!("{} µs", nanoseconds / 1_000),
        _ => format!("{} ms", nanoseconds / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::{grouped, hundredths};

    #[test]
    fn thousands_of_rates_are_apart() {
        let apart = [0, 999, 1_000, 48_094, 20_705_321].map(grouped);
        assert_eq!(apart, ["0", "999", "1,000", "48,094", "20,705,321"]);
        assert_eq!([100, 43_051, 123_456].map(hundredths), ["1.00", "430.51", "1,234.56"]);
    }
}
