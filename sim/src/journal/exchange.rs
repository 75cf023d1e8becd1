//! The latest exchanges, requests with their answers: bounded in number and in size, without credentials. Only the console reads them.
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;

use super::Entry;
use crate::node_calls::Collected;

/// Number of exchanges kept; the oldest are dropped.
pub(crate) const CAPACITY: usize = 256;
/// Bytes kept of a body.
pub(crate) const LONGEST_BODY: usize = 16 * 1024;
/// Bytes kept of a message's headers.
const LONGEST_HEADERS: usize = 4 * 1024;
/// Bytes of the headers of most messages.
const USUAL_HEADERS: usize = 512;
/// Headers whose values are credentials.
const CREDENTIALS: [&str; 6] =
    ["authorization", "cookie", "proxy-authorization", "set-cookie", "x-console-token", "x-operator-key"];
/// Replaces the value of a credential.
const CONCEALED: &str = "[concealed]";

/// One direction of an exchange.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Message {
    /// A line for each header: its name, a colon and a space, its value, neither of which has a line end.
    head: String,
    /// The beginning of the body.
    pub body: Vec<u8>,
    /// Length of the whole body in bytes; unknown if it is streamed.
    pub size: Option<usize>,
}

impl Message {
    /// Keeps the headers that fit; only the name of a credential is kept.
    pub(crate) fn with_headers<'h>(headers: impl Iterator<Item = (&'h str, &'h [u8])>) -> Self {
        // Most heads fit: what is kept of a request costs one allocation.
        let mut head = String::with_capacity(USUAL_HEADERS);
        for (name, value) in headers {
            let value = if CREDENTIALS.contains(&name) {
                Cow::Borrowed(CONCEALED)
            } else {
                String::from_utf8_lossy(value)
            };
            if head.len() + name.len() + value.len() > LONGEST_HEADERS {
                break;
            }
            head.extend([name, ": ", &value, "\n"]);
        }
        Self { head, ..Self::default() }
    }

    /// The kept headers, each with its name and its value.
    pub(crate) fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.head.lines().filter_map(|line| line.split_once(": "))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Adds a part of the body and keeps what fits.
    pub(crate) fn add(&mut self, part: &[u8]) {
        let room = LONGEST_BODY - self.body.len();
        self.body.extend_from_slice(&part[..part.len().min(room)]);
        self.size = Some(self.size.unwrap_or_default() + part.len());
    }

    /// Whether part of the body was dropped.
    pub(crate) fn is_cut(&self) -> bool {
        self.size.is_some_and(|size| size > self.body.len())
    }
}

/// A request and its answer.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    pub entry: Entry,
    /// The beginning of the request, by the host's clock.
    pub began: SystemTime,
    pub request: Message,
    pub response: Message,
    pub calls: Collected,
}

impl Exchange {
    /// The time at which the head of the answer was ready, by the host's clock.
    pub(crate) fn ended(&self) -> SystemTime {
        self.began + Duration::from_micros(self.entry.microseconds)
    }

    /// Its key on the console's pages.
    pub(crate) fn key(&self) -> String {
        format!("{}-{}", self.entry.service, self.entry.number)
    }

    /// The client: the program's name, or the origin of the page in a browser.
    pub(crate) fn client(&self) -> &str {
        let program = self.request.header("user-agent").and_then(|agent| agent.split_whitespace().next());
        match program {
            Some(program) if program.starts_with("Mozilla/") => {
                self.request.header("origin").unwrap_or("browser")
            }
            Some(program) => program,
            None => "unnamed",
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Exchanges(Mutex<VecDeque<Arc<Exchange>>>);

impl Exchanges {
    pub(crate) fn keep(&self, exchange: Exchange) {
        let mut kept = self.0.lock();
        let dropped = if kept.len() == CAPACITY { kept.pop_front() } else { None };
        kept.push_back(Arc::new(exchange));
        // Dropped exchanges are freed outside the lock.
        drop(kept);
        drop(dropped);
    }

    /// The kept exchanges, oldest first.
    pub(crate) fn all(&self) -> Vec<Arc<Exchange>> {
        self.0.lock().iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::super::tests::entry;
    use super::{CAPACITY, Exchange, Exchanges, LONGEST_BODY, LONGEST_HEADERS, Message};

    fn exchange(target: &str, headers: &[(&str, &str)]) -> Exchange {
        let headers = headers.iter().map(|(name, value)| (*name, value.as_bytes()));
        Exchange {
            entry: entry(target),
            began: SystemTime::UNIX_EPOCH,
            request: Message::with_headers(headers),
            response: Message::default(),
            calls: Default::default(),
        }
    }

    #[test]
    fn exchanges_are_bounded_in_number_and_size() {
        let exchanges = Exchanges::default();
        for number in 0..CAPACITY + 2 {
            exchanges.keep(exchange(&format!("/{number}"), &[]));
        }
        let all = exchanges.all();
        assert_eq!((all.len(), all[0].entry.target.as_str()), (CAPACITY, "/2"));
        let mut message = Message::default();
        for _ in 0..3 {
            message.add(&[b'x'; LONGEST_BODY / 2 + 1]);
        }
        assert_eq!((message.body.len(), message.size), (LONGEST_BODY, Some(3 * (LONGEST_BODY / 2 + 1))));
        assert!(message.is_cut() && !Message::default().is_cut());
        let long = "y".repeat(LONGEST_HEADERS);
        assert_eq!(exchange("/", &[("accept", "*/*"), ("x", &long)]).request.headers().count(), 1);
    }

    #[test]
    fn credentials_are_not_kept() {
        for name in ["authorization", "x-operator-key", "cookie"] {
            let kept = exchange("/", &[(name, "Bearer secret"), ("accept", "*/*")]);
            assert!(!format!("{kept:?}").contains("secret"), "{name}");
            assert_eq!(kept.request.header(name), Some("[concealed]"));
        }
    }

    #[test]
    fn clients_are_named_by_program_or_page() {
        for (headers, client) in [
            (&[("user-agent", "curl/8.5.0")][..], "curl/8.5.0"),
            (&[("user-agent", "python-httpx/0.27 more")], "python-httpx/0.27"),
            (
                &[("user-agent", "Mozilla/5.0 (X11)"), ("origin", "http://localhost:5173")],
                "http://localhost:5173",
            ),
            (&[("user-agent", "Mozilla/5.0 (X11)")], "browser"),
            (&[], "unnamed"),
        ] {
            assert_eq!(exchange("/", headers).client(), client);
        }
    }
}
