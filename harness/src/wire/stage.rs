//! Puts mutants in force: checks that only read are asked first, several mutants side by side, each behind proxies of its own; then
//! those that write. Whoever was not caught is shown to all checks, many mutants at a time.
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use futures::future::join_all;
use slipway_defects::http::Proxies;
use slipway_defects::wire::{Kind, Mutant, Part, Scope};
use slipway_scenarios::audit::recorded::Figures;
use slipway_scenarios::{Check, Lane, Target, World, checks};

use super::jury::{Jury, Usable, red, side_by_side};
use super::plan::{Drawn, Draws, Plan};
use super::survey::Survey;
use super::{Tally, free};
use crate::error::CommandError;
use crate::progress::Progress;
use crate::runner::{Checkpoint, reason_to_skip};
use crate::tool_server::mutated;

/// A check alone, with nothing changed, that takes longer is of no use.
pub(super) const ALONE: Duration = Duration::from_secs(180);
/// Checks of a lane that are asked about one mutant before all are.
const ASKED: usize = 8;

/// A target behind proxies.
pub(crate) struct Slot<'a> {
    /// As checks see it: through the proxies, its RPCs too.
    pub(crate) target: Target,
    pub(crate) proxies: &'a Proxies,
}

/// One target behind several sets of proxies; writers are asked behind the first.
pub(crate) struct Stage<'a> {
    pub(crate) slots: Vec<Slot<'a>>,
    pub(crate) seed: u64,
    pub(crate) most: Lane,
}

/// What came of a mutant so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Caught,
    /// To be shown to all checks.
    Pending,
    Survived,
    /// Nobody asks for what it changes in the same words again.
    Idle,
}

/// Runs those of so many mutants that have these numbers.
pub(crate) async fn run(
    stage: &Stage<'_>,
    count: usize,
    numbers: &BTreeSet<usize>,
) -> Result<Tally, CommandError> {
    let mut tally = Tally::default();
    let undo = Checkpoint::take(&stage.world(0)?).await;
    let survey = Survey::of(&stage.slots[0].target);
    let started = Instant::now();
    let mut jury = stage.survey(&survey, undo.as_ref(), &mut tally).await?;
    jury.hear(&stage.world(0)?, survey.answers());
    tracing::debug!(answers = jury.answers.len(), took = ?started.elapsed(), "surveyed the target");
    let answers = jury.answers.clone();
    let plan = Plan::new(&answers, stage.seed);
    let progress = Progress::new(numbers.len());
    // What came of each mutant. Those that others draw first are left to them.
    let mut known: BTreeMap<Mutant, Fate> = BTreeMap::new();
    let mut open = plan.distinct(count);
    let taken: BTreeSet<Mutant> = open.iter().map(|(_, drawn)| drawn.mutant.clone()).collect();
    open.retain(|(draws, _)| numbers.contains(&draws.number));
    let again = |mut draws: Draws, known: &BTreeMap<Mutant, Fate>| {
        let next = plan.next(&mut draws, |mutant| taken.contains(mutant) || known.contains_key(mutant));
        next.map(|next| (draws, next))
    };
    while !open.is_empty() {
        // Whoever has an idle one draws again, before the pending ones are shown to all checks.
        let (mut batch, mut fates, mut settled) = (Vec::new(), Vec::new(), Vec::new());
        while !open.is_empty() {
            let (draws, fresh): (Vec<Draws>, Vec<Drawn>) = open.drain(..).unzip();
            let started = Instant::now();
            let judged = stage.judge(&fresh, &jury, undo.as_ref(), &progress).await?;
            let pending = judged.iter().filter(|fate| **fate == Fate::Pending).count();
            tracing::debug!(mutants = fresh.len(), pending, took = ?started.elapsed(), "judged mutants");
            known.extend(fresh.iter().map(|drawn| drawn.mutant.clone()).zip(judged.iter().copied()));
            for ((draws, drawn), fate) in draws.into_iter().zip(fresh).zip(judged) {
                if fate == Fate::Idle {
                    open.extend(again(draws, &known));
                } else {
                    settled.push((draws, drawn.mutant.clone()));
                    batch.push(drawn);
                    fates.push(fate);
                }
            }
        }
        stage.confirm(&batch, &mut fates, &jury, undo.as_ref()).await?;
        known.extend(batch.into_iter().map(|drawn| drawn.mutant).zip(fates));
        for (draws, mutant) in settled {
            match known[&mutant] {
                Fate::Caught => tally.caught += 1,
                Fate::Idle => open.extend(again(draws, &known)),
                Fate::Survived | Fate::Pending => tally.survivors.push((draws.number, mutant)),
            }
        }
    }
    tally.survivors.sort_by_key(|(number, _)| *number);
    progress.clear();
    for slot in &stage.slots {
        slot.proxies.wire().set(&[]);
    }
    if let Some(undo) = &undo {
        undo.revert().await;
    }
    Ok(tally)
}

