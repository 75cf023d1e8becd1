//! Exit codes: all that a caller learns without reading a report.
use std::io::{self, ErrorKind};
use std::process::ExitCode;

/// How a command ended; [`Exit::described`] returns what each means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Conformant,
    Failure,
    Usage,
    Inconclusive,
    StaleBaseline,
    SelfCheck,
    Interrupted,
    /// The exit code of a command that was run for the user.
    Passed(u8),
}

impl Exit {
    /// How a command ends that cannot write a file it was given: wrong use where the file cannot be there, and else (a full disk) no result.
    pub(crate) fn of_unwritable(error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound
            | ErrorKind::PermissionDenied
            | ErrorKind::IsADirectory
            | ErrorKind::NotADirectory
            | ErrorKind::AlreadyExists
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::InvalidInput => Self::Usage,
            _ => Self::Inconclusive,
        }
    }

    /// The code and its meaning.
    pub(crate) const fn described(self) -> (u8, &'static str) {
        match self {
            Self::Conformant => (0, "conformant to what the verdict names; of other commands: done"),
            Self::Failure => {
                (1, "a clause is broken, or nothing ran; of other commands: a finding or an error")
            }
            Self::Usage => (2, "the command line, or a file that it names, is wrong"),
            Self::Inconclusive => (
                3,
                "the target is out of reach, a binding check reached no verdict, or a demanded profile was not judged in full",
            ),
            Self::StaleBaseline => (4, "the baseline no longer describes the target: a known failure passes"),
            Self::SelfCheck => (5, "a seeded defect went unnoticed: the checks themselves are at fault"),
            Self::Interrupted => (130, "stopped by the user"),
            Self::Passed(code) => (code, "that of the command"),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.described().0)
    }
}
