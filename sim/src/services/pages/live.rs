//! Server-sent events that make a page reload: one when it connects, and one for every change.
//!
//! An event contains no figures, so a page that missed some, or received one twice, shows the same as one that did not.
use std::collections::HashMap;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderValue};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::Pages;
use crate::api::Api;
use crate::api::refusal::Refusal;
use crate::api::status::Heights;
use crate::services::http::{Served, Shutdown};
use crate::services::input::kinds::AccountAddress;
use crate::services::input::query;
use crate::services::rest::Caller;

/// Time between checks of the messages and the clock, which change without a block.
const LOOK: Duration = Duration::from_secs(1);
/// Limits on streams per listener and per peer: an idle reader can hold a connection for any time.
const STREAMS: usize = 64;
const STREAMS_A_PEER: usize = 8;
/// Seconds after which a refused reader may retry.
const RETRY_REFUSED: u64 = 5;
/// Time after which a browser reconnects.
const RETRY: Duration = Duration::from_secs(1);

#[derive(Deserialize, JsonSchema)]
struct LiveParameters {
    /// token whose chat messages also cause events
    #[schemars(extend("x-cause" = "live-token"))]
    token: Option<AccountAddress>,
    /// whether every second of the clock also causes an event
    #[serde(default)]
    #[schemars(extend("x-cause" = "live-clock"))]
    clock: bool,
}

pub(super) async fn get(State(pages): State<Arc<Pages>>, request: Request) -> Served {
    let LiveParameters { token, clock: ticking } = query(request.uri())?;
    let token = token.map(|token| token.0);
    let heights = pages.api.follow_heights();
    let stream = match pages.streams.open(&pages.api, &request) {
        Ok(stream) => stream,
        Err(refusal) => return Ok(without_connection(refusal)),
    };
    Ok(events(heights, ticking || token.is_some(), stream, move |heights| {
        let pages = Arc::clone(&pages);
        async move {
            let time = if ticking { pages.now() } else { 0 };
            let message = match token {
                Some(token) => pages.api.latest_message(token).await,
                None => 0,
            };
            // A time jump moves the chains first and the clock last.
            (heights, pages.api.last_rewind(), message, time, pages.api.clock_setting())
        }
    }))
}

/// Open streams of one listener, by peer.
#[derive(Clone, Debug, Default)]
pub(in crate::services) struct Streams(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// A refusal that closes the connection.
pub(in crate::services) fn without_connection(refusal: Refusal) -> Response {
    let mut response = refusal.into_response();
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// An open stream, counted until it is dropped.
#[derive(Debug)]
pub(in crate::services) struct Stream {
    open: Streams,
    peer: IpAddr,
    shutdown: Option<watch::Receiver<bool>>,
}

impl Streams {
    /// Opens a stream for a caller, unless there are too many.
    pub(in crate::services) fn open(&self, api: &Api, request: &Request) -> Result<Stream, Refusal> {
        let Caller(peer) = Caller::of(api, request.headers(), request.extensions().get());
        let shutdown = request.extensions().get().map(|Shutdown(shutdown)| shutdown.clone());
        let mut open = self.0.lock();
        let of_peer = open.get(&peer).copied().unwrap_or_default();
        if open.values().sum::<usize>() >= STREAMS || of_peer >= STREAMS_A_PEER {
            let refusal = Refusal::unavailable("live-streams", "too many event streams are open");
            return Err(Refusal { retry_after: Some(RETRY_REFUSED), ..refusal });
        }
        open.insert(peer, of_peer + 1);
        drop(open);
        Ok(Stream { open: self.clone(), peer, shutdown })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let mut open = self.open.0.lock();
        match open.get_mut(&self.peer) {
            Some(of_peer) if *of_peer > 1 => *of_peer -= 1,
            _ => _ = open.remove(&self.peer),
        }
    }
}

/// Sends an event now, and whenever the result of `version` changes. `version` is called when a block was indexed and, if `ticking`, every
/// second; the stream ends when the platform shuts down.
pub(in crate::services) fn events<V, F>(
    heights: watch::Receiver<Heights>,
    ticking: bool,
    stream: Stream,
    version: impl FnMut(Heights) -> F + Send + 'static,
) -> Response
where
    V: PartialEq + Send + 'static,
    F: Future<Output = V> + Send + 'static,
{
    let mut ticks = interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let viewer = Viewer { heights, ticks, ticking, stream, version, seen: None };
    let events = stream::unfold(viewer, |mut viewer| async move {
        viewer.change().await?;
        let event = Event::default().event("changed").retry(RETRY).data("{}");
        Some((Ok::<_, Infallible>(event), viewer))
    });
    Sse::new(events).keep_alive(KeepAlive::new()).into_response()
}

struct Viewer<V, N> {
    heights: watch::Receiver<Heights>,
    ticks: Interval,
    ticking: bool,
    stream: Stream,
    version: N,
    seen: Option<V>,
}

impl<V: PartialEq, F: Future<Output = V>, N: FnMut(Heights) -> F> Viewer<V, N> {
    /// Waits for a change; `None` once the platform shuts down.
    async fn change(&mut self) -> Option<()> {
        loop {
            let heights = self.heights.borrow_and_update().clone();
            let version = (self.version)(heights).await;
            if self.seen.as_ref() != Some(&version) {
                self.seen = Some(version);
                return Some(());
            }
            let shutdown = async {
                match &mut self.stream.shutdown {
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
