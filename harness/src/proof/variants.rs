//! The results of the checks for every legal variant, stored next to the matrix of the defects.
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};
use slipway_defects::variants::catalogue;

use super::{ProofError, json, replace};

pub(super) const FILE: &str = "variants.json";

/// The variants of a whole run.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tolerance {
    /// Each variant alone, by its id.
    pub(crate) variants: BTreeMap<String, Tolerated>,
    /// All variants that can be in force together, at once.
    pub(crate) together: Option<Tolerated>,
}

/// The results of the checks on a platform with one variant or several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tolerated {
    /// What permits it; for several, their ids.
    pub(crate) rests_on: Vec<String>,
    /// Whether every check let it pass.
    pub(crate) passed: bool,
    /// How many checks judged it; 0 if no check sees it alone.
    pub(crate) checks: usize,
    /// Clauses that are choices and for which a difference was reported.
    pub(crate) differences: BTreeSet<String>,
}

/// Writes it into the folder of a proof of this program with a market of this seed.
pub(crate) fn keep(folder: &Path, seed: u64, tolerance: &Tolerance) -> Result<(), ProofError> {
    replace(folder, seed, &[(FILE, json(tolerance))])
}

/// Faults of the variants in a proof: every one of this program must have been tried, and have passed, alone and together.
pub(super) fn faults(text: &[u8]) -> Vec<String> {
    let Ok(found) = serde_json::from_slice::<Tolerance>(text) else {
        return vec![format!("{FILE} is missing or has another form")];
    };
    let Tolerance { variants, together } = &found;
    let mut faults = Vec::new();
    for variant in catalogue() {
        match variants.get(variant.id) {
            None => faults.push(format!("{} was not tried", variant.id)),
            Some(tolerated) if !tolerated.passed || (tolerated.checks == 0 && !variant.together) => {
                faults.push(format!("{} did not pass", variant.id));
            }
            Some(tolerated) if tolerated.rests_on != [variant.rests_on.text()] => {
                faults.push(format!("{} rests on something else now", variant.id));
            }
            Some(_) => {}
        }
    }
    let strangers = variants.keys().filter(|id| catalogue().iter().all(|variant| variant.id != **id));
    faults.extend(strangers.map(|id| format!("there is no {id}")));
    let ids = catalogue().iter().filter(|variant| variant.together).map(|variant| variant.id);
    if together.as_ref().is_none_or(|all| !all.passed || !ids.eq(all.rests_on.iter().map(String::as_str))) {
        faults.push("all together did not pass".to_owned());
    }
    faults
}

/// A whole run in which everything passed.
#[cfg(test)]
pub(super) fn sound() -> Tolerance {
    let tolerated = |rests_on| Tolerated { rests_on, passed: true, checks: 1, differences: BTreeSet::new() };
    let alone = |rests_on: &str| tolerated(vec![rests_on.to_owned()]);
    let all = catalogue().iter().filter(|variant| variant.together);
    Tolerance {
        variants: catalogue().iter().map(|it| (it.id.to_owned(), alone(it.rests_on.text()))).collect(),
        together: Some(tolerated(all.map(|variant| variant.id.to_owned()).collect())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(change: impl FnOnce(&mut Tolerance)) -> usize {
        let mut changed = sound();
        change(&mut changed);
        faults(json(&changed).as_bytes()).len()
    }

    #[test]
    fn each_gap_is_a_fault() {
        let first = catalogue().iter().find(|variant| !variant.together).unwrap().id;
        assert_eq!(count(|_| {}), 0);
        assert_eq!(count(|found| _ = found.variants.remove(first)), 1);
        assert_eq!(count(|found| found.variants.get_mut(first).unwrap().passed = false), 1);
        assert_eq!(count(|found| found.variants.get_mut(first).unwrap().checks = 0), 1);
        assert_eq!(count(|found| found.variants.get_mut(first).unwrap().rests_on.clear()), 1);
        assert_eq!(
            count(|found| {
                let copy = found.variants[first].clone();
                found.variants.insert("other".to_owned(), copy);
            }),
            1
        );
        assert_eq!(count(|found| found.together = None), 1);
        assert_eq!(count(|found| _ = found.together.as_mut().unwrap().rests_on.pop()), 1);
        assert_eq!(faults(b"{}").len(), 1);
    }
}
