//! Exit codes: the whole of what a caller can learn without reading a report.
use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything that ran conforms.
    Conformant,
    /// A clause is broken, or nothing ran.
    Failure,
    /// The command line is wrong.
    Usage,
    /// The target is out of reach or a check reached no verdict.
    Inconclusive,
    /// The baseline no longer describes the target.
    StaleBaseline,
    /// A seeded defect went unnoticed: the checks themselves are at fault.
    SelfCheck,
    /// Stopped by the user.
    Interrupted,
    /// The code of a command that was run for the user.
    #[cfg(feature = "platform")]
    Passed(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Conformant => 0,
            Exit::Failure => 1,
            Exit::Usage => 2,
            Exit::Inconclusive => 3,
            Exit::StaleBaseline => 4,
            Exit::SelfCheck => 5,
            Exit::Interrupted => 130,
            #[cfg(feature = "platform")]
            Exit::Passed(code) => code,
        })
    }
}
