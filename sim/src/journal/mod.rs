//! A bounded, numbered record of answered requests with the cause of each refusal; only the control plane reads it.
pub(crate) mod exchange;
pub(crate) mod record;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;

use parking_lot::Mutex;

/// Number of entries kept; the oldest are dropped.
pub(crate) const CAPACITY: usize = 10_000;

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry {
    /// Position in the order of answers, from 1, never reused.
    pub number: u64,
    /// The platform's time when the answer was ready, Unix seconds.
    pub at: u64,
    pub service: &'static str,
    pub method: Cow<'static, str>,
    /// Path and query as sent.
    pub target: String,
    pub status: u16,
    /// The rule that refused; absent if the request was served.
    pub cause: Option<&'static str>,
    pub request_id: RequestId,
    /// From the head of the request to the head of the answer, by the host's clock.
    pub microseconds: u64,
    /// Whether the request is for a page or a resource that a page loads.
    #[serde(skip)]
    pub is_page: bool,
}

/// The id of a request; for an id issued here only its number is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RequestId {
    /// Sent by the caller, visible ASCII.
    Given(Box<str>),
    /// Issued by the service.
    Issued {
        service: &'static str,
        /// Its number among the service's ids, from 1; above the lower 32 bits, the number of the process if several serve.
        number: u64,
    },
}

impl fmt::Display for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(text) => formatter.write_str(text),
            Self::Issued { service, number } => write!(formatter, "{service}-{number:08x}"),
        }
    }
}

impl PartialEq<str> for RequestId {
    fn eq(&self, other: &str) -> bool {
        match self {
            Self::Given(text) => **text == *other,
            // The journal compares every entry: only the one of this number is written out.
            Self::Issued { service, number } => {
                let digits = other.strip_prefix(service).and_then(|rest| rest.strip_prefix('-'));
                digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()) == Some(*number)
                    && format!("{self}") == other
            }
        }
    }
}

impl serde::Serialize for RequestId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Journal {
    ring: Mutex<Ring>,
}

#[derive(Debug, Default)]
struct Ring {
    last: u64,
    entries: VecDeque<Entry>,
}

impl Journal {
    /// Appends an entry and numbers it; the number given in `entry` is ignored. Returns its number.
    pub(crate) fn record(&self, mut entry: Entry) -> u64 {
        let mut ring = self.ring.lock();
        ring.last += 1;
        let number = ring.last;
        entry.number = number;
        let dropped = if ring.entries.len() == CAPACITY { ring.entries.pop_front() } else { None };
        ring.entries.push_back(entry);
        // Dropped entries are freed outside the lock.
        drop(ring);
        drop(dropped);
        number
    }

    /// The number of the latest entry, 0 if there is none.
    pub(crate) fn last(&self) -> u64 {
        self.ring.lock().last
    }

    /// The kept entries with a number above `after`, of one request if `id` names it, in order, and whether an entry above `after` was dropped.
    pub(crate) fn after(&self, after: u64, id: Option<&str>) -> (Vec<Entry>, bool) {
        let ring = self.ring.lock();
        let first = ring.entries.front().map_or(ring.last + 1, |entry| entry.number);
        let start = ring.entries.partition_point(|entry| entry.number <= after);
        let wanted = ring.entries.range(start..).filter(|entry| id.is_none_or(|id| entry.request_id == *id));
        (wanted.cloned().collect(), after + 1 < first)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{CAPACITY, Entry, Journal, RequestId};

    pub(crate) fn entry(target: &str) -> Entry {
        Entry {
            number: 0,
            at: 7,
            service: "rest",
            method: "GET".into(),
            target: target.into(),
            status: 200,
            cause: None,
            request_id: RequestId::Issued { service: "rest", number: 7 },
            microseconds: 3,
            is_page: false,
        }
    }

    #[test]
    fn request_id_matches_the_response_header() {
        let given = RequestId::Given("mine".into());
        let issued = entry("/").request_id;
        assert_eq!((&given, &issued), (&given, &issued));
        assert!(given == *"mine" && issued == *"rest-00000007" && issued != *"mine");
        let written = serde_json::to_value([given, issued]).unwrap();
        assert_eq!(written, serde_json::json!(["mine", "rest-00000007"]));
    }

    #[test]
    fn oldest_entries_are_dropped_and_reported() {
        let journal = Journal::default();
        for _ in 0..CAPACITY + 2 {
            journal.record(entry("/"));
        }
        let (entries, dropped) = journal.after(0, None);
        assert_eq!(entries.len(), CAPACITY);
        assert_eq!(entries[0].number, 3);
        assert!(dropped);
        assert!(!journal.after(2, None).1);
    }

    #[test]
    fn entries_of_one_request_are_found_among_the_others() {
        let journal = Journal::default();
        for id in ["mine", "yours", "mine"] {
            journal.record(Entry { request_id: RequestId::Given(id.into()), ..entry("/") });
        }
        let numbers =
            |after, id| journal.after(after, id).0.iter().map(|entry| entry.number).collect::<Vec<_>>();
        assert_eq!(numbers(0, Some("mine")), [1, 3]);
        assert_eq!(numbers(1, Some("mine")), [3]);
        assert_eq!(numbers(0, Some("rest-00000007")), [0; 0]);
    }
}
