//! The launcher for asynchronous programs on any runtime: blocking work runs on a separate thread and blocks no executor.
use std::future::poll_fn;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

use crate::{Chain, Control, ControlError, Options, Ready};

/// A running platform. Dropping it ends the platform and waits for its end; [`stop`](Self::stop) waits without blocking.
#[derive(Debug)]
pub struct Platform {
    inner: crate::Platform,
}

impl Platform {
    /// Starts a platform; resolves when every part answers.
    ///
    /// # Errors
    /// When the program does not run, or ends before everything answers; the error contains its output.
    pub async fn start(options: &Options) -> io::Result<Self> {
        let options = options.clone();
        let inner = on_a_thread(move || crate::Platform::start(&options)).await?;
        Ok(Self { inner })
    }

    /// The addresses of everything.
    #[must_use]
    pub fn ready(&self) -> &Ready {
        &self.inner.ready
    }

    /// A chain by its id.
    #[must_use]
    pub fn chain(&self, chain_id: u64) -> Option<&Chain> {
        self.inner.chain(chain_id)
    }

    /// Calls the control plane: `platform.control(|control| control.get_clock()).await`.
    pub async fn control<T: Send + 'static>(&self, call: impl FnOnce(&Control) -> T + Send + 'static) -> T {
        let control = self.inner.control.clone();
        on_a_thread(move || call(&control)).await
    }

    /// Runs something and rolls back all its changes, also if it panics or is cancelled: on the chains, in the services, to the clock.
    ///
    /// # Errors
    /// When the control plane refuses.
    pub async fn isolated<T>(&self, work: impl AsyncFnOnce(&Self) -> T) -> Result<T, ControlError> {
        let id = self.control(|control| control.create_checkpoint(None)).await?.id;
        let mut rollback = Rollback { control: &self.inner.control, id: Some(id) };
        let done = work(self).await;
        rollback.id = None;
        self.control(move |control| control.revert_to_checkpoint(id)).await?;
        Ok(done)
    }

    /// Ends the platform and waits until it is gone.
    pub async fn stop(self) {
        on_a_thread(move || drop(self.inner)).await;
    }
}

/// Rolls back when dropped, if no caller awaits the rollback.
struct Rollback<'a> {
    control: &'a Control,
    id: Option<u64>,
}

impl Drop for Rollback<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            // A platform that is gone has nothing to roll back.
            _ = self.control.revert_to_checkpoint(id);
        }
    }
}

/// The result of work on a separate thread. If its future is dropped, the result is dropped on that thread.
async fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let shared = Arc::new(Mutex::new((None, None::<Waker>)));
    let ours = Arc::clone(&shared);
    std::thread::spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(work));
        let waker = {
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            shared.0 = Some(done);
            shared.1.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    });
    let done = poll_fn(|context| {
        let mut shared = ours.lock().unwrap_or_else(PoisonError::into_inner);
        shared.1 = Some(context.waker().clone());
        shared.0.take().map_or(Poll::Pending, Poll::Ready)
    });
    done.await.unwrap_or_else(|panic| resume_unwind(panic))
}
