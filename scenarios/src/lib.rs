//! The requirements on a conforming launch platform, checked from outside; knows nothing of any implementation.
//!
//! A [`Clause`] says what must hold, a [`Check`] tests it against a [`World`], and an [`Outcome`] is the result.
pub mod answers;
pub mod audit;
pub mod client;
mod fake_servers;
pub mod model;
pub mod play;
mod prelude;
mod sections;
pub mod trial;
pub mod truth;

pub use model::target::{Need, Target};
pub use model::verdict::{Binding, Failure, Outcome, Stop, Verdict};
pub use sections::{checks, clause, clauses, sections};
pub use trial::check::{Access, Check, Lane, Part, Ran};
pub use trial::clause::{Basis, Clause, Location};
pub use trial::world::World;
