//! `slipway drill`: changes are put in front of a platform one after the other. A defect must fail the checks of the clauses that it
//! names; a legal variant must fail none.
mod change;
mod exchanges;
mod lasting;
mod proof;
mod report;
mod result;
mod subject;
mod verify;

use std::collections::BTreeMap;
use std::pin::Pin;

use futures::future::try_join_all;
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use slipway_defects::variants::{Variant, delays};
use slipway_scenarios::{Check, Lane, checks};

pub(crate) use change::{BREACH, Change, NO_DEFECT};
pub(crate) use proof::{Kill, Proof, embedded};
pub(crate) use report::DrillReport;
pub(crate) use subject::{Subject, proxies_for_target, start_proxies};
pub(crate) use verify::Verified;

use crate::error::CommandError;
use crate::run::runner::{Finished, MakeRecorder, Outcome};
use crate::terminal::output;
use crate::terminal::progress::Progress;
use change::breaking;
use exchanges::Exchanges;
use result::{Baseline, ChangeResult, Reason};

/// Maximum checks to try a variant that can also be combined with others, or that only delays answers.
const MOST_CHECKS: usize = 40;

/// The changes to drill, and how.
pub(crate) struct Plan {
    pub(crate) changes: Vec<Change>,
    /// Whether each defect is tried with every check, not only those of its clauses.
    pub(crate) every_check: bool,
    /// Whether all defects are drilled, so that unproven checks can be listed.
    pub(crate) whole: bool,
}

/// The results of a drill.
pub(crate) struct Drill {
    pub(crate) results: Vec<ChangeResult>,
    /// Checks that were not green with nothing changed; they prove nothing.
    pub(crate) not_green: Vec<Reason>,
    /// Checks that prove nothing here.
    pub(crate) unusable: Vec<Reason>,
    /// The number of changes to try, if the drill was interrupted before it had tried all.
    pub(crate) stopped_of: Option<usize>,
}

/// A change with the checks that try it.
struct Job {
    change: Change,
    /// How many checks it concerns.
    concerned: usize,
    /// Checks that can run while other changes are applied elsewhere.
    beside: Vec<&'static Check>,
    alone: Vec<&'static Check>,
}

/// The finished checks, or why the target cannot have the change.
type Ran = Result<Vec<Finished>, String>;

