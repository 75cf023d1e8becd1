//! Places in memory for what is large: forms that arrive and pictures that leave; whoever finds none free waits a while.
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::refusal::Refusal;

/// Forms of uploads in memory at once, at most.
const FORMS: usize = 16;
/// Pictures on their way to readers at once, at most.
const PICTURES: usize = 32;
/// How long a place is waited for; whoever has one is cut off no later.
const PATIENCE: Duration = Duration::from_secs(25);

/// What is told to whoever waited in vain.
pub(crate) const TOO_MANY: &str = "too many transfers at once";

/// What a place is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The form of an upload.
    Form,
    /// A picture that is sent.
    Picture,
}

/// The places there are.
#[derive(Debug)]
pub(crate) struct Places {
    forms: Arc<Semaphore>,
    pictures: Arc<Semaphore>,
}

impl Default for Places {
    fn default() -> Self {
        Self { forms: Arc::new(Semaphore::new(FORMS)), pictures: Arc::new(Semaphore::new(PICTURES)) }
    }
}

impl Places {
    /// A place, free again when what is answered is dropped.
    pub(crate) async fn take(&self, place: Place) -> Result<OwnedSemaphorePermit, Refusal> {
        let places = match place {
            Place::Form => &self.forms,
            Place::Picture => &self.pictures,
        };
        match timeout(PATIENCE, Arc::clone(places).acquire_owned()).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) | Err(_) => Err(Refusal {
                retry_after: Some(PATIENCE.as_secs()),
                ..Refusal::unavailable("memory-places", TOO_MANY)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FORMS, PATIENCE, Place, Places};

    #[tokio::test(start_paused = true)]
    async fn a_place_is_waited_for_a_while() {
        let places = Places::default();
        let mut taken = Vec::new();
        for _ in 0..FORMS {
            taken.push(places.take(Place::Form).await.unwrap());
        }
        let refusal = places.take(Place::Form).await.unwrap_err();
        let told = (refusal.status, refusal.cause, refusal.retry_after);
        assert_eq!(told, (503, "memory-places", Some(PATIENCE.as_secs())));
        drop(places.take(Place::Picture).await.unwrap());
        let (freed, place) = tokio::join!(async { drop(taken.pop()) }, places.take(Place::Form));
        assert_eq!(((), place.is_ok()), (freed, true));
    }
}
