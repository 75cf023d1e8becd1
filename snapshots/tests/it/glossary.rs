//! Words of the glossary that have an anchor are linked to it where a page of the guides first uses them.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::tree::{root, tracked_files};

/// A word with its anchor, and the pages that explain it.
struct Word {
    anchor: String,
    words: Vec<String>,
    explained: Vec<PathBuf>,
}

/// The words with an anchor: `| <a id="lane"></a>lane | … ([checking](../how-to/checking.md#what-runs)) |`.
fn words(glossary: &str, folder: &Path) -> Vec<Word> {
    let row = |line: &str| {
        let (anchor, rest) = line.strip_prefix("| <a id=\"")?.split_once("\"></a>")?;
        let (words, meaning) = rest.split_once(" |")?;
        let links = meaning.split("](").skip(1).filter_map(|link| link.split([')', '#']).next());
        let explained = links.filter_map(|link| folder.join(link).canonicalize().ok());
        Some(Word {
            anchor: anchor.to_owned(),
            words: words.split(", ").map(str::to_lowercase).collect(),
            explained: explained.collect(),
        })
    };
    glossary.lines().filter_map(row).collect()
}

#[test]
fn words_of_the_glossary_are_linked_at_their_first_use() {
    let docs = root().join("docs").canonicalize().unwrap();
    let reference = docs.join("reference");
    let words = words(&std::fs::read_to_string(reference.join("glossary.md")).unwrap(), &reference);
    assert!(words.len() >= 20, "few words of the glossary have an anchor");
    let guides = ["tutorials", "how-to", "explanation", "clients.md"].map(|part| docs.join(part));
    let is_guide = |path: &PathBuf| {
        let is_page = path.extension().is_some_and(|end| end == "md");
        // That page explains the words of launches.
        is_page
            && !path.ends_with("explanation/launches.md")
            && guides.iter().any(|guide| path.starts_with(guide))
    };
    let mut found = Vec::new();
    for page in tracked_files().into_iter().filter_map(|path| path.canonicalize().ok()).filter(is_guide) {
        let text = std::fs::read_to_string(&page).unwrap();
        let due: Vec<&Word> = words.iter().filter(|word| !word.explained.contains(&page)).collect();
        found.extend(unlinked(&text, &due).into_iter().map(|word| format!("{}: {word}", page.display())));
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// The control: a word in prose before its link is found; code, headings, other words and later uses are not.
#[test]
fn unlinked_words_are_found() {
    let words = words("| <a id=\"lane\"></a>lane, Ready line | a ([b](b.md)) |\n", Path::new("."));
    let due: Vec<&Word> = words.iter().collect();
    let none = BTreeSet::new();
    for linked in [
        "# Lanes\n`lane` and\n\n```\nlane\n```\n\n[another lane](other.md) of the plane, [lane](a/glossary.md#lane) and lane",
        "no word",
    ] {
        assert_eq!(unlinked(linked, &due), none, "{linked}");
    }
    for bare in ["the lane [lane](glossary.md#lane)", "A READY\nline.", "| a |\n|---|\n| lanes |\n"] {
        assert_eq!(unlinked(bare, &due), BTreeSet::from(["lane"]), "{bare}");
    }
}

/// The anchors of the words that the text uses in prose before it links them.
fn unlinked<'w>(text: &str, due: &[&'w Word]) -> BTreeSet<&'w str> {
    let (mut prose, mut hidden) = (String::new(), 0_usize);
    let (mut linked, mut found) = (BTreeSet::new(), BTreeSet::new());
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Text(part) if hidden == 0 => prose.push_str(&part),
            Event::SoftBreak if hidden == 0 => prose.push(' '),
            event => {
                for word in due.iter().filter(|word| !linked.contains(word.anchor.as_str())) {
                    if uses(&prose.to_lowercase(), word) {
                        found.insert(word.anchor.as_str());
                    }
                }
                prose.clear();
                match event {
                    Event::Start(Tag::Link { dest_url, .. }) => {
                        hidden += 1;
                        let anchor = dest_url.split_once("glossary.md#").map(|(_, anchor)| anchor);
                        let word = due.iter().find(|word| Some(word.anchor.as_str()) == anchor);
                        linked.extend(word.map(|word| word.anchor.as_str()));
                    }
                    Event::Start(Tag::Heading { .. } | Tag::CodeBlock(_)) => hidden += 1,
                    Event::End(TagEnd::Link | TagEnd::Heading(_) | TagEnd::CodeBlock) => hidden -= 1,
                    _ => {}
                }
            }
        }
    }
    found
}

/// Whether a text contains one of the words, whole or as a plural.
fn uses(text: &str, word: &Word) -> bool {
    word.words.iter().any(|word| {
        text.match_indices(word.as_str()).any(|(at, _)| {
            let is_part = |letter: Option<char>| {
                letter.is_some_and(|it| it.is_alphanumeric() || it == '-' || it == '_')
            };
            let rest = &text[at + word.len()..];
            let rest = rest.strip_prefix('s').unwrap_or(rest);
            !is_part(text[..at].chars().next_back()) && !is_part(rest.chars().next())
        })
    })
}
