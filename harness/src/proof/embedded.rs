//! The committed proof when this program was built: the source of `list`, `explain` and the reports.
use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::{Matrix, Proof};

/// Name and text of each file of the folder `proof`; made by the build script.
static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/proof.in"));

static PROOFS: LazyLock<BTreeMap<String, Proof>> = LazyLock::new(|| {
    // Files that another version of this program wrote are left out here; `slipway verify` reports them.
    let proofs = FILES.iter().filter_map(|(_, text)| serde_json::from_str::<Proof>(text).ok());
    proofs.map(|proof| (proof.check.clone(), proof)).collect()
});

static KILLS: LazyLock<Matrix> = LazyLock::new(|| {
    let file = FILES.iter().find(|(name, _)| *name == super::MATRIX);
    file.and_then(|(_, text)| serde_json::from_str(text).ok()).unwrap_or_default()
});

pub(crate) fn proof_of(check: &str) -> Option<&'static Proof> {
    PROOFS.get(check)
}

/// The defects that turned a check red in the committed matrix: those that declare its clause, and the others.
pub(crate) fn kills_of(check: &str) -> (Vec<&'static str>, Vec<&'static str>) {
    let of = |declared: bool| {
        let rows = KILLS.defects.iter().filter(move |(_, kills)| {
            let kills = if declared { &kills.declared } else { &kills.undeclared };
            kills.iter().any(|kill| kill.check == check)
        });
        rows.map(|(id, _)| id.as_str()).collect()
    };
    (of(true), of(false))
}
