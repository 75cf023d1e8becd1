//! The clock of the timeouts: that of the machine, which a test can make run ahead.
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::decimal;

/// A clock; copies run ahead together.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    /// How far it is ahead of the machine's.
    ahead: watch::Sender<Duration>,
}

impl Default for Clock {
    fn default() -> Self {
        Self { ahead: watch::Sender::new(Duration::ZERO) }
    }
}

impl Clock {
    /// What this clock shows.
    pub(crate) fn now(&self) -> Instant {
        Instant::now() + *self.ahead.borrow()
    }

    /// Ends when this clock shows that time.
    pub(crate) async fn sleep_until(&self, end: Instant) {
        let mut ahead = self.ahead.subscribe();
        loop {
            // No such instant where the clock is ahead of the whole uptime of the machine.
            let Some(end) = end.checked_sub(*ahead.borrow_and_update()) else { return };
            tokio::select! {
                () = sleep_until(end) => return,
                // The sender is part of this clock.
                _ = ahead.changed() => {}
            }
        }
    }

    /// What the future comes to, unless this much time passes first.
    pub(crate) async fn timeout<F: Future>(&self, limit: Duration, future: F) -> Option<F::Output> {
        let end = self.now() + limit;
        tokio::select! {
            biased;
            output = future => Some(output),
            () = self.sleep_until(end) => None,
        }
    }

    /// Runs ahead as a server says: each line that it sends is how many seconds this clock is ahead of the machine's. It never
    /// goes back. Ends with the connection.
    pub(crate) async fn follow(self, server: SocketAddr) -> std::io::Result<()> {
        let mut lines = BufReader::new(TcpStream::connect(server).await?).lines();
        while let Some(line) = lines.next_line().await? {
            let ahead = decimal::seconds(&line)
                .ok_or_else(|| std::io::Error::other("a line is no number of seconds"))?;
            self.ahead.send_if_modified(|known| {
                let moves = ahead > *known;
                *known = ahead.max(*known);
                moves
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::TcpListener;

    use super::*;

    const DAY: Duration = Duration::from_secs(86_400);

    #[tokio::test]
    async fn timeout_ends_when_the_server_moves_the_clock_past_it() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let clock = Clock::default();
        let following = tokio::spawn(clock.clone().follow(listener.local_addr().unwrap()));
        let (mut server, _) = listener.accept().await.unwrap();
        let waiting = clock.clone();
        let mut waiting =
            tokio::spawn(async move { waiting.timeout(DAY, std::future::pending::<()>()).await });
        let mut ahead = clock.ahead.subscribe();
        // The waiting task subscribes before it first waits.
        while clock.ahead.receiver_count() < 2 {
            tokio::task::yield_now().await;
        }
        server.write_all(b"86399.5\n86399\n").await.unwrap();
        ahead.wait_for(|ahead| *ahead == DAY - Duration::from_millis(500)).await.unwrap();
        let early = tokio::time::timeout(Duration::from_millis(20), &mut waiting).await;
        assert!(early.is_err(), "half a second is left");
        server.write_all(b"86400\n").await.unwrap();
        assert_eq!(waiting.await.unwrap(), None);
        drop(server);
        following.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn clock_can_be_ahead_of_the_uptime_of_the_machine() {
        let clock = Clock::default();
        clock.ahead.send_replace(DAY * 365_000);
        assert_eq!(clock.timeout(DAY, async { 7 }).await, Some(7));
        let waiting = clock.clone();
        let waiting = tokio::spawn(async move { waiting.timeout(DAY, std::future::pending::<()>()).await });
        while clock.ahead.receiver_count() == 0 {
            tokio::task::yield_now().await;
        }
        clock.ahead.send_replace(DAY * 730_000);
        assert_eq!(waiting.await.unwrap(), None);
    }

    #[tokio::test]
    async fn line_that_is_no_number_ends_the_following() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let following = tokio::spawn(Clock::default().follow(listener.local_addr().unwrap()));
        let (mut server, _) = listener.accept().await.unwrap();
        server.write_all(b"-1\n").await.unwrap();
        assert!(following.await.unwrap().is_err());
    }
}
