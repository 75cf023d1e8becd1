//! Changes that need code: an act changes a request, changes a response, or answers instead of the service. All three get the same
//! context.
use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use parking_lot::Mutex;

use super::exchange::{ProxiedResponse, Query, RequestParts};

/// A fact that other requests to the platform must fetch.
#[derive(Clone, Copy)]
pub(crate) enum Need {
    /// The platform's time.
    Clock,
    /// The V1 tokens in the response.
    Versions,
    /// The wrapped form of the native coin, and the tokens of the exchange.
    Exchange,
    /// The answer to another query on the same path, if the function returns one.
    OtherAnswer(fn(&Context<'_>) -> Option<Query>),
}

/// The input of an act besides the message that it changes.
pub(crate) struct Context<'a> {
    /// The request as the client sent it.
    pub(crate) sent: &'a RequestParts,
    /// How many requests to changed services came before this one.
    pub(crate) number: usize,
    /// The memory shared by the acts of this change, kept from when it is switched on.
    pub(crate) memory: &'a Mutex<Memory>,
    /// Facts learnt about the platform; those that the act does not need are empty.
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
    /// Addresses of V1 tokens as written in the response.
    pub(crate) v1_tokens: BTreeSet<String>,
    /// The wrapped form of the native coin.
    pub(crate) wrapped_native: String,
    /// Addresses of the tokens of the exchange, in lower case.
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
    /// Tokens that messages were posted to, newest last.
    pub(crate) tokens: Vec<String>,
    /// Cached answers by request, each with the time it was made.
    pub(crate) answers: HashMap<String, (Instant, ProxiedResponse)>,
    /// Heights of chains by the address of their node, each with the time when it was first seen.
    pub(crate) heights: HashMap<String, Vec<(Instant, u64)>>,
}

/// When an act runs, and its function.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// Changes a request before the service sees it.
    Before(fn(&Context<'_>, &mut RequestParts)),
    /// Changes a response.
    After(fn(&Context<'_>, &mut ProxiedResponse)),
    /// Answers instead of the service, if it returns an answer.
    Instead(fn(&Context<'_>) -> Option<ProxiedResponse>),
}

/// Code that rows of `scenarios/changes` name.
pub(crate) struct Act {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    pub(crate) need: Option<Need>,
}

/// Declares an act with the name of its function, and the fact it needs: `act!(After count_everything)`,
/// `act!(After created_now, Need::Clock)`.
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
