//! `slipway drill`: tests the checks themselves.
use std::path::{Path, PathBuf};
use std::pin::pin;

use slipway_defects::http::Proxies;
use slipway_defects::variants::{self, Ground, Variant};
use slipway_defects::{Defect, catalogue, changes};
use slipway_scenarios::Lane;

use crate::arguments::{DrillArguments, LaneArgument, PROOF};
use crate::error::{CommandError, Fatal, TargetKindError};
use crate::exit::Exit;
use crate::files::target_file;
use crate::prove::{
    BREACH, Change, Drill, DrillReport, NO_DEFECT, Plan, Proof, Subject, Verified, drill, proxies_for_target,
    start_proxies,
};
use crate::report::count::counted;
use crate::run::selector::{NoMatch, select};
use crate::target::external;
use crate::target::local;
use crate::target::local::Front;
use crate::terminal::output;
use crate::terminal::output::stopped_before;
use crate::terminal::signals::{shutdown_signal, unless_stopped};

/// How many changes are tried in parallel by read-only checks, each behind its own proxies.
const SIDE_BY_SIDE: usize = 8;

#[derive(Debug, thiserror::Error)]
#[error("a drill switches the defects itself: choose among them with --only")]
struct DefectGiven;

impl Fatal for DefectGiven {
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}

