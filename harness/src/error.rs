//! Why a command failed: each command, and each part shared by several, defines its own errors; here they become exit codes.
use std::error::Error;
use std::fmt;

use slipway_contracts::deploy::DeployError;
use slipway_contracts::toolchain::ToolchainError;
use slipway_defects::UnknownDefect;
use slipway_scenarios::model::verdict::Inconclusive;

use crate::exit::Exit;

/// An error that ends a command.
pub(crate) trait Fatal: Error + Send + Sync + 'static {
    /// `Usage` if the command line, or a file that it names, is wrong; `Inconclusive` for everything else.
    fn exit(&self) -> Exit {
        Exit::Inconclusive
    }

    /// Whether the reader of standard output has merely disconnected, which is not a failure.
    fn is_end_of_reader(&self) -> bool {
        false
    }
}

/// The error of any command.
#[derive(Debug)]
pub(crate) struct CommandError(Box<dyn Fatal>);

impl CommandError {
    pub(crate) fn exit(&self) -> Exit {
        if self.is_end_of_reader() { Exit::Conformant } else { self.0.exit() }
    }

    pub(crate) fn is_end_of_reader(&self) -> bool {
        self.0.is_end_of_reader()
    }

    /// The error, with every cause that its text leaves out.
    pub(crate) fn told(&self) -> String {
        let mut text = self.0.to_string();
        let mut cause = self.0.source();
        while let Some(error) = cause {
            let said = error.to_string();
            if !text.contains(&said) {
                text = format!("{text}: {said}");
            }
            cause = error.source();
        }
        text
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}

impl<E: Fatal> From<E> for CommandError {
    fn from(error: E) -> Self {
        Self(Box::new(error))
    }
}

impl Fatal for DeployError {}
impl Fatal for Inconclusive {}
impl Fatal for ToolchainError {}

impl Fatal for UnknownDefect {
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}

/// An option does not fit the given target.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TargetKindError {
    #[error("{option} goes with the local platform only, and an external target was given")]
    Local { option: &'static str },
    #[error("{option} goes with an external target only: give --base-url or --swap-url")]
    External { option: &'static str },
    #[error("{option} is for a target that is given by address; the platform of this run has its own")]
    Addressed { option: &'static str },
}

impl Fatal for TargetKindError {
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}
