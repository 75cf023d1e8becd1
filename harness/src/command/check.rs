//! `slipway check`: a target, the checks, a report.
use std::collections::BTreeSet;
use std::pin::{Pin, pin};
use std::sync::Arc;

use slipway_scenarios::{Check, Lane, Need, Target, World, checks};

use crate::arguments::{CheckArguments, LaneArgument};
use crate::error::{CommandError, TargetKindError};
use crate::exit::Exit;
use crate::files::target_file::{self, Settings};
use crate::report::events::{Event, Run, Word};
use crate::report::recording::{Kept, Recording};
use crate::report::run::run as described;
use crate::report::{self, Outcomes, Report, annotations};
use crate::run::baseline::{self, Baseline};
use crate::run::runner::{self, Rules};
use crate::run::selector::{NoMatch, SECTION, section, select, without};
use crate::run::watch;
use crate::target::external;
use crate::target::local;
use crate::target::local::Front;
use crate::target::wait;
use crate::terminal::colour::Colour;
use crate::terminal::output;
use crate::terminal::output::stopped_before;
use crate::terminal::progress::Progress;
use crate::terminal::signals::{shutdown_signal, unless_stopped};

pub(super) async fn run(arguments: CheckArguments) -> Result<Exit, CommandError> {
    let Some(mut watched) = arguments.watch.clone() else { return once(arguments).await };
    watched.extend(target_file::path(&arguments.target));
    watch::again(&watched, async || once(arguments.clone()).await).await
}

async fn once(mut arguments: CheckArguments) -> Result<Exit, CommandError> {
    let mut stop = pin!(shutdown_signal());
    if let Some(path) = &arguments.rerun {
        let outcomes = Outcomes::read(path)?;
        let failed: Vec<String> =
            outcomes.ids(&[Word::Failed, Word::Known, Word::Inconclusive]).cloned().collect();
        if failed.is_empty() {
            output::narrate(&format!("nothing failed in {}", path.display()));
            return Ok(Exit::Conformant);
        }
        arguments.platform.seed = outcomes.seed.unwrap_or(arguments.platform.seed);
        arguments.only = failed;
    }
    let mut chosen = chosen(&arguments)?;
    // Taken before the target file fills in options: a repeated run reads that file again.
    let replay = replay(&arguments);
    // Switching on a defect implies the local platform.
    let is_local = !arguments.platform.defects.is_empty() && arguments.target.target_file.is_none();
    let given = arguments.target.given();
    let settings = if is_local { Settings::default() } else { target_file::apply(&mut arguments.target)? };
    arguments.lane = arguments.lane.or(settings.lane);
    arguments.strict |= settings.strict;
    arguments.baseline = arguments.baseline.or(settings.baseline);
    let known = match &arguments.baseline {
        Some(path) => Baseline::read(path, baseline::today())?,
        None => Baseline::default(),
    };
    let is_external = arguments.target.is_external();
    if is_external && !arguments.platform.defects.is_empty() {
        return Err(TargetKindError::Local { option: "--defect" }.into());
    }
    let tool_server =
        arguments.target.is_tool_server_alone().then(|| external::given_tool_server(&arguments.target));
    if is_external && tool_server.is_none() {
        let external = unless_stopped(stop.as_mut(), external::start(&arguments.target)).await;
        let Some(external) = external.transpose()? else { return stopped_before("check") };
        let terms = Terms {
            lane: arguments.lane.unwrap_or(external.lane()),
            local: false,
            lasting: external.lasting.clone(),
            replay,
        };
        return external.alive(judge(external.target.clone(), &chosen, known, &arguments, terms, stop)).await;
    }
    if let Some(option) = given {
        return Err(TargetKindError::Addressed { option }.into());
    }
    let front = Front::of(&arguments.platform)?;
    let platform = unless_stopped(stop.as_mut(), local::start_for_checks(&arguments.platform, front)).await;
    let Some(platform) = platform.transpose()? else { return stopped_before("check") };
    let mut target = platform.target(arguments.target.rate.policy())?;
    let local = tool_server.is_none();
    if let Some(given) = tool_server {
        // The platform only serves the tool server, and is not judged.
        target.tool_server = given?;
        chosen.retain(|check| check.needs.contains(&Need::ToolServer));
    }
    let terms = Terms {
        lane: arguments.lane.unwrap_or(LaneArgument::Write),
        local,
        lasting: platform.lasting_addresses(),
        replay,
    };
    let exit = platform.alive(judge(target, &chosen, known, &arguments, terms, stop)).await;
    platform.stop().await;
    exit
}

fn chosen(arguments: &CheckArguments) -> Result<Vec<&'static Check>, NoMatch> {
    let of_only = select(checks(), &arguments.only, "check", ids)?;
    let of_sections = select(checks(), &arguments.section, SECTION, |check| vec![section(check)])?;
    let both = of_only.into_iter().filter(|check| of_sections.iter().any(|other| other.id == check.id));
    without(both.collect(), &arguments.skip, "check", ids)
}

