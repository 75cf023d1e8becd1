//! Which check turned red under which defect.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use slipway_defects::catalogue;
use slipway_scenarios::checks;

use super::picture::{Column, Picture, Row};

/// The kills of every defect that was switched on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Matrix {
    /// By the id of the defect.
    pub(crate) defects: BTreeMap<String, Kills>,
}

/// What one defect turned red.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kills {
    /// Checks of the clauses that the defect names.
    pub(crate) declared: Vec<String>,
    /// Other checks; none where only the checks of its clauses were run against it.
    pub(crate) undeclared: Vec<String>,
    /// Whether every check was run against it.
    pub(crate) every: bool,
}

impl Matrix {
    /// Whether every defect was switched on.
    pub(super) fn is_complete(&self) -> bool {
        catalogue().iter().all(|defect| self.defects.contains_key(defect.id))
    }

    /// All checks beside all defects that were switched on, in the order of the interface.
    pub(crate) fn picture(&self) -> Picture {
        let columns: Vec<Column> = slipway_scenarios::sections()
            .flat_map(|(title, clauses)| {
                let ids = clauses.into_iter().flat_map(|clause| clause.checks.iter().map(|check| check.id));
                ids.map(move |id| Column { id: id.to_owned(), section: title.to_owned() })
            })
            .collect();
        let rows = catalogue().iter().filter_map(|defect| {
            let kills = self.defects.get(defect.id)?;
            Some(Row {
                id: defect.id.to_owned(),
                declared: kills.declared.clone(),
                undeclared: kills.undeclared.clone(),
            })
        });
        Picture::new(columns, rows.collect())
    }

    /// Rows of defects that there are no more, and kills of checks that there are no more.
    pub(super) fn strangers(&self) -> Vec<String> {
        let known = |id: &str| checks().any(|check| check.id == id);
        let mut strangers = Vec::new();
        for (id, kills) in &self.defects {
            if !catalogue().iter().any(|defect| defect.id == id) {
                strangers.push(id.clone());
            }
            let reds = kills.declared.iter().chain(&kills.undeclared);
            strangers.extend(reds.filter(|check| !known(check)).cloned());
        }
        strangers
    }
}
