//! A change, ready to be applied: its conditions, and its steps in their order.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::StatusCode;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use parking_lot::Mutex;
use serde_json::Value;

use super::edit::{Edit, Fate, RpcError};
use super::on::{On, OneOrMany};
use super::place::Place;
use crate::http::act::{Act, Context, Form, Need};
use crate::http::calls::{each_answer, each_call, method, refuse};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::tool::effect::ToolAct;

/// How many request numbers are tried to see whether an act ever answers instead of the service.
const MOST_APART: usize = 64;

/// The change that a defect or a variant makes to exchanges with a platform.
#[derive(Debug)]
pub struct Change {
    pub(crate) on: On,
    pub(crate) steps: Vec<Step>,
    /// Whether a proxy has changed an exchange by it.
    pub(crate) has_changed: AtomicBool,
}

/// Compared by identity: two changes with the same content are different.
impl PartialEq for Change {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Change {}

/// One step.
#[derive(Debug)]
pub(crate) enum Step {
    /// Changes the values at a place.
    Value(Place, Edit),
    /// Changes the status of an answer.
    Status(StatusCode),
    /// Turns an answer into a refusal with this message.
    Refusal(StatusCode, String),
    /// Turns an answer into a success with this body.
    Success(Value),
    /// Sets these headers of an answer.
    Headers(HeaderMap),
    /// Removes these headers from an answer.
    NoHeaders(Vec<HeaderName>),
    /// Answers the calls of these methods with an error.
    Error(OneOrMany<String>, RpcError),
    /// Delays the request.
    Wait(Duration),
    /// Runs code.
    Act(&'static Act),
    /// Sets variables of the tool server.
    Variables(BTreeMap<String, String>),
    /// Changes the conversation with a tool server.
    Tool(&'static ToolAct),
}

/// Why an edit of a whole answer cannot become a step.
#[derive(Debug, thiserror::Error)]
pub(super) enum StepError {
    #[error("{0:?} is no name or value of a header")]
    Header(String),
    #[error("{0} is no status from 100 to 599")]
    Status(u16),
    #[error("do.error changes the answer to a call: on.rpc names it")]
    NoCall,
}

fn status_of(status: u16) -> Result<StatusCode, StepError> {
    let known = StatusCode::from_u16(status).ok().filter(|_| status < 600);
    known.ok_or(StepError::Status(status))
}

fn header_name(name: &str) -> Result<HeaderName, StepError> {
    name.parse().map_err(|_| StepError::Header(name.to_owned()))
}

impl Step {
    /// The step for an edit that names no place.
    pub(super) fn of_whole(edit: Edit, on: &On) -> Result<Self, StepError> {
        Ok(match edit {
            Edit::Status(status) => Self::Status(status_of(status)?),
            Edit::Refused(refusal) => Self::Refusal(status_of(refusal.status)?, refusal.error),
            Edit::Answered(body) => Self::Success(body),
            Edit::Header(headers) => {
                let header = |(name, value): (&String, &String)| {
                    let parsed =
                        HeaderValue::try_from(value).map_err(|_| StepError::Header(value.clone()))?;
                    Ok((header_name(name)?, parsed))
                };
                Self::Headers(headers.iter().map(header).collect::<Result<_, _>>()?)
            }
            Edit::WithoutHeader(names) => {
                Self::NoHeaders(names.iter().map(|name| header_name(name)).collect::<Result<_, _>>()?)
            }
            Edit::Error(error) => Self::Error(on.rpc.clone().ok_or(StepError::NoCall)?, error),
            Edit::Variable(variables) => Self::Variables(variables),
            Edit::WaitMs(time) => Self::Wait(Duration::from_millis(time)),
            value => Self::Value(Place::whole_answer(), value),
        })
    }

    /// Whether it acts on the request, before there is an answer.
    pub(crate) fn is_of_request(&self) -> bool {
        match self {
            Self::Value(place, _) => !matches!(place, Place::Answer(_)),
            Self::Act(act) => !matches!(act.form, Form::After(_)),
            Self::Wait(_) => true,
            _ => false,
        }
    }

    /// Applies a data-only step to a request.
    pub(crate) fn change_request(&self, on: &On, request: &mut RequestParts) {
        match self {
            Self::Value(Place::Query(name), edit) => change_parameter(request, name, edit),
            Self::Value(Place::Request(pointer), edit) => match &on.rpc {
                Some(methods) => each_call(request, |call| {
                    if methods.matches(method(call)) {
                        pointer.change(call, edit);
                    }
                }),
                None => pointer.change(&mut request.body, edit),
            },
            _ => {}
        }
    }

    /// Applies a data-only step to an answer; `sent` is the request as the client sent it.
    pub(crate) fn change_answer(&self, on: &On, sent: &RequestParts, answer: &mut ProxiedResponse) {
        match self {
            Self::Value(Place::Answer(pointer), edit) => match &on.rpc {
                Some(methods) => each_answer(sent, answer, |call, answer| {
                    if methods.matches(method(call)) {
                        pointer.change(answer, edit);
                    }
                }),
                None => pointer.change(&mut answer.body, edit),
            },
            Self::Status(status) => {
                answer.status = *status;
                if let Some(told) = answer.body.get_mut("status") {
                    *told = status.as_u16().into();
                }
            }
            Self::Refusal(status, error) => answer.refuse(*status, error),
            Self::Success(body) => answer.succeed(body.clone()),
            Self::Headers(headers) => answer.headers.extend(headers.clone()),
            Self::NoHeaders(names) => names.iter().for_each(|name| _ = answer.headers.remove(name)),
            Self::Error(methods, error) => each_answer(sent, answer, |call, answer| {
                if methods.matches(method(call)) {
                    refuse(answer, error.code, &error.message);
                }
            }),
            _ => {}
        }
    }
}

/// Changes a query parameter if it is present, else adds it.
fn change_parameter(request: &mut RequestParts, name: &str, edit: &Edit) {
    let text_of = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let Some(before) = request.get(name).map(str::to_owned) else {
        if let Some(added) = edit.added() {
            request.set(name, text_of(added));
        }
        return;
    };
    let mut value = Value::from(before.as_str());
    match edit.change(&mut value) {
        Fate::Dropped => request.drop(name),
        Fate::Kept => {
            let after = text_of(&value);
            if after != before {
                request.set(name, after);
            }
        }
    }
}

impl Change {
    /// Whether a proxy has changed an exchange by it, since the program began.
    pub fn has_changed(&self) -> bool {
        self.has_changed.load(Ordering::Relaxed)
    }

    /// Whether it may change an exchange on this path.
    pub(crate) fn concerns(&self, path: &str) -> bool {
        self.on.path(path)
    }

    pub(crate) fn acts(&self) -> impl Iterator<Item = &'static Act> {
        self.steps.iter().filter_map(|step| match step {
            Step::Act(act) => Some(*act),
            _ => None,
        })
    }

    /// Changes values in part of a request to a tool or a node, or in part of its answer.
    pub(crate) fn change_values(&self, of_request: bool, body: &mut Value) {
        for step in &self.steps {
            match step {
                Step::Value(Place::Request(pointer), edit) if of_request => pointer.change(body, edit),
                Step::Value(Place::Answer(pointer), edit) if !of_request => pointer.change(body, edit),
                _ => {}
            }
        }
    }

    /// Whether it answers instead of the service.
    pub(crate) fn answers_itself(&self) -> bool {
        self.acts().any(|act| matches!(act.form, Form::Instead(_)))
    }

    /// Whether it only delays answers.
    pub(crate) fn delays(&self) -> bool {
        self.steps.iter().all(|step| matches!(step, Step::Wait(_)))
    }

    /// Whether it changes this exchange; what depends on the platform is not considered.
    pub(crate) fn changes(&self, sent: &RequestParts, answered: &ProxiedResponse) -> bool {
        if !self.on.request(sent) {
            return false;
        }
        let (mut request, mut answer) = (sent.clone(), answered.clone());
        let (memory, is_answer) = (Mutex::default(), self.on.answer(answered));
        for step in &self.steps {
            let context = Context::new(sent, 0, &memory);
            match step {
                Step::Wait(_) => return true,
                Step::Act(Act { need: Some(Need::OtherAnswer(query)), .. }) => {
                    if query(&context).is_some() {
                        return true;
                    }
                }
                Step::Act(Act { need: Some(_), .. }) => return true,
                Step::Act(act) => match act.form {
                    Form::Before(change) => change(&context, &mut request),
                    Form::After(change) if is_answer => change(&context, &mut answer),
                    Form::After(_) => {}
                    Form::Instead(answer) => {
                        let numbered = |number| answer(&Context::new(sent, number, &memory)).is_some();
                        if (0..MOST_APART).any(numbered) {
                            return true;
                        }
                    }
                },
                step => {
                    step.change_request(&self.on, &mut request);
                    if is_answer {
                        step.change_answer(&self.on, sent, &mut answer);
                    }
                }
            }
        }
        request.is_changed() || request.headers() != sent.headers() || answer.is_changed()
    }
}
