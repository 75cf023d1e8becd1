//! Limits how many large bodies are in memory at once: upload forms being received and images being sent. A request that
//! finds no free slot waits for one, up to a timeout.
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::refusal::Refusal;

/// Upload forms in memory at once.
const FORMS: usize = 16;
/// Images being sent at once.
const IMAGES: usize = 32;
/// How long a request waits for a slot; a slow transfer is aborted before that.
const WAIT: Duration = Duration::from_secs(25);

/// Message of the refusal when no slot became free in time.
pub(crate) const TOO_MANY: &str = "too many transfers at once";

/// What a slot is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transfer {
    /// The form of an upload.
    Form,
    /// An image being sent.
    Image,
}

#[derive(Debug)]
pub(crate) struct TransferSlots {
    forms: Arc<Semaphore>,
    images: Arc<Semaphore>,
}

impl Default for TransferSlots {
    fn default() -> Self {
        Self { forms: Arc::new(Semaphore::new(FORMS)), images: Arc::new(Semaphore::new(IMAGES)) }
    }
}

impl TransferSlots {
    /// A slot, released when the permit is dropped.
    pub(crate) async fn acquire(&self, transfer: Transfer) -> Result<OwnedSemaphorePermit, Refusal> {
        let slots = match transfer {
            Transfer::Form => &self.forms,
            Transfer::Image => &self.images,
        };
        match timeout(WAIT, Arc::clone(slots).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => Err(Refusal {
                retry_after: Some(WAIT.as_secs()),
                ..Refusal::unavailable("memory-places", TOO_MANY)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FORMS, Transfer, TransferSlots, WAIT};
    use crate::api::refusal::Reason;

    #[tokio::test(start_paused = true)]
    async fn acquire_waits_for_a_free_slot_until_the_timeout() {
        let slots = TransferSlots::default();
        let mut permits = Vec::new();
        for _ in 0..FORMS {
            permits.push(slots.acquire(Transfer::Form).await.unwrap());
        }
        let refusal = slots.acquire(Transfer::Form).await.unwrap_err();
        assert_eq!(
            (refusal.reason, refusal.cause, refusal.retry_after),
            (Reason::Unavailable, "memory-places", Some(WAIT.as_secs()))
        );
        drop(slots.acquire(Transfer::Image).await.unwrap());
        let ((), permit) = tokio::join!(async { drop(permits.pop()) }, slots.acquire(Transfer::Form));
        assert!(permit.is_ok());
    }
}
