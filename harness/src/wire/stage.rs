//! Puts mutants in force one after another: those who read the answer are asked first, survivors are shown to all checks.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use slipway_defects::http::Proxies;
use slipway_defects::wire::{Kind, Mutant, Part, Scope};
use slipway_scenarios::{Check, Lane, Target, World, checks};
use tokio::task::JoinSet;

use super::Tally;
use super::plan::Plan;
use super::survey::Survey;
use crate::error::CommandError;
use crate::progress::Progress;
use crate::runner::{Checkpoint, reason_to_skip};
use crate::tool_server::mutated;

/// Checks that read and run side by side.
const READERS: usize = 6;
/// A check that takes longer than this, and many times longer than alone, has noticed a mutant.
const PATIENCE: Duration = Duration::from_secs(20);
const SLOWER: u32 = 20;
/// A check alone, with nothing changed, that takes longer is of no use.
const ALONE: Duration = Duration::from_secs(180);
/// Survivors that are shown to all checks together.
const TOGETHER: usize = 25;
/// Draws for each mutant asked for, before the target is taken to have no more.
const DRAWS: usize = 30;

/// A target behind proxies.
pub(crate) struct Stage<'a> {
    /// As checks see it: through the proxies, its RPCs too.
    pub(crate) target: Target,
    pub(crate) proxies: &'a Proxies,
    pub(crate) seed: u64,
    pub(crate) most: Lane,
}

/// A check that is green while nothing is changed, and what it takes.
#[derive(Clone, Copy)]
struct Usable {
    check: &'static Check,
    took: Duration,
    kills: usize,
}

impl Usable {
    fn patience(&self) -> Duration {
        PATIENCE.max(self.took * SLOWER)
    }
}

/// Runs this many mutants.
pub(crate) async fn run(stage: &Stage<'_>, count: usize) -> Result<Tally, CommandError> {
    let mut tally = Tally { seed: stage.seed, ..Tally::default() };
    let undo = Checkpoint::take(&stage.world()?).await;
    let survey = Survey::of(&stage.target);
    let mut usable = stage.survey(&survey, undo.as_ref(), &mut tally).await?;
    let answers = survey.answers();
    let mut plan = Plan::new(&answers, stage.seed);
    let progress = Progress::new(count);
    let (mut drawn, mut survived) = (BTreeSet::new(), Vec::new());
    // Contracts are not mutated: what was read of them holds for every mutant of the other services.
    let shared = Arc::new(stage.world()?);
    for _ in 0..count.saturating_mul(DRAWS) {
        if tally.caught + survived.len() == count {
            break;
        }
        let Some((mutant, readers)) = plan.draw() else { continue };
        if !drawn.insert(mutant.clone()) {
            continue;
        }
        let world = match mutant.service.as_str() {
            "rest" | "swap" => Arc::clone(&shared),
            _ => Arc::new(World::new(stage.facing(std::slice::from_ref(&mutant))?, stage.seed)?),
        };
        stage.proxies.wire().set(std::slice::from_ref(&mutant));
        let caught = stage.ask(&world, &readers, &mut usable, undo.as_ref()).await;
        if caught {
            tally.caught += 1;
        } else if mutant.service == "tool-server" || stage.proxies.wire().applied() != [0] {
            survived.push(mutant);
        } else {
            // Nobody asks this again in the same words.
            continue;
        }
        progress.step("mutant");
    }
    progress.clear();
    let ids: BTreeSet<&'static str> = usable.keys().copied().collect();
    for group in survived.chunks(TOGETHER) {
        let survivors = stage.confirm(group, &ids, &mut usable, undo.as_ref()).await?;
        tally.caught += group.len() - survivors.len();
        tally.survivors.extend(survivors);
    }
    stage.proxies.wire().set(&[]);
    if let Some(undo) = &undo {
        undo.revert().await;
    }
    Ok(tally)
}

