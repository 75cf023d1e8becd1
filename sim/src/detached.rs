//! Work that runs to completion even if its caller goes away.
use std::future::pending;
use std::panic::resume_unwind;

use futures::FutureExt as _;

use crate::node_calls::NodeCalls;

/// Runs a future to completion in a task; dropping the returned future does not cancel it. Its node calls are attributed to the current
/// request.
pub(crate) async fn detached<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    // Boxed: the runtime's code for a task is compiled for each kind of result, not for each future.
    let work = match NodeCalls::here() {
        Some(calls) => calls.collect(work).boxed(),
        None => work.boxed(),
    };
    match tokio::spawn(work).await {
        Ok(done) => done,
        Err(ended) if ended.is_panic() => resume_unwind(ended.into_panic()),
        // The runtime is shutting down and drops this future too.
        Err(_) => pending().await,
    }
}
