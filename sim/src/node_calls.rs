//! Collects the node calls that a request leads to, bounded in number and size.
use std::sync::Arc;

use parking_lot::Mutex;

/// Calls kept per request; further ones are only counted.
const CAPACITY: usize = 32;
/// Bytes kept of a call's parameters, and of its error.
const LONGEST: usize = 2 * 1024;

tokio::task_local! {
    static COLLECTED: NodeCalls;
}

/// A call to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodeCall {
    pub chain_id: u64,
    pub method: String,
    /// The parameters as JSON, truncated if long.
    pub params: String,
    /// The node's refusal, or the reason why it was not reached.
    pub error: Option<String>,
    pub microseconds: u64,
}

impl NodeCall {
    /// A call in progress.
    pub(crate) fn begun(chain_id: u64, method: &str, params: &str) -> Self {
        Self {
            chain_id,
            method: method.to_owned(),
            params: cut(params).to_owned(),
            error: None,
            microseconds: 0,
        }
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// The calls collected from one request.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeCalls(Arc<Mutex<Collected>>);

#[derive(Clone, Debug, Default)]
pub(crate) struct Collected {
    pub calls: Vec<NodeCall>,
    /// Number of calls that were made and not kept.
    pub left_out: usize,
}

impl NodeCalls {
    /// The collection of the current request.
    pub(crate) fn here() -> Option<Self> {
        COLLECTED.try_with(Clone::clone).ok()
    }

    /// Runs part of a request and collects its calls.
    pub(crate) async fn collect<T>(self, work: impl Future<Output = T>) -> T {
        COLLECTED.scope(self, work).await
    }

    pub(crate) fn add(&self, call: NodeCall, error: Option<&str>) {
        let mut collected = self.0.lock();
        if collected.calls.len() < CAPACITY {
            collected.calls.push(NodeCall { error: error.map(|error| cut(error).to_owned()), ..call });
        } else {
            collected.left_out += 1;
        }
    }

    /// Takes what was collected so far and leaves the collection empty.
    pub(crate) fn take(&self) -> Collected {
        std::mem::take(&mut self.0.lock())
    }
}

#[cfg(test)]
mod tests {
    use super::{CAPACITY, LONGEST, NodeCall, NodeCalls};

    #[tokio::test]
    async fn calls_belong_to_the_request_that_makes_them_and_are_bounded() {
        assert!(NodeCalls::here().is_none());
        let (one, two) = (NodeCalls::default(), NodeCalls::default());
        let call = |calls: NodeCalls, times| {
            calls.collect(async move {
                for _ in 0..times {
                    let long = "é".repeat(LONGEST);
                    let call = NodeCall::begun(7, "eth_call", &long);
                    NodeCalls::here().expect("a request is carried out").add(call, Some(&long));
                    tokio::task::yield_now().await;
                }
            })
        };
        tokio::join!(call(one.clone(), CAPACITY + 3), call(two.clone(), 1));
        let (one, two) = (one.take(), two.take());
        assert_eq!((one.calls.len(), one.left_out), (CAPACITY, 3));
        assert_eq!((two.calls.len(), two.left_out), (1, 0));
        assert!(one.calls.iter().all(|call| call.params.len() == LONGEST));
        assert_eq!(one.calls[0].error.as_ref().map(String::len), Some(LONGEST));
    }
}
