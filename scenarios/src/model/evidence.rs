//! What a verdict rests on.

/// What a verdict rests on: an HTTP exchange, a call of a contract, a tool call.
pub(crate) trait Evidence {
    /// A command line or tool call that shows it again.
    fn reproduce(&self) -> String;

    /// What was seen, shortened for a report.
    fn excerpt(&self) -> String {
        format!("see `{}`", self.reproduce())
    }

    /// The same around what a demand speaks of, where it is a member of it.
    fn excerpt_about(&self, _demand: &str) -> String {
        self.excerpt()
    }

    /// Number of the exchange, where it is one and was recorded.
    fn exchange(&self) -> Option<u64> {
        None
    }
}

/// A command line that shows it, such as a `cast call`, or what was done, in words.
impl<T: AsRef<str> + ?Sized> Evidence for T {
    fn reproduce(&self) -> String {
        self.as_ref().to_owned()
    }
}
