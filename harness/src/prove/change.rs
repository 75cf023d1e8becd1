//! The changes put in front of a platform, and the clauses that the checks must then report as broken.
use std::path::Path;

use slipway_defects::variants::{self, Ground, Variant, answers_itself, delays, has_no_control_plane};
use slipway_defects::{Defect, Layer, catalogue};

/// The control of the defects: it changes nothing, so it must be missed. Tried only when selected.
pub(crate) static NO_DEFECT: Defect = Defect {
    id: CONTROL,
    layer: Layer::Rest,
    summary: "Nothing is broken; the drill must say that nothing was noticed.",
    clauses: &["LIST-COUNT"],
    file: file!(),
    line: line!(),
    change: None,
};

/// The control of the variants: a breach, so it must fail. Tried only when selected.
pub(crate) static BREACH: Variant = Variant {
    id: CONTROL,
    layers: &[Layer::Rest],
    rests_on: Ground::Interface("S56"),
    summary: "A breach of the interface; the drill must say that it fails.",
    together: false,
    file: file!(),
    line: line!(),
    change: None,
};

const CONTROL: &str = "control";
/// The defect that [`BREACH`] applies.
const BREAKING: &str = "list-pages-rounded-down";
/// The id of all variants that can be combined.
pub(crate) const TOGETHER: &str = "together";

/// Reads wait a second or more under these, so all checks together take many minutes: an answer states its age and is read again until it
/// is younger than the last write, or a gateway refuses one of some hundred reads.
const WAITED_FOR: [&str; 6] = [
    "cached-for-a-second",
    "cdn-headers",
    "gateway-too-many-requests",
    "gateway-too-many-unstated",
    "gateway-unavailable",
    "gateway-unavailable-page",
];

/// A change of a platform, applied from outside.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// Must fail a check of each clause in its list.
    Defect(&'static Defect),
    /// Must fail no check.
    Variant(&'static Variant),
    /// All variants that can be combined, or, if `quickly`, only those under which no read waits: must fail no check.
    Together { quickly: bool },
}

impl Change {
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Defect(defect) => defect.id,
            Self::Variant(variant) => variant.id,
            Self::Together { quickly: false } => TOGETHER,
            Self::Together { quickly: true } => "together-quickly",
        }
    }

    /// The clauses that it must fail.
    pub(crate) fn clauses(self) -> &'static [&'static str] {
        match self {
            Self::Defect(defect) => defect.clauses,
            Self::Variant(_) | Self::Together { .. } => &[],
        }
    }

    pub(crate) fn is_defect(self) -> bool {
        matches!(self, Self::Defect(_))
    }

    pub(crate) fn is_control(self) -> bool {
        self.id() == CONTROL
    }

    /// The user's file that defines it.
    pub(super) fn users_file(self) -> Option<&'static Path> {
        let (id, file) = match self {
            Self::Defect(defect) => (defect.id, defect.file),
            Self::Variant(variant) => (variant.id, variant.file),
            Self::Together { .. } => return None,
        };
        let ours = catalogue().iter().map(|defect| defect.id);
        let is_ours =
            ours.chain(variants::catalogue().iter().map(|variant| variant.id)).any(|known| known == id);
        (!self.is_control() && !is_ours).then(|| Path::new(file))
    }

    /// The defect that applies it.
    pub(super) fn defect(self) -> Option<&'static Defect> {
        match self {
            Self::Defect(defect) => Some(defect).filter(|_| !self.is_control()),
            Self::Variant(_) if self.is_control() => Some(breaking()),
            Self::Variant(_) | Self::Together { .. } => None,
        }
    }

    /// The variants that apply it.
    pub(super) fn variants(self) -> Vec<&'static Variant> {
        match self {
            Self::Defect(_) => Vec::new(),
            Self::Variant(variant) => Some(variant).filter(|_| !self.is_control()).into_iter().collect(),
            Self::Together { quickly } => {
                let is_in =
                    |variant: &&Variant| variant.together && !(quickly && WAITED_FOR.contains(&variant.id));
                variants::catalogue().iter().filter(is_in).collect()
            }
        }
    }

    /// Whether read-only checks of it can run while other changes are applied elsewhere: all platforms share the contracts of a chain, and
    /// a client that waits for a refusal may move the clock.
    pub(super) fn leaves_the_platform_alone(self) -> bool {
        match self {
            Self::Defect(defect) => defect.layer != Layer::Chain,
            Self::Variant(variant) => !answers_itself(variant),
            Self::Together { .. } => false,
        }
    }

    /// Whether clients of the sound platform can be reused: nothing they have read of its chains changes, and they pace their requests as
    /// before.
    pub(super) fn keeps_clients(self) -> bool {
        let is_http = |layer: &Layer| matches!(layer, Layer::Rest | Layer::Swap);
        match self {
            Self::Defect(defect) => is_http(&defect.layer),
            Self::Variant(variant) => {
                let paces = answers_itself(variant) || delays(variant) || has_no_control_plane(variant);
                variant.layers.iter().all(is_http) && !paces
            }
            Self::Together { .. } => false,
        }
    }
}

/// The defect of the control of the variants.
pub(super) fn breaking() -> &'static Defect {
    let found = catalogue().iter().find(|defect| defect.id == BREAKING);
    found.expect("the control's defect is in the catalogue")
}
