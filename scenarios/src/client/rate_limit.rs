//! Keeps within the limits of a target: a bounded number of requests a second to each origin, and the wait of a 429, on the target's clock
//! if that can be moved.
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};
use url::Url;

use super::http::Http;
use super::message::{Request, Response};
use crate::model::target::{PrivateKey, RatePolicy};
use crate::model::verdict::Inconclusive;

/// Most refusals of one request, each waited out.
const MOST_REFUSALS: u32 = 100;
/// Waits in seconds before retries of a request that was refused without `Retry-After`.
const BACK_OFF: [u64; 3] = [1, 2, 4];
/// Concurrent requests to an origin that has refused one.
const MOST_AT_ONCE: usize = 8;
/// The most that one refusal may move the target's clock, in seconds: twice the longest window.
const LONGEST_MOVE: u64 = 2 * 24 * 60 * 60;

/// State that the clients of one target share.
#[derive(Debug, Default)]
pub(super) struct RateLimiter {
    policy: RatePolicy,
    /// The control plane whose clock is moved instead of waiting.
    control: Option<Url>,
    /// The credential of that control plane.
    token: Option<PrivateKey>,
    /// When the next request to an origin is due.
    turns: Mutex<BTreeMap<String, Instant>>,
    /// Origins that have refused a request with 429: they get fewer requests at once, so that not all are refused together.
    gates: Mutex<BTreeMap<String, Arc<Semaphore>>>,
    /// How often the clock was moved, and the lock of whoever moves it.
    moves: AtomicU64,
    moving: tokio::sync::Mutex<()>,
    held: Mutex<Held>,
    /// When the last request that may have changed something was answered.
    written: Mutex<Option<Instant>>,
}

/// Total time in which at least one request was held back.
#[derive(Debug, Default)]
struct Held {
    requests: usize,
    since: Option<Instant>,
    total: Duration,
}

/// The retries of one request until no limit refuses it.
#[derive(Debug, Default)]
pub struct Patience {
    moves: u64,
    refusals: u32,
    /// The number of refusals that did not state a wait.
    unstated: usize,
    waited: Duration,
}

impl Patience {
    /// Returns the wait after one more refusal without `Retry-After`; `None` if all waits are used up.
    pub(super) fn back_off(&mut self) -> Option<Duration> {
        let seconds = BACK_OFF.get(self.unstated)?;
        self.unstated += 1;
        Some(Duration::from_secs(*seconds))
    }
}

/// Holds a request back while it lives.
struct Holding<'a>(&'a RateLimiter);

impl Drop for Holding<'_> {
    fn drop(&mut self) {
        let mut held = self.0.held.lock();
        held.requests -= 1;
        if held.requests == 0
            && let Some(since) = held.since.take()
        {
            held.total += since.elapsed();
        }
    }
}

/// Marks a request that may change something.
pub(super) struct Writing<'a>(&'a RateLimiter);

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        *self.0.written.lock() = Some(Instant::now());
    }
}

impl RateLimiter {
    pub(super) fn new(policy: RatePolicy, control: Option<Url>, token: Option<PrivateKey>) -> Self {
        Self { policy, control, token, ..Self::default() }
    }

    /// Returns the total time in which at least one request was held back.
    pub(super) fn held(&self) -> Duration {
        let held = self.held.lock();
        held.total + held.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Waits until a request to this address is due: requests to an origin are evenly spaced.
    pub(super) async fn turn(&self, url: &Url) {
        let Some(rate) = self.policy.requests_per_second else {
            return;
        };
        let now = Instant::now();
        let turn = self.reserve(url, rate, now);
        if turn > now {
            self.hold_until(turn).await;
        }
    }

    /// Reserves the next slot of the origin of this address and returns its time.
    fn reserve(&self, url: &Url, rate: NonZeroU32, now: Instant) -> Instant {
        let mut turns = self.turns.lock();
        let next = turns.entry(url.origin().ascii_serialization()).or_insert(now);
        let turn = (*next).max(now);
        *next = turn + Duration::from_secs(1) / rate.get();
        turn
    }

    /// Returns a permit for an origin that has refused a request; `None` if it has not.
    pub(super) async fn place(&self, url: &Url) -> Option<OwnedSemaphorePermit> {
        let gate = self.gates.lock().get(&url.origin().ascii_serialization()).cloned()?;
        gate.acquire_owned().await.ok()
    }

    /// Returns a guard that lives while a request that may change something is in flight.
    pub(super) fn writing(&self) -> Writing<'_> {
        Writing(self)
    }

    /// Returns when the last request that may have changed something was answered.
    pub(super) fn written(&self) -> Option<Instant> {
        *self.written.lock()
    }

    pub(super) fn patience(&self) -> Patience {
        Patience { moves: self.moves.load(Ordering::SeqCst), ..Patience::default() }
    }

