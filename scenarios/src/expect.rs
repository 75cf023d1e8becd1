//! Judging answers: each function returns the value when it holds and a failure with its reproduction when not.
pub mod fields;
pub mod figure;
pub mod moment;
pub mod refusal;

use std::fmt::Debug;

use serde_json::Value;

use crate::check::{Failure, Stop, Verdict};
use crate::client::http::Answer;

/// A failure of `clause` shown by `answer`.
#[must_use]
pub fn failure(
    clause: &'static str,
    answer: &Answer,
    expected: impl Into<String>,
    actual: impl Into<String>,
) -> Stop {
    Failure { clause, expected: expected.into(), actual: actual.into(), reproduce: answer.ask.reproduce() }
        .into()
}

/// The answer has this status.
pub fn status(clause: &'static str, answer: &Answer, code: u16) -> Verdict {
    if answer.status.as_u16() == code {
        Ok(())
    } else {
        Err(failure(clause, answer, format!("status {code}"), answer.excerpt()))
    }
}

/// The answer is 200 with a JSON body, which is returned.
pub fn ok_json(clause: &'static str, answer: &Answer) -> Verdict<Value> {
    status(clause, answer, 200)?;
    answer.json().ok_or_else(|| failure(clause, answer, "a JSON body", answer.excerpt()))
}

/// Two values are equal.
pub fn equal<T: PartialEq + Debug>(
    clause: &'static str,
    answer: &Answer,
    what: &str,
    expected: &T,
    actual: &T,
) -> Verdict {
    if expected == actual {
        Ok(())
    } else {
        Err(failure(clause, answer, format!("{what} = {expected:?}"), format!("{what} = {actual:?}")))
    }
}

/// A condition holds; `expected` says it in words, `actual` what was seen instead.
pub fn holds(
    clause: &'static str,
    answer: &Answer,
    condition: bool,
    expected: &str,
    actual: impl FnOnce() -> String,
) -> Verdict {
    if condition { Ok(()) } else { Err(failure(clause, answer, expected, actual())) }
}
