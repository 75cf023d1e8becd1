//! Escapes a target's texts for reports: every character is visible, and none has an effect on the reader's terminal, page or CI system.
use std::fmt::Write as _;

use unicode_general_category::{GeneralCategory, get_general_category};

/// Whether a character has an invisible effect: controls, and format characters such as direction marks, zero-width spaces and tags.
fn is_hidden(letter: char) -> bool {
    use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator};
    matches!(get_general_category(letter), Control | Format | LineSeparator | ParagraphSeparator)
}

/// The text with its hidden characters escaped, as in `\u{202e}`; line breaks and tabs stay.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_hidden(letter) && !matches!(letter, '\n' | '\t') {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// The text with its hidden characters escaped, except for colour sequences.
pub(crate) fn visible_coloured(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut shown = visible(parts.next().unwrap_or_default());
    for part in parts {
        let is_colour = part.strip_prefix('[').is_some_and(|rest| {
            let codes = rest.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';');
            codes.starts_with('m')
        });
        shown.push_str(if is_colour { "\u{1b}" } else { "\\u{1b}" });
        shown.push_str(&visible(part));
    }
    shown
}

/// The text on one line: it cannot start a line, move the cursor, or start a CI command.
pub(crate) fn one_line(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t").replace("##[", "#\\#[")
}

/// JSON with its hidden characters replaced by equivalent escapes.
pub(crate) fn visible_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for letter in json.chars() {
        if is_hidden(letter) && letter != '\n' {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// Escapes a text for an element or an attribute of HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in visible(text).chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Controls, direction marks, zero-width characters, line separators, and tags.
    const HIDDEN: &str = "\u{1b}\u{7f}\u{9b}\u{ad}\u{200b}\u{200d}\u{200e}\u{202e}\u{2066}\u{2028}\u{2029}\u{2060}\u{feff}\u{e0041}";

    #[test]
    fn no_letter_of_a_text_is_hidden() {
        let text = format!("ü💡日本\n\ta{HIDDEN}b");
        for shown in [visible(&text), one_line(&text), escaped(&text), visible_json(&text)] {
            assert!(!shown.contains(|letter| HIDDEN.contains(letter)), "{shown:?}");
            assert!(shown.starts_with("ü💡日本") && shown.ends_with('b'), "{shown:?}");
        }
        assert!(visible(&text).contains("\n\ta\\u{1b}") && visible(&text).contains("\\u{202e}\\u{2066}"));
        assert!(!one_line(&text).contains(['\n', '\t']));
        let coloured = "\u{1b}[31mred\u{1b}[0m\u{1b}[2J\u{1b}]0;title\u{7}\u{1b}";
        assert_eq!(
            visible_coloured(coloured),
            "\u{1b}[31mred\u{1b}[0m\\u{1b}[2J\\u{1b}]0;title\\u{7}\\u{1b}"
        );
    }

    #[test]
    fn json_with_escapes_means_the_same() {
        let value = serde_json::json!({ HIDDEN: format!("{HIDDEN}\n\t\"") });
        for json in [value.to_string(), format!("{value:#}\n")] {
            let shown = visible_json(&json);
            assert!(!shown.contains(|letter| HIDDEN.contains(letter)), "{shown:?}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
        }
    }
}
