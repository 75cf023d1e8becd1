//! Bounds on what a target may cost: the size of an answer, the memory of all answers in use, and how long an address may stay silent.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use parking_lot::Mutex;

use crate::model::verdict::Inconclusive;

/// Largest answer that is read, in bytes: the body of a response, or the output of a tool server between two requests.
pub const LARGEST_ANSWER: usize = 16 << 20;
/// Memory of all answers in use together, in bytes.
const MOST_MEMORY: usize = 80 << 20;
/// Memory of one answer, in bytes.
const MOST_OF_ONE: usize = 64 << 20;
/// Estimated memory of one parsed JSON value, in bytes.
const VALUE: usize = 100;

/// Consecutive timeouts after which an address is given up.
const MOST_TIMEOUTS: u32 = 8;
/// The same for a tool server, whose answers are awaited one after the other.
pub(super) const MOST_SILENCES: u32 = 3;
/// An address that has been silent this long is given up at the next timeout.
const LONGEST_SILENCE: Duration = Duration::from_secs(60);
/// A whole target that has been silent this long is given up.
const LONGEST_SILENCE_OF_ALL: Duration = Duration::from_secs(75);

/// Consecutive requests whose every repetition is refused with 429, after which an address is given up.
const MOST_REFUSED: u32 = 8;

/// The bounds of one target, shared by its clients.
#[derive(Debug, Default)]
pub struct Bounds {
    memory: AtomicUsize,
    silence: Mutex<Silence>,
}

#[derive(Debug, Default)]
struct Silence {
    addresses: BTreeMap<String, Unanswered>,
    /// The addresses that have answered, and whether a timeout of theirs was forgiven.
    answered: BTreeMap<String, bool>,
    /// By address, the requests refused to the end with 429 since the last one that was not.
    refused: BTreeMap<String, u32>,
    /// When the first unanswered request since the last answer of any address was sent.
    since: Option<Instant>,
}

/// The unanswered requests of an address since its last answer.
#[derive(Clone, Debug)]
struct Unanswered {
    since: Instant,
    timeouts: u32,
    /// Why it gets no more requests.
    given_up: Option<String>,
}

const TOO_MUCH: &str = "too many requests went unanswered, so no more are sent";

/// Memory reserved for an answer in use; dropping it frees the memory.
#[derive(Debug)]
pub(super) struct Held {
    bounds: Arc<Bounds>,
    bytes: usize,
}

/// Bytes with their reserved memory.
struct Holding {
    bytes: Vec<u8>,
    _held: Held,
}

impl AsRef<[u8]> for Holding {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.bounds.memory.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Held {
    /// Reserves more memory.
    pub(super) fn grow(&mut self, bytes: usize) -> Result<(), String> {
        let before = self.bounds.memory.fetch_add(bytes, Ordering::Relaxed);
        self.bytes += bytes;
        if self.bytes > MOST_OF_ONE {
            return Err(format!("one takes more than {} MiB of memory", MOST_OF_ONE >> 20));
        }
        if before + bytes > MOST_MEMORY {
            return Err(format!("together they take more than {} MiB of memory", MOST_MEMORY >> 20));
        }
        Ok(())
    }

    /// Wraps the bytes, which keep the memory reserved as long as they are used.
    pub(super) fn keep(self, bytes: Vec<u8>) -> Bytes {
        Bytes::from_owner(Holding { bytes, _held: self })
    }
}

impl Bounds {
    pub(super) fn hold(self: &Arc<Self>) -> Held {
        Held { bounds: Arc::clone(self), bytes: 0 }
    }

    /// Returns an error if an address gets no more requests.
    pub(super) fn admit(&self, address: &str, now: Instant) -> Result<(), Inconclusive> {
        let silence = self.silence.lock();
        let all = silence.since.is_some_and(|since| now - since >= LONGEST_SILENCE_OF_ALL);
        let given_up = silence.addresses.get(address).and_then(|unanswered| unanswered.given_up.clone());
        match given_up.or_else(|| all.then(|| TOO_MUCH.to_owned())) {
            Some(reason) => Err(Inconclusive::GivenUp { address: address.to_owned(), reason }),
            None => Ok(()),
        }
    }

    /// Records that an address has answered.
    pub(super) fn answered(&self, address: &str) {
        let mut silence = self.silence.lock();
        silence.since = None;
        if !silence.answered.contains_key(address) {
            silence.answered.insert(address.to_owned(), false);
        }
        if silence.addresses.get(address).is_some_and(|unanswered| unanswered.given_up.is_none()) {
            silence.addresses.remove(address);
        }
    }

    /// Records that a request sent at this time failed: no connection, no answer in time, or an answer that is too large.
    pub(super) fn unanswered(&self, address: &str, sent: Instant, timed_out: bool) {
        let mut silence = self.silence.lock();
        silence.since.get_or_insert(sent);
        let now = Instant::now();
        let unanswered = silence.of(address, sent);
        unanswered.timeouts += u32::from(timed_out);
        if unanswered.timeouts >= MOST_TIMEOUTS || now - unanswered.since >= LONGEST_SILENCE {
            unanswered.given_up.get_or_insert_with(|| TOO_MUCH.to_owned());
        }
    }

