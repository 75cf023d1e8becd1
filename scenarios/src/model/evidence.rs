//! The evidence of a verdict.
use crate::model::verdict::Answered;

/// The evidence of a verdict: an HTTP exchange, a contract call, a tool call.
pub(crate) trait Evidence {
    /// Returns a command line or tool call that reproduces it.
    fn reproduce(&self) -> String;

    /// Returns what was seen, shortened for a report.
    fn excerpt(&self) -> String {
        format!("see `{}`", self.reproduce())
    }

    /// Like [`Self::excerpt`], around the member that a demand mentions, if it has one.
    fn excerpt_about(&self, _demand: &str) -> String {
        self.excerpt()
    }

    /// Returns the request and the status of the answer, if it is an answer of a service.
    fn answered(&self) -> Option<Answered> {
        None
    }

    /// Returns the number of the exchange, if it is a recorded exchange.
    fn exchange(&self) -> Option<u64> {
        None
    }
}

/// A command line that reproduces it, for example a `cast call`, or a description of what was done.
impl<T: AsRef<str> + ?Sized> Evidence for T {
    fn reproduce(&self) -> String {
        self.as_ref().to_owned()
    }
}
