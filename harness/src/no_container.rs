//! Containers in a build without them: none is started, and the error states what to pass or install instead.
use std::convert::Infallible;

use slipway_scenarios::Target;

use crate::arguments::TargetArguments;
use crate::error::CommandError;

/// Never exists in this build.
pub(crate) struct ContainerPlatform(Infallible);

/// Always fails in this build.
#[expect(clippy::unused_async, reason = "the build with containers waits here")]
pub(crate) async fn start(
    _image: &str,
    _arguments: &TargetArguments,
) -> Result<ContainerPlatform, CommandError> {
    Err(CommandError::NoContainers)
}

/// Nothing to remove.
#[expect(clippy::unused_async, reason = "the build with containers waits here")]
pub(crate) async fn clean_up() {}

impl ContainerPlatform {
    pub(crate) fn target(&self) -> Target {
        match self.0 {}
    }

    pub(crate) fn lasting_addresses(&self) -> Vec<(String, String)> {
        match self.0 {}
    }

    #[expect(clippy::unused_async, reason = "the build with containers waits here")]
    pub(crate) async fn died(&self) -> CommandError {
        match self.0 {}
    }
}