    /// Returns once a request that was refused with 429 may be sent again; an error if that would take too long.
    pub(super) async fn wait_out(
        &self,
        http: &Http,
        patience: &mut Patience,
        refusal: &Response,
    ) -> Result<(), Inconclusive> {
        let limited =
            |reason: String| Inconclusive::RateLimited { url: refusal.request.url.to_string(), reason };
        let wait = match retry_after(refusal) {
            Some(wait) => wait,
            None => patience.back_off().ok_or_else(|| {
                limited(format!("refused again after each wait, without Retry-After: {}", refusal.excerpt()))
            })?,
        };
        let by_the_target = http.waits_by_the_target(refusal);
        let origin = refusal.request.url.origin().ascii_serialization();
        self.gates.lock().entry(origin).or_insert_with(|| Arc::new(Semaphore::new(MOST_AT_ONCE)));
        patience.refusals += 1;
        if patience.refusals > MOST_REFUSALS {
            return Err(limited(format!(
                "refused {MOST_REFUSALS} times, each time after the wait it had asked for"
            )));
        }
        if let Some(control) =
            self.control.as_ref().filter(|_| wait.as_secs() <= LONGEST_MOVE && by_the_target)
        {
            let _turn = self.moving.lock().await;
            let moves = self.moves.load(Ordering::SeqCst);
            // The clock has been moved since this request was sent: perhaps that was enough.
            let moved = moves != patience.moves || {
                let order = json!({ "seconds": wait.as_secs() });
                let request = Request::post_json(control, "/_sim/clock/advance", &order);
                let moved = http.send_once(request.bearer(self.token.as_ref())).await;
                moved.is_ok_and(|response| response.status.is_success())
                    && self.moves.fetch_add(1, Ordering::SeqCst) == moves
            };
            if moved {
                patience.moves = self.moves.load(Ordering::SeqCst);
                return Ok(());
            }
        }
        patience.waited += wait;
        if patience.waited > self.policy.max_wait {
            let (asked, most) = (patience.waited.as_secs(), self.policy.max_wait.as_secs());
            return Err(limited(format!("it asks to wait {asked} s, and --max-wait allows {most} s")));
        }
        self.hold(wait).await;
        Ok(())
    }

    /// Holds a request back for this time.
    pub(super) async fn hold(&self, wait: Duration) {
        self.hold_until(Instant::now() + wait).await;
    }

    async fn hold_until(&self, moment: Instant) {
        {
            let mut held = self.held.lock();
            held.requests += 1;
            held.since.get_or_insert_with(Instant::now);
        }
        let _holding = Holding(self);
        sleep_until(moment).await;
    }
}

