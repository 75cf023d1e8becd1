//! A badge: one line on how much holds.
use std::path::Path;

use serde_json::json;

use super::Report;

const LABEL: &str = "conformance";
/// Width of a letter and of the room beside a text, in tenths of a pixel.
const LETTER: usize = 68;
const ROOM: usize = 100;

/// SVG where the name of the file asks for it, else JSON of shields.io's endpoint.
pub(super) fn render(report: &Report, path: &Path) -> String {
    let counts = report.counts();
    let ran = counts.passed + counts.failed + counts.inconclusive + counts.known + counts.differences;
    let message = match (counts.failed, counts.inconclusive) {
        (0, 0) if ran == 0 => "nothing ran".to_owned(),
        (0, 0) => format!("{} of {ran} checks", counts.passed),
        (0, open) => format!("{open} of {ran} inconclusive"),
        (failed, _) => format!("{failed} of {ran} failed"),
    };
    let good = counts.failed == 0 && counts.inconclusive == 0 && ran > 0;
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg")) {
        return svg(
            &message,
            if good {
                "#2b7a3d"
            } else if counts.failed > 0 {
                "#b3261e"
            } else {
                "#8a6100"
            },
        );
    }
    let color = if good {
        "brightgreen"
    } else if counts.failed > 0 {
        "red"
    } else {
        "yellow"
    };
    format!("{}\n", json!({"schemaVersion": 1, "label": LABEL, "message": message, "color": color}))
}

fn svg(message: &str, color: &str) -> String {
    let width = |text: &str| (text.len() * LETTER + 2 * ROOM) / 10;
    let (left, right) = (width(LABEL), width(message));
    let whole = left + right;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole}\" height=\"20\" role=\"img\" aria-label=\"{LABEL}: {message}\">\
         <title>{LABEL}: {message}</title>\
         <rect width=\"{whole}\" height=\"20\" rx=\"3\" fill=\"#444\"/>\
         <path d=\"M{left} 0h{inner}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{inner}z\" fill=\"{color}\"/>\
         <g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\" text-anchor=\"middle\">\
         <text x=\"{left_middle}\" y=\"14\">{LABEL}</text><text x=\"{right_middle}\" y=\"14\">{message}</text></g></svg>\n",
        inner = right - 3,
        left_middle = left / 2,
        right_middle = left + right / 2,
    )
}
