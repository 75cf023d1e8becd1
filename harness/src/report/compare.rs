//! The differences between two runs, by the verdicts of their checks.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::count::counted;
use super::events::Word;
use super::{Report, ReportError, read};
use crate::exit::Exit;
use crate::terminal::colour::Colour;
use crate::terminal::printable::Printable;
use crate::terminal::table::columns;

/// The outcome of each check of a run: from its events or its JSON report.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcomes {
    pub(crate) seed: Option<u64>,
    words: BTreeMap<String, Word>,
}

#[derive(Deserialize)]
struct JudgedCheck {
    id: String,
    verdict: Word,
}

impl Outcomes {
    pub(crate) fn read(path: &Path) -> Result<Self, ReportError> {
        Self::parse(&read(path)?)
            .map_err(|reason| ReportError::Malformed { path: path.display().to_string(), reason })
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let first: Option<Value> = text.lines().next().and_then(|line| serde_json::from_str(line).ok());
        if first.is_some_and(|first| first.get("event").is_some()) {
            return Ok(Self::of(&Report::parse(text)?));
        }
        let mut report: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let rows = report.get_mut("checks").map(Value::take).ok_or("it has no `checks`")?;
        let rows: Vec<JudgedCheck> = serde_json::from_value(rows).map_err(|error| error.to_string())?;
        let words = rows.into_iter().map(|row| (row.id, row.verdict)).collect();
        Ok(Self { seed: report["summary"]["seed"].as_u64(), words })
    }

    fn of(report: &Report) -> Self {
        let words = report.verdicts.iter().map(|verdict| (verdict.check.clone(), verdict.verdict)).collect();
        Self { seed: Some(report.run.seed), words }
    }

    pub(crate) fn ids(&self, words: &[Word]) -> impl Iterator<Item = &String> {
        self.words.iter().filter(move |(_, word)| words.contains(word)).map(|(id, _)| id)
    }

    pub(crate) fn word(&self, id: &str) -> Option<Word> {
        self.words.get(id).copied()
    }
}

/// The differences between two runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// Checks that passed, and now fail or reach no verdict; also new checks that fail.
    pub(crate) regressions: Vec<Change>,
    /// Checks that failed or reached no verdict, and now pass.
    pub(crate) fixed: Vec<Change>,
    /// Other differences: skipped, forgiven, new, gone.
    pub(crate) other: Vec<Change>,
}

/// A check and its outcome in each run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Change {
    pub(crate) check: String,
    pub(crate) before: Option<Word>,
    pub(crate) after: Option<Word>,
}

fn is_bad(word: Option<Word>) -> bool {
    matches!(word, Some(Word::Failed | Word::Inconclusive))
}

impl Comparison {
    pub(crate) fn of(before: &Outcomes, after: &Outcomes) -> Self {
        let mut comparison = Self::default();
        let mut ids: Vec<&String> = before.words.keys().chain(after.words.keys()).collect();
        ids.sort();
        ids.dedup();
        for id in ids {
            let change = Change { check: id.clone(), before: before.word(id), after: after.word(id) };
            if change.before == change.after {
                continue;
            }
            // A change from no verdict to a failure is worse too.
            let worse =
                is_bad(change.after) && (!is_bad(change.before) || change.after == Some(Word::Failed));
            let better = is_bad(change.before) && matches!(change.after, Some(Word::Passed));
            if worse {
                &mut comparison.regressions
            } else if better {
                &mut comparison.fixed
            } else {
                &mut comparison.other
            }
            .push(change);
        }
        comparison
    }
}

impl Printable for Comparison {
    fn text(&self, colour: Colour) -> String {
        let groups = [("FIXED", &self.fixed), ("CHANGED", &self.other), ("REGRESSION", &self.regressions)];
        let rows = groups.into_iter().flat_map(|(title, changes)| {
            changes.iter().map(move |change| {
                let (before, after) = (word(change.before), word(change.after));
                [title.to_owned(), change.check.clone(), format!("{before} -> {after}")]
            })
        });
        let mut text = columns(rows, colour.width());
        let (worse, better, other) = (self.regressions.len(), self.fixed.len(), self.other.len());
        let (worse, other) = (counted(worse, "regression"), counted(other, "other change"));
        let _ = writeln!(text, "{worse}, {better} fixed, {other}");
        text
    }

    fn json(&self) -> Value {
        let Self { regressions, fixed, other } = self;
        json!({"version": 1, "regressions": regressions, "fixed": fixed, "other": other})
    }

    fn exit(&self) -> Exit {
        if self.regressions.is_empty() { Exit::Conformant } else { Exit::Failure }
    }
}

fn word(word: Option<Word>) -> &'static str {
    word.map_or("not run", Word::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(rows: &[(&str, Word)]) -> Outcomes {
        Outcomes { seed: None, words: rows.iter().map(|(id, word)| ((*id).to_owned(), *word)).collect() }
    }

    #[test]
    fn changes_are_told_apart() {
        let before = outcomes(&[
            ("a", Word::Passed),
            ("b", Word::Failed),
            ("c", Word::Passed),
            ("d", Word::Inconclusive),
            ("e", Word::Failed),
        ]);
        let after = outcomes(&[
            ("a", Word::Failed),
            ("b", Word::Passed),
            ("c", Word::Skipped),
            ("d", Word::Failed),
            ("e", Word::Failed),
            ("f", Word::Failed),
        ]);
        let found = Comparison::of(&before, &after);
        let ids = |changes: &[Change]| changes.iter().map(|change| change.check.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&found.regressions), ["a", "d", "f"]);
        assert_eq!(ids(&found.fixed), ["b"]);
        assert_eq!(ids(&found.other), ["c"]);
        assert!(found.text(Colour::never()).ends_with("3 regressions, 1 fixed, 1 other change\n"));
        assert_eq!(Comparison::of(&before, &before), Comparison::default());
    }

    #[test]
    fn what_is_no_report_is_refused() {
        for text in [
            "",
            "[]",
            "{}",
            "{\"checks\": 1}",
            "{\"checks\": [{\"id\": \"a\", \"verdict\": \"great\"}]}",
            "{\"event\":\"end\"}",
        ] {
            assert!(Outcomes::parse(text).is_err(), "{text:?}");
        }
    }
}
