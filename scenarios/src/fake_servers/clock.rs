//! The clock of a tool server's timeouts: it tells those who follow it how far they are ahead of the machine's clock, so that a
//! timeout of minutes passes at once.
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::check::Inconclusive;

/// The server; it ends with this.
#[derive(Debug)]
pub struct FakeClock {
    address: SocketAddr,
    hand: Hand,
    followed: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

/// Moves the clock.
#[derive(Clone, Debug)]
pub struct Hand(watch::Sender<Duration>);

impl Drop for FakeClock {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl FakeClock {
    /// A clock that is not ahead yet.
    pub async fn start() -> Result<Self, Inconclusive> {
        let failed =
            |error: std::io::Error| Inconclusive::Harness { reason: format!("no clock of our own: {error}") };
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (hand, followed) = (Hand(watch::Sender::new(Duration::ZERO)), Arc::<AtomicBool>::default());
        let task = tokio::spawn(serve(listener, hand.0.clone(), Arc::clone(&followed)));
        Ok(Self { address, hand, followed, task })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What moves it.
    #[must_use]
    pub fn hand(&self) -> Hand {
        self.hand.clone()
    }

    /// Whether anybody has asked for it.
    #[must_use]
    pub fn is_followed(&self) -> bool {
        self.followed.load(Ordering::Relaxed)
    }
}

impl Hand {
    /// Moves the clock of everybody who follows it.
    pub fn advance(&self, by: Duration) {
        self.0.send_modify(|ahead| *ahead += by);
    }

    /// How far it is ahead.
    #[must_use]
    pub fn ahead(&self) -> Duration {
        *self.0.borrow()
    }
}

async fn serve(listener: TcpListener, ahead: watch::Sender<Duration>, followed: Arc<AtomicBool>) {
    let mut followers = JoinSet::new();
    while let Ok((follower, _)) = listener.accept().await {
        followed.store(true, Ordering::Relaxed);
        followers.spawn(tell(follower, ahead.subscribe()));
    }
}

/// Tells one follower until it leaves.
async fn tell(mut follower: TcpStream, mut ahead: watch::Receiver<Duration>) -> std::io::Result<()> {
    loop {
        let now = *ahead.borrow_and_update();
        let line = format!("{}.{:03}\n", now.as_secs(), now.subsec_millis());
        follower.write_all(line.as_bytes()).await?;
        // The clock ends with its server, which ends this task first.
        let _ = ahead.changed().await;
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt as _, BufReader};

    use super::*;

    #[tokio::test]
    async fn follower_is_told_where_the_clock_is_and_each_move() {
        let clock = FakeClock::start().await.unwrap();
        let hand = clock.hand();
        hand.advance(Duration::from_millis(1_500));
        assert!(!clock.is_followed());
        let mut lines = BufReader::new(TcpStream::connect(clock.address()).await.unwrap()).lines();
        assert_eq!(lines.next_line().await.unwrap().unwrap(), "1.500");
        assert!(clock.is_followed());
        hand.advance(Duration::from_secs(120));
        assert_eq!(lines.next_line().await.unwrap().unwrap(), "121.500");
        assert_eq!(hand.ahead(), Duration::from_millis(121_500));
        drop(clock);
        assert_eq!(lines.next_line().await.unwrap(), None);
    }
}
