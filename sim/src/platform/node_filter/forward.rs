//! Carries out one call at the node: with limits on its time, on the size of its answer, and on the answers in memory.
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::B256;
use futures::FutureExt as _;
use reqwest::Client;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Bytes;

use super::absent;
use super::archive::{self, Archive};
use super::call::{Call, INVALID_PARAMS, LIMIT_EXCEEDED, Refused, SERVER_ERROR, with_id};
use super::filters::Filters;
use super::heavy;
use super::reverts;
use super::rules::{self, ClockCall, Verdict};
use crate::chain::{Chain, PaceChange, RepeatedCall};
use crate::clock::{LATEST_TIME, host_seconds};
use crate::engine::{CallEnd, Effect, Engine, EngineError};

/// Maximum length of a node's answer, in bytes.
pub(super) const ANSWER_LIMIT: usize = 32 << 20;
/// Time limit of a call at the node.
pub(super) const CALL_LIMIT: Duration = Duration::from_secs(60);
/// Maximum number of calls with large answers in progress at a node.
const LARGE_AT_ONCE: usize = 4;
/// Limit on unread answers in memory, in KiB; small ones are not counted.
const UNREAD_KIB: usize = 256 << 10;
const SMALL: usize = 16 << 10;
/// Maximum wait of an answer for memory.
const MEMORY_WAIT: Duration = Duration::from_secs(5);
/// Maximum wait for a live action to end.
const LIVE_WAIT: Duration = Duration::from_secs(5);
/// Limit on the past logs that a filter may match, in bytes of JSON: the node keeps them until the filter is polled.
const FILTER_LOGS: usize = 512 << 10;
/// Name parts of every method that sends a transaction, and of those that return its receipt.
const SEND: (&str, &str) = ("eth_send", "Sync");
/// Name parts of methods that mine blocks or configure the next one.
const NEXT_BLOCK: [&str; 2] = ["_mine", "NextBlock"];
const BY_NONCE: &str = "eth_getTransactionBySenderAndNonce";
/// The name of the method that tells the seconds between blocks.
const INTERVAL: &str = "getIntervalMining";
/// Methods that create a filter.
const NEW_FILTER: [&str; 3] = ["eth_newFilter", "eth_newBlockFilter", "eth_newPendingTransactionFilter"];

/// The node of a chain.
#[derive(Debug)]
pub(super) struct Backend {
    pub(super) client: Client,
    pub(super) url: String,
    /// The states of past blocks; `None` if they cannot be made again.
    archive: Option<Arc<Archive>>,
    pub(super) engine: Engine,
    pub(super) chain: Chain,
    large: Semaphore,
    unread: Arc<Semaphore>,
    filters: Filters,
}

/// An answer, with the memory reserved for it until it is dropped.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) text: Bytes,
    _memory: Option<OwnedSemaphorePermit>,
}

impl From<Bytes> for Answer {
    fn from(text: Bytes) -> Self {
        Self { text, _memory: None }
    }
}

/// The part of an answer that is parsed.
#[derive(Default, Deserialize)]
pub(super) struct Answered {
    pub(super) result: Option<Value>,
}

#[derive(Deserialize)]
struct Failed {
    error: Option<IgnoredAny>,
}

/// A transaction whose calls are requested in the format of the call tracer.
struct Traced {
    transaction: B256,
    only_outermost: bool,
}

impl Traced {
    /// `None` unless the recorded calls suffice; they lack logs.
    fn of(call: &Call) -> Option<Self> {
        if call.method != "debug_traceTransaction" {
            return None;
        }
        let options = call.parameter(1);
        let is_set = |name: &str| options["tracerConfig"][name] == true;
        let is_recorded = options["tracer"] == "callTracer" && !is_set("withLog");
        let transaction = serde_json::from_value(call.parameter(0)).ok().filter(|_| is_recorded)?;
        Some(Self { transaction, only_outermost: is_set("onlyTopCall") })
    }
}

/// Whether a call sends a transaction and returns its hash.
pub(super) fn sends(call: &Call) -> bool {
    call.method.starts_with(SEND.0) && !call.method.ends_with(SEND.1)
}

