//! Server-sent events that tell a page to read itself again: one when it connects, and one for every change.
//!
//! An event carries no figure, so a page that missed some, or got one twice, shows the same as one that did not.
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::Address;
use axum::Extension;
use axum::extract::State;
use axum::http::Uri;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use tokio::sync::watch;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::Pages;
use crate::api::refusal::Refusal;
use crate::indexer::Heights;
use crate::services::http::Shutdown;
use crate::services::input::{AccountAddress, Boolean, DefaultTo, Input, Optional, Query};
use crate::store::Store;

/// How often messages and the clock are looked at, which change without a block.
const LOOK: Duration = Duration::from_secs(1);
/// How long a browser waits before it connects again.
const RETRY: Duration = Duration::from_secs(1);

const TOKEN: Input<AccountAddress, Optional> = Input {
    name: "token",
    cause: "live-token",
    meaning: "token whose chat messages also cause events",
    kind: AccountAddress,
    presence: Optional,
};

const CLOCK: Input<Boolean, DefaultTo<bool>> = Input {
    name: "clock",
    cause: "live-clock",
    meaning: "whether every second of the clock also causes an event",
    kind: Boolean,
    presence: DefaultTo(false),
};

pub(super) async fn get(
    State(pages): State<Arc<Pages>>,
    shutdown: Option<Extension<Shutdown>>,
    uri: Uri,
) -> Result<Response, Refusal> {
    let query = Query::decode(&uri)?;
    let (token, ticking) = (query.read(&TOKEN)?, query.read(&CLOCK)?);
    let heights = pages.engine.heights();
    Ok(events(heights, ticking || token.is_some(), shutdown, move |heights| {
        let pages = Arc::clone(&pages);
        async move {
            let rewinds = pages.engine.rewinds().last().map_or(0, |rewind| rewind.number);
            let time = if ticking { pages.now() } else { 0 };
            let message = match token {
                Some(token) => latest_message(&pages.api.store, token).await,
                None => 0,
            };
            (heights, rewinds, message, time)
        }
    }))
}

/// The number of the latest message of a token; 0 without one, and while the store does not answer.
async fn latest_message(store: &Store, token: Address) -> i64 {
    let latest = store.messages(token, 0, 1).await.unwrap_or_default();
    latest.first().map_or(0, |message| message.id)
}

/// An event now, and whenever `version` answers something else than before. It is asked when a block was indexed and, where
/// `ticking`, every second; the stream ends when the platform shuts down.
pub(in crate::services) fn events<V, F>(
    heights: watch::Receiver<Heights>,
    ticking: bool,
    shutdown: Option<Extension<Shutdown>>,
    version: impl FnMut(Heights) -> F + Send + 'static,
) -> Response
where
    V: PartialEq + Send + 'static,
    F: Future<Output = V> + Send + 'static,
{
    let mut ticks = interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let shutdown = shutdown.map(|Extension(Shutdown(shutdown))| shutdown);
    let viewer = Viewer { heights, ticks, ticking, shutdown, version, seen: None };
    let events = stream::unfold(viewer, |mut viewer| async move {
        viewer.change().await?;
        let event = Event::default().event("changed").retry(RETRY).data("{}");
        Some((Ok::<_, Infallible>(event), viewer))
    });
    Sse::new(events).keep_alive(KeepAlive::new()).into_response()
}

/// One connected page.
struct Viewer<V, N> {
    heights: watch::Receiver<Heights>,
    ticks: Interval,
    ticking: bool,
    shutdown: Option<watch::Receiver<bool>>,
    version: N,
    seen: Option<V>,
}

impl<V: PartialEq, F: Future<Output = V>, N: FnMut(Heights) -> F> Viewer<V, N> {
    /// Waits for a change; none when the platform shuts down.
    async fn change(&mut self) -> Option<()> {
        loop {
            let heights = self.heights.borrow_and_update().clone();
            let version = (self.version)(heights).await;
            if self.seen.as_ref() != Some(&version) {
                self.seen = Some(version);
                return Some(());
            }
            let shutdown = async {
                match &mut self.shutdown {
                    Some(shutdown) => _ = shutdown.wait_for(|shutdown| *shutdown).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = shutdown => return None,
                changed = self.heights.changed() => changed.ok()?,
                _ = self.ticks.tick(), if self.ticking => {}
            }
        }
    }
}
