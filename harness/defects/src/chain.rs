//! Defects of the chain: contracts whose code is exchanged for that of a mutated source. Leaves out how they are compiled.
use slipway_contracts::artifacts::{ChainDefect, chain_defects};

use crate::{Defect, Layer};

/// The list of mutations, beside the sources they mutate.
const FILE: &str = "contracts/defects.json";
const LIST: &str = include_str!("../../../contracts/defects.json");

/// The defects of the contracts, in the order of their list.
pub(crate) fn defects() -> impl Iterator<Item = Defect> {
    chain_defects().iter().map(|defect: &'static ChainDefect| Defect {
        id: &defect.id,
        layer: Layer::Chain,
        summary: &defect.summary,
        // Leaked once: the catalogue lives as long as the program.
        clauses: defect.clauses.iter().map(String::as_str).collect::<Vec<_>>().leak(),
        file: FILE,
        line: line_of(&defect.id),
    })
}

/// The line of the list on which a defect is named; 0 when it is not.
fn line_of(id: &str) -> u32 {
    let name = format!("\"id\": \"{id}\"");
    (1..).zip(LIST.lines()).find(|(_, line)| line.contains(&name)).map_or(0, |(number, _)| number)
}
