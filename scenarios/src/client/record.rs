//! Recording every exchange of a check with its target; what is kept of it, and what must not be, is the recorder's business.
use std::fmt::Debug;
use std::time::Instant;

use crate::client::message::{Request, Response};
use crate::model::verdict::Inconclusive;

/// Records the exchanges of one check.
pub trait Recorder: Debug + Send + Sync {
    /// An exchange that was started then has ended; answers its number in the run.
    fn exchanged(&self, started: Instant, content: &Content<'_>) -> u64;

    /// The number of the exchange that ended last, if one did.
    fn last(&self) -> Option<u64>;

    /// A text that is no secret although it looks like one: a signature of an account that a check made up.
    fn reveal(&self, text: &str);

    /// A text that must not be kept, such as a private key that a tool server is started with.
    fn conceal(&self, secret: &str);
}

/// What was sent, and what came back.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// An HTTP exchange: with a service, the control plane or an RPC.
    Http {
        /// The request.
        request: &'a Request,
        /// The response, or why there is none.
        response: Result<&'a Response, &'a Inconclusive>,
    },
    /// A message to a tool server and its answer.
    Tool {
        /// What was sent.
        request: &'a [u8],
        /// The answering line, if one came.
        answer: Option<&'a [u8]>,
    },
}
