//! Shows mutants that nobody noticed so far to all checks, many at a time; who turns a check red is found by halves.
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use slipway_defects::wire::{Mutant, Part, Scope};
use slipway_scenarios::{Lane, World};

use super::jury::{Jury, Usable, red, side_by_side};
use super::plan::Drawn;
use super::stage::{ALONE, Fate, Stage, bring_back};
use crate::error::CommandError;
use crate::runner::Checkpoint;

/// Mutants that are shown to all checks together.
const TOGETHER: usize = 400;

/// Mutants that are in force together, by their number in the batch.
struct Group<'a> {
    batch: &'a [Drawn],
    members: Vec<usize>,
    /// Those that have changed an answer.
    applied: BTreeSet<usize>,
    caught: BTreeSet<usize>,
}

impl Stage<'_> {
    /// Settles the fate of every pending mutant.
    pub(super) async fn confirm(
        &self,
        batch: &[Drawn],
        fates: &mut [Fate],
        jury: &Jury,
        undo: Option<&Checkpoint>,
    ) -> Result<(), CommandError> {
        let pending = (0..batch.len()).filter(|at| fates[*at] == Fate::Pending);
        for members in groups(batch, pending) {
            let mut group =
                Group { batch, members: members.clone(), applied: BTreeSet::new(), caught: BTreeSet::new() };
            let started = Instant::now();
            self.show(&mut group, jury, undo).await?;
            tracing::debug!(
                mutants = members.len(),
                caught = group.caught.len(),
                took = ?started.elapsed(),
                "showed mutants to all checks"
            );
            for at in members {
                fates[at] = if group.caught.contains(&at) {
                    Fate::Caught
                } else if group.applied.contains(&at) || batch[at].mutant.service == "tool-server" {
                    Fate::Survived
                } else {
                    Fate::Idle
                };
            }
        }
        Ok(())
    }

    /// Runs all checks as `slipway check` would, with what is left of a group in force.
    async fn show(
        &self,
        group: &mut Group<'_>,
        jury: &Jury,
        undo: Option<&Checkpoint>,
    ) -> Result<(), CommandError> {
        let shared = Arc::new(self.world(0)?);
        let mut all: Vec<Usable> = jury.usable.values().copied().collect();
        all.sort_by_key(|item| (item.check.after_all, item.check.lane, item.took));
        let (judges, others): (Vec<Usable>, Vec<Usable>) =
            all.into_iter().partition(|item| item.check.after_all);
        let mut world = Arc::new(self.force(&shared, &group.members, group.batch)?.audited());
        let mut doubted = Vec::new();
        // As `slipway check` runs them: readers side by side, then writers, then each that needs the platform for itself.
        let together = |one: &Usable, next: &Usable| {
            one.check.lane == next.check.lane && one.check.lane != Lane::Exclusive
        };
        for side in others.chunk_by(together) {
            let asked = side.iter().map(|item| (item.check, Arc::clone(&world), item.patience()));
            let ran = side_by_side(asked).await;
            bring_back(side[0].check, undo).await;
            let red = side.iter().zip(ran).filter(|(_, (_, _, said))| said.is_some());
            doubted.extend(red.map(|(item, _)| *item));
        }
        tracing::debug!(doubted = doubted.len(), "ran all checks");
        doubted.extend(judges);
        for item in doubted {
            while !group.members.is_empty() && self.reddens(item, &world, group, &shared, jury, undo).await? {
                self.note(group);
                let started = Instant::now();
                let culprit = self.culprit(item, group, &shared, jury, undo).await?;
                let mutant = culprit.map(|at| &group.batch[at].mutant);
                tracing::debug!(check = item.check.id, ?mutant, took = ?started.elapsed(), "searched for a culprit");
                group.caught.extend(culprit);
                group.members.retain(|at| Some(*at) != culprit);
                // Only suspects were in force; what was received of a culprit is not held against the others.
                world = Arc::new(self.force(&shared, &group.members, group.batch)?.audited());
                if culprit.is_none() {
                    break;
                }
            }
        }
        self.note(group);
        Ok(())
    }

    /// The mutant that turns this check red, alone; none where only several together do.
    async fn culprit(
        &self,
        item: Usable,
        group: &Group<'_>,
        shared: &Arc<World>,
        jury: &Jury,
        undo: Option<&Checkpoint>,
    ) -> Result<Option<usize>, CommandError> {
        // Those whose answers it reads come first.
        let read = |at: &usize| group.batch[*at].readers.contains(item.check.id);
        let (near, far): (Vec<usize>, Vec<usize>) = group.members.iter().copied().partition(read);
        let is_near = far.is_empty()
            || (!near.is_empty() && self.accuses(item, &near, group, shared, jury, undo).await?);
        let suspects = if is_near { near } else { far };
        self.halve(item, suspects, group, shared, jury, undo).await
    }

    /// The mutant among these that turns a check red alone; none where only several together do.
    async fn halve(
        &self,
        item: Usable,
        mut suspects: Vec<usize>,
        group: &Group<'_>,
        shared: &Arc<World>,
        jury: &Jury,
        undo: Option<&Checkpoint>,
    ) -> Result<Option<usize>, CommandError> {
        let mut is_seen = false;
        while suspects.len() > 1 {
            let right = suspects.split_off(suspects.len() / 2);
            is_seen = self.accuses(item, &suspects, group, shared, jury, undo).await?;
            if !is_seen {
                suspects = right;
            }
        }
        let is_guilty = is_seen || self.accuses(item, &suspects, group, shared, jury, undo).await?;
        Ok(suspects.pop().filter(|_| is_guilty))
    }

    /// Whether a check is red with these mutants in force, on answers of its own.
    async fn accuses(
        &self,
        item: Usable,
        suspects: &[usize],
        group: &Group<'_>,
        shared: &Arc<World>,
        jury: &Jury,
        undo: Option<&Checkpoint>,
    ) -> Result<bool, CommandError> {
        let world = self.force(shared, suspects, group.batch)?;
        if item.check.after_all {
            // It judges what others received, so those are asked again.
            let world = Arc::new(world.audited());
            let reading = |one: &&Usable| one.check.lane == Lane::Read && !one.check.after_all;
            let asked = jury.usable.values().filter(reading);
            side_by_side(asked.map(|one| (one.check, Arc::clone(&world), one.patience()))).await;
            return Ok(red(item.check, world, ALONE).await.is_some());
        }
        let said = red(item.check, world, item.patience()).await;
        bring_back(item.check, undo).await;
        Ok(said.is_some())
    }

    /// Whether a check is red with what is left of the group in force, which this world faces.
    async fn reddens(
        &self,
        item: Usable,
        world: &Arc<World>,
        group: &Group<'_>,
        shared: &Arc<World>,
        jury: &Jury,
        undo: Option<&Checkpoint>,
    ) -> Result<bool, CommandError> {
        if item.check.after_all && !group.caught.is_empty() {
            // The world has lost what was received while a culprit was in force.
            return self.accuses(item, &group.members, group, shared, jury, undo).await;
        }
        let patience = if item.check.after_all { ALONE } else { item.patience() };
        let said = red(item.check, Arc::clone(world), patience).await;
        bring_back(item.check, undo).await;
        Ok(said.is_some())
    }

    /// Puts these mutants in force; the world that faces them.
    fn force(
        &self,
        shared: &Arc<World>,
        members: &[usize],
        batch: &[Drawn],
    ) -> Result<Arc<World>, CommandError> {
        let mutants: Vec<Mutant> = members.iter().map(|at| batch[*at].mutant.clone()).collect();
        self.slots[0].proxies.wire().set(&mutants);
        self.facing(0, shared, &mutants)
    }

    /// Takes note of the members that have changed an answer.
    fn note(&self, group: &mut Group<'_>) {
        let counts = self.slots[0].proxies.wire().applied();
        let applied = group.members.iter().zip(counts).filter(|(_, count)| *count > 0).map(|(at, _)| *at);
        group.applied.extend(applied);
    }
}

