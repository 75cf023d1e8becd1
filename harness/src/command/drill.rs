//! `slipway drill`: are the checks any good?
use slipway_defects::http::Proxies;
use slipway_defects::{catalogue, variants};
use slipway_scenarios::Lane;

use crate::arguments::{DrillArguments, LaneArgument};
use crate::error::{CommandError, Fatal, TargetKindError};
use crate::exit::Exit;
use crate::local::Front;
use crate::prove::{
    BREACH, Change, Drill, DrillReport, NO_DEFECT, Plan, Proof, Subject, Verified, drill, proxies_for_target,
    start_proxies,
};
use crate::selector::{NoMatch, select};
use crate::{external, local, output, target_file};

/// Number of changes that are tried in parallel by read-only checks, each behind its own proxies.
const SIDE_BY_SIDE: usize = 8;

#[derive(Debug, thiserror::Error)]
#[error("a drill switches the defects itself: choose among them with --only")]
struct DefectGiven;

impl Fatal for DefectGiven {
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}

pub(super) async fn run(arguments: DrillArguments) -> Result<Exit, CommandError> {
    if let Some(path) = &arguments.verify {
        return output::print(&Verified::read(path)?, arguments.print.json);
    }
    let plan = Plan {
        changes: if arguments.variants { variants(&arguments.only) } else { defects(&arguments.only) }?,
        every_check: arguments.all,
        whole: arguments.only.is_empty() && !arguments.variants,
    };
    let seed = arguments.platform.seed;
    let proof = arguments.write.as_ref().map(|path| Proof::open(path, seed)).transpose()?;
    let (drill, is_local) = on_target(&arguments, &plan).await?;
    let report = DrillReport::new(drill, arguments.variants, arguments.all, is_local, seed);
    if let (Some(proof), Some(path)) = (proof, &arguments.write) {
        proof.write(path, report.results())?;
    }
    output::print(&report, arguments.print.json)
}

/// The selected defects; all of them without a selection.
fn defects(only: &[String]) -> Result<Vec<Change>, NoMatch> {
    let control = (!only.is_empty()).then_some(&NO_DEFECT);
    let all: Vec<Change> = catalogue().iter().chain(control).map(Change::Defect).collect();
    selected(&all, only, "defect")
}

/// The selected variants; without a selection each alone, and all that can be combined.
fn variants(only: &[String]) -> Result<Vec<Change>, NoMatch> {
    let control = (!only.is_empty()).then_some(&BREACH);
    let all = variants::catalogue().iter().chain(control).map(Change::Variant);
    selected(&all.chain([Change::Together]).collect::<Vec<_>>(), only, "variant")
}

fn selected(all: &[Change], only: &[String], kind: &'static str) -> Result<Vec<Change>, NoMatch> {
    Ok(select(all, only, kind, |change| vec![change.id()])?.into_iter().copied().collect())
}

/// Drills the target behind proxies, and behind further proxies if it is local; also whether it is.
async fn on_target(arguments: &DrillArguments, plan: &Plan) -> Result<(Drill, bool), CommandError> {
    if !arguments.platform.defects.is_empty() {
        return Err(DefectGiven.into());
    }
    let (mut target, seed) = (arguments.target.clone(), arguments.platform.seed);
    let settings = target_file::apply(&mut target)?;
    let lane = arguments.lane.or(settings.lane);
    if target.is_external() {
        if arguments.write.is_some() {
            return Err(TargetKindError::LocalOnly { option: "--write" }.into());
        }
        let external = external::start(&target).await?;
        let most = lane.unwrap_or(external.lane()).most();
        let proxies = proxies_for_target(&external.target).await?;
        let done = match Subject::proxied(&external.target, &proxies, seed, most) {
            Ok(subject) => external.alive(drill(plan, &subject, &[])).await,
            Err(error) => Err(error),
        };
        proxies.stop().await;
        return Ok((done?, false));
    }
    if lane == Some(LaneArgument::Read) {
        return Err(TargetKindError::ExternalOnly { option: "--lane read" }.into());
    }
    let platform = local::start_for_checks(&arguments.platform, Front::Drill).await?;
    let mut more: Vec<Proxies> = Vec::new();
    for _ in 1..SIDE_BY_SIDE {
        more.push(start_proxies(platform.own_addresses()).await?);
    }
    let rate_policy = target.rate.policy();
    let done = async {
        let subject = Subject::local(&platform, seed, rate_policy.clone())?;
        let target = platform.target(rate_policy)?;
        let further = more.iter().map(|proxies| Subject::proxied(&target, proxies, seed, Lane::Exclusive));
        drill(plan, &subject, &further.collect::<Result<Vec<_>, _>>()?).await
    };
    let done = platform.alive(done).await;
    for proxies in more {
        proxies.stop().await;
    }
    platform.stop().await;
    Ok((done?, true))
}