impl Backend {
    pub(super) fn new(
        client: Client,
        url: &str,
        archive: Option<Archive>,
        engine: Engine,
        chain: Chain,
    ) -> Self {
        Self {
            client,
            url: url.to_owned(),
            archive: archive.map(Arc::new),
            engine,
            chain,
            large: Semaphore::new(LARGE_AT_ONCE),
            unread: Arc::new(Semaphore::new(UNREAD_KIB)),
            filters: Filters::default(),
        }
    }

    /// Carries out a call and returns its response. JSON-RPC 2.0, sections 4.1 and 5: a notification has none, and any other has its call's id.
    pub(super) async fn answer(self: &Arc<Self>, call: Call, is_trusted: bool) -> Option<Answer> {
        let id = call.id.clone();
        let mut answer = self.carry_out(call, is_trusted).await;
        if let Some(text) = with_id(&answer.text, &id?) {
            answer.text = text.into();
        }
        Some(answer)
    }

    async fn carry_out(self: &Arc<Self>, mut call: Call, is_trusted: bool) -> Answer {
        let verdict = match rules::judge(&mut call, is_trusted) {
            Ok(verdict) => verdict,
            Err(refused) => return call.error(&refused).into(),
        };
        if NEXT_BLOCK.iter().any(|part| call.method.contains(part)) {
            self.chain.end_trail().await;
        }
        let _change = rules::is_own(&call.method).then(|| self.chain.change());
        let effect = rules::effect(&call.method);
        // A live action may depend on how the node mines until its transaction is mined.
        let _mining = match effect {
            Some(Effect::Setting | Effect::Waiting) => {
                timeout(LIVE_WAIT, self.chain.keep_mining()).await.ok()
            }
            _ => None,
        };
        let answered = match verdict {
            Verdict::Pass if call.method == NEW_FILTER[0] => self.new_filter(&call).await,
            Verdict::Pass => self.pass(&call, effect).await,
            Verdict::Clock(clock) => self.move_time(&call, clock).await,
            Verdict::Owned(owned) => self.own(&mut call, owned).await,
        };
        match answered {
            Ok(answer) => match self.follow(&call, &answer).await {
                Ok(()) => {
                    let other = absent::null(&call, &answer.text);
                    let other = other.or_else(|| reverts::named(&answer.text).map(Bytes::from));
                    other.map_or(answer, Answer::from)
                }
                Err(error) => call.error(&refused(error)).into(),
            },
            Err(refused) => call.error(&refused).into(),
        }
    }

    /// Sends a call to the node alone.
    async fn pass(self: &Arc<Self>, call: &Call, effect: Option<Effect>) -> Result<Answer, Refused> {
        match effect {
            Some(effect) if self.engine.is_kept() => self.ask_kept(call, effect).await,
            Some(Effect::State) => {
                let _trail = self.chain.hold_trail().await;
                let answer = self.ask(call).await?;
                if is_success(&answer) {
                    self.note_call(repeated(call)).await;
                }
                Ok(answer)
            }
            Some(Effect::Setting) => self.set(call).await,
            _ if rules::is_snapshot(&call.method) || rules::mines(&call.method) => self.ask_alone(call).await,
            _ if rules::own_name(&call.method) == Some(INTERVAL)
                && let Some(seconds) = self.chain.pace() =>
            {
                Ok(call.result(seconds).into())
            }
            _ if call.method == "eth_feeHistory" => self.fee_history(call).await,
            _ => self.ask_or_recorded(call).await,
        }
    }

    /// Remembers a call that has changed the state, while no block is mined.
    async fn note_call(&self, call: RepeatedCall) {
        match self.chain.head().await {
            Ok(latest) => self.chain.note_call(latest.hash, call),
            Err(error) => tracing::debug!(%error, "a change of the state is not remembered"),
        }
    }

