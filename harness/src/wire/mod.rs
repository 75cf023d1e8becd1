//! Mutation on the wire: changes one thing in one answer at a time and sees whether a check turns red.
mod confirm;
mod free;
mod jury;
mod plan;
mod report;
mod stage;
mod survey;

pub(crate) use report::WireReport;
pub(crate) use stage::{Slot, Stage, run};

use slipway_defects::wire::Mutant;

/// What came of a run of mutants.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Mutants that turned a check red.
    pub(crate) caught: usize,
    /// Mutants that turned no check red, not even one of all checks, with their numbers.
    pub(crate) survivors: Vec<(usize, Mutant)>,
    /// Checks that were not green although no mutant was in force; they catch nothing.
    pub(crate) not_green: Vec<(&'static str, String)>,
}
