//! Raw HTTP: sends whatever a client could send, and returns exactly what came back; follows redirects only within an origin.
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use url::Url;

use super::bounds::{Bounds, Held, LARGEST_ANSWER, weight};
use super::message::{Request, Response};
use super::numbers;
use super::rate_limit::{Patience, RateLimiter};
use super::shared::Shared;
use super::transport::{PATIENCE, client, describe, innermost, is_dropped};
use crate::client::kept::Audit;
use crate::client::record::{Content, Recorder};
use crate::model::target::{PrivateKey, RatePolicy};
use crate::model::verdict::Inconclusive;

/// How long an idle connection is kept: shorter than usual servers keep it (five seconds by Node's default), so that no request uses a
/// connection that is being closed.
const IDLE: Duration = Duration::from_secs(3);

/// Statuses of a gateway or balancer that could not forward a read, or not in time.
const UNAVAILABLE: [u16; 3] = [502, 503, 504];
/// Repetitions of such a read.
const MOST_UNAVAILABLE: usize = 3;
/// The longest that a service may lag behind the chains if it does not report its height.
const LAG: Duration = Duration::from_secs(2);
/// Prefixes of the methods by which a node changes its chain.
const SENDING: &[u8] = b"\"eth_send";
const DEVELOPMENT: &[u8] = b"\"evm_";
/// The interval at which a cached answer is requested again.
const AGE_PACE: Duration = Duration::from_millis(200);

/// A client without cookies and without decoding; clones share the limits of a target.
#[derive(Clone, Debug)]
pub struct Http {
    client: reqwest::Client,
    /// Opens a connection for each request, which no server is about to close.
    fresh: reqwest::Client,
    limiter: Arc<RateLimiter>,
    recorder: Option<Arc<dyn Recorder>>,
    audit: Option<Arc<Audit>>,
    /// Whether it talks to nodes: their limits do not follow the target's clock, and every call may be repeated.
    asks_nodes: bool,
    /// The bounds on what the target may cost.
    bounds: Arc<Bounds>,
    /// Answers that the checks of a lane share, if they do.
    shared: Option<Shared>,
}

impl Http {
    /// Opens a client with the TLS of this build and the default rate policy.
    pub fn new() -> Result<Self, Inconclusive> {
        Self::within(RatePolicy::default(), None, None)
    }

    /// Opens a client with a rate policy; given a control plane and its credential, it moves the target's clock instead of waiting.
    pub fn within(
        policy: RatePolicy,
        control: Option<Url>,
        token: Option<PrivateKey>,
    ) -> Result<Self, Inconclusive> {
        slipway_contracts::prepare_http();
        let limiter = Arc::new(RateLimiter::new(policy, control, token));
        Ok(Self {
            client: client(|builder| builder.pool_idle_timeout(IDLE))?,
            fresh: client(|builder| builder.pool_max_idle_per_host(0))?,
            limiter,
            recorder: None,
            audit: None,
            asks_nodes: false,
            bounds: Arc::default(),
            shared: None,
        })
    }

    /// Returns a client whose exchanges are recorded.
    pub fn recorded(&self, recorder: Arc<dyn Recorder>) -> Self {
        Self { recorder: Some(recorder), ..self.clone() }
    }

    /// Returns a client whose exchanges are neither recorded nor kept.
    pub(crate) fn unrecorded(&self) -> Self {
        Self { recorder: None, audit: None, ..self.clone() }
    }

    /// Returns a client whose answers are kept for the audit.
    pub(crate) fn audited(&self, audit: Arc<Audit>) -> Self {
        Self { audit: Some(audit), ..self.clone() }
    }

    /// Returns a client that shares reads with other checks.
    pub(crate) fn sharing(&self) -> Self {
        Self { shared: Some(Shared::default()), ..self.clone() }
    }

    /// Returns the client for another check.
    pub(crate) fn for_another(&self) -> Self {
        Self { shared: self.shared.as_ref().map(Shared::for_another), ..self.clone() }
    }

    /// Returns a client that shares nothing.
    pub(crate) fn alone(&self) -> Self {
        Self { shared: None, ..self.clone() }
    }

    /// Whether it used an answer that another check requested.
    pub(crate) fn has_reused(&self) -> bool {
        self.shared.as_ref().is_some_and(Shared::has_reused)
    }

