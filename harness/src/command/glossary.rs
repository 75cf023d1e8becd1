//! `slipway explain` of a word of the glossary.
use std::fmt::Write as _;

use serde_json::{Value, json};

const GLOSSARY: &str = include_str!("../../glossary.md");

/// A row of the glossary.
pub(super) struct Word {
    words: &'static str,
    meaning: String,
    /// The pages that it links to.
    pages: Vec<String>,
}

/// The word of this name, in any case; `ether (ETH), gwei` has three names.
pub(super) fn known(name: &str) -> Option<Word> {
    rows().find(|(words, _)| names_of(words).any(|one| one.eq_ignore_ascii_case(name))).map(word)
}

/// The names of all words.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    rows().flat_map(|(words, _)| names_of(words))
}

/// Words and meaning of each row, in Markdown.
fn rows() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows =
        GLOSSARY.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    let named = rows.map(|(words, meaning)| (words.rsplit('>').next().unwrap_or(words), meaning));
    named.filter(|(words, _)| *words != "word")
}

fn names_of(words: &'static str) -> impl Iterator<Item = &'static str> {
    words.split([',', '(', ')']).map(str::trim).filter(|name| !name.is_empty())
}

fn word((words, markdown): (&'static str, &'static str)) -> Word {
    let (mut meaning, mut pages) = (String::new(), Vec::new());
    for (place, part) in markdown.split("](").enumerate() {
        let rest = match (place, part.split_once(')')) {
            (1.., Some((page, rest))) => {
                pages.push(
                    page.strip_prefix("../").map_or_else(|| format!("reference/{page}"), str::to_owned),
                );
                rest
            }
            _ => part,
        };
        meaning.push_str(rest);
    }
    // The link in brackets at the end names a page.
    if let Some((before, _)) = meaning.rsplit_once(" ([").filter(|_| meaning.ends_with(')')) {
        meaning.truncate(before.len());
    }
    Word { words, meaning: meaning.replace(['[', '*', '`'], ""), pages }
}

impl Word {
    pub(super) fn text(&self) -> String {
        let mut text = format!("word {}\n  {}\n", self.words, self.meaning);
        for page in &self.pages {
            let _ = writeln!(text, "  page: docs/{page}");
        }
        text
    }

    pub(super) fn json(&self) -> Value {
        json!({"kind": "word", "words": names_of(self.words).collect::<Vec<_>>(), "meaning": self.meaning, "pages": self.pages})
    }
}

#[cfg(test)]
mod tests {
    use super::{known, names, rows, word};

    #[test]
    fn a_word_is_known_by_each_of_its_names() {
        let lane = "word lane\n  what a check may do to its target: read, write, or alone with it\n  page: docs/how-to/checking.md#what-runs\n";
        assert_eq!(known("lane").unwrap().text(), lane);
        assert_eq!(known("Lane").unwrap().text(), lane);
        for name in ["ether", "ETH", "gwei", "wei", "launch hook", "basis point"] {
            assert!(known(name).is_some(), "{name}");
        }
        for name in ["", "word", "ether (ETH)"] {
            assert!(known(name).is_none(), "{name}");
        }
    }

    #[test]
    fn no_markup_is_left() {
        assert!(names().count() > 60);
        for row in rows() {
            let text = word(row).text();
            assert!(!text.contains(['[', ']', '<', '`', '*']), "{text}");
        }
    }
}
