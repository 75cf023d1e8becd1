//! Relays connections to a service that a test needs at another address: unchanged, spread over several processes, or stalling.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, client, server};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::database::Server;

/// Passes every connection on to the service at an origin (`http://HOST:PORT`) unchanged.
pub async fn relay(listener: TcpListener, origin: String) {
    let behind = origin.trim_start_matches("http://").trim_end_matches('/');
    let mut connections = JoinSet::new();
    while let Ok((mut client, _)) = listener.accept().await {
        let behind = behind.to_owned();
        connections.spawn(async move {
            if let Ok(mut server) = TcpStream::connect(&behind).await {
                // Either side may end the connection at any time.
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            }
        });
    }
}

/// Passes each request on to the next of several origins (`http://HOST:PORT`), whichever connection it arrives on.
pub async fn spread(listener: TcpListener, origins: Vec<String>) {
    let turns = Arc::new((origins, AtomicUsize::new(0)));
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let turns = Arc::clone(&turns);
        let forward = service_fn(move |request| forwarded(Arc::clone(&turns), request));
        let serving = server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), forward);
        // A client may end its connection at any time.
        connections.spawn(async move { drop(serving.await) });
    }
}

async fn forwarded(
    turns: Arc<(Vec<String>, AtomicUsize)>,
    request: Request<Incoming>,
) -> Result<Response<Incoming>, hyper::Error> {
    let (origins, next) = &*turns;
    let origin = &origins[next.fetch_add(1, Ordering::SeqCst) % origins.len()];
    let stream = TcpStream::connect(origin.trim_start_matches("http://")).await.unwrap();
    let (mut sender, connection) = client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    sender.send_request(request).await
}

/// A connection to a database server that can be stalled: connections stay open, but no byte passes.
#[derive(Debug)]
pub struct Line {
    address: String,
    stalled: watch::Sender<bool>,
    _connections: JoinSet<()>,
}

impl Line {
    /// Opens a line.
    pub async fn to(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (stalled, url) = (watch::Sender::new(false), server.url());
        let mut connections = JoinSet::new();
        let stall = stalled.subscribe();
        connections.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                match url.split_once("?host=") {
                    Some((_, folder)) => {
                        let server = UnixStream::connect(format!("{folder}/.s.PGSQL.5432")).await.unwrap();
                        open.spawn(pass_both(client, server, stall.clone()));
                    }
                    None => {
                        let host = url.rsplit('@').next().unwrap().split('/').next().unwrap();
                        open.spawn(pass_both(client, TcpStream::connect(host).await.unwrap(), stall.clone()));
                    }
                }
            }
        });
        Self { address, stalled, _connections: connections }
    }

    /// The address of the database over this line.
    pub fn url(&self) -> String {
        format!("postgres://slipway@{}/postgres", self.address)
    }

    /// Stalls the line, or lets it go on.
    pub fn stall(&self, stalls: bool) {
        self.stalled.send_replace(stalls);
    }
}

async fn pass_both<C, S>(client: C, server: S, stalled: watch::Receiver<bool>)
where
    C: AsyncRead + AsyncWrite,
    S: AsyncRead + AsyncWrite,
{
    let ((from_client, to_client), (from_server, to_server)) =
        (tokio::io::split(client), tokio::io::split(server));
    tokio::select! {
        () = pass(from_client, to_server, stalled.clone()) => {}
        () = pass(from_server, to_client, stalled.clone()) => {}
    }
}

async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut stalled: watch::Receiver<bool>,
) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        if stalled.wait_for(|stalls| !stalls).await.is_err() || to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}
