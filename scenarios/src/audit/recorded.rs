//! Judging recorded answers without a run: an answer that does not hold here turns a run red in which any check receives it.
use std::sync::Arc;

use super::{Audit, Seen, judge, known};
use crate::check::Check;
use crate::client::http::Response;
use crate::sections::meaning;
use crate::trial::Trial;
use crate::world::World;

/// Whether an answer has the form of its endpoint, as `check` judges it after a run; what is no answer of the target has.
#[must_use]
pub fn has_form(world: &World, check: &'static Check, response: &Response) -> bool {
    seen(world, response).is_none_or(|seen| judge::form(&Trial::new(world, check), &seen).is_ok())
}

/// Whether the answer of a tool server to a message has the form of the protocol, as `check` judges it after a run.
#[must_use]
pub fn call_has_form(world: &World, check: &'static Check, request: &[u8], answer: &[u8]) -> bool {
    judge::call(&Trial::new(world, check), request, answer).is_ok()
}

/// Whether a tool server says the same of itself in the answers to these messages, as `check` judges it after a run.
#[must_use]
pub fn calls_agree(world: &World, check: &'static Check, calls: &[(Vec<u8>, Vec<u8>)]) -> bool {
    judge::calls_agree(&Trial::new(world, check), calls).is_ok()
}

fn seen(world: &World, response: &Response) -> Option<Seen> {
    let (service, path) = Audit::new(world.target()).place(&response.request.url)?;
    Some(Seen { service, path, response: Arc::new(response.clone()) })
}

/// What answers say of the same logs, blocks and transactions, and of what a service does not have.
#[derive(Debug, Default)]
pub struct Agreement(known::Known);

impl Agreement {
    /// Of these answers of a target, each by its number. Of two that differ the first counts.
    #[must_use]
    pub fn of<'a>(world: &World, answers: impl IntoIterator<Item = (usize, &'a Response)>) -> Self {
        let mut known = known::Known::default();
        for (number, response) in answers {
            known.learn(number, facts(world, response)).ok();
        }
        Self(known)
    }

    /// Whether this answer, in the place of the one with this number, contradicts another.
    #[must_use]
    pub fn contradicts(&self, world: &World, number: usize, response: &Response) -> bool {
        self.0.contradicts(number, facts(world, response))
    }
}

fn facts(world: &World, response: &Response) -> Vec<known::Fact> {
    seen(world, response).map(|seen| known::facts(&seen)).unwrap_or_default()
}

/// What the chains say of tokens and quotes, read once.
pub struct Figures<'w>(meaning::Figures<'w>);

impl<'w> Figures<'w> {
    /// Reads the chains as `check` does after a run; none where they cannot be read.
    pub async fn read(world: &'w World, check: &'static Check) -> Option<Self> {
        meaning::Figures::read(Trial::new(world, check)).await.map(Self)
    }

    /// Whether an answer that tells of tokens or quotes as the chains have them tells otherwise when it is changed.
    #[must_use]
    pub fn miss(&self, sound: &Response, changed: &Response) -> bool {
        let holds = |response| seen(self.0.world(), response).is_some_and(|seen| self.0.hold(&seen));
        holds(sound) && !holds(changed)
    }
}
