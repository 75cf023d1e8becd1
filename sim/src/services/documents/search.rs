//! Searches the sections of all documents for words.
use super::Found;
use super::markdown::Slugs;

/// Longest line of a result, in characters.
const LONGEST: usize = 200;

/// The sections that contain all the words, ignoring letter case; those with a word in their heading first.
pub(super) fn search<'a>(
    pages: impl Iterator<Item = (&'static str, &'a str)>,
    words: &str,
    most: usize,
) -> Vec<Found> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let Some(first) = words.first() else { return Vec::new() };
    let mut found: Vec<(bool, Found)> = Vec::new();
    for (page, text) in pages {
        for (heading, anchor, lines) in sections(text) {
            let whole = format!("{heading}\n{}", lines.join("\n")).to_lowercase();
            if words.iter().all(|word| whole.contains(word)) {
                let line = lines.iter().find(|line| line.to_lowercase().contains(first));
                let line: String = line.copied().unwrap_or_default().trim().chars().take(LONGEST).collect();
                let is_title = words.iter().any(|word| heading.to_lowercase().contains(word));
                found.push((!is_title, Found { page, anchor, heading: heading.to_owned(), line }));
            }
        }
    }
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, found)| found).take(most).collect()
}

/// Heading, fragment and lines of each section.
fn sections(text: &str) -> Vec<(&str, String, Vec<&str>)> {
    let (mut sections, mut slugs, mut is_code) = (Vec::new(), Slugs::default(), false);
    for line in text.lines() {
        is_code ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#');
        match sections.last_mut() {
            _ if !is_code && heading.starts_with(' ') && heading.len() < line.len() => {
                let heading = heading.trim();
                sections.push((heading, slugs.next(&heading.replace('`', "")), Vec::new()));
            }
            Some((_, _, lines)) => lines.push(line),
            None => {}
        }
    }
    sections
}