    /// Whether a request without an answer in time may be sent once more: once for each address that has answered before. A stalled machine
    /// says nothing about the service on it.
    pub(super) fn forgives(&self, address: &str) -> bool {
        let mut silence = self.silence.lock();
        silence.answered.get_mut(address).is_some_and(|forgiven| !std::mem::replace(forgiven, true))
    }

    /// Records that an address has refused a request with 429 after every wait.
    pub(super) fn refused(&self, address: &str) {
        let mut silence = self.silence.lock();
        let refused = silence.refused.entry(address.to_owned()).or_default();
        *refused += 1;
        if *refused >= MOST_REFUSED {
            let reason = format!("{refused} requests in a row were refused with 429 after every wait");
            silence.of(address, Instant::now()).given_up.get_or_insert(reason);
        }
    }

    /// Records that an address has taken a request.
    pub(super) fn taken(&self, address: &str) {
        self.silence.lock().refused.remove(address);
    }

    /// Stops all requests to an address, for this reason.
    pub(super) fn give_up(&self, address: &str, reason: &str) {
        let mut silence = self.silence.lock();
        silence.of(address, Instant::now()).given_up = Some(reason.to_owned());
    }

    /// Records that a tool server has left a request unanswered; the check decides how long it waits.
    pub(super) fn silent(&self, server: &str) {
        let mut silence = self.silence.lock();
        let unanswered = silence.of(server, Instant::now());
        unanswered.timeouts += 1;
        if unanswered.timeouts >= MOST_SILENCES {
            unanswered.given_up.get_or_insert_with(|| TOO_MUCH.to_owned());
        }
    }
}

impl Silence {
    fn of(&mut self, address: &str, since: Instant) -> &mut Unanswered {
        let unanswered = Unanswered { since, timeouts: 0, given_up: None };
        self.addresses.entry(address.to_owned()).or_insert(unanswered)
    }
}

/// Returns the memory of bytes that may be parsed as JSON: of the bytes and of the parsed value.
pub(super) fn weight(bytes: &[u8]) -> usize {
    let separators = memchr::memchr3_iter(b',', b'[', b'{', bytes).count();
    2 * bytes.len() + VALUE * separators
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "http://a";
    const B: &str = "http://b";

    #[test]
    fn eight_timeouts_in_a_row_give_an_address_up_and_no_other() {
        let (bounds, now) = (Bounds::default(), Instant::now());
        for _ in 0..MOST_TIMEOUTS - 1 {
            bounds.unanswered(A, now, true);
        }
        bounds.answered(A);
        for _ in 0..MOST_TIMEOUTS - 1 {
            bounds.unanswered(A, now, true);
        }
        assert!(bounds.admit(A, now).is_ok(), "the answer in between began a new row");
        bounds.unanswered(A, now, true);
        assert!(bounds.admit(A, now).is_err());
        assert!(bounds.admit(B, now).is_ok());
        bounds.answered(A);
        assert!(bounds.admit(A, now).is_err(), "a late answer changes nothing");
    }

    #[test]
    fn silence_of_a_minute_gives_an_address_up_and_a_little_more_the_target() {
        let (bounds, sent) = (Bounds::default(), Instant::now());
        let Some(earlier) = sent.checked_sub(LONGEST_SILENCE) else { return };
        bounds.unanswered(A, earlier, false);
        assert!(bounds.admit(A, sent).is_err());
        assert!(bounds.admit(B, sent).is_ok());
        assert!(bounds.admit(B, earlier + LONGEST_SILENCE_OF_ALL).is_err());
        bounds.answered(B);
        assert!(bounds.admit(B, earlier + LONGEST_SILENCE_OF_ALL).is_ok());
    }

    #[test]
    fn one_timeout_of_an_address_that_has_answered_is_forgiven() {
        let bounds = Bounds::default();
        assert!(!bounds.forgives(A), "it has not answered yet");
        bounds.answered(A);
        assert!(bounds.forgives(A));
        bounds.answered(A);
        assert!(!bounds.forgives(A), "it was forgiven one");
        assert!(!bounds.forgives(B));
    }

    #[test]
    fn memory_is_free_again_after_its_bytes() {
        let bounds = Arc::new(Bounds::default());
        let kept: Vec<Bytes> = (0..4)
            .map(|_| {
                let mut held = bounds.hold();
                held.grow(MOST_MEMORY / 4).unwrap();
                held.keep(Vec::new())
            })
            .collect();
        assert!(bounds.hold().grow(1).is_err());
        drop(kept);
        assert!(bounds.hold().grow(MOST_OF_ONE).is_ok());
        assert!(bounds.hold().grow(MOST_OF_ONE + 1).is_err());
    }
}