/// Returns the wait that a refusal demands, at least one second, from seconds or an HTTP date.
fn retry_after(refusal: &Response) -> Option<Duration> {
    let text = refusal.header("retry-after")?;
    let wait = match text.trim().parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let date = httpdate::parse_http_date(text).ok()?;
            date.duration_since(SystemTime::now()).unwrap_or_default()
        }
    };
    Some(wait.max(Duration::from_secs(1)))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use axum::Router;
    use axum::extract::State;
    use axum::http::{HeaderMap, StatusCode, Uri};
    use axum::response::IntoResponse;
    use futures::future::join_all;

    use super::*;

    /// A service whose limit is used up until its clock has been moved far enough, and which may refuse to move it.
    struct Limited {
        clock: AtomicU64,
        free: u64,
        retry_after: &'static str,
        moves: bool,
        asked: AtomicU64,
    }

    async fn answer(State(limited): State<Arc<Limited>>, uri: Uri, body: String) -> impl IntoResponse {
        let mut headers = HeaderMap::new();
        if uri.path() == "/_sim/clock/advance" {
            if !limited.moves {
                return (StatusCode::CONFLICT, headers);
            }
            let order: serde_json::Value = serde_json::from_str(&body).unwrap();
            limited.clock.fetch_add(order["seconds"].as_u64().unwrap(), Ordering::SeqCst);
            return (StatusCode::OK, headers);
        }
        limited.asked.fetch_add(1, Ordering::SeqCst);
        if limited.clock.load(Ordering::SeqCst) >= limited.free {
            return (StatusCode::OK, headers);
        }
        if !limited.retry_after.is_empty() {
            headers.insert("retry-after", limited.retry_after.parse().unwrap());
        }
        (StatusCode::TOO_MANY_REQUESTS, headers)
    }

    /// Starts the service, and a client that waits for it at most this many seconds.
    async fn limited(
        free: u64,
        retry_after: &'static str,
        moves: bool,
        max_wait: u64,
    ) -> (Arc<Limited>, Url, Http) {
        let (clock, asked) = Default::default();
        let limited = Arc::new(Limited { clock, free, retry_after, moves, asked });
        let url = serving(Router::new().fallback(answer).with_state(Arc::clone(&limited))).await;
        let http = Http::within(policy(max_wait), Some(url.clone()), None).unwrap();
        (limited, url, http)
    }

    async fn serving(router: Router) -> Url {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Url::parse(&url).unwrap()
    }

    fn policy(max_wait: u64) -> RatePolicy {
        RatePolicy { max_wait: Duration::from_secs(max_wait), requests_per_second: None }
    }

    #[tokio::test]
    async fn clock_is_moved_once_for_all_that_were_refused() {
        let (service, url, http) = limited(60, "60", true, 0).await;
        let responses = join_all((0..8).map(|_| http.send(Request::get(&url, "/", &[])))).await;
        assert!(responses.into_iter().all(|response| response.unwrap().code() == 200));
        assert_eq!(service.clock.load(Ordering::SeqCst), 60);
    }

    #[tokio::test]
    async fn waits_where_the_clock_cannot_be_moved() {
        let (service, url, http) = limited(1, "1", false, 1).await;
        let error = http.send(Request::get(&url, "/", &[])).await.unwrap_err();
        assert!(error.to_string().contains("--max-wait allows 1 s"), "{error}");
        assert_eq!(service.asked.load(Ordering::SeqCst), 2, "it was asked again after a second");
        assert!(http.held() >= Duration::from_secs(1));
        let refused = http.send_once(Request::get(&url, "/", &[])).await.unwrap();
        assert_eq!(refused.code(), 429, "a check of a limit sees the refusal");
    }

    #[tokio::test]
    async fn refusal_without_retry_after_is_repeated_three_times() {
        // The waits are 1, 2 and 4 seconds.
        for (free, is_waited_for) in [(7, true), (8, false)] {
            let (service, url, http) = limited(free, "", true, 0).await;
            assert_eq!(http.send(Request::get(&url, "/", &[])).await.is_ok(), is_waited_for);
            assert_eq!(service.asked.load(Ordering::SeqCst), 4);
        }
    }

    #[tokio::test]
    async fn an_address_that_refuses_everything_is_given_up() {
        let (service, url, http) = limited(1, "600", false, 1).await;
        for number in 0..20 {
            // One request that is taken begins the count again.
            service.clock.store(u64::from(number == 4), Ordering::SeqCst);
            let request = Request::get(&url, &format!("/{number}"), &[]);
            let error = http.send(request).await.err();
            match number {
                4 => assert!(error.is_none(), "{error:?}"),
                0..13 => assert!(matches!(error, Some(Inconclusive::RateLimited { .. })), "{error:?}"),
                _ => assert!(matches!(error, Some(Inconclusive::GivenUp { .. })), "{error:?}"),
            }
        }
        assert_eq!(service.asked.load(Ordering::SeqCst), 13);
    }

    #[tokio::test]
    async fn dates_and_limits_of_nodes_are_waited_for_by_ones_own_clock() {
        let (_, url, http) = limited(1, "Fri, 31 Dec 9999 23:59:59 GMT", true, 1).await;
        let error = http.send(Request::get(&url, "/", &[])).await.unwrap_err();
        assert!(error.to_string().contains("--max-wait"), "{error}");
        let (service, url, http) = limited(1, "1", true, 1).await;
        assert!(http.for_nodes().send(Request::get(&url, "/", &[])).await.is_err());
        assert_eq!(service.clock.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    async fn answer_of_a_cache_is_asked_for_until_it_is_newer_than_the_last_write() {
        let made = Arc::new(AtomicU64::default());
        let cached = |State(made): State<Arc<AtomicU64>>, uri: Uri| async move {
            let of = made.fetch_add(1, Ordering::SeqCst);
            // The third answer is the first that did not come from the cache.
            let age = if uri.path() == "/old" { Some("4000") } else { Some("0").filter(|_| of < 2) };
            (age.map(|age| [("age", age)]), of.to_string()).into_response()
        };
        let url = serving(Router::new().fallback(cached).with_state(Arc::clone(&made))).await;
        let http = Http::new().unwrap();
        let body = async |path| http.send(Request::get(&url, path, &[])).await.unwrap().body.to_vec();
        assert_eq!(body("/").await, b"0", "nothing was written");
        made.store(0, Ordering::SeqCst);
        http.send(Request::post_json(&url, "/write", &json!({}))).await.unwrap();
        made.store(0, Ordering::SeqCst);
        assert_eq!(body("/").await, b"2");
        assert_eq!(body("/old").await, b"3", "an answer of a day is what there is");
    }

    #[tokio::test]
    async fn turns_of_an_origin_are_evenly_apart() {
        let rate = NonZeroU32::new(4).unwrap();
        let limiter =
            RateLimiter::new(RatePolicy { requests_per_second: Some(rate), ..policy(0) }, None, None);
        let (one, same) = (Url::parse("http://one/a").unwrap(), Url::parse("http://one/b").unwrap());
        let other = Url::parse("http://other/a").unwrap();
        let now = Instant::now();
        let turn = |url, moment| limiter.reserve(url, rate, moment) - now;
        let quarter = Duration::from_millis(250);
        assert_eq!(
            [turn(&one, now), turn(&same, now), turn(&one, now)],
            [Duration::ZERO, quarter, quarter * 2]
        );
        assert_eq!(turn(&other, now), Duration::ZERO, "a different origin");
        assert_eq!(turn(&one, now + quarter * 9), quarter * 9, "unused turns are not saved up");
        assert_eq!(turn(&one, now + quarter * 9), quarter * 10);
        limiter.turn(&one).await;
        assert!(now.elapsed() >= quarter * 11 && limiter.held() > Duration::ZERO);
    }
}
