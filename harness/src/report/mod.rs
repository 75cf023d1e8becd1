//! The results of a run, read from its events, and their formats: text, HTML, JSON, JUnit, CTRF, job summary, badge.
pub(crate) mod annotations;
mod badge;
mod compare;
pub(crate) mod count;
mod ctrf;
mod difference;
pub(crate) mod escape;
pub(crate) mod events;
mod html;
pub(crate) mod json;
mod junit;
mod missing;
pub(crate) mod recording;
pub(crate) mod run;
mod scope;
mod summary;
pub(crate) mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(crate) use compare::{Comparison, Outcomes};
use schemars::JsonSchema;
use scope::Scope;
use serde::Serialize;
use serde_json::Value;

use crate::error::Fatal;
use crate::exit::Exit;
use crate::terminal::colour::Colour;
use crate::terminal::printable::Printable;
use crate::terminal::secrets::hidden;
use events::{CheckInfo, ClauseInfo, End, Event, Exchange, Run, Section, VERSION, Verdict, Word};

/// Maximum exchanges that a report shows for a failed check: the one that shows the failure and those before it.
const SHOWN_EXCHANGES: usize = 5;

/// A report cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportError {
    #[error("the file {path} cannot be written: {source}")]
    Unwritable { path: String, source: std::io::Error },
    #[error(
        "the report {path} cannot be read: {source}; `slipway check --events FILE` and `--json` write one"
    )]
    Unreadable { path: String, source: std::io::Error },
    #[error("{path} is neither a stream of events nor a JSON report of this command: {reason}")]
    Malformed { path: String, reason: String },
    #[error(
        "{path} is a JSON report; reports are made from events, which `slipway check --events FILE` writes"
    )]
    NoEvents { path: String },
    #[error("the JUnit report cannot be formed: {reason}")]
    Junit { reason: String },
}

impl Fatal for ReportError {
    fn exit(&self) -> Exit {
        match self {
            Self::Unreadable { .. } | Self::Malformed { .. } | Self::NoEvents { .. } => Exit::Usage,
            Self::Unwritable { source, .. } => Exit::of_unwritable(source),
            Self::Junit { .. } => Exit::Inconclusive,
        }
    }
}

/// A run, read from its events.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) run: Run,
    /// The verdicts, in the order of the interface.
    pub(crate) verdicts: Vec<Verdict>,
    /// The last exchanges of each check that did not pass, up to the one that shows the reason.
    exchanges: BTreeMap<String, Vec<Exchange>>,
    pub(crate) end: End,
    /// Whether the text shows differences in full, like failures.
    all_differences: bool,
}

/// The number of checks by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
    pub(crate) inconclusive: usize,
    pub(crate) differences: usize,
    pub(crate) known: usize,
}

impl Report {
    /// Reads a stream of events.
    pub(crate) fn of_events(events: Vec<Event>) -> Result<Self, String> {
        let mut events = events.into_iter();
        let Some(Event::Run(run)) = events.next() else {
            return Err("the first event is not `run`".to_owned());
        };
        if run.version != VERSION {
            return Err(format!("its version is {}, and this command reads version {VERSION}", run.version));
        }
        let (mut verdicts, mut exchanges, mut end) =
            (Vec::new(), BTreeMap::<String, Vec<Exchange>>::new(), None);
        for event in events {
            match event {
                Event::Exchange(exchange) => {
                    exchanges.entry(exchange.check.clone()).or_default().push(*exchange);
                }
                Event::Verdict(verdict) => {
                    keep_evidence(&mut exchanges, &verdict);
                    verdicts.push(*verdict);
                }
                Event::End(last) => end = Some(last),
                Event::Run(_) => return Err("it holds two runs".to_owned()),
            }
        }
        let order: BTreeMap<&str, usize> = checks_of(&run.sections)
            .enumerate()
            .map(|(place, (_, check))| (check.id.as_str(), place))
            .collect();
        verdicts.sort_by_key(|verdict| order.get(verdict.check.as_str()).copied());
        let end = end.ok_or("its last event is not `end`: the run was cut off")?;
        Ok(Self { run: *run, verdicts, exchanges, end, all_differences: false })
    }

    /// The same report, with differences shown in full if `wanted`.
    pub(crate) fn with_all_differences(self, wanted: bool) -> Self {
        Self { all_differences: wanted, ..self }
    }

    /// Reads the file of a stream.
    pub(crate) fn read(path: &Path) -> Result<Self, ReportError> {
        let text = read(path)?;
        Self::parse(&text).map_err(|reason| {
            let path = path.display().to_string();
            let is_report =
                serde_json::from_str::<Value>(&text).is_ok_and(|report| report.get("checks").is_some());
            if is_report { ReportError::NoEvents { path } } else { ReportError::Malformed { path, reason } }
        })
    }

    fn parse(text: &str) -> Result<Self, String> {
        Self::of_events(events_of(text)?)
    }

    pub(crate) fn counts(&self) -> Counts {
        Counts::of(self.verdicts.iter())
    }

    /// How much of the interface the run judged.
    pub(crate) fn scope(&self) -> Scope {
        Scope::of(self)
    }

    fn verdict(&self, check: &str) -> Option<&Verdict> {
        self.verdicts.iter().find(|verdict| verdict.check == check)
    }

    /// The verdicts of the checks of a clause.
    fn of_clause<'a>(&'a self, clause: &'a ClauseInfo) -> impl Iterator<Item = &'a Verdict> {
        clause.checks.iter().filter_map(|check| self.verdict(&check.id))
    }

    /// The clause and the description of a check.
    fn check(&self, id: &str) -> Option<(&ClauseInfo, &CheckInfo)> {
        checks_of(&self.run.sections).find(|(_, check)| check.id == id)
    }

