//! Shares reads among checks: equal reads in a lane without writes are sent once. A check that repeats a read sends it again, and a check
//! that finds something runs again without shared answers.
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Bytes;
use parking_lot::Mutex;
use reqwest::Method;
use tokio::sync::OnceCell;

use super::message::{Request, Response};
use crate::client::paths::BATCH;
use crate::model::verdict::Inconclusive;

/// Most bytes of kept answers.
const MOST_BYTES: usize = 32 << 20;
/// Most bytes of one kept answer.
const MOST_BYTES_OF_ONE: usize = 1 << 20;
/// The calls of a node that change nothing.
const READING: &[&[u8]] = &[
    b"\"eth_call\"",
    b"\"eth_simulateV1\"",
    b"\"eth_getCode\"",
    b"\"eth_getLogs\"",
    b"\"eth_getBlockByNumber\"",
    b"\"eth_getStorageAt\"",
    b"\"eth_chainId\"",
];

/// Block tags that make the answer of a node depend on the moment.
const MOVING: &[&[u8]] = &[b"\"latest\"", b"\"pending\"", b"\"safe\"", b"\"finalized\""];
/// Calls whose answers do not change during a check: the code of a contract stays, and all calls of one check are of one moment.
const STAYING: &[&[u8]] = &[b"\"eth_getCode\"", b"\"eth_call\""];

/// Address, headers and body of a read.
type Key = (String, Vec<(String, String)>, Option<Vec<u8>>);
type Cell = Arc<OnceCell<Response>>;

/// The answers that the checks of a lane share.
#[derive(Debug, Default)]
struct Answers {
    cells: BTreeMap<Key, Cell>,
    bytes: usize,
}

/// A value computed from many answers, and the state of the target that it belongs to.
type Together = (String, Arc<OnceCell<Arc<dyn Any + Send + Sync>>>);

/// The view of one check on the shared answers.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    answers: Arc<Mutex<Answers>>,
    together: Arc<Mutex<Together>>,
    asked: Arc<Mutex<BTreeSet<Key>>>,
    asked_together: Arc<AtomicBool>,
    reused: Arc<AtomicBool>,
}

impl Shared {
    /// Returns a view on the same answers for another check.
    pub(super) fn for_another(&self) -> Self {
        let (answers, together) = (Arc::clone(&self.answers), Arc::clone(&self.together));
        Self { answers, together, ..Self::default() }
    }

    /// Whether it used an answer that another check requested.
    pub(super) fn has_reused(&self) -> bool {
        self.reused.load(Ordering::Relaxed)
    }

    /// Returns the answer to a read: a shared one if another check has requested it and this one has not.
    pub(super) async fn read<F>(
        &self,
        request: Request,
        of_node: bool,
        ask: impl FnOnce(Request) -> F,
    ) -> Result<Response, Inconclusive>
    where
        F: Future<Output = Result<Response, Inconclusive>>,
    {
        let is_first = |key: &Key| self.asked.lock().insert(key.clone());
        let stays = of_node && stays(&request);
        let Some(key) = key(&request, of_node).filter(|key| is_first(key) || stays) else {
            return ask(request).await;
        };
        let cell = Arc::clone(self.answers.lock().cells.entry(key.clone()).or_default());
        let (mut is_own, mut is_kept) = (false, false);
        let kept = cell
            .get_or_try_init(|| async {
                let mut response = ask(request).await?;
                (is_own, is_kept) = (true, self.takes(response.body.len()));
                if is_kept {
                    // Copied, so that kept answers do not count as answers in use.
                    response.body = Bytes::copy_from_slice(&response.body);
                }
                Ok::<_, Inconclusive>(response)
            })
            .await?;
        if !is_own {
            self.reused.store(true, Ordering::Relaxed);
        } else if !is_kept {
            self.answers.lock().cells.remove(&key);
        }
        Ok(kept.clone())
    }

    /// Computes a value from many answers while the target is in this state, or returns the value that another check computed; `None` if
    /// this check has asked before, or if a value of another type was computed.
    pub(super) async fn read_together<T: Send + Sync + 'static, E, F: Future<Output = Result<T, E>>>(
        &self,
        state: &str,
        make: impl Fn() -> F,
    ) -> Result<Option<Arc<T>>, E> {
        if self.asked_together.swap(true, Ordering::Relaxed) {
            return Ok(None);
        }
        let cell = {
            let mut together = self.together.lock();
            if together.0 != state {
                *together = (state.to_owned(), Arc::default());
            }
            Arc::clone(&together.1)
        };
        let is_own = AtomicBool::new(false);
        let made = cell.get_or_try_init(|| async {
            is_own.store(true, Ordering::Relaxed);
            Ok(Arc::new(make().await?) as Arc<dyn Any + Send + Sync>)
        });
        let made = Arc::clone(made.await?).downcast().ok();
        if !is_own.into_inner() {
            self.reused.store(true, Ordering::Relaxed);
        }
        Ok(made)
    }

    /// Whether an answer of this size is kept.
    fn takes(&self, size: usize) -> bool {
        let mut answers = self.answers.lock();
        let takes = size <= MOST_BYTES_OF_ONE && answers.bytes + size <= MOST_BYTES;
        answers.bytes += if takes { size } else { 0 };
        takes
    }
}

