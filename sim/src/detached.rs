//! Work that runs to completion even if its caller goes away.
use std::future::pending;
use std::panic::resume_unwind;

use crate::node_calls::NodeCalls;

/// Runs a future to completion in a task; dropping the returned future does not cancel it. Its node calls are attributed to the current
/// request.
pub(crate) async fn detached<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    let task = match NodeCalls::here() {
        Some(calls) => tokio::spawn(calls.collect(work)),
        None => tokio::spawn(work),
    };
    match task.await {
        Ok(done) => done,
        Err(ended) if ended.is_panic() => resume_unwind(ended.into_panic()),
        // The runtime is shutting down and drops this future too.
        Err(_) => pending().await,
    }
}
