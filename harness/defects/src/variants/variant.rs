//! The definition of a variant: where it is applied, its difference, and what permits it.
use crate::Layer;
use crate::changes::Change;

/// The ground on which a platform may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// A clause that is a choice of this project: its id.
    Choice(&'static str),
    /// A public standard, cited by name and section.
    Standard(&'static str),
    /// A statement of the interface that leaves the matter open: its id.
    Interface(&'static str),
}

impl Ground {
    /// Its text in reports: the id of a clause or of a statement, or the citation of a standard.
    pub fn text(self) -> &'static str {
        match self {
            Self::Choice(text) | Self::Standard(text) | Self::Interface(text) => text,
        }
    }
}

/// One way in which a conforming platform may differ from ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Stable id; never reused.
    pub id: &'static str,
    /// The layers that it is applied at.
    pub layers: &'static [Layer],
    /// The ground that permits it.
    pub rests_on: Ground,
    /// The difference, in one sentence.
    pub summary: &'static str,
    /// Whether it can be combined with all other variants that have this set.
    pub together: bool,
    /// Source file that defines it, relative to the workspace.
    pub file: &'static str,
    /// Line in that file.
    pub line: u32,
    /// Its change; `None` if it changes nothing.
    pub change: Option<&'static Change>,
}

impl Variant {
    /// The names of its layers, as reports show them.
    pub fn layer(&self) -> String {
        self.layers.iter().map(|layer| layer.name()).collect::<Vec<_>>().join("+")
    }
}
