//! `slipway drill` and `slipway matrix`: are the checks any good?
use slipway_defects::catalogue;
use slipway_defects::http::Proxies;
use slipway_scenarios::{Lane, Target};

use crate::arguments::{DrillArguments, LaneArgument};
use crate::drill::{Breadth, CONTROL, Drill, Subject, behind, drill, in_front_of, stand_before};
use crate::drill_report::DrillReport;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::local::Front;
use crate::proof::Witness;
use crate::selector::select;
use crate::shard::Shard;
use crate::wire::{Slot, Stage, WireReport};
use crate::{external, local, output, target_file, wire};

/// Mutants, or defects whose checks only read, that are in force side by side, each behind proxies of its own.
const SIDE_BY_SIDE: usize = 8;

pub(super) async fn run(mut arguments: DrillArguments, breadth: Breadth) -> Result<Exit, CommandError> {
    let mut all = catalogue().to_vec();
    if !arguments.only.is_empty() {
        all.push(CONTROL);
    }
    let chosen = select(&all, &arguments.only, "defect", |defect| vec![defect.id])?;
    let chosen = Shard::select(arguments.shard, chosen, |_| false);
    if !arguments.platform.defects.is_empty() {
        return Err(CommandError::DrillDefect);
    }
    let settings = target_file::apply(&mut arguments.target)?;
    arguments.lane = arguments.lane.or(settings.lane);
    let whole = arguments.only.is_empty() && arguments.shard.is_none();
    let seed = arguments.platform.seed;
    let is_external = arguments.target.is_external();
    if is_external && arguments.proof.is_some() {
        return Err(CommandError::LocalOnly { option: "--proof" });
    }
    let report_of = |drilled: &Drill| DrillReport::new(drilled, breadth, !is_external, seed, arguments.shard);
    let report = if is_external {
        let external = external::start(&arguments.target).await?;
        let most = match arguments.lane.unwrap_or(external.lane()) {
            LaneArgument::Write => Lane::Exclusive,
            LaneArgument::Read => Lane::Read,
        };
        let proxies = in_front_of(external.target()).await?;
        let drilled = match Subject::external(external.target(), &proxies, seed, most) {
            Ok(subject) => external.alive(drill(&chosen, &subject, &[], whole, breadth, None)).await,
            Err(error) => Err(error),
        };
        proxies.stop().await;
        report_of(&drilled?)
    } else {
        if arguments.lane == Some(LaneArgument::Read) {
            return Err(CommandError::ExternalOnly { option: "--lane read" });
        }
        let platform = local::start_for_checks(&arguments.platform, Front::Drill).await?;
        let mut witness = arguments.proof.is_some().then(|| Witness::new(platform.lasting_addresses(), seed));
        let more = fronts(|| stand_before(platform.own_addresses())).await?;
        let rate_policy = arguments.target.rate.policy();
        let drilled = async {
            let subject = Subject::local(&platform, seed, rate_policy.clone())?;
            let target = platform.target(rate_policy)?;
            let further =
                more.iter().map(|proxies| Subject::external(&target, proxies, seed, Lane::Exclusive));
            let further = further.collect::<Result<Vec<_>, _>>()?;
            drill(&chosen, &subject, &further, whole, breadth, witness.as_mut()).await
        };
        let drilled = drilled.await;
        for proxies in more {
            proxies.stop().await;
        }
        platform.stop().await;
        let report = report_of(&drilled?);
        if let (Some(witness), Some(folder)) = (witness, &arguments.proof) {
            let proven = witness.write(folder, report.kills(), whole)?;
            output::narrate(&format!("{proven} checks proven in {}", folder.display()));
        }
        report
    };
    output::data(&if arguments.json { report.json() } else { report.text() })?;
    Ok(report.exit())
}

/// `slipway drill --wire COUNT`: mutants of single answers.
pub(super) async fn wire(mut arguments: DrillArguments) -> Result<Exit, CommandError> {
    if !arguments.platform.defects.is_empty() {
        return Err(CommandError::DrillDefect);
    }
    let settings = target_file::apply(&mut arguments.target)?;
    arguments.lane = arguments.lane.or(settings.lane);
    let (count, seed) = (arguments.wire.unwrap_or_default(), arguments.platform.seed);
    let is_external = arguments.target.is_external();
    let numbers = WireReport::numbers(count, arguments.shard).into_iter().collect();
    let tally = if is_external {
        let external = external::start(&arguments.target).await?;
        let most = match arguments.lane.unwrap_or(external.lane()) {
            LaneArgument::Write => Lane::Exclusive,
            LaneArgument::Read => Lane::Read,
        };
        let first = in_front_of(external.target()).await?;
        let more = fronts(|| in_front_of(external.target())).await?;
        let slots = slots(external.target(), &first, &more);
        let stage = Stage { slots, seed, most };
        let tally = external.alive(wire::run(&stage, count, &numbers)).await;
        for proxies in more.into_iter().chain([first]) {
            proxies.stop().await;
        }
        tally?
    } else {
        if arguments.lane == Some(LaneArgument::Read) {
            return Err(CommandError::ExternalOnly { option: "--lane read" });
        }
        let platform = local::start_for_checks(&arguments.platform, Front::Drill).await?;
        let first = platform.proxies().expect("it was started for a drill");
        let more = fronts(|| stand_before(platform.own_addresses())).await?;
        let slots = slots(&platform.target(arguments.target.rate.policy())?, first, &more);
        let tally = wire::run(&Stage { slots, seed, most: Lane::Exclusive }, count, &numbers).await;
        for proxies in more {
            proxies.stop().await;
        }
        platform.stop().await;
        tally?
    };
    let report = WireReport::new(&tally, !is_external, seed, count, arguments.shard);
    output::data(&if arguments.json { report.json() } else { report.text() })?;
    Ok(report.exit())
}

/// Further sets of proxies before the same target, so that several defects can be in force side by side.
async fn fronts<F>(stand: impl Fn() -> F) -> Result<Vec<Proxies>, CommandError>
where
    F: Future<Output = Result<Proxies, CommandError>>,
{
    let mut more = Vec::new();
    for _ in 1..SIDE_BY_SIDE {
        more.push(stand().await?);
    }
    Ok(more)
}

/// The target behind each set of proxies, its RPCs too.
fn slots<'a>(target: &Target, first: &'a Proxies, more: &'a [Proxies]) -> Vec<Slot<'a>> {
    let through = |proxies: &'a Proxies| {
        let mut target = behind(target, proxies);
        target.rpc_urls.clone_from(&proxies.addresses().rpc);
        Slot { target, proxies }
    };
    std::iter::once(first).chain(more).map(through).collect()
}
