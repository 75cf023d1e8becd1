//! Judges a proof without a platform: every check is proven, every defect failed each clause in its list, every variant passed.
use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use slipway_defects::{catalogue, variants};
use slipway_scenarios::checks;

use super::change::Change;
use super::proof::{Kill, Pass, Proof, ProofError, check, embedded, grounds, is_variant};
use crate::exit::Exit;
use crate::terminal::colour::Colour;
use crate::terminal::printable::{Printable, serialized};

/// The result of judging a proof.
#[derive(Debug, Serialize)]
pub(crate) struct Verified {
    /// How many checks it proves.
    proven: usize,
    faults: Vec<String>,
}

impl Verified {
    pub(crate) fn read(path: &Path) -> Result<Self, ProofError> {
        Proof::read(path).map(|proof| Self::of(&proof))
    }

    /// Judges the proof that this program was built with.
    pub(crate) fn embedded() -> Self {
        Self::of(embedded())
    }

    fn of(proof: &Proof) -> Self {
        let mut faults = Vec::new();
        for (id, kills) in &proof.checks {
            for (defect, kill) in kills {
                faults.extend(fault(id, defect, kill));
            }
        }
        let is_proven = |id: &str| proof.of_check(id).is_some();
        let unproven = checks().filter(|check| !is_proven(check.id));
        faults.extend(unproven.map(|check| format!("no defect of {} fails {}", check.clause.id, check.id)));
        let proven = checks().filter(|check| is_proven(check.id)).count();
        for defect in catalogue() {
            let fails = |clause: &str| {
                let mut kills = proof.checks.values().filter_map(|kills| kills.get(defect.id));
                kills.any(|kill| kill.clause == clause)
            };
            let missed = defect.clauses.iter().filter(|clause| !fails(clause));
            faults.extend(missed.map(|clause| {
                let again = format!("run `slipway drill --only {} --write`", defect.id);
                format!("{} fails no check of {clause}, which it names: {again}", defect.id)
            }));
        }
        let changes =
            variants::catalogue().iter().map(Change::Variant).chain([Change::Together { quickly: false }]);
        faults.extend(changes.filter_map(|change| gap(change, proof.variants.get(change.id()))));
        let strangers = proof.variants.keys().filter(|id| !is_variant(id));
        faults.extend(strangers.map(|id| format!("there is no variant {id}")));
        Self { proven, faults }
    }
}

/// Checks a row and returns its fault.
fn fault(id: &str, defect: &str, kill: &Kill) -> Option<String> {
    let Some(known) = catalogue().iter().find(|known| known.id == defect) else {
        return Some(format!("there is no defect {defect}, which fails {id}"));
    };
    if check(id).is_none() {
        return Some(format!("there is no check {id}, which fails on {defect}"));
    }
    if !known.clauses.contains(&kill.clause.as_str()) {
        return Some(format!("{defect} does not name {}, which {id} reports", kill.clause));
    }
    (kill.expected == kill.actual).then(|| format!("{id} fails on {defect} although it got what it expects"))
}

/// Checks the row of a variant and returns what is missing.
fn gap(change: Change, row: Option<&Pass>) -> Option<String> {
    let again = || format!("run `slipway drill --variants --only {} --write`", change.id());
    let can_be_unseen = matches!(change, Change::Variant(variant) if variant.together);
    match row {
        None => Some(format!("the variant {} did not pass: {}", change.id(), again())),
        Some(pass) if pass.rests_on != grounds(change) => {
            Some(format!("the variant {} rests on something else now: {}", change.id(), again()))
        }
        Some(pass) if pass.checks == 0 && !can_be_unseen => {
            Some(format!("no check judged the variant {}: {}", change.id(), again()))
        }
        Some(_) => None,
    }
}

impl Printable for Verified {
    fn exit(&self) -> Exit {
        if self.faults.is_empty() { Exit::Conformant } else { Exit::SelfCheck }
    }

    fn json(&self) -> Value {
        serialized(self)
    }

