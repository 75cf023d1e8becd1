//! The style sheet, the scripts and the icon of the pages.
use std::sync::LazyLock;

use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;

use crate::api::refusal::Refusal;
use crate::services::http::{PathParameter, Served};

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// Our own files, embedded in the program.
const OWN: [(&str, &str, &str); 11] = [
    ("style.css", STYLE, include_str!("assets/style.css")),
    ("live.js", SCRIPT, include_str!("assets/live.js")),
    ("number.js", SCRIPT, include_str!("assets/number.js")),
    ("chart.js", SCRIPT, include_str!("assets/chart.js")),
    ("node.js", SCRIPT, include_str!("assets/node.js")),
    ("send.js", SCRIPT, include_str!("assets/send.js")),
    ("trade.js", SCRIPT, include_str!("assets/trade.js")),
    ("chat.js", SCRIPT, include_str!("assets/chat.js")),
    ("wallet.js", SCRIPT, include_str!("assets/wallet.js")),
    ("console.js", SCRIPT, include_str!("assets/console.js")),
    (ICON, "image/svg+xml", include_str!("assets/icon.svg")),
];

/// Our own files as they are served.
static SERVED: LazyLock<[(&str, &str, String); 11]> =
    LazyLock::new(|| OWN.map(|(name, kind, text)| (name, kind, lean(text))));

const ICON: &str = "icon.svg";

/// The icon at the path where browsers look for it.
pub(in crate::services) async fn icon() -> Served {
    get(PathParameter(ICON.to_owned())).await
}

/// One of our own files.
pub(in crate::services) async fn get(PathParameter(name): PathParameter) -> Served {
    let found = SERVED.iter().find(|(known, ..)| *known == name);
    let (_, kind, text) = found.ok_or_else(|| Refusal::not_found("path", "no such path"))?;
    Ok(([(CONTENT_TYPE, *kind)], text.as_str()).into_response())
}

/// A file without the parts that only its authors read: indentation, empty lines, and comments on lines of their own.
fn lean(text: &str) -> String {
    let is_read = |line: &&str| {
        let is_comment = line.starts_with("//") || (line.starts_with("/*") && line.ends_with("*/"));
        !line.is_empty() && !is_comment
    };
    let mut lines = text.lines().map(str::trim).filter(is_read).collect::<Vec<_>>().join("\n");
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::{OWN, lean};

    #[test]
    fn files_lose_comments_and_indentation_only() {
        let text = "/* A part. */\na { b: c; /* d */ }\n\n@media x {\n  e { f: g; }\n}\n";
        assert_eq!(lean(text), "a { b: c; /* d */ }\n@media x {\ne { f: g; }\n}\n");
        assert_eq!(lean("  // Why.\n  const a = \"//b\"; // c\n"), "const a = \"//b\"; // c\n");
        for (name, _, text) in OWN {
            // A text or comment that spans lines would be changed.
            for line in text.lines() {
                assert!(line.matches('`').count() % 2 == 0, "{name}: {line}");
                assert_eq!(line.matches("/*").count(), line.matches("*/").count(), "{name}: {line}");
            }
        }
    }
}