    /// Waits until a sent transaction is mined and kept, or remembers a filter.
    async fn follow(&self, call: &Call, answer: &Answer) -> Result<(), EngineError> {
        self.filters.note(call);
        let (sends, is_filter) = (sends(call), NEW_FILTER.contains(&call.method.as_str()));
        if !sends && !is_filter {
            let mines = call.method.starts_with(SEND.0) || call.method.contains(NEXT_BLOCK[0]);
            return if mines { self.engine.until_kept(self.chain.id()).await } else { Ok(()) };
        }
        let Ok(Answered { result: Some(result) }) = serde_json::from_slice(&answer.text) else {
            return Ok(());
        };
        if is_filter {
            self.remember_filter(result).await;
        } else if let Ok(transaction) = serde_json::from_value::<B256>(result) {
            self.chain.settle(transaction).await;
            self.engine.keep_sent(self.chain.id(), transaction).boxed().await?;
        }
        Ok(())
    }

    /// Sends the node a call that changes it without a block, and keeps the call.
    async fn ask_kept(self: &Arc<Self>, call: &Call, effect: Effect) -> Result<Answer, Refused> {
        let (backend, call, repeated) = (Arc::clone(self), call.clone(), repeated(call));
        let noted = repeated.clone();
        let asked = async move {
            let answer = backend.set(&call).await;
            let end = match &answer {
                Ok(answer) if is_success(answer) => CallEnd::Done,
                Ok(_) => CallEnd::Refused,
                Err(_) => CallEnd::Unknown,
            };
            if end == CallEnd::Done && effect == Effect::State {
                backend.note_call(noted).await;
            }
            (answer, end)
        };
        self.engine.keep_call(self.chain.id(), effect, repeated, asked).boxed().await.map_err(refused)?
    }

    /// Sends the node a call that changes it without a block.
    async fn set(&self, call: &Call) -> Result<Answer, Refused> {
        let mut call = call.clone();
        let change = PaceChange::by(&repeated(&call));
        if let Some(PaceChange::Ordered(_)) = change {
            call.set_params(&PaceChange::UNPACED);
        }
        let answer = self.ask_here(&call).await?;
        if let Some(change) = change
            && is_success(&answer)
        {
            self.chain.change_pace(change);
        }
        Ok(answer)
    }

    /// Sends a call to the node that has its state; the answer is read up to the limit.
    pub(super) async fn ask(&self, call: &Call) -> Result<Answer, Refused> {
        if let Some(archive) = &self.archive
            && heavy::reads_all_blocks(call)
        {
            // The node has no traces of the blocks that it has loaded.
            let head = self.chain.head().await.map_err(|error| archive::silent(&error))?.number;
            let url = archive.url_up_to(head, &self.chain).await?;
            let message =
                "the calls of all blocks are not known here: blocks cannot be replayed up to the latest";
            let url = url.ok_or_else(|| Refused::new(SERVER_ERROR, message))?;
            return self.ask_at(&url, call).await;
        }
        let market = self.archive.as_ref().map_or(0, |archive| archive.market());
        let heavy = heavy::last_block(call, market, &self.chain).await;
        if let Some(last) = heavy.map_err(|error| archive::silent(&error))? {
            return self.ask_heavy(call, last).await;
        }
        let url = match &self.archive {
            Some(archive) if archive.has(call, &self.chain).await? => archive.url(&self.chain).await?,
            _ => self.url.clone(),
        };
        let answer = self.ask_at(&url, call).await?;
        let lacking = match url == self.url {
            true => archive::lacking(call, &answer.text, &self.chain).await?,
            false => None,
        };
        let Some(block) = lacking else { return Ok(answer) };
        let later = match &self.archive {
            Some(archive) => archive.url_of_later(block, &self.chain).await?,
            None => None,
        };
        match later {
            Some(url) => self.ask_at(&url, call).await,
            // A node without the state lists no traces.
            None if is_success(&answer) => {
                let message =
                    format!("the state before block {block} is not known here, so it has no traces");
                Err(Refused::new(SERVER_ERROR, message))
            }
            None => Ok(answer),
        }
    }

