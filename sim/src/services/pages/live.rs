//! Server-sent events that tell a page to read itself again: one when it connects, and one for every change.
//!
//! An event carries no figure, so a page that missed some, or got one twice, shows the same as one that did not.
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

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
use crate::services::input::{AccountAddress, Input, Optional, Query};

/// How often what no chain tells of is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// How long a browser waits before it connects again.
const RETRY: Duration = Duration::from_secs(1);

const TOKEN: Input<AccountAddress, Optional> = Input {
    name: "token",
    cause: "live-token",
    meaning: "token whose messages are told of too",
    kind: AccountAddress,
    presence: Optional,
};

/// Everything that a page may show, by numbers that change with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Version {
    heights: Heights,
    rewinds: u64,
    message: i64,
    time: u64,
}

/// One connected page.
struct Viewer {
    pages: Arc<Pages>,
    token: Option<alloy::primitives::Address>,
    ticking: bool,
    heights: watch::Receiver<Heights>,
    ticks: Interval,
    shutdown: Option<watch::Receiver<bool>>,
    seen: Option<Version>,
}

pub(super) async fn get(
    State(pages): State<Arc<Pages>>,
    shutdown: Option<Extension<Shutdown>>,
    uri: Uri,
) -> Result<Response, Refusal> {
    let query = Query::decode(&uri)?;
    let mut ticks = interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let viewer = Viewer {
        token: query.read(&TOKEN)?,
        ticking: uri.query().is_some_and(|query| query.split('&').any(|part| part == "clock")),
        heights: pages.engine.heights(),
        ticks,
        shutdown: shutdown.map(|Extension(Shutdown(shutdown))| shutdown),
        seen: None,
        pages,
    };
    let events = stream::unfold(viewer, |mut viewer| async move {
        let event = viewer.change().await?;
        Some((Ok::<_, Infallible>(event), viewer))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::new()).into_response())
}

impl Viewer {
    /// Waits for a change; none when the platform shuts down.
    async fn change(&mut self) -> Option<Event> {
        loop {
            let version = self.version().await;
            if self.seen.as_ref() != Some(&version) {
                self.seen = Some(version);
                return Some(Event::default().event("changed").retry(RETRY).data("{}"));
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
                _ = self.ticks.tick(), if self.token.is_some() || self.ticking => {}
            }
        }
    }

    async fn version(&mut self) -> Version {
        let message = match self.token {
            Some(token) => {
                let latest = self.pages.api.store.messages(token, 0, 1).await.unwrap_or_default();
                latest.first().map_or(0, |message| message.id)
            }
            None => 0,
        };
        Version {
            heights: self.heights.borrow_and_update().clone(),
            rewinds: self.pages.engine.rewinds().last().map_or(0, |rewind| rewind.number),
            message,
            time: if self.ticking { self.pages.now() } else { 0 },
        }
    }
}
