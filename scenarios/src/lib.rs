//! What must be true of a conforming launch platform, checked from outside; knows nothing of any implementation.
//!
//! A [`Clause`] says what must hold, a [`Check`] tries it against a [`World`], a [`Verdict`] is what came of it.
pub mod audit;
pub mod check;
pub mod clause;
pub mod client;
mod expect;
mod fake_servers;
pub mod fields;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod history;
pub mod interface;
mod ledger;
mod limits;
mod market;
mod prelude;
mod reads;
pub mod record;
pub mod reference;
mod sections;
pub mod seed;
mod steady;
pub mod target;
pub mod trial;
mod wire;
pub mod world;

pub use check::{Access, Check, Failure, Lane, Need, Outcome, Part, Stop, Verdict};
pub use clause::{Basis, Binding, Clause, Location};
pub use sections::{checks, clause, clauses, sections};
pub use target::Target;
pub use world::World;

/// SHA-256 of the sources of this crate.
pub const SOURCES: &str = env!("SOURCES");

/// Locks a mutex, also after a panic of another holder.
fn lock<T: ?Sized>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