/// A file of changes cannot be drilled.
#[derive(Debug, thiserror::Error)]
enum OwnChangesError {
    #[error(transparent)]
    File(#[from] changes::ChangesError),
    #[error("{file}:{line}: {id}: {clause} is no clause; `slipway explain --list clauses` lists them all")]
    UnknownClause { file: &'static str, line: u32, id: &'static str, clause: &'static str },
    #[error("{} has no {kind}", path.display())]
    Empty { path: PathBuf, kind: &'static str },
}

impl Fatal for OwnChangesError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}

pub(super) async fn run(arguments: DrillArguments) -> Result<Exit, CommandError> {
    if let Some(path) = &arguments.verify {
        let is_elsewhere = path == Path::new(PROOF) && !path.exists();
        let verified = if is_elsewhere { Verified::embedded() } else { Verified::read(path)? };
        return output::print(&verified, arguments.print.json);
    }
    let changes = match &arguments.changes {
        Some(path) => users(path, arguments.variants, &arguments.only)?,
        None if arguments.variants => variants(&arguments.only)?,
        None => defects(&arguments.only)?,
    };
    let whole = arguments.only.is_empty() && !arguments.variants && arguments.changes.is_none();
    let plan = Plan { changes, every_check: arguments.all, whole };
    let seed = arguments.platform.seed;
    let proof = arguments.write.as_ref().map(|path| Proof::open(path, seed)).transpose()?;
    let Some((drill, is_local)) = on_target(&arguments, &plan).await? else {
        return stopped_before("change");
    };
    let stopped_of = drill.stopped_of;
    let report = DrillReport::new(drill, arguments.variants, arguments.all, is_local, seed);
    if let Some(all) = stopped_of {
        let done = report.results().len();
        output::narrate(&format!("interrupted after {done} of {}: {}", counted(all, "change"), report.sum()));
        return Ok(Exit::Interrupted);
    }
    if let (Some(proof), Some(path)) = (proof, &arguments.write) {
        proof.write(path, report.results())?;
    }
    output::print(&report, arguments.print.json)
}

/// The selected defects, or all.
fn defects(only: &[String]) -> Result<Vec<Change>, NoMatch> {
    let control = (!only.is_empty()).then_some(&NO_DEFECT);
    let all: Vec<Change> = catalogue().iter().chain(control).map(Change::Defect).collect();
    selected(&all, only, "defect")
}

/// The selected variants; without a selection each alone, and all combined.
fn variants(only: &[String]) -> Result<Vec<Change>, NoMatch> {
    let control = (!only.is_empty()).then_some(&BREACH);
    let all = variants::catalogue().iter().chain(control).map(Change::Variant);
    let together = [false, true].map(|quickly| Change::Together { quickly });
    let together = if only.is_empty() { &together[..1] } else { &together[..] };
    selected(&all.chain(together.iter().copied()).collect::<Vec<_>>(), only, "variant")
}

/// The selected defects or variants of a user's file.
fn users(path: &Path, of_variants: bool, only: &[String]) -> Result<Vec<Change>, CommandError> {
    let changes = changes::read(path).map_err(OwnChangesError::from)?;
    for defect in &changes.defects {
        let &Defect { file, line, id, .. } = defect;
        if let Some(&clause) = defect.clauses.iter().find(|id| !is_clause(id)) {
            return Err(OwnChangesError::UnknownClause { file, line, id, clause }.into());
        }
    }
    for variant in &changes.variants {
        let &Variant { file, line, id, .. } = variant;
        if let Ground::Choice(clause) = variant.rests_on
            && !is_clause(clause)
        {
            return Err(OwnChangesError::UnknownClause { file, line, id, clause }.into());
        }
    }
    let all: Vec<Change> = if of_variants {
        changes.variants.iter().map(Change::Variant).collect()
    } else {
        changes.defects.iter().map(Change::Defect).collect()
    };
    let kind = if of_variants { "variant" } else { "defect" };
    if all.is_empty() {
        return Err(OwnChangesError::Empty { path: path.to_owned(), kind }.into());
    }
    Ok(selected(&all, only, kind)?)
}

fn is_clause(id: &str) -> bool {
    slipway_scenarios::clauses().any(|clause| clause.id == id)
}

fn selected(all: &[Change], only: &[String], kind: &'static str) -> Result<Vec<Change>, NoMatch> {
    Ok(select(all, only, kind, |change| vec![change.id()])?.into_iter().copied().collect())
}

/// Drills the target behind proxies, and behind more proxies if it is local; also returns whether it is local. `None` if interrupted.
async fn on_target(arguments: &DrillArguments, plan: &Plan) -> Result<Option<(Drill, bool)>, CommandError> {
    let mut stop = pin!(shutdown_signal());
    if !arguments.platform.defects.is_empty() {
        return Err(DefectGiven.into());
    }
    let (mut target, seed) = (arguments.target.clone(), arguments.platform.seed);
    let given = target.given();
    let settings = target_file::apply(&mut target)?;
    let lane = arguments.lane.or(settings.lane);
    if target.is_external() {
        if arguments.write.is_some() {
            return Err(TargetKindError::Local { option: "--write" }.into());
        }
        let external = unless_stopped(stop.as_mut(), external::start(&target)).await.transpose()?;
        let Some(external) = external else { return Ok(None) };
        let most = lane.unwrap_or(external.lane()).most();
        let proxies = proxies_for_target(&external.target).await?;
        let done = match Subject::proxied(&external.target, &proxies, seed, most) {
            Ok(subject) => external.alive(drill(plan, &subject, &[], stop)).await,
            Err(error) => Err(error),
        };
        proxies.stop().await;
        return Ok(Some((done?, false)));
    }
    if lane == Some(LaneArgument::Read) {
        return Err(TargetKindError::External { option: "--lane read" }.into());
    }
    if let Some(option) = given {
        return Err(TargetKindError::Addressed { option }.into());
    }
    let platform = local::start_for_checks(&arguments.platform, Front::Drill);
    let Some(platform) = unless_stopped(stop.as_mut(), platform).await.transpose()? else { return Ok(None) };
    let mut more: Vec<Proxies> = Vec::new();
    for _ in 1..SIDE_BY_SIDE {
        more.push(start_proxies(platform.own_addresses()).await?);
    }
    let rate_policy = target.rate.policy();
    let done = async {
        let subject = Subject::local(&platform, seed, rate_policy.clone())?;
        let target = platform.target(rate_policy)?;
        let further = more.iter().map(|proxies| Subject::proxied(&target, proxies, seed, Lane::Exclusive));
        drill(plan, &subject, &further.collect::<Result<Vec<_>, _>>()?, stop).await
    };
    let done = platform.alive(done).await;
    for proxies in more {
        proxies.stop().await;
    }
    platform.stop().await;
    Ok(Some((done?, true)))
}
