//! The report of a drill or a matrix: its JSON and its text.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use slipway_defects::catalogue;
use slipway_scenarios::checks;

use crate::colour::Colour;
use crate::drill::{Breadth, CONTROL, DefectEntry, Drill, NotProven};
use crate::exit::Exit;
use crate::printable::{Printable, serialized};
use crate::proof::Kills;

/// A drill that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DrillReport {
    pub(crate) summary: Summary,
    /// Whether the target was started for the drill: it then has to offer everything.
    local: bool,
    /// Decides everything generated.
    pub(crate) seed: u64,
    /// Whether every check was run against each defect.
    #[serde(default)]
    every: bool,
    defects: Vec<DefectEntry>,
    /// Checks that no defect failed.
    unproven: Vec<String>,
    /// Checks that the target cannot prove.
    not_proven: Vec<NotProven>,
    /// Checks that are not green without any defect.
    not_green: Vec<Said>,
}

/// Counts of the lists below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summary {
    pub(crate) caught: usize,
    pub(crate) missed: usize,
    pub(crate) not_proven: usize,
    pub(crate) undeclared: usize,
    pub(crate) unproven: usize,
    pub(crate) not_green: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Every declared clause failed.
    Caught,
    /// A declared clause did not fail.
    Missed,
    /// The target cannot show it, or only part of it.
    NotProven,
}

/// A check that is not green without a fault, and its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Said {
    pub(crate) id: String,
    pub(crate) said: String,
}

impl Said {
    pub(crate) fn of(not_green: &NotProven) -> Self {
        Self { id: not_green.id.clone(), said: not_green.reason.clone() }
    }
}

impl DefectEntry {
    fn verdict(&self) -> Verdict {
        match (self.missed.is_empty(), self.not_proven.is_empty()) {
            (false, _) => Verdict::Missed,
            (_, false) => Verdict::NotProven,
            _ => Verdict::Caught,
        }
    }
}

impl DrillReport {
    pub(crate) fn new(drill: Drill, breadth: Breadth, local: bool, seed: u64) -> Self {
        Self {
            summary: Summary::default(),
            local,
            seed,
            every: breadth == Breadth::Every,
            not_green: drill.not_green.iter().map(Said::of).collect(),
            defects: drill.rows,
            unproven: Vec::new(),
            not_proven: drill.unusable,
        }
        .judged()
    }

    /// Decides which checks are proven, and counts.
    fn judged(mut self) -> Self {
        (self.unproven, self.not_proven) = self.without_proof();
        let count = |verdict| self.defects.iter().filter(|row| row.verdict() == verdict).count();
        self.summary = Summary {
            caught: count(Verdict::Caught),
            missed: count(Verdict::Missed),
            not_proven: count(Verdict::NotProven),
            undeclared: self.defects.iter().map(|row| row.undeclared.len()).sum(),
            unproven: self.unproven.len(),
            not_green: self.not_green.len(),
        };
        self
    }

    /// The checks that no defect failed although all of theirs were on, and those of them that the target leaves open; both
    /// empty unless every defect was drilled.
    fn without_proof(&self) -> (Vec<String>, Vec<NotProven>) {
        let drilled: BTreeSet<&str> = self.defects.iter().map(|row| row.id.as_str()).collect();
        if !catalogue().iter().all(|defect| drilled.contains(defect.id)) {
            return Default::default();
        }
        let unusable: BTreeMap<&str, &str> =
            self.not_proven.iter().map(|open| (open.id.as_str(), open.reason.as_str())).collect();
        let proven: BTreeSet<&str> =
            self.defects.iter().flat_map(|row| &row.caught_by).map(|kill| kill.check.as_str()).collect();
        let (mut unproven, mut not_proven) = (Vec::new(), Vec::new());
        for check in checks().filter(|check| !proven.contains(check.id)) {
            let mut open = self.defects.iter().flat_map(|row| &row.not_proven);
            let open = open.find(|open| open.clause == check.clause.id).map(|open| open.reason.as_str());
            match unusable.get(check.id).copied().or(open) {
                Some(reason) => {
                    not_proven.push(NotProven { id: check.id.to_owned(), reason: reason.to_owned() });
                }
                None => unproven.push(check.id.to_owned()),
            }
        }
        (unproven, not_proven)
    }

    /// The kills of each defect that the target could show.
    pub(crate) fn kills(&self) -> BTreeMap<String, Kills> {
        let is_shown = |row: &&DefectEntry| row.verdict() != Verdict::NotProven && row.id != CONTROL.id;
        let kills = |row: &DefectEntry| {
            let (declared, undeclared) = (row.caught_by.clone(), row.undeclared.clone());
            (row.id.clone(), Kills { declared, undeclared, every: self.every })
        };
        self.defects.iter().filter(is_shown).map(kills).collect()
    }
}

impl Printable for DrillReport {
    /// A refuted claim is a failed self-check everywhere. An open one is a failed self-check only on the local platform, which offers
    /// everything; and if nothing was proven there is no verdict.
    fn exit(&self) -> Exit {
        let Summary { caught, missed, not_proven, unproven, not_green, .. } = self.summary;
        let refuted = missed + unproven > 0;
        let is_partial = not_green + not_proven + self.not_proven.len() > 0;
        if refuted || (self.local && is_partial) {
            Exit::SelfCheck
        } else if caught == 0 {
            Exit::Inconclusive
        } else {
            Exit::Conformant
        }
    }

    fn json(&self) -> Value {
        serialized(self)
    }

    fn text(&self, _: Colour) -> String {
        let mut text = String::new();
        for row in &self.defects {
            let (word, detail) = match row.verdict() {
                Verdict::Caught => {
                    let ids: Vec<&str> = row.caught_by.iter().map(|kill| kill.check.as_str()).collect();
                    ("caught", ids.join(", "))
                }
                Verdict::Missed => ("MISSED", format!("not failed: {}", row.missed.join(", "))),
                Verdict::NotProven => {
                    let open: Vec<String> = row
                        .not_proven
                        .iter()
                        .map(|open| format!("{}: {}", open.clause, open.reason))
                        .collect();
                    ("not proven", open.join("; "))
                }
            };
            let _ = writeln!(text, "{word} {:<36} {detail}", row.id);
            for kill in &row.undeclared {
                let _ = writeln!(text, "undeclared {} kills {} ({})", row.id, kill.check, kill.clause);
            }
        }
        for id in &self.unproven {
            let _ = writeln!(text, "UNPROVEN {id}: no defect fails it");
        }
        for open in &self.not_proven {
            let _ = writeln!(text, "not proven {}: {}", open.id, open.reason);
        }
        for red in &self.not_green {
            let _ = writeln!(text, "NOT GREEN {} without any defect: {}", red.id, red.said);
        }
        let Summary { caught, missed, not_proven, .. } = self.summary;
        let all = self.defects.len();
        let _ =
            writeln!(text, "\n{caught} of {all} defects caught, {missed} missed, {not_proven} not proven");
        text
    }
}
