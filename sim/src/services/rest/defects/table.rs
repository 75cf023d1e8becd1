//! The table of the service's defects: a file per section of the interface.
mod batch;
mod capabilities;
mod chat;
mod emperor;
mod list;
mod owner;
mod recent;
mod referral;
mod service;
mod token;
mod upload;

use super::{Act, Seed};
use crate::defect::{Defect, Layer};

/// The tables in the order of the interface; a section's rows apply in their order.
const TABLES: &[&[Seed]] = &[
    service::SEEDS,
    list::SEEDS,
    owner::SEEDS,
    batch::SEEDS,
    recent::SEEDS,
    token::SEEDS,
    chat::SEEDS,
    upload::SEEDS,
    emperor::SEEDS,
    capabilities::SEEDS,
    referral::SEEDS,
];

const fn seed(id: &'static str, clauses: &'static [&'static str], summary: &'static str, act: Act) -> Seed {
    Seed { id, clauses, summary, act }
}

/// Every defect with its act.
pub(super) fn seeds() -> impl Iterator<Item = &'static Seed> {
    TABLES.iter().copied().flatten()
}

/// The defects as the catalogue lists them.
pub(crate) const DEFECTS: &[Defect] = &{
    let mut defects = [const { Defect { id: "", layer: Layer::Rest, summary: "", clauses: &[] } }; COUNT];
    let (mut table, mut index) = (0, 0);
    while table < TABLES.len() {
        let mut row = 0;
        while row < TABLES[table].len() {
            let Seed { id, clauses, summary, .. } = TABLES[table][row];
            defects[index] = Defect { id, layer: Layer::Rest, summary, clauses };
            row += 1;
            index += 1;
        }
        table += 1;
    }
    defects
};

const COUNT: usize = {
    let (mut table, mut count) = (0, 0);
    while table < TABLES.len() {
        count += TABLES[table].len();
        table += 1;
    }
    count
};