    /// Asks the archive for the traces of large transactions in blocks up to `last`.
    async fn ask_heavy(&self, call: &Call, last: u64) -> Result<Answer, Refused> {
        let Some(archive) = &self.archive else { return Err(heavy::too_much()) };
        let Some(url) = archive.url_up_to(last, &self.chain).await? else { return Err(heavy::too_much()) };
        let answer = self.ask_at(&url, call).await;
        if answer.as_ref().is_err_and(|refused| *refused == silent(self.chain.id())) {
            archive.end().await;
            return Err(heavy::too_much());
        }
        answer
    }

    /// Asks the node of the chain itself.
    pub(super) async fn ask_here(&self, call: &Call) -> Result<Answer, Refused> {
        self.ask_at(&self.url, call).await
    }

    async fn ask_at(&self, url: &str, call: &Call) -> Result<Answer, Refused> {
        let asked = timeout(CALL_LIMIT, async {
            let _turn = match rules::is_large(&call.method) {
                true => Some(self.large.acquire().await.expect("the semaphore stays open")),
                false => None,
            };
            self.fetch(url, call.to_bytes()).await
        });
        asked.await.unwrap_or_else(|_| Err(silent(self.chain.id())))
    }

    /// Sends a call to the node. A node traces a transaction by executing it again, for which it needs the state before the block; without
    /// that state, the answer has the calls that the node recorded when it mined the transaction.
    async fn ask_or_recorded(&self, call: &Call) -> Result<Answer, Refused> {
        let answer = self.ask(call).await?;
        if call.method == BY_NONCE && !is_success(&answer) {
            return self.ask_by_nonce(call, answer).await;
        }
        let Some(traced) = Traced::of(call) else { return Ok(answer) };
        if is_success(&answer) {
            return Ok(answer);
        }
        let Ok(Some(mut frame)) = self.chain.trace(traced.transaction).await else { return Ok(answer) };
        if traced.only_outermost {
            frame.calls.clear();
        }
        let recorded = call.result(frame);
        if recorded.len() > ANSWER_LIMIT { Err(too_large()) } else { Ok(recorded.into()) }
    }

    /// Asks for a transaction by its sender and nonce in the blocks. The node looks for it in the states of past blocks, and has refused.
    async fn ask_by_nonce(&self, call: &Call, refusal: Answer) -> Result<Answer, Refused> {
        let Some(nonce) = rules::number(&call.parameter(1)) else { return Ok(refusal) };
        let other = |method, params| call.instead(method, &params);
        let by_nonce = other("ots_getTransactionBySenderAndNonce", json!([call.parameter(0), nonce]));
        let found = self.ask_here(&by_nonce).await?;
        match serde_json::from_slice(&found.text) {
            Ok(Answered { result: Some(hash) }) => {
                self.ask_here(&other("eth_getTransactionByHash", json!([hash]))).await
            }
            _ if is_success(&found) => Ok(call.result(Value::Null).into()),
            _ => Ok(refusal),
        }
    }

    async fn fetch(&self, url: &str, call: Bytes) -> Result<Answer, Refused> {
        let chain_id = self.chain.id();
        let sent = self.client.post(url).header(CONTENT_TYPE, "application/json").body(call).send();
        let mut response = sent.await.map_err(|_| silent(chain_id))?;
        let stated =
            response.content_length().map_or(0, |length| usize::try_from(length).unwrap_or(usize::MAX));
        if stated > ANSWER_LIMIT {
            return Err(too_large());
        }
        let memory = self.memory(stated).await?;
        let mut text = Vec::with_capacity(stated);
        while let Some(part) = response.chunk().await.map_err(|_| silent(chain_id))? {
            if text.len() + part.len() > ANSWER_LIMIT {
                return Err(too_large());
            }
            text.extend_from_slice(&part);
        }
        Ok(Answer { text: text.into(), _memory: memory })
    }