    /// Computes a value from many answers, once for all checks that share reads while the target is in this state. A check that asks again
    /// computes its own.
    pub(crate) async fn read_together<T: Send + Sync + 'static, E, F: Future<Output = Result<T, E>>>(
        &self,
        state: &str,
        make: impl Fn() -> F,
    ) -> Result<Arc<T>, E> {
        let shared = match &self.shared {
            Some(shared) => shared.read_together(state, &make).await?,
            None => None,
        };
        match shared {
            Some(shared) => Ok(shared),
            None => Ok(Arc::new(make().await?)),
        }
    }

    /// Reduces the reserved memory to the bytes of a body that will not be parsed as a whole again.
    pub(crate) fn lighten(&self, response: &mut Response) -> Result<(), Inconclusive> {
        let mut held = self.bounds.hold();
        let address = || response.request.url.origin().ascii_serialization();
        held.grow(response.body.len())
            .map_err(|reason| Inconclusive::TooLarge { address: address(), reason })?;
        response.body = held.keep(Vec::from(&*response.body));
        Ok(())
    }

    /// Returns the bounds of the target, for its other clients.
    pub(crate) fn bounds(&self) -> &Arc<Bounds> {
        &self.bounds
    }

    /// Returns the client for the nodes of chains.
    pub fn for_nodes(&self) -> Self {
        Self { asks_nodes: true, ..self.clone() }
    }

    /// Whether the requested wait follows the target's clock; it does not if something in front of the target refused.
    pub(super) fn waits_by_the_target(&self, refusal: &Response) -> bool {
        !self.asks_nodes && refusal.code() == 429
    }

    /// Sends a request and reads the whole answer. A 429 is retried after its `Retry-After`, or without one after one, two and four
    /// seconds. A read that a gateway could not forward is repeated a few times, one without an answer in time once in a run, and a cached answer is requested again
    /// until it is newer than the last write.
    pub fn send(&self, request: Request) -> BoxFuture<'_, Result<Response, Inconclusive>> {
        Box::pin(async move {
            match &self.shared {
                Some(shared) => {
                    shared.read(request, self.asks_nodes, |request| self.send_anew(request)).await
                }
                None => self.send_anew(request).await,
            }
        })
    }

    /// Sends a request without using shared answers.
    fn send_anew(&self, request: Request) -> BoxFuture<'_, Result<Response, Inconclusive>> {
        Box::pin(async move {
            let (mut patience, mut unavailable, mut is_dropped) = (self.patience(), 0, false);
            let mut place = None;
            let written = self.limiter.written();
            let response = loop {
                if place.is_none() {
                    place = self.limiter.place(&request.url).await;
                }
                let sent = tokio::time::Instant::now();
                let response = match self.exchange(request.clone(), is_dropped).await {
                    Err(Inconclusive::Silent { .. })
                        if sent.elapsed() >= PATIENCE
                            && !self.may_write(&request)
                            && self.bounds.forgives(&request.url.origin().ascii_serialization()) =>
                    {
                        continue;
                    }
                    // Once may be chance: a server closes connections that are idle.
                    Err(Inconclusive::Dropped { .. }) if !is_dropped && !self.may_write(&request) => {
                        is_dropped = true;
                        continue;
                    }
                    answered => answered?,
                };
                match response.code() {
                    // A 429 that is retried is not judged: it may come from the edge in front of the target.
                    429 => {
                        if let Err(limited) = self.wait_out(&mut patience, &response).await {
                            self.bounds.refused(&request.url.origin().ascii_serialization());
                            return Err(limited);
                        }
                    }
                    code if UNAVAILABLE.contains(&code)
                        && unavailable < MOST_UNAVAILABLE
                        && self.may_repeat(&request) =>
                    {
                        unavailable += 1;
                        if self.wait_out(&mut patience, &response).await.is_err() {
                            break response;
                        }
                    }
                    _ if self.asks_nodes && response.exceeds_a_limit() => match patience.back_off() {
                        Some(wait) => self.limiter.hold(wait).await,
                        None => break response,
                    },
                    _ if written.is_some_and(|written| response.is_older_than(written.elapsed())) => {
                        self.limiter.hold(AGE_PACE).await;
                    }
                    _ => break response,
                }
            };
            self.bounds.taken(&request.url.origin().ascii_serialization());
            self.keep(&response);
            Ok(response)
        })
    }

    /// Whether a request may change what later reads show. Almost all calls of a node are reads.
    fn may_write(&self, request: &Request) -> bool {
        if !self.asks_nodes {
            return !request.method.is_safe();
        }
        let body = request.body.as_deref().unwrap_or_default();
        [SENDING, DEVELOPMENT].iter().any(|method| body.windows(method.len()).any(|part| part == *method))
    }

    /// Whether sending a request twice does what sending it once does (RFC 9110 §9.2.2).
    fn may_repeat(&self, request: &Request) -> bool {
        self.asks_nodes || request.method.is_idempotent()
    }

    /// Sends a request once and reads the whole answer, even a 429: for checks of limits.
    pub fn send_once(&self, request: Request) -> BoxFuture<'_, Result<Response, Inconclusive>> {
        Box::pin(async move {
            let response = self.exchange(request, false).await?;
            self.keep(&response);
            Ok(response)
        })
    }

    /// Returns once a service that lags by at most [`LAG`] shows every write of this run so far.
    pub(crate) async fn settle(&self) {
        if let Some(written) = self.limiter.written() {
            self.limiter.hold(LAG.saturating_sub(written.elapsed())).await;
        }
    }

    /// Returns why an address does not answer, and stops requests to it; `None` if it answers.
    pub async fn silence(&self, request: Request) -> Option<String> {
        let address = request.url.origin().ascii_serialization();
        let Err(Inconclusive::Silent { reason, .. }) = self.exchange(request, false).await else {
            return None;
        };
        self.bounds.give_up(&address, &reason);
        Some(reason)
    }

    /// Keeps an answer for the audit, if there is one.
    fn keep(&self, response: &Response) {
        if let Some(audit) = &self.audit {
            audit.keep(response);
        }
    }

    /// Returns the patience of a request that is about to be sent.
    pub fn patience(&self) -> Patience {
        self.limiter.patience()
    }

    /// Returns once a request that was refused with 429 may be sent again; an error if that would take too long.
    pub(crate) async fn wait_out(
        &self,
        patience: &mut Patience,
        refusal: &Response,
    ) -> Result<(), Inconclusive> {
        self.limiter.wait_out(self, patience, refusal).await
    }

    /// Returns how long requests were held back by limits so far.
    pub fn held(&self) -> Duration {
        self.limiter.held()
    }

    /// Makes one exchange and records it if a recorder is set. What must not be sent twice, and what is sent again, gets a fresh connection.
    async fn exchange(&self, request: Request, is_again: bool) -> Result<Response, Inconclusive> {
        self.limiter.turn(&request.url).await;
        let may_write = self.may_write(&request);
        let _writing = may_write.then(|| self.limiter.writing());
        let client = if may_write || is_again { &self.fresh } else { &self.client };
        let (started, sent) = (Instant::now(), self.recorder.as_ref().map(|_| request.clone()));
        let mut answered = self.deliver(client, request).await;
        if let (Some(recorder), Some(sent)) = (&self.recorder, sent) {
            let response = answered.as_ref().map(|(response, _)| response);
            let number = recorder.exchanged(started, &Content::Http { request: &sent, response });
            if let Ok((response, _)) = &mut answered {
                response.exchange = Some(number);
            }
        }
        let (mut response, held) = answered?;
        let body =
            numbers::plain(&response.body).unwrap_or_else(|| Vec::from(std::mem::take(&mut response.body)));
        response.body = held.keep(body);
        Ok(response)
    }

    /// Sends once; returns the answer with its reserved memory, or the error.
    async fn deliver(
        &self,
        client: &reqwest::Client,
        request: Request,
    ) -> Result<(Response, Held), Inconclusive> {
        let (address, sent) = (request.url.origin().ascii_serialization(), Instant::now());
        self.bounds.admit(&address, sent)?;
        let mut builder = client.request(request.method.clone(), request.url.clone());
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        if let Some(body) = &request.body {
            builder = builder.body(body.clone());
        }
        match self.received(builder).await {
            Ok((status, headers, body, held)) => {
                self.bounds.answered(&address);
                Ok((Response { request, status, headers, body: body.into(), exchange: None }, held))
            }
            Err(Broken::Transport(error)) if error.is_timeout() => {
                self.bounds.unanswered(&address, sent, true);
                let reason = format!("{address} gave no whole answer within {} s", PATIENCE.as_secs());
                Err(Inconclusive::Silent { endpoint: "the service", reason })
            }
            Err(Broken::Transport(error)) if error.is_connect() => {
                self.bounds.unanswered(&address, sent, true);
                // Without the path, so that every check reports the same reason.
                let reason = format!("{address} takes no connection: {}", innermost(&error));
                Err(Inconclusive::Silent { endpoint: "the service", reason })
            }
            Err(Broken::Transport(error)) if is_dropped(&error) => Err(Inconclusive::Dropped { address }),
            Err(Broken::Transport(error)) => {
                let reason = describe(&error);
                Err(Inconclusive::Unreachable { endpoint: "the service", reason })
            }
            Err(Broken::TooLarge(reason)) => {
                self.bounds.unanswered(&address, sent, false);
                Err(Inconclusive::TooLarge { address, reason })
            }
        }
    }

    async fn received(
        &self,
        request: reqwest::RequestBuilder,
    ) -> Result<(StatusCode, HeaderMap, Vec<u8>, Held), Broken> {
        let too_large = || Broken::TooLarge(format!("an answer is larger than {} MiB", LARGEST_ANSWER >> 20));
        let mut received = request.send().await?;
        let (status, headers) = (received.status(), received.headers().clone());
        let announced = received.content_length().unwrap_or_default();
        if announced > LARGEST_ANSWER as u64 {
            return Err(too_large());
        }
        let mut held = self.bounds.hold();
        let of_headers = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
        held.grow(of_headers).map_err(Broken::TooLarge)?;
        let mut body = Vec::with_capacity(usize::try_from(announced).unwrap_or_default());
        while let Some(chunk) = received.chunk().await? {
            if body.len() + chunk.len() > LARGEST_ANSWER {
                return Err(too_large());
            }
            held.grow(weight(&chunk)).map_err(Broken::TooLarge)?;
            body.extend_from_slice(&chunk);
        }
        Ok((status, headers, body, held))
    }
}

