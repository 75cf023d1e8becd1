//! A relay of connections, for a service that has to be at an address of a test's own.
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// Passes every connection on to the service at an origin (`http://HOST:PORT`) and changes no byte.
pub async fn relay(listener: TcpListener, origin: String) {
    let behind = origin.trim_start_matches("http://").trim_end_matches('/');
    let mut connections = JoinSet::new();
    while let Ok((mut client, _)) = listener.accept().await {
        let behind = behind.to_owned();
        connections.spawn(async move {
            if let Ok(mut server) = TcpStream::connect(&behind).await {
                // Either side may end the connection as it likes.
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            }
        });
    }
}
