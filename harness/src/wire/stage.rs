//! Puts mutants in force: those who only read an answer are asked first, several mutants side by side, each behind proxies of its
//! own; then those who write, alone. Survivors are shown to all checks.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures::future::{BoxFuture, join_all};
use slipway_defects::http::Proxies;
use slipway_defects::wire::{Kind, Mutant, Part, Scope, general};
use slipway_scenarios::{Check, Lane, Stop, Target, World, checks};

use super::Tally;
use super::plan::Plan;
use super::survey::Survey;
use crate::error::CommandError;
use crate::progress::Progress;
use crate::runner::{Checkpoint, reason_to_skip};
use crate::tool_server::mutated;

/// A check that takes longer than this, and many times longer than alone, has noticed a mutant.
const PATIENCE: Duration = Duration::from_secs(20);
const SLOWER: u32 = 20;
/// A check alone, with nothing changed, that takes longer is of no use.
const ALONE: Duration = Duration::from_secs(180);
/// Survivors that are shown to all checks together.
const TOGETHER: usize = 200;
/// Draws for each mutant asked for, before the target is taken to have no more.
const DRAWS: usize = 30;

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

/// A check that is green while nothing is changed, and what it takes.
#[derive(Clone, Copy)]
struct Usable {
    check: &'static Check,
    took: Duration,
}

impl Usable {
    fn patience(&self) -> Duration {
        PATIENCE.max(self.took * SLOWER)
    }
}

/// The checks that can be asked, and which of them noticed what before.
#[derive(Default)]
struct Jury {
    usable: BTreeMap<&'static str, Usable>,
    /// Checks that judge what the others have seen.
    after_all: Vec<Usable>,
    /// Who noticed a change of such a place last.
    noticed: Mutex<BTreeMap<(String, String, String), &'static str>>,
}

/// A mutant with those that read what it changes.
struct Drawn {
    mutant: Mutant,
    readers: BTreeSet<&'static str>,
}

/// What came of a mutant so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Caught,
    Survived,
    /// Nobody asks for what it changes in the same words again.
    Idle,
}

/// Runs this many mutants.
pub(crate) async fn run(stage: &Stage<'_>, count: usize) -> Result<Tally, CommandError> {
    let mut tally = Tally { seed: stage.seed, ..Tally::default() };
    let undo = Checkpoint::take(&stage.world(0)?).await;
    let survey = Survey::of(&stage.slots[0].target);
    let jury = stage.survey(&survey, undo.as_ref(), &mut tally).await?;
    let answers = survey.answers();
    let mut plan = Plan::new(&answers, stage.seed);
    let progress = Progress::new(count);
    let (mut drawn, mut survived, mut draws) = (BTreeSet::new(), Vec::new(), 0);
    while tally.caught + survived.len() < count && draws < count.saturating_mul(DRAWS) {
        let mut batch = Vec::new();
        while batch.len() < count - tally.caught - survived.len() && draws < count.saturating_mul(DRAWS) {
            draws += 1;
            if let Some((mutant, readers)) = plan.draw()
                && drawn.insert(mutant.clone())
            {
                batch.push(Drawn { mutant, readers });
            }
        }
        let fates = stage.judge(&batch, &jury, undo.as_ref(), &progress).await?;
        for (Drawn { mutant, .. }, fate) in batch.into_iter().zip(fates) {
            match fate {
                Fate::Caught => tally.caught += 1,
                Fate::Survived => survived.push(mutant),
                Fate::Idle => {}
            }
        }
    }
    progress.clear();
    for group in survived.chunks(TOGETHER) {
        let survivors = stage.confirm(group, &jury, undo.as_ref()).await?;
        tally.caught += group.len() - survivors.len();
        tally.survivors.extend(survivors);
    }
    for slot in &stage.slots {
        slot.proxies.wire().set(&[]);
    }
    if let Some(undo) = &undo {
        undo.revert().await;
    }
    Ok(tally)
}

impl Jury {
    /// Those of these checks that can be asked: first who noticed such a change before, then the quick ones.
    fn asked(&self, ids: &BTreeSet<&'static str>, mutant: &Mutant) -> Vec<Usable> {
        let before = self.noticed().get(&place(mutant)).copied();
        let mut asked: Vec<Usable> = ids.iter().filter_map(|id| self.usable.get(id).copied()).collect();
        asked.sort_by_key(|item| (item.check.lane, Some(item.check.id) != before, item.took));
        asked
    }

