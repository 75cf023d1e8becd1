//! One WebSocket of a caller: its calls are carried out like calls over HTTP, and a WebSocket to the node delivers its subscriptions. The
//! connection of a caller that does not read or is gone is closed; unread data is bounded.
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, pending};
use futures::stream::{FuturesUnordered, SplitSink, SplitStream};
use futures::{FutureExt as _, SinkExt as _, StreamExt as _};
use serde::Deserialize;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::batch::Batch;
use super::call::{Asked, Call, INVALID_PARAMS, LIMIT_EXCEEDED, Refused, SERVER_ERROR, read, with_id};
use super::forward::{Answer, Backend, sends};
use super::sockets::Place;
use super::{MESSAGE_LIMIT, most_calls};

/// Time between two pings; a caller that shows no sign of life in between is closed.
const PING: Duration = Duration::from_secs(30);
/// Time limit of a write; a caller that reads nothing for this long is closed.
const WRITE_LIMIT: Duration = Duration::from_secs(20);
/// Maximum number of calls in progress on a socket, and of their bytes together; its next message is read once there are fewer.
const OUTSTANDING: usize = 64;
const OUTSTANDING_BYTES: usize = MESSAGE_LIMIT;
/// Subscriptions of a socket.
const SUBSCRIPTIONS: usize = 100;
/// Maximum number of notifications that wait for the response to a transaction sent earlier.
const HELD: usize = 1_000;
/// Size of the pieces of a long answer, each sent as one frame.
const FRAME: usize = 64 << 10;

/// Limits on a caller's messages.
pub(super) fn bounds() -> WebSocketConfig {
    WebSocketConfig::default().max_message_size(Some(MESSAGE_LIMIT)).read_buffer_size(16 << 10)
}

/// The caller is gone, or reads nothing.
struct Gone;

type NodeSocket = WebSocketStream<MaybeTlsStream<TcpStream>>;

struct Answered {
    /// Of a call that is no notification.
    answer: Option<Answer>,
    /// Whether the call sends a transaction.
    is_sent: bool,
    /// Of the call.
    bytes: usize,
}

pub(super) struct Relay<C> {
    backend: Arc<Backend>,
    is_trusted: bool,
    place: Place,
    out: SplitSink<WebSocketStream<C>, Message>,
    /// Connected at the caller's first subscription.
    node: Option<NodeSocket>,
    subscriptions: HashSet<String>,
    /// The calls for subscriptions that the node has not answered, by the id that it was given.
    subscribing: HashMap<u64, Call>,
    /// Number of such calls so far.
    asked: u64,
    answers: FuturesUnordered<BoxFuture<'static, Answered>>,
    /// Bytes of the calls in progress.
    bytes: usize,
    /// Number of calls in progress that send a transaction: a notification never arrives before the response that must precede it.
    sending: usize,
    held: VecDeque<Message>,
}

enum Happened {
    Lost,
    Ping,
    Asked(Option<Result<Message, Error>>),
    Answered(Answered),
    Notified(Option<Result<Message, Error>>),
}

impl<C: AsyncRead + AsyncWrite + Unpin> Relay<C> {
    /// Serves the socket until a side closes it.
    pub(super) async fn serve(
        backend: Arc<Backend>,
        caller: WebSocketStream<C>,
        place: Place,
        is_trusted: bool,
    ) {
        let (out, mut incoming) = caller.split();
        let mut relay = Self {
            backend,
            is_trusted,
            place,
            out,
            node: None,
            subscriptions: HashSet::new(),
            subscribing: HashMap::new(),
            asked: 0,
            answers: FuturesUnordered::new(),
            bytes: 0,
            sending: 0,
            held: VecDeque::new(),
        };
        // The caller is gone or gets a close message; either ends the socket.
        _ = relay.run(&mut incoming).await;
        _ = timeout(WRITE_LIMIT, relay.out.close()).await;
    }

