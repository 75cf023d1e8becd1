//! What a variant is: where it is applied, what is different, and what permits it.
use crate::Layer;
use crate::changes::Change;

/// What allows a platform to be so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// A clause that is a choice of this project: its id.
    Choice(&'static str),
    /// A public standard, cited by name and section.
    Standard(&'static str),
    /// A statement of the interface that leaves it open: its id.
    Interface(&'static str),
}

impl Ground {
    /// As reports show it: the id of a clause or of a statement, or the citation of a standard.
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
    /// Where it is applied: at each of these layers.
    pub layers: &'static [Layer],
    /// What allows it.
    pub rests_on: Ground,
    /// What is different, in one sentence.
    pub summary: &'static str,
    /// Whether it can be in force with all others of which this is true.
    pub together: bool,
    /// Source file that defines it, relative to the workspace.
    pub file: &'static str,
    /// Line in that file.
    pub line: u32,
    /// What it does; none where nothing is changed.
    pub change: Option<&'static Change>,
}

impl Variant {
    /// The names of its layers, as reports show them.
    pub fn layer(&self) -> String {
        self.layers.iter().map(|layer| layer.name()).collect::<Vec<_>>().join("+")
    }
}
