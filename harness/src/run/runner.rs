//! Runs checks against one world: read-only checks in parallel, then writers, then exclusive ones, one at a time and rolled back.
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::OptionFuture;
pub(crate) use slipway_scenarios::Outcome;
use slipway_scenarios::client::control::Control;
use slipway_scenarios::client::record::Recorder;
use slipway_scenarios::model::target::Need;
use slipway_scenarios::{Check, Failure, Lane, Ran, World};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// How many checks run in parallel, of those that are not exclusive.
pub(crate) const CHECKS_AT_ONCE: usize = 8;
/// How many of them may run tool servers, unless the target says otherwise: starting one takes a processor, seconds for a Python server,
/// and too many at once would all miss their time limit.
const TOOL_SERVERS_AT_ONCE: usize = 4;
/// A check that takes longer has no verdict; time spent waiting for rate limits does not count.
const PATIENCE: Duration = Duration::from_secs(600);

#[derive(Clone, Debug)]
pub(crate) struct Finished {
    pub(crate) check: &'static Check,
    pub(crate) outcome: Outcome,
    /// Differences from this project's choices.
    pub(crate) differences: Vec<Failure>,
    /// The statements of the interface on which it reached a verdict.
    pub(crate) statements: Vec<&'static str>,
    /// The needs that the target lacks, without which the check judged less.
    pub(crate) lacking: Vec<Need>,
    pub(crate) took: Duration,
}

