//! A badge: one line with the verdict and how much was judged.
use std::path::Path;

use serde_json::json;

use super::Report;
use super::scope::Headline;

const LABEL: &str = "conformance";
/// Width of a letter and of the space around a text, in tenths of a pixel.
const LETTER: usize = 68;
const ROOM: usize = 100;

/// SVG if the file's name ends in `.svg`, otherwise JSON for shields.io's endpoint.
pub(super) fn render(report: &Report, path: &Path) -> String {
    let (counts, scope) = (report.counts(), report.scope());
    let extent = report.extent(&scope);
    let headline = report.headline();
    let (message, color, hex) = match headline {
        Headline::NotConformant => (format!("{} failed", counts.failed), "red", "#b3261e"),
        Headline::Conformant if counts.known > 0 => (extent, "yellowgreen", "#5a6b00"),
        Headline::Conformant => (extent, "brightgreen", "#2b7a3d"),
        Headline::InPart if scope.complete.is_empty() => {
            (format!("no part in full: {extent}"), "lightgrey", "#5f5f5f")
        }
        Headline::InPart => (format!("{}: {extent}", scope.complete.join(", ")), "yellowgreen", "#5a6b00"),
        Headline::NothingJudged | Headline::NoVerdict | Headline::StaleBaseline => {
            (format!("{}: {extent}", headline.title().to_lowercase()), "yellow", "#8a6100")
        }
    };
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg")) {
        return svg(&message, hex);
    }
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::events::Word;
    use super::super::tests::judged;
    use super::render;

    /// A run whose only failures are known passes, and is not what it would be without them.
    #[test]
    fn a_badge_names_known_failures_and_is_not_bright_green() {
        for (word, message, colour) in [
            (Word::Passed, "2 of the 308 statements that can be tested", "brightgreen"),
            (
                Word::Known,
                "2 of the 308 statements that can be tested, but for 1 known failure",
                "yellowgreen",
            ),
        ] {
            let mut report = judged([Word::Passed, word], &[]);
            report.run.parts.remove("swap");
            let badge: serde_json::Value =
                serde_json::from_str(&render(&report, Path::new("badge.json"))).unwrap();
            assert_eq!((badge["message"].as_str(), badge["color"].as_str()), (Some(message), Some(colour)));
        }
    }
}