impl Stage<'_> {
    pub(super) fn world(&self, slot: usize) -> Result<World, CommandError> {
        Ok(World::new(self.slots[slot].target.clone(), self.seed)?)
    }

    /// The world of a slot as mutants need it: one of its own where they change what is read of the chains, or the tool server.
    pub(super) fn facing(
        &self,
        slot: usize,
        shared: &Arc<World>,
        mutants: &[Mutant],
    ) -> Result<Arc<World>, CommandError> {
        if mutants.iter().all(|mutant| ["rest", "swap"].contains(&mutant.service.as_str())) {
            return Ok(Arc::clone(shared));
        }
        let mut target = self.slots[slot].target.clone();
        let own: Vec<&Mutant> = mutants.iter().filter(|mutant| mutant.service == "tool-server").collect();
        if let Some(command) = target.tool_server.as_ref().filter(|_| !own.is_empty()) {
            target.tool_server = Some(mutated(command, &own)?);
        }
        Ok(Arc::new(World::new(target, self.seed)?))
    }

    /// Runs each check with a mutant in force that concerns no answer: those that only read side by side, the others alone.
    async fn survey(
        &self,
        survey: &Arc<Survey>,
        undo: Option<&Checkpoint>,
        tally: &mut Tally,
    ) -> Result<Jury, CommandError> {
        self.slots[0].proxies.wire().set(&[nothing()]);
        let world = Arc::new(self.world(0)?.audited());
        let recorded = |check: &'static Check| Arc::new(world.recorded(survey.recorder(check.id)));
        let runnable = checks().filter(|check| reason_to_skip(&world, check, self.most).is_none());
        let (last, runnable): (Vec<&'static Check>, Vec<&'static Check>) =
            runnable.partition(|check| check.after_all);
        // Of an answer that several receive, the one is kept that was given in the state that all begin with.
        let (reading, mut writing): (Vec<&'static Check>, Vec<&'static Check>) =
            runnable.into_iter().partition(|check| check.lane == Lane::Read);
        writing.sort_by_key(|check| check.lane);
        let mut done = side_by_side(reading.into_iter().map(|check| (check, recorded(check), ALONE))).await;
        for check in writing {
            let started = Instant::now();
            let said = red(check, recorded(check), ALONE).await;
            done.push((check, started.elapsed(), said));
            bring_back(check, undo).await;
        }
        for judge in last {
            let started = Instant::now();
            let mut verdict = red(judge, Arc::clone(&world), ALONE).await;
            if verdict.is_some() {
                // Those whose answers it does not let pass are left out, so that it can judge the others.
                for (check, _, said) in done.iter_mut().filter(|(_, _, said)| said.is_none()) {
                    let world = Arc::new(self.world(0)?.audited());
                    red(check, Arc::clone(&world), ALONE).await;
                    bring_back(check, undo).await;
                    if let Some(blame) = red(judge, world, ALONE).await {
                        *said = Some(format!("{}: {blame}", judge.id));
                        verdict = None;
                    }
                }
            }
            done.push((judge, started.elapsed(), verdict));
        }
        let mut jury = Jury::default();
        for (check, took, said) in done {
            let usable = Usable { check, took };
            match said {
                Some(said) => tally.not_green.push((check.id, said)),
                None => {
                    jury.usable.insert(check.id, usable);
                    jury.after_all.extend(check.after_all.then_some(usable));
                }
            }
        }
        Ok(jury)
    }

    /// What comes of each mutant: by its answer alone, by those that only read, several mutants at a time, and by those that write.
    async fn judge(
        &self,
        batch: &[Drawn],
        jury: &Jury,
        undo: Option<&Checkpoint>,
        progress: &Progress,
    ) -> Result<Vec<Fate>, CommandError> {
        let started = Instant::now();
        let untouched = self.world(0)?;
        self.slots[0].proxies.wire().set(&[]);
        let figures = match jury.after_all.first() {
            Some(judge) => Figures::read(&untouched, judge.check).await,
            None => None,
        };
        let condemns = |drawn: &Drawn| jury.condemns(&drawn.mutant, &untouched, figures.as_ref());
        let condemned = tokio::task::block_in_place(|| on_all_processors(batch, condemns));
        tracing::debug!(took = ?started.elapsed(), "judged recorded answers");
        let next = AtomicUsize::new(0);
        let workers = (0..self.slots.len()).map(|slot| {
            let (next, condemned) = (&next, &condemned);
            async move {
                let shared = Arc::new(self.world(slot)?);
                let mut fates = Vec::new();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(drawn) = batch.get(at) else { break };
                    let fate = if condemned[at] {
                        Fate::Caught
                    } else if is_unlikely(&drawn.mutant, jury) {
                        Fate::Pending
                    } else {
                        self.read(slot, &shared, drawn, jury).await?
                    };
                    fates.push((at, fate));
                    progress.step("mutant");
                }
                Ok::<_, CommandError>(fates)
            }
        });
        let mut fates = vec![Fate::Idle; batch.len()];
        for read in join_all(workers).await {
            for (at, fate) in read? {
                fates[at] = fate;
            }
        }
        tracing::debug!(took = ?started.elapsed(), "asked who only reads");
        self.write(batch, &mut fates, jury, undo).await?;
        Ok(fates)
    }

    /// Asks those that only read; idle where there are none.
    async fn read(
        &self,
        slot: usize,
        shared: &Arc<World>,
        drawn: &Drawn,
        jury: &Jury,
    ) -> Result<Fate, CommandError> {
        let mutant = std::slice::from_ref(&drawn.mutant);
        let reading = jury.asked(&drawn.readers, &drawn.mutant, true);
        if reading.is_empty() {
            return Ok(Fate::Idle);
        }
        let world = self.facing(slot, shared, mutant)?;
        let wire = self.slots[slot].proxies.wire();
        wire.set(mutant);
        for item in reading.into_iter().take(ASKED) {
            let started = Instant::now();
            if red(item.check, Arc::clone(&world), item.patience()).await.is_some() {
                jury.notice(&drawn.mutant, item.check.id, started.elapsed());
                return Ok(Fate::Caught);
            }
        }
        Ok(Fate::Pending)
    }

    /// Asks those that write about every idle mutant that they read: in each round other checks, side by side as `slipway check` runs
    /// them, each about a mutant of its own, on the state that all began with.
    async fn write(
        &self,
        batch: &[Drawn],
        fates: &mut [Fate],
        jury: &Jury,
        undo: Option<&Checkpoint>,
    ) -> Result<(), CommandError> {
        let shared: Vec<Arc<World>> =
            (0..self.slots.len()).map(|slot| self.world(slot).map(Arc::new)).collect::<Result<_, _>>()?;
        // Each with the checks that were asked.
        let idle = (0..batch.len()).filter(|at| fates[*at] == Fate::Idle);
        let mut waiting: Vec<(usize, BTreeSet<&'static str>)> =
            idle.map(|at| (at, BTreeSet::new())).collect();
        while !waiting.is_empty() {
            let mut round: Vec<(usize, Usable)> = Vec::new();
            waiting.retain_mut(|(at, asked)| {
                let is_full = round.len() == self.slots.len()
                    || round.first().is_some_and(|(_, item)| item.check.lane == Lane::Exclusive);
                if is_full {
                    return true;
                }
                let drawn = &batch[*at];
                let writing = jury.asked(&drawn.readers, &drawn.mutant, false);
                let next = writing.into_iter().find(|item| !asked.contains(item.check.id));
                let Some(next) = next.filter(|_| asked.len() < ASKED) else {
                    if !asked.is_empty() {
                        fates[*at] = Fate::Pending;
                    }
                    return false;
                };
                let is_free = round.iter().all(|(_, item)| item.check.id != next.check.id);
                if is_free && (round.is_empty() || next.check.lane != Lane::Exclusive) {
                    asked.insert(next.check.id);
                    round.push((*at, next));
                }
                true
            });
            let said = round.iter().zip(&shared).enumerate().map(|(slot, ((at, item), shared))| async move {
                let mutant = std::slice::from_ref(&batch[*at].mutant);
                let world = self.facing(slot, shared, mutant)?;
                self.slots[slot].proxies.wire().set(mutant);
                let started = Instant::now();
                let said = red(item.check, world, item.patience()).await;
                Ok::<_, CommandError>(said.map(|_| started.elapsed()))
            });
            let said = join_all(said).await;
            if let Some((_, item)) = round.first() {
                bring_back(item.check, undo).await;
            }
            for ((at, item), noticed) in round.into_iter().zip(said) {
                if let Some(took) = noticed? {
                    jury.notice(&batch[at].mutant, item.check.id, took);
                    fates[at] = Fate::Caught;
                }
            }
            waiting.retain(|(at, _)| fates[*at] == Fate::Idle);
        }
        Ok(())
    }
}