    async fn run(&mut self, incoming: &mut SplitStream<WebSocketStream<C>>) -> Result<(), Gone> {
        let (mut ping, mut is_alive) = (interval(PING), true);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ping.tick().await;
        loop {
            let calls = self.answers.len() + self.subscribing.len();
            let is_reading = calls < OUTSTANDING && self.bytes < OUTSTANDING_BYTES;
            let happened = tokio::select! {
                () = self.place.lost() => Happened::Lost,
                _ = ping.tick() => Happened::Ping,
                asked = incoming.next(), if is_reading => Happened::Asked(asked),
                Some(answered) = self.answers.next() => Happened::Answered(answered),
                notified = notification(&mut self.node) => Happened::Notified(notified),
            };
            match happened {
                Happened::Lost => return Ok(()),
                Happened::Ping if is_reading && !is_alive => return Err(Gone),
                Happened::Ping => {
                    is_alive = false;
                    self.send(Message::Ping(Bytes::new())).await?;
                }
                Happened::Asked(Some(Ok(message))) => {
                    is_alive = true;
                    self.take(message).await?;
                }
                Happened::Answered(Answered { answer, is_sent, bytes }) => {
                    self.sending -= usize::from(is_sent);
                    self.bytes -= bytes;
                    // A notification has no response.
                    if let Some(answer) = answer {
                        self.send(text(answer.text.clone())).await?;
                    }
                    self.release().await?;
                }
                Happened::Notified(Some(Ok(message))) => {
                    let message = self.subscribed(message);
                    self.held.extend(message);
                    self.release().await?;
                }
                Happened::Asked(Some(Err(error))) => return self.reject(&error).await,
                Happened::Asked(None) | Happened::Notified(_) => return Ok(()),
            }
        }
    }

    /// Says why the socket is closed, as RFC 6455, section 7.4.1, has it.
    async fn reject(&mut self, error: &Error) -> Result<(), Gone> {
        let code = match error {
            Error::Protocol(_) => CloseCode::Protocol,
            Error::Utf8(_) => CloseCode::Invalid,
            Error::Capacity(_) => CloseCode::Size,
            _ => return Err(Gone),
        };
        self.send(Message::Close(Some(CloseFrame { code, reason: Utf8Bytes::default() }))).await
    }

    /// Starts the calls of a message.
    async fn take(&mut self, message: Message) -> Result<(), Gone> {
        if !matches!(message, Message::Text(_) | Message::Binary(_)) {
            return Ok(());
        }
        self.place.touch();
        let bytes = message.len();
        match read(&message.into_data(), most_calls(self.is_trusted)) {
            Ok(Asked::One(call)) if is_subscription(&call) => self.subscribe(call).await,
            Ok(Asked::One(call)) => {
                let (backend, is_trusted, is_sent) =
                    (Arc::clone(&self.backend), self.is_trusted, sends(&call));
                self.sending += usize::from(is_sent);
                self.bytes += bytes;
                let answered = async move {
                    Answered { answer: backend.answer(call, is_trusted).await, is_sent, bytes }
                };
                self.answers.push(answered.boxed());
                Ok(())
            }
            Ok(Asked::Batch(calls)) => self.answer_batch(calls).await,
            Err(refused) => self.send(text(refused.response(None))).await,
        }
    }

    /// Passes a subscription on to the node, whose response comes before its notifications.
    async fn subscribe(&mut self, call: Call) -> Result<(), Gone> {
        let asked = self.subscribing.values().filter(|call| is_new(call)).count();
        if is_new(&call) && self.subscriptions.len() + asked >= SUBSCRIPTIONS {
            let message = format!("a WebSocket may have {SUBSCRIPTIONS} subscriptions");
            return self.refuse(&call, &Refused::new(LIMIT_EXCEEDED, message)).await;
        }
        let message = call.to_bytes_as(self.asked + 1);
        // The node would answer without an id.
        if serde_json::from_slice::<Value>(&message).is_err() {
            let refused = Refused::new(INVALID_PARAMS, "the parameters cannot be read");
            return self.refuse(&call, &refused).await;
        }
        self.asked += 1;
        let passed = timeout(WRITE_LIMIT, self.pass(message)).await;
        if !matches!(passed, Ok(true)) {
            return self.refuse(&call, &Refused::new(SERVER_ERROR, "the node does not answer")).await;
        }
        self.subscribing.insert(self.asked, call);
        Ok(())
    }