fn ids(check: &Check) -> Vec<&str> {
    vec![check.id, check.clause.id]
}

/// The settings of a run that depend on the kind of target.
struct Terms {
    lane: LaneArgument,
    /// Whether the target is our own platform, which must keep this project's choices.
    local: bool,
    /// Pairs of an address valid only during the run and the address that the report shows instead.
    lasting: Vec<(String, String)>,
    /// The command line that repeats the run.
    replay: String,
}

async fn judge(
    target: Target,
    chosen: &[&'static Check],
    known: Baseline,
    arguments: &CheckArguments,
    terms: Terms,
    stop: Pin<&mut impl Future<Output = ()>>,
) -> Result<Exit, CommandError> {
    let Terms { lane, local, lasting, replay } = terms;
    let strict = arguments.strict || local;
    let world = World::new(target.clone(), arguments.platform.seed)?;
    let most = lane.most();
    let run = Run {
        lane: lane.word().to_owned(),
        strict,
        seed: arguments.platform.seed,
        replay,
        required: required(arguments, &world, (most, local)),
        ..described(&target, local, &lasting, chosen)
    };
    let events = arguments.events.as_deref();
    let recording = Recording::begin(run, &target, lasting, known, events, Kept::Ends)?;
    let world = Arc::new(world);
    let checks = async {
        let unanswered = if local { None } else { wait::silence(&world).await };
        // If nothing answers, show no progress.
        let progress = Progress::new(if unanswered.is_some() { 0 } else { chosen.len() }, "checks");
        let rules = Rules {
            most,
            strict,
            shares_reads: true,
            unanswered: unanswered.as_deref(),
            on_finished: &|finished| {
                recording.verdict(finished);
                if unanswered.is_none() {
                    progress.finished(finished);
                }
            },
            recorder: Some(&|check: &'static Check| {
                progress.begun(check.id);
                Some(recording.of(check.id))
            }),
        };
        runner::run(&world, chosen, &rules).await;
    };
    if unless_stopped(stop, checks).await.is_none() {
        output::narrate(&interrupted(recording.cut(events)?, chosen.len()));
        return Ok(Exit::Interrupted);
    }
    let events = recording.end(events)?;
    let report = Report::of_events(events).expect("the recording begins with its run and ends with its end");
    let report = report.with_all_differences(arguments.files.differences);
    arguments.files.write(&report)?;
    let exit = output::print(&report, arguments.print.json)?;
    if annotations::wanted() {
        output::narrate(annotations::render(&report).trim_end());
    }
    Ok(exit)
}

/// The summary of a run that was interrupted: how many checks ended, their results, and the verdict on them.
fn interrupted(events: Vec<Event>, all: usize) -> String {
    let report = Report::of_events(events).expect("a recording that was cut begins with its run and ends");
    let (done, sum) = (report.verdicts.len(), report::text::sum(&report, Colour::of_stderr()));
    let sentence = report.sentence();
    format!("interrupted after {done} of {}: {sum}\n{sentence}", report::count::counted(all, "check"))
}

/// The parts that must be judged in full: the required ones or, for our own platform and without a selection, those for which everything
/// was given. Another target may lack something that a check needs; the verdict says so.
fn required(arguments: &CheckArguments, world: &World, (most, local): (Lane, bool)) -> Vec<String> {
    if !arguments.require.is_empty() {
        return arguments.require.iter().flat_map(|required| required.0.clone()).collect();
    }
    if !local
        || [&arguments.only, &arguments.skip, &arguments.section]
            .iter()
            .any(|selectors| !selectors.is_empty())
    {
        return Vec::new();
    }
    let can_run = |check: &Check| runner::reason_to_skip(world, check, most).is_none();
    let parts: BTreeSet<_> = checks().map(Check::part).collect();
    let given = parts.into_iter().filter(|part| checks().filter(|check| check.part() == *part).all(can_run));
    given.map(|part| part.to_string()).collect()
}

/// The command line that repeats this run, without the selection of checks and without secrets.
fn replay(arguments: &CheckArguments) -> String {
    let target = &arguments.target;
    let mut line = super::command_line("check", &arguments.platform, target);
    let mut add = |option: &str, value: &str| super::add_option(&mut line, option, value);
    if let Some(command) = &target.mcp {
        add("--mcp", command);
    }
    for value in &target.rpc_urls {
        add("--rpc-url", value);
    }
    if let Some(path) = &target.private_keys {
        add("--private-keys", &path.display().to_string());
    }
    let rate = &target.rate;
    if let Some(count) = rate.requests_per_second {
        add("--requests-per-second", &count.to_string());
    }
    if let Some(path) = &target.target_file {
        add("--target-file", &path.display().to_string());
    }
    if let Some(lane) = arguments.lane {
        add("--lane", lane.word());
    }
    if arguments.strict {
        line.push_str(" --strict");
    }
    line
}
