//! Known failures: a TOML file that gives each a reason and an end date, or an earlier report.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use jiff::civil::Date;
use serde::Deserialize;
use toml::value::Datetime;

use crate::error::Fatal;
use crate::exit::Exit;
use crate::report::Outcomes;
use crate::report::events::{Known, Word};

/// The known failures of a target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Baseline {
    /// Entries by the id of the check.
    entries: BTreeMap<String, Known>,
    /// Entries whose end date has passed.
    expired: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum BaselineError {
    #[error("the baseline {path} cannot be read: {source}; `slipway report baseline` writes one")]
    Unreadable { path: String, source: std::io::Error },
    #[error("the baseline {path} cannot be written: {source}")]
    Unwritable { path: String, source: std::io::Error },
    #[error(
        "the baseline {path} is no TOML file of [[known]] entries with check, reason, since and until, and no report: {reason}"
    )]
    Malformed { path: String, reason: String },
    #[error("{check} fails and is not in the baseline yet: give --reason and --until for new entries")]
    NoReason { check: String },
    #[error("--until takes a date such as 2026-12-31, not {value:?}")]
    Date { value: String },
}

impl Fatal for BaselineError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    known: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    check: String,
    reason: String,
    since: Option<Datetime>,
    until: Datetime,
}

impl Baseline {
    /// Reads a file; entries that ended before `today` forgive nothing.
    pub(crate) fn read(path: &Path, today: Date) -> Result<Self, BaselineError> {
        let shown = path.display().to_string();
        let malformed = |reason: String| BaselineError::Malformed { path: shown.clone(), reason };
        let text = slipway_contracts::read_text(path, slipway_contracts::GENERATED)
            .map_err(|source| BaselineError::Unreadable { path: shown.clone(), source })?;
        if text.trim_start().starts_with('{') {
            let outcomes = Outcomes::parse(&text).map_err(malformed)?;
            return Ok(Self::of_report(&outcomes));
        }
        let file: File = toml::from_str(&text).map_err(|error| malformed(error.to_string()))?;
        let mut baseline = Self::default();
        for entry in file.known {
            let until = date(&entry.until)
                .ok_or_else(|| malformed(format!("until of {} is no date", entry.check)))?;
            let known = Known {
                reason: entry.reason,
                since: entry.since.map(|since| since.to_string()),
                until: Some(until.to_string()),
            };
            if until < today {
                baseline.expired.push(format!("{}: forgiven until {until} ({})", entry.check, known.reason));
            }
            if baseline.entries.insert(entry.check.clone(), known).is_some() {
                return Err(malformed(format!("{} is named twice", entry.check)));
            }
        }
        Ok(baseline)
    }

    /// The failures of an earlier report, without end dates.
    fn of_report(outcomes: &Outcomes) -> Self {
        let known = |id: &String| {
            (
                id.clone(),
                Known { reason: "it failed in an earlier report".to_owned(), since: None, until: None },
            )
        };
        let entries = outcomes.ids(&[Word::Failed, Word::Known]).map(known).collect();
        Self { entries, expired: Vec::new() }
    }

    /// The entry that forgives a check.
    pub(crate) fn entry(&self, check: &str) -> Option<&Known> {
        self.entries.get(check).filter(|_| !self.has_expired(check))
    }

    fn has_expired(&self, check: &str) -> bool {
        self.expired.iter().any(|line| line.split(':').next() == Some(check))
    }

    pub(crate) fn expired(&self) -> &[String] {
        &self.expired
    }

    /// The entries that no longer hold, each with the reason.
    pub(crate) fn stale(&self, verdicts: &BTreeMap<&str, Word>) -> Vec<String> {
        let line = |id: &String| match verdicts.get(id.as_str()) {
            None => Some(format!("{id}: no such check ran")),
            Some(Word::Passed | Word::Difference) => Some(format!("{id}: it passes now")),
            Some(_) => None,
        };
        self.entries.keys().filter_map(line).collect()
    }