    /// Sends the node a call for a subscription; returns whether it could be sent.
    async fn pass(&mut self, call: Bytes) -> bool {
        if self.node.is_none() {
            let url = self.backend.url.replacen("http", "ws", 1);
            self.node = connect_async(url).await.ok().map(|(node, _)| node);
        }
        match &mut self.node {
            Some(node) => node.send(text(call)).await.is_ok(),
            None => false,
        }
    }

    async fn refuse(&mut self, call: &Call, refused: &Refused) -> Result<(), Gone> {
        if call.id.is_none() {
            return Ok(());
        }
        self.send(text(call.error(refused))).await
    }

    /// A message of the node for the caller: a response gets its call's id, and is none if the call is a notification.
    fn subscribed(&mut self, message: Message) -> Option<Message> {
        let response = serde_json::from_slice(message.to_text().unwrap_or_default().as_bytes()).ok();
        let Some(Subscribed { id, result }) = response else { return Some(message) };
        let call = self.subscribing.remove(&id)?;
        match result {
            Some(Value::String(subscription)) if is_new(&call) => {
                self.subscriptions.insert(subscription);
            }
            Some(Value::Bool(true)) => {
                let subscription = call.parameter(0);
                self.subscriptions.remove(subscription.as_str().unwrap_or_default());
            }
            _ => {}
        }
        let answer = with_id(&message.clone().into_data(), call.id.as_deref()?);
        Some(answer.map_or(message, |answer| text(answer.into())))
    }

    /// Carries out a batch, one call after another; its answer is sent piece by piece.
    async fn answer_batch(&mut self, calls: Vec<Result<Call, Refused>>) -> Result<(), Gone> {
        let mut batch = Batch::new(Arc::clone(&self.backend), calls, self.is_trusted);
        let (mut part, mut opcode) = (Vec::new(), Data::Text);
        loop {
            let next = tokio::select! {
                () = self.place.lost() => return Err(Gone),
                next = batch.next() => next,
            };
            let is_last = next.is_none();
            part.extend_from_slice(&next.unwrap_or_default());
            if is_last && part.is_empty() && opcode == Data::Text {
                return Ok(());
            }
            if is_last || part.len() >= FRAME {
                let frame = Frame::message(std::mem::take(&mut part), OpCode::Data(opcode), is_last);
                self.send(Message::Frame(frame)).await?;
                opcode = Data::Continue;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Sends the notifications that need not wait for a response.
    async fn release(&mut self) -> Result<(), Gone> {
        while (self.sending == 0 || self.held.len() > HELD)
            && let Some(message) = self.held.pop_front()
        {
            self.place.touch();
            self.send(message).await?;
        }
        Ok(())
    }

    async fn send(&mut self, message: Message) -> Result<(), Gone> {
        match timeout(WRITE_LIMIT, self.out.send(message)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Gone),
        }
    }
}

/// The node's response to a call for a subscription.
#[derive(Deserialize)]
struct Subscribed {
    id: u64,
    #[serde(default)]
    result: Option<Value>,
}

fn is_new(call: &Call) -> bool {
    call.method == "eth_subscribe"
}

fn is_subscription(call: &Call) -> bool {
    ["eth_subscribe", "eth_unsubscribe"].contains(&call.method.as_str())
}

/// The next message of the node; without a connection, the future never resolves.
async fn notification(node: &mut Option<NodeSocket>) -> Option<Result<Message, Error>> {
    match node {
        Some(node) => node.next().await,
        None => pending().await,
    }
}

fn text(bytes: Bytes) -> Message {
    Message::Text(Utf8Bytes::try_from(bytes).unwrap_or_default())
}
