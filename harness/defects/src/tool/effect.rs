//! What an act does to a conversation with the tool server, stage by stage.
use std::collections::BTreeSet;
use std::net::IpAddr;

use serde_json::{Map, Value};

use super::environment::{Environment, Secrets};
use super::flow::Flow;

pub(super) type ArgumentsChange = fn(&mut Launch<'_>);
pub(super) type ResultChange = fn(&str, &mut Value);

/// One effect of a defect on one stage of the conversation.
#[derive(Clone, Copy)]
pub(super) enum Effect {
    /// Changes the environment in which the server starts.
    Environment(fn(&mut Environment)),
    /// Changes the arguments of `launch_token` and `preview_launch` before the server reads them.
    Arguments(ArgumentsChange),
    Tools(fn(&mut Value)),
    /// Changes a result, in its structured content and in its text; the first argument is the tool.
    Result(ResultChange),
    /// Changes the whole answer to a request, whose method comes first, after all other changes.
    Answer(fn(&str, &mut Value)),
    /// Changes a tool error; the whole result is given.
    Error(fn(&mut Value, &Secrets)),
    /// Changes a row of `recent_launches`, given the row of the service.
    Row(fn(&mut Map<String, Value>, &Map<String, Value>)),
    /// Refuses a call instead of the server: the text of the refusal.
    Refusal(fn(&ToolCall, &Environment) -> Option<String>),
    /// Refuses a call that the server has served.
    Afterthought(fn(&ToolCall) -> Option<String>),
    /// Changes what the server hears from its RPC.
    Rpc(RpcEffect),
    /// Changes what the server hears from its name server.
    Names(NamesEffect),
    /// Changes which messages go on, and when.
    Flow(Flow),
}

/// A tool call as the peer made it.
#[derive(Clone, Debug, Default)]
pub(super) struct ToolCall {
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
}

/// The arguments of a launch or preview, with what is known when they arrive.
pub(super) struct Launch<'a> {
    pub(super) arguments: &'a mut Map<String, Value>,
    /// Time of the latest block, in Unix seconds; asked only by [`Flow::ChainTime`].
    pub(super) chain_time: Option<u64>,
    /// Links of calls that were served in this session.
    pub(super) judged: &'a BTreeSet<String>,
}

/// An effect on the requests to the RPC.
#[derive(Clone, Copy)]
pub(super) enum RpcEffect {
    /// Changes the result of a request of this method.
    Result(&'static str, fn(&mut Value)),
    /// The first answer to this method is repeated within a scope.
    FirstAnswer(&'static str, Scope),
    /// A request of this method is made twice, and the later answer counts.
    Twice(&'static str),
    /// A request of this method that gets no answer is made once more.
    Again(&'static str),
    /// Transactions are sent without the id of their chain, signed by the server's key.
    Unbound,
    /// Requests are recorded, for a [`Flow`] that needs to know of them.
    Record,
}

/// How long a first answer is repeated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Until the next tool call.
    Call,
    /// While launches overlap.
    OverlappingLaunches,
    /// For ever.
    Session,
}

/// An effect on the addresses of names.
#[derive(Clone, Copy)]
pub(super) enum NamesEffect {
    /// Addresses of this kind are replaced by public ones.
    Public(fn(IpAddr) -> bool),
    /// Private addresses are left out where there is a public one.
    OneIsEnough,
    /// A name without addresses gets a public one.
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
