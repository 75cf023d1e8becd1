//! Limits how many large bodies are in memory at once: upload forms being received and images being sent. A request that finds no free slot
//! takes the slot of the slowest transfer whose guaranteed time is over, or waits for one, up to a timeout.
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::refusal::Refusal;

/// Upload forms in memory at once, in total and for one peer that is not on this machine.
const FORMS: usize = 16;
const FORMS_OF_PEER: usize = 4;
/// Images being sent at once, in total and to one peer that is not on this machine.
const IMAGES: usize = 32;
const IMAGES_OF_PEER: usize = 16;
/// The guaranteed time of a transfer, during which its slot is not taken away.
const CERTAIN: Duration = Duration::from_secs(5);
/// Maximum wait of a request for a slot; a slow transfer is aborted before that.
const WAIT: Duration = Duration::from_secs(25);

/// Message of the refusal when no slot became free in time.
pub(crate) const TOO_MANY: &str = "too many transfers at once";

/// The use of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transfer {
    /// The form of an upload.
    Form,
    /// An image being sent.
    Image,
}

#[derive(Debug)]
pub(crate) struct TransferSlots {
    forms: Arc<Slots>,
    images: Arc<Slots>,
}

#[derive(Debug)]
struct Slots {
    most: usize,
    most_of_peer: usize,
    taken: Mutex<Taken>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct Taken {
    last: u64,
    transfers: BTreeMap<u64, Running>,
}

#[derive(Debug)]
struct Running {
    peer: IpAddr,
    begun: Instant,
    shared: Arc<Shared>,
}

/// The state that a transfer shares with its slots.
#[derive(Debug, Default)]
struct Shared {
    moved: Mutex<usize>,
    /// The data being sent; removed when the slot is taken away.
    content: Mutex<Option<Bytes>>,
    is_cut: Notify,
}

/// A slot; it is free again when this is dropped, or when another transfer takes it.
#[derive(Debug)]
pub(crate) struct Slot {
    slots: Arc<Slots>,
    number: u64,
    shared: Arc<Shared>,
}

impl Default for TransferSlots {
    fn default() -> Self {
        let slots = |most, most_of_peer| {
            Arc::new(Slots { most, most_of_peer, taken: Mutex::default(), freed: Notify::new() })
        };
        Self { forms: slots(FORMS, FORMS_OF_PEER), images: slots(IMAGES, IMAGES_OF_PEER) }
    }
}

impl TransferSlots {
    /// Acquires a slot for a peer.
    pub(crate) async fn acquire(&self, transfer: Transfer, peer: IpAddr) -> Result<Slot, Refusal> {
        let slots = match transfer {
            Transfer::Form => &self.forms,
            Transfer::Image => &self.images,
        };
        let last = Instant::now() + WAIT;
        loop {
            let freed = slots.freed.notified();
            let next = match slots.take(peer) {
                Ok(slot) => return Ok(slot),
                Err(next) => next,
            };
            if Instant::now() >= last {
                return Err(Refusal {
                    retry_after: Some(WAIT.as_secs()),
                    ..Refusal::unavailable("memory-places", TOO_MANY)
                });
            }
            tokio::select! {
                () = freed => {}
                () = sleep_until(last.min(next)) => {}
            }
        }
    }
}

impl Slots {
    /// Takes a free slot, or the slot of the slowest transfer whose guaranteed time is over; otherwise returns when the next guaranteed
    /// time ends.
    fn take(self: &Arc<Self>, peer: IpAddr) -> Result<Slot, Instant> {
        let mut taken = self.taken.lock();
        let of_peer = taken.transfers.values().filter(|running| running.peer == peer).count();
        let is_full_for_peer = !peer.is_loopback() && of_peer >= self.most_of_peer;
        if is_full_for_peer || taken.transfers.len() >= self.most {
            let now = Instant::now();
            let others =
                || taken.transfers.iter().filter(|(_, other)| !is_full_for_peer || other.peer == peer);
            let slowest = others()
                .filter(|(_, running)| now >= running.begun + CERTAIN)
                .min_by_key(|(_, running)| running.pace(now))
                .map(|(number, _)| *number);
            let Some(slowest) = slowest else {
                let first = others().map(|(_, running)| running.begun + CERTAIN).min();
                return Err(first.unwrap_or(now + CERTAIN));
            };
            if let Some(running) = taken.transfers.remove(&slowest) {
                running.shared.content.lock().take();
                running.shared.is_cut.notify_one();
            }
        }
        taken.last += 1;
        let (number, shared) = (taken.last, Arc::<Shared>::default());
        let running = Running { peer, begun: Instant::now(), shared: Arc::clone(&shared) };
        taken.transfers.insert(number, running);
        Ok(Slot { slots: Arc::clone(self), number, shared })
    }
}

impl Running {
    /// Bytes a second.
    fn pace(&self, now: Instant) -> u128 {
        let moved = u128::try_from(*self.shared.moved.lock()).unwrap_or(u128::MAX);
        moved.saturating_mul(1000) / (now - self.begun).as_millis().max(1)
    }
}

impl Slot {
    /// Records that `bytes` more have been transferred.
    pub(crate) fn moved(&self, bytes: usize) {
        *self.shared.moved.lock() += bytes;
    }

