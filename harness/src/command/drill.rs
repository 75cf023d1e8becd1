//! `slipway drill` and `slipway matrix`: are the checks any good?
use slipway_defects::catalogue;
use slipway_defects::http::Proxies;
use slipway_scenarios::Lane;

use crate::arguments::{DrillArguments, LaneArgument};
use crate::drill::{Breadth, CONTROL, Subject, drill, in_front_of, stand_before};
use crate::drill_report::DrillReport;
use crate::error::{CommandError, Fatal, TargetKindError};
use crate::exit::Exit;
use crate::local::Front;
use crate::proof::{Sample, Witness, keep, seed};
use crate::selector::select;
use crate::variants::VariantsReport;
use crate::{external, local, output, target_file, variants};

/// Options of a drill that do not go together.
#[derive(Debug, thiserror::Error)]
enum DrillError {
    #[error("{option} goes with `slipway drill`, not with `slipway matrix`")]
    NotOfMatrix { option: &'static str },
    #[error("a proof has all variants: `--variants --proof` takes no --only")]
    WholeProof,
    #[error("--sample makes entries of a proof again: name its folder with --proof")]
    SampleOfNothing,
    #[error("a drill switches the defects itself: choose among them with --only")]
    DrillDefect,
}

impl Fatal for DrillError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}

/// Number of defects with read-only checks that are in force in parallel, each behind its own proxies.
const SIDE_BY_SIDE: usize = 8;

pub(super) async fn run(arguments: DrillArguments, breadth: Breadth) -> Result<Exit, CommandError> {
    let others = [("--variants", arguments.variants), ("--sample", arguments.sample.is_some())];
    match others.into_iter().find(|(_, is_given)| *is_given) {
        None => defects(arguments, breadth).await,
        Some((option, _)) if breadth == Breadth::Every => Err(DrillError::NotOfMatrix { option }.into()),
        Some(("--variants", _)) => variants(arguments).await,
        Some(_) => sample(arguments).await,
    }
}

async fn defects(arguments: DrillArguments, breadth: Breadth) -> Result<Exit, CommandError> {
    let mut all = catalogue().to_vec();
    if !arguments.only.is_empty() {
        all.push(CONTROL);
    }
    let chosen = select(&all, &arguments.only, "defect", |defect| vec![defect.id])?;
    let whole = arguments.only.is_empty();
    let mut witness = None;
    let (drilled, is_local) = on_target(&arguments, async |subject, further| {
        witness =
            arguments.proof.is_some().then(|| Witness::new(subject.addresses().to_vec(), subject.seed()));
        drill(&chosen, subject, further, whole, breadth, witness.as_mut()).await
    })
    .await?;
    let report = DrillReport::new(drilled, breadth, is_local, arguments.platform.seed);
    if let (Some(witness), Some(folder)) = (witness, &arguments.proof) {
        let proven = witness.write(folder, report.kills(), whole)?;
        output::narrate(&format!("{proven} checks proven in {}", folder.display()));
    }
    output::print(&report, arguments.print.json)
}

/// `slipway drill --variants`: legal variants, which the checks must let pass.
async fn variants(mut arguments: DrillArguments) -> Result<Exit, CommandError> {
    if arguments.proof.is_some() && !arguments.only.is_empty() {
        return Err(DrillError::WholeProof.into());
    }
    let control = (!arguments.only.is_empty()).then_some(&variants::CONTROL);
    let all = slipway_defects::variants::catalogue().iter().chain(control);
    let chosen = select(all, &arguments.only, "variant", |variant| vec![variant.id])?;
    let mut together: Vec<_> = chosen.iter().copied().filter(|variant| variant.together).collect();
    let alone = match (arguments.sample, arguments.proof.take_if(|_| arguments.sample.is_some())) {
        (Some(count), Some(folder)) => {
            let drawn = variants::sample(chosen, count, arguments.platform.seed);
            together = variants::quick(together);
            arguments.platform.seed = seed(&folder)?;
            drawn
        }
        (Some(_), None) => return Err(DrillError::SampleOfNothing.into()),
        (None, _) => chosen,
    };
    let (tally, is_local) = on_target(&arguments, async |subject, further| {
        variants::run(&alone, &together, subject, further).await
    })
    .await?;
    let report = VariantsReport::new(&tally, is_local, arguments.platform.seed);
    if let Some(folder) = &arguments.proof {
        keep(folder, arguments.platform.seed, &report.tolerance())?;
    }
    output::print(&report, arguments.print.json)
}

/// `slipway drill --sample COUNT --proof DIR`: reproduces entries of a proof.
async fn sample(mut arguments: DrillArguments) -> Result<Exit, CommandError> {
    let (Some(count), Some(folder)) = (arguments.sample, &arguments.proof) else {
        return Err(DrillError::SampleOfNothing.into());
    };
    let sample = Sample::of(folder, count, arguments.platform.seed)?;
    arguments.platform.seed = sample.seed;
    let (drilled, is_local) = on_target(&arguments, async |subject, further| {
        drill(&sample.defects(), subject, further, false, Breadth::Concerned, None).await
    })
    .await?;
    let report = DrillReport::new(drilled, Breadth::Concerned, is_local, sample.seed);
    let remade = sample.compared(&report.kills());
    output::print(&remade, arguments.print.json)
}

/// Runs a job on the target behind proxies, and behind further proxies if it is local; returns the result, and whether it is.
async fn on_target<T>(
    arguments: &DrillArguments,
    job: impl AsyncFnOnce(&Subject<'_>, &[Subject<'_>]) -> Result<T, CommandError>,
) -> Result<(T, bool), CommandError> {
    if !arguments.platform.defects.is_empty() {
        return Err(DrillError::DrillDefect.into());
    }
    let (mut target, seed) = (arguments.target.clone(), arguments.platform.seed);
    let settings = target_file::apply(&mut target)?;
    let lane = arguments.lane.or(settings.lane);
    if target.is_external() {
        if arguments.proof.is_some() {
            return Err(TargetKindError::LocalOnly { option: "--proof" }.into());
        }
        let external = external::start(&target).await?;
        let most = lane.unwrap_or(external.lane()).most();
        let proxies = in_front_of(&external.target).await?;
        let done = match Subject::external(&external.target, &proxies, seed, most) {
            Ok(subject) => external.alive(job(&subject, &[])).await,
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
        more.push(stand_before(platform.own_addresses()).await?);
    }
    let rate_policy = target.rate.policy();
    let done = async {
        let subject = Subject::local(&platform, seed, rate_policy.clone())?;
        let target = platform.target(rate_policy)?;
        let further = more.iter().map(|proxies| Subject::external(&target, proxies, seed, Lane::Exclusive));
        job(&subject, &further.collect::<Result<Vec<_>, _>>()?).await
    };
    let done = platform.alive(done).await;
    for proxies in more {
        proxies.stop().await;
    }
    platform.stop().await;
    Ok((done?, true))
}
