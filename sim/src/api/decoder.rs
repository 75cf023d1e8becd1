//! The thread that decodes images. One thread only, since one image may use all of the memory bound; always the same one, since a thread
//! keeps some of the memory that it has used.
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;

/// Longer than a platform runs.
const EVER: Duration = Duration::from_secs(1 << 32);

/// The thread, and whether it is free.
#[derive(Debug)]
pub(crate) struct Decoder {
    free: Arc<Semaphore>,
    thread: Option<Runtime>,
}

impl Default for Decoder {
    fn default() -> Self {
        let thread = Builder::new_current_thread().max_blocking_threads(1).thread_keep_alive(EVER).build();
        Self {
            free: Arc::new(Semaphore::new(1)),
            thread: Some(thread.expect("a runtime without drivers takes nothing of the system")),
        }
    }
}

impl Decoder {
    /// Runs work on the thread; `None` if it panicked. Work that has started continues even if its caller is gone, and other work waits for
    /// it to end; work that has not started is dropped.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        decode: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let permit = Arc::clone(&self.free).acquire_owned().await.ok()?;
        let decoded = self.thread.as_ref()?.spawn_blocking(move || {
            let _permit = permit;
            decode()
        });
        decoded.await.ok()
    }

    #[cfg(test)]
    pub(crate) fn is_free(&self) -> bool {
        self.free.available_permits() == 1
    }
}

impl Drop for Decoder {
    fn drop(&mut self) {
        // Does not join the thread, since asynchronous code must not block.
        self.thread.take().into_iter().for_each(Runtime::shutdown_background);
    }
}
