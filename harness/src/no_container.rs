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
) -> Result<(ContainerPlatform, Target, Vec<(String, String)>), CommandError> {
    Err(CommandError::NoContainers)
}

/// Nothing to remove.
#[expect(clippy::unused_async, reason = "the build with containers waits here")]
pub(crate) async fn clean_up() {}

impl ContainerPlatform {
    #[expect(clippy::unused_async, reason = "the build with containers waits here")]
    pub(crate) async fn died(&self) -> CommandError {
        match self.0 {}
    }
}