    fn text(&self, _: Colour) -> String {
        let faults: String = self.faults.iter().map(|fault| format!("{fault}\n")).collect();
        format!("{faults}{} checks proven, {} faults of the proof\n", self.proven, self.faults.len())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Builds a proof in which every defect fails each check of its clauses, and every variant passed.
    fn sound() -> Proof {
        let mut proof = Proof { seed: 1, ..Proof::default() };
        for check in checks() {
            let of_clause = catalogue().iter().filter(|defect| defect.clauses.contains(&check.clause.id));
            let kill = || Kill {
                clause: check.clause.id.to_owned(),
                expected: "one".to_owned(),
                actual: "two".to_owned(),
            };
            let kills: BTreeMap<String, Kill> = of_clause.map(|it| (it.id.to_owned(), kill())).collect();
            proof.checks.insert(check.id.to_owned(), kills);
        }
        let changes =
            variants::catalogue().iter().map(Change::Variant).chain([Change::Together { quickly: false }]);
        let pass = |change| Pass { rests_on: grounds(change), checks: 1, differences: BTreeSet::new() };
        proof.variants = changes.map(|change| (change.id().to_owned(), pass(change))).collect();
        proof
    }

    #[track_caller]
    fn refused(forge: impl FnOnce(&mut Proof), faults: &[&str]) {
        let mut proof = sound();
        forge(&mut proof);
        assert_eq!(Verified::of(&proof).faults, faults);
    }

    fn kill<'p>(proof: &'p mut Proof, check: &str, defect: &str) -> &'p mut Kill {
        proof.checks.get_mut(check).unwrap().get_mut(defect).unwrap()
    }

    const DEFECT: &str = "list-count-everything";

    #[test]
    fn a_complete_proof_holds() {
        refused(|_| {}, &[]);
        assert_eq!(Verified::of(&sound()).proven, checks().count());
    }

    #[test]
    fn a_kill_without_a_difference_is_refused() {
        refused(
            |proof| kill(proof, "list-totals", DEFECT).actual = "one".to_owned(),
            &["list-totals fails on list-count-everything although it got what it expects"],
        );
    }

    #[test]
    fn a_row_that_was_left_out_is_refused() {
        refused(
            |proof| _ = proof.checks.get_mut("list-totals").unwrap().remove(DEFECT),
            &[
                "list-count-everything fails no check of LIST-COUNT, which it names: run `slipway drill --only list-count-everything --write`",
            ],
        );
        // The other checks of its clause still fail on them.
        let mut without = sound();
        without.checks.remove("tool-server-receipt");
        let clause = check("tool-server-receipt").unwrap().clause.id;
        let faults = Verified::of(&without).faults;
        assert!(faults.contains(&format!("no defect of {clause} fails tool-server-receipt")), "{faults:?}");
    }

    #[test]
    fn a_row_that_was_made_up_is_refused() {
        let made_up =
            || Kill { clause: "LIST-COUNT".to_owned(), expected: "1".to_owned(), actual: "2".to_owned() };
        refused(
            |proof| kill(proof, "list-totals", DEFECT).clause = "CHAT-RATE".to_owned(),
            &[
                "list-count-everything does not name CHAT-RATE, which list-totals reports",
                "list-count-everything fails no check of LIST-COUNT, which it names: run `slipway drill --only list-count-everything --write`",
            ],
        );
        refused(
            |proof| _ = proof.checks.get_mut("list-totals").unwrap().insert("no-such".to_owned(), made_up()),
            &["there is no defect no-such, which fails list-totals"],
        );
        refused(
            |proof| _ = proof.checks.insert("no-such".to_owned(), [(DEFECT.to_owned(), made_up())].into()),
            &["there is no check no-such, which fails on list-count-everything"],
        );
    }

    #[test]
    fn a_variant_without_a_pass_is_refused() {
        let again = "run `slipway drill --variants --only lags-a-second --write`";
        let id = "lags-a-second";
        refused(|proof| _ = proof.variants.remove(id), &[&format!("the variant {id} did not pass: {again}")]);
        refused(
            |proof| proof.variants.get_mut(id).unwrap().checks = 0,
            &[&format!("no check judged the variant {id}: {again}")],
        );
        refused(
            |proof| proof.variants.get_mut(id).unwrap().rests_on.clear(),
            &[&format!("the variant {id} rests on something else now: {again}")],
        );
        refused(
            |proof| {
                let copy = proof.variants[id].clone();
                proof.variants.insert("no-such".to_owned(), copy);
            },
            &["there is no variant no-such"],
        );
        refused(
            |proof| _ = proof.variants.get_mut("together").unwrap().rests_on.pop(),
            &[
                "the variant together rests on something else now: run `slipway drill --variants --only together --write`",
            ],
        );
    }
}
