//! Records every exchange of a check with its target; the recorder decides what is kept and what is removed.
use std::fmt::Debug;
use std::time::Instant;

use crate::client::message::{Request, Response};
use crate::model::verdict::Inconclusive;

/// Records the exchanges of one check.
pub trait Recorder: Debug + Send + Sync {
    /// Records an exchange that started at this time and has ended; returns its number in the run.
    fn exchanged(&self, started: Instant, content: &Content<'_>) -> u64;

    /// Returns the number of the exchange that ended last, if any.
    fn last(&self) -> Option<u64>;

    /// Marks a text as public although it looks like a secret: a signature of an account that a check made up.
    fn reveal(&self, text: &str);

    /// Marks a text as secret, for example the private key of a tool server.
    fn conceal(&self, secret: &str);
}

/// The content of an exchange.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// An HTTP exchange with a service, the control plane or an RPC.
    Http {
        /// The request.
        request: &'a Request,
        /// The response, or the error.
        response: Result<&'a Response, &'a Inconclusive>,
    },
    /// A message to a tool server and its answer.
    Tool {
        /// The message.
        request: &'a [u8],
        /// The answer line, if one came.
        answer: Option<&'a [u8]>,
    },
}
