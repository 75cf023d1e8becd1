//! The effects of an act on a session with the tool server, stage by stage.
use std::collections::BTreeSet;
use std::net::IpAddr;

use serde_json::{Map, Value};

use super::environment::{Environment, Secrets};
use super::flow::Flow;

pub(super) type ArgumentsChange = fn(&mut Launch<'_>);
pub(super) type ResultChange = fn(&str, &mut Value);

/// One effect of a defect on one stage of the session.
#[derive(Clone, Copy)]
pub(super) enum Effect {
    /// Changes the environment in which the server starts.
    Environment(fn(&mut Environment)),
    /// Changes the arguments of `launch_token` and `preview_launch` before the server reads them.
    Arguments(ArgumentsChange),
    Tools(fn(&mut Value)),
    /// Changes a result, in its structured content and in its text; the first argument is the tool's name.
    Result(ResultChange),
    /// Changes the whole answer to a request after all other changes; the first argument is the request's method.
    Answer(fn(&str, &mut Value)),
    /// Changes a tool error, given the whole result.
    Error(fn(&mut Value, &Secrets)),
    /// Changes a row of `recent_launches`, given the service's row.
    Row(fn(&mut Map<String, Value>, &Map<String, Value>)),
    /// Refuses a call instead of the server; returns the text of the refusal.
    Refusal(fn(&ToolCall, &Environment) -> Option<String>),
    /// Refuses a call after the server has carried it out.
    Afterthought(fn(&ToolCall) -> Option<String>),
    /// Changes the answers that the server gets from its RPC.
    Rpc(RpcEffect),
    /// Changes the answers that the server gets from its name server.
    Names(NamesEffect),
    /// Changes which messages are passed on, and when.
    Flow(Flow),
}

/// A tool call as the peer made it, or another request, which has no tool and whose parameters are the arguments.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolCall {
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
}

/// The arguments of a launch or preview, with the facts known when they arrive.
pub(super) struct Launch<'a> {
    pub(super) arguments: &'a mut Map<String, Value>,
    /// Time of the latest block, in Unix seconds; fetched only for [`Flow::ChainTime`].
    pub(super) chain_time: Option<u64>,
    /// Links of earlier calls of this session that succeeded.
    pub(super) judged: &'a BTreeSet<String>,
}

/// An effect on requests to the RPC.
#[derive(Clone, Copy)]
pub(super) enum RpcEffect {
    /// Changes the result of a request of this method.
    Result(&'static str, fn(&mut Value)),
    /// Repeats the first answer to this method within a scope.
    FirstAnswer(&'static str, Scope),
    /// Makes a request of this method twice and uses the later answer.
    Twice(&'static str),
    /// Retries a request of this method once if it gets no answer.
    Again(&'static str),
    /// Sends transactions without their chain id, signed with the server's key.
    Unbound,
    /// Records requests, for a [`Flow`] that depends on them.
    Record,
}

/// How long a first answer is repeated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Until the next tool call.
    Call,
    /// While launches overlap.
    OverlappingLaunches,
    /// Until the session ends.
    Session,
}

/// An effect on name resolution.
#[derive(Clone, Copy)]
pub(super) enum NamesEffect {
    /// Replaces addresses of this kind with public ones.
    Public(fn(IpAddr) -> bool),
    /// Drops private addresses if there is a public one.
    OneIsEnough,
    /// Gives a public address to a name that has none.
    Resolve,
}

/// Code that rows of the tool server name.
pub(crate) struct ToolAct {
    pub(crate) name: &'static str,
    pub(super) effects: &'static [Effect],
}

impl std::fmt::Debug for ToolAct {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}
