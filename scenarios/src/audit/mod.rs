//! Judges every answer of a run: its status, headers and members, and whether the answers agree with each other.
pub(crate) mod judge;
mod laws;
mod operations;
mod tool;

use std::num::NonZeroUsize;
use std::panic::resume_unwind;

use crate::client::kept::Seen;

/// Judges the answers on every core; results keep their order.
pub(crate) fn on_every_core<T: Send>(seen: &[Seen], judge: impl Fn(&Seen) -> T + Sync) -> Vec<T> {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    // Similar answers follow each other, so the cores take them in turn.
    let work =
        &|core: usize| seen.iter().skip(core).step_by(cores).map(&judge).collect::<Vec<T>>().into_iter();
    let mut judged: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|core| scope.spawn(move || work(core))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    (0..seen.len()).filter_map(|at| judged[at % cores].next()).collect()
}
