//! The threads that decode images: few, for each may take its bound of memory, and always the same, for a thread keeps some of the memory
//! that it has used.
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;

/// Images that are decoded at the same time at most.
pub(crate) const DECODERS: usize = 2;
/// Longer than a platform runs.
const EVER: Duration = Duration::from_secs(1 << 32);

/// The threads, and how many of them are free.
#[derive(Debug)]
pub(crate) struct Decoders {
    free: Arc<Semaphore>,
    threads: Option<Runtime>,
}

impl Default for Decoders {
    fn default() -> Self {
        let threads =
            Builder::new_current_thread().max_blocking_threads(DECODERS).thread_keep_alive(EVER).build();
        Self {
            free: Arc::new(Semaphore::new(DECODERS)),
            threads: Some(threads.expect("a runtime without drivers takes nothing of the system")),
        }
    }
}

impl Decoders {
    /// Runs this on one of the threads; nothing when it panicked. A decoder whose caller has gone counts until it ends, and one that has not
    /// begun by then never does.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        decode: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let permit = Arc::clone(&self.free).acquire_owned().await.ok()?;
        let decoded = self.threads.as_ref()?.spawn_blocking(move || {
            let _permit = permit;
            decode()
        });
        decoded.await.ok()
    }

    /// How many are free.
    #[cfg(test)]
    pub(crate) fn free(&self) -> usize {
        self.free.available_permits()
    }
}

impl Drop for Decoders {
    fn drop(&mut self) {
        // Does not wait for them, which no asynchronous code may.
        self.threads.take().into_iter().for_each(Runtime::shutdown_background);
    }
}
