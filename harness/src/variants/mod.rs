//! `slipway drill --variants`: platforms that keep the interface and fill its gaps differently, each simulated in front of a sound one. The
//! checks must pass every one: alone, and all that can be in force together.
mod report;
mod survey;

use std::collections::{BTreeMap, BTreeSet};

use futures::future::try_join_all;
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use slipway_defects::variants::{Ground, Variant, answers_itself, delays};
use slipway_defects::{Defect, Layer};
use slipway_scenarios::{Check, Lane, checks};

pub(crate) use report::VariantsReport;

use crate::drill::{NotProven, Subject};
use crate::error::CommandError;
use crate::output;
use crate::progress::Progress;
use crate::runner::{Checkpoint, Finished, Outcome};
use crate::survey::Survey;
use survey::Exchanges;

/// The control of these runs: instead of a variant a breach, which must fail. Tried only when selected.
pub(crate) const CONTROL: Variant = Variant {
    id: "control",
    layers: &[Layer::Rest],
    rests_on: Ground::Interface("S56"),
    summary: "A breach of the interface; the run must say that it fails.",
    together: false,
    file: file!(),
    line: line!(),
};
/// The seeded defect that the control puts in place.
const BREACH: &str = "list-pages-rounded-down";

/// The results of the checks on a platform with some variants in force.
pub(crate) struct Tried {
    variants: Vec<&'static Variant>,
    finished: Vec<Finished>,
}

pub(crate) struct Tally {
    alone: Vec<Tried>,
    /// All variants that can be in force together, where more than one of them was chosen.
    together: Option<Tried>,
    /// Checks that are not green without any variant.
    not_green: Vec<NotProven>,
}

/// Most checks to try a variant alone, if every check tries it together with others or if it only delays answers.
const MOST_ALONE: usize = 40;

/// Reads wait a second or more for these, so all checks together take many minutes: an answer states its age and is read again
/// until it is younger than the last write, or a gateway refuses one of some hundred reads.
const WAITED_FOR: [&str; 6] = [
    "cached-for-a-second",
    "cdn-headers",
    "gateway-too-many-requests",
    "gateway-too-many-unstated",
    "gateway-unavailable",
    "gateway-unavailable-page",
];

