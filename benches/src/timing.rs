//! Times of single answers.
use std::time::{Duration, Instant};

/// The time of one answer, nanoseconds: the median of up to a hundred and one, of fewer where they take long.
pub fn median(mut answer: impl FnMut()) -> u128 {
    const ENOUGH: Duration = Duration::from_millis(300);
    let begun = Instant::now();
    let mut times = Vec::new();
    while times.len() < 5 || (times.len() < 101 && begun.elapsed() < ENOUGH) {
        let one = Instant::now();
        answer();
        times.push(one.elapsed().as_nanos());
    }
    times.sort_unstable();
    times[times.len() / 2]
}
