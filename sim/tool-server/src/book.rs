//! The open requests of a conversation: each has a number for the SDK and keeps the id given by the peer; batches are answered as a whole.
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use alloy::primitives::B256;
use rmcp::model::ProtocolVersion;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::id::Id;

/// Error code for a call cut short by the end of the conversation.
const ENDED: i32 = -32603;

/// The transaction that a call has signed, if any.
pub(crate) type Signed = Arc<OnceLock<B256>>;

#[derive(Debug, Default)]
pub(crate) struct Book {
    last: i64,
    open: BTreeMap<i64, Open>,
    batches: BTreeMap<i64, Batch>,
    /// The revision agreed on by both sides, or named by a request without a greeting.
    revision: Option<ProtocolVersion>,
}

#[derive(Debug)]
struct Open {
    id: Id,
    batch: Option<i64>,
    signed: Signed,
}

/// The answers to a batch so far.
#[derive(Debug, Default)]
struct Batch {
    waiting: usize,
    answers: Vec<Box<RawValue>>,
}

/// A response in the spelling of its peer.
#[derive(Serialize)]
struct Response<'a, T: Serialize> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a T>,
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome<'a, T> {
    Result(&'a T),
    Error(&'a T),
}

impl Book {
    pub(crate) fn agree(&mut self, revision: ProtocolVersion) {
        self.revision = Some(revision);
    }

    /// Whether there was a greeting, or a request that names its revision.
    pub(crate) fn has_agreed(&self) -> bool {
        self.revision.is_some()
    }

    /// Adopts the revision named by a request without a greeting, unless there was a greeting.
    pub(crate) fn agree_unless_greeted(&mut self, revision: Option<ProtocolVersion>) {
        self.revision = self.revision.take().or(revision);
    }

    /// Whether the agreed revision has batches: JSON-RPC 2.0 has them, MCP from 2025-06-18 on does not.
    pub(crate) fn takes_batches(&self) -> bool {
        self.revision.as_ref().is_some_and(|revision| *revision < ProtocolVersion::V_2025_06_18)
    }

    /// Opens a request, alone or in a batch; returns its number and the slot for the transaction that it signs.
    pub(crate) fn open(&mut self, id: Id, batch: Option<i64>) -> (i64, Signed) {
        self.last += 1;
        let signed = Signed::default();
        if let Some(batch) = batch.and_then(|batch| self.batches.get_mut(&batch)) {
            batch.waiting += 1;
        }
        self.open.insert(self.last, Open { id, batch, signed: Arc::clone(&signed) });
        (self.last, signed)
    }

    /// The number of an open request; the newest if several have this id.
    pub(crate) fn number(&self, id: &Id) -> Option<i64> {
        self.open.iter().rev().find(|(_, open)| open.id.is(id)).map(|(number, _)| *number)
    }

    /// Whether every request has its answer.
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The numbers of all open requests.
    pub(crate) fn numbers(&self) -> Vec<i64> {
        self.open.keys().copied().collect()
    }

    /// Answers a request; returns the line that can be sent now. A request that is no longer open gets no second answer.
    pub(crate) fn answer<T: Serialize>(&mut self, number: i64, outcome: Outcome<'_, T>) -> Option<String> {
        let open = self.open.remove(&number)?;
        let response = response(Some(&open.id.0), outcome);
        match open.batch {
            Some(batch) => self.add(batch, Some(response)),
            None => Some(response.get().to_owned()),
        }
    }

    /// Forgets a request cancelled by its peer, which gets no answer; returns the line that can be sent now.
    pub(crate) fn cancel(&mut self, number: i64) -> Option<String> {
        let batch = self.open.remove(&number)?.batch?;
        self.add(batch, None)
    }

    /// Answers a request that the end of the conversation cuts short, with the transaction that it has signed.
    pub(crate) fn cut(&mut self, number: i64) -> Option<String> {
        let hash = self.open.get(&number)?.signed.get().map(ToString::to_string);
        let message = match &hash {
            None => "the conversation ended before the call did".to_owned(),
            Some(hash) => format!(
                "the conversation ended before the call did: the launch was signed and sent as {hash}; look that transaction up \
                 before you launch again"
            ),
        };
        let data = hash.map(|hash| json!({ "transactionHash": hash }));
        self.answer(number, Outcome::Error(&error(ENDED, &message, data)))
    }

    /// The answer to anything that is not a request; its id may be unknown. JSON-RPC 2.0, section 5: "If there was an error in detecting
    /// the id in the Request object […] it MUST be Null"; MCP from 2025-11-25 on leaves it out instead.
    pub(crate) fn refusal(&self, id: Option<&Id>, code: i32, message: &str) -> Box<RawValue> {
        let leaves_out =
            self.revision.as_ref().is_some_and(|revision| *revision >= ProtocolVersion::V_2025_11_25);
        let error = error(code, message, None);
        let id = id.map(|id| &*id.0).or((!leaves_out).then_some(RawValue::NULL));
        response(id, Outcome::Error(&error))
    }

    /// Opens a batch; returns its number.
    pub(crate) fn begin_batch(&mut self) -> i64 {
        self.last += 1;
        self.batches.insert(self.last, Batch { waiting: 1, answers: Vec::new() });
        self.last
    }

    /// Adds the answer to a part of a batch that is not a request.
    pub(crate) fn refuse_part(&mut self, batch: i64, refusal: Box<RawValue>) {
        if let Some(batch) = self.batches.get_mut(&batch) {
            batch.answers.push(refusal);
        }
    }

    /// Ends a batch once all its parts are read; returns the line that can be sent now.
    pub(crate) fn end_batch(&mut self, batch: i64) -> Option<String> {
        self.add(batch, None)
    }

    /// Completes one part of a batch. JSON-RPC 2.0, section 6: "The Server should respond with an Array containing the corresponding
    /// Response objects, after all of the batch Request objects have been processed", and with nothing if there are none.
    fn add(&mut self, number: i64, answer: Option<Box<RawValue>>) -> Option<String> {
        let batch = self.batches.get_mut(&number)?;
        batch.answers.extend(answer);
        batch.waiting -= 1;
        if batch.waiting > 0 {
            return None;
        }
        let answers = self.batches.remove(&number)?.answers;
        (!answers.is_empty()).then(|| serde_json::to_string(&answers).expect("responses are JSON"))
    }
}

fn error(code: i32, message: &str, data: Option<Value>) -> Value {
    let mut error = json!({ "code": code, "message": message });
    if let Some(data) = data {
        error["data"] = data;
    }
    error
}

fn response<T: Serialize>(id: Option<&RawValue>, outcome: Outcome<'_, T>) -> Box<RawValue> {
    let (result, error) = match outcome {
        Outcome::Result(result) => (Some(result), None),
        Outcome::Error(error) => (None, Some(error)),
    };
    to_raw_value(&Response { jsonrpc: "2.0", id, result, error }).expect("results and errors are JSON")
}