    /// Reserves memory for an answer, which other unread answers may occupy.
    async fn memory(&self, bytes: usize) -> Result<Option<OwnedSemaphorePermit>, Refused> {
        if bytes <= SMALL {
            return Ok(None);
        }
        let kib = u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX);
        let memory = timeout(MEMORY_WAIT, Arc::clone(&self.unread).acquire_many_owned(kib)).await;
        let busy = || Refused::new(LIMIT_EXCEEDED, "too many large answers are unread; try again");
        memory.map_err(|_| busy())?.map(Some).map_err(|_| busy())
    }

    /// Creates a filter unless it matches too many past logs, which the node would keep.
    async fn new_filter(&self, call: &Call) -> Result<Answer, Refused> {
        let filter = call.list().unwrap_or_default();
        let from = filter.first().and_then(|filter| filter.get("fromBlock"));
        if from.is_some_and(|from| !from.is_null())
            && self.ask_here(&call.instead("eth_getLogs", &filter)).await?.text.len() > FILTER_LOGS
        {
            let message = "the filter matches more than 512 KiB of past logs: ask eth_getLogs for them";
            return Err(Refused::new(LIMIT_EXCEEDED, message));
        }
        self.ask(call).await
    }

    async fn remember_filter(&self, filter: Value) {
        if let Some(displaced) = self.filters.add(filter) {
            let call =
                json!({ "jsonrpc": "2.0", "id": 0, "method": "eth_uninstallFilter", "params": [displaced] });
            // A filter that is already gone needs no removal.
            _ = timeout(CALL_LIMIT, self.fetch(&self.url, call.to_string().into())).await;
        }
    }

    /// Carries out a call that moves time: the platform's one clock and every chain move with it.
    async fn move_time(self: &Arc<Self>, call: &Call, clock: ClockCall) -> Result<Answer, Refused> {
        let now = self.engine.clock().now();
        let ahead = |now: u64| i64::try_from(now).unwrap_or(i64::MAX).saturating_sub(host_seconds());
        match clock {
            ClockCall::Skip(seconds) => {
                let now = self.engine.skip(self.chain.id(), seconds).await.map_err(refused)?;
                Ok(call.result(ahead(now)).into())
            }
            ClockCall::Set(time) => {
                let shown = self.engine.skip_to(self.chain.id(), time).await.map_err(refused)?;
                Ok(call.result(shown.saturating_sub(now)).into())
            }
            ClockCall::Next(time) => {
                self.engine.skip_to(self.chain.id(), time).await.map_err(refused)?;
                self.ask(call).await
            }
            ClockCall::Led { timestamp, interval, blocks } => {
                let last =
                    interval.unwrap_or(0).saturating_mul(blocks).saturating_add(timestamp.unwrap_or(now));
                if timestamp.is_some_and(|time| time < now) {
                    return Err(refused(EngineError::BackwardTime { now, requested: last }));
                }
                if last > LATEST_TIME {
                    return Err(refused(EngineError::BeyondTime(now)));
                }
                let (backend, call, goes_back) = (Arc::clone(self), call.clone(), blocks == 0);
                let asked = async move {
                    if goes_back { backend.ask_alone(&call).await } else { backend.ask_here(&call).await }
                };
                self.engine.led(self.chain.id(), interval, goes_back, asked).await.map_err(refused)?
            }
        }
    }
}

fn repeated(call: &Call) -> RepeatedCall {
    RepeatedCall { method: call.method.clone(), params: call.params.clone() }
}

pub(super) fn is_success(answer: &Answer) -> bool {
    matches!(serde_json::from_slice(&answer.text), Ok(Failed { error: None }))
}

pub(super) fn silent(chain_id: u64) -> Refused {
    Refused::new(SERVER_ERROR, format!("the node of chain {chain_id} does not answer"))
}

fn too_large() -> Refused {
    let message = format!("the answer is larger than {} MiB: ask for less at a time", ANSWER_LIMIT >> 20);
    Refused::new(LIMIT_EXCEEDED, message)
}

/// The clock's refusal, with the control plane order that moves it.
fn refused(error: EngineError) -> Refused {
    match error {
        EngineError::BackwardTime { .. } | EngineError::BeyondTime(_) => Refused::new(
            INVALID_PARAMS,
            format!("{error}; POST /_sim/clock/advance of the control plane moves it too"),
        ),
        other => Refused::new(SERVER_ERROR, other.to_string()),
    }
}