/// Why a request was not answered.
enum Broken {
    Transport(reqwest::Error),
    TooLarge(String),
}

impl From<reqwest::Error> for Broken {
    fn from(error: reqwest::Error) -> Self {
        Self::Transport(error)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::Router;
    use axum::extract::State;
    use axum::routing::any;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// Answers no request whose number is even.
    async fn every_other(State(asked): State<Arc<AtomicUsize>>) {
        if asked.fetch_add(1, Ordering::SeqCst) % 2 == 1 {
            std::future::pending::<()>().await;
        }
    }

    #[tokio::test]
    async fn a_connection_that_is_closed_without_an_answer_is_not_out_of_reach() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let asked = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                // The request is read, so that the end is a plain one.
                let _ = stream.read(&mut [0; 4_096]).await;
            }
        });
        let http = Http::new().unwrap();
        for (request, times) in
            [(Request::get(&url, "/", &[]), 2), (Request::post_json(&url, "/", &serde_json::Value::Null), 1)]
        {
            let before = asked.load(Ordering::SeqCst);
            let told = http.send(request).await.unwrap_err().to_string();
            assert_eq!(
                told,
                format!("{} closed the connection without an answer", url.as_str().trim_end_matches('/'))
            );
            assert_eq!(
                asked.load(Ordering::SeqCst) - before,
                times,
                "a read is sent once more, a write is not"
            );
        }
    }

    /// Answers the first request of each connection and closes it, unannounced, at the second.
    async fn once(mut stream: tokio::net::TcpStream) {
        let mut asked = [0; 4_096];
        let _ = stream.read(&mut asked).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await;
        let _ = stream.read(&mut asked).await;
    }

    #[tokio::test]
    async fn a_connection_that_its_server_closes_costs_no_answer() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(once(stream));
            }
        });
        let http = Http::new().unwrap();
        let read = || http.send(Request::get(&url, "/", &[]));
        // Several connections are kept, and each would be closed at the next request.
        assert!(futures::future::join_all([read(), read(), read(), read()]).await.iter().all(Result::is_ok));
        for _ in 0..3 {
            read().await.unwrap();
            http.send(Request::post_json(&url, "/", &serde_json::Value::Null)).await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn one_read_without_an_answer_in_time_is_repeated() {
        let asked = Arc::<AtomicUsize>::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let router = Router::new().fallback(any(every_other)).with_state(Arc::clone(&asked));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let read = || Request::get(&url, "/", &[]);
        let mut answers = Vec::new();
        let http = Http::new().unwrap();
        for request in
            [read(), Request::post_json(&url, "/", &serde_json::Value::Null), read(), read(), read(), read()]
        {
            let before = asked.load(Ordering::SeqCst);
            let is_answered = http.send(request).await.is_ok();
            answers.push((is_answered, asked.load(Ordering::SeqCst) - before));
        }
        // A write is never repeated, and only the first read is.
        assert_eq!(answers, [(true, 1), (false, 1), (true, 1), (true, 2), (false, 1), (true, 1)]);
    }
}
