//! Judging recorded answers without a run, as `service-answers` judges them after one.
use std::sync::Arc;

use super::meaning::hindsight::Figures;
use super::service::answers::FORMS;
use crate::audit::{Audit, Seen, judge};
use crate::check::Check;
use crate::client::message::Response;
use crate::trial::Trial;
use crate::world::World;

/// The judge of the answers that were recorded of a target.
pub struct Judge<'w> {
    trial: Trial<'w>,
    /// The figures of the chains, where they can be read.
    figures: Option<Figures<'w>>,
}

impl<'w> Judge<'w> {
    /// Reads the chains, which must still be as they were when the answers were recorded.
    pub async fn read(world: &'w World, check: &'static Check) -> Self {
        let trial = Trial::new(world, check);
        Self { trial, figures: Figures::read(trial).await }
    }

    /// Whether a change of an answer would be found: the sound answer holds and the changed one does not.
    pub fn finds(&self, sound: &Response, changed: &Response) -> bool {
        self.holds(sound) && !self.holds(changed)
    }

    /// Whether an answer has the form of its endpoint and the figures of the chains; an answer of another service does.
    fn holds(&self, response: &Response) -> bool {
        let Some((service, path)) = Audit::new(self.trial.world.target()).place(&response.request.url) else {
            return true;
        };
        let seen = Seen { service, path, response: Arc::new(response.clone()) };
        judge::form(&self.trial, FORMS, &seen).is_empty()
            && self.figures.as_ref().is_none_or(|figures| figures.hold(&seen))
    }
}