fn has_any(body: &[u8], parts: &[&[u8]]) -> bool {
    parts.iter().any(|part| memchr::memmem::find(body, part).is_some())
}

/// Whether the answer of a node stays the same during a check.
fn stays(request: &Request) -> bool {
    let body = request.body.as_deref().unwrap_or_default();
    has_any(body, STAYING) || !has_any(body, MOVING)
}

/// Returns the key of a read; `None` if the request is not a read.
fn key(request: &Request, of_node: bool) -> Option<Key> {
    let body = request.body.as_deref().unwrap_or_default();
    let is_read = if of_node {
        has_any(body, READING)
    } else {
        request.method == Method::GET
            || (request.method == Method::POST && request.url.path().ends_with(BATCH))
    };
    is_read.then(|| (request.url.to_string(), request.headers.clone(), request.body.clone()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    fn answered(request: Request, sent: &AtomicUsize) -> Result<Response, Inconclusive> {
        sent.fetch_add(1, Ordering::Relaxed);
        let (headers, body) = (Default::default(), Bytes::from_static(b"{}"));
        Ok(Response { request, status: reqwest::StatusCode::OK, headers, body, exchange: Some(1) })
    }

    #[test]
    fn blocks_that_are_named_by_number_stay() {
        let call = |params: &str| {
            let body = format!("{{\"method\":\"eth_getBlockByNumber\",\"params\":[{params}]}}").into_bytes();
            let url = "http://a".parse().unwrap();
            Request { body: Some(body), ..Request::post_json(&url, "", &serde_json::Value::Null) }
        };
        assert!(stays(&call("\"0x1f6\"")) && !stays(&call("\"latest\"")) && !stays(&call("\"pending\"")));
        assert!(key(&call("\"latest\""), true).is_some());
        let sent = Request { body: Some(b"{\"method\":\"eth_sendRawTransaction\"}".to_vec()), ..call("1") };
        assert!(key(&sent, true).is_none());
    }

    #[tokio::test]
    async fn checks_share_their_first_reads_and_nothing_else() {
        let sent = AtomicUsize::new(0);
        let get = |path: &str| Request::get(&"http://a".parse().unwrap(), path, &[]);
        let one = Shared::default();
        let two = one.for_another();
        let read = |shared: Shared, request: Request| {
            let sent = &sent;
            async move { shared.read(request, false, |request| async { answered(request, sent) }).await.unwrap() }
        };
        read(one.clone(), get("/a")).await;
        read(two.clone(), get("/a")).await;
        assert_eq!((sent.load(Ordering::Relaxed), one.has_reused(), two.has_reused()), (1, false, true));
        // The second read of the same check.
        read(two.clone(), get("/a")).await;
        read(one.clone(), get("/b")).await;
        assert_eq!(sent.load(Ordering::Relaxed), 3);
        let post = Request::post_json(&"http://a".parse().unwrap(), "/a", &serde_json::Value::Null);
        read(one.clone(), post.clone()).await;
        read(two.clone(), post).await;
        assert_eq!(sent.load(Ordering::Relaxed), 5);
        let batch = Request::post_json(&"http://a".parse().unwrap(), BATCH, &serde_json::Value::Null);
        read(one.clone(), batch.clone()).await;
        read(two.clone(), batch).await;
        assert_eq!(sent.load(Ordering::Relaxed), 6);
    }

    #[tokio::test]
    async fn checks_make_what_they_read_together_once_and_each_again_by_itself() {
        let made = AtomicUsize::new(0);
        let make = || async { Ok::<_, ()>(made.fetch_add(1, Ordering::Relaxed)) };
        let one = Shared::default();
        assert!(one.read_together("a", || async { Err::<usize, _>("no answer") }).await.is_err());
        let checks = [(); 4].map(|()| one.for_another());
        for (shared, (state, number, is_reused)) in
            checks.iter().zip([("a", 0, false), ("a", 0, true), ("b", 1, false), ("b", 1, true)])
        {
            assert_eq!(shared.read_together(state, make).await.unwrap().as_deref(), Some(&number));
            assert_eq!(shared.has_reused(), is_reused);
        }
        // The second time, a check computes its own.
        assert_eq!(checks[0].read_together("b", make).await.unwrap(), None);
        assert_eq!(made.into_inner(), 2);
    }
}