    fn notice(&self, mutant: &Mutant, check: &'static str) {
        self.noticed().insert(place(mutant), check);
    }

    fn noticed(&self) -> std::sync::MutexGuard<'_, BTreeMap<(String, String, String), &'static str>> {
        self.noticed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a check turns red, or what judges the answers that it got.
    async fn reddens(&self, asked: Usable, world: &World) -> bool {
        self.says(asked.check, world, asked.patience()).await.is_some()
    }

    /// What is said where a check, or what judges the answers that it got, does not pass.
    async fn says(&self, check: &'static Check, world: &World, patience: Duration) -> Option<String> {
        let world = Arc::new(world.audited());
        let said = red(check, Arc::clone(&world), patience).await;
        if said.is_some() || check.after_all {
            return said;
        }
        for judge in &self.after_all {
            if let Some(said) = red(judge.check, Arc::clone(&world), judge.patience()).await {
                return Some(format!("{}: {said}", judge.check.id));
            }
        }
        None
    }
}

/// What kind of change a mutant makes in what kind of place.
fn place(mutant: &Mutant) -> (String, String, String) {
    let part = match &mutant.part {
        Part::Body(pointer) => general(pointer),
        part => format!("{part:?}"),
    };
    (mutant.endpoint.clone(), part, mutant.kind.to_string())
}

impl Stage<'_> {
    fn world(&self, slot: usize) -> Result<World, CommandError> {
        Ok(World::new(self.slots[slot].target.clone(), self.seed)?)
    }