impl Stage<'_> {
    fn world(&self) -> Result<World, CommandError> {
        Ok(World::new(self.target.clone(), self.seed)?)
    }

    /// The target with its tool server inside a wrapper that carries those of the mutants that are its own.
    fn facing(&self, mutants: &[Mutant]) -> Result<Target, CommandError> {
        let mut target = self.target.clone();
        let own: Vec<&Mutant> = mutants.iter().filter(|mutant| mutant.service == "tool-server").collect();
        if let Some(command) = target.tool_server.as_ref().filter(|_| !own.is_empty()) {
            target.tool_server = Some(mutated(command, &own)?);
        }
        Ok(target)
    }

    /// Runs each check alone, with a mutant in force that concerns no answer.
    async fn survey(
        &self,
        survey: &Arc<Survey>,
        undo: Option<&Checkpoint>,
        tally: &mut Tally,
    ) -> Result<BTreeMap<&'static str, Usable>, CommandError> {
        let mut usable = BTreeMap::new();
        self.proxies.wire().set(&[nothing()]);
        for check in checks() {
            let world = self.world()?;
            if reason_to_skip(&world, check, self.most).is_some() {
                continue;
            }
            let started = Instant::now();
            let said = reddens(check, Arc::new(world.recorded(survey.recorder(check.id))), ALONE).await;
            let took = started.elapsed();
            if check.lane != Lane::Read
                && let Some(undo) = undo
            {
                undo.revert().await;
            }
            match said {
                None => _ = usable.insert(check.id, Usable { check, took, kills: 0 }),
                Some(said) => tally.not_green.push((check.id, said)),
            }
        }
        Ok(usable)
    }

    /// Whether one of these checks turns red: those that read side by side, then the others alone.
    async fn ask(
        &self,
        world: &Arc<World>,
        ids: &BTreeSet<&'static str>,
        usable: &mut BTreeMap<&'static str, Usable>,
        undo: Option<&Checkpoint>,
    ) -> bool {
        let mut asked: Vec<Usable> = ids.iter().filter_map(|id| usable.get(id).copied()).collect();
        asked.sort_by_key(|item| (item.check.lane, std::cmp::Reverse(item.kills), item.took));
        let (reading, writing): (Vec<Usable>, Vec<Usable>) =
            asked.into_iter().partition(|item| item.check.lane == Lane::Read);
        let mut killer = None;
        let mut waiting = reading.into_iter();
        let mut running = JoinSet::new();
        loop {
            while killer.is_none()
                && running.len() < READERS
                && let Some(item) = waiting.next()
            {
                let world = Arc::clone(world);
                running.spawn(async move {
                    (item.check.id, reddens(item.check, world, item.patience()).await.is_some())
                });
            }
            match running.join_next().await {
                Some(Ok((id, true))) => {
                    killer = Some(id);
                    running.abort_all();
                }
                Some(_) => {}
                None => break,
            }
        }
        for item in writing {
            if killer.is_some() {
                break;
            }
            let red = reddens(item.check, Arc::clone(world), item.patience()).await.is_some();
            if let Some(undo) = undo {
                undo.revert().await;
            }
            killer = red.then_some(item.check.id);
        }
        if let Some(item) = killer.and_then(|id| usable.get_mut(id)) {
            item.kills += 1;
        }
        killer.is_some()
    }

    /// Shows survivors to all checks, many at a time; those that still turn none red.
    fn confirm<'a>(
        &'a self,
        group: &'a [Mutant],
        ids: &'a BTreeSet<&'static str>,
        usable: &'a mut BTreeMap<&'static str, Usable>,
        undo: Option<&'a Checkpoint>,
    ) -> BoxFuture<'a, Result<Vec<Mutant>, CommandError>> {
        Box::pin(async move {
            let world = Arc::new(World::new(self.facing(group)?, self.seed)?);
            self.proxies.wire().set(group);
            if !self.ask(&world, ids, usable, undo).await {
                return Ok(group.to_vec());
            }
            if group.len() == 1 {
                return Ok(Vec::new());
            }
            let (left, right) = group.split_at(group.len() / 2);
            let mut survivors = self.confirm(left, ids, usable, undo).await?;
            survivors.extend(self.confirm(right, ids, usable, undo).await?);
            Ok(survivors)
        })
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

/// What a check says that does not pass; a run of all checks would not end with 0.
async fn reddens(check: &'static Check, world: Arc<World>, patience: Duration) -> Option<String> {
    let verdict = tokio::spawn(async move { tokio::time::timeout(patience, check.run(&world)).await }).await;
    match verdict {
        Ok(Ok(Ok(()))) => None,
        Ok(Ok(Err(stop))) => Some(format!("{stop:?}")),
        Ok(Err(_)) => Some(format!("no verdict within {} s", patience.as_secs())),
        Err(panic) => Some(panic.to_string()),
    }
}