/// Whether nobody is likely to notice a mutant when asked. Of nodes few checks read the same, and who does is asked.
fn is_unlikely(mutant: &Mutant, jury: &Jury) -> bool {
    mutant.service != "node" && free::reason(mutant).is_some() && !jury.knows(mutant)
}

/// What a question says of each item, in their order.
fn on_all_processors<T: Sync>(items: &[T], says: impl Fn(&T) -> bool + Sync) -> Vec<bool> {
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let part = items.len().div_ceil(workers).max(1);
    thread::scope(|scope| {
        let parts: Vec<_> = items
            .chunks(part)
            .map(|part| scope.spawn(|| part.iter().map(&says).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|part| part.join().expect("what is asked does not panic")).collect()
    })
}

/// Brings the state back that all begin with, after a check that writes.
pub(super) async fn bring_back(check: &Check, undo: Option<&Checkpoint>) {
    if check.lane != Lane::Read
        && let Some(undo) = undo
    {
        undo.revert().await;
    }
}

/// A mutant that changes nothing, so that every answer passes where answers are changed.
fn nothing() -> Mutant {
    Mutant {
        service: String::new(),
        endpoint: String::new(),
        scope: Scope::Answer(String::new()),
        part: Part::Status,
        kind: Kind::Moved,
    }
}