    /// The world of a slot as mutants need it: one of its own where they change what is read of the chains, or the tool server.
    fn facing(
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

    /// Runs each check alone, with a mutant in force that concerns no answer.
    async fn survey(
        &self,
        survey: &Arc<Survey>,
        undo: Option<&Checkpoint>,
        tally: &mut Tally,
    ) -> Result<Jury, CommandError> {
        let mut jury = Jury::default();
        self.slots[0].proxies.wire().set(&[nothing()]);
        let world = self.world(0)?;
        let (judges, others): (Vec<_>, Vec<_>) = checks().partition(|check| check.after_all);
        for check in judges.into_iter().chain(others) {
            if reason_to_skip(&world, check, self.most).is_some() {
                continue;
            }
            let started = Instant::now();
            let said = jury.says(check, &world.recorded(survey.recorder(check.id)), ALONE).await;
            let took = started.elapsed();
            if check.lane != Lane::Read
                && let Some(undo) = undo
            {
                undo.revert().await;
            }
            let usable = Usable { check, took };
            match said {
                Some(said) => tally.not_green.push((check.id, said)),
                None => {
                    jury.usable.insert(check.id, usable);
                    if check.after_all {
                        jury.after_all.push(usable);
                    }
                }
            }
        }
        Ok(jury)
    }

    /// What comes of each mutant: first by those that only read, several mutants at a time, then by those that write.
    async fn judge(
        &self,
        batch: &[Drawn],
        jury: &Jury,
        undo: Option<&Checkpoint>,
        progress: &Progress,
    ) -> Result<Vec<Fate>, CommandError> {
        let next = AtomicUsize::new(0);
        let workers = (0..self.slots.len()).map(|slot| {
            let next = &next;
            async move {
                let shared = Arc::new(self.world(slot)?);
                let mut fates = Vec::new();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(drawn) = batch.get(at) else { break };
                    fates.push((at, self.read(slot, &shared, drawn, jury).await?));
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
        let shared = Arc::new(self.world(0)?);
        for (drawn, fate) in batch.iter().zip(&mut fates).filter(|(_, fate)| **fate != Fate::Caught) {
            *fate = self.write(&shared, drawn, *fate, jury, undo).await?;
        }
        Ok(fates)
    }

    /// Asks those that only read.
    async fn read(
        &self,
        slot: usize,
        shared: &Arc<World>,
        drawn: &Drawn,
        jury: &Jury,
    ) -> Result<Fate, CommandError> {
        let mutant = std::slice::from_ref(&drawn.mutant);
        let asked = jury.asked(&drawn.readers, &drawn.mutant);
        let mut reading = asked.into_iter().filter(|item| item.check.lane == Lane::Read).peekable();
        if reading.peek().is_none() {
            return Ok(Fate::Idle);
        }
        let world = self.facing(slot, shared, mutant)?;
        let wire = self.slots[slot].proxies.wire();
        wire.set(mutant);
        for item in reading {
            if jury.reddens(item, &world).await {
                jury.notice(&drawn.mutant, item.check.id);
                return Ok(Fate::Caught);
            }
        }
        Ok(self.passed(slot, &drawn.mutant))
    }

    /// Asks those that write, one after another, each on the state that all began with.
    async fn write(
        &self,
        shared: &Arc<World>,
        drawn: &Drawn,
        before: Fate,
        jury: &Jury,
        undo: Option<&Checkpoint>,
    ) -> Result<Fate, CommandError> {
        let mutant = std::slice::from_ref(&drawn.mutant);
        let asked = jury.asked(&drawn.readers, &drawn.mutant);
        let mut writing = asked.into_iter().filter(|item| item.check.lane != Lane::Read).peekable();
        if writing.peek().is_none() {
            return Ok(before);
        }
        let world = self.facing(0, shared, mutant)?;
        self.slots[0].proxies.wire().set(mutant);
        for item in writing {
            let reddened = jury.reddens(item, &world).await;
            if let Some(undo) = undo {
                undo.revert().await;
            }
            if reddened {
                jury.notice(&drawn.mutant, item.check.id);
                return Ok(Fate::Caught);
            }
        }
        Ok(if before == Fate::Survived { before } else { self.passed(0, &drawn.mutant) })
    }

    /// What became of a mutant in force that nobody noticed.
    fn passed(&self, slot: usize, mutant: &Mutant) -> Fate {
        let applied = mutant.service == "tool-server" || self.slots[slot].proxies.wire().applied() != [0];
        if applied { Fate::Survived } else { Fate::Idle }
    }

    /// Shows survivors to all checks, many at a time; those that still turn none red.
    fn confirm<'a>(
        &'a self,
        group: &'a [Mutant],
        jury: &'a Jury,
        undo: Option<&'a Checkpoint>,
    ) -> BoxFuture<'a, Result<Vec<Mutant>, CommandError>> {
        Box::pin(async move {
            let shared = Arc::new(self.world(0)?);
            let world = self.facing(0, &shared, group)?;
            self.slots[0].proxies.wire().set(group);
            if !self.any_reddens(&world, jury, undo).await {
                return Ok(group.to_vec());
            }
            if group.len() == 1 {
                return Ok(Vec::new());
            }
            let (left, right) = group.split_at(group.len() / 2);
            let mut survivors = self.confirm(left, jury, undo).await?;
            survivors.extend(self.confirm(right, jury, undo).await?);
            Ok(survivors)
        })
    }

    /// Whether a run of all checks turns red, as `slipway check` would.
    async fn any_reddens(&self, world: &World, jury: &Jury, undo: Option<&Checkpoint>) -> bool {
        let world = Arc::new(world.audited());
        let mut all: Vec<Usable> = jury.usable.values().copied().collect();
        all.sort_by_key(|item| (item.check.after_all, item.check.lane, item.took));
        for item in all {
            let patience = if item.check.after_all { ALONE } else { item.patience() };
            let said = red(item.check, Arc::clone(&world), patience).await;
            if item.check.lane != Lane::Read
                && let Some(undo) = undo
            {
                undo.revert().await;
            }
            if said.is_some() {
                return true;
            }
        }
        false
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

/// What a check says that does not pass, so that a run of all checks would not end with 0; one that is skipped says nothing.
async fn red(check: &'static Check, world: Arc<World>, patience: Duration) -> Option<String> {
    let verdict = tokio::spawn(async move { tokio::time::timeout(patience, check.run(&world)).await }).await;
    match verdict {
        Ok(Ok(Ok(()) | Err(Stop::Skipped(_)))) => None,
        Ok(Ok(Err(stop))) => Some(format!("{stop:?}")),
        Ok(Err(_)) => Some(format!("no verdict within {} s", patience.as_secs())),
        Err(panic) => Some(panic.to_string()),
    }
}