/// Mutants in groups in which none changes what another does.
fn groups(batch: &[Drawn], pending: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in pending {
        let fits = |group: &&mut Vec<usize>| {
            group.len() < TOGETHER
                && !group.iter().any(|other| overlap(&batch[*other].mutant, &batch[at].mutant))
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

/// Whether both change the same part of an answer, or one of them a part of what the other changes.
fn overlap(one: &Mutant, other: &Mutant) -> bool {
    let field = |mutant: &Mutant| match &mutant.scope {
        Scope::Everywhere(name) => Some(name.clone()),
        Scope::Answer(_) => None,
    };
    match (field(one), field(other)) {
        (Some(one), Some(other)) => one == other,
        (Some(name), None) => names(other, &name),
        (None, Some(name)) => names(one, &name),
        (None, None) => {
            let same = one.service == other.service && one.scope == other.scope;
            same && match (&one.part, &other.part) {
                (Part::Body(one), Part::Body(other)) => within(one, other) || within(other, one),
                (one, other) => one == other,
            }
        }
    }
}

/// Whether a mutant of one answer is about a field of this name, or about what may have one.
fn names(mutant: &Mutant, name: &str) -> bool {
    let http = ["rest", "swap"].contains(&mutant.service.as_str());
    http && matches!(&mutant.part, Part::Body(pointer) if pointer.split('/').next_back() == Some(name))
}

fn within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use slipway_defects::wire::Kind;

    use super::*;

    fn drawn(request: &str, pointer: &str) -> Drawn {
        let mutant = Mutant {
            service: "rest".to_owned(),
            endpoint: request.to_owned(),
            scope: Scope::Answer(request.to_owned()),
            part: Part::Body(pointer.to_owned()),
            kind: Kind::Nulled,
        };
        Drawn { mutant, readers: BTreeSet::new() }
    }

    #[test]
    fn groups_have_no_two_changes_of_one_place() {
        let mut everywhere = drawn("every answer", "/**/name");
        everywhere.mutant.scope = Scope::Everywhere("name".to_owned());
        let batch = [
            drawn("GET /a", "/list"),
            drawn("GET /a", "/list/0/name"),
            drawn("GET /a", "/listed"),
            drawn("GET /b", "/list"),
            everywhere,
        ];
        assert_eq!(groups(&batch, 0..batch.len()), [vec![0, 2, 3, 4], vec![1]]);
        let many: Vec<Drawn> = (0..TOGETHER + 1).map(|at| drawn(&format!("GET /{at}"), "/x")).collect();
        let sizes: Vec<usize> = groups(&many, 0..many.len()).iter().map(Vec::len).collect();
        assert_eq!(sizes, [TOGETHER, 1]);
    }
}
