//! What must be true of a conforming launch platform, checked from outside; knows nothing of any implementation.
//!
//! A [`Clause`] says what must hold, a [`Check`] tries it against a [`World`], an [`Outcome`] is what came of it.
pub mod audit;
pub mod check;
pub mod clause;
pub mod client;
pub mod conventions;
mod declare;
mod evidence;
mod expect;
mod fake_servers;
pub mod fields;
mod history;
pub mod interface;
mod ledger;
mod manners;
mod market;
mod pages;
mod paths;
pub mod play;
mod prelude;
mod reads;
pub mod record;
pub mod reference;
mod refusals;
mod sections;
pub mod seed;
mod steady;
pub mod target;
pub mod trial;
pub mod verdict;
mod wire;
pub mod world;

pub use check::{Access, Check, Lane, Part, Ran};
pub use clause::{Basis, Clause, Location};
pub use sections::{checks, clause, clauses, sections};
pub use target::{Need, Target};
pub use verdict::{Binding, Failure, Outcome, Stop, Verdict};
pub use world::World;
