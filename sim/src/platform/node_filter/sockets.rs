//! The open WebSockets of a node's callers. Idle ones keep nobody out: if there are too many, the one idle longest is closed.
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Maximum number of open WebSockets of a node.
const SOCKETS: usize = 256;
/// Maximum number of these for one address of another machine.
const SOCKETS_OF_A_PEER: usize = 32;

#[derive(Debug, Default)]
pub(super) struct Sockets {
    open: Mutex<Vec<Arc<Open>>>,
}

#[derive(Debug)]
struct Open {
    peer: IpAddr,
    active: Mutex<Instant>,
    closing: Notify,
}

/// The place of an open WebSocket; dropping it frees the place.
#[derive(Debug)]
pub(super) struct Place {
    sockets: Arc<Sockets>,
    own: Arc<Open>,
}

impl Sockets {
    /// Takes a place, if necessary from the socket that has been idle longest: the same peer's if this peer has too many.
    pub(super) fn take(self: &Arc<Self>, peer: IpAddr) -> Place {
        let own = Arc::new(Open { peer, active: Mutex::new(Instant::now()), closing: Notify::new() });
        let mut open = self.open.lock();
        let of_peer = open.iter().filter(|socket| socket.peer == peer).count();
        if !peer.is_loopback() && of_peer >= SOCKETS_OF_A_PEER {
            close_idlest(&mut open, |socket| socket.peer == peer);
        }
        if open.len() >= SOCKETS {
            close_idlest(&mut open, |_| true);
        }
        open.push(Arc::clone(&own));
        Place { sockets: Arc::clone(self), own }
    }
}

fn close_idlest(open: &mut Vec<Arc<Open>>, may_close: impl Fn(&Open) -> bool) {
    let places = open.iter().enumerate().filter(|(_, socket)| may_close(socket));
    if let Some((place, _)) = places.min_by_key(|(_, socket)| *socket.active.lock()) {
        open.remove(place).closing.notify_one();
    }
}

impl Place {
    /// Records that the socket was used.
    pub(super) fn touch(&self) {
        *self.own.active.lock() = Instant::now();
    }

    /// Resolves when the place is given to another socket.
    pub(super) async fn lost(&self) {
        self.own.closing.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.sockets.open.lock().retain(|socket| !Arc::ptr_eq(socket, &self.own));
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::sync::Arc;

    use futures::FutureExt as _;

    use super::{Place, SOCKETS, SOCKETS_OF_A_PEER, Sockets};

    const LOCAL: &str = "127.0.0.1";

    fn filled(sockets: &Arc<Sockets>, peer: &str, count: usize) -> Vec<Place> {
        let peer: IpAddr = peer.parse().unwrap();
        (0..count).map(|_| sockets.take(peer)).collect()
    }

    /// Indices of the places that were given to others.
    fn lost(places: &[Place]) -> Vec<usize> {
        let lost = places.iter().enumerate().filter(|(_, place)| place.lost().now_or_never().is_some());
        lost.map(|(place, _)| place).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn the_socket_idle_longest_gives_its_place() {
        let sockets = Arc::new(Sockets::default());
        let places = filled(&sockets, LOCAL, SOCKETS);
        assert!(lost(&places).is_empty());
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        places.iter().enumerate().filter(|(place, _)| *place != 7).for_each(|(_, place)| place.touch());
        let newest = sockets.take(LOCAL.parse().unwrap());
        assert_eq!(lost(&places), [7]);
        drop(places);
        drop(newest);
        assert!(sockets.open.lock().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_of_another_machine_gives_its_own_places() {
        let sockets = Arc::new(Sockets::default());
        let honest = filled(&sockets, "192.0.2.1", 1);
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        let many = filled(&sockets, "192.0.2.2", SOCKETS_OF_A_PEER);
        assert!(lost(&many).is_empty());
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        let more = filled(&sockets, "192.0.2.2", SOCKETS);
        assert_eq!(lost(&many).len(), SOCKETS_OF_A_PEER);
        assert!(lost(&honest).is_empty());
        assert_eq!(lost(&more).len(), SOCKETS - SOCKETS_OF_A_PEER);
    }
}
