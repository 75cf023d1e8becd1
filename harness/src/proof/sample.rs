//! Entries of a proof that a drill reproduces.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use slipway_defects::{Defect, catalogue};
use slipway_scenarios::checks;
use slipway_scenarios::seed::Choices;

use super::{Kill, Kills, ProofError, matrix};
use crate::colour::Colour;
use crate::exit::Exit;
use crate::printable::{Printable, serialized};

/// Some entries of a matrix.
pub(crate) struct Sample {
    /// The seed of the market that the proof was made with.
    pub(crate) seed: u64,
    recorded: BTreeMap<String, Kills>,
}

/// The reproduced entries of a sample.
#[derive(Debug, Serialize)]
pub(crate) struct Remade {
    /// Ids of the defects.
    sampled: Vec<String>,
    /// Those whose kills differ.
    differing: Vec<Differing>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Differing {
    id: String,
    /// Kills by the checks of the defect's clauses, as recorded.
    recorded: BTreeSet<Kill>,
    /// The same, as reproduced.
    remade: BTreeSet<Kill>,
}

impl Sample {
    /// Chooses this many entries of a folder by a seed; all of them if it has no more.
    pub(crate) fn of(folder: &Path, count: usize, seed: u64) -> Result<Self, ProofError> {
        let mut left: Vec<(String, Kills)> = matrix(folder)?.defects.into_iter().collect();
        let mut choices = Choices::new(seed, "proof-sample");
        let mut recorded = BTreeMap::new();
        while recorded.len() < count && !left.is_empty() {
            recorded.extend([left.swap_remove(choices.index(left.len()))]);
        }
        Ok(Self { seed: super::seed(folder)?, recorded })
    }

    /// The defects of the entries; [`Sample::compared`] finds those that do not exist.
    pub(crate) fn defects(&self) -> Vec<&'static Defect> {
        catalogue().iter().filter(|defect| self.recorded.contains_key(defect.id)).collect()
    }

    /// Compares the entries with kills that a drill of these defects made.
    pub(crate) fn compared(&self, made: &BTreeMap<String, Kills>) -> Remade {
        let differing = self.recorded.iter().filter_map(|(id, kills)| {
            let recorded = concerned(id, kills);
            let remade = made.get(id).map(|kills| concerned(id, kills)).unwrap_or_default();
            let is_same = recorded == remade && made.contains_key(id);
            (!is_same).then(|| Differing { id: id.clone(), recorded, remade })
        });
        Remade { sampled: self.recorded.keys().cloned().collect(), differing: differing.collect() }
    }
}

/// The kills by checks of the clauses that a defect declares: a matrix also runs the others, a drill does not.
fn concerned(id: &str, kills: &Kills) -> BTreeSet<Kill> {
    let clauses = catalogue().iter().find(|defect| defect.id == id).map_or(&[][..], |defect| defect.clauses);
    let own = |check: &str| checks().any(|one| one.id == check && clauses.contains(&one.clause.id));
    kills.declared.iter().chain(&kills.undeclared).filter(|kill| own(&kill.check)).cloned().collect()
}

impl Printable for Remade {
    fn exit(&self) -> Exit {
        if self.differing.is_empty() { Exit::Conformant } else { Exit::SelfCheck }
    }

    fn json(&self) -> Value {
        serialized(self)
    }

    fn text(&self, _: Colour) -> String {
        let kills = |kills: &BTreeSet<Kill>| {
            let texts: Vec<String> =
                kills.iter().map(|kill| format!("{} ({})", kill.check, kill.clause)).collect();
            if texts.is_empty() { "nothing".to_owned() } else { texts.join(", ") }
        };
        let mut text = String::new();
        for Differing { id, recorded, remade } in &self.differing {
            let (recorded, remade) = (kills(recorded), kills(remade));
            let _ = writeln!(text, "DIFFERS {id}: the proof records {recorded}; now it kills {remade}");
        }
        let (all, differing) = (self.sampled.len(), self.differing.len());
        let _ = writeln!(text, "{all} entries of the proof made again, {differing} differ");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kill(check: &str, clause: &str) -> Kill {
        Kill { check: check.to_owned(), clause: clause.to_owned() }
    }

    fn kills(clause: &str, undeclared: Vec<Kill>) -> Kills {
        Kills { declared: vec![kill("list-totals", clause)], undeclared, every: true }
    }

    #[test]
    fn an_entry_differs_in_its_checks_and_their_clauses() {
        let id = "list-count-everything".to_owned();
        let sound = kills("LIST-COUNT", Vec::new());
        let sample = Sample { seed: 1, recorded: [(id.clone(), sound.clone())].into() };
        let differs = |made: Option<Kills>| {
            let made = made.map(|kills| (id.clone(), kills)).into_iter().collect();
            !sample.compared(&made).differing.is_empty()
        };
        assert!(!differs(Some(sound)));
        assert!(!differs(Some(kills("LIST-COUNT", vec![kill("chat-rate", "CHAT-RATE")]))));
        assert!(differs(Some(kills("LIST-PAGES", Vec::new()))));
        assert!(differs(Some(Kills::default())));
        assert!(differs(None));
    }
}