/// Tries each change with the checks that it concerns, until interrupted.
pub(crate) async fn drill(
    plan: &Plan,
    subject: &Subject<'_>,
    further: &[Subject<'_>],
    stop: Pin<&mut impl Future<Output = ()>>,
) -> Result<Drill, CommandError> {
    let results = Mutex::default();
    let baseline = tokio::select! {
        baseline = tried(plan, subject, further, &results) => Some(baseline?),
        () = stop => None,
    };
    let stopped_of = baseline.is_none().then_some(plan.changes.len());
    let Baseline { unusable, not_green, .. } = baseline.unwrap_or_default();
    let unusable = unusable.iter().map(|(id, reason)| Reason::new(id, reason)).collect();
    Ok(Drill { results: results.into_inner().into_values().collect(), unusable, not_green, stopped_of })
}

/// Runs read-only checks in parallel, each change on its own subject; then the others, one change after the other. A result is stored at
/// its change's index as soon as its last check has ended.
async fn tried(
    plan: &Plan,
    subject: &Subject<'_>,
    further: &[Subject<'_>],
    results: &Mutex<BTreeMap<usize, ChangeResult>>,
) -> Result<Baseline, CommandError> {
    let exchanges = Exchanges::of(subject.target());
    let recorder = |check: &'static Check| Some(exchanges.recorder(check.id));
    let recorder: Option<MakeRecorder<'_>> = if plan.has_variants() { Some(&recorder) } else { None };
    let involved = plan.involved();
    let baseline = subject.run_baseline(&involved, recorder).await;
    let usable: Vec<&'static Check> =
        involved.into_iter().filter(|check| baseline.is_usable(check)).collect();
    let job = |change: &Change| Job::new(*change, plan.chosen(*change, &exchanges, &usable), subject.seed());
    let jobs: Vec<Job> = plan.changes.iter().map(job).collect();
    let progress = Progress::new(jobs.len() * 2, "steps of the drill");
    let next = Mutex::new(0..jobs.len());
    let beside = if further.is_empty() { std::slice::from_ref(subject) } else { further };
    let readers = beside.iter().map(|subject| async {
        let mut ran = Vec::new();
        loop {
            let at = next.lock().next();
            let Some(at) = at else { return Ok::<_, CommandError>(ran) };
            let job = &jobs[at];
            let read = job.run(subject, &job.beside).await?;
            if job.alone.is_empty() {
                results.lock().insert(at, job.result(read, &baseline));
            } else {
                ran.push((at, read));
            }
            progress.step(job.change.id());
        }
    });
    let ran: BTreeMap<usize, Ran> = try_join_all(readers).await?.into_iter().flatten().collect();
    let checkpoint = if plan.has_variants() { subject.checkpoint().await } else { None };
    for (at, read) in ran {
        let job = &jobs[at];
        let ran = match read {
            Ok(read) => job.run(subject, &job.alone).await?.map(|more| in_order([read, more].concat())),
            lacking => lacking,
        };
        results.lock().insert(at, job.result(ran, &baseline));
        // A check that waited for a refusal may have moved the clock; checks undo their own writes.
        if let (false, Some(checkpoint)) = (job.change.leaves_the_platform_alone(), &checkpoint) {
            checkpoint.revert().await;
        }
        progress.step(job.change.id());
    }
    progress.clear();
    Ok(baseline)
}

impl Plan {
    fn has_variants(&self) -> bool {
        self.changes.iter().any(|change| !change.is_defect())
    }

    /// The checks that this drill may need.
    fn involved(&self) -> Vec<&'static Check> {
        let all = self.whole || self.every_check || self.has_variants();
        let is_named =
            |check: &&'static Check| self.changes.iter().any(|it| it.clauses().contains(&check.clause.id));
        checks().filter(|check| all || is_named(check)).collect()
    }

    /// The checks that a change concerns.
    fn chosen(
        &self,
        change: Change,
        exchanges: &Exchanges,
        usable: &[&'static Check],
    ) -> Vec<&'static Check> {
        let of =
            |clauses: &[&str]| usable.iter().copied().filter(|it| clauses.contains(&it.clause.id)).collect();
        match change {
            Change::Defect(_) if self.every_check => usable.to_vec(),
            Change::Defect(defect) => of(defect.clauses),
            Change::Variant(_) if change.is_control() => of(breaking().clauses),
            Change::Variant(variant) => {
                // A check that judges the exchanges of all others is concerned as soon as one of them is.
                let concerned = exchanges.concerned(variant);
                let is_concerned = |check: &&Check| {
                    concerned.contains(check.id) || (check.after_all && !concerned.is_empty())
                };
                usable.iter().copied().filter(is_concerned).collect()
            }
            Change::Together { .. } => usable.to_vec(),
        }
    }
}

impl Job {
    fn new(change: Change, chosen: Vec<&'static Check>, seed: u64) -> Self {
        let concerned = chosen.len();
        let chosen = match change {
            Change::Variant(variant) if variant.together || delays(variant) => drawn(variant, seed, chosen),
            _ => chosen,
        };
        // A check of all answers proves a defect by the answers to the other checks of its clauses: they run together.
        let is_whole = change.is_defect() && chosen.iter().any(|check| check.after_all);
        let beside = |check: &&Check| {
            check.lane == Lane::Read && !check.after_all && !is_whole && change.leaves_the_platform_alone()
        };
        let (beside, alone) = chosen.into_iter().partition(beside);
        Self { change, concerned, beside, alone }
    }

    async fn run(&self, subject: &Subject<'_>, checks: &[&'static Check]) -> Result<Ran, CommandError> {
        if checks.is_empty() {
            return Ok(Ok(Vec::new()));
        }
        let ran = subject.run_changed(self.change, checks).await?;
        if let (false, Ok(finished)) = (self.change.is_defect(), &ran) {
            narrate(self.change.id(), finished);
        }
        Ok(ran)
    }

    fn result(&self, ran: Ran, baseline: &Baseline) -> ChangeResult {
        match ran {
            Ok(finished) => ChangeResult::of(self.change, self.concerned, &finished, baseline),
            Err(reason) => ChangeResult::lacking(self.change, &reason),
        }
    }
}

/// Sorts results into the order of the checks.
fn in_order(mut finished: Vec<Finished>) -> Vec<Finished> {
    finished.sort_by_cached_key(|item| checks().position(|check| check.id == item.check.id));
    finished
}

/// Some of the checks that a variant concerns, drawn by seed; different ones for each variant.
fn drawn(variant: &Variant, seed: u64, mut chosen: Vec<&'static Check>) -> Vec<&'static Check> {
    let order = |check: &&'static Check| {
        (!check.after_all, Sha256::digest(format!("{seed} {} {}", variant.id, check.id)))
    };
    chosen.sort_by_cached_key(order);
    chosen.truncate(MOST_CHECKS);
    chosen
}

/// Reports failures of a variant as they occur, because a run takes long.
fn narrate(id: &str, finished: &[Finished]) {
    for item in finished {
        match &item.outcome {
            Outcome::Failed(failure) => output::narrate(&format!(
                "{id}: {} ({}) fails: expected {}; got {}",
                item.check.id, failure.clause, failure.expected, failure.actual
            )),
            Outcome::Inconclusive(reason) => {
                output::narrate(&format!("{id}: {} reaches no verdict: {reason}", item.check.id));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