    /// Removes what now passes and adds what fails, with this reason and end date; known failures keep theirs.
    pub(crate) fn update(
        &mut self,
        outcomes: &Outcomes,
        today: Date,
        reason: Option<&str>,
        until: Option<Date>,
    ) -> Result<(), BaselineError> {
        self.entries
            .retain(|id, _| !matches!(outcomes.word(id), Some(Word::Passed | Word::Difference) | None));
        for id in outcomes.ids(&[Word::Failed, Word::Known]) {
            let renewed =
                self.entries.get(id).is_none_or(|known| known.until.is_none()) || self.has_expired(id);
            if !renewed {
                continue;
            }
            let (Some(reason), Some(until)) = (reason, until) else {
                return Err(BaselineError::NoReason { check: id.clone() });
            };
            let since = self.entries.get(id).and_then(|known| known.since.clone());
            let known = Known {
                reason: reason.to_owned(),
                since: Some(since.unwrap_or_else(|| today.to_string())),
                until: Some(until.to_string()),
            };
            self.entries.insert(id.clone(), known);
        }
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn render(&self) -> String {
        let mut text =
            String::from("# Known failures: `slipway check --baseline` forgives each until its end date.\n");
        for (check, known) in &self.entries {
            // A JSON string is also a TOML string.
            let quoted = |text: &str| serde_json::Value::from(text).to_string();
            let _ =
                write!(text, "\n[[known]]\ncheck = {}\nreason = {}\n", quoted(check), quoted(&known.reason));
            for (name, date) in [("since", &known.since), ("until", &known.until)] {
                if let Some(date) = date {
                    let _ = writeln!(text, "{name} = {date}");
                }
            }
        }
        text
    }
}

/// The current day of this machine, in UTC.
pub(crate) fn today() -> Date {
    jiff::tz::TimeZone::UTC.to_datetime(jiff::Timestamp::now()).date()
}

pub(crate) fn parse_date(value: &str) -> Result<Date, BaselineError> {
    value.parse().map_err(|_| BaselineError::Date { value: value.to_owned() })
}

fn date(value: &Datetime) -> Option<Date> {
    value.date?.to_string().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(rows: &[(&str, &str)]) -> Outcomes {
        let rows: Vec<_> =
            rows.iter().map(|(id, word)| serde_json::json!({"id": id, "verdict": word})).collect();
        Outcomes::parse(&serde_json::json!({"version": 1, "checks": rows}).to_string()).unwrap()
    }

    fn read(text: &str, today: &str) -> Result<Baseline, BaselineError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Baseline::read(file.path(), today.parse().unwrap())
    }

    #[test]
    fn entries_forgive_until_their_end_date() {
        let text =
            "[[known]]\ncheck = \"a\"\nreason = \"ticket 7\"\nsince = 2026-01-02\nuntil = 2026-03-01\n";
        let holding = read(text, "2026-03-01").unwrap();
        assert_eq!(holding.entry("a").unwrap().reason, "ticket 7");
        assert!(holding.expired().is_empty());
        let ended = read(text, "2026-03-02").unwrap();
        assert_eq!(ended.entry("a"), None);
        assert_eq!(ended.expired().len(), 1);
        assert_eq!(ended.stale(&BTreeMap::from([("a", Word::Failed)])), Vec::<String>::new());
        assert_eq!(ended.stale(&BTreeMap::from([("a", Word::Passed)])), ["a: it passes now"]);
        assert_eq!(ended.stale(&BTreeMap::new()), ["a: no such check ran"]);
    }

    #[test]
    fn an_update_keeps_what_still_fails_and_asks_reasons_for_what_is_new() {
        let today = "2026-05-01".parse().unwrap();
        let text = "[[known]]\ncheck = \"a\"\nreason = \"old \\\"one\\\"\"\nsince = 2026-01-02\nuntil = 2026-09-01\n\
                    [[known]]\ncheck = \"gone\"\nreason = \"r\"\nuntil = 2026-09-01\n";
        let mut baseline = read(text, "2026-05-01").unwrap();
        let now = outcomes(&[("a", "failed"), ("b", "failed"), ("gone", "passed")]);
        assert!(
            matches!(baseline.update(&now, today, None, None), Err(BaselineError::NoReason { check }) if check == "b")
        );
        baseline.update(&now, today, Some("new"), Some("2026-06-01".parse().unwrap())).unwrap();
        let written = read(&baseline.render(), "2026-05-01").unwrap();
        assert_eq!(written.len(), 2);
        assert_eq!(written.entry("a").unwrap().reason, "old \"one\"");
        assert_eq!(written.entry("b").unwrap().since.as_deref(), Some("2026-05-01"));
        assert_eq!(written.entry("b").unwrap().until.as_deref(), Some("2026-06-01"));
    }

    #[test]
    fn malformed_baselines_are_refused() {
        for text in [
            "known = 1",
            "[[known]]\ncheck = \"a\"\nreason = \"r\"\n",
            "[[known]]\ncheck = \"a\"\nreason = \"r\"\nuntil = 07:32:00\n",
            "[[known]]\ncheck = \"a\"\nreason = \"r\"\nuntil = 2026-01-01\nnever = 1\n",
            "[[known]]\ncheck = \"a\"\nreason = \"r\"\nuntil = 2026-01-01\n[[known]]\ncheck = \"a\"\nreason = \"r\"\nuntil = 2026-01-01\n",
            "{\"neither\": 1}",
        ] {
            assert!(matches!(read(text, "2026-01-01"), Err(BaselineError::Malformed { .. })), "{text}");
        }
    }
}
