//! Answers a batch: one call after another, so that only one answer is in memory, as pieces of one JSON array.
use std::sync::Arc;
use std::vec::IntoIter;

use tokio_tungstenite::tungstenite::Bytes;

use super::call::{Call, LIMIT_EXCEEDED, Refused};
use super::forward::{ANSWER_LIMIT, Backend};

pub(super) struct Batch {
    backend: Arc<Backend>,
    calls: IntoIter<Result<Call, Refused>>,
    is_trusted: bool,
    /// Bytes of the answers so far.
    length: usize,
    /// Whether the array has begun and not ended.
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Beginning,
    Within,
    Over,
}

impl Batch {
    pub(super) fn new(backend: Arc<Backend>, calls: Vec<Result<Call, Refused>>, is_trusted: bool) -> Self {
        Self { backend, calls: calls.into_iter(), is_trusted, length: 0, stage: Stage::Beginning }
    }

    /// The next piece of the answer; `None` at its end.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        if self.stage == Stage::Over {
            return None;
        }
        let Some(call) = self.calls.next() else {
            // JSON-RPC 2.0, section 6: a batch of notifications has no answer, not even an empty array.
            let is_answered = self.stage == Stage::Within;
            self.stage = Stage::Over;
            return is_answered.then(|| Bytes::from_static(b"]"));
        };
        let response = self.response(call).await;
        // A notification has no response.
        let Some(response) = response else { return Some(Bytes::new()) };
        let mark = if self.stage == Stage::Beginning { b'[' } else { b',' };
        self.stage = Stage::Within;
        self.length += response.len();
        Some([&[mark], &response[..]].concat().into())
    }

    async fn response(&self, call: Result<Call, Refused>) -> Option<Bytes> {
        let call = match call {
            Ok(call) => call,
            Err(refused) => return Some(refused.response(None)),
        };
        let id = call.id.clone();
        let refused = |message: String| Refused::new(LIMIT_EXCEEDED, message).response(id.as_deref());
        if self.length >= ANSWER_LIMIT {
            return Some(refused(self.too_large()));
        }
        let text = self.backend.answer(call, self.is_trusted).await?.text;
        let is_too_large = self.length + text.len() > ANSWER_LIMIT;
        Some(if is_too_large { refused(self.too_large()) } else { text })
    }

    fn too_large(&self) -> String {
        format!("the answers of a batch are larger than {} MiB: ask for less at a time", ANSWER_LIMIT >> 20)
    }
}
