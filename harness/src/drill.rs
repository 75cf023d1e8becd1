//! Proving the checks: a seeded defect that no check notices is a fault of the checks, and so is a check no defect reddens.
use std::collections::BTreeSet;
use std::sync::Arc;

use reqwest::Method;
use slipway_scenarios::client::http::Request;
use slipway_scenarios::{Check, Lane, Target, World, checks};
use slipway_sim::Platform;
use slipway_sim::clock::ClockMode;
use slipway_sim::defect::{Defect, Layer};

use crate::arguments::PlatformArguments;
use crate::error::CommandError;
use crate::local;
use crate::progress::Progress;
use crate::runner::{self, Finished, Outcome, Rules};

/// The drill's own control: no defect at all, so that it must be reported as missed. Drilled only when named.
pub(crate) const CONTROL: Defect = Defect {
    id: "control",
    layer: Layer::Rest,
    summary: "Nothing is broken; the drill must say that nothing was noticed.",
    clauses: &["LIST-COUNT"],
};

/// Which checks are run against a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breadth {
    /// Those of the clauses it names: whether it is noticed.
    Concerned,
    /// All: also whether it reddens anything it does not name.
    Every,
}

/// A check that turned red, and the clause it says is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Red {
    pub(crate) check: &'static str,
    pub(crate) clause: &'static str,
}

/// What one defect did to the checks that were run against it.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) defect: Defect,
    /// Checks that turned red for a clause the defect names.
    pub(crate) caught_by: Vec<&'static str>,
    /// Clauses the defect names that no check reddened.
    pub(crate) missed: Vec<&'static str>,
    /// Checks that turned red for a clause the defect does not name.
    pub(crate) undeclared: Vec<Red>,
}

impl Row {
    /// Whether the defect did what it says and nothing else.
    pub(crate) fn holds(&self) -> bool {
        self.missed.is_empty() && self.undeclared.is_empty()
    }
}

/// A whole drill.
#[derive(Debug)]
pub(crate) struct Drill {
    pub(crate) rows: Vec<Row>,
    /// Checks that were not green although no defect was on, with what they said.
    pub(crate) not_green: Vec<(&'static str, String)>,
    /// Checks no defect of this drill reddened; empty unless every defect was drilled.
    pub(crate) unproven: Vec<&'static str>,
}

impl Drill {
    /// Whether every defect was caught, every check is proven and none was red by itself.
    pub(crate) fn passed(&self) -> bool {
        self.not_green.is_empty() && self.unproven.is_empty() && self.rows.iter().all(Row::holds)
    }
}

/// Drills `defects`; `whole` says that these are all there are, so that unproven checks can be told.
pub(crate) async fn drill(
    defects: &[&Defect],
    arguments: &PlatformArguments,
    whole: bool,
    breadth: Breadth,
) -> Result<Drill, CommandError> {
    let platform = local::start(local::config(arguments, ClockMode::Manual)?).await?;
    let target = local::target(platform.ready())?;
    let involved: Vec<&'static Check> =
        checks().filter(|check| whole || defects.iter().any(|defect| breadth.takes(check, defect))).collect();
    let not_green = red_without_defect(&target, arguments.seed, &involved).await?;
    let progress = Progress::new(defects.len());
    let mut rows = Vec::with_capacity(defects.len());
    for defect in defects {
        let chosen: Vec<&'static Check> =
            involved.iter().copied().filter(|check| breadth.takes(check, defect)).collect();
        rows.push(one(defect, &chosen, &platform, &target, arguments).await?);
        progress.step(defect.id);
    }
    progress.clear();
    platform.stop().await;
    let proven: BTreeSet<&str> = rows.iter().flat_map(|row| row.caught_by.iter().copied()).collect();
    let unproven = checks().map(|check| check.id).filter(|id| whole && !proven.contains(id)).collect();
    Ok(Drill { rows, not_green, unproven })
}

impl Breadth {
    fn takes(self, check: &Check, defect: &Defect) -> bool {
        self == Self::Every || defect.clauses.contains(&check.clause.id)
    }
}

async fn red_without_defect(
    target: &Target,
    seed: u64,
    involved: &[&'static Check],
) -> Result<Vec<(&'static str, String)>, CommandError> {
    let finished = run(target.clone(), seed, involved).await?;
    let said = |item: &Finished| match &item.outcome {
        Outcome::Passed => None,
        other => Some((item.check.id, format!("{other:?}"))),
    };
    Ok(finished.iter().filter_map(said).collect())
}

async fn one(
    defect: &Defect,
    chosen: &[&'static Check],
    platform: &Platform,
    target: &Target,
    arguments: &PlatformArguments,
) -> Result<Row, CommandError> {
    let finished = match defect.layer {
        _ if defect.id == CONTROL.id => run(target.clone(), arguments.seed, chosen).await?,
        Layer::Rest | Layer::Swap => {
            switch(target, defect.id, Method::PUT).await?;
            let finished = run(target.clone(), arguments.seed, chosen).await;
            switch(target, defect.id, Method::DELETE).await?;
            finished?
        }
        Layer::Node | Layer::Chain => {
            let with_defect = PlatformArguments { defects: vec![defect.id.to_owned()], ..arguments.clone() };
            let other = local::start(local::config(&with_defect, ClockMode::Manual)?).await?;
            let finished = run(local::target(other.ready())?, arguments.seed, chosen).await;
            other.stop().await;
            finished?
        }
    };
    tracing::debug!(defect = defect.id, pid = platform.ready().pid, "drilled");
    Ok(row(defect, &finished))
}

fn row(defect: &Defect, finished: &[Finished]) -> Row {
    let red = |item: &Finished| match &item.outcome {
        Outcome::Failed(failure) => Some(Red { check: item.check.id, clause: failure.clause }),
        _ => None,
    };
    let (named, undeclared): (Vec<Red>, Vec<Red>) =
        finished.iter().filter_map(red).partition(|red| defect.clauses.contains(&red.clause));
    let missed = defect.clauses.iter().copied();
    let missed = missed.filter(|id| named.iter().all(|red| red.clause != *id)).collect();
    Row {
        defect: defect.clone(),
        caught_by: named.into_iter().map(|red| red.check).collect(),
        missed,
        undeclared,
    }
}

async fn run(target: Target, seed: u64, chosen: &[&'static Check]) -> Result<Vec<Finished>, CommandError> {
    let world = Arc::new(World::new(target, seed)?);
    let rules = Rules { most: Lane::Exclusive, strict: true, on_finished: &|_| {} };
    Ok(runner::run(&world, chosen, &rules).await)
}

async fn switch(target: &Target, id: &str, method: Method) -> Result<(), CommandError> {
    let control =
        target.control_url.as_ref().expect("the local platform is drilled with its control plane on");
    let world = World::new(target.clone(), 0)?;
    let mut ask = Request::get(control, &format!("/_sim/defects/{id}"), &[]);
    ask.method = method;
    let answer = world.http().send(ask).await?;
    if answer.status.is_success() {
        Ok(())
    } else {
        Err(CommandError::Switch { id: id.to_owned(), reason: answer.excerpt() })
    }
}
