//! The effects of the selected defects and variants on a session with the tool server, by stage.
use super::effect::Effect;
use super::flow::Flow;
use crate::changes::{Change, Step};

/// The changes of all selected defects and variants: changes of values, and effects of acts.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) changes: Vec<&'static Change>,
    effects: Vec<Effect>,
}

impl Plan {
    pub(super) fn new(changes: Vec<&'static Change>) -> Self {
        let effects = changes.iter().flat_map(|change| &change.steps).map(|step| match step {
            Step::Tool(act) => act.effects,
            _ => &[],
        });
        Self { effects: effects.flatten().copied().collect(), changes }
    }

    /// Whether no change is selected.
    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The changes of calls to a tool.
    pub(super) fn of_tool(&self, tool: &str) -> impl Iterator<Item = &'static Change> {
        self.changes
            .iter()
            .copied()
            .filter(move |change| change.on.tool.as_ref().is_some_and(|on| on.matches(tool)))
    }

    /// The changes of answers to a method.
    pub(super) fn of_message(&self, method: &str) -> impl Iterator<Item = &'static Change> {
        self.changes.iter().copied().filter(move |change| change.on.message.as_deref() == Some(method))
    }

    /// The changes of requests to the service.
    pub(super) fn of_service(&self) -> Vec<&'static Change> {
        self.changes.iter().copied().filter(|change| change.on.path.is_some()).collect()
    }

    /// The changes of calls to the RPC.
    pub(super) fn of_rpc(&self) -> Vec<&'static Change> {
        self.changes.iter().copied().filter(|change| change.on.rpc.is_some()).collect()
    }

    /// Variables of the server, with their values.
    pub(super) fn variables(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let steps = self.changes.iter().flat_map(|change| &change.steps);
        let variables = steps.filter_map(|step| match step {
            Step::Variables(variables) => Some(variables),
            _ => None,
        });
        variables.flatten().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether messages are passed on in this way.
    pub(super) fn has(&self, flow: Flow) -> bool {
        self.effects.iter().any(|effect| matches!(effect, Effect::Flow(found) if *found == flow))
    }

    /// The effects that `pick` selects, in the order of the table.
    pub(super) fn pick<'a, T: 'a>(
        &'a self,
        pick: impl Fn(&'a Effect) -> Option<T> + 'a,
    ) -> impl Iterator<Item = T> + 'a {
        self.effects.iter().filter_map(pick)
    }
}

/// The effects of one kind, in the order of the table.
macro_rules! of_kind {
    ($plan:expr, $kind:ident) => {
        $plan.pick(
            |effect| if let $crate::tool::effect::Effect::$kind(it) = effect { Some(*it) } else { None },
        )
    };
}
pub(super) use of_kind;
