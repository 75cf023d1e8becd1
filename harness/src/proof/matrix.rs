//! Which check turned red under which defect.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use slipway_defects::catalogue;
use slipway_scenarios::checks;

use super::picture::{Column, DefectRow, Picture};

/// The kills of every defect that was switched on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Matrix {
    /// By the id of the defect.
    pub(crate) defects: BTreeMap<String, Kills>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kills {
    /// Those for a clause that the defect declares.
    pub(crate) declared: Vec<Kill>,
    /// The others; empty if only the checks of its clauses were run against it.
    pub(crate) undeclared: Vec<Kill>,
    /// Whether every check was run against it.
    pub(crate) every: bool,
}

/// A check that failed, and the clause that it reported as broken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Kill {
    pub(crate) check: String,
    pub(crate) clause: String,
}

impl Kills {
    /// Whether a check, or this one, failed for this clause that the defect declares.
    pub(super) fn breaks(&self, clause: &str, check: Option<&str>) -> bool {
        let is_of = |kill: &Kill| kill.clause == clause && check.is_none_or(|check| kill.check == check);
        self.declared.iter().any(is_of)
    }
}

impl Matrix {
    /// Whether every defect was switched on.
    pub(super) fn is_complete(&self) -> bool {
        catalogue().iter().all(|defect| self.defects.contains_key(defect.id))
    }

    /// All checks and all defects that were switched on, in the order of the interface.
    pub(crate) fn picture(&self) -> Picture {
        let columns: Vec<Column> = slipway_scenarios::sections()
            .flat_map(|(title, clauses)| {
                let ids = clauses.into_iter().flat_map(|clause| clause.checks.iter().map(|check| check.id));
                ids.map(move |id| Column { id: id.to_owned(), section: title.to_owned() })
            })
            .collect();
        let rows = catalogue().iter().filter_map(|defect| {
            let kills = self.defects.get(defect.id)?;
            let ids = |kills: &[Kill]| kills.iter().map(|kill| kill.check.clone()).collect();
            let (declared, undeclared) = (ids(&kills.declared), ids(&kills.undeclared));
            Some(DefectRow { id: defect.id.to_owned(), declared, undeclared })
        });
        Picture::new(columns, rows.collect())
    }

    /// Rows of defects, and kills of checks, that no longer exist.
    pub(super) fn strangers(&self) -> Vec<String> {
        let known = |id: &str| checks().any(|check| check.id == id);
        let mut strangers = Vec::new();
        for (id, kills) in &self.defects {
            if !catalogue().iter().any(|defect| defect.id == id) {
                strangers.push(id.clone());
            }
            let all = kills.declared.iter().chain(&kills.undeclared).map(|kill| &kill.check);
            strangers.extend(all.filter(|check| !known(check)).cloned());
        }
        strangers
    }
}
