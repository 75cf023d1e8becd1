//! Changes that take code: an act changes a request, changes a response, or answers in the place of the service. All three get one context.
use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use parking_lot::Mutex;

use super::exchange::{ProxiedResponse, Query, RequestParts};

/// A fact that takes other requests to the platform.
#[derive(Clone, Copy)]
pub(crate) enum Need {
    /// What time the platform has.
    Clock,
    /// Which tokens of the response are V1 tokens.
    Versions,
    /// The wrapped form of the native coin, and the tokens of the exchange.
    Exchange,
    /// The answer to another query on the same path, where the function gives one.
    OtherAnswer(fn(&Context<'_>) -> Option<Query>),
}

/// What an act knows besides the message that it changes.
pub(crate) struct Context<'a> {
    /// The request as the client sent it.
    pub(crate) sent: &'a RequestParts,
    /// Requests to the layer before this one, while something was changed.
    pub(crate) number: usize,
    /// What the acts of this change remember, from the time it is switched on.
    pub(crate) memory: &'a Mutex<Memory>,
    /// What was learnt of the platform; what the act does not need is empty.
    pub(crate) facts: Facts,
}

impl<'a> Context<'a> {
    pub(crate) fn new(sent: &'a RequestParts, number: usize, memory: &'a Mutex<Memory>) -> Self {
        Self { sent, number, memory, facts: Facts::default() }
    }
}

#[derive(Clone, Default)]
pub(crate) struct Facts {
    /// The platform's time, Unix seconds.
    pub(crate) now: u64,
    /// Addresses of V1 tokens as the response writes them.
    pub(crate) v1_tokens: BTreeSet<String>,
    /// The wrapped form of the native coin.
    pub(crate) wrapped_native: String,
    /// Addresses of the tokens of the exchange, in small letters.
    pub(crate) listed: BTreeSet<String>,
    /// The answer to the other query.
    pub(crate) other: Option<ProxiedResponse>,
}

#[derive(Default)]
pub(crate) struct Memory {
    /// Pages since the last lie.
    pub(crate) pages: usize,
    /// The query of the last lie.
    pub(crate) last_query: String,
    /// Tokens that messages were posted to, the latest last.
    pub(crate) tokens: Vec<String>,
    /// Answers that a cache keeps, by request, with the time they were made.
    pub(crate) answers: HashMap<String, (Instant, ProxiedResponse)>,
}

/// When an act works, and what it does.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// Changes a request before the service sees it.
    Before(fn(&Context<'_>, &mut RequestParts)),
    /// Changes a response.
    After(fn(&Context<'_>, &mut ProxiedResponse)),
    /// Answers in the place of the service, where it gives an answer.
    Instead(fn(&Context<'_>) -> Option<ProxiedResponse>),
}

/// Code that rows of `scenarios/changes` name.
pub(crate) struct Act {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    pub(crate) need: Option<Need>,
}

/// An act with the name of its function: `act!(After count_everything)`, and what it needs to know: `act!(After created_now, Need::Clock)`.
macro_rules! act {
    (@ $form:ident $function:ident $need:expr) => {
        $crate::http::act::Act {
            name: stringify!($function),
            form: $crate::http::act::Form::$form($function),
            need: $need,
        }
    };
    ($form:ident $function:ident) => { act!(@ $form $function None) };
    ($form:ident $function:ident, $need:expr) => { act!(@ $form $function Some($need)) };
}
pub(crate) use act;

impl std::fmt::Debug for Act {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}