/// The variants that a sampled run tries together: without those that reads wait for, which only a whole run includes.
pub(crate) fn quick(mut together: Vec<&'static Variant>) -> Vec<&'static Variant> {
    together.retain(|variant| !WAITED_FOR.contains(&variant.id));
    together
}

/// This many of the variants, drawn by the seed.
pub(crate) fn sample(mut variants: Vec<&'static Variant>, count: usize, seed: u64) -> Vec<&'static Variant> {
    variants.sort_by_cached_key(|variant| Sha256::digest(format!("{seed} {}", variant.id)));
    variants.truncate(count);
    variants
}

/// Tries each variant alone with the checks that it concerns, and then all that can be in force together with every check. Checks that
/// only read run in parallel, each variant on its own subject.
pub(crate) async fn run(
    variants: &[&'static Variant],
    together: &[&'static Variant],
    subject: &Subject<'_>,
    further: &[Subject<'_>],
) -> Result<Tally, CommandError> {
    let survey = Survey::new(subject.target(), Exchanges::default());
    let recorder = |check: &'static Check| Some(survey.recorder(check.id));
    let all: Vec<&'static Check> = checks().collect();
    let baseline = subject.sound(&all, Some(&recorder)).await?;
    let usable: Vec<&'static Check> = all.into_iter().filter(|check| baseline.is_usable(check)).collect();
    let all = if together.len() > 1 { together.to_vec() } else { Vec::new() };
    let alone = |variant: &'static Variant| {
        let chosen = concerned(variant, &survey.kept, &usable);
        if all.contains(&variant) || delays(variant) { some(variant, subject.seed(), chosen) } else { chosen }
    };
    let chosen: Vec<Vec<&'static Check>> = variants.iter().map(|variant| alone(variant)).collect();
    for (variant, chosen) in variants.iter().zip(&chosen) {
        tracing::info!(variant = variant.id, checks = chosen.len(), "concerned");
    }
    let progress = Progress::new(variants.len() * 2 + 1);
    let reading = |variant: &Variant, check: &Check| {
        check.lane == Lane::Read && !check.after_all && !answers_itself(variant)
    };
    let next = Mutex::new(0..variants.len());
    let beside = if further.is_empty() { std::slice::from_ref(subject) } else { further };
    let reads = beside.iter().map(|subject| async {
        let mut finished = Vec::new();
        loop {
            let at = next.lock().next();
            let Some(at) = at else { return Ok::<_, CommandError>(finished) };
            let chosen = chosen[at].iter().copied().filter(|check| reading(variants[at], check));
            let chosen: Vec<&'static Check> = chosen.collect();
            finished.push((at, try_out(subject, variants[at], &chosen).await?));
            progress.step(variants[at].id);
        }
    });
    let mut finished: BTreeMap<usize, Vec<Finished>> =
        try_join_all(reads).await?.into_iter().flatten().collect();
    let checkpoint = Checkpoint::take(subject.world()).await;
    for (at, variant) in variants.iter().enumerate() {
        let chosen = chosen[at].iter().copied().filter(|check| !reading(variant, check));
        finished.entry(at).or_default().extend(try_out(subject, variant, &chosen.collect::<Vec<_>>()).await?);
        if let Some(checkpoint) = &checkpoint {
            checkpoint.revert().await;
        }
        progress.step(variant.id);
    }
    let together = if all.is_empty() {
        None
    } else {
        let finished = subject.run_varied(&all, &usable).await?;
        narrate("together", &finished);
        Some(Tried { variants: all, finished })
    };
    progress.clear();
    let alone = finished.into_iter().map(|(at, finished)| Tried { variants: vec![variants[at]], finished });
    Ok(Tally { alone: alone.collect(), together, not_green: baseline.not_green })
}

/// The checks with an exchange that a variant changes, and those that judge the exchanges of all others.
fn concerned(variant: &Variant, exchanges: &Exchanges, usable: &[&'static Check]) -> Vec<&'static Check> {
    if variant.id == CONTROL.id {
        let clauses = breach().clauses;
        return usable.iter().copied().filter(|check| clauses.contains(&check.clause.id)).collect();
    }
    let concerned: BTreeSet<&str> = exchanges.concerned(variant);
    let some = !concerned.is_empty();
    usable.iter().copied().filter(|check| concerned.contains(check.id) || (some && check.after_all)).collect()
}

/// Some of the checks of a variant that nearly every check sees, drawn by the seed; different ones for each variant.
fn some(variant: &Variant, seed: u64, mut chosen: Vec<&'static Check>) -> Vec<&'static Check> {
    let drawn = |check: &&'static Check| {
        let text = format!("{seed} {} {}", variant.id, check.id);
        (!check.after_all, Sha256::digest(text))
    };
    chosen.sort_by_cached_key(drawn);
    chosen.truncate(MOST_ALONE);
    chosen
}

async fn try_out(
    subject: &Subject<'_>,
    variant: &'static Variant,
    chosen: &[&'static Check],
) -> Result<Vec<Finished>, CommandError> {
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    if variant.id == CONTROL.id {
        return subject.run_broken(breach(), chosen).await;
    }
    let finished = subject.run_varied(&[variant], chosen).await?;
    narrate(variant.id, &finished);
    Ok(finished)
}

/// Reports failures as they occur, because a run takes long.
fn narrate(name: &str, finished: &[Finished]) {
    for item in finished {
        match &item.outcome {
            Outcome::Failed(failure) => output::narrate(&format!(
                "{name}: {} ({}) fails: expected {}; got {}",
                item.check.id, failure.clause, failure.expected, failure.actual
            )),
            Outcome::Inconclusive(reason) => {
                output::narrate(&format!("{name}: {} reaches no verdict: {reason}", item.check.id));
            }
            _ => {}
        }
    }
}

fn breach() -> &'static Defect {
    let found = slipway_defects::catalogue().iter().find(|defect| defect.id == BREACH);
    found.expect("the control's defect is in the catalogue")
}

#[cfg(test)]
mod tests;
