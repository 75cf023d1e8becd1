//! `slipway drill --wire`: changes one thing in one answer at a time. A mutant is caught by the judge of recorded answers, or when a
//! check that reads the answer fails with the mutant in force.
mod draw;
mod report;
mod survey;

pub(crate) use report::WireReport;

use slipway_defects::wire::Mutant;
use slipway_scenarios::client::message::Response;
use slipway_scenarios::recorded::Judge;
use slipway_scenarios::{Check, checks};

use crate::drill::{NotProven, Subject};
use crate::error::CommandError;
use crate::progress::Progress;
use crate::runner::{CHECKS_AT_ONCE, Outcome};
use crate::survey::Survey;
use draw::Drawn;
use survey::Answers;

/// The outcome of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Caught,
    /// No check failed, but one reached no verdict.
    Inconclusive,
    /// Every check passed.
    Survived,
    /// No check sent the request again, so that nothing was changed.
    NotApplied,
}

/// The outcome of each mutant, and the checks that are not green without any.
pub(crate) struct Tally {
    mutants: Vec<(Mutant, Verdict)>,
    not_green: Vec<NotProven>,
}

/// Draws this many mutants of the answers that the checks of a target receive, and tries them one by one.
pub(crate) async fn run(subject: &Subject<'_>, count: usize) -> Result<Tally, CommandError> {
    let survey = Survey::new(subject.target(), Answers::default());
    let recorder = |check: &'static Check| Some(survey.recorder(check.id));
    let all: Vec<&'static Check> = checks().collect();
    let baseline = subject.sound(&all, Some(&recorder)).await?;
    let answers = survey.kept.all();
    let drawn = draw::draw(&answers, subject.seed(), count);
    let progress = Progress::new(drawn.len());
    let usable = |id: &str| checks().find(|check| check.id == id && baseline.is_usable(check));
    let judge = match checks().find(|check| check.after_all && baseline.is_usable(check)) {
        Some(check) => Some(Judge::read(subject.world(), check).await),
        None => None,
    };
    let mut mutants = Vec::new();
    for Drawn { mutant, seen } in drawn {
        let is_found = judge.as_ref().is_some_and(|judge| finds(judge, &seen.response, &mutant));
        let readers: Vec<&'static Check> = seen.checks.iter().filter_map(|id| usable(id)).collect();
        let verdict = if is_found { Verdict::Caught } else { try_out(subject, &mutant, readers).await };
        progress.step(seen.service);
        mutants.push((mutant, verdict));
    }
    progress.clear();
    Ok(Tally { mutants, not_green: baseline.not_green })
}

/// Whether the judge of recorded answers catches a mutant.
fn finds(judge: &Judge<'_>, sound: &Response, mutant: &Mutant) -> bool {
    let mut changed = sound.clone();
    let mut body = sound.json().unwrap_or_default();
    let before = body.clone();
    let is_changed = mutant.apply(&mut changed.status, &mut body);
    if body != before {
        changed.body = body.to_string().into_bytes();
    }
    is_changed && judge.finds(sound, &changed)
}

/// Runs the checks that read an answer with a mutant of it in force, until one fails: first those that only read.
async fn try_out(subject: &Subject<'_>, mutant: &Mutant, mut readers: Vec<&'static Check>) -> Verdict {
    readers.sort_by_key(|check| check.lane);
    let mut verdict = Verdict::Survived;
    subject.wire().set(Some(mutant.clone()));
    for some in readers.chunks(CHECKS_AT_ONCE) {
        let finished = subject.run_in(subject.world(), some, None).await;
        if finished.iter().any(|item| matches!(item.outcome, Outcome::Failed(_))) {
            verdict = Verdict::Caught;
            break;
        }
        if finished.iter().any(|item| matches!(item.outcome, Outcome::Inconclusive(_))) {
            verdict = Verdict::Inconclusive;
        }
    }
    if !subject.wire().has_changed() && verdict != Verdict::Caught {
        verdict = Verdict::NotApplied;
    }
    subject.wire().set(None);
    verdict
}
