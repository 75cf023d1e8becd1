//! A server on a dedicated thread with a single-threaded runtime, so that its latency does not depend on other services.
use std::io;
use std::thread;

use tokio::net::TcpListener;
use tokio::runtime;
use tokio::sync::oneshot;

/// Runs a server over `listener` on a dedicated thread until it ends; it must end by itself.
pub(super) async fn run<F: Future<Output = ()>>(
    name: &'static str,
    listener: TcpListener,
    server: impl FnOnce(TcpListener) -> F + Send + 'static,
) {
    let (ended, end) = oneshot::channel();
    let started = listener.into_std().and_then(|listener| {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        thread::Builder::new().name(name.into()).spawn(move || {
            let done = runtime.block_on(async {
                server(TcpListener::from_std(listener)?).await;
                io::Result::Ok(())
            });
            // The receiver is gone when the platform was dropped.
            drop(ended.send(done));
        })
    });
    let done = match started {
        Ok(_) => end.await.unwrap_or_else(|_| Err(io::Error::other("its thread panicked"))),
        Err(error) => Err(error),
    };
    if let Err(error) = done {
        tracing::error!(name, %error, "a service ended with an error");
    }
}