pub(crate) type MakeRecorder<'a> = &'a (dyn Fn(&'static Check) -> Option<Arc<dyn Recorder>> + Sync);

/// The runner's permissions and options.
pub(crate) struct Rules<'a> {
    /// The most disruptive lane that may run.
    pub(crate) most: Lane,
    /// Hold the target to this project's choices.
    pub(crate) strict: bool,
    /// Whether read-only checks share what they read.
    pub(crate) shares_reads: bool,
    /// Why no check can reach a verdict, if nothing answers.
    pub(crate) unanswered: Option<&'a str>,
    /// Called as each check ends.
    pub(crate) on_finished: &'a (dyn Fn(&Finished) + Sync),
    /// Makes the recorder of a check's exchanges; `None` if they are not recorded.
    pub(crate) recorder: Option<MakeRecorder<'a>>,
}

/// Runs the checks and returns them in the order given.
pub(crate) async fn run(world: &Arc<World>, checks: &[&'static Check], rules: &Rules<'_>) -> Vec<Finished> {
    let mut finished = Vec::with_capacity(checks.len());
    let mut runnable = Vec::new();
    for check in checks {
        match reason_to_skip(world, check, rules.most) {
            Some(reason) => {
                finished.push(done(check, undecided(Outcome::Skipped(reason)), Duration::ZERO, rules));
            }
            None => match rules.unanswered {
                Some(reason) => {
                    let reason = Outcome::Inconclusive(reason.to_owned());
                    finished.push(done(check, undecided(reason), Duration::ZERO, rules));
                }
                None => runnable.push(*check),
            },
        }
    }
    let (last, mut runnable): (Vec<&'static Check>, Vec<&'static Check>) =
        runnable.into_iter().partition(|check| check.after_all);
    // From here on, exchanges are kept for the checks that judge them at the end.
    let world = &if last.is_empty() { Arc::clone(world) } else { Arc::new(world.audited()) };
    // Checks of a tool server start first: others run while they wait, for example for receipts that never come.
    runnable.sort_by_key(|check| !check.needs.contains(&Need::ToolServer));
    let of = |lane: Lane| runnable.iter().copied().filter(move |check| check.lane == lane);
    let reading = if rules.shares_reads { &Arc::new(world.sharing_reads()) } else { world };
    side_by_side(reading, of(Lane::Read), CHECKS_AT_ONCE, rules, &mut finished).await;
    let undo = if runnable.iter().any(|check| check.lane != Lane::Read) {
        Checkpoint::take(world).await
    } else {
        None
    };
    side_by_side(world, of(Lane::Write), CHECKS_AT_ONCE, rules, &mut finished).await;
    for check in of(Lane::Exclusive) {
        if let Some(checkpoint) = &undo {
            checkpoint.revert().await;
        }
        side_by_side(world, std::iter::once(check), 1, rules, &mut finished).await;
    }
    if let Some(checkpoint) = &undo {
        checkpoint.revert().await;
    }
    // If nothing was written, shared reads are still valid.
    let world = if runnable.iter().all(|check| check.lane == Lane::Read) { reading } else { world };
    side_by_side(world, last.into_iter(), 1, rules, &mut finished).await;
    let place = |item: &Finished| checks.iter().position(|check| check.id == item.check.id);
    finished.sort_by_key(place);
    finished
}

async fn side_by_side(
    world: &Arc<World>,
    mut checks: impl Iterator<Item = &'static Check>,
    most: usize,
    rules: &Rules<'_>,
    finished: &mut Vec<Finished>,
) {
    let tool_servers =
        world.target().conventions.tool_servers_at_once.map_or(TOOL_SERVERS_AT_ONCE, NonZeroUsize::get);
    let tool_servers = Arc::new(Semaphore::new(tool_servers));
    let mut running = JoinSet::new();
    loop {
        while running.len() < most
            && let Some(check) = checks.next()
        {
            let world = match rules.recorder.and_then(|recorder| recorder(check)) {
                Some(recorder) => Arc::new(world.recorded(recorder)),
                None => Arc::clone(world),
            };
            let strict = rules.strict;
            let turns = check.needs.contains(&Need::ToolServer).then(|| Arc::clone(&tool_servers));
            running.spawn(async move {
                // A check that starts tool servers waits for its turn, which does not count towards its time.
                let _turn = OptionFuture::from(turns.map(Semaphore::acquire_owned)).await;
                let started = Instant::now();
                // The inner task turns a panic of the check into an outcome of that check alone.
                let ran = tokio::spawn(async move { patiently(&world, check.run(&world, strict)).await });
                let ran = ran.await;
                (check, ran, started.elapsed())
            });
        }
        let Some(ended) = running.join_next().await else {
            return;
        };
        let (check, ran, took) = ended.expect("the outer task neither panics nor is aborted");
        let without_verdict = |reason| undecided(Outcome::Inconclusive(reason));
        let ran = match ran {
            Ok(Some(ran)) => ran,
            Ok(None) => without_verdict(format!("no verdict within {} s", PATIENCE.as_secs())),
            Err(panic) => without_verdict(format!("the check itself failed: {panic}")),
        };
        finished.push(done(check, ran, took, rules));
    }
}

/// The result of a run, or `None` if it exceeds the time limit.
async fn patiently<T>(world: &World, run: impl Future<Output = T>) -> Option<T> {
    let mut run = std::pin::pin!(run);
    let held = || world.http().held();
    let mut granted = held();
    let mut left = PATIENCE;
    loop {
        if let Ok(ran) = tokio::time::timeout(left, &mut run).await {
            return Some(ran);
        }
        left = held() - granted;
        if left.is_zero() {
            return None;
        }
        granted += left;
    }
}

/// The result of a check that was not judged.
fn undecided(outcome: Outcome) -> Ran {
    Ran { outcome, differences: Vec::new(), statements: Vec::new(), lacking: Vec::new() }
}

fn done(check: &'static Check, ran: Ran, took: Duration, rules: &Rules<'_>) -> Finished {
    tracing::debug!(check = check.id, ?took, "finished");
    let Ran { outcome, differences, statements, lacking } = ran;
    let finished = Finished { check, outcome, differences, statements, lacking, took };
    (rules.on_finished)(&finished);
    finished
}

pub(crate) fn reason_to_skip(world: &World, check: &Check, most: Lane) -> Option<String> {
    if check.lane > most {
        return Some("it writes, and only the read lane was allowed (--lane write)".to_owned());
    }
    check.lacks(world).map(Need::reason_to_skip)
}

/// A state of the whole platform to return to, if its control plane offers checkpoints.
pub(crate) struct Checkpoint {
    control: Control,
    id: String,
}

impl Checkpoint {
    pub(crate) async fn take(world: &World) -> Option<Self> {
        let control = world.control().ok()?;
        let id = control.checkpoint().await.ok()?;
        Some(Self { control, id })
    }

    pub(crate) async fn revert(&self) {
        if let Err(error) = self.control.revert(&self.id).await {
            tracing::warn!(checkpoint = self.id, %error, "the checkpoint could not be restored");
        }
    }
}
