//! `slipway quotes cases`: cases with exact answers as JSON lines, after a header that describes them.
use std::fmt::Write as _;

use serde_json::json;
use sha2::{Digest as _, Sha256};
use slipway_sim::vectors::{CaseKind, Questions};

use crate::arguments::CasesArguments;
use crate::error::CommandError;
use crate::exit::Exit;
use crate::terminal::output;

pub(super) fn run(arguments: &CasesArguments) -> Result<Exit, CommandError> {
    let kind: CaseKind = arguments.kind.into();
    let count = usize::try_from(arguments.count).unwrap_or(usize::MAX);
    let mut cases = String::new();
    for question in Questions::new(kind, arguments.seed).take(count) {
        let _ = writeln!(cases, "{}", question.answered());
    }
    let header = json!({
        "kind": kind.name(),
        "count": arguments.count,
        "seed": arguments.seed,
        "sha256": format!("{:x}", Sha256::digest(&cases)),
    });
    output::done(&format!("{header}\n{cases}"))
}
