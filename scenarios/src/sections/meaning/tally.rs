//! Figures in the unit of the interface and in another one, of tokens of one kind.
use super::shown::Shown;
use crate::model::figure::Figure;
use crate::prelude::*;

/// Figures that must be off before a unit is blamed, because one may be off by chance.
const ENOUGH: usize = 2;

#[derive(Default)]
pub(super) struct Tally<'s> {
    pub(super) fitting: usize,
    /// Those that another unit would explain.
    pub(super) off: Vec<(&'s Shown, Figure)>,
    pub(super) others: usize,
}

impl Tally<'_> {
    /// Requires that not every figure that tells a unit is in another one; `unit` is the right one, `off` says how the others differ.
    pub(super) fn judged(&self, trial: &Trial<'_>, name: &str, unit: &str, off: &str) -> Verdict {
        let blamed = self.fitting == 0 && self.off.len() >= ENOUGH && self.off.len() >= self.others;
        let Some((one, figure)) = self.off.first().filter(|_| blamed) else { return Ok(()) };
        let expected = format!("{name} of {} in {unit}", one.address);
        trial.require_or(&*one.response, false, &expected, || {
            format!("{}, as {} figures that are {off}", figure.text(), self.off.len())
        })
    }
}
