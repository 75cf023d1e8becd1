//! Forwards ports of this machine's loopback address to the address that a container sees, so that it reaches what a check serves.
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::{TcpListener, TcpStream, UdpSocket};

/// Maximum size of a forwarded datagram, in bytes.
const DATAGRAM: usize = 4 * 1024;

/// Forwards a TCP port of the loopback address to another address, which it returns.
pub(super) async fn tcp(gateway: &str, port: u16) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((gateway, 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((mut outer, _)) = listener.accept().await {
            tokio::spawn(async move {
                // A target that refuses appears as a connection that closes.
                let mut inner = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
                tokio::io::copy_bidirectional(&mut outer, &mut inner).await
            });
        }
    });
    Ok(address)
}

/// Forwards a UDP port likewise; each sender has its own socket, so that answers are routed back.
pub(super) async fn udp(gateway: &str, port: u16) -> io::Result<SocketAddr> {
    let outer = Arc::new(UdpSocket::bind((gateway, 0)).await?);
    let address = outer.local_addr()?;
    tokio::spawn(async move {
        let mut inner: HashMap<SocketAddr, Arc<UdpSocket>> = HashMap::new();
        let mut datagram = vec![0; DATAGRAM];
        while let Ok((count, sender)) = outer.recv_from(&mut datagram).await {
            let socket = match inner.entry(sender) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let Ok(socket) = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await else { continue };
                    let socket = Arc::new(socket);
                    tokio::spawn(answers(Arc::clone(&socket), Arc::clone(&outer), sender));
                    new.insert(socket)
                }
            };
            // The sender of a lost datagram retries.
            let _ = socket.send_to(&datagram[..count], (Ipv4Addr::LOCALHOST, port)).await;
        }
    });
    Ok(address)
}

async fn answers(inner: Arc<UdpSocket>, outer: Arc<UdpSocket>, sender: SocketAddr) -> io::Result<()> {
    let mut datagram = vec![0; DATAGRAM];
    loop {
        let count = inner.recv(&mut datagram).await?;
        outer.send_to(&datagram[..count], sender).await?;
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn both_protocols_pass_both_ways() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let offered = tcp("127.0.0.1", listener.local_addr().unwrap().port()).await.unwrap();
        let mut client = TcpStream::connect(offered).await.unwrap();
        client.write_all(b"ping").await.unwrap();
        let (mut served, _) = listener.accept().await.unwrap();
        let mut four = [0; 4];
        served.read_exact(&mut four).await.unwrap();
        served.write_all(b"pong").await.unwrap();
        client.read_exact(&mut four).await.unwrap();
        assert_eq!(&four, b"pong");

        let server = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let offered = udp("127.0.0.1", server.local_addr().unwrap().port()).await.unwrap();
        let client = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        client.send_to(b"ping", offered).await.unwrap();
        let (_, sender) = server.recv_from(&mut four).await.unwrap();
        server.send_to(b"pong", sender).await.unwrap();
        client.recv_from(&mut four).await.unwrap();
        assert_eq!(&four, b"pong");
    }
}