    /// The last exchanges of a check that did not pass.
    fn exchanges(&self, id: &str) -> &[Exchange] {
        self.exchanges.get(id).map_or(&[], Vec::as_slice)
    }

    /// The exchange that shows a failure.
    fn evidence(&self, verdict: &Verdict) -> Option<&Exchange> {
        let number = verdict.failure.as_ref()?.exchange?;
        self.exchanges(&verdict.check).iter().find(|exchange| exchange.number == number)
    }
}

/// The worst of several verdicts; `None` if there are none.
pub(crate) fn worst<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> Option<Word> {
    verdicts.map(|verdict| verdict.verdict).min()
}

fn events_of(text: &str) -> Result<Vec<Event>, String> {
    let event = |(line, text): (usize, &str)| {
        serde_json::from_str(text).map_err(|error| format!("line {}: {error}", line + 1))
    };
    text.lines().enumerate().map(event).collect()
}

fn checks_of(sections: &[Section]) -> impl Iterator<Item = (&ClauseInfo, &CheckInfo)> {
    let clauses = sections.iter().flat_map(|section| &section.clauses);
    clauses.flat_map(|clause| clause.checks.iter().map(move |check| (clause, check)))
}

fn keep_evidence(exchanges: &mut BTreeMap<String, Vec<Exchange>>, verdict: &Verdict) {
    if matches!(verdict.verdict, Word::Passed | Word::Skipped) {
        exchanges.remove(&verdict.check);
    } else if let Some(made) = exchanges.get_mut(&verdict.check) {
        if let Some(number) = verdict.failure.as_ref().and_then(|failure| failure.exchange) {
            made.retain(|exchange| exchange.number <= number);
        }
        made.drain(..made.len().saturating_sub(SHOWN_EXCHANGES));
    }
}

impl Printable for Report {
    fn text(&self, colour: Colour) -> String {
        text::render(self, colour)
    }

    fn json(&self) -> Value {
        json::render(self)
    }

    /// The exit code: a failure outweighs doubt, doubt outweighs a stale baseline, and a run without checks is a failure. A required
    /// part that was not judged in full counts as doubt.
    fn exit(&self) -> Exit {
        let counts = self.counts();
        if counts.failed > 0 {
            Exit::Failure
        } else if self.is_in_doubt() || !self.scope().missing.is_empty() {
            Exit::Inconclusive
        } else if !self.end.stale.is_empty() {
            Exit::StaleBaseline
        } else if counts.passed + counts.differences + counts.known == 0 {
            Exit::Failure
        } else {
            Exit::Conformant
        }
    }
}

impl Report {
    /// Whether a check that binds the target reached no verdict; choices bind only in a strict run.
    fn is_in_doubt(&self) -> bool {
        let clauses = self.run.sections.iter().flat_map(|section| &section.clauses);
        let binding = clauses.filter(|clause| self.run.strict || clause.binding != "choice");
        binding.flat_map(|clause| self.of_clause(clause)).any(|verdict| verdict.verdict == Word::Inconclusive)
    }
}

impl Counts {
    fn of<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> Self {
        let mut counts = Self::default();
        for verdict in verdicts {
            *match verdict.verdict {
                Word::Passed => &mut counts.passed,
                Word::Failed => &mut counts.failed,
                Word::Difference => &mut counts.differences,
                Word::Known => &mut counts.known,
                Word::Skipped => &mut counts.skipped,
                Word::Inconclusive => &mut counts.inconclusive,
            } += 1;
        }
        counts
    }
}

/// The files that a report is written to.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Reports")]
pub(crate) struct ReportFiles {
    /// Write an HTML report to this file: one page that needs no network.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write a JUnit report to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write a report in the Common Test Report Format (ctrf.io) to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) ctrf: Option<PathBuf>,
    /// Write a summary in Markdown to this file, such as $GITHUB_STEP_SUMMARY.
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
    /// Write a badge to this file: SVG where its name ends in .svg, else JSON for shields.io.
    #[arg(long, value_name = "FILE")]
    pub(crate) badge: Option<PathBuf>,
    /// Show every difference from slipway's choices as a failure is shown, not in one line.
    #[arg(long)]
    pub(crate) differences: bool,
}

impl ReportFiles {
    /// Writes each requested report.
    pub(crate) fn write(&self, report: &Report) -> Result<(), ReportError> {
        let write = |path: &Option<PathBuf>, text: &dyn Fn(&Path) -> Result<String, ReportError>| {
            let Some(path) = path else { return Ok(()) };
            slipway_contracts::write(path, hidden(&text(path)?).as_bytes())
                .map_err(|source| ReportError::Unwritable { path: path.display().to_string(), source })
        };
        write(&self.html, &|_| Ok(html::render(report)))?;
        write(&self.junit, &|_| junit::render(report))?;
        write(&self.ctrf, &|_| Ok(ctrf::render(report)))?;
        write(&self.summary, &|_| Ok(summary::render(report)))?;
        write(&self.badge, &|path| Ok(badge::render(report, path)))
    }
}

pub(crate) fn read(path: &Path) -> Result<String, ReportError> {
    slipway_contracts::read_text(path, slipway_contracts::GENERATED)
        .map_err(|source| ReportError::Unreadable { path: path.display().to_string(), source })
}

/// Microseconds as seconds, to a tenth, for people.
fn seconds(micros: u64) -> String {
    format!("{}.{} s", micros / 1_000_000, micros / 100_000 % 10)
}

/// Microseconds as milliseconds.
fn millis(micros: u64) -> u64 {
    micros / 1000
}

#[cfg(test)]
mod tests;
