//! The floor: a server of the bare library that fans an event out whenever it is told to, and answers one text.
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use futures::stream;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use slipway_benches::process::{Failure, print_line, until_eof};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// The event of the platform, byte for byte.
pub(crate) const EVENT: &[u8] = b"event: changed\nretry: 1000\ndata: {}\n\n";

type Body = UnsyncBoxBody<Bytes, Infallible>;

/// What all connections share.
#[derive(Clone)]
struct Shared {
    /// How many events there were.
    events: watch::Sender<u64>,
    answer: Arc<Mutex<Bytes>>,
}

pub(crate) async fn serve() -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    print_line(&listener.local_addr()?.to_string());
    let shared = Shared { events: watch::Sender::new(0), answer: Arc::default() };
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            stream.set_nodelay(true).ok();
            let shared = shared.clone();
            let service = service_fn(move |request| answer(shared.clone(), request));
            tokio::spawn(
                hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service),
            );
        }
    });
    until_eof().await
}

async fn answer(shared: Shared, request: Request<Incoming>) -> Result<Response<Body>, hyper::Error> {
    let kept = || shared.answer.lock().unwrap_or_else(PoisonError::into_inner);
    let body = match request.uri().path() {
        "/live" => return Ok(events(&shared)),
        "/tick" => {
            shared.events.send_modify(|events| *events += 1);
            Bytes::new()
        }
        "/keep" => {
            let body = request.into_body().collect().await?.to_bytes();
            *kept() = body;
            Bytes::new()
        }
        _ => kept().clone(),
    };
    let mut response = Response::new(Full::new(body).boxed_unsync());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}

/// An event now and one for each that comes; none is left out.
fn events(shared: &Shared) -> Response<Body> {
    let mut events = shared.events.subscribe();
    let sent = (*events.borrow_and_update()).checked_sub(1);
    let body = stream::unfold((events, sent), |(mut events, sent)| async move {
        let next = sent.map_or(0, |sent| sent + 1);
        events.wait_for(|count| *count >= next).await.ok()?;
        Some((Ok(Frame::data(Bytes::from_static(EVENT))), (events, Some(next))))
    });
    let mut response = Response::new(StreamBody::new(body).boxed_unsync());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}