    /// Resolves when another transfer has taken the slot.
    pub(crate) async fn cut(&self) {
        self.shared.is_cut.notified().await;
    }

    /// Holds the data to send for as long as the slot is held.
    pub(crate) fn keep(&self, content: Bytes) {
        *self.shared.content.lock() = Some(content);
    }

    /// The next piece of the data, at most `most` bytes; `None` at its end, and an error if another transfer has taken the slot.
    pub(crate) fn next(&self, most: usize) -> Result<Option<Bytes>, CutOff> {
        let mut content = self.shared.content.lock();
        let rest = content.as_mut().ok_or(CutOff)?;
        let piece = rest.split_to(rest.len().min(most));
        drop(content);
        self.moved(piece.len());
        Ok(Some(piece).filter(|piece| !piece.is_empty()))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.taken.lock().transfers.remove(&self.number);
        self.slots.freed.notify_waiters();
    }
}

/// The transfer was too slow while others waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the transfer was too slow while others waited")]
pub(crate) struct CutOff;

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use bytes::Bytes;
    use futures::FutureExt as _;

    use super::{CERTAIN, CutOff, FORMS, FORMS_OF_PEER, IMAGES, Slot, Transfer, TransferSlots};
    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const STRANGER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

    async fn all(slots: &TransferSlots, transfer: Transfer, count: usize) -> Vec<Slot> {
        let mut taken = Vec::new();
        for _ in 0..count {
            taken.push(slots.acquire(transfer, HERE).await.unwrap());
        }
        taken
    }

    #[tokio::test(start_paused = true)]
    async fn acquire_waits_for_a_free_slot() {
        let slots = TransferSlots::default();
        let mut taken = all(&slots, Transfer::Form, FORMS).await;
        drop(slots.acquire(Transfer::Image, HERE).await.unwrap());
        let ((), slot) = tokio::join!(async { drop(taken.pop()) }, slots.acquire(Transfer::Form, HERE));
        taken.push(slot.unwrap());
        // A remote peer has a few, and waits for another one although others are free.
        let slots = TransferSlots::default();
        let mut own = Vec::new();
        for _ in 0..FORMS_OF_PEER {
            own.push(slots.acquire(Transfer::Form, STRANGER).await.unwrap());
        }
        assert!(slots.acquire(Transfer::Form, STRANGER).now_or_never().is_none());
        assert!(slots.acquire(Transfer::Form, HERE).now_or_never().is_some());
        drop((own, taken));
    }

    #[tokio::test(start_paused = true)]
    async fn slowest_transfer_makes_way_after_its_time() {
        let slots = TransferSlots::default();
        let taken = all(&slots, Transfer::Image, IMAGES).await;
        for (number, slot) in taken.iter().enumerate() {
            slot.keep(Bytes::from(vec![0; 1000]));
            if number != 7 {
                assert_eq!(slot.next(600).unwrap().unwrap().len(), 600);
            }
        }
        let begun = tokio::time::Instant::now();
        let next = slots.acquire(Transfer::Image, HERE).await.unwrap();
        assert!((CERTAIN..2 * CERTAIN).contains(&begun.elapsed()));
        taken[7].cut().await;
        assert_eq!(taken[7].next(600), Err(CutOff));
        assert_eq!(taken[6].next(600).unwrap().unwrap().len(), 400);
        assert_eq!(taken[6].next(600), Ok(None));
        next.keep(Bytes::new());
        assert_eq!(next.next(600), Ok(None));
    }
}
